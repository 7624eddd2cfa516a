//! Queries that were asked before: they are neither parsed nor validated again, and a client that names one by its hash
//! need not send it again (Apollo's automatic persisted queries, version 1).
//!
//! What is kept has been executed once. It is valid, unless parts of it were left out for want of variables; those are
//! checked each time.

use std::sync::Arc;

use async_graphql::parser::types::ExecutableDocument;
use async_graphql::{Request, ServerError, Value};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};

use super::code::Code;
use super::error::refusal;

/// How many bytes of text are kept; parsed, they are some thirty times as many.
const MOST_BYTES: u64 = 1 << 20;
/// The longest text that is kept, in bytes: a client that writes values into its queries does not drive out all others.
const LONGEST: usize = 1 << 14;

/// The hash of a query's text.
pub type Hash = [u8; 32];

/// The queries that are kept. Cheap to clone.
#[derive(Clone)]
pub struct Documents(Arc<Cache<Hash, Arc<Document>, ByText>>);

/// A query that was executed.
#[derive(Clone, Debug)]
pub struct Document {
    text: String,
    /// Whether all of it has been validated.
    pub is_valid: bool,
    parsed: ExecutableDocument,
}

#[derive(Clone)]
struct ByText;

impl Weighter<Hash, Arc<Document>> for ByText {
    fn weight(&self, _: &Hash, document: &Arc<Document>) -> u64 {
        document.text.len() as u64
    }
}

impl Default for Documents {
    fn default() -> Self {
        Self(Arc::new(Cache::with_weighter(1000, MOST_BYTES, ByText)))
    }
}

impl Documents {
    /// Gives a request its query, parsed, where that is kept; and says by which hash it is kept, or can be, and whether
    /// it is known to be valid.
    ///
    /// # Errors
    ///
    /// [`Code::PersistedQueryNotFound`] for a hash that nothing is kept by, [`Code::PersistedQueryMismatch`] for that of another
    /// text, [`Code::RequestMalformed`] for what is none.
    pub fn find(&self, request: &mut Request) -> Result<(Hash, bool), ServerError> {
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
            Some(document) => {
                request.query.clone_from(&document.text);
                request.set_parsed_query(document.parsed.clone());
                Ok((hash, document.is_valid))
            }
            // The message by which clients know to send the text.
            None if request.query.is_empty() && named.is_some() => {
                Err(refusal(Code::PersistedQueryNotFound, "PersistedQueryNotFound"))
            }
            None => Ok((hash, false)),
        }
    }

    /// Keeps a query that was executed.
    pub fn keep(&self, hash: Hash, document: Document) {
        self.0.insert(hash, Arc::new(document));
    }
}

impl Document {
    /// The query of a request that has been parsed; none where it is too long to be kept.
    pub fn of(request: &mut Request) -> Option<Self> {
        let text = Some(request.query.clone()).filter(|text| text.len() <= LONGEST)?;
        Some(Self { text, is_valid: true, parsed: request.parsed_query().ok()?.clone() })
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
    for (byte, place) in hash.iter_mut().zip((0..).step_by(2)) {
        let digits = text.get(place..place + 2).filter(|digits| !digits.starts_with('+'))?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(hash)
}

fn malformed() -> ServerError {
    refusal(
        Code::RequestMalformed,
        "`persistedQuery` is `{ version: 1, sha256Hash }`, the hash in 64 hexadecimal digits",
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

    #[test]
    fn what_is_kept_is_bounded() {
        let documents = Documents::default();
        for n in 0..2_000_u16 {
            let text = format!("{{ books {{ totalCount }} }} # {n} {}", "x".repeat(1000));
            let mut request = Request::new(text);
            request.parsed_query().unwrap();
            let (hash, is_known) = documents.find(&mut request).unwrap();
            assert!(!is_known);
            documents.keep(hash, Document::of(&mut request).unwrap());
        }
        assert!(documents.0.weight() <= MOST_BYTES);
        assert!(Document::of(&mut Request::new(format!("{{ a }} #{}", "x".repeat(LONGEST)))).is_none());
    }
}
