//! The document cache: a cached document is neither parsed, validated nor planned again, and a client can send its hash
//! instead of its text (Apollo's automatic persisted queries, version 1).
//!
//! A document is cached once it has been executed.

use std::sync::Arc;

use async_graphql::{Request, ServerError, Value};
use keyset_graphql::Plans;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};

use super::code::Code;
use super::error::refusal;
use super::validation::Validated;

/// The maximum weight of the cached documents. A parsed document takes about thirty times its text.
const MAX_WEIGHT: u64 = 1 << 20;
/// The weight of a selection, beside the byte of each character. A plan has each selection of a fragment at each place where
/// the fragment is spread, and takes about thirty times its weight, too.
const SELECTION: u64 = 32;
/// The longest cached text, in bytes: queries with values written into them must not evict all others.
const MAX_TEXT: usize = 1 << 14;

/// The SHA-256 of a document's text.
pub type Hash = [u8; 32];

/// The cache. Cheap to clone.
#[derive(Clone)]
pub struct Documents(Arc<Cache<Hash, Arc<Document>, ByWork>>);

/// A valid document.
#[derive(Clone, Debug)]
pub struct Document {
    pub text: String,
    /// The parsed document, and what it selects, planned when it is first executed.
    pub plans: Plans,
    /// The number of its fields and fragments, each where it is spread.
    selections: usize,
}

#[derive(Clone)]
struct ByWork;

impl Weighter<Hash, Arc<Document>> for ByWork {
    fn weight(&self, _: &Hash, document: &Arc<Document>) -> u64 {
        document.text.len() as u64 + SELECTION * document.selections as u64
    }
}

impl Default for Documents {
    fn default() -> Self {
        Self(Arc::new(Cache::with_weighter(1000, MAX_WEIGHT, ByWork)))
    }
}

impl Documents {
    /// The document of a request if it is cached, and the hash of its text.
    ///
    /// # Errors
    ///
    /// [`Code::PersistedQueryNotFound`] for an unknown hash, [`Code::PersistedQueryMismatch`] for the hash of another text,
    /// [`Code::RequestMalformed`] for a malformed hash.
    pub fn find(&self, request: &Request) -> Result<(Hash, Option<Arc<Document>>), ServerError> {
        let named = request.extensions.get("persistedQuery").map(hash).transpose()?;
        let hash = match named {
            Some(hash) if request.query.is_empty() => hash,
            named => {
                let hash = Sha256::digest(request.query.as_bytes()).into();
                if named.is_some_and(|named| named != hash) {
                    return Err(refusal(Code::PersistedQueryMismatch, "provided sha does not match query"));
                }
                hash
            }
        };
        match self.0.get(&hash) {
            Some(document) => Ok((hash, Some(document))),
            // Clients recognise this message and send the text.
            None if request.query.is_empty() && named.is_some() => {
                Err(refusal(Code::PersistedQueryNotFound, "PersistedQueryNotFound"))
            }
            None => Ok((hash, None)),
        }
    }

    /// Caches a document that was executed, unless it is too long.
    pub fn keep(&self, hash: Hash, document: Arc<Document>) {
        if document.text.len() <= MAX_TEXT {
            self.0.insert(hash, document);
        }
    }
}

impl Document {
    /// A document of this text.
    pub fn new(text: String, Validated { document, selections }: Validated) -> Self {
        Self { text, plans: Plans::of(document), selections }
    }
}

/// The hash in `{ "version": 1, "sha256Hash": "…" }`.
fn hash(extension: &Value) -> Result<Hash, ServerError> {
    let Value::Object(fields) = extension else { return Err(malformed()) };
    let is_known = fields.get("version").is_some_and(|version| *version == Value::from(1));
    match fields.get("sha256Hash") {
        Some(Value::String(text)) if is_known => decode(text).ok_or_else(malformed),
        _ => Err(malformed()),
    }
}

fn decode(text: &str) -> Option<Hash> {
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

fn malformed() -> ServerError {
    refusal(
        Code::RequestMalformed,
        "expected `persistedQuery: { version: 1, sha256Hash }`, the hash as 64 hexadecimal digits",
    )
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

    fn document(text: String) -> Arc<Document> {
        let document = async_graphql::parser::parse_query(&text).unwrap();
        Arc::new(Document::new(text, Validated { document, selections: 2 }))
    }

    #[test]
    fn the_cache_is_bounded() {
        let documents = Documents::default();
        for n in 0..2_000_u16 {
            let text = format!("{{ books {{ totalCount }} }} # {n} {}", "x".repeat(1000));
            let (hash, known) = documents.find(&Request::new(&text)).unwrap();
            assert!(known.is_none());
            documents.keep(hash, document(text));
        }
        assert!(documents.0.weight() <= MAX_WEIGHT);
        let text = format!("{{ a }} #{}", "x".repeat(MAX_TEXT));
        let (hash, _) = documents.find(&Request::new(&text)).unwrap();
        documents.keep(hash, document(text.clone()));
        assert!(documents.find(&Request::new(text)).unwrap().1.is_none());
    }
}
