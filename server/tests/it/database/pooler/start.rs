//! Servers that start behind a pooler.

use crate::support::pooled::{listening, pooled, unprepared};
use crate::support::program::{Program, fails, succeeds};
use crate::support::station::{self, settings};
use crate::support::wire::{ask, get, post};

/// One migrates and fills the database. The other one waits, and takes none of the two connections meanwhile.
#[tokio::test]
async fn two_servers_start_on_one_empty_database() {
    let Some((_test, pooler)) = pooled().await else { return };
    let start = || {
        let mut command = station::program(&pooler.url());
        Program::start(command.env("DATABASE_STATEMENT_MODE", "unprepared"))
    };
    let servers = [start(), start()];
    for address in servers.iter().map(Program::address) {
        assert_eq!(ask(&address, get("/ready")).body, "ready\n");
        let counted = ask(&address, post(r#"{"query":"{ sensors { totalCount } }"}"#));
        assert_eq!(counted.body, r#"{"data":{"sensors":{"totalCount":100}}}"#);
    }
}

#[tokio::test]
async fn migrations_go_up_and_down() {
    let Some((_test, pooler)) = pooled().await else { return };
    let migrate = |arguments: &[&str]| {
        let mut command = station::program(&pooler.url());
        succeeds(command.env("DATABASE_STATEMENT_MODE", "unprepared").arg("migrate").args(arguments))
    };
    let up = migrate(&["up"]);
    assert!(up.lines().all(|line| line.starts_with("applied")), "{up}");
    let down = migrate(&["down", "--steps", "2"]);
    assert_eq!(down.lines().filter(|line| line.starts_with("pending")).count(), 2, "{down}");
    assert_eq!(migrate(&["up"]), up);
    assert_eq!(migrate(&["status"]), up);
}

#[tokio::test]
async fn prepared_statements_are_refused_with_the_setting_that_helps() {
    let Some((_test, pooler)) = pooled().await else { return };
    fails(station::program(&pooler.url()).args(["migrate", "status"]), "DATABASE_STATEMENT_MODE=unprepared");
}

#[tokio::test]
async fn a_file_of_sqlite_is_not_listened_to() {
    let test = testdb::TestDb::sqlite();
    let said = station::connect(&listening(&test.url, "postgres://localhost")).await.unwrap_err().to_string();
    assert!(said.contains("DATABASE_LISTEN_URL"), "{said}");
}

/// The mode changes nothing on a file.
#[tokio::test]
async fn unprepared_statements_need_no_pooler() {
    let test = testdb::TestDb::new().await;
    let db = station::connect(&unprepared(&test.url)).await.unwrap();
    db.migrate().await.unwrap();
    db.close().await.unwrap();
    let db = station::connect(&settings(&test.url)).await.unwrap();
    assert_eq!(db.history().await.unwrap().pending, Vec::<String>::new());
}
