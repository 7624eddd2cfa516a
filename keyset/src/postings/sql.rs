//! Parts of the statements over lists of keys.

use sea_orm::sea_query::{CommonTableExpression, Expr, NullOrdering, Order as SqlOrder, SelectStatement};

use crate::Direction;

/// The table of the keys that all lists have.
pub const POSTINGS: &str = "keyset_postings";
/// The column of a key, in every table here.
pub const KEY: &str = "keyset_key";

/// A table of the statement.
pub fn table(name: &'static str, query: SelectStatement) -> CommonTableExpression {
    CommonTableExpression::new().table_name(name).query(query).to_owned()
}

/// A number in the text of the statement.
pub fn number(number: i32) -> Expr {
    Expr::cust(number.to_string())
}

/// The value of a statement of one row.
pub fn subquery(query: SelectStatement) -> Expr {
    Expr::SubQuery(None, Box::new(query.into()))
}

/// The smallest key in this direction, without the NULLs.
pub fn nearest(keys: &mut SelectStatement, direction: Direction) -> SelectStatement {
    keys.order_by_with_nulls(KEY, SqlOrder::from(direction), NullOrdering::Last).limit(1).take()
}
