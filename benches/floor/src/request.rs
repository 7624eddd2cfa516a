//! What a request asks for.

use std::borrow::Cow;

use serde::Deserialize;

use crate::page::Page;
use crate::schema::Schema;
use crate::write::Write;

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    query: Cow<'a, str>,
    #[serde(borrow)]
    variables: Variables<'a>,
}

/// The variables of all operations.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Variables<'a> {
    #[serde(borrow)]
    pub after: Cow<'a, str>,
    #[serde(borrow)]
    pub book_id: Cow<'a, str>,
    pub rating: i64,
    #[serde(borrow)]
    pub total_price: Cow<'a, str>,
}

/// What is asked for, by the name of the operation.
#[derive(Clone, Copy, Debug)]
pub enum Asked {
    Page(Page),
    Write(Write),
}

impl Asked {
    /// Reads the body of a request.
    pub fn parse(schema: &'static Schema, body: &[u8]) -> Option<Self> {
        let Body { query, variables } = serde_json::from_slice(body).ok()?;
        let (kind, rest) = query.split_once(' ')?;
        let name = rest.split('(').next()?;
        match kind {
            "query" => Page::of(schema, name, &variables.after).map(Self::Page),
            "mutation" if schema.is_written => Write::of(name, &variables).map(Self::Write),
            _ => None,
        }
    }
}
