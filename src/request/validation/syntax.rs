//! The message of a syntax error: what was expected, and what was found.

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

/// The message of the parser's error about these characters of the text.
pub fn message(error: &str, found: &str) -> String {
    let error = error.strip_prefix("syntax error: ").unwrap_or(error);
    let found = if found.is_empty() { "the end of the document".into() } else { format!("`{found}`") };
    let expected = if error.starts_with("Unexpected <EOF>") { "expected a definition" } else { error };
    if !expected.starts_with("expected") {
        return lower(error);
    }
    let expected = expected.split_once(", got ").map_or(expected, |(expected, _)| expected);
    let token = TOKENS.iter().find(|(name, _)| expected.strip_prefix("expected ") == Some(name));
    let expected = token.map_or_else(|| expected.to_lowercase(), |(_, token)| format!("expected {token}"));
    format!("{expected}, found {found}")
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
            ("syntax error: Unexpected <EOF>.", "", "expected a definition, found the end of the document"),
            ("syntax error: unterminated string value", "\"", "unterminated string value"),
            ("syntax error: Unexpected character \"É\"", "É", "unexpected character \"É\""),
        ] {
            assert_eq!(message(error, found), expected);
        }
    }
}
