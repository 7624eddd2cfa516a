//! One response reads one state of one server.

use crate::support::fleet::{self, Server, load::Load, with_replicas};

use super::ANY_LAG;

/// One replica stands still, and another one follows a writer. Each response is wholly of one of them.
#[test]
fn a_response_of_several_statements_reads_one_replica() {
    const QUERY: &str = "{
        all: sensors { totalCount }
        last: sensors(last: 1) { nodes { name createdAt } }
        first: sensors(first: 1, orderBy: [{ field: CREATED_AT, direction: DESC }]) { nodes { name createdAt } }
        added: sensors(where: { name: { startsWith: \"0 \" } }) { totalCount }
    }";
    let Some(primary) = fleet::primary() else { return };
    let replicas = [primary.replica(), primary.replica()];
    let both = [&replicas[0], &replicas[1]];
    let mut command = with_replicas(&primary.url(""), &both);
    let server = Server::with_healthy(command.env(ANY_LAG.0, ANY_LAG.1), &both);
    replicas[0].pause_replay();
    let (mut old, mut new) = (0, 0);
    let load = Load::during(&server, 2, 1, |load| {
        load.writes(10);
        let mut client = server.client();
        fleet::wait(|| {
            let data = client.query(QUERY);
            let count = |list: &str| data[list]["totalCount"].as_u64().unwrap();
            let added = count("added");
            assert_eq!(count("all"), 8 + added, "{data}");
            assert_eq!(data["last"]["nodes"], data["first"]["nodes"], "{data}");
            if added == 0 {
                old += 1;
            } else {
                assert_eq!(data["last"]["nodes"][0]["name"], format!("0 {}", added - 1), "{data}");
                new += 1;
            }
            old >= 20 && new >= 20
        });
    });
    load.no_read_failed_within(crate::support::patience::LONG);
}
