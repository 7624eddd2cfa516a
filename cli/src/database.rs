//! Which database: a URL, or the path of a SQLite file.

use std::fmt::Write;
use std::path::Path;

use bookends_server::config::Secret;

/// Why no database is named.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum DatabaseError {
    /// None is named.
    #[error(
        "name a database: `bookends postgres://localhost/sakila`, `bookends sakila.db`, or the variable DATABASE_URL"
    )]
    None,
    /// Two are named.
    #[error("the database is named twice: remove --database-url")]
    Two,
    /// The URL has another scheme.
    #[error("the URL of a database starts with `postgres://` or `sqlite://`")]
    Scheme,
    /// There is no such file, which would be created.
    #[error("there is no file `{0}`")]
    Missing(String),
}

/// The URL of a database that is named by a URL or by a path. A SQLite file is opened for reading only, unless it may be written.
/// It must exist.
///
/// # Errors
///
/// [`DatabaseError`].
pub fn url(named: &str, write: bool) -> Result<Secret, DatabaseError> {
    if let Some(rest) = named.strip_prefix("sqlite:") {
        let (path, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let file = decoded(path.strip_prefix("//").unwrap_or(path));
        return of_file(path, &file, parameters, write);
    }
    match named.split_once("://") {
        Some(("postgres" | "postgresql", _)) => Ok(Secret::new(named.to_owned())),
        Some((scheme, _)) if is_scheme(scheme) => Err(DatabaseError::Scheme),
        _ => of_file(&format!("//{}", encoded(named)), named, "", write),
    }
}

/// The URL of a file, with these parameters and the mode.
fn of_file(path: &str, file: &str, parameters: &str, write: bool) -> Result<Secret, DatabaseError> {
    let in_memory = path.ends_with(":memory:") || parameters.split('&').any(|parameter| parameter == "mode=memory");
    if in_memory {
        return Ok(Secret::new(format!("sqlite:{path}?{parameters}")));
    }
    if !Path::new(file).exists() {
        return Err(DatabaseError::Missing(file.to_owned()));
    }
    let others = parameters.split('&').filter(|parameter| !parameter.is_empty() && !parameter.starts_with("mode="));
    let parameters: Vec<&str> = others.chain([if write { "mode=rw" } else { "mode=ro" }]).collect();
    Ok(Secret::new(format!("sqlite:{path}?{}", parameters.join("&"))))
}

/// Whether a text can be the scheme of a URL. A single letter is a drive of Windows.
fn is_scheme(text: &str) -> bool {
    text.len() > 1 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// A path in a URL.
fn encoded(path: &str) -> String {
    path.chars().fold(String::new(), |mut encoded, character| {
        if "%?#".contains(character) {
            // Writing to a text does not fail.
            let _ = write!(encoded, "%{:02X}", u32::from(character));
        } else {
            encoded.push(character);
        }
        encoded
    })
}

/// The path of a URL. What is no escape stays as it is.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = (byte == b'%').then(|| after.get(..2)).flatten();
        let escaped = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(escaped.unwrap_or(byte));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exposed(named: &str, write: bool) -> Result<String, DatabaseError> {
        url(named, write).map(|url| url.expose().to_owned())
    }

    #[test]
    fn a_database_is_a_url_or_a_file_that_exists() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        assert_eq!(exposed(file, false), Ok(format!("sqlite://{file}?mode=ro")));
        assert_eq!(exposed(file, true), Ok(format!("sqlite://{file}?mode=rw")));
        let url = format!("sqlite://{file}?cache=private&mode=rwc");
        assert_eq!(exposed(&url, false), Ok(format!("sqlite://{file}?cache=private&mode=ro")));
        assert_eq!(exposed(&format!("sqlite:{file}"), false), Ok(format!("sqlite:{file}?mode=ro")));
        assert_eq!(exposed("postgres://localhost/sakila", false), Ok("postgres://localhost/sakila".to_owned()));
        assert_eq!(exposed("none.db", true), Err(DatabaseError::Missing("none.db".to_owned())));
        assert_eq!(exposed("sqlite://no%20ne.db?mode=rwc", true), Err(DatabaseError::Missing("no ne.db".to_owned())));
        assert_eq!(exposed("mysql://localhost/sakila", false), Err(DatabaseError::Scheme));
    }

    #[test]
    fn a_path_survives_a_url() {
        for path in ["a.db", "100%.db", "what?.db", "a#b c/ü.db", "%41"] {
            assert_eq!(decoded(&encoded(path)), path);
        }
        assert_eq!(decoded("%4"), "%4");
    }
}
