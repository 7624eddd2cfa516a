//! Who asks: tokens, and the headers of a proxy.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use axum::http::{HeaderName, Uri};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use super::secret::{self, Secret, SecretError};

/// The keys of JSON Web Tokens, what their claims must be, and the claims in the headers of a proxy.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Authentication")]
pub struct Authentication {
    /// The secret key of tokens (HS256): `JWT_SECRET`. It has no flag, because every user of a machine can read command lines.
    #[arg(skip = Secret::from_environment(JWT_SECRET))]
    pub jwt_secret: Option<Secret>,

    /// File that contains the secret key of JSON Web Tokens (HS256), of at least 32 bytes. Set either it or `JWT_SECRET`, not
    /// both.
    #[arg(long, env = "JWT_SECRET_FILE", value_name = "PATH")]
    pub jwt_secret_file: Option<PathBuf>,

    /// File that contains the public key of JSON Web Tokens in PEM: RSA (RS256), P-256 (ES256) or Ed25519 (EdDSA).
    #[arg(long, env = "JWT_PUBLIC_KEY_FILE", value_name = "PATH")]
    pub jwt_public_key_file: Option<PathBuf>,

    /// URL of the public keys of JSON Web Tokens, a JWK set. The server fetches it again after 15 minutes, and for an unknown
    /// key.
    #[arg(long, env = "JWT_JWKS_URL", value_name = "URL", value_parser = url)]
    pub jwt_jwks_url: Option<Uri>,

    /// The issuer that tokens must have (`iss`). By default, any.
    #[arg(long, env = "JWT_ISSUER", value_name = "ISSUER", value_parser = NonEmptyStringValueParser::new())]
    pub jwt_issuer: Option<String>,

    /// The audience that tokens must have (`aud`). By default, any.
    #[arg(long, env = "JWT_AUDIENCE", value_name = "AUDIENCE", value_parser = NonEmptyStringValueParser::new())]
    pub jwt_audience: Option<String>,

    /// By how many seconds the clocks of the issuer and of the server may differ; at most 3600.
    #[arg(
        long,
        env = "JWT_CLOCK_SKEW",
        default_value_t = Authentication::CLOCK_SKEW,
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u16).range(..=3600)
    )]
    pub jwt_clock_skew: u16,

    /// The scope that a token needs to write, in its `scope` or `scp`. By default, every valid token may write.
    #[arg(long, env = "JWT_WRITE_SCOPE", value_name = "SCOPE", value_parser = word)]
    pub jwt_write_scope: Option<String>,

    /// Claims that `TRUSTED_PROXIES` send in headers, such as `sub=X-Forwarded-User,tenant=X-Tenant`. The proxy must remove
    /// these headers from the requests of its clients.
    #[arg(long, env = "PROXY_CLAIMS", value_name = "CLAIMS", value_delimiter = ',')]
    pub proxy_claims: Vec<ProxyClaim>,
}

pub(crate) const JWT_SECRET: &str = "JWT_SECRET";
const JWT_PUBLIC_KEY: &str = "JWT_PUBLIC_KEY";

/// A claim, and the header that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyClaim {
    /// The name of the claim.
    pub claim: String,
    /// The name of the header.
    pub header: HeaderName,
}

impl Authentication {
    const CLOCK_SKEW: u16 = 30;

    /// By how much clocks may differ.
    pub fn clock_skew(&self) -> Duration {
        Duration::from_secs(self.jwt_clock_skew.into())
    }

    /// The secret key, if there is one.
    ///
    /// # Errors
    ///
    /// [`SecretError`] if its file cannot be read, or it is set twice.
    pub fn secret(&self) -> Result<Option<Secret>, SecretError> {
        match (&self.jwt_secret, &self.jwt_secret_file) {
            (Some(_), Some(_)) => Err(SecretError::Both { setting: JWT_SECRET }),
            (secret, None) => Ok(secret.clone()),
            (None, Some(path)) => Ok(Some(Secret::new(secret::read(JWT_SECRET, path)?))),
        }
    }

    /// The public key in PEM, if there is one.
    ///
    /// # Errors
    ///
    /// [`SecretError`] if its file cannot be read.
    pub fn public_key(&self) -> Result<Option<String>, SecretError> {
        self.jwt_public_key_file.as_ref().map(|path| secret::read(JWT_PUBLIC_KEY, path)).transpose()
    }
}

impl Default for Authentication {
    fn default() -> Self {
        Self {
            jwt_secret: None,
            jwt_secret_file: None,
            jwt_public_key_file: None,
            jwt_jwks_url: None,
            jwt_issuer: None,
            jwt_audience: None,
            jwt_clock_skew: Self::CLOCK_SKEW,
            jwt_write_scope: None,
            proxy_claims: Vec::new(),
        }
    }
}

impl FromStr for ProxyClaim {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once('=').map(|(claim, header)| (claim.trim(), header.trim()));
        let named = parts.filter(|(claim, _)| !claim.is_empty());
        named
            .and_then(|(claim, header)| Some(Self { claim: claim.to_owned(), header: header.parse().ok()? }))
            .ok_or("expected a claim and its header, such as `sub=X-Forwarded-User`")
    }
}

/// A URL of HTTP without a password, which errors would show.
fn url(text: &str) -> Result<Uri, &'static str> {
    let uri: Option<Uri> = text.parse().ok();
    let is_http = |uri: &Uri| matches!(uri.scheme_str(), Some("http" | "https"));
    let has_user = |uri: &Uri| uri.authority().is_some_and(|authority| authority.as_str().contains('@'));
    let uri = uri.filter(|uri| is_http(uri) && uri.host().is_some_and(|host| !host.is_empty()));
    uri.filter(|uri| !has_user(uri)).ok_or("expected a URL such as `https://id.example/jwks.json`, without a password")
}

/// A scope: lists of scopes are separated by spaces.
fn word(text: &str) -> Result<String, &'static str> {
    let is_word = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_word { Ok(text.to_owned()) } else { Err("expected one scope, without white space") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_has_a_header() {
        let sub = ProxyClaim { claim: "sub".into(), header: HeaderName::from_static("x-forwarded-user") };
        assert_eq!("sub=X-Forwarded-User".parse(), Ok(sub.clone()));
        assert_eq!(" sub = x-forwarded-user".parse(), Ok(sub));
        for text in ["", "sub", "=X", "sub=", "sub=a b", "sub=é"] {
            assert!(text.parse::<ProxyClaim>().is_err(), "{text}");
        }
    }

    #[test]
    fn keys_have_a_url_of_http() {
        assert!(["http://localhost:1/keys", "https://id.example/a?b=c"].into_iter().all(|text| url(text).is_ok()));
        for text in ["", "id.example/keys", "ftp://id.example", "file:///etc/passwd", "https://u:p@id.example", "/keys"]
        {
            assert!(url(text).is_err(), "{text}");
        }
        assert!(word("write").is_ok() && word("a b").is_err() && word("").is_err());
    }
}
