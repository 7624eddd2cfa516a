//! Rules and guards, as the settings file has them.
//!
//! A rule is one comparison of a column, or several with `and` between them: `tenant_id = claim("tenant") and deleted_at is null`. A
//! guard is one comparison of a claim: `claim("role") in ["admin", "editor"]`, or `claim("sub")` for everybody who has it.

use bookends_graphql::read_column;
use bookends_server::{Claims, async_graphql};
use keyset::{Column, Kind};
use sea_orm::sea_query::ExprTrait as _;
use sea_orm::{Condition, Value};
use serde_json::Value as Json;

/// Who asks: the claims of the token, or of the headers of a trusted proxy.
#[derive(Clone, Debug, Default)]
pub struct Viewer(pub Option<Claims>);

impl Viewer {
    fn claim(&self, name: &str) -> Option<&Json> {
        self.0.as_ref()?.get(name)
    }
}

/// Which rows show.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Columns, and what must be true of each.
    pub tests: Vec<(String, Test)>,
}

/// What must be true of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// It equals a claim.
    Claim(String),
    /// It is among the items of a claim.
    InClaim(String),
    /// It is one of these.
    In(Vec<Json>),
    /// It is NULL, or is not.
    IsNull(bool),
}

impl Test {
    /// The claim that it equals.
    pub fn claim(&self) -> Option<&str> {
        if let Self::Claim(claim) = self { Some(claim) } else { None }
    }
}

/// Who may read a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Guard {
    /// The claim that it compares.
    pub claim: String,
    /// The values that it allows; any if there are none.
    pub values: Vec<Json>,
}

impl Guard {
    /// Reads the text of a guard.
    ///
    /// # Errors
    ///
    /// What was expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut words = Words::of(text)?;
        let claim = words.claim()?;
        let values = match words.next() {
            None => return Ok(Self { claim, values: Vec::new() }),
            Some(Word::Is("=")) => vec![words.literal()?],
            Some(Word::Name(word)) if word == "in" => words.list()?,
            Some(other) => return Err(format!("expected `=` or `in` after the claim, not {other}")),
        };
        words.end()?;
        Ok(Self { claim, values })
    }

    /// Whether a viewer may.
    pub fn allows(&self, viewer: Option<&Viewer>) -> bool {
        let Some(claim) = viewer.and_then(|viewer| viewer.claim(&self.claim)) else { return false };
        let is_allowed = |claim: &Json| self.values.contains(claim);
        self.values.is_empty()
            || is_allowed(claim)
            || claim.as_array().is_some_and(|items| items.iter().any(is_allowed))
    }
}

impl Rule {
    /// Reads the text of a rule.
    ///
    /// # Errors
    ///
    /// What was expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (mut words, mut tests) = (Words::of(text)?, Vec::new());
        loop {
            tests.push((words.name()?, words.test()?));
            match words.next() {
                None => return Ok(Self { tests }),
                Some(Word::Name(and)) if and == "and" => {}
                Some(other) => return Err(format!("expected `and`, not {other}")),
            }
        }
    }

    /// The columns that it compares.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.tests.iter().map(|(column, _)| column.as_str())
    }
}

/// The value of a claim, as one of a column; none if it is no such value.
pub fn by_claim(column: &Column, viewer: &Viewer, claim: &str) -> Option<Value> {
    value(column, viewer.claim(claim)?)
}

/// A test as a condition; none if it holds for no row.
pub fn condition(column: &Column, test: &Test, viewer: Option<&Viewer>) -> Option<Condition> {
    let among = |items: &[Json]| {
        let values: Vec<Value> = items.iter().filter_map(|item| value(column, item)).collect();
        (!values.is_empty()).then(|| column.expr().is_in(values))
    };
    let condition = match test {
        Test::Claim(claim) => column.expr().eq(by_claim(column, viewer?, claim)?),
        Test::InClaim(claim) => among(viewer?.claim(claim)?.as_array()?)?,
        Test::In(values) => among(values)?,
        Test::IsNull(true) => column.expr().is_null(),
        Test::IsNull(false) => column.expr().is_not_null(),
    };
    Some(Condition::all().add(condition))
}

