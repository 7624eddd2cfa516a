//! Full-text search in titles.
//!
//! A search consists of terms: a word, `"a quoted phrase"`, or the beginning of a word, `symph*`. It finds the titles that
//! have all of them. The databases ignore case and diacritics. The terms reach them as parameters, so every text is safe.

use std::collections::HashSet;
use std::fmt;

use ::entity::book;
use keyset::{Kind, Sort};
use keyset_graphql::filter::never;
use sea_orm::sea_query::{Expr, ExprTrait, Func};
use sea_orm::{ColumnTrait, DbBackend};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::request::{Code, Error, Result};

/// The longest search, in characters.
const MAX: usize = 200;

/// A search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    terms: Vec<Term>,
}

/// A word, or a phrase.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Term {
    text: String,
    /// Whether its last word is a prefix.
    is_prefix: bool,
}

impl Search {
    /// Parses a search. A blank text is no search.
    ///
    /// # Errors
    ///
    /// [`Code::BadUserInput`] for more than 200 characters.
    pub fn parse(text: &str) -> Result<Option<Self>> {
        if text.chars().nth(MAX).is_some() {
            return Err(Error::client(Code::BadUserInput, format!("a search has at most {MAX} characters")));
        }
        if text.trim().is_empty() {
            return Ok(None);
        }
        let mut terms: Vec<Term> = Vec::new();
        // Every second piece is quoted.
        for (index, piece) in text.split('"').enumerate() {
            if index % 2 == 1 {
                terms.push(Term::new(piece, false));
                continue;
            }
            let mut piece = piece;
            if let (Some(rest), Some(phrase)) = (piece.strip_prefix('*'), terms.last_mut()) {
                phrase.is_prefix = true;
                piece = rest;
            }
            terms.extend(piece.split_whitespace().map(|word| Term::new(word, word.ends_with('*'))));
        }
        // A repeated term adds nothing.
        let mut known = HashSet::new();
        terms.retain(|term| term.letters() > 0 && known.insert(term.clone()));
        Ok(Some(Self { terms }))
    }

    /// The books whose title has all the terms. A search without letters finds nothing.
    pub fn condition(&self, backend: DbBackend) -> Expr {
        matches(&self.terms, backend)
    }

    /// The relevance of a title: the share of its characters that the terms make up, plus 1 if they form a phrase. Both
    /// databases compute the same number.
    pub fn relevance(&self, backend: DbBackend) -> Sort {
        let texts = self.terms.iter().map(|term| term.text.clone());
        let is_prefix = self.terms.last().is_some_and(|last| last.is_prefix);
        let phrase = texts.reduce(|text, next| text + " " + &next).map(|text| Term { text, is_prefix });
        let together = matches(phrase.as_slice(), backend);
        let letters: u32 = self.terms.iter().map(Term::letters).sum();
        let characters = Func::char_length(book::Column::Name.into_expr());
        let relevance = Expr::case(together, 1.0).finally(0.0).add(Expr::value(f64::from(letters)).div(characters));
        let terms: Vec<String> = self.terms.iter().map(Term::to_string).collect();
        Sort::expression(format!("relevance to {}", terms.join(" ")), relevance, Kind::Double).never_null()
    }
}

impl Term {
    /// The words in a text, separated by one space, composed (NFC) and in lower case: equal searches have equal orders.
    fn new(text: &str, is_prefix: bool) -> Self {
        let of_word = |letter: char| letter.is_alphanumeric() || is_combining_mark(letter);
        let text: String = text.nfc().map(|letter| if of_word(letter) { letter } else { ' ' }).collect();
        let words: Vec<&str> = text.split_whitespace().collect();
        Self { text: words.join(" ").to_lowercase(), is_prefix }
    }

    /// The number of characters that can be part of a word.
    fn letters(&self) -> u32 {
        self.text.chars().filter(|letter| letter.is_alphanumeric()).map(|_| 1).sum()
    }
}

/// In the syntax of FTS5: a string, followed by a star if it is a prefix.
impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"{}", self.text, if self.is_prefix { "*" } else { "" })
    }
}

/// The titles that have all these terms. The database ignores a term in which it finds no word.
fn matches(terms: &[Term], backend: DbBackend) -> Expr {
    match backend {
        _ if terms.is_empty() => never(),
        DbBackend::Sqlite => matches_sqlite(terms),
        _ => matches_postgres(terms),
    }
}

/// ```sql
/// book.id IN (... MATCH '"fifth" "symph"*')
/// ```
fn matches_sqlite(terms: &[Term]) -> Expr {
    let terms: Vec<String> = terms.iter().map(Term::to_string).collect();
    let found = "book.id IN (SELECT book_id FROM book_words WHERE number IN
        (SELECT rowid FROM book_search WHERE book_search MATCH ?))";
    Expr::cust_with_values(found, [migration::folded(&terms.join(" "))])
}

/// ```sql
/// book.words @@ (book_phrase('fifth') && book_prefix('symph'))
/// ```
fn matches_postgres(terms: &[Term]) -> Expr {
    let query = |(number, term): (usize, &Term)| {
        let function = if term.is_prefix { "book_prefix" } else { "book_phrase" };
        format!("{function}(${number})")
    };
    let queries: Vec<String> = (1..).zip(terms).map(query).collect();
    let texts = terms.iter().map(|term| term.text.as_str());
    Expr::cust_with_values(format!("book.words @@ ({})", queries.join(" && ")), texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, terms: &[&str]) {
        let search = Search::parse(text).unwrap().unwrap();
        assert_eq!(search.terms.iter().map(Term::to_string).collect::<Vec<_>>(), terms, "{text}");
    }

    #[test]
    fn a_search_is_words_phrases_and_prefixes() {
        check("fifth symphony", &[r#""fifth""#, r#""symphony""#]);
        check(r#"the "fifth symphony" of"#, &[r#""the""#, r#""fifth symphony""#, r#""of""#]);
        check(r#"symph* "fifth sy"* x"#, &[r#""symph"*"#, r#""fifth sy"*"#, r#""x""#]);
        check(r#"e-mail "not closed"#, &[r#""e mail""#, r#""not closed""#]);
    }

    #[test]
    fn a_search_has_one_spelling() {
        check("Anchor  E\u{301}tude🎼 anchor", &[r#""anchor""#, r#""étude""#]);
    }

    #[test]
    fn what_has_no_letters_is_no_term() {
        check(r#"* ** "" "*"* - AND( "#, &[r#""and""#]);
        assert!(Search::parse(" ").unwrap().is_none());
        assert!(Search::parse("!").unwrap().unwrap().terms.is_empty());
        assert!(Search::parse(&"x".repeat(201)).is_err());
    }
}
