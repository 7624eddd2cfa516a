//! The manuals have every setting, metric and error code of the code; the image is built from every member.

use bookends_server::config::command;
use bookends_server::request::Code;

use crate::support::documents::{rows, same, same_but_advice};

const OPERATIONS: &str = "docs/operations.md";
const API: &str = "docs/api.md";
const DOCKERFILE: &str = include_str!("../../../Dockerfile");
const IGNORED: &str = include_str!("../../../.dockerignore");

/// The command that has all settings.
pub fn serve() -> clap::Command {
    command(&bookshop::app()).find_subcommand("serve").unwrap().clone()
}

#[test]
fn the_settings_are_those_of_the_command_line() {
    let serve = serve();
    let shown = serve.get_arguments().filter(|argument| !argument.is_hide_set());
    let settings = shown.filter_map(|argument| {
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
    // They have no flags, and come last.
    for secret in ["WRITE_TOKEN", "JWT_SECRET"] {
        let row = found.pop().unwrap();
        assert!(row.starts_with(&format!("| `{secret}` | none | ")), "{row}");
    }
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

#[test]
fn the_image_gets_all_that_it_copies() {
    let admitted: Vec<&str> = IGNORED.lines().filter_map(|line| line.strip_prefix('!')).collect();
    let copied =
        DOCKERFILE.lines().filter_map(|line| line.strip_prefix("COPY ")).filter(|line| !line.starts_with("--"));
    for line in copied {
        let (sources, _) = line.rsplit_once(' ').unwrap();
        for source in sources.split(' ') {
            let is_admitted = admitted.iter().any(|path| source == *path || source.starts_with(&format!("{path}/")));
            assert!(is_admitted, ".dockerignore: {source}");
        }
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
