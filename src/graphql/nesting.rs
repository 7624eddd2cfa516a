//! How deep the brackets of a text stand in each other, counted before it is parsed: the library's parser goes down
//! into values by recursion, and a line of some hundred brackets would overflow the stack.

use super::code::Code;
use super::error::{Error, Result};

/// The most brackets that may stand in each other: a list of filters in each other, below the deepest field, has fewer.
const MOST: usize = 128;

/// Refuses a text whose brackets stand too deep in each other.
///
/// # Errors
///
/// [`Code::TooDeep`].
pub fn check(text: &str) -> Result<()> {
    if depth(text) <= MOST {
        return Ok(());
    }
    Err(Error::client(Code::TooDeep, format!("at most {MOST} brackets stand in each other")))
}

/// The most brackets that stand in each other, those in strings and comments aside.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut rest = text;
    while let Some(place) = rest.find(['(', '[', '{', ')', ']', '}', '"', '#']) {
        let (bracket, behind) = (rest.as_bytes()[place], &rest[place + 1..]);
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

/// What follows a string, which ends at the end of its line at the latest.
fn after_string(text: &str) -> &str {
    let mut rest = text;
    while let Some(place) = rest.find(['"', '\\', '\n', '\r']) {
        let is_escape = rest.as_bytes()[place] == b'\\';
        rest = &rest[place + 1..];
        if !is_escape {
            return rest;
        }
        // Whatever is escaped ends nothing, unless it is the line that ends.
        rest = rest.strip_prefix(['"', '\\']).unwrap_or(rest);
    }
    ""
}

/// What follows a block string.
fn after_block(text: &str) -> &str {
    let mut rest = text;
    while let Some(place) = rest.find("\"\"\"") {
        let is_escaped = rest[..place].ends_with('\\');
        rest = &rest[place + 3..];
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
        assert!(check(&"[".repeat(MOST)).is_ok());
        assert!(check(&"[".repeat(MOST + 1)).is_err());
    }
}
