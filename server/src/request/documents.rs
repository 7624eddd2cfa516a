//! The documents that need not be parsed, validated or planned again: those that a server trusts (`trusted`), and the
//! document cache. A client can send the id of one instead of its text, as `documentId` (GraphQL over HTTP, appendix A) or
//! as Apollo's persisted queries (version 1).
//!
//! A document is cached once it has been executed; that of a subscription, once it begins.

use std::sync::Arc;

use async_graphql::{Request, ServerError, Value};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};

use super::code::Code;
use super::cpu::is_long;
use super::error::refusal;

mod document;
mod trusted;

use document::decode;
pub use document::{Document, Hash};
pub use trusted::{Trusted, TrustedError};

/// The maximum weight of the cached documents. A parsed document takes about thirty times its text.
const MAX_WEIGHT: u64 = 1 << 20;
/// The longest cached text, in bytes: queries with values written into them must not evict all others.
const MAX_TEXT: usize = 1 << 14;
/// GraphiQL shows it in place of the schema.
const NOT_TRUSTED: &str =
    "this server executes only trusted documents (the setting DOCUMENTS_ONLY): send the id of one";

/// The documents of a server. Cheap to clone.
#[derive(Clone)]
pub struct Documents {
    trusted: Trusted,
    cache: Arc<Cache<Hash, Arc<Document>, ByWork>>,
    /// The hashes of cached texts: to compute one takes longer than to find it.
    hashes: Arc<Cache<Box<str>, Hash, ByLength>>,
}

/// The document of a request.
#[derive(Debug)]
pub enum Found {
    Known(Arc<Document>),
    /// A text with this hash.
    New(Hash),
}

#[derive(Clone)]
struct ByWork;

impl Weighter<Hash, Arc<Document>> for ByWork {
    fn weight(&self, _: &Hash, document: &Arc<Document>) -> u64 {
        document.weight()
    }
}

#[derive(Clone)]
struct ByLength;

impl Weighter<Box<str>, Hash> for ByLength {
    fn weight(&self, text: &Box<str>, hash: &Hash) -> u64 {
        (text.len() + hash.len()) as u64
    }
}

impl Documents {
    /// Trusts these documents. No other one is cached yet.
    pub fn new(trusted: Trusted) -> Self {
        let cache = Arc::new(Cache::with_weighter(1000, MAX_WEIGHT, ByWork));
        Self { trusted, cache, hashes: Arc::new(Cache::with_weighter(1000, MAX_WEIGHT, ByLength)) }
    }

    /// The document of a request: the one with its text, or with its id if it has no text.
    ///
    /// # Errors
    ///
    /// [`Code::PersistedQueryNotFound`] for an unknown id, [`Code::PersistedQueryMismatch`] for the hash of another text,
    /// [`Code::RequestMalformed`] for a malformed hash, [`Code::DocumentNotTrusted`] for a text that is not trusted where it
    /// must be.
    pub fn find(&self, request: &Request, id: Option<&str>) -> Result<Found, ServerError> {
        let persisted = request.extensions.get("persistedQuery").map(hash_of).transpose()?;
        let id = persisted.or(id).filter(|_| request.query.is_empty());
        let Some(id) = id else { return self.find_text(&request.query, persisted) };
        if let Some(document) = self.trusted.named(id) {
            return Ok(Found::Known(Arc::clone(document)));
        }
        let hash = match persisted {
            // Where documents are trusted, it can be a name that is not in the file any more.
            Some(name) if !self.trusted.is_empty() => decode(name),
            Some(hash) => Some(decode(hash).ok_or_else(malformed)?),
            None => id.strip_prefix(trusted::SHA256).and_then(decode),
        };
        let cached = hash.and_then(|hash| self.cache.get(&hash));
        // Clients recognise this message and send the text.
        cached.map(Found::Known).ok_or_else(|| refusal(Code::PersistedQueryNotFound, "PersistedQueryNotFound"))
    }

