//! The program.

use std::fs;
use std::process::{Command, Output};

use super::postgres;

fn experiments(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_experiments");
    Command::new(program).args(arguments).output().unwrap()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn it_prints_a_table_and_writes_three_files() {
    let folder = std::env::temp_dir().join(format!("bookends_experiments_{}", uuid::Uuid::now_v7().simple()));
    let mut arguments = vec!["count", "--rows", "2000", "--out", folder.to_str().unwrap()];
    let server = postgres();
    if let Some(url) = &server {
        arguments.extend(["--postgres", url]);
    }
    let output = experiments(&arguments);
    assert!(output.status.success(), "{}", text(output.stderr));
    let printed = text(output.stdout);
    let names =
        if server.is_some() { "SQLite: answer | SQLite: work | SQLite: time | PostgreSQL: " } else { "SQLite: " };
    assert!(printed.contains(&format!("| count | {names}")), "{printed}");

    let read = |kind: &str| fs::read_to_string(folder.join(format!("count.{kind}"))).unwrap();
    assert_eq!(read("md") + "\n", printed);
    assert!(read("svg").starts_with("<svg"), "{}", read("svg"));
    let json: serde_json::Value = read("json").parse().unwrap();
    assert_eq!(json["tables"][0]["rows"][0]["values"][0][0], 2000.0, "{json}");
    assert_eq!(json["tables"][0]["measures"][2]["unit"], "milliseconds", "{json}");
    assert!(json["machine"]["load"].is_string() && json["databases"][0].is_string(), "{json}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_cannot_be_measured_is_refused_with_its_reason() {
    for (arguments, reason) in [
        (&["counts"][..], "invalid value 'counts'"),
        (&["count", "--rows", "10"], "10 is not in 1000..=100000000"),
        (&["count", "--postgres", "nowhere"], "expected a URL such as `postgres://user@host/database`"),
        (&["count", "--postgres", "postgres://127.0.0.1:1/postgres"], "experiments: count: "),
        (&["cursors", "--rows", "1000", "--out", "/dev/null/folder"], "experiments: cursors: /dev/null/folder: "),
    ] {
        let output = experiments(arguments);
        let error = text(output.stderr);
        assert!(!output.status.success() && error.contains(reason), "{arguments:?}: {error}");
    }
}
