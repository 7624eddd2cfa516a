//! What is written for those who run the server is what the code says: docs/operations.md, and the files to run it
//! with.

use bookends::config::Cli;
use bookends::graphql::Code;
use clap::CommandFactory;

const OPERATIONS: &str = include_str!("../../docs/operations.md");
const DOCKERFILE: &str = include_str!("../../Dockerfile");

/// The rows of the table under a heading, without its own head.
fn rows(heading: &str) -> Vec<&'static str> {
    let (_, section) = OPERATIONS.split_once(&format!("\n## {heading}\n")).unwrap();
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    section.lines().filter(|line| line.starts_with('|')).skip(2).collect()
}

/// Says what to put in, and what to take out.
#[track_caller]
fn same(heading: &str, found: &[&str], expected: &[String]) {
    let missing: Vec<&str> = expected.iter().map(String::as_str).filter(|row| !found.contains(row)).collect();
    let strange: Vec<&&str> = found.iter().filter(|row| !expected.iter().any(|expected| expected == *row)).collect();
    assert!(
        missing.is_empty() && strange.is_empty(),
        "docs/operations.md, {heading}: put in\n\n{}\n\nand take out\n\n{}\n",
        missing.join("\n"),
        strange.into_iter().copied().collect::<Vec<_>>().join("\n")
    );
    assert_eq!(found, expected, "docs/operations.md, {heading}: the order of the rows");
}

/// The same, for rows that end with what to do, which the code does not know.
#[track_caller]
pub fn same_but_advice(heading: &str, expected: &[String]) {
    let rows = rows(heading).into_iter().map(|row| row.rsplit_once(" | ").unwrap());
    let (found, advice): (Vec<&str>, Vec<&str>) = rows.unzip();
    same(heading, &found, expected);
    assert!(advice.iter().all(|advice| advice.len() > "|".len()), "docs/operations.md, {heading}: what to do");
}

#[test]
fn the_settings_are_those_of_the_command_line() {
    let cli = Cli::command();
    let settings = cli.get_arguments().filter_map(|argument| {
        let environment = argument.get_env()?.to_str()?;
        let (flag, value) = (argument.get_long()?, argument.get_value_names()?.first()?);
        let default = argument.get_default_values().first().and_then(|default| default.to_str());
        let default = default.map_or("none".into(), |default| format!("`{default}`"));
        Some(format!("| `--{flag} {value}` | `{environment}` | {default} | {} |", argument.get_help()?))
    });
    let settings: Vec<String> = settings.collect();
    assert!(settings.len() >= 6, "{settings:?}");
    // Those that have no flag come last.
    let (with_flag, without): (Vec<&str>, Vec<&str>) =
        rows("Settings").into_iter().partition(|row| row.starts_with("| `--"));
    same("Settings", &with_flag, &settings);
    assert!(without.iter().any(|row| row.starts_with("| | `BOOKENDS_WRITE_TOKEN` | none | ")), "{without:?}");
}

#[test]
fn the_errors_are_those_of_the_code() {
    let codes = Code::ALL.iter().map(|(_, code, meaning)| format!("| `{code}` | {meaning}"));
    same_but_advice("Errors", &codes.collect::<Vec<_>>());
}

#[test]
fn the_image_is_built_by_the_same_rust_from_every_member() {
    let toolchain = include_str!("../../rust-toolchain.toml");
    let version = toolchain.lines().find_map(|line| line.strip_prefix("channel = ")).unwrap().trim_matches('"');
    for line in [format!("FROM rust:{version}-slim-bookworm AS build\n"), format!("ENV RUSTUP_TOOLCHAIN={version} ")] {
        assert!(DOCKERFILE.contains(&line), "Dockerfile: {line}");
    }
    let workspace = include_str!("../../Cargo.toml");
    let members = workspace.lines().find_map(|line| line.strip_prefix("members = ")).unwrap();
    let members = members.trim_matches(['[', ']']).split(", ").map(|member| member.trim_matches('"'));
    for member in members.filter(|member| *member != ".") {
        let line = format!("COPY {member}/Cargo.toml {member}/\n");
        assert!(DOCKERFILE.contains(&line), "Dockerfile: {line}");
    }
}
