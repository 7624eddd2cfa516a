//! Parsing and validation of a document as it was received, once per text, by `apollo-compiler`.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use apollo_compiler::Schema;
use apollo_compiler::ast::Document;
use apollo_compiler::diagnostic::ToCliReport;
use apollo_compiler::parser::{Parser, SourceSpan};
use apollo_compiler::validation::{DiagnosticList, Valid};
use async_graphql::{Pos, ServerError};
use bookends_graphql::{Declaration, Plans};

use super::code::Code;
use super::coercion::{InputTypes, MAX_ERRORS, Scalar};
use super::error::{Error, refusal};
use super::introspection::{self, Introspection};
use super::operation;
use super::suggestion::suggested;
use crate::config::Limits;

mod convert;
mod merging;
mod positions;
mod size;
mod syntax;
mod tokens;
mod values;
mod variables;
#[cfg(test)]
mod verdicts;

use convert::TooLarge;
use positions::Positions;
use variables::{Found, WronglyTyped};

/// The maximum nesting of selections and of values: nested filters below the deepest field need less.
const MAX_NESTING: usize = 128;
/// The message about an object of which nothing is selected.
const NO_SELECTION: &str = "interface, union and object types must have a subselection set";

/// GraphiQL shows it in place of the schema.
const INTROSPECTION_DISABLED: &str = "introspection is disabled (the setting INTROSPECTION): queries work, \
     but without completion and documentation";

/// What the library shows of a type, and `apollo-compiler` does not know.
const INTROSPECTION: &str = "extend type __Type { isOneOf: Boolean }";

/// Reads documents for a schema.
#[derive(Debug)]
pub struct Validator {
    schema: Arc<Valid<Schema>>,
    types: InputTypes,
    declaration: Arc<Declaration>,
    limits: Limits,
}

/// A document that has the syntax of one.
struct Parsed<'a> {
    tree: Document,
    tokens: usize,
    /// What was parsed: the offsets are those of the document.
    text: Cow<'a, str>,
}

/// A valid document.
#[derive(Debug)]
pub struct Validated {
    /// The document, and its plans so far.
    pub plans: Plans,
    /// The number of its fields and fragments, each at each place where it is spread.
    pub selections: usize,
    /// The number of its tokens.
    pub tokens: usize,
}

impl Validator {
    /// A validator for the text of a schema with this declaration and these custom scalars.
    ///
    /// # Panics
    ///
    /// Panics if the text is not a valid schema.
    pub fn new(sdl: &str, declaration: Arc<Declaration>, scalars: &[Scalar], limits: Limits) -> Self {
        let schema = Schema::parse_and_validate(format!("{sdl}\n{INTROSPECTION}"), "schema.graphql");
        let schema = schema.unwrap_or_else(|error| panic!("the text of a schema: {}", error.errors));
        let schema = Arc::new(schema);
        let types = InputTypes::new(Arc::clone(&schema), scalars, limits.introspection);
        Self { schema, types, declaration, limits }
    }

    /// The introspection of the schema.
    pub fn introspection(&self) -> Introspection {
        Introspection::new(Arc::clone(&self.schema))
    }

    /// The types that variables and arguments are coerced to.
    pub fn types(&self) -> &InputTypes {
        &self.types
    }

    /// Parses and validates a document.
    ///
    /// # Errors
    ///
    /// [`Code::ParseFailed`], [`Code::TooComplex`] and [`Code::TooDeep`] for what is not read;
    /// [`Code::IntrospectionDisabled`]; [`Code::BadUserInput`] for each value that does not have its type, and otherwise
    /// [`Code::ValidationFailed`] for each violation of a rule.
    pub fn read(&self, text: &str) -> Result<Validated, Vec<ServerError>> {
        let one = |error: Error| vec![error.of_request()];
        let Parsed { tree, tokens, text: parsed } = self.parse(text)?;
        let selections = size::check(&tree).map_err(one)?;
        if let Some(long) = tokens::too_long(text) {
            let message = format!("a name must have at most {} characters", tokens::MAX_NAME);
            return Err(vec![at(Positions::of(text).at(long), refusal(Code::TooComplex, message))]);
        }
        if let Some(lost) = tokens::lost(&tree, &parsed) {
            let error = refusal(Code::ParseFailed, format!("unexpected `{}`", lost.characters));
            return Err(vec![at(Positions::of(text).at(lost.offset), error)]);
        }
        let document = convert::convert(&tree, text).map_err(|TooLarge { number, pos }| {
            vec![at(pos, refusal(Code::BadUserInput, format!("the number `{number}` is too large")))]
        })?;
        if let Some(pos) = introspection::first(&document).filter(|_| !self.limits.introspection) {
            return Err(vec![at(pos, refusal(Code::IntrospectionDisabled, INTROSPECTION_DISABLED))]);
        }
        let errors = self.types.check_literals(&document);
        if !errors.is_empty() {
            return Err(errors);
        }
        let errors = match tree.to_executable_validate(&self.schema) {
            Ok(valid) => {
                let mut findings = Findings::default();
                values::check(&self.schema, &valid, &mut findings);
                merging::check(&self.schema, &valid, &mut findings);
                findings.list.sort_by_key(|(place, _)| place.map(|place| place.offset()));
                located(text, findings.list, Code::ValidationFailed)
            }
            Err(invalid) => self.diagnosed(text, &invalid.errors),
        };
        if !errors.is_empty() {
            return Err(errors);
        }
        operation::check(&document).map_err(one)?;
        Ok(Validated { plans: Plans::of(document, Arc::clone(&self.declaration)), selections, tokens })
    }

