//! Secrets: settings that are never shown, from the environment or from a file that an orchestrator mounts.

use std::path::Path;
use std::{fmt, fs, io};

/// A text that `Debug` does not show.
#[derive(Clone)]
pub struct Secret(String);

/// Why a secret cannot be read. The text names the setting, never its value.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The file is missing, not readable, or not text.
    #[error("cannot read {setting}_FILE: {error}")]
    File {
        /// The setting.
        setting: &'static str,
        /// The error of the system.
        error: io::Error,
    },
    /// The file is empty.
    #[error("{setting}_FILE names an empty file")]
    Empty {
        /// The setting.
        setting: &'static str,
    },
    /// The setting and its file are both set.
    #[error("{setting} and {setting}_FILE are both set: remove one")]
    Both {
        /// The setting.
        setting: &'static str,
    },
    /// The password is on the command line.
    #[error(
        "every user of this machine can read a password on the command line: set {setting} or {setting}_FILE instead"
    )]
    Shown {
        /// The setting.
        setting: &'static str,
    },
}

impl Secret {
    /// Wraps a text.
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// The text.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether the text is a URL with a password, after the user's name or as a parameter.
    pub(super) fn has_password(&self) -> bool {
        let Some((_, rest)) = self.0.split_once("://") else { return false };
        let (address, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let user = address.split('/').next().and_then(|authority| authority.rsplit_once('@'));
        user.is_some_and(|(user, _)| user.contains(':'))
            || parameters.split('&').any(|parameter| parameter.starts_with("password="))
    }

    #[expect(clippy::disallowed_methods, reason = "settings are read here")]
    pub(super) fn from_environment(name: &str) -> Option<Self> {
        // A value that is not text is kept, and rejected later. Ignoring it would remove the protection that it was set for.
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

/// The text of a setting's file, without the line end.
pub(super) fn read(setting: &'static str, path: &Path) -> Result<String, SecretError> {
    let text = fs::read_to_string(path).map_err(|error| SecretError::File { setting, error })?;
    let text = text.trim_end_matches(['\r', '\n']);
    if text.is_empty() { Err(SecretError::Empty { setting }) } else { Ok(text.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_found_anywhere_in_a_url() {
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
