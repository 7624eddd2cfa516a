//! The orders that lists are offered in, and every way to run each.

use crate::support::{NULLABLE, OFFERED};

/// One sort of an order: its field, whether it descends, and whether what has no value comes first.
pub type Sort = (&'static str, bool, bool);

/// Lists, and the fields that each can be sorted by, in the combinations in which it is offered.
pub type Lists = &'static [(&'static str, &'static [&'static [&'static str]])];

/// The combinations of a list, alone and before the key.
pub fn offered(list: &str) -> Vec<Vec<&'static str>> {
    let (_, fields) = OFFERED.iter().find(|(name, _)| *name == list).unwrap_or_else(|| panic!("{list} is no list"));
    let mut orders = vec![vec![], vec!["CREATED_AT"]];
    for fields in *fields {
        orders.extend([fields.to_vec(), [fields, &["CREATED_AT"][..]].concat()]);
    }
    orders
}

/// Every way to run these sorts.
pub fn directed(fields: &[&'static str]) -> Vec<Vec<Sort>> {
    fields.iter().fold(vec![vec![]], |all, field| {
        let ways = [(false, false), (true, false), (false, true), (true, true)];
        let ways = ways.into_iter().filter(|(_, first)| NULLABLE.contains(field) || !first);
        let with = |(descending, first)| {
            all.iter().map(move |order| [order.as_slice(), &[(*field, descending, first)]].concat())
        };
        ways.flat_map(with).collect()
    })
}

/// All of them.
pub fn all(list: &str) -> Vec<Vec<Sort>> {
    offered(list).iter().flat_map(|fields| directed(fields)).collect()
}

/// As an argument is written, or the field of an input; nothing for the order that a list has without one.
pub fn argument(order: &[Sort]) -> String {
    let sort = |(field, descending, first): &Sort| {
        let direction = if *descending { "DESC" } else { "ASC" };
        format!("{{ field: {field}, direction: {direction}, nulls: {} }}", if *first { "FIRST" } else { "LAST" })
    };
    if order.is_empty() {
        String::new()
    } else {
        format!("orderBy: [{}]", order.iter().map(sort).collect::<Vec<_>>().join(", "))
    }
}
