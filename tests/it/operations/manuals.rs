//! The manuals have every setting, metric and error code of the code; the image is built from every member.

use bookends::config::Cli;
use bookends::request::Code;
use clap::CommandFactory;

use crate::operations::docs::{is_update, read, update};

const OPERATIONS: &str = "docs/operations.md";
const API: &str = "docs/api.md";
const DOCKERFILE: &str = include_str!("../../../Dockerfile");

/// The rows of the table under a heading of a document, without its own head.
pub fn rows(document: &str, heading: &str) -> Vec<String> {
    let text = read(document);
    let (_, section) = text.split_once(&format!("\n## {heading}\n")).unwrap();
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    section.lines().filter(|line| line.starts_with('|')).skip(2).map(str::to_owned).collect()
}

/// Says which rows to add, and which to remove; or does it.
#[track_caller]
pub fn same(document: &str, heading: &str, found: &[String], expected: &[String]) {
    if found != expected && is_update() {
        return update(document, &found.join("\n"), &expected.join("\n"));
    }
    let without = |rows: &[String], others: &[String]| -> Vec<String> {
        rows.iter().filter(|row| !others.contains(row)).cloned().collect()
    };
    let (missing, strange) = (without(expected, found), without(found, expected));
    assert!(
        missing.is_empty() && strange.is_empty(),
        "{document}, {heading}: add\n\n{}\n\nand remove\n\n{}\n\nor run UPDATE_DOCS=1 cargo test --test it",
        missing.join("\n"),
        strange.join("\n")
    );
    assert_eq!(found, expected, "{document}, {heading}: the order of the rows");
}

/// The same for rows that end with advice, which the code does not have.
#[track_caller]
pub fn same_but_advice(document: &str, heading: &str, expected: &[String]) {
    let found = rows(document, heading);
    let advice = |row: &str| {
        let name = row.split(" | ").next();
        let known = found.iter().find(|found| found.split(" | ").next() == name);
        known.map_or("|", |found| found.rsplit_once(" | ").unwrap().1).to_owned()
    };
    let expected: Vec<String> = expected.iter().map(|row| format!("{row} | {}", advice(row))).collect();
    same(document, heading, &found, &expected);
    assert!(!expected.iter().any(|row| row.ends_with(" | |")), "{document}, {heading}: a row without advice");
}

/// The command that has all settings.
pub fn serve() -> clap::Command {
    Cli::command().find_subcommand("serve").unwrap().clone()
}

#[test]
fn the_settings_are_those_of_the_command_line() {
    let serve = serve();
    let settings = serve.get_arguments().filter_map(|argument| {
        let environment = argument.get_env()?.to_str()?;
        let (flag, value) = (argument.get_long()?, argument.get_value_names()?.first()?);
        let derived = environment.to_ascii_lowercase().replace('_', "-");
        let flag = if flag == derived { String::new() } else { format!(", `--{flag}`") };
        let default = argument.get_default_values().first().and_then(|default| default.to_str());
        let default = match default {
            // It depends on the machine, and the help says how.
            Some(_) if argument.is_hide_default_value_set() => "from the cores".into(),
            Some(default) => format!("`{default}`"),
            None => "none".into(),
        };
        Some(format!("| `{environment}={value}`{flag} | {default} | {} |", argument.get_help()?))
    });
    let settings: Vec<String> = settings.collect();
    assert!(settings.len() >= 6, "{settings:?}");
    let mut found = rows(OPERATIONS, "Settings");
    // It has no flag, and comes last.
    let token = found.pop().unwrap();
    assert!(token.starts_with("| `BOOKENDS_WRITE_TOKEN` | none | "), "{token}");
    same(OPERATIONS, "Settings", &found, &settings);
}

#[test]
fn the_errors_are_those_of_the_code() {
    let codes = Code::ALL.iter().map(|(_, code, meaning)| format!("| `{code}` | {meaning}"));
    same_but_advice(API, "Error codes", &codes.collect::<Vec<_>>());
}

#[test]
fn the_image_is_built_by_the_same_rust_from_every_member() {
    let toolchain = include_str!("../../../rust-toolchain.toml");
    let version = toolchain.lines().find_map(|line| line.strip_prefix("channel = ")).unwrap().trim_matches('"');
    for line in [format!("FROM rust:{version}-slim-bookworm AS build\n"), format!("ENV RUSTUP_TOOLCHAIN={version} ")] {
        assert!(DOCKERFILE.contains(&line), "Dockerfile: {line}");
    }
    let workspace = include_str!("../../../Cargo.toml");
    let members = workspace.lines().find_map(|line| line.strip_prefix("members = ")).unwrap();
    let members = members.trim_matches(['[', ']']).split(", ").map(|member| member.trim_matches('"'));
    for member in members.filter(|member| *member != ".") {
        let manifest = format!("COPY {member}/Cargo.toml {member}/\n");
        // Or in a folder that is copied as a whole.
        let folder = member.split_once('/').map(|(folder, _)| format!("COPY {folder} {folder}\n"));
        let is_copied = DOCKERFILE.contains(&manifest) || folder.is_some_and(|folder| DOCKERFILE.contains(&folder));
        assert!(is_copied, "Dockerfile: {member}");
    }
}

/// It would conflict with a mounted file: a setting and its file are never both set.
#[test]
fn the_image_has_no_setting_that_a_file_can_have() {
    let serve = serve();
    let variables = serve.get_arguments().filter_map(|argument| argument.get_env()?.to_str()?.strip_suffix("_FILE"));
    let settings: Vec<&str> = variables.filter(|name| DOCKERFILE.contains(&format!(" {name}="))).collect();
    assert!(settings.is_empty(), "{settings:?}");
}
