//! The command line.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use testdb::TestDb;

use crate::support::program::{Program, address_of, fails, succeeds};
use crate::support::station;
use crate::support::wire::{ask, post};

/// The total count of readings on a server.
fn readings(address: &str) -> String {
    ask(address, post(r#"{"query":"{ readings(first: 1) { totalCount } }"}"#)).body
}

/// What a server says that fills its database.
const FILLS: &str = "the database is empty: filling it with sample rows";

fn fills(said: &[String]) -> bool {
    said.iter().any(|line| line == FILLS)
}

#[tokio::test]
async fn a_configured_database_is_not_filled() {
    let test = TestDb::new().await;
    let none = r#"{"data":{"readings":{"totalCount":0}}}"#;
    for _ in 0..2 {
        let program = Program::start(station::program(&test.url).env_remove("SAMPLE"));
        let said = program.says_until("open http://");
        assert!(said.iter().any(|line| line.contains("`station --sample`")), "{said:#?}");
        assert_eq!(readings(&address_of(said.last().unwrap())), none);
        program.end();
    }
    let program = Program::start(station::program(&test.url).env_remove("SAMPLE").arg("--sample"));
    assert!(fills(&program.says_until("open http://")));
}

/// As the README starts it.
#[test]
fn the_file_that_serve_creates_is_filled_unless_told_otherwise() {
    for (sample, expected) in [(Some("false"), false), (None, true)] {
        let folder = Folder::new();
        let mut command = station::program("");
        command.env_remove("DATABASE_URL").env_remove("SAMPLE").current_dir(&folder.0);
        command.envs(sample.map(|sample| ("SAMPLE", sample)));
        let program = Program::start(&mut command);
        let said = program.says_until("open http://");
        assert_eq!(fills(&said), expected, "{said:#?}");
        assert!(said.last().unwrap().ends_with("with the SQLite file station.db"), "{said:#?}");
        assert!(folder.0.join("station.db").exists());
    }
}

/// A folder of a test, until it ends.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("bookends_cli_{}", uuid::Uuid::now_v7().simple()));
        std::fs::create_dir(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
async fn serve_fills_an_empty_database_with_the_sample() {
    let test = TestDb::new().await;
    let program = Program::start(&mut station::program(&test.url));
    let said = program.says_until("open http://");
    assert!(fills(&said), "{said:#?}");
    assert_eq!(readings(&address_of(said.last().unwrap())), r#"{"data":{"readings":{"totalCount":2000}}}"#);
    // SIGTERM is a clean exit.
    program.end();

    let again = Program::start(&mut station::program(&test.url));
    let said = again.says_until("open http://");
    assert!(!fills(&said), "a database with rows is not filled: {said:#?}");
}

/// Servers of a fleet may start at the same time.
#[tokio::test]
async fn two_servers_that_start_on_one_empty_database_fill_it_once() {
    let test = TestDb::new().await;
    if test.url.starts_with("sqlite") {
        return;
    }
    let servers = [(); 2].map(|()| Program::start(&mut station::program(&test.url)));
    for server in servers {
        let answer = readings(&server.address());
        assert!(answer.contains(r#""totalCount":2000"#), "{answer}");
    }
}

#[tokio::test]
async fn migrate_goes_up_and_down_and_shows_its_state() {
    let test = TestDb::new().await;
    assert!(succeeds(station::program(&test.url).args(["migrate", "status"])).starts_with("pending"));
    let up = succeeds(station::program(&test.url).args(["migrate", "up"]));
    assert!(up.lines().count() == 2 && up.lines().all(|line| line.starts_with("applied")), "{up}");
    let down = succeeds(station::program(&test.url).args(["migrate", "down", "--steps", "2"]));
    assert_eq!(down.lines().filter(|line| line.starts_with("pending")).count(), 2, "{down}");
}

#[test]
fn the_state_of_a_file_that_does_not_exist_creates_none() {
    let folder = Folder::new();
    let url = format!("sqlite://{}/new.db", folder.0.display());
    let status = || succeeds(station::program(&url).args(["migrate", "status"]));
    let pending = status();
    assert!(pending.lines().count() == 2 && pending.lines().all(|line| line.starts_with("pending ")), "{pending}");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0);
    let applied = succeeds(station::program(&url).args(["migrate", "up"]));
    assert_eq!(applied, pending.replace("pending ", "applied "));
    assert_eq!(status(), applied);
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1, "nothing is left beside the file");
}

#[test]
fn settings_are_options_of_their_subcommands() {
    let help = |command: &[&str]| succeeds(station::program("").args(command).arg("--help"));
    for (command, has, has_not) in [
        (&[][..], &[][..], &["--listen ", "--database-url", "--log "][..]),
        (&["inspect"], &["--json"], &["--listen", "--database-url", "--log", "--max"]),
        (&["schema"], &[], &["--listen", "--database-url", "--log", "--max"]),
        (&["completions"], &[], &["--listen", "--database-url", "--log", "--max"]),
        (&["health"], &["--listen", "--listen-admin"], &["--database-url", "--log", "--max"]),
        (
            &["fill"],
            &["--database-url", "--sqlite-cache", "--log", "--sensors"],
            &["--listen ", "--max-complexity", "--sample"],
        ),
        (&["migrate", "status"], &["--database-url", "--log"], &["--listen ", "--max-complexity"]),
        (&["serve"], &["--database-url", "--log", "--listen", "--max-complexity", "--sample", "--at"], &["--sensors"]),
    ] {
        let text = help(command);
        let (has, has_not) =
            (has.iter().all(|part| text.contains(part)), has_not.iter().any(|part| text.contains(part)));
        assert!(has && !has_not, "{command:?}: {text}");
    }
    assert!(help(&["inspect"]).lines().count() < 25);
    // What does not count is not read.
    let mut inspect = station::program("");
    inspect.env("LISTEN", "nonsense").env("RUST_LOG", "nonsense");
    succeeds(inspect.args(["inspect", "AWfPIAF-EvCAWX0dqiQhP-adOR0"]));
    let output = station::program("").args(["inspect", "--listen", "8000", "x"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// The first paragraph of an error about the command line.
#[track_caller]
fn rejects(command: &mut Command, expected: &str) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = String::from_utf8(stderr).unwrap();
    assert!(status.code() == Some(2) && stdout.is_empty() && text.contains(expected), "{expected}: {text}");
}

#[test]
fn an_error_of_the_environment_names_the_variable() {
    let command = || station::program("sqlite::memory:");
    rejects(command().env("LISTEN", "nonsense"), "'nonsense' for 'environment variable LISTEN': expected an address");
    rejects(
        command().env("MAX_PAGE_SIZE", "0").arg("serve"),
        "'0' for 'environment variable MAX_PAGE_SIZE': 0 is not in",
    );
    rejects(command().env("LOG_FORMAT", "yaml").arg("fill"), "'yaml' for 'environment variable LOG_FORMAT'");
    rejects(command().env("DATABASE_URL_FILE", "x"), "environment variable DATABASE_URL");
    rejects(command().env("RUST_LOG", "infos"), "'environment variable RUST_LOG': expected a level, or a module");
    // A flag is named as a flag.
    rejects(command().env("LISTEN", "localhost:0").args(["--listen", "x"]), "'x' for '--listen <ADDRESS>'");
    rejects(command().env("LISTEN", "localhost:0").arg("--listen=x"), "'x' for '--listen <ADDRESS>'");
    rejects(command().args(["--log", "verbose"]), "'verbose' for '--log <FILTER>': expected a level, or a module");
}

#[test]
fn a_port_or_a_name_is_an_address_to_listen_on() {
    for address in ["0", "localhost:0"] {
        let program =
            Program::start(station::program("sqlite::memory:").env_remove("SAMPLE").args(["--listen", address]));
        assert!(program.address().starts_with("127.0.0.1:"));
    }
}

/// What a report of a fault needs, and a URL that a browser opens.
#[tokio::test]
async fn one_line_says_that_it_listens() {
    let test = TestDb::new().await;
    let url = test.url.replace("postgres@", "postgres:a-secret@");
    let mut command = station::program(&url);
    let program = Program::start(command.env_remove("SAMPLE").env("LISTEN", "0.0.0.0:0"));
    let line = program.says("open http://");
    let (page, rest) = line.strip_prefix("open ").unwrap().split_once(' ').unwrap();
    let port = page.strip_prefix("http://127.0.0.1:").unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!("in a browser: station {version} is listening on 0.0.0.0:{port}, with the ");
    let database = rest.strip_prefix(&expected).unwrap_or_else(|| panic!("{line}"));
    assert!(database.starts_with("SQLite file /") || database.starts_with("PostgreSQL database "), "{line}");
    assert!(!line.contains("a-secret") && !line.contains('?'), "{line}");
}

/// Also those before the log starts, and those that end the program.
#[tokio::test]
async fn with_the_format_json_every_line_is_json() {
    let test = TestDb::new().await;
    let parsed = |line: &str| -> Value { serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}")) };
    let json = || {
        let mut command = station::program(&test.url);
        command.env("LOG_FORMAT", "json");
        command
    };
    let up = succeeds(json().args(["migrate", "up"]));
    let up: Vec<Value> = up.lines().map(parsed).collect();
    assert!(up.iter().all(|line| line["message"] == "applied" && line["migration"].is_string()), "{up:?}");

    let program = Program::start(&mut json());
    let said = program.says_until("\"listening\"");
    let said: Vec<Value> = said.iter().map(|line| parsed(line)).collect();
    assert!(said.iter().any(|line| line["message"] == FILLS), "{said:?}");
    let last = said.last().unwrap();
    assert_eq!((&last["level"], &last["version"]), (&"INFO".into(), &env!("CARGO_PKG_VERSION").into()));
    assert!(last["database"].is_string() && last["timestamp"].is_string(), "{last}");
    let address = last["url"].as_str().unwrap().strip_prefix("http://").unwrap();
    assert!(readings(address).contains("2000"));
    program.end().lines().for_each(|line| drop(parsed(line)));

    let with = |arguments: &[&str]| {
        let mut command = json();
        command.args(arguments);
        command
    };
    for (mut command, code, message) in [
        (with(&["--listen", "nonsense"]), 2, "invalid value 'nonsense' for '--listen <ADDRESS>'"),
        (with(&["--nonsense"]), 2, "unexpected argument '--nonsense' found"),
        (with(&["inspect", "?"]), 1, "the value is none of these"),
        (with(&["fill"]), 1, "the database is not empty"),
        (with(&["--database-url", "postgres://u:secret@localhost/x"]), 1, "can read a password on the command line"),
    ] {
        let Output { status, stdout, stderr } = command.output().unwrap();
        assert_eq!((status.code(), stdout.is_empty()), (Some(code), true), "{message}");
        let stderr = String::from_utf8(stderr).unwrap();
        let line = parsed(stderr.trim_end());
        assert!(line["level"] == "ERROR" && line["message"].as_str().unwrap().contains(message), "{line}");
    }
    let mut flag = station::program(&test.url);
    let output = flag.args(["fill", "--log-format=json"]).output().unwrap();
    assert_eq!(parsed(String::from_utf8(output.stderr).unwrap().trim_end())["level"], "ERROR");
}

#[test]
fn a_shell_completes_commands_and_settings() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = succeeds(station::program("").args(["completions", shell]));
        assert!(
            script.contains("station") && script.contains("inspect") && script.contains("max-page-size"),
            "{shell}"
        );
    }
}

#[test]
fn a_token_that_can_be_guessed_is_refused() {
    let message = "WRITE_TOKEN is too short: expected at least 16 characters";
    fails(station::program("sqlite::memory:").env("WRITE_TOKEN", "x"), message);
    // Its former name.
    fails(station::program("sqlite::memory:").env_remove("WRITE_TOKEN").env("BOOKENDS_WRITE_TOKEN", "x"), message);
}

#[test]
fn schema_prints_the_schema() {
    assert_eq!(succeeds(station::program("").arg("schema")), station::application().sdl());
}

/// Only 200 is healthy, wherever the server listens.
#[test]
fn health_checks_the_server() {
    use std::io::Write;
    let answers = ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 503 Service Unavailable\r\n", "HTTP/1.1"];
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = std::thread::spawn(move || {
        answers.map(|answer| {
            let mut socket = listener.accept().unwrap().0;
            let mut lines = BufReader::new(socket.try_clone().unwrap()).lines().map(Result::unwrap);
            let request = lines.next().unwrap();
            lines.find(String::is_empty).unwrap();
            write!(socket, "{answer}").unwrap();
            request
        })
    });
    let health = |address: &str| {
        let mut command = station::program("");
        command.args(["health", "--listen", address]);
        command
    };
    assert_eq!(succeeds(&mut health(&format!("0.0.0.0:{port}"))), "");
    fails(&mut health(&format!("127.0.0.1:{port}")), "/health responded `HTTP/1.1 503`");
    fails(&mut health(&format!("127.0.0.1:{port}")), "no response from http://127.0.0.1:");
    assert_eq!(asked.join().unwrap(), ["GET /health HTTP/1.1"; 3]);
    // Nothing listens there any more.
    fails(&mut health(&format!("127.0.0.1:{port}")), "no response from http://127.0.0.1:");
}

#[test]
fn an_error_is_one_line() {
    fails(&mut station::program("mysql://u:secret@localhost/x"), "must start with `sqlite:` or `postgres:`");
    fails(&mut station::program("nonsense"), "must start with `sqlite:` or `postgres:`");
    fails(&mut station::program("postgres://u:secret@localhost:notaport/x"), "the database URL is malformed");
    fails(station::program("postgres://u:secret@127.0.0.1:1/x").env("DATABASE_WAIT", "0"), "Connection refused");
    fails(&mut station::program("sqlite:///no/such/folder/x.db"), "unable to open database file");
    let flag = ["--database-url", "postgres://u:secret@127.0.0.1:1/x"];
    fails(station::program("sqlite::memory:").args(flag), "can read a password on the command line");
    fails(station::program("sqlite::memory:").arg("fill").args(flag), "can read a password on the command line");

    let name = format!("bookends_no_database_{}", std::process::id());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, "this is a text of more than a hundred bytes ".repeat(100)).unwrap();
    fails(&mut station::program(&format!("sqlite://{}", file.display())), "file is not a database");
    std::fs::remove_file(file).unwrap();

    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    fails(station::program("sqlite::memory:").args(["--listen", &address]), "cannot listen on 127.0.0.1:");
}

#[tokio::test]
async fn secrets_are_read_from_files() {
    let test = TestDb::new().await;
    let folder = std::env::temp_dir().join(format!("bookends_secrets_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (url, empty, token) = (folder.join("url"), folder.join("empty"), folder.join("token"));
    std::fs::write(&url, format!("{}\n", test.url)).unwrap();
    std::fs::write(&empty, "\n").unwrap();
    std::fs::write(&token, "a-secret-of-the-tests\n").unwrap();
    let program = || {
        let mut program = station::program("");
        program.env_remove("DATABASE_URL").env_remove("WRITE_TOKEN");
        program
    };

    assert!(succeeds(program().env("DATABASE_URL_FILE", &url).args(["migrate", "status"])).starts_with("pending"));
    fails(program().env("DATABASE_URL_FILE", &empty), "DATABASE_URL_FILE names an empty file");
    fails(program().env("DATABASE_URL_FILE", folder.join("none")), "cannot read DATABASE_URL_FILE: No such file");
    fails(
        station::program("sqlite::memory:").env("WRITE_TOKEN_FILE", &token),
        "WRITE_TOKEN and WRITE_TOKEN_FILE are both set",
    );
    let both = station::program("sqlite::memory:").env("DATABASE_URL_FILE", &url).output().unwrap();
    assert!(!both.status.success(), "a URL, and a file with another URL");

    let server = Program::start(program().env("DATABASE_URL_FILE", &url).env("WRITE_TOKEN_FILE", &token));
    let address = server.address();
    let body = r#"{"query":"mutation { createSensor(input: { name: \"x\", year: 0 }) { clientMutationId } }"}"#;
    assert!(ask(&address, post(body)).body.contains("UNAUTHENTICATED"));
    std::fs::remove_dir_all(folder).unwrap();
}
