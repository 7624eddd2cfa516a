//! The tokens of a text, where `apollo-parser` misreads them.
//!
//! It accepts an argument without a value, and omits it from the syntax tree: of `addBook(input: { name: "x", year year: 1 })`,
//! the rest would be executed. It refuses a comma before the colon of an alias and after `...`, and descriptions (GraphQL of
//! September 2025).

use std::iter::repeat_n;

use apollo_compiler::ast::Document;
use apollo_parser::{Lexer, TokenKind};

/// The longest name, in bytes: a message about each place where it is used would repeat it.
pub const MAX_NAME: usize = 1000;
/// What a definition begins with that can have a description.
const KEYWORDS: [&str; 4] = ["query", "mutation", "subscription", "fragment"];

/// The offset of the first name that is too long.
pub fn too_long(text: &str) -> Option<usize> {
    let names = Lexer::new(text).filter_map(Result::ok).filter(|token| token.kind() == TokenKind::Name);
    names.filter(|name| name.data().len() > MAX_NAME).map(|name| name.index()).next()
}

/// A token that is not in the tree: its offset in the text, and its characters.
#[derive(Debug, PartialEq)]
pub struct Lost<'a> {
    pub offset: usize,
    pub characters: &'a str,
}

/// Finds the first token of a text that its syntax tree does not have.
pub fn lost<'a>(document: &Document, text: &'a str) -> Option<Lost<'a>> {
    let printed = document.serialize().no_indent().to_string();
    let (found, kept) = (tokens(text), tokens(&printed));
    let mut kept = kept.iter();
    // A string is printed with other quotes and escapes.
    let is = |found: &Token<'_>, kept: &Token<'_>| {
        found.kind == kept.kind && (found.kind == TokenKind::StringValue || found.characters == kept.characters)
    };
    let first = found.iter().find(|found| !kept.next().is_some_and(|kept| is(found, kept)))?;
    Some(Lost { offset: first.offset, characters: first.characters })
}

/// The text with white space in place of its commas and descriptions, which do not change what is executed; other offsets
/// stay.
pub fn plain(text: &str) -> String {
    let (commas, others): (Vec<_>, Vec<_>) = read(text).partition(|token| token.kind == TokenKind::Comma);
    let mut dropped: Vec<&Token<'_>> = commas.iter().chain(descriptions(&others)).collect();
    dropped.sort_unstable_by_key(|token| token.offset);
    let mut plain = String::with_capacity(text.len());
    for token in dropped {
        plain.push_str(text.get(plain.len()..token.offset).unwrap_or_default());
        plain.extend(repeat_n(' ', token.characters.len()));
    }
    plain.push_str(text.get(plain.len()..).unwrap_or_default());
    plain
}

/// The descriptions of operations, fragments and variables among tokens without commas. A query without a keyword has none.
fn descriptions<'t, 'a>(tokens: &'t [Token<'a>]) -> Vec<&'t Token<'a>> {
    let (mut open, mut found) = (Vec::new(), Vec::new());
    for (index, token) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| tokens.get(index)).map(|token| token.kind);
        match token.kind {
            TokenKind::LCurly | TokenKind::LParen | TokenKind::LBracket => open.push(token.kind),
            TokenKind::RCurly | TokenKind::RParen | TokenKind::RBracket => _ = open.pop(),
            TokenKind::StringValue => {
                let described = tokens.get(index + 1);
                let is_description = described.is_some_and(|described| match open.as_slice() {
                    [] => matches!(before, None | Some(TokenKind::RCurly)) && KEYWORDS.contains(&described.characters),
                    // After `=` it is the default of the variable before.
                    [TokenKind::LParen] => {
                        described.kind == TokenKind::Dollar && !matches!(before, Some(TokenKind::Eq | TokenKind::Colon))
                    }
                    _ => false,
                });
                if is_description {
                    found.push(token);
                }
            }
            _ => {}
        }
    }
    found
}

struct Token<'a> {
    kind: TokenKind,
    offset: usize,
    characters: &'a str,
}

