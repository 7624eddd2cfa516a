//! Work, counted in statements.

use crate::support::station::{SMALL, Station};

#[tokio::test]
async fn i1_a_page_is_one_statement_with_its_flags() {
    let station = Station::new(SMALL).await;
    let cursor = "pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { cursor node { id value } }";
    station.statements.take();
    for args in ["first: 5", "last: 5", "first: 0"] {
        station.data(&format!("{{ readings({args}) {{ {cursor} }} }}")).await;
        assert_eq!(station.statements.take().len(), 1, "{args}");
    }
    let end = station.data("{ readings(first: 5) { pageInfo { endCursor } } }").await["readings"]["pageInfo"].take();
    station.statements.take();
    station.data(&format!("{{ readings(first: 5, after: {}) {{ {cursor} }} }}", end["endCursor"])).await;
    assert_eq!(station.statements.take().len(), 1);
}

#[tokio::test]
async fn f4_nodes_are_one_statement_for_each_type() {
    let station = Station::new(SMALL).await;
    let some = station.data("{ sensors { nodes { id } } readings { nodes { id } } repairs { nodes { id } } }").await;
    let lists = [&some["sensors"]["nodes"], &some["readings"]["nodes"], &some["repairs"]["nodes"]];
    let ids = lists.into_iter().flat_map(|nodes| nodes.as_array().unwrap().iter().map(|node| node["id"].to_string()));
    let ids = ids.collect::<Vec<_>>().join(", ");
    station.statements.take();
    station.data(&format!("{{ nodes(ids: [{ids}]) {{ id }} }}")).await;
    assert_eq!(station.statements.take().len(), 3);
}

/// The schema executes this query each time: no plan has `__typename` of the query.
#[tokio::test]
async fn a_fragment_that_is_spread_twice_is_read_once() {
    let station = Station::new(SMALL).await;
    let query =
        "{ ...Sensors ... { ...Sensors } __typename } fragment Sensors on Query { sensors(first: 1) { nodes { id } } }";
    for _ in 0..3 {
        station.statements.take();
        station.data(query).await;
        assert_eq!(station.statements.take().len(), 1);
    }
}
