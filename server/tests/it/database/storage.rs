//! Storage that is full, or that fails: the server goes on, and says so.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Command;

use axum::http::StatusCode;
use bookends_server::config::{Settings, Sqlite};
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use serde_json::{Value, json};
use testdb::TestDb;

use crate::http::probes::{says, unready};
use crate::support::number::{first, number};
use crate::support::program::{LONG, Program, address_of, program};
use crate::support::station::{self, SMALL, Station, engine, set_pragma, settings};
use crate::support::wire::{ask, get, post};

const ADD: &str = r#"mutation { createSensor(input: { name: "x", year: 0 }) { clientMutationId } }"#;
const READ: &str = "{ sensors(first: 1) { nodes { name } } }";

/// The file of a database, if it is SQLite.
fn file(test: &TestDb) -> Option<PathBuf> {
    Some(test.url.strip_prefix("sqlite://")?.split('?').next()?.into())
}

/// The code of the first error of a response, if there is one.
fn code(answer: &Value) -> Option<String> {
    answer["errors"][0]["extensions"]["code"].as_str().map(str::to_owned)
}

fn ready(text: &str) -> (StatusCode, String) {
    (StatusCode::OK, format!("{text}\n"))
}

/// A server on a file that holds the sample, outside its write-ahead log. It has written, so the size of the database is that
/// in the log, and read, so the file is mapped if it may be.
fn serve(test: &TestDb, mapped: &str) -> (Program, String) {
    assert!(station::program(&test.url).arg("fill").output().unwrap().status.success());
    let program = Program::start(station::program(&test.url).env("SQLITE_MMAP", mapped));
    let address = program.address();
    assert_eq!(write(&address), r#"{"data":{"createSensor":{"clientMutationId":null}}}"#);
    assert_eq!(ask(&address, post(READINGS)).body, r#"{"data":{"readings":{"totalCount":2000}}}"#);
    (program, address)
}

fn write(address: &str) -> String {
    ask(address, crate::support::wire::write(&json!({ "query": ADD }).to_string())).body
}

const READINGS: &str = r#"{"query":"{ readings { totalCount } }"}"#;

/// Reads pages of the file that no other request has read.
const UNREAD: &str = r#"{"query":"{ repairs(last: 20) { nodes { cost } } }"}"#;

#[tokio::test]
async fn a_file_that_shrinks_does_not_end_the_server() {
    let test = TestDb::new().await;
    let Some(file) = file(&test) else { return };
    let (_program, address) = serve(&test, "0");
    for size in [8192, 0] {
        fs::File::options().write(true).open(&file).unwrap().set_len(size).unwrap();
        for _ in 0..3 {
            let answer = ask(&address, post(UNREAD)).body;
            assert!(answer.contains("STORAGE_FAILED"), "{size}: {answer}");
        }
        assert_eq!(ask(&address, get("/health")).status, 200);
    }
    assert!(write(&address).contains("STORAGE_FAILED"));
}

/// What the setting costs.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_mapped_file_that_shrinks_ends_the_server() {
    const SIGBUS: i32 = 7;
    let test = TestDb::new().await;
    let Some(file) = file(&test) else { return };
    let (mut program, address) = serve(&test, "1073741824");
    fs::File::options().write(true).open(&file).unwrap().set_len(8192).unwrap();
    crate::support::wire::Connection::open(&address).unwrap().ask(post(UNREAD));
    assert_eq!(program.ends_within(LONG).signal(), Some(SIGBUS));
}

#[tokio::test]
async fn every_connection_has_the_settings() {
    let test = TestDb::new().await;
    if file(&test).is_none() {
        return;
    }
    let sqlite = Sqlite { sqlite_cache: 3 << 20, sqlite_mmap: 1 << 20, ..Sqlite::default() };
    let db = station::connect(&Settings { sqlite, ..Settings::new(&test.url) }).await.unwrap();
    for (pragma, value) in [("PRAGMA cache_size", -3072), ("PRAGMA mmap_size", 1 << 20)] {
        assert_eq!(number(&db.reader, pragma).await.unwrap(), value);
        assert_eq!(number(&db.writer, pragma).await.unwrap(), value);
    }
    // Whatever writes, keeps references and sums.
    for (pragma, value) in [
        ("cache_size", -3072_i64),
        ("mmap_size", 1 << 20),
        ("foreign_keys", 1),
        ("recursive_triggers", 1),
        ("synchronous", 1),
    ] {
        let pragma = format!("PRAGMA {pragma}");
        assert_eq!(number(&db.writer, &pragma).await.unwrap(), value, "{pragma}");
        let rows = engine(&db).await.read(Statement::from_string(DbBackend::Sqlite, &pragma)).await.unwrap();
        assert_eq!(first(&rows[0]), value, "{pragma}");
    }
}

#[tokio::test]
async fn full_storage_has_a_code_and_reads_go_on() {
    let station = Station::new(SMALL).await;
    let writer = &station.db.writer;
    let is_sqlite = writer.get_database_backend() == DbBackend::Sqlite;
    if is_sqlite {
        // At least the present size.
        set_pragma(&station.db, "max_page_count = 1").await;
    } else {
        let fill = "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full';
            END $$;
            CREATE TRIGGER full_disk BEFORE INSERT ON sensor FOR EACH ROW EXECUTE FUNCTION fail()";
        writer.execute_unprepared(fill).await.unwrap();
    }
    let until_full = async {
        // The last page has room for some rows.
        for _ in 0..10_000 {
            if let Some(code) = code(&station.execute(ADD, Value::Null).await) {
                return code;
            }
        }
        panic!("it is not full");
    };
    assert_eq!(until_full.await, "STORAGE_FULL");
    station.data(READ).await;
    says(&station.db, ready("ready, but the storage is full: the last mutation failed with STORAGE_FULL")).await;

    if is_sqlite {
        set_pragma(&station.db, "max_page_count = 4294967294").await;
    } else {
        writer.execute_unprepared("DROP TRIGGER full_disk ON sensor").await.unwrap();
    }
    assert_eq!(code(&station.execute(ADD, Value::Null).await), None);
    says(&station.db, ready("ready")).await;
}

/// Its pages are copied into the file beside the writes.
#[tokio::test]
async fn the_log_of_a_file_stays_short() {
    let station = Station::new(SMALL).await;
    let Some(file) = file(&station.test) else { return };
    // Each writes several pages.
    for _ in 0..1500 {
        station.data(ADD).await;
    }
    let log = fs::metadata(format!("{}-wal", file.display())).unwrap().len();
    assert!(log < 2 * 1000 * 4096, "{log}");
}

#[tokio::test]
async fn nothing_is_written_to_a_file_that_was_moved() {
    let station = Station::new(SMALL).await;
    let Some(file) = file(&station.test) else { return };
    let count = station.count("sensors").await;
    let fails = async || {
        assert_eq!(station.code(ADD).await, "STORAGE_FAILED");
        assert_eq!(station.code(READ).await, "STORAGE_FAILED", "a file without a name is not read");
        says(&station.db, unready("the storage of the database fails: see the log")).await;
    };
    let away = file.with_extension("away");
    fs::rename(&file, &away).unwrap();
    fails().await;
    assert!(!file.exists(), "no other file is made");
    // The new file has the same rows.
    fs::copy(&away, &file).unwrap();
    fails().await;
    // It is that file again.
    fs::rename(&away, &file).unwrap();
    assert_eq!(station.count("sensors").await, count);
    assert_eq!(code(&station.execute(ADD, Value::Null).await), None);
    says(&station.db, ready("ready")).await;
    fs::remove_file(&file).unwrap();
    fails().await;
}

/// The program on this database, after these commands of a shell.
fn after(commands: &str, url: &str) -> Command {
    let mut command = program("/bin/sh", url);
    command.args(["-c", &format!("{commands}; exec \"$0\""), station::path().to_str().unwrap()]);
    command
}

#[tokio::test]
async fn what_is_created_is_for_its_user_alone() {
    let test = TestDb::new().await;
    let Some(file) = file(&test) else { return };
    let program = Program::start(&mut after("umask 0", &test.url));
    program.address();
    for end in ["", "-wal", "-shm", "-lock"] {
        let mode = fs::metadata(format!("{}{end}", file.display())).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{end}");
    }
    // A file that is there stays as it is: its owner may have opened it to a group.
    program.end();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let program = Program::start(&mut after("umask 0", &test.url));
    program.address();
    let mode = |end: &str| fs::metadata(format!("{}{end}", file.display())).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(""), mode("-wal"), mode("-shm")), (0o640, 0o640, 0o640));
}

