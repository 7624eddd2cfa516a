//! The keys of django-universal-paginator 1.4.0. `tests/paginator/cases.py` writes and reads the files; `.ci/run` has
//! the commands.

use std::fmt::Write as _;
use std::path::PathBuf;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::Days;
use proptest::collection::vec;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::tests::scalar;
use super::*;

/// The type and the text of each value, as the other side writes them. `None` if only this side has one of them.
fn described(key: &[Scalar]) -> Option<String> {
    let parts = key.iter().map(|scalar| description(scalar).map(|(kind, value)| format!("{kind}\t{value}")));
    Some(parts.collect::<Option<Vec<_>>>()?.join("\t"))
}

fn description(scalar: &Scalar) -> Option<(&'static str, String)> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    let format = "%Y-%m-%dT%H:%M:%S%.6f";
    let is_shared =
        |date: NaiveDate, time: NaiveTime| (1..9999).contains(&date.year()) && time.nanosecond().is_multiple_of(1000);
    Some(match scalar {
        Scalar::Null => ("null", String::new()),
        Scalar::Bool(value) => ("boolean", value.to_string()),
        Scalar::Int(value) => ("integer", value.to_string()),
        Scalar::Text(value) => ("text", hex(value.as_bytes())),
        Scalar::Bytes(value) => ("bytes", hex(value)),
        Scalar::Decimal(value) => ("decimal", value.normalize().to_string()),
        Scalar::Double(value) => ("double", hex(&value.to_be_bytes())),
        Scalar::DateTime(value) if is_shared(value.date(), value.time()) => {
            ("date-time", value.format(format).to_string())
        }
        Scalar::DateTimeUtc(value) if is_shared(value.date_naive(), value.time()) => {
            ("instant", value.format(format).to_string())
        }
        Scalar::Time(value) if is_shared(NaiveDate::default(), *value) => {
            ("time", value.format("%H:%M:%S%.6f").to_string())
        }
        Scalar::Date(value) if is_shared(*value, NaiveTime::MIN) => ("date", (*value + Days::new(1)).to_string()),
        _ => return None,
    })
}

fn encoded(key: &[Scalar]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for scalar in key {
        write(scalar, &mut bytes).unwrap();
    }
    bytes
}

#[test]
#[ignore = "needs the cases of the paginator: see `.ci/run`"]
fn the_paginator_reads_and_writes_the_same_keys() {
    #[expect(clippy::disallowed_methods, reason = "a setting of this test")]
    let folder = PathBuf::from(std::env::var("PAGINATOR_CASES").expect("PAGINATOR_CASES names a folder"));
    let theirs = std::fs::read_to_string(folder.join("theirs")).unwrap();
    for line in theirs.lines() {
        let (cursor, expected) = line.split_once('\t').unwrap();
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).unwrap();
        let key = read_all(&bytes).unwrap();
        assert_eq!(described(&key).as_deref(), Some(expected), "{line}");
        assert_eq!(encoded(&key), bytes, "{line}");
    }

    let mut ours = String::new();
    let mut runner = TestRunner::deterministic();
    let keys = vec(scalar(), 1..4).prop_filter("bytes are read at the end only", |key| {
        key.iter().rev().skip(1).all(|scalar| !matches!(scalar, Scalar::Bytes(_)))
    });
    for _ in 0..20_000 {
        let key = keys.new_tree(&mut runner).unwrap().current();
        if let Some(described) = described(&key) {
            writeln!(ours, "{}\t{described}", BASE64_URL_SAFE_NO_PAD.encode(encoded(&key))).unwrap();
        }
    }
    std::fs::write(folder.join("ours"), &ours).unwrap();
    println!("{} cursors compared", theirs.lines().count() + ours.lines().count());
}
