//! What must be so at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::net::Ipv4Addr;

use tokio::runtime::Runtime;

use crate::clients::World;
use crate::clients::client::Client;
use crate::clients::page::Page;
use crate::fleet::Fleet;

/// The orders of ratings, and the same in SQL, without the direction of the key.
const ORDERS: [(&str, &str); 3] = [
    ("[{ field: RATING, direction: DESC }]", "rating DESC, id DESC"),
    ("[{ field: RATING }]", "rating, id"),
    ("[{ field: CREATED_AT }]", "id"),
];

/// Every acknowledged write is there, on every server; every walk is exact.
pub fn check(runtime: &Runtime, world: &World, fleet: &Fleet) -> Result<Vec<String>, Box<dyn Error>> {
    let [primary, replicas @ ..] = &fleet.0;
    for replica in replicas {
        replica.catch_up(primary);
    }
    let mut faults = Vec::new();
    let rows = primary.sql("SELECT id, rating FROM book_rating");
    let rows = rows.lines().filter_map(|line| line.split_once('|'));
    let ratings: BTreeMap<&str, i64> = rows.filter_map(|(id, stars)| Some((id, stars.parse().ok()?))).collect();
    let titles = primary.sql("SELECT name FROM book");
    let titles: BTreeSet<&str> = titles.lines().collect();
    let model = world.model();
    let lost = model.books.iter().filter(|title| !titles.contains(title.as_str())).count();
    let differs = model.ratings.iter().filter(|(id, stars)| ratings.get(id.as_str()) != Some(stars)).count();
    let returned = model.deleted.iter().filter(|id| ratings.contains_key(id.as_str())).count();
    let written = [model.books.len(), model.ratings.len(), model.deleted.len()];
    for (number, what) in [
        (lost, "acknowledged books are lost"),
        (differs, "acknowledged ratings are lost, or differ"),
        (returned, "ratings are there whose deletion was acknowledged"),
        (usize::from(written.contains(&0)), "kinds of writes were never acknowledged"),
        (usize::from(world.walked() == 0), "walk is missing: none was completed"),
    ] {
        if number > 0 {
            faults.push(format!("{number} {what}"));
        }
    }
    for (server, heard) in world.heard().iter().enumerate() {
        let missed = model.announced.difference(heard).count();
        if missed > 0 {
            faults.push(format!(
                "{missed} of {} ratings were not announced by server {}",
                model.announced.len(),
                server + 1
            ));
        }
    }
    for (order, sql) in ORDERS {
        let rows = primary.sql(&format!("SELECT id FROM book_rating ORDER BY {sql}"));
        let rows: Vec<&str> = rows.lines().collect();
        for server in world.addresses {
            for forward in [true, false] {
                let client = Client::new(Ipv4Addr::LOCALHOST, server);
                let mut walked = runtime.block_on(Page::all(client, order, forward))?;
                if !forward {
                    walked.reverse();
                }
                if walked != rows {
                    faults.push(format!(
                        "the walk by {order}, forward {forward}, is not the list: {} rows",
                        walked.len()
                    ));
                }
            }
        }
    }
    Ok(faults)
}
