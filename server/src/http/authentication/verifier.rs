//! Verifies tokens.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, Header, Validation, decode, decode_header};
use serde_json::{Map, Value};

use super::error::{Invalid, Unidentified};
use super::jwks::Jwks;
use super::keys::Key;
use super::signatures;
use crate::claims::Claims;
use crate::config::Authentication;
use crate::request::Permission;

/// The maximum length of a token, in bytes.
const MAX_TOKEN: usize = 8 << 10;

/// Verifies tokens. Cheap to clone.
#[derive(Clone)]
pub struct Verifier(Arc<Inner>);

struct Inner {
    keys: Keys,
    issuer: Option<String>,
    audience: Option<String>,
    skew: Duration,
    write_scope: Option<String>,
}

/// Where the keys come from.
pub enum Keys {
    /// The settings. A token may name any id.
    One(Key),
    /// A URL.
    Fetched(Jwks),
}

impl Verifier {
    /// With these keys, as the settings want it.
    pub fn new(keys: Keys, settings: &Authentication) -> Self {
        signatures::install();
        Self(Arc::new(Inner {
            keys,
            issuer: settings.jwt_issuer.clone(),
            audience: settings.jwt_audience.clone(),
            skew: settings.clock_skew(),
            write_scope: settings.jwt_write_scope.clone(),
        }))
    }

    /// The claims of a token.
    ///
    /// # Errors
    ///
    /// What is wrong with it, or [`Unidentified::NoKeys`] while the keys cannot be fetched.
    pub async fn verify(&self, token: &str) -> Result<Claims, Unidentified> {
        if token.len() > MAX_TOKEN {
            return Err(Invalid::TooLong.into());
        }
        let header = decode_header(token).map_err(|error| reason(error.kind()))?;
        if header.crit.is_some() {
            // What must be understood is not (RFC 7515, section 4.1.11).
            return Err(Invalid::Malformed.into());
        }
        let key = self.key(&header).await?;
        let object = decode(token, &key.decodes, &self.validation(key.algorithm));
        let claims: Map<String, Value> = object.map_err(|error| reason(error.kind()))?.claims;
        let claims = Claims::with_skew(claims, self.0.skew);
        if claims.have_ended() { Err(Invalid::Expired.into()) } else { Ok(claims) }
    }

    async fn key(&self, header: &Header) -> Result<Key, Unidentified> {
        match &self.0.keys {
            Keys::One(key) if key.algorithm == header.alg => Ok(key.clone()),
            Keys::One(_) => Err(Invalid::Algorithm.into()),
            Keys::Fetched(_) if !matches!(header.alg, Algorithm::RS256 | Algorithm::ES256 | Algorithm::EdDSA) => {
                Err(Invalid::Algorithm.into())
            }
            Keys::Fetched(jwks) => jwks.find(header.kid.as_deref(), header.alg).await,
        }
    }

    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.leeway = self.0.skew.as_secs();
        validation.validate_nbf = true;
        validation.validate_aud = self.0.audience.is_some();
        if let Some(audience) = &self.0.audience {
            validation.set_audience(&[audience]);
            validation.required_spec_claims.insert("aud".into());
        }
        if let Some(issuer) = &self.0.issuer {
            validation.set_issuer(&[issuer]);
            validation.required_spec_claims.insert("iss".into());
        }
        validation
    }

    /// Whether a token with these claims may write.
    pub fn permission(&self, claims: &Claims) -> Permission {
        match &self.0.write_scope {
            Some(scope) if !claims.has_scope(scope) => Permission::NoScope,
            _ => Permission::Granted,
        }
    }
}

/// Errors of the library quote the token: only their kind is kept.
fn reason(error: &ErrorKind) -> Invalid {
    match error {
        ErrorKind::InvalidAlgorithm | ErrorKind::InvalidAlgorithmName | ErrorKind::UnsupportedAlgorithm => {
            Invalid::Algorithm
        }
        ErrorKind::InvalidSignature => Invalid::Signature,
        ErrorKind::ExpiredSignature => Invalid::Expired,
        ErrorKind::ImmatureSignature => Invalid::Early,
        ErrorKind::InvalidIssuer => Invalid::Issuer,
        ErrorKind::InvalidAudience => Invalid::Audience,
        ErrorKind::MissingRequiredClaim(_) | ErrorKind::InvalidClaimFormat(_) => Invalid::Claim,
        _ => Invalid::Malformed,
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Verifier")
    }
}
