//! A valid document, and its hash.

use std::sync::OnceLock;

use async_graphql::parser::types::ExecutableDocument;
use bookends_graphql::Plans;

use crate::request::coercion::nests_variables;
use crate::request::cost::RequestCost;
use crate::request::validation::Validated;

/// The weight of a selection, beside the byte of each character. A plan has each selection of a fragment at each place where
/// the fragment is spread, and takes about thirty times its weight, too.
const SELECTION: u64 = 32;

/// The SHA-256 of a document's text.
pub type Hash = [u8; 32];

/// A valid document.
#[derive(Clone, Debug)]
pub struct Document {
    pub text: String,
    /// The parsed document, and what it selects, planned when it is first executed.
    pub plans: Plans,
    /// Whether it [nests variables](nests_variables).
    pub nests_variables: bool,
    /// How long caches may keep the responses to it, in seconds.
    pub max_age: Option<i32>,
    /// Whether it is one of those that the server was started with.
    pub is_trusted: bool,
    /// Its cost, once it is known that all requests have the same.
    pub(super) cost: OnceLock<RequestCost>,
    /// The number of its fields and fragments, each where it is spread.
    pub(super) selections: usize,
    pub(super) tokens: usize,
}

impl Document {
    /// The number of parts of it that take memory: tokens of the document, and selections of its plans.
    pub fn parts(&self) -> usize {
        self.tokens + self.selections
    }

    /// What it takes of the cache.
    pub fn weight(&self) -> u64 {
        self.text.len() as u64 + SELECTION * self.selections as u64
    }

    /// A document of this text.
    pub fn new(text: String, Validated { plans, selections, tokens }: Validated) -> Self {
        Self {
            text,
            nests_variables: nests_variables(plans.document()),
            plans,
            max_age: None,
            is_trusted: false,
            cost: OnceLock::new(),
            selections,
            tokens,
        }
    }

    /// Its cost, which `compute` computes unless every request has the same.
    pub fn cost(&self, compute: impl FnOnce(&ExecutableDocument) -> RequestCost) -> RequestCost {
        if let Some(known) = self.cost.get() {
            return known.clone();
        }
        let cost = compute(self.plans.document());
        if !cost.varies {
            // Another request may have been faster.
            let _ = self.cost.set(cost.clone());
        }
        cost
    }
}

/// The hash in hexadecimal digits.
pub fn decode(text: &str) -> Option<Hash> {
    let mut hash = Hash::default();
    if text.len() != 2 * hash.len() || !text.is_ascii() {
        return None;
    }
    for (byte, index) in hash.iter_mut().zip((0..).step_by(2)) {
        let digits = text.get(index..index + 2).filter(|digits| !digits.starts_with('+'))?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_64_hexadecimal_digits() {
        assert_eq!(decode(&"0f".repeat(32)), Some([15; 32]));
        for text in ["", "0f", &"0g".repeat(32), &"+f".repeat(32), &"0f".repeat(33), &"é".repeat(32)] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