/// A value of JSON as one of a column. A text can be a number: proxies and issuers of tokens have only texts.
fn value(column: &Column, json: &Json) -> Option<Value> {
    let given = match (column.kind(), json) {
        (_, Json::Null) => return None,
        (Kind::SmallInt | Kind::Int | Kind::BigInt, Json::String(text)) => text.parse::<i64>().ok()?.into(),
        (Kind::Text | Kind::Char, Json::Number(number)) => Json::String(number.to_string()),
        _ => json.clone(),
    };
    read_column(column, &async_graphql::Value::from_json(given).ok()?).ok()
}

/// The words of a text.
struct Words(std::vec::IntoIter<Word>);

#[derive(Clone, Debug, PartialEq)]
enum Word {
    Name(String),
    Text(String),
    Number(serde_json::Number),
    Is(&'static str),
}

impl std::fmt::Display for Word {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name(name) => write!(f, "`{name}`"),
            Self::Text(text) => write!(f, "the text {text:?}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Is(sign) => write!(f, "`{sign}`"),
        }
    }
}

/// The signs of the language.
const SIGNS: &[&str] = &["=", "(", ")", "[", "]", ","];

impl Words {
    fn of(text: &str) -> Result<Self, String> {
        let (mut words, mut rest) = (Vec::new(), text.trim_start());
        while let Some(first) = rest.chars().next() {
            let (word, length) = if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                (Word::Is(sign), sign.len())
            } else if first == '"' || first == '\'' {
                let inside = &rest[1..];
                let end = inside.find(first).ok_or_else(|| format!("the text {rest} does not end"))?;
                // A column whose name is no word has it between backticks.
                (Word::Text(inside[..end].to_owned()), end + 2)
            } else if first == '`' {
                let inside = &rest[1..];
                let end = inside.find('`').ok_or_else(|| format!("the name {rest} does not end"))?;
                (Word::Name(inside[..end].to_owned()), end + 2)
            } else {
                let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
                let end = rest.find(|letter: char| !is_part(letter)).unwrap_or(rest.len());
                if end == 0 {
                    return Err(format!("`{first}` has no meaning in a rule"));
                }
                match serde_json::from_str(&rest[..end]) {
                    Ok(number) => (Word::Number(number), end),
                    Err(_) => (Word::Name(rest[..end].to_owned()), end),
                }
            };
            words.push(word);
            rest = rest[length..].trim_start();
        }
        Ok(Self(words.into_iter()))
    }

    fn next(&mut self) -> Option<Word> {
        self.0.next()
    }

    fn expected<T>(what: &str, found: Option<Word>) -> Result<T, String> {
        match found {
            Some(found) => Err(format!("expected {what}, not {found}")),
            None => Err(format!("expected {what} at the end")),
        }
    }

    fn end(&mut self) -> Result<(), String> {
        match self.next() {
            None => Ok(()),
            Some(more) => Err(format!("expected nothing more, not {more}")),
        }
    }

    fn name(&mut self) -> Result<String, String> {
        match self.next() {
            Some(Word::Name(name)) => Ok(name),
            other => Self::expected("the name of a column", other),
        }
    }

    fn sign(&mut self, sign: &'static str) -> Result<(), String> {
        match self.next() {
            Some(Word::Is(found)) if found == sign => Ok(()),
            other => Self::expected(&format!("`{sign}`"), other),
        }
    }

    /// `claim("name")`.
    fn claim(&mut self) -> Result<String, String> {
        match self.next() {
            Some(Word::Name(word)) if word == "claim" => self.claim_name(),
            other => Self::expected("`claim(\"…\")`", other),
        }
    }

    fn claim_name(&mut self) -> Result<String, String> {
        self.sign("(")?;
        let name = match self.next() {
            Some(Word::Text(name)) => name,
            other => return Self::expected("the name of a claim as a text", other),
        };
        self.sign(")")?;
        Ok(name)
    }

    fn literal(&mut self) -> Result<Json, String> {
        match self.next() {
            Some(Word::Text(text)) => Ok(Json::String(text)),
            Some(Word::Number(number)) => Ok(Json::Number(number)),
            Some(Word::Name(word)) if word == "true" || word == "false" => Ok(Json::Bool(word == "true")),
            other => Self::expected("a text, a number, `true` or `false`", other),
        }
    }

    fn list(&mut self) -> Result<Vec<Json>, String> {
        self.sign("[")?;
        let mut values = vec![self.literal()?];
        loop {
            match self.next() {
                Some(Word::Is(",")) => values.push(self.literal()?),
                Some(Word::Is("]")) => return Ok(values),
                other => return Self::expected("`,` or `]`", other),
            }
        }
    }

    fn test(&mut self) -> Result<Test, String> {
        match self.next() {
            Some(Word::Is("=")) => {
                if matches!(self.0.as_slice().first(), Some(Word::Name(word)) if word == "claim") {
                    return Ok(Test::Claim(self.claim()?));
                }
                Ok(Test::In(vec![self.literal()?]))
            }
            Some(Word::Name(word)) if word == "in" => {
                if matches!(self.0.as_slice().first(), Some(Word::Name(word)) if word == "claim") {
                    return Ok(Test::InClaim(self.claim()?));
                }
                Ok(Test::In(self.list()?))
            }
            Some(Word::Name(word)) if word == "is" => match (self.next(), self.0.as_slice().first()) {
                (Some(Word::Name(null)), _) if null == "null" => Ok(Test::IsNull(true)),
                (Some(Word::Name(not)), Some(Word::Name(null))) if not == "not" && null == "null" => {
                    self.next();
                    Ok(Test::IsNull(false))
                }
                (other, _) => Self::expected("`null` or `not null`", other),
            },
            other => Self::expected("`=`, `in` or `is`", other),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_rule_is_comparisons_of_columns() {
        let rule = Rule::parse("tenant_id = claim(\"tenant\") and deleted_at is null and `a b` in ['x', 2]").unwrap();
        let tests = [
            ("tenant_id", Test::Claim("tenant".into())),
            ("deleted_at", Test::IsNull(true)),
            ("a b", Test::In(vec![json!("x"), json!(2)])),
        ];
        assert_eq!(rule.tests, tests.map(|(column, test)| (column.to_owned(), test)));
        assert_eq!(Rule::parse("a in claim(\"b\") and c is not null").unwrap().tests.len(), 2);
    }

    #[test]
    fn a_fault_says_what_was_expected() {
        let faults = [
            ("", "expected the name of a column at the end"),
            ("a", "expected `=`, `in` or `is` at the end"),
            ("a = claim(tenant)", "expected the name of a claim as a text, not `tenant`"),
            ("a = 'x", "the text 'x does not end"),
            ("a = 1 or b = 2", "expected `and`, not `or`"),
            ("a > 1", "`>` has no meaning in a rule"),
        ];
        for (text, expected) in faults {
            assert_eq!(Rule::parse(text).unwrap_err(), expected, "{text}");
        }
    }

    #[test]
    fn a_guard_compares_a_claim() {
        let viewer = |claims: Json| {
            let Json::Object(claims) = claims else { panic!() };
            Viewer(Some(Claims::new(claims)))
        };
        let guard = Guard::parse("claim(\"role\") in [\"admin\", \"editor\"]").unwrap();
        assert!(guard.allows(Some(&viewer(json!({ "role": "editor" })))));
        assert!(guard.allows(Some(&viewer(json!({ "role": ["x", "admin"] })))));
        assert!(!guard.allows(Some(&viewer(json!({ "role": "x" })))) && !guard.allows(None));
        assert!(Guard::parse("claim(\"sub\")").unwrap().allows(Some(&viewer(json!({ "sub": "x" })))));
        assert!(Guard::parse("role = 1").is_err());
    }
}
