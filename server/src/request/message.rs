//! The texts of errors, which can quote what a client sent.

use std::borrow::Cow;

use async_graphql::ServerError;

/// The longest name in a message, in characters.
const MAX_NAME: usize = 100;
/// The longest message, in characters: it can quote a value.
const MAX_MESSAGE: usize = 1000;

/// A message in which names and the whole are not longer than their maxima.
pub fn shortened(message: &str) -> Cow<'_, str> {
    if message.len() <= MAX_NAME {
        return Cow::Borrowed(message);
    }
    let is_name = |character: char| character.is_alphanumeric() || character == '_' || character == '.';
    let (mut short, mut length, mut characters) = (String::new(), 0, 0);
    for character in message.chars() {
        length = if is_name(character) { length + 1 } else { 0 };
        if length > MAX_NAME + 1 {
            continue;
        }
        characters += 1;
        if characters > MAX_MESSAGE {
            short.push('…');
            break;
        }
        short.push(if length > MAX_NAME { '…' } else { character });
    }
    Cow::Owned(short)
}

/// Shortens the message of an error.
pub fn shorten(error: &mut ServerError) {
    if let Cow::Owned(short) = shortened(&error.message) {
        error.message = short;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_cut_where_it_is_too_long() {
        let (longest, tail) = ("n".repeat(MAX_NAME), "é_1.".repeat(MAX_NAME));
        for (message, expected) in [
            (String::new(), String::new()),
            (format!("`{longest}` and `{longest}`"), format!("`{longest}` and `{longest}`")),
            (format!("`{longest}n` and `{longest}{tail}`"), format!("`{longest}…` and `{longest}…`")),
            ("ab ".repeat(400), format!("{}a…", "ab ".repeat(333))),
        ] {
            assert_eq!(shortened(&message), expected);
        }
        let name = "é".repeat(MAX_NAME);
        assert_eq!(shortened(&name), name);
    }
}
