//! A primary that dies, and a replica that takes its place.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::json;
use testdb::Cluster;

use crate::support::fleet::{self, Server, at, load::Load, wait, with_replicas};
use crate::support::patience::LONG;
use crate::support::station;

use subscriber::Subscriber;

mod subscriber;

/// The codes of a write that is not acknowledged because its database is gone, starts, or is not promoted yet.
const OUTAGE: [&str; 3] = ["UNAVAILABLE", "OUTCOME_UNKNOWN", "READ_ONLY"];

/// The maximum time of a query while a primary freezes: until it is found, the time of two samples and of two hosts. The rest
/// is for a busy machine.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// The maximum time from a promotion to the next write: 2.25 seconds if the old primary is frozen. The rest is for a busy
/// machine.
const MAX_OUTAGE: Duration = Duration::from_secs(10);

const COUNT: &str = "{ sensors { totalCount } }";

/// Every acknowledged sensor is there.
#[track_caller]
fn none_is_lost(server: &Cluster, acknowledged: &BTreeSet<String>) {
    let names = server.sql("SELECT name FROM sensor");
    let names: BTreeSet<&str> = names.lines().collect();
    let lost: Vec<&String> = acknowledged.iter().filter(|name| !names.contains(name.as_str())).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn writes_resume_after_a_promotion_and_none_is_lost() {
    let Some(mut primary) = fleet::primary() else { return };
    let (next, other) = (primary.replica(), primary.replica());
    primary.synchronize(&[&next]);
    let url = Cluster::urls(&[&primary, &next], "");
    let server = Server::with_healthy(&mut with_replicas(&url, &[&next, &other]), &[&next, &other]);
    let mut subscriber = Subscriber::new(&server);
    let load = Load::during(&server, 3, 3, |load| {
        load.reads(50);
        load.writes(20);
        // With more of the log than the promoted one, it could not follow.
        other.isolate();
        load.writes(1);
        primary.kill();
        let begun = Instant::now();
        load.reads(50);
        next.promote();
        let promoted = Instant::now();
        next.feed(&other);
        load.writes(1);
        println!("writes resumed {:?} after the primary's end", begun.elapsed());
        assert!(promoted.elapsed() < MAX_OUTAGE, "writes resumed {:?} after the promotion", promoted.elapsed());
        load.writes(20);
        server.admits(&other);
        load.reads(50);
    });
    load.no_read_failed_within(LONG);
    let (acknowledged, failures) = load.written();
    assert!(failures.keys().all(|code| OUTAGE.contains(&code.as_str())), "{failures:?}");
    none_is_lost(&next, &acknowledged);
    // Every replica has what survived of the lost log, however far that came.
    let (queries, fallbacks) = (server.queries(&other), server.metric("bookends_replica_fallbacks_total", None));
    server.client().query_at("1/FFFFFFFF/0", COUNT);
    assert_eq!(server.queries(&other), queries + 1);
    assert_eq!(server.metric("bookends_replica_fallbacks_total", None), fallbacks);
    // It is not used as a replica any more.
    server.ejects(&next, "not a replica");
    subscriber.goes_on(&server);
}

/// More clients write than the server has connections for writing. All of these hang.
#[test]
fn a_frozen_primary_is_left_for_the_promoted_one() {
    let Some(mut primary) = fleet::primary() else { return };
    let next = primary.replica();
    primary.synchronize(&[&next]);
    let url = Cluster::urls(&[&primary, &next], "");
    let server = Server::with_healthy(&mut with_replicas(&url, &[&next]), &[&next]);
    let mut subscriber = Subscriber::new(&server);
    let load = Load::during(&server, 2, 8, |load| {
        load.writes(20);
        primary.freeze();
        next.promote();
        let begun = Instant::now();
        load.writes(1);
        let outage = begun.elapsed();
        println!("writes resumed {outage:?} after the promotion");
        assert!(outage < MAX_OUTAGE, "{outage:?}");
        load.writes(20);
        // It cannot commit without its replica.
        primary.thaw();
        load.writes(20);
    });
    load.no_read_failed_within(MAX_WAIT);
    let (acknowledged, failures) = load.written();
    assert!(failures.keys().all(|code| OUTAGE.contains(&code.as_str())), "{failures:?}");
    none_is_lost(&next, &acknowledged);
    subscriber.goes_on(&server);
}

/// A replica received a commit that the promoted one did not. It cannot follow.
#[test]
fn a_replica_with_changes_that_were_lost_is_not_read() {
    const LOST: &str = "{ sensors(where: { name: { eq: \"lost\" } }) { totalCount } }";
    let Some(mut primary) = fleet::primary() else { return };
    let (next, other) = (primary.replica(), primary.replica());
    let url = Cluster::urls(&[&primary, &next], "");
    let server = Server::with_healthy(&mut with_replicas(&url, &[&other]), &[&other]);
    next.isolate();
    let mut client = server.client();
    client.add("lost").unwrap();
    other.catch_up(&primary);
    primary.kill();
    next.promote();
    server.ejects(&other, "");
    assert_eq!(client.query(LOST)["sensors"]["totalCount"], 0);
    // The log of the new primary passes the position of the replica.
    let is_passed = format!("SELECT pg_current_wal_flush_lsn() > '{}'", other.sql("SELECT pg_last_wal_replay_lsn()"));
    // An idle primary writes little.
    wait(|| client.add("new").is_ok() && next.sql(&is_passed) == "t");
    let restarted = Server::start(&mut with_replicas(&url, &[&other]));
    restarted.ejects(&other, "the timeline of the primary");
    for server in [&server, &restarted] {
        assert!(!server.ready().contains("seconds behind"), "{}", server.ready());
    }
    assert_eq!(restarted.client().query(LOST)["sensors"]["totalCount"], 0);
}

/// The log of a replica is longer than that of the promoted server, which lacks the end of it. The positions of the latter are
/// smaller. Two servers have found the replica healthy, and another one starts afterwards.
#[test]
fn a_write_after_a_promotion_is_seen_beside_a_replica_with_a_longer_lost_log() {
    const ROUNDS: usize = 100;
    const MESSAGE: &str = "SELECT pg_logical_emit_message(true, '', repeat('x', 10000000))";
    let Some(mut primary) = fleet::primary() else { return };
    let (next, other) = (primary.replica(), primary.replica());
    let url = Cluster::urls(&[&primary, &next], "");
    let [first, second] = [(); 2].map(|()| Server::with_healthy(&mut with_replicas(&url, &[&other]), &[&other]));
    next.isolate();
    primary.sql(MESSAGE);
    let (_, lost) = first.client().add("lost").unwrap();
    for server in [&first, &second] {
        wait(|| {
            let queries = server.queries(&other);
            server.client().query_at(&lost, COUNT);
            server.queries(&other) > queries
        });
    }
    primary.kill();
    next.promote();
    let rounds = |writer: &Server, readers: [&Server; 2]| {
        let (mut writer, mut readers) = (writer.client(), readers.map(Server::client));
        for _ in 0..ROUNDS {
            let mut added = None;
            wait(|| {
                added = writer.add("new").ok();
                added.is_some()
            });
            let (id, position) = added.unwrap();
            let query = json!({ "query": format!("{{ node(id: {id:?}) {{ id }} }}") });
            for reader in &mut readers {
                // A server that has not found the new primary yet has nowhere to read.
                let mut reply = None;
                wait(|| {
                    let result = reader.request(&at(&position), &query);
                    assert!(result.as_ref().err().is_none_or(|code| code == "UNAVAILABLE"), "{result:?}");
                    reply = result.ok();
                    reply.is_some()
                });
                assert_eq!(reply.unwrap().data["node"]["id"], id);
            }
        }
    };
    rounds(&first, [&first, &second]);
    let third = Server::start(&mut with_replicas(&url, &[&other]));
    rounds(&third, [&second, &third]);
    // The log of the new primary passes the position of the replica.
    next.sql(&[MESSAGE; 2].join(";"));
    rounds(&second, [&first, &third]);
    assert_eq!(third.queries(&other), 0);
}

/// A role without `pg_read_all_stats` learns which timeline a replica follows from what the replica has written to its disk.
#[test]
fn a_replica_whose_role_sees_no_receiver_is_read_again_after_a_restartpoint() {
    let Some(mut primary) = fleet::primary() else { return };
    primary.sql("CREATE ROLE plain LOGIN PASSWORD 'secret' IN ROLE pg_read_all_data");
    let (next, other) = (primary.replica(), primary.replica());
    let mut command = station::program(&Cluster::urls(&[&primary, &next], ""));
    let plain = other.url("").replace("postgres:secret", "plain:secret");
    let server = Server::with_healthy(command.env("DATABASE_REPLICA_URLS", plain), &[&other]);
    primary.kill();
    next.promote();
    server.ejects(&other, "the timeline of the primary");
    next.feed(&other);
    next.sql("CHECKPOINT");
    other.catch_up(&next);
    other.sql("CHECKPOINT");
    server.admits(&other);
}

/// The events have hosts of their own, which nothing else watches.
#[test]
fn events_go_on_after_a_frozen_primary_of_their_own_hosts() {
    let Some(mut primary) = fleet::primary() else { return };
    let next = primary.replica();
    primary.synchronize(&[&next]);
    let url = Cluster::urls(&[&primary, &next], "");
    let server = Server::start(station::program(&url).env("DATABASE_LISTEN_URL", &url));
    let mut subscriber = Subscriber::new(&server);
    primary.freeze();
    next.promote();
    let begun = Instant::now();
    let mut client = server.client();
    wait(|| client.add("next").is_ok());
    subscriber.goes_on(&server);
    // A connection that is checked for itself is given up after 35 seconds.
    assert!(begun.elapsed() < 2 * MAX_OUTAGE, "{:?}", begun.elapsed());
}

#[test]
fn queries_go_on_without_a_primary() {
    let Some(mut primary) = fleet::primary() else { return };
    let replica = primary.replica();
    let server = Server::with_healthy(&mut with_replicas(&primary.url(""), &[&replica]), &[&replica]);
    let load = Load::during(&server, 3, 0, |load| {
        let mut client = server.client();
        client.add("before").unwrap();
        primary.kill();
        let code = client.add("meanwhile").unwrap_err();
        assert!(OUTAGE.contains(&code.as_str()), "{code}");
        load.reads(100);
        wait(|| server.ready().lines().next().unwrap() != "ready");
        load.reads(100);
        primary.resume();
        wait(|| server.ready().starts_with("ready\n"));
        wait(|| client.add("after").is_ok());
    });
    load.no_read_failed_within(LONG);
}

#[test]
fn a_server_starts_on_the_host_that_accepts_writes() {
    let Some(primary) = fleet::primary() else { return };
    let (replica, mut gone) = (primary.replica(), primary.replica());
    gone.kill();
    for (parameters, accepts) in [
        ("", true),
        ("target_session_attrs=read-write", true),
        ("target_session_attrs=primary", true),
        ("target_session_attrs=any", false),
    ] {
        let url = Cluster::urls(&[&gone, &replica, &primary], parameters);
        let server = Server::start(&mut station::program(&url));
        let added = server.client().add(&format!("with {parameters}"));
        assert_eq!(added.is_ok(), accepts, "{parameters}: {added:?}");
    }
}