/// A server that starts without room reads, and says so. `mutation` is the code of a mutation.
fn assert_reads(command: &mut Command, mutation: &str) -> (Program, String) {
    let program = Program::start(command);
    let said = program.says_until("open http://");
    assert!(
        said.iter().any(|line| line.contains("WARN") && line.contains("the storage is full or fails")),
        "{said:#?}"
    );
    let address = address_of(said.last().unwrap());
    // At once, over the connection that they share.
    let asked = [(); 4].map(|()| {
        let address = address.clone();
        std::thread::spawn(move || [READINGS, UNREAD].map(|query| ask(&address, post(query)).body))
    });
    for asked in asked {
        let [count, page] = asked.join().unwrap();
        assert!(count.starts_with(r#"{"data":{"readings":{"totalCount":"#), "{count}");
        assert!(page.starts_with(r#"{"data":{"repairs":{"nodes":[{"#), "{page}");
    }
    assert!(write(&address).contains(mutation));
    assert_eq!(ask(&address, get("/ready")).status, 200);
    assert!(ask(&address, post(READINGS)).body.starts_with(r#"{"data""#));
    (program, address)
}

/// No file can grow.
#[tokio::test]
async fn a_server_that_can_write_nothing_starts_and_reads() {
    let test = TestDb::new().await;
    if file(&test).is_none() {
        return;
    }
    let (mut crashed, _) = serve(&test, "0");
    crashed.signal("-KILL");
    crashed.ends_within(LONG);
    // What was written last is in the log, whose index has to be made anew.
    let mut without_room = after("trap '' XFSZ; ulimit -f 0", &test.url);
    assert_reads(&mut without_room, "STORAGE_FAILED").0.end();
    let with_room = Program::start(&mut station::program(&test.url));
    let said = with_room.says_until("open http://");
    assert!(!said.iter().any(|line| line.contains("WARN")), "{said:#?}");
    let address = address_of(said.last().unwrap());
    assert_eq!(write(&address), r#"{"data":{"createSensor":{"clientMutationId":null}}}"#);
    let sensors = ask(&address, post(r#"{"query":"{ sensors { totalCount } }"}"#)).body;
    assert_eq!(sensors, r#"{"data":{"sensors":{"totalCount":102}}}"#, "nothing is lost, and nothing is done twice");
    with_room.end();
    // After a clean end there is no log.
    assert_reads(&mut without_room, "STORAGE_FAILED").0.end();
}

/// A disk of this size, for a user that may mount one.
#[cfg(target_os = "linux")]
struct Disk(PathBuf);

#[cfg(target_os = "linux")]
impl Disk {
    fn new(size: &str) -> Option<Self> {
        let folder = std::env::temp_dir().join(format!("bookends_disk_{}", uuid::Uuid::now_v7().simple()));
        fs::create_dir(&folder).unwrap();
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={size}"), "none"]).arg(&folder).output();
        if mounted.is_ok_and(|mounted| mounted.status.success()) {
            return Some(Self(folder));
        }
        fs::remove_dir(folder).unwrap();
        eprintln!("skipped: only root may mount a disk");
        None
    }
}

#[cfg(target_os = "linux")]
impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
        let _ = fs::remove_dir(&self.0);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_starts_and_reads_on_a_full_disk() {
    let Some(disk) = Disk::new("32m") else { return };
    let url = format!("sqlite://{}/station.db", disk.0.display());
    let program = Program::start(&mut station::program(&url));
    program.address();
    program.end();
    let rest = disk.0.join("rest");
    let filled = fs::write(&rest, vec![0; 64 << 20]);
    assert_eq!(filled.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
    let (program, address) = assert_reads(&mut station::program(&url), "STORAGE_FULL");
    // With room again, it writes.
    fs::remove_file(rest).unwrap();
    assert_eq!(write(&address), r#"{"data":{"createSensor":{"clientMutationId":null}}}"#);
    program.end();
}

#[tokio::test]
async fn a_second_server_on_one_file_is_refused() {
    let test = TestDb::new().await;
    let Some(file) = file(&test) else { return };
    let mut first = Program::start(&mut station::program(&test.url));
    first.address();
    let mut second = Program::start(&mut station::program(&test.url));
    let line = second.says("station: ");
    let expected = format!("station: another server uses {}: stop it, or set ALLOW_SHARED_FILE=true", file.display());
    assert!(line.starts_with(&expected), "{line}");
    assert!(!second.ends_within(LONG).success());
    // By another name, too.
    let by_link = file.with_extension("link");
    std::os::unix::fs::symlink(&file, &by_link).unwrap();
    Program::start(&mut station::program(&format!("sqlite://{}", by_link.display())))
        .says("station: another server uses");
    fs::remove_file(by_link).unwrap();

    Program::start(station::program(&test.url).env("ALLOW_SHARED_FILE", "true")).address();
    assert!(
        station::program(&test.url).args(["migrate", "status"]).output().unwrap().status.success(),
        "it serves nobody"
    );
    // A crash releases the file.
    first.signal("-KILL");
    first.ends_within(LONG);
    Program::start(&mut station::program(&test.url)).address();
}

/// It has its own files.
#[tokio::test]
async fn a_database_of_another_vfs_creates_no_file() {
    let path = std::env::temp_dir().join(format!("station-vfs-{}.db", std::process::id()));
    let url = format!("sqlite://{}?vfs=memdb", path.display());
    let db = station::connect(&settings(&url)).await.unwrap();
    assert!(!path.exists(), "{url}");
    db.close().await.unwrap();
}
