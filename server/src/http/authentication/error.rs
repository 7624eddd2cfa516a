//! Why a request is refused before it is read, or a server does not start.

use crate::config::SecretError;

/// What is wrong with a token, or with the headers of a proxy. The text says nothing of their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// It is no token: it has not three parts of base64, or they are not JSON.
    #[error("the token is malformed")]
    Malformed,
    /// It is above the limit.
    #[error("the token is too long")]
    TooLong,
    /// It was signed by another algorithm than that of the key.
    #[error("the algorithm of the token is not accepted")]
    Algorithm,
    /// No key of the server has its id.
    #[error("the key of the token is not known")]
    Key,
    /// It was changed, or signed by another key.
    #[error("the signature of the token is wrong")]
    Signature,
    /// It has no `exp`, or no `iss` or `aud` where they are required, or one of them is malformed.
    #[error("the token lacks a claim that is required")]
    Claim,
    /// `exp` has passed.
    #[error("the token has expired")]
    Expired,
    /// `nbf` has not come.
    #[error("the token is not valid yet")]
    Early,
    /// `iss` is another one.
    #[error("the token is of another issuer")]
    Issuer,
    /// `aud` is another one.
    #[error("the token is for another audience")]
    Audience,
    /// A header occurs twice, or is no text: the proxy has not removed that of its client.
    #[error("a header in PROXY_CLAIMS is repeated, or is not text")]
    Header,
}

/// Why it is not known who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unidentified {
    /// The token or a header is invalid.
    Invalid(Invalid),
    /// The keys have not been fetched yet.
    NoKeys,
}

impl Invalid {
    /// Whether it can be a guess. A token with the right signature was issued by whoever has the key.
    pub fn is_guess(self) -> bool {
        !matches!(self, Self::Expired | Self::Early | Self::Issuer | Self::Audience | Self::Claim | Self::Header)
    }
}

impl From<Invalid> for Unidentified {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

/// Why the settings of tokens are refused. The text names settings, never their values.
#[derive(Debug, thiserror::Error)]
pub enum AuthenticationError {
    /// A file cannot be read, or a secret is set twice.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// There are several keys.
    #[error("{0} and {1} are both set: tokens have one source of keys")]
    Keys(&'static str, &'static str),
    /// A setting about tokens, and no key.
    #[error("{0} needs a key of tokens: set JWT_SECRET, JWT_PUBLIC_KEY_FILE or JWT_JWKS_URL")]
    NoKey(&'static str),
    /// The secret key can be guessed.
    #[error("JWT_SECRET is too short: expected at least {0} bytes")]
    Short(usize),
    /// The file has no public key that is supported.
    #[error(
        "JWT_PUBLIC_KEY_FILE has no public key in PEM of RSA (2048 to 8192 bits), P-256 or Ed25519; a private key stays with the issuer"
    )]
    PublicKey,
    /// The certificates of the system cannot be read.
    #[error("cannot read the certificates of the system, which JWT_JWKS_URL needs: {0}")]
    Certificates(std::io::Error),
    /// Everybody could send the headers.
    #[error("PROXY_CLAIMS needs TRUSTED_PROXIES: everybody can send headers")]
    NoProxy,
    /// A claim or a header is named twice.
    #[error("PROXY_CLAIMS names {0} twice")]
    Repeated(String),
}