    /// The document of a text, whose hash may have come with it.
    fn find_text(&self, text: &str, persisted: Option<&str>) -> Result<Found, ServerError> {
        let hash = self.hashes.get(text).unwrap_or_else(|| Sha256::digest(text.as_bytes()).into());
        if let Some(persisted) = persisted {
            let is_same = match self.trusted.named(persisted) {
                Some(document) => document.text == text,
                None => decode(persisted).ok_or_else(malformed)? == hash,
            };
            if !is_same {
                return Err(refusal(Code::PersistedQueryMismatch, "provided sha does not match query"));
            }
        }
        if let Some(document) = self.trusted.find_hash(&hash) {
            return Ok(Found::Known(Arc::clone(document)));
        }
        if self.trusted.is_required {
            return Err(refusal(Code::DocumentNotTrusted, NOT_TRUSTED));
        }
        Ok(self.cache.get(&hash).map_or(Found::New(hash), Found::Known))
    }

    /// Caches a document that was executed, unless it is too long.
    pub fn keep(&self, hash: Hash, document: Arc<Document>) {
        if document.text.len() <= MAX_TEXT {
            self.hashes.insert(document.text.as_str().into(), hash);
            self.cache.insert(hash, document);
        }
    }
}

impl Found {
    /// Whether it is known, and long.
    pub fn is_long(&self) -> bool {
        matches!(self, Self::Known(document) if is_long(document.text.len()))
    }
}

/// The hash in `{ "version": 1, "sha256Hash": "…" }`. Of a trusted document, it can be any id.
fn hash_of(extension: &Value) -> Result<&str, ServerError> {
    let Value::Object(fields) = extension else { return Err(malformed()) };
    let is_known = fields.get("version").is_some_and(|version| *version == Value::from(1));
    match fields.get("sha256Hash") {
        Some(Value::String(text)) if is_known => Ok(text),
        _ => Err(malformed()),
    }
}

fn malformed() -> ServerError {
    refusal(
        Code::RequestMalformed,
        "expected `persistedQuery: { version: 1, sha256Hash }`, the hash as 64 hexadecimal digits",
    )
}

#[cfg(test)]
mod tests {
    use bookends_graphql::Plans;

    use super::*;
    use crate::request::validation::Validated;

    #[test]
    fn a_trusted_document_is_never_evicted() {
        let trusted = document("{ trusted }".into());
        let hash = Sha256::digest(b"{ trusted }").into();
        let documents = Documents::new(Trusted::of([("id".into(), hash, trusted)]));
        for n in 0..2_000_u16 {
            let text = format!("{{ a{n} }} # {}", "x".repeat(1000));
            documents.keep(Sha256::digest(text.as_bytes()).into(), document(text));
        }
        for (text, id) in [("", Some("id")), ("{ trusted }", None)] {
            let Ok(Found::Known(found)) = documents.find(&Request::new(text), id) else { panic!("it is trusted") };
            assert_eq!(found.text, "{ trusted }");
        }
    }

    fn document(text: String) -> Arc<Document> {
        let document = async_graphql::parser::parse_query(&text).unwrap();
        let plans = Plans::of(document, Arc::default());
        Arc::new(Document::new(text, Validated { plans, selections: 2, tokens: 4 }))
    }

    #[test]
    fn the_cache_is_bounded() {
        let documents = Documents::new(Trusted::default());
        for n in 0..2_000_u16 {
            let text = format!("{{ books {{ totalCount }} }} # {n} {}", "x".repeat(1000));
            let Found::New(hash) = documents.find(&Request::new(&text), None).unwrap() else { panic!("{text} is new") };
            documents.keep(hash, document(text));
        }
        assert!(documents.cache.weight() <= MAX_WEIGHT && documents.hashes.weight() <= MAX_WEIGHT);
        let text = format!("{{ a }} #{}", "x".repeat(MAX_TEXT));
        documents.keep(Sha256::digest(text.as_bytes()).into(), document(text.clone()));
        assert!(matches!(documents.find(&Request::new(text), None), Ok(Found::New(_))));
    }
}
