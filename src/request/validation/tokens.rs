//! The tokens of a text, where `apollo-parser` misreads them.
//!
//! It accepts an argument without a value, and omits it from the syntax tree: of `addBook(input: { name: "x", year year: 1 })`,
//! the rest would be executed. It refuses a comma before the colon of an alias and after `...`.

use apollo_compiler::ast::Document;
use apollo_parser::{Lexer, TokenKind};

/// The longest name, in bytes: a message about each place where it is used would repeat it.
pub const MAX_NAME: usize = 1000;

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

/// The text with white space in place of commas, which mean the same; other offsets stay.
pub fn without_commas(text: &str) -> String {
    let mut without = String::with_capacity(text.len());
    let tokens = Lexer::new(text).filter_map(Result::ok);
    for comma in tokens.filter(|token| token.kind() == TokenKind::Comma).map(|token| token.index()) {
        without.push_str(text.get(without.len()..comma).unwrap_or_default());
        without.push(' ');
    }
    without.push_str(text.get(without.len()..).unwrap_or_default());
    without
}

struct Token<'a> {
    kind: TokenKind,
    offset: usize,
    characters: &'a str,
}

/// The tokens of a text, without the optional `query` before a selection set.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut depth = 0_usize;
    let mut tokens: Vec<Token<'_>> = Vec::new();
    for token in Lexer::new(text).filter_map(Result::ok) {
        let kind = token.kind();
        match kind {
            TokenKind::Whitespace | TokenKind::Comment | TokenKind::Comma | TokenKind::Eof => continue,
            TokenKind::LCurly if depth == 0 => {
                tokens.pop_if(|last| last.characters == "query" && last.kind == TokenKind::Name);
                depth += 1;
            }
            TokenKind::LCurly | TokenKind::LParen => depth += 1,
            TokenKind::RCurly | TokenKind::RParen => depth = depth.saturating_sub(1),
            _ => {}
        }
        tokens.push(Token { kind, offset: token.index(), characters: token.data() });
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
        assert_eq!(without_commas(text), "{ a  : é(b: \"x,y\"  c: \"\"\",\"\"\") # ,\n ...  F  }");
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
