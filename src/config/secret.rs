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
    /// It stands where it can be seen.
    #[error("a password on the command line is read by everybody on the machine: set DATABASE_URL, or a file")]
    Shown,
}

impl Secret {
    /// Takes a text out of sight.
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// The text, for those who use it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether it is a URL with a password in it: that of its user, or a parameter.
    pub(super) fn has_password(&self) -> bool {
        let Some((_, rest)) = self.0.split_once("://") else { return false };
        let (address, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let user = address.split('/').next().and_then(|authority| authority.rsplit_once('@'));
        user.is_some_and(|(user, _)| user.contains(':'))
            || parameters.split('&').any(|parameter| parameter.starts_with("password="))
    }

    #[expect(clippy::disallowed_methods, reason = "this is the place where settings are read")]
    pub(super) fn from_environment(name: &str) -> Option<Self> {
        // What is no text is kept, and refused where the token is needed: to take it for none would open the server.
        std::env::var_os(name).map(|text| Self(text.to_string_lossy().into_owned()))
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_seen_wherever_it_stands_in_a_url() {
        for url in ["postgres://u:p@h/d", "postgres://u:a@b:c@h", "postgres://h/d?sslmode=require&password=p"] {
            assert!(Secret::from(url).has_password(), "{url}");
        }
        for url in ["postgres://u@h:5432/d", "postgres://h/d:e@f", "sqlite://a.db?mode=rwc", "sqlite::memory:", "h:p@"]
        {
            assert!(!Secret::from(url).has_password(), "{url}");
        }
        assert_eq!(format!("{:?}", Secret::from("postgres://u:p@h/d")), "Secret(…)");
    }
}
