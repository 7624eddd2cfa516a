//! Replicas that die or freeze under load.

use std::time::Duration;

use testdb::Cluster;

use crate::support::fleet::{self, Server, load::Load, wait, with_replicas};

/// The maximum time of a query while a replica freezes: the pause between two probes, and the time of a probe, which are
/// 1.25 seconds together. The rest is for a busy machine.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Only reads that were in flight on a replica when it was ejected were read again: of each client, one.
#[track_caller]
fn only_those_in_flight_were_read_again(server: &Server, replicas: &[&Cluster], load: &Load, readers: u64) {
    let sum = |name| replicas.iter().map(|replica| server.metric(name, Some(replica))).sum::<u64>();
    let chosen = sum("bookends_replica_queries_total") + server.metric("bookends_replica_fallbacks_total", None);
    let (requests, ejections) = (load.requests(), sum("bookends_replica_ejections_total"));
    let again = chosen.checked_sub(requests).expect("each request reads");
    assert!(again <= readers * ejections, "{again} of {requests} were read again, at {ejections} ejections");
}

/// No read fails while this happens to one of two replicas. It is ejected, and admitted when it has recovered.
fn no_read_fails(harm: impl FnOnce(&mut Cluster), recover: impl FnOnce(&mut Cluster)) {
    let Some(primary) = fleet::primary() else { return };
    let (mut one, other) = (primary.replica(), primary.replica());
    let server = Server::with_healthy(&mut with_replicas(&primary.url(""), &[&one, &other]), &[&one, &other]);
    let load = Load::during(&server, 6, 1, |load| {
        wait(|| server.queries(&one) > 50 && server.queries(&other) > 50);
        harm(&mut one);
        server.ejects(&one, "");
        let queries = server.queries(&one);
        load.reads(100);
        load.writes(10);
        assert_eq!(server.queries(&one), queries);
        recover(&mut one);
        server.admits(&one);
        wait(|| server.queries(&one) > queries + 10);
    });
    load.no_read_failed_within(MAX_WAIT);
    only_those_in_flight_were_read_again(&server, &[&one, &other], &load, 6);
    assert!(server.metric("bookends_replica_ejections_total", Some(&one)) >= 1);
    let (_, failures) = load.written();
    assert!(failures.is_empty(), "{failures:?}");
}

#[test]
fn no_query_fails_when_a_replica_is_killed() {
    no_read_fails(Cluster::kill, Cluster::resume);
}

#[test]
fn no_query_fails_when_a_replica_is_shut_down() {
    no_read_fails(|replica| replica.stop(testdb::Stop::Fast), Cluster::resume);
}

#[test]
fn no_query_fails_when_a_replica_freezes() {
    no_read_fails(|replica| drop(replica.freeze()), Cluster::thaw);
}

#[test]
fn the_primary_answers_when_all_replicas_are_gone() {
    let Some(primary) = fleet::primary() else { return };
    let (mut one, mut other) = (primary.replica(), primary.replica());
    let server = Server::with_healthy(&mut with_replicas(&primary.url(""), &[&one, &other]), &[&one, &other]);
    let load = Load::during(&server, 4, 1, |load| {
        load.reads(50);
        one.kill();
        other.freeze();
        server.ejects(&one, "");
        server.ejects(&other, "");
        // A busy machine can show that they are behind first.
        let lag = |replica| server.metric_text("bookends_replica_lag_seconds", Some(replica));
        wait(|| [&one, &other].map(lag) == ["NaN", "NaN"]);
        load.reads(100);
        load.writes(10);
        assert!(server.ready().starts_with("ready\n"), "{}", server.ready());
        other.thaw();
        server.admits(&other);
    });
    load.no_read_failed_within(MAX_WAIT);
    only_those_in_flight_were_read_again(&server, &[&one, &other], &load, 4);
    assert!(server.metric("bookends_replica_fallbacks_total", None) > 0);
}

/// A replica stops the statements that are in the way of what it replays: here, of a lock.
#[test]
fn no_query_fails_when_a_replica_stops_it() {
    let Some(primary) = fleet::primary() else { return };
    let replica = primary.replica_with(&["max_standby_streaming_delay=0"]);
    let server = Server::with_healthy(&mut with_replicas(&primary.url(""), &[&replica]), &[&replica]);
    let stopped = || replica.sql("SELECT sum(confl_lock) FROM pg_stat_database_conflicts").parse::<u64>().unwrap();
    let load = Load::during(&server, 6, 0, |load| {
        load.reads(50);
        wait(|| {
            primary.sql("BEGIN; LOCK TABLE sensor; COMMIT");
            stopped() >= 5
        });
        server.admits(&replica);
    });
    load.no_read_failed_within(MAX_WAIT);
    only_those_in_flight_were_read_again(&server, &[&replica], &load, 6);
}
