//! Replicas that lag behind, and clients that read their own writes meanwhile.

use std::thread;

use crate::support::fleet::{self, Server, load::Load, wait, with_replicas};

use super::{ANY_LAG, COUNT};

#[test]
fn a_replica_that_lags_too_far_is_ejected_until_it_has_caught_up() {
    let Some(primary) = fleet::primary() else { return };
    let replica = primary.replica();
    let mut command = with_replicas(&primary.url(""), &[&replica]);
    let server = Server::with_healthy(command.env("MAX_REPLICA_LAG", "0.5"), &[&replica]);
    let load = Load::during(&server, 2, 1, |load| {
        replica.pause_replay();
        server.ejects(&replica, "behind");
        assert_eq!(server.metric("bookends_replica_healthy", Some(&replica)), 0);
        // Then the primary answers, up to date.
        let mut client = server.client();
        let (_, position) = client.add("new").unwrap();
        let (now, without) = (client.query_at(&position, COUNT), client.query(COUNT));
        assert!(without["sensors"]["totalCount"].as_u64() >= now["sensors"]["totalCount"].as_u64());
        let queries = server.queries(&replica);
        load.reads(50);
        assert_eq!(server.queries(&replica), queries);
        replica.resume_replay();
        server.admits(&replica);
        assert_eq!(server.metric("bookends_replica_healthy", Some(&replica)), 1);
        wait(|| server.queries(&replica) > queries);
    });
    load.no_read_failed_within(crate::support::patience::LONG);
    assert!(server.metric("bookends_replica_ejections_total", Some(&replica)) >= 1);
}

/// A replica applies each commit late, and another one not at all for a while. 1,000 rounds.
#[test]
fn a_query_with_a_position_sees_the_write_before_it() {
    const CLIENTS: usize = 8;
    const ROUNDS: usize = 125;
    let Some(primary) = fleet::primary() else { return };
    let replicas = [primary.replica_with(&["recovery_min_apply_delay=20ms"]), primary.replica()];
    let both = [&replicas[0], &replicas[1]];
    let mut command = with_replicas(&primary.url(""), &both);
    let server = Server::with_healthy(command.env(ANY_LAG.0, ANY_LAG.1), &both);
    let round = |client: &mut fleet::Client, name: &str| {
        let (id, position) = client.add(name).unwrap();
        let read = format!("{{ node(id: {id:?}) {{ id }} }}");
        let is_stale = client.query(&read)["node"].is_null();
        assert_eq!(client.query_at(&position, &read)["node"]["id"], id, "{name}");
        is_stale
    };
    let stale: usize = thread::scope(|scope| {
        let rounds = |number: usize| {
            let (mut client, round) = (server.client(), &round);
            move || (0..ROUNDS).filter(|turn| round(&mut client, &format!("{number} {turn}"))).count()
        };
        let clients: Vec<_> = (0..CLIENTS).map(|number| scope.spawn(rounds(number))).collect();
        replicas[1].pause_replay();
        let queries = server.queries(&replicas[0]);
        wait(|| server.queries(&replicas[0]) > queries + 100);
        replicas[1].resume_replay();
        clients.into_iter().map(|client| client.join().unwrap()).sum()
    });
    // Otherwise the position proves nothing.
    assert!(stale > 0, "none of {} queries without a position was stale", CLIENTS * ROUNDS);
}

/// A replica applies each commit late, and then none.
#[test]
fn a_query_waits_for_its_position_as_long_as_it_may() {
    const ROUNDS: u64 = 5;
    let Some(primary) = fleet::primary() else { return };
    let replica = primary.replica_with(&["recovery_min_apply_delay=200ms"]);
    let waiting = |time| {
        let mut command = with_replicas(&primary.url(""), &[&replica]);
        Server::with_healthy(command.env(ANY_LAG.0, ANY_LAG.1).env("REPLICA_WAIT", time), &[&replica])
    };
    let (patient, hasty) = (waiting("60"), waiting("0.001"));
    let answered = |server: &Server| {
        let before = [server.queries(&replica), server.metric("bookends_replica_fallbacks_total", None)];
        let mut client = server.client();
        for turn in 0..ROUNDS {
            let (id, position) = client.add(&format!("{turn}")).unwrap();
            assert_eq!(client.query_at(&position, &format!("{{ node(id: {id:?}) {{ id }} }}"))["node"]["id"], id);
        }
        [server.queries(&replica) - before[0], server.metric("bookends_replica_fallbacks_total", None) - before[1]]
    };
    assert_eq!(answered(&patient), [ROUNDS, 0], "[by the replica, by the primary]");
    replica.pause_replay();
    assert_eq!(answered(&hasty), [0, ROUNDS], "[by the replica, by the primary]");
}
