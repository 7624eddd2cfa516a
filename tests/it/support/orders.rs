//! The orders that lists are offered in, and every way to run each.

/// One sort of an order: its field, whether it descends, and whether what has no value comes first.
pub type Sort = (&'static str, bool, bool);

/// The fields that a list can be sorted by, in the combinations in which it is offered.
pub fn offered(list: &str) -> Vec<Vec<&'static str>> {
    let fields: &[&[&'static str]] = match list {
        "books" => &[
            &["NAME"],
            &["YEAR"],
            &["YEAR", "NAME"],
            &["AVERAGE_RATING"],
            &["RATING_COUNT"],
            &["TOTAL_REVENUE"],
            &["ORDER_COUNT"],
        ],
        "ratings" => &[&["RATING"]],
        "orders" => &[&["TOTAL_PRICE"]],
        _ => panic!("{list} is no list"),
    };
    let mut orders = vec![vec![], vec!["CREATED_AT"]];
    for fields in fields {
        orders.extend([fields.to_vec(), [fields, &["CREATED_AT"][..]].concat()]);
    }
    orders
}

/// Every way to run these sorts.
pub fn directed(fields: &[&'static str]) -> Vec<Vec<Sort>> {
    fields.iter().fold(vec![vec![]], |all, field| {
        let nullable = matches!(*field, "AVERAGE_RATING" | "TOTAL_REVENUE");
        let ways = [(false, false), (true, false), (false, true), (true, true)];
        let ways = ways.into_iter().filter(|(_, first)| nullable || !first);
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
