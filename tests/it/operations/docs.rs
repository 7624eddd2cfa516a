//! The documents: what they derive from the code is current, their links and their queries work.

use std::fs;
use std::path::Path;

use bookshop::seed::Plan;
use serde_json::Value;

use crate::support::documents::{is_update, path, read, update};
use crate::support::program::Program;
use crate::support::shop::{Shop, bookshop};
use crate::support::wire::{ask, write};

mod clients;
mod kubernetes;
mod partitions;
mod proxies;
mod tables;

/// The documents beside those in `docs/`.
const DOCUMENTS: [&str; 5] =
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "keyset/README.md", "graphql/README.md"];

/// The text of the first code block in this language.
fn block<'a>(document: &'a str, language: &str) -> &'a str {
    blocks(document, language).next().unwrap_or_else(|| panic!("no code block in {language}"))
}

/// The texts of all code blocks in this language.
fn blocks<'a>(document: &'a str, language: &str) -> impl Iterator<Item = &'a str> {
    let fence = format!("```{language}\n");
    let parts: Vec<&str> = document.split(&fence).skip(1).collect();
    parts.into_iter().map(|part| part.split_once("```").unwrap().0)
}

#[test]
fn the_readme_is_short() {
    let lines = read("README.md").lines().count();
    assert!(lines <= 130, "README.md has {lines} lines, and at most 130 are allowed: move details to docs/");
}

/// The names of the documents in a folder.
fn documents(folder: &str) -> impl Iterator<Item = String> {
    let names = fs::read_dir(path(folder)).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let documents = names.filter(|name| Path::new(name).extension().is_some_and(|kind| kind == "md"));
    documents.map(move |name| format!("{folder}/{name}"))
}

/// The names of all documents.
fn all_documents() -> impl Iterator<Item = String> {
    DOCUMENTS.map(str::to_owned).into_iter().chain(["docs", "docs/scaling"].into_iter().flat_map(documents))
}

#[test]
fn every_link_has_a_target() {
    let mut broken = Vec::new();
    for name in all_documents() {
        let text = read(&name);
        for target in links(&text) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { path(&name) } else { path(&name).parent().unwrap().join(file) };
            let is_found = file.exists()
                && (anchor.is_empty() || anchors(&fs::read_to_string(&file).unwrap()).any(|found| found == anchor));
            if !is_found {
                broken.push(format!("{name}: {target}"));
            }
        }
        // Another crate has this name there.
        if text.contains("docs.rs/keyset") {
            broken.push(format!("{name}: docs.rs/keyset"));
        }
    }
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
}

#[test]
fn the_list_of_tasks_leads_to_every_document() {
    let tasks = read("docs/README.md");
    let linked: Vec<&str> = links(&tasks).map(|target| target.split('#').next().unwrap()).collect();
    let names = all_documents().filter(|name| name != "README.md" && name != "docs/README.md");
    let missing: Vec<String> = names
        .filter(|name| {
            let target = name.strip_prefix("docs/").map_or_else(|| format!("../{name}"), str::to_owned);
            !linked.contains(&target.as_str())
        })
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The targets of the links to other files and to headings.
fn links(text: &str) -> impl Iterator<Item = &str> {
    // Code is split off first: what looks like a link in it is none.
    let prose = text.split("```").step_by(2);
    let targets = prose.flat_map(|prose| prose.split("](").skip(1)).map(|rest| rest.split_once(')').unwrap().0);
    targets.filter(|target| !target.contains("://"))
}

/// The anchors of a document's headings, as GitHub derives them.
fn anchors(text: &str) -> impl Iterator<Item = String> {
    let prose = text.split("```").step_by(2);
    let headings = prose.flat_map(str::lines).filter_map(|line| line.strip_prefix('#'));
    headings.map(|heading| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    })
}

/// The folders whose files the documents name.
const FOLDERS: [&str; 11] = [
    "benches/",
    "clients/",
    "docs/",
    "entity/",
    "graphql/",
    "keyset/",
    "migration/",
    "packaging/",
    "src/",
    "testdb/",
    "tests/",
];

#[test]
fn every_file_that_is_named_exists() {
    let mut missing = Vec::new();
    // Its files are those of another project.
    for name in all_documents().filter(|name| name != "docs/your-own-tables.md") {
        let text = read(&name);
        // A command has arguments after its file.
        let files = code(&text).filter_map(|code| code.split_whitespace().next());
        let files = files.filter(|file| FOLDERS.iter().any(|folder| file.starts_with(folder)));
        missing.extend(files.filter(|file| !path(file).exists()).map(|file| format!("{name}: {file}")));
    }
    assert!(missing.is_empty(), "missing files:\n{}", missing.join("\n"));
}

