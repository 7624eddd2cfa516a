//! Cursors are positions in an order, and hold on every server.

use serde_json::Value;

use crate::support::fleet::{self, Client, Server, with_replicas};
use crate::support::station;

const ORDER: &str = "orderBy: [{ field: VALUE, direction: DESC }]";

/// A list by pages, each from the next of the clients.
fn walk(clients: &mut [Client], size: usize, forward: bool) -> Vec<Value> {
    let (end, bound, last, more) = if forward {
        ("first", "after", "endCursor", "hasNextPage")
    } else {
        ("last", "before", "startCursor", "hasPreviousPage")
    };
    let (mut edges, mut cursor) = (Vec::new(), Value::from(""));
    for turn in 0.. {
        let query = format!(
            "{{ readings({end}: {size}, {bound}: {cursor}, {ORDER}) {{ edges {{ cursor node {{ id value }} }}
                pageInfo {{ hasPreviousPage hasNextPage startCursor endCursor }} }} }}"
        );
        let turn = turn % clients.len();
        let page = clients[turn].query(&query)["readings"].take();
        let found = page["edges"].as_array().unwrap().iter().cloned();
        edges.splice(if forward { edges.len()..edges.len() } else { 0..0 }, found);
        if page["pageInfo"][more] == false {
            break;
        }
        cursor = page["pageInfo"][last].clone();
    }
    edges
}

#[test]
fn cursors_of_one_server_are_valid_on_every_other_one() {
    let Some(primary) = fleet::primary() else { return };
    let replicas = [primary.replica(), primary.replica()];
    for replica in &replicas {
        replica.catch_up(&primary);
    }
    let servers: Vec<Server> = [
        Server::start(&mut station::program(&primary.url(""))),
        Server::with_healthy(&mut with_replicas(&primary.url(""), &[&replicas[0]]), &[&replicas[0]]),
        Server::with_healthy(&mut with_replicas(&primary.url(""), &[&replicas[1]]), &[&replicas[1]]),
    ]
    .into();
    let clients = || servers.iter().map(Server::client).collect::<Vec<_>>();
    let whole = walk(&mut clients()[..1], 100, true);
    assert_eq!(whole.len(), 60);
    for size in [1, 7, 20] {
        for forward in [true, false] {
            assert_eq!(walk(&mut clients(), size, forward), whole, "by {size}, forward: {forward}");
        }
    }
    for (server, replica) in servers[1..].iter().zip(&replicas) {
        assert!(server.queries(replica) > 40);
    }
}
