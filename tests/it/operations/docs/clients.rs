//! The code in docs/clients.md, taken from the tested clients.

use std::collections::BTreeSet;

use bookends_server::config::AllowedOrigin;

use super::{is_update, read, update};

const DOCUMENT: &str = "docs/clients.md";

/// A block of code below `file`, `part`: is the part of the file between the lines `docs:start part` and `docs:end`.
#[test]
fn the_code_of_the_clients_is_that_of_their_tests() {
    let document = read(DOCUMENT);
    let mut parts = 0;
    for (heading, rest) in document.match_indices("`:\n\n```").map(|(at, _)| document.split_at(at)) {
        let heading = heading.lines().last().unwrap().trim_start_matches('`');
        let (file, part) = heading.split_once("`, `").expect("a file and a part of it");
        let (_, block) = rest.split_once("```").unwrap();
        let (block, _) = block.split_once("\n```").unwrap();
        let (language, found) = block.split_once('\n').unwrap();
        let expected = extract(file, part);
        let lines = expected.lines().count();
        assert!(lines <= 25, "{file}, {part}: {lines} lines, and at most 25 are allowed");
        if found != expected && is_update() {
            let [old, new] = [found, &expected].map(|code| format!("{heading}`:\n\n```{language}\n{code}\n```"));
            update(DOCUMENT, &old, &new);
        } else {
            assert_eq!(found, expected, "{file}, {part}. To correct it: `just docs`");
        }
        parts += 1;
    }
    assert!(parts > 9, "{parts} parts");
}

/// A part of a file, without its common indentation.
fn extract(file: &str, part: &str) -> String {
    let text = read(file);
    let start = format!(" docs:start {part}");
    let lines = text.lines().skip_while(|line| !line.ends_with(&start)).skip(1);
    let lines: Vec<&str> = lines.take_while(|line| !line.ends_with(" docs:end")).collect();
    assert!(!lines.is_empty(), "{file} has no part `{part}`");
    let indents = lines.iter().filter(|line| !line.is_empty()).map(|line| line.len() - line.trim_start().len());
    let indent = indents.min().unwrap_or(0);
    lines.iter().map(|line| line.get(indent..).unwrap_or("")).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_generator_has_a_type_for_every_scalar_of_the_schema() {
    let config = read("clients/codegen.ts");
    let (_, scalars) = config.split_once("scalars: {").unwrap();
    let (scalars, _) = scalars.split_once("},\n").unwrap();
    let names = scalars.split_whitespace().filter_map(|word| word.strip_suffix(':'));
    let found: BTreeSet<&str> = names.filter(|name| name.starts_with(char::is_uppercase)).collect();
    let schema = read("schema.graphql");
    let of_schema = schema.lines().filter_map(|line| line.strip_prefix("scalar ")?.split(' ').next());
    assert_eq!(found, of_schema.chain(["ID"]).collect());
}

#[test]
fn the_setting_for_sandbox_is_an_origin() {
    let document = read(DOCUMENT);
    let (_, setting) = document.split_once("`CORS_ORIGINS=").unwrap();
    let origin: Result<AllowedOrigin, _> = setting.split('`').next().unwrap().parse();
    assert!(matches!(origin, Ok(AllowedOrigin::Only(_))), "{origin:?}");
}
