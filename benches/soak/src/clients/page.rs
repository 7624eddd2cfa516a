//! Pages of ratings.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use super::client::Client;

/// The ratings on a page.
const SIZE: usize = 100;

pub struct Page {
    /// In the direction of the walk.
    pub uuids: Vec<String>,
    /// The cursor of the next one.
    pub next: Option<Value>,
    pub time: Duration,
}

impl Page {
    /// The page after a cursor, or before it. Fails also if its flags are wrong.
    pub async fn read(client: &mut Client, order: &str, forward: bool, cursor: &Value) -> Result<Self, String> {
        let (end, bound, last, more) = if forward {
            ("first", "after", "endCursor", "hasNextPage")
        } else {
            ("last", "before", "startCursor", "hasPreviousPage")
        };
        let query = format!(
            "{{ ratings({end}: {SIZE}, {bound}: {cursor}, orderBy: {order}) {{ nodes {{ uuid }}
                pageInfo {{ hasPreviousPage hasNextPage startCursor endCursor }} }} }}"
        );
        let reply = client.query(&query, "").await?;
        let page = &reply.data["ratings"];
        let nodes = page["nodes"].as_array().cloned().unwrap_or_default();
        let mut uuids: Vec<String> = nodes.iter().filter_map(|node| node["uuid"].as_str().map(str::to_owned)).collect();
        if !forward {
            uuids.reverse();
        }
        let (unique, info) = (uuids.iter().collect::<BTreeSet<_>>().len(), &page["pageInfo"]);
        let has_more = info[more] == true;
        if unique < uuids.len() || (has_more && unique < SIZE) {
            return Err(format!("{order}, forward {forward}: a page of {unique} different ratings with {info}"));
        }
        Ok(Self { uuids, next: has_more.then(|| info[last].clone()), time: reply.time })
    }

    /// All ratings in this order, from the server of the client.
    pub async fn all(mut client: Client, order: &str, forward: bool) -> Result<Vec<String>, String> {
        let (mut all, mut cursor) = (Vec::new(), Value::from(""));
        loop {
            let page = Self::read(&mut client, order, forward, &cursor).await?;
            all.extend(page.uuids);
            match page.next {
                Some(next) => cursor = next,
                None => return Ok(all),
            }
        }
    }
}
