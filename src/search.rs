//! Full-text search in titles.
//!
//! A search consists of terms: a word, `"a quoted phrase"`, or the beginning of a word, `symph*`. It finds the titles that
//! have all of them, and none of those with a minus before them. Case and diacritics do not matter: the terms are folded as
//! the databases fold titles, by [`migration::letters`]. They reach the databases as parameters, so every text is safe.

use std::collections::HashSet;

mod argument;
mod find;
mod relevance;
mod term;

pub use argument::SearchArgument;

use bookends_server::request::{Code, Error, Result};
use term::Term;

/// The longest search, in characters.
const MAX: usize = 200;

/// The description of the argument of a list, whose objects these words name, and what it costs: `books whose title`.
fn description(objects: &str, cost: &str) -> String {
    format!(
        "Returns only {objects} contains all terms: words, \"quoted phrases\", and beginnings of words (`symph*`). A minus \
         excludes a term (`-word`). Case and diacritics are ignored. A search has at most {MAX} characters; a blank one is \
         ignored. A search needs a term that is not excluded, and has no operator `OR`. {cost}"
    )
}

/// A search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    terms: Vec<Term>,
    excluded: Vec<Term>,
}

/// A part of a text.
enum Part {
    Term(Term),
    Excluded(Term),
    /// The word `OR`, in capitals and without quotes.
    Or,
}

impl Search {
    /// Parses a search. A blank text is no search.
    ///
    /// # Errors
    ///
    /// [`Code::BadUserInput`] for more than 200 characters, for `OR` between terms, and for a text that only excludes.
    pub fn parse(text: &str) -> Result<Option<Self>> {
        let refused = |message: &str| Err(Error::client(Code::BadUserInput, message));
        if text.chars().nth(MAX).is_some() {
            return refused(&format!("the search must have at most {MAX} characters, not {}", text.chars().count()));
        }
        if text.trim().is_empty() {
            return Ok(None);
        }
        let parts = parts(text);
        let last = parts.len().saturating_sub(1);
        if parts.iter().enumerate().any(|(place, part)| matches!(part, Part::Or) && place > 0 && place < last) {
            return refused(
                "a search has no operator OR: it finds objects that match all terms; quote \"or\" to find the word",
            );
        }
        let (mut search, mut known) = (Self { terms: Vec::new(), excluded: Vec::new() }, HashSet::new());
        for part in parts {
            let (term, is_excluded) = match part {
                Part::Term(term) => (term, false),
                Part::Or => (Term::new("or", false), false),
                Part::Excluded(term) => (term, true),
            };
            // A repeated term adds nothing.
            if known.insert((term.clone(), is_excluded)) {
                if is_excluded { &mut search.excluded } else { &mut search.terms }.push(term);
            }
        }
        if search.terms.is_empty() && !search.excluded.is_empty() {
            return refused("the search must have a term that it does not exclude");
        }
        Ok(Some(search))
    }
}

/// The parts of a text that have words.
fn parts(text: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut push = |term: Term, is_excluded: bool, is_or: bool| {
        if term.has_words() {
            parts.push(match (is_or, is_excluded) {
                (true, _) => Part::Or,
                (_, true) => Part::Excluded(term),
                _ => Part::Term(term),
            });
        }
    };
    let mut pieces = text.split('"').peekable();
    // What stands outside of quotes, and what stands in them.
    while let Some(outside) = pieces.next() {
        for word in outside.split_whitespace() {
            let (excluded, word) = word.strip_prefix('-').map_or((false, word), |rest| (true, rest));
            push(Term::new(word, word.ends_with('*')), excluded, !excluded && word == "OR");
        }
        let is_excluded = outside.ends_with('-') && outside.split_whitespace().last() == Some("-");
        if let Some(phrase) = pieces.next() {
            // A star at the beginning of what follows belongs to the phrase.
            let is_prefix = pieces.peek().is_some_and(|next| next.starts_with('*'));
            push(Term::new(phrase, is_prefix), is_excluded, false);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, terms: &[&str], excluded: &[&str]) {
        let search = Search::parse(text).unwrap().unwrap();
        let shown = |terms: &[Term]| terms.iter().map(Term::to_string).collect::<Vec<_>>();
        assert_eq!((shown(&search.terms), shown(&search.excluded)), (owned(terms), owned(excluded)), "{text}");
    }

    fn owned(terms: &[&str]) -> Vec<String> {
        terms.iter().map(|term| (*term).to_owned()).collect()
    }

    #[test]
    fn a_search_is_words_phrases_and_prefixes() {
        check("fifth symphony", &[r#""fifth""#, r#""symphony""#], &[]);
        check(r#"the "fifth symphony" of"#, &[r#""the""#, r#""fifth symphony""#, r#""of""#], &[]);
        check(r#"symph* "fifth sy"* x"#, &[r#""symph"*"#, r#""fifth sy"*"#, r#""x""#], &[]);
        check(r#"e-mail "not closed"#, &[r#""e mail""#, r#""not closed""#], &[]);
    }

    #[test]
    fn a_minus_excludes() {
        check(r#"fifth -symphony -"of place" -sy*"#, &[r#""fifth""#], &[r#""symphony""#, r#""of place""#, r#""sy"*"#]);
        check(r#"fifth - symphony e-"mail""#, &[r#""fifth""#, r#""symphony""#, r#""e""#, r#""mail""#], &[]);
        check(r#"fifth -"sy"*"#, &[r#""fifth""#], &[r#""sy"*"#]);
        for only in ["-fifth", "!! -fifth", r#"-"a b" -c*"#] {
            assert!(Search::parse(only).is_err(), "{only}");
        }
    }

    #[test]
    fn or_is_refused_between_terms_and_is_a_word_elsewhere() {
        for text in ["a OR b", r#""a" OR "b""#, "a OR -b", "a b OR OR c"] {
            assert!(Search::parse(text).is_err(), "{text}");
        }
        check("OR", &[r#""or""#], &[]);
        check("a OR", &[r#""a""#, r#""or""#], &[]);
        check("OR a", &[r#""or""#, r#""a""#], &[]);
        check(r#"a or b "OR" "#, &[r#""a""#, r#""or""#, r#""b""#], &[]);
    }

    #[test]
    fn a_search_has_one_spelling() {
        check("Anchor  E\u{301}tude🎼 anchor", &[r#""anchor""#, r#""étude""#], &[]);
    }

    #[test]
    fn what_has_no_letters_is_no_term() {
        check(r#"* ** "" "*"* - AND( "#, &[r#""and""#], &[]);
        assert!(Search::parse(" ").unwrap().is_none());
        assert!(Search::parse("!").unwrap().unwrap().terms.is_empty());
        assert!(Search::parse(&"x".repeat(201)).is_err());
    }
}
