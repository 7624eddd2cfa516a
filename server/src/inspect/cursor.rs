//! Cursors.

use bookends_graphql::{Declaration, Offered};
use keyset::Sort;

use super::part::{Part, Parts};
use super::value;

/// Reads a cursor of any order, and finds the order among those of the schema.
///
/// Different orders can have the same fingerprint, which has two bytes. Then all of them are shown. The order of a search
/// by relevance depends on its words, and is not found.
pub fn read(declaration: &Declaration, text: &str) -> Result<Parts, String> {
    let parts = keyset::CursorParts::of(text).map_err(|error| error.to_string())?;
    let orders: Vec<Offered> =
        declaration.offered().into_iter().filter(|offered| offered.order.open(text).is_ok()).collect();
    let sorts = match orders.as_slice() {
        [only] => only.order.sorts(),
        _ => &[],
    };
    let values = (0..).zip(&parts.values).map(|(position, value)| part(sorts.get(position), value)).collect();
    let head = Parts::default()
        .with("version", i128::from(parts.version))
        .with("fingerprint", format!("{:04x}", parts.fingerprint));
    Ok(head.with("orders", orders.iter().map(order).collect::<Vec<_>>()).with("values", Part::List(values)))
}

fn order(offered: &Offered) -> Part {
    Parts::default().with("list", offered.list.as_str()).with("by", offered.order.to_string()).into()
}

fn part(sort: Option<&Sort>, scalar: &keyset::Scalar) -> Part {
    let named = sort.map_or_else(Parts::default, |sort| Parts::default().with("of", sort.name()));
    named.and(value::parts(scalar)).into()
}