/// The tokens of a text that have a meaning, and its commas.
fn read(text: &str) -> impl Iterator<Item = Token<'_>> {
    let tokens = Lexer::new(text).filter_map(Result::ok);
    let tokens = tokens.map(|token| Token { kind: token.kind(), offset: token.index(), characters: token.data() });
    tokens.filter(|token| !matches!(token.kind, TokenKind::Whitespace | TokenKind::Comment | TokenKind::Eof))
}

/// The tokens of a text, without commas and the optional `query` before a selection set.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut depth = 0_usize;
    let mut tokens: Vec<Token<'_>> = Vec::new();
    for token in read(text) {
        match token.kind {
            TokenKind::Comma => continue,
            TokenKind::LCurly if depth == 0 => {
                tokens.pop_if(|last| last.characters == "query" && last.kind == TokenKind::Name);
                depth += 1;
            }
            TokenKind::LCurly | TokenKind::LParen => depth += 1,
            TokenKind::RCurly | TokenKind::RParen => depth = depth.saturating_sub(1),
            _ => {}
        }
        tokens.push(token);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(usize, &str)>) {
        let document = Document::parse(text, "").unwrap_or_else(|errors| panic!("{text}: {}", errors.errors));
        let found = lost(&document, text);
        assert_eq!(found.map(|lost| (lost.offset, lost.characters)), expected, "{text}");
    }

    #[test]
    fn a_name_without_a_value_is_lost() {
        check("{ a(b b: 1) }", Some((6, "b")));
        check("{ a(b: 1 c) }", Some((9, "c")));
        check("{ a(b: { c c: 1 }) }", Some((11, "c")));
    }

    #[test]
    fn a_name_is_bounded_and_a_string_is_not() {
        let name = "n".repeat(MAX_NAME);
        assert_eq!(too_long(&format!("{{ {name}(a: \"{name}{name}\") }}")), None);
        assert_eq!(too_long(&format!("{{ a(b: ${name}n) }}")), Some(8));
    }

    #[test]
    fn a_comma_is_white_space_outside_of_strings_and_comments() {
        let text = "{ a ,: é(b: \"x,y\", c: \"\"\",\"\"\") # ,\n ..., F,,}";
        assert_eq!(plain(text), "{ a  : é(b: \"x,y\"  c: \"\"\",\"\"\") # ,\n ...  F  }");
    }

    #[test]
    fn a_description_is_white_space() {
        for (text, expected) in [
            ("\"é\" query{a}\"\"\"b\n\"\"\",fragment F on Q{a}", "     query{a}         fragment F on Q{a}"),
            (
                "query(\"x\"$a:I=1,\"y\",$b:S=\"z\"\"w\" $c:I@d(e:\"f\")\"g\"$h:I){a}",
                "query(   $a:I=1     $b:S=\"z\"    $c:I@d(e:\"f\")   $h:I){a}",
            ),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }

    #[test]
    fn a_string_at_another_place_is_no_description() {
        for text in [
            "\"x\"{a}",
            "\"x\" \"y\"{a}",
            "\"x\" type Q{a:I}",
            "query \"x\" fragment{a}",
            "query @d \"x\" fragment{a}",
            "query($a:S=\"x\" $b:S=[\"y\" $c]){a}",
            "{a(b:\"x\" $c:1)}",
            "{a \"x\" query}",
            "\"x\"",
        ] {
            assert_eq!(plain(text), text);
        }
    }

    #[test]
    fn nothing_else_is() {
        for text in [
            "{ a }",
            "query { a }",
            "query query { query { query } }",
            "query($a: [ I ! ] = [{ b: -0 }] @d) @d(e: 1.5e3) { ... @d { a } ...F ... on T { b(c: \"\"\"x\"\"\") } }
             fragment F on T @d { a: b, # c\n c(d: \"\\u00e9\\n\") }",
            "\u{feff}query A($a: Int) { a } query B { b } query { c } { d }",
            "mutation @d { a } subscription { b(c: {}, d: [], e: $f, g: null, h: E) }",
        ] {
            check(text, None);
        }
    }
}
