//! URLs that name no replica of the database.

use crate::support::fleet::{self, Server, with_replicas};
use crate::support::program::fails;
use crate::support::station;

use super::COUNT;

#[test]
fn a_replica_of_another_database_is_not_used() {
    let (Some(primary), Some(stranger)) = (fleet::primary(), fleet::primary()) else { return };
    let (replica, theirs) = (primary.replica(), stranger.replica());
    stranger.sql("DELETE FROM reading");
    theirs.catch_up(&stranger);
    let all = [&replica, &theirs, &stranger, &primary];
    let server = Server::with_healthy(&mut with_replicas(&primary.url(""), &all), &[&replica]);
    for (other, expected) in
        [(&theirs, "another database"), (&stranger, "another database"), (&primary, "not a replica")]
    {
        server.ejects(other, expected);
    }
    let mut client = server.client();
    for _ in 0..50 {
        assert_eq!(client.query(COUNT)["sensors"]["totalCount"], 8);
    }
    assert!(server.queries(&replica) > 0);
    assert_eq!([&theirs, &stranger, &primary].map(|other| server.queries(other)), [0; 3]);
}

#[test]
fn a_url_that_asks_for_several_hosts_or_for_a_kind_of_session_is_refused() {
    let Some(primary) = fleet::primary() else { return };
    let urls = [
        ("postgres://one,two/postgres", "name one host"),
        ("postgres://one/postgres?target_session_attrs=read-write", "no `target_session_attrs`"),
    ];
    for (url, text) in urls {
        fails(station::program(&primary.url("")).env("DATABASE_REPLICA_URLS", url), text);
    }
}
