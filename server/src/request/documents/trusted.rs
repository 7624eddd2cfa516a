//! Trusted documents, from a file that Relay's compiler or GraphQL Code Generator writes: a JSON object of texts by their
//! ids. An id is a hash of the text there, and any name here.
//!
//! They are parsed and validated at start-up, and never evicted.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_graphql::ServerError;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use sha2::{Digest, Sha256};

use super::document::{Document, Hash, decode};
use crate::config;
use crate::request::cost::{self, DeclaredCosts};
use crate::request::message::shortened;
use crate::request::validation::Validator;

/// The maximum size of the file, in bytes. A parsed document takes about thirty times its text, and its plan, too.
const MAX_FILE: u64 = 8 << 20;
/// What names a document by the SHA-256 of its text in `documentId` (GraphQL over HTTP, appendix A).
pub(super) const SHA256: &str = "sha256:";

/// The documents that a server trusts. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Trusted {
    by_id: Arc<HashMap<String, Arc<Document>>>,
    by_hash: Arc<HashMap<Hash, Arc<Document>>>,
    /// Whether all other documents are refused.
    pub is_required: bool,
}

/// Why the documents of a file cannot be trusted. The text is one line.
#[derive(Debug, thiserror::Error)]
pub enum TrustedError {
    /// The file is missing or not readable.
    #[error("cannot read the documents in {}: {error}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The file is too large.
    #[error("the documents in {} have more than {MAX_FILE} bytes", .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The file is not an object of texts.
    #[error("the documents in {} are not a JSON object of texts by their ids: {error}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What was expected, and where.
        error: serde_json::Error,
    },
    /// A document that cannot be executed.
    #[error("the document `{id}` in {} cannot be trusted: {reason}", .path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The id of the document.
        id: String,
        /// The first error.
        reason: String,
    },
}

impl Trusted {
    /// Reads the documents of these settings.
    ///
    /// # Errors
    ///
    /// [`TrustedError`], also for a document that is not valid, or too costly whatever its variables.
    pub fn read(
        settings: &config::Documents,
        validator: &Validator,
        costs: &DeclaredCosts,
        limits: config::Limits,
    ) -> Result<Self, TrustedError> {
        let is_required = settings.documents_only;
        let Some(path) = &settings.documents else { return Ok(Self { is_required, ..Self::default() }) };
        let Texts(texts) = texts(path)?;
        let mut documents = Vec::new();
        for (id, text) in texts {
            let hash: Hash = Sha256::digest(text.as_bytes()).into();
            let document = document(text, validator, costs, limits).map_err(|errors| {
                let reason = errors.first().map_or_else(String::new, locate);
                TrustedError::Invalid { path: path.clone(), id: one_line(&id), reason }
            })?;
            let document = Document { max_age: settings.documents_max_age, is_trusted: true, ..document };
            documents.push((id, hash, Arc::new(document)));
        }
        Ok(Self { is_required, ..Self::of(documents) })
    }

    /// Documents with their ids, and the hashes of their texts.
    pub(super) fn of(documents: impl IntoIterator<Item = (String, Hash, Arc<Document>)>) -> Self {
        let (mut by_id, mut by_hash) = (HashMap::new(), HashMap::new());
        for (id, hash, document) in documents {
            by_hash.insert(hash, Arc::clone(&document));
            by_id.insert(id, document);
        }
        Self { by_id: Arc::new(by_id), by_hash: Arc::new(by_hash), is_required: false }
    }

    /// Whether no document is trusted.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// The document with this id: its name in the file, or the SHA-256 of its text in hexadecimal digits. `sha256:` before
    /// it changes nothing.
    pub fn named(&self, id: &str) -> Option<&Arc<Document>> {
        let hash = id.strip_prefix(SHA256).unwrap_or(id);
        let named = self.by_id.get(id).or_else(|| self.by_id.get(hash));
        named.or_else(|| self.find_hash(&decode(hash)?))
    }

    /// The document whose text has this hash.
    pub fn find_hash(&self, hash: &Hash) -> Option<&Arc<Document>> {
        self.by_hash.get(hash)
    }
}

/// The document of a text, checked as far as possible without variables.
fn document(
    text: String,
    validator: &Validator,
    costs: &DeclaredCosts,
    limits: config::Limits,
) -> Result<Document, Vec<ServerError>> {
    let validated = validator.read(&text)?;
    let has_variables = validated.plans.document().operations.iter().any(|(_, operation)| {
        // Their values decide about the cost, and not about the depth.
        !operation.node.variable_definitions.is_empty()
    });
    let cost = cost::compute(validated.plans.document(), &async_graphql::Variables::default(), costs, limits);
    let cost = if has_variables { cost.only_depth() } else { cost };
    cost.check(limits).map_err(|error| vec![error.of_request()])?;
    Ok(Document::new(text, validated))
}

fn locate(error: &ServerError) -> String {
    let message = one_line(&error.message);
    match error.locations.first() {
        Some(pos) => format!("{message} (line {}, column {})", pos.line, pos.column),
        None => message,
    }
}

fn texts(path: &Path) -> Result<Texts, TrustedError> {
    let unreadable = |error| TrustedError::File { path: path.to_owned(), error };
    let mut json = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MAX_FILE + 1).read_to_end(&mut json).map_err(unreadable)?;
    if json.len() as u64 > MAX_FILE {
        return Err(TrustedError::TooLarge { path: path.to_owned() });
    }
    serde_json::from_slice(&json).map_err(|error| TrustedError::Malformed { path: path.to_owned(), error })
}

/// Texts by their ids. An id occurs once.
#[derive(Debug)]
struct Texts(BTreeMap<String, String>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries)
    }
}

struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Texts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of texts")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Texts, A::Error> {
        let mut texts = BTreeMap::new();
        while let Some((id, text)) = entries.next_entry::<String, String>()? {
            if texts.contains_key(&id) {
                return Err(de::Error::custom(format_args!("the id `{}` occurs twice", one_line(&id))));
            }
            texts.insert(id, text);
        }
        Ok(Texts(texts))
    }
}

/// A text for a message of one line.
fn one_line(text: &str) -> String {
    shortened(text).replace(char::is_control, " ")
}