    /// Parses a text; if that fails, without what the parser does not know.
    fn parse<'a>(&self, text: &'a str) -> Result<Parsed<'a>, Vec<ServerError>> {
        let max_tokens = self.limits.max_tokens;
        let mut parser = Parser::new().recursion_limit(MAX_NESTING).token_limit(max_tokens);
        let (mut parsed, mut read) = (parser.parse_ast(text, "document"), Cow::Borrowed(text));
        let is_limited = parser.tokens_reached() > max_tokens || parser.recursion_reached() > MAX_NESTING;
        if parsed.is_err() && !is_limited && text.contains([',', '"']) {
            let plain = tokens::plain(text);
            (parsed, read) = (parser.parse_ast(&plain, "document"), Cow::Owned(plain));
        }
        parsed.map(|tree| Parsed { tree, tokens: parser.tokens_reached(), text: read }).map_err(|failed| {
            let refuse = |code, message| vec![refusal(code, message)];
            if parser.tokens_reached() > max_tokens {
                let message = format!("the document has more than {max_tokens} tokens (the setting MAX_TOKENS)");
                refuse(Code::TooComplex, message)
            } else if parser.recursion_reached() > MAX_NESTING {
                refuse(Code::TooDeep, format!("selections and values must be nested at most {MAX_NESTING} levels deep"))
            } else {
                syntax_error(text, &failed.errors)
            }
        })
    }

    /// The errors of validation, without their consequences: a selection that is unknown is not there for other rules.
    fn diagnosed(&self, text: &str, errors: &DiagnosticList) -> Vec<ServerError> {
        let mut findings = Findings::default();
        for found in errors.iter() {
            findings.add(found.error.location(), || found.error.to_string());
        }
        let found = findings.list;
        let wrongly_typed = WronglyTyped::new(text, &found);
        let is_unused =
            |message: &str| message.starts_with("unused variable") || message.contains("must be used in an");
        let is_all_unused = found.iter().all(|(_, message)| is_unused(message));
        // They are sorted by position.
        let next = found.iter().skip(1).map(|(place, _)| *place).chain([None]);
        let causes = found.iter().zip(next).filter(|((place, message), next)| {
            let next_is_within = place.zip(*next).is_some_and(|(place, next)| next.offset() < place.end_offset());
            !(message == NO_SELECTION && next_is_within || is_unused(message) && !is_all_unused)
        });
        let causes = causes.filter(|(found, _)| !wrongly_typed.explains(found)).take(MAX_ERRORS);
        let causes = causes.map(|((place, message), _)| {
            let message = message.clone();
            (*place, if self.limits.introspection { suggested(&self.schema, message) } else { message })
        });
        located(text, causes, Code::ValidationFailed)
    }
}

/// The first syntax error. The parser continues after it, and reports its consequences.
fn syntax_error(text: &str, errors: &DiagnosticList) -> Vec<ServerError> {
    let first = errors.iter().next().map(|found| {
        let place = found.error.location();
        let characters = place.and_then(|place| text.get(place.offset()..place.end_offset())).unwrap_or_default();
        (place, syntax::message(&found.error.to_string(), characters))
    });
    located(text, first, Code::ParseFailed)
}

/// The first errors, one for each place: a fragment is validated for each operation.
#[derive(Debug, Default)]
struct Findings {
    places: HashSet<SourceSpan>,
    list: Vec<Found>,
}

impl Findings {
    /// Some are found to be consequences of others.
    const MAX: usize = 5 * MAX_ERRORS;

    fn add(&mut self, place: Option<SourceSpan>, message: impl FnOnce() -> String) {
        if self.list.len() < Self::MAX && place.is_none_or(|place| self.places.insert(place)) {
            self.list.push((place, message()));
        }
    }
}

fn located(text: &str, found: impl IntoIterator<Item = Found>, code: Code) -> Vec<ServerError> {
    let mut positions = Positions::of(text);
    let error = |(place, message): Found| {
        let error = refusal(code, message);
        match place {
            Some(place) => at(positions.at(place.offset()), error),
            None => error,
        }
    };
    found.into_iter().take(MAX_ERRORS).map(error).collect()
}

fn at(pos: Pos, error: ServerError) -> ServerError {
    ServerError { locations: vec![pos], ..error }
}
