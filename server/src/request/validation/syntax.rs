//! The message of a syntax error: what was expected, and what was found.

use std::borrow::Cow;

/// The tokens that `apollo-parser` calls by the names of its constants.
const TOKENS: &[(&str, &str)] = &[
    ("L_PAREN", "`(`"),
    ("R_PAREN", "`)`"),
    ("L_BRACK", "`[`"),
    ("R_BRACK", "`]`"),
    ("L_CURLY", "`{`"),
    ("R_CURLY", "`}`"),
    ("SPREAD", "`...`"),
    ("COLON", "`:`"),
    ("DOLLAR", "`$`"),
    ("BANG", "`!`"),
    ("EQ", "`=`"),
    ("AT", "`@`"),
];

/// What it expects by the names of the grammar, of what a document can have, in words.
const PHRASES: &[(&str, &str)] = &[
    ("a StringValue, Name or OperationDefinition", DEFINITION),
    ("definition", DEFINITION),
    ("a definition", DEFINITION),
    ("a definition after this StringValue", DEFINITION),
    ("a definition after this Name", DEFINITION),
    ("an Operation Type or a Selection Set", DEFINITION),
    ("either a 'mutation', a 'query', or a 'subscription'", DEFINITION),
    ("a Selection Set", "`{`"),
    ("Selection Set", "`{`"),
    ("at least one Selection in Selection Set", "a field or a fragment"),
    ("an Inline Fragment or a Fragment Spread", "the name of a fragment, `on` or `{`"),
    ("Fragment Name", "the name of a fragment"),
    ("Type Condition", "`on` and a type"),
    ("'on'", "`on` and a type"),
    ("a Name in Type Condition", "a type"),
    ("a Name Type", "a type"),
    ("a Variable Definition", "a variable"),
    ("a valid Value", "a value"),
    ("@ symbol", "`@`"),
    ("Name to start with a letter or an _", "a name"),
];

/// What a document consists of.
const DEFINITION: &str = "an operation or a fragment";

/// The message of the parser's error about these characters of the text.
pub fn message(error: &str, found: &str) -> String {
    let error = error.strip_prefix("syntax error: ").unwrap_or(error);
    let found = if found.is_empty() { "the end of the document".into() } else { format!("`{found}`") };
    let expected = match error.strip_prefix("expected ") {
        Some(expected) => expected.split_once(", got ").map_or(expected, |(expected, _)| expected),
        None if error.starts_with("Unexpected <EOF>") => DEFINITION,
        None => return lower(error),
    };
    let known = TOKENS.iter().chain(PHRASES).find(|(name, _)| *name == expected);
    let expected = known.map_or_else(|| expected.to_lowercase().into(), |(_, words)| Cow::Borrowed(*words));
    if found == "`...`" {
        // The parser's error is at these dots, and about what comes after them.
        return format!("expected {expected} after `...`");
    }
    format!("expected {expected}, found {found}")
}

/// The message with a small first letter. What follows can be of the client.
fn lower(message: &str) -> String {
    let mut characters = message.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_what_was_found() {
        for (error, found, expected) in [
            ("syntax error: expected R_PAREN, got EOF", "", "expected `)`, found the end of the document"),
            ("syntax error: expected L_CURLY, got a", "a", "expected `{`, found `a`"),
            ("syntax error: expected a Name", "1", "expected a name, found `1`"),
            (
                "syntax error: Unexpected <EOF>.",
                "",
                "expected an operation or a fragment, found the end of the document",
            ),
            (
                "syntax error: expected a StringValue, Name or OperationDefinition",
                "}",
                "expected an operation or a fragment, found `}`",
            ),
            (
                "syntax error: expected an Inline Fragment or a Fragment Spread",
                "...",
                "expected the name of a fragment, `on` or `{` after `...`",
            ),
            ("syntax error: expected a Selection Set", "x", "expected `{`, found `x`"),
            ("syntax error: unterminated string value", "\"", "unterminated string value"),
            ("syntax error: Unexpected character \"É\"", "É", "unexpected character \"É\""),
        ] {
            assert_eq!(message(error, found), expected);
        }
    }
}
