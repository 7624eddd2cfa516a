//! The nesting of brackets, counted before a text is parsed: the library's parser recurses into values, and a line of
//! some hundred brackets would overflow the stack.

use super::code::Code;
use super::error::{Error, Result};

/// The maximum nesting: nested filters below the deepest field need less.
const MAX: usize = 128;

/// Refuses a text whose brackets are nested too deep.
///
/// # Errors
///
/// [`Code::TooDeep`].
pub fn check(text: &str) -> Result<()> {
    if depth(text) <= MAX {
        return Ok(());
    }
    Err(Error::client(Code::TooDeep, format!("brackets are nested at most {MAX} levels deep")))
}

/// The deepest nesting, without brackets in strings and comments.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut rest = text;
    while let Some(index) = rest.find(['(', '[', '{', ')', ']', '}', '"', '#']) {
        let (bracket, behind) = (rest.as_bytes()[index], &rest[index + 1..]);
        rest = behind;
        match bracket {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'#' => rest = behind.find(['\n', '\r']).map_or("", |end| &behind[end..]),
            _ => rest = behind.strip_prefix("\"\"").map_or_else(|| after_string(behind), after_block),
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// The text after a string, which ends with its line at the latest.
fn after_string(text: &str) -> &str {
    let mut rest = text;
    while let Some(index) = rest.find(['"', '\\', '\n', '\r']) {
        let is_escape = rest.as_bytes()[index] == b'\\';
        rest = &rest[index + 1..];
        if !is_escape {
            return rest;
        }
        // An escaped character does not end the string; the end of the line does.
        rest = rest.strip_prefix(['"', '\\']).unwrap_or(rest);
    }
    ""
}

/// The text after a block string.
fn after_block(text: &str) -> &str {
    let mut rest = text;
    while let Some(index) = rest.find("\"\"\"") {
        let is_escaped = rest[..index].ends_with('\\');
        rest = &rest[index + 3..];
        if !is_escaped {
            return rest;
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_count_where_they_are_brackets() {
        for (text, expected) in [
            ("", 0),
            ("{ a }", 1),
            ("{ a(b: [{ c: 1 }]) { d } }", 4),
            ("}}}{", 1),
            (r#"{ a(b: "[[[[") }"#, 2),
            (r#"{ a(b: "\"[[[[\\") [ }"#, 2),
            ("{ # [[[[\n[", 2),
            ("\"\"\"[[[ \\\"\"\" [[[\"\"\" (", 1),
            ("\"\"\"[[[", 0),
            ("\"[[[\n((", 2),
            ("\"", 0),
            ("\"\"[", 1),
            ("é[é", 1),
        ] {
            assert_eq!(depth(text), expected, "{text}");
        }
        assert!(check(&"[".repeat(MAX)).is_ok());
        assert!(check(&"[".repeat(MAX + 1)).is_err());
    }
}