/// What a text has between backticks, outside of its blocks.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").step_by(2).flat_map(|prose| prose.split('`').skip(1).step_by(2))
}

/// docs/decisions.md names the tests that show when a workaround can be removed, and the documents about several machines those
/// that show a fact.
#[test]
fn every_test_that_is_named_exists() {
    let workarounds = read("docs/decisions.md").split_once("\n## Workarounds ").unwrap().1.to_owned();
    let of_documents = documents("docs/scaling").map(|name| (read(&name), name));
    let (mut count, mut missing) = (0, Vec::new());
    for (text, document) in of_documents.chain([(workarounds, "docs/decisions.md".to_owned())]) {
        for name in code(&text).flat_map(str::split_whitespace).filter(|word| word.contains("::")) {
            count += 1;
            if !is_test(name) {
                missing.push(format!("{document}: {name}"));
            }
        }
    }
    assert!(count > 10, "{count}");
    assert!(missing.is_empty(), "missing tests:\n{}", missing.join("\n"));
}

/// Whether there is a module of tests, such as `pool::wire` or `pool::`, or a test in one.
fn is_test(name: &str) -> bool {
    let name = name.trim_end_matches("::");
    ["tests/it", "server/tests/it"].iter().any(|folder| {
        let file = |module: &str| path(&format!("{folder}/{}.rs", module.replace("::", "/")));
        let is_in = |module: &str, test: &str| {
            fs::read_to_string(file(module)).is_ok_and(|tests| tests.contains(&format!("fn {test}(")))
        };
        file(name).exists() || name.rsplit_once("::").is_some_and(|(module, test)| is_in(module, test))
    })
}

/// The README's first query and its response.
#[tokio::test]
async fn the_readme_shows_the_response() {
    let readme = read("README.md");
    let shop = Shop::new(Plan::SAMPLE).await;
    let answer: Value = serde_json::from_str(block(&readme, "json")).unwrap();
    assert_eq!(shop.data(block(&readme, "graphql")).await, answer["data"]);
}

#[tokio::test]
async fn the_queries_of_the_manual_succeed() {
    let shop = Shop::new(Plan::SAMPLE).await;
    let manual = read("docs/api.md");
    let queries: Vec<&str> = blocks(&manual, "graphql").filter(|query| !query.starts_with("subscription")).collect();
    assert!(queries.len() > 4, "{queries:?}");
    for query in queries {
        shop.data(query).await;
    }
}

/// A block of code below the name of a file is a part of that file.
#[test]
fn the_tutorial_shows_the_example() {
    let tutorial = read("docs/your-own-tables.md");
    let parts: Vec<&str> = tutorial.split("`:\n\n```").collect();
    assert!(parts.len() > 5, "{} blocks", parts.len() - 1);
    for pair in parts.windows(2) {
        let (_, file) = pair[0].rsplit_once('`').unwrap();
        let (_, block) = pair[1].split_once('\n').unwrap();
        let (code, _) = block.split_once("\n```").unwrap();
        assert!(read(&format!("examples/your-own-tables/{file}")).contains(code), "{file} has no such part:\n{code}");
    }
}

#[test]
fn the_example_is_short() {
    let files = fs::read_dir(path("examples/your-own-tables/src")).unwrap().map(|entry| entry.unwrap().path());
    let rust = files.filter(|file| file.extension().is_some_and(|kind| kind == "rs"));
    let lines: usize = rust.map(|file| fs::read_to_string(file).unwrap().lines().count()).sum();
    assert!(lines <= 60, "the example has {lines} lines of Rust, and at most 60 are allowed");
}

/// The example of a server for tests.
#[test]
fn the_manual_shows_the_response() {
    const OPERATIONS: &str = "docs/operations.md";
    const AT: [&str; 5] = ["serve", "--at", "2026-01-01T00:00:00Z", "--rng-seed", "1"];
    let manual = read(OPERATIONS);
    let (_, section) = manual.split_once("\n## Servers for tests\n").unwrap();
    assert!(block(section, "sh").contains(&AT.join(" ")));
    let program = Program::start(bookshop("sqlite::memory:").args(AT));
    let mutation = serde_json::json!({ "query": block(section, "graphql") }).to_string();
    let given: Value = serde_json::from_str(&ask(&program.address(), write(&mutation)).body).unwrap();
    let shown = block(section, "json");
    if is_update() {
        return update(OPERATIONS, shown, &(serde_json::to_string_pretty(&given).unwrap() + "\n"));
    }
    assert_eq!(serde_json::from_str::<Value>(shown).unwrap()["data"], given["data"]);
}
