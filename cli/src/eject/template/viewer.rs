//! Who asks, and which rows and fields show to them.

use bookends_server::async_graphql::Value as Given;
use bookends_server::keyset::{Column, Kind};
use bookends_server::sea_orm::Value;
use bookends_server::sea_orm::sea_query::ExprTrait;
use bookends_server::{Claims, Visible, read_column};

/// Who asks: the claims of the token, or of the headers of a trusted proxy.
pub struct Viewer(pub Option<Claims>);

impl Viewer {
    fn given(&self, claim: &str) -> Option<Given> {
        Given::from_json(self.0.as_ref()?.get(claim)?.clone()).ok()
    }

    /// A claim as a value of a column.
    pub fn claim(&self, column: impl Into<Column>, claim: &str) -> Option<Value> {
        value(&column.into(), &self.given(claim)?)
    }

    /// Whether a claim, or an item of it, is one of these values; without values, whether there is such a claim.
    pub fn has(&self, claim: &str, values: &[Given]) -> bool {
        let Some(given) = self.given(claim) else { return false };
        let among = |items: &[Given]| items.iter().any(|item| values.contains(item));
        values.is_empty() || values.contains(&given) || matches!(&given, Given::List(items) if among(items))
    }
}

/// The rows whose column is among the items of a claim.
pub fn in_claim(viewer: Option<&Viewer>, column: impl Into<Column>, claim: &str) -> Visible {
    match viewer.and_then(|viewer| viewer.given(claim)) {
        Some(Given::List(items)) => one_of(column, items),
        _ => Visible::None,
    }
}

/// The rows whose column is one of these values.
pub fn one_of(column: impl Into<Column>, values: impl IntoIterator<Item = Given>) -> Visible {
    let column = column.into();
    let values: Vec<Value> = values.into_iter().filter_map(|given| value(&column, &given)).collect();
    if values.is_empty() { Visible::None } else { column.expr().is_in(values).into() }
}

/// A value as one of a column. A text can be a number: proxies and issuers of tokens have only texts.
fn value(column: &Column, given: &Given) -> Option<Value> {
    let given = match (column.kind(), given) {
        (_, Given::Null) => return None,
        (Kind::SmallInt | Kind::Int | Kind::BigInt, Given::String(text)) => text.parse::<i64>().ok()?.into(),
        (Kind::Text | Kind::Char, Given::Number(number)) => Given::String(number.to_string()),
        _ => given.clone(),
    };
    read_column(column, &given).ok()
}
