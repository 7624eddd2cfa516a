//! An order with a sort of every kind, under which the fuzz target and the test suite open texts.

use keyset::{Kind, Order, Sort};
use sea_orm::sea_query::Expr;
use sea_orm::tests_cfg::cake;

pub const KINDS: [Kind; 13] = [
    Kind::Bool,
    Kind::SmallInt,
    Kind::BigInt,
    Kind::Float,
    Kind::Double,
    Kind::Decimal,
    Kind::Text,
    Kind::Bytes,
    Kind::Date,
    Kind::Time,
    Kind::DateTime,
    Kind::DateTimeUtc,
    Kind::Uuid,
];

pub fn order() -> Order {
    let sort = |kind: Kind| Sort::expression(format!("{kind:?}"), Expr::cust("NULL"), kind);
    Order::of::<cake::Entity>(KINDS.map(sort)).expect("an order over expressions")
}
