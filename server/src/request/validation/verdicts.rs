//! The verdicts on requests are those of graphql-js. `tests/validation/` writes the requests.

use std::collections::BTreeMap;

use async_graphql::Variables;
use bookends_graphql::with_defaults;
use serde::Deserialize;

use super::*;
use crate::request::coercion::{Scalar, nests_variables};

/// What this server refuses and graphql-js accepts: a part of the message, and the reason. Each is for one request in a
/// hundred at most, so that it does not hide another difference.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("occurs twice at the root of a mutation", "the library would execute both fields"),
    ("can only have one root field", "apollo-compiler counts a field twice that occurs twice under one response key"),
    ("cannot be in a fragment", "the library ignores fragments at the root of a subscription"),
    ("can not specify @skip or @include on root fields", "the specification says so; graphql-js 16 does not check it"),
    ("found null", "apollo-compiler gives the items of a list that is a custom scalar the type of the scalar"),
    ("cannot be null", "graphql-js reports null for a variable with a default where the field uses it, on execution"),
];

/// What can refuse a request, in this order.
const STEPS: [&str; 5] = ["syntax", "document", "operation", "variables", "none"];

/// A request, and what refuses it in graphql-js.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    query: String,
    operation_name: Option<String>,
    variables: serde_json::Value,
    refused: String,
    message: String,
}

/// What refuses the request here.
fn refused(validator: &Validator, case: &Case) -> (&'static str, String) {
    let first = |errors: Vec<ServerError>| errors.into_iter().next().map(|error| error.message).unwrap_or_default();
    let validated = match validator.read(&case.query) {
        Ok(validated) => validated,
        Err(errors) => {
            let refused = match Code::of(&errors[0]) {
                Some(Code::ParseFailed) => "syntax",
                Some(Code::ValidationFailed | Code::BadUserInput) => "document",
                _ => "limit",
            };
            return (refused, first(errors));
        }
    };
    let document = validated.plans.document();
    let Some(operation) = operation::find(document, case.operation_name.as_deref()) else {
        return ("operation", String::new());
    };
    let variables = Variables::from_json(case.variables.clone());
    let variables = with_defaults(&operation.node, std::borrow::Cow::Owned(variables));
    match validator.types().check(document, nests_variables(document), &operation.node, &variables) {
        Ok(()) => ("none", String::new()),
        Err(errors) => ("variables", first(errors)),
    }
}

/// The text without the description of the schema, which the parser of the library does not accept.
fn undescribed(text: &str) -> String {
    let (before, after) = text.split_at(text.find("\nschema {").unwrap());
    let (definitions, _) = before.strip_suffix("\"\"\"").unwrap().rsplit_once("\"\"\"").unwrap();
    [definitions, after].concat()
}

#[test]
#[ignore = "needs the cases that tests/validation writes: see .ci/run"]
fn j3_the_verdicts_are_those_of_graphql_js() {
    #[expect(clippy::disallowed_methods, reason = "a setting of this test alone")]
    let path = std::env::var("VALIDATION_CASES").expect("VALIDATION_CASES names the file of cases");
    let cases = std::fs::read_to_string(path).unwrap();
    // graphql-js knows no values of custom scalars, and accepts all.
    let scalars: [Scalar; 2] = [("DateTime", |_| true), ("Decimal", |_| true)];
    let schema = undescribed(include_str!("../../../../schema.graphql"));
    let validator = Validator::new(&schema, Arc::default(), &scalars, Limits::DEFAULT);
    let (mut verdicts, mut excepted, mut different) = (BTreeMap::new(), BTreeMap::new(), 0_usize);
    for line in cases.lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        let (found, message) = refused(&validator, &case);
        let is_stricter = STEPS.iter().find(|step| **step == found || **step == case.refused) == Some(&found);
        let exception = EXCEPTIONS.iter().find(|(text, _)| is_stricter && message.contains(text));
        if found == case.refused {
            *verdicts.entry(found).or_insert(0_usize) += 1;
        } else if let Some(exception) = exception {
            *excepted.entry(exception).or_insert(0_usize) += 1;
        } else {
            different += 1;
            println!("graphql-js: {} ({}), here: {found} ({message}): {line}", case.refused, case.message);
        }
    }
    let same: usize = verdicts.values().sum();
    let valid = verdicts.get("none").copied().unwrap_or_default();
    println!("{} requests compared: both accept {valid}, both refuse {}", cases.lines().count(), same - valid);
    println!("what refuses them: {verdicts:?}");
    for ((text, reason), number) in &excepted {
        println!("{number} that only this server refuses, with {text:?}: {reason}");
    }
    assert_eq!(different, 0, "different verdicts");
    assert_eq!(excepted.len(), EXCEPTIONS.len(), "an exception that does not occur");
    assert!(excepted.values().all(|number| number * 100 <= cases.lines().count()), "an exception that occurs often");
}
