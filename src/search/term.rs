//! A word, or a phrase.

use std::fmt;
use std::hash::{Hash, Hasher};

use migration::letters::folded;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A word or a phrase. Terms with the same words are equal, however they are spelled.
#[derive(Clone, Debug)]
pub struct Term {
    /// As it was written, composed (NFC), in lower case, with single spaces.
    text: String,
    /// Its words as the databases have them, separated by one space.
    pub words: String,
    /// Whether its last word is a prefix.
    pub is_prefix: bool,
}

impl Term {
    pub fn new(text: &str, is_prefix: bool) -> Self {
        let of_word = |letter: char| letter.is_alphanumeric() || is_combining_mark(letter);
        let written: String = text.nfc().map(|letter| if of_word(letter) { letter } else { ' ' }).collect();
        let written: Vec<&str> = written.split_whitespace().collect();
        Self { text: written.join(" ").to_lowercase(), words: folded(text), is_prefix }
    }

    /// Several terms as one phrase.
    pub fn phrase(terms: &[Self]) -> Self {
        let join = |text: fn(&Self) -> &str| terms.iter().map(text).collect::<Vec<_>>().join(" ");
        Self {
            text: join(|term| &term.text),
            words: join(|term| &term.words),
            is_prefix: terms.last().is_some_and(|last| last.is_prefix),
        }
    }

    pub fn has_words(&self) -> bool {
        !self.words.is_empty()
    }

    /// The number of characters that can be part of a word.
    pub fn letters(&self) -> u32 {
        self.text.chars().filter(|letter| letter.is_alphanumeric()).map(|_| 1).sum()
    }

    /// Whether a title that has its words need not have the term.
    pub fn is_more_than_words(&self) -> bool {
        self.is_prefix || self.words.contains(' ')
    }

    /// Its whole words, and its prefix.
    pub fn parts(&self) -> (impl Iterator<Item = &str>, Option<&str>) {
        let (words, prefix) = match (self.is_prefix, self.words.rsplit_once(' ')) {
            (false, _) => (self.words.as_str(), None),
            (true, Some((words, prefix))) => (words, Some(prefix)),
            (true, None) => ("", Some(self.words.as_str())),
        };
        (words.split_whitespace(), prefix)
    }

    /// What stands in a folded title with a space before and after it, exactly where the title has the term.
    pub fn needle(&self) -> String {
        format!(" {}{}", self.words, if self.is_prefix { "" } else { " " })
    }
}

impl PartialEq for Term {
    fn eq(&self, other: &Self) -> bool {
        (&self.words, self.is_prefix) == (&other.words, other.is_prefix)
    }
}

impl Eq for Term {}

impl Hash for Term {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.words, self.is_prefix).hash(state);
    }
}

/// In quotes, followed by a star if it is a prefix.
impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"{}", self.text, if self.is_prefix { "*" } else { "" })
    }
}
