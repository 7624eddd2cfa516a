//! What must not be shown: from the environment, or from a file as orchestrators mount them.

use std::path::Path;
use std::{fmt, fs, io};

/// A text that is not shown.
#[derive(Clone)]
pub struct Secret(String);

/// Why a secret cannot be had. Says where it was looked for, and nothing of what was found.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The file is not there, or not for this user, or no text.
    #[error("cannot read {setting}_FILE: {error}")]
    File {
        /// What the file was to hold.
        setting: &'static str,
        /// What the system said.
        error: io::Error,
    },
    /// The file holds nothing.
    #[error("{setting}_FILE names a file that is empty")]
    Empty {
        /// What it was to hold.
        setting: &'static str,
    },
    /// It is nowhere said which one goes before the other.
    #[error("{setting} and {setting}_FILE are both set: one of them is enough")]
    Both {
        /// What was set twice.
        setting: &'static str,
    },
}

impl Secret {
    /// Takes a text out of sight.
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// The text, for those who compare it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    #[expect(clippy::disallowed_methods, reason = "this is the place where settings are read")]
    pub(super) fn from_environment(name: &str) -> Option<Self> {
        // What is no text is kept, and refused where the token is needed: to take it for none would open the server.
        std::env::var_os(name).map(|text| Self(text.to_string_lossy().into_owned()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The text of a file that holds a setting, without the end of its line.
pub(super) fn read(setting: &'static str, path: &Path) -> Result<String, SecretError> {
    let text = fs::read_to_string(path).map_err(|error| SecretError::File { setting, error })?;
    let text = text.trim_end_matches(['\r', '\n']);
    if text.is_empty() { Err(SecretError::Empty { setting }) } else { Ok(text.to_owned()) }
}
