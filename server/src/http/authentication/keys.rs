//! Keys, each with the one algorithm that it is for.

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde_json::Value;

use super::error::AuthenticationError;
use crate::config::Secret;

/// The minimum length of a secret key, in bytes: that of the hash (RFC 7518, section 3.2).
const MIN_SECRET: usize = 32;

/// The keys of a set that are read.
const MAX_KEYS: usize = 100;

/// A key for one algorithm.
#[derive(Clone)]
pub struct Key {
    /// Its id in its set.
    pub id: Option<String>,
    pub algorithm: Algorithm,
    pub decodes: DecodingKey,
}

impl Key {
    /// A secret key, for HS256.
    ///
    /// # Errors
    ///
    /// [`AuthenticationError::Short`].
    pub fn secret(secret: &Secret) -> Result<Self, AuthenticationError> {
        let bytes = secret.expose().as_bytes();
        if bytes.len() < MIN_SECRET {
            return Err(AuthenticationError::Short(MIN_SECRET));
        }
        Ok(Self { id: None, algorithm: Algorithm::HS256, decodes: DecodingKey::from_secret(bytes) })
    }

    /// A public key in PEM, for the algorithm of its kind.
    ///
    /// # Errors
    ///
    /// [`AuthenticationError::PublicKey`], also for a private key and for a certificate.
    pub fn public(pem: &str) -> Result<Self, AuthenticationError> {
        let is_public = ["-----BEGIN PUBLIC KEY-----", "-----BEGIN RSA PUBLIC KEY-----"];
        if !is_public.iter().any(|line| pem.contains(line)) {
            return Err(AuthenticationError::PublicKey);
        }
        let pem = pem.as_bytes();
        let of = |algorithm| move |decodes| Self { id: None, algorithm, decodes };
        let key = DecodingKey::from_ec_pem(pem)
            .map(of(Algorithm::ES256))
            .or_else(|_| DecodingKey::from_ed_pem(pem).map(of(Algorithm::EdDSA)))
            .or_else(|_| DecodingKey::from_rsa_pem(pem).map(of(Algorithm::RS256)));
        key.ok().filter(Self::has_length).ok_or(AuthenticationError::PublicKey)
    }

    /// Whether its length is that of its algorithm: another curve has another one.
    fn has_length(&self) -> bool {
        let length = self.decodes.try_get_as_bytes().map_or(0, <[u8]>::len);
        match self.algorithm {
            Algorithm::ES256 => length == 65,
            Algorithm::EdDSA => length == 32,
            // 2048 bits, in DER with its exponent.
            _ => length > 256,
        }
    }

    /// The keys of a set that can verify tokens; others are left out. `None` if it is no set.
    pub fn of_set(json: &[u8]) -> Option<Vec<Self>> {
        #[derive(Deserialize)]
        struct Set {
            keys: Vec<Value>,
        }
        let set: Set = serde_json::from_slice(json).ok()?;
        let keys = set.keys.into_iter().take(MAX_KEYS).filter_map(|key| serde_json::from_value(key).ok());
        Some(keys.filter_map(|key: Jwk| Self::of_jwk(&key)).collect())
    }

    fn of_jwk(jwk: &Jwk) -> Option<Self> {
        let (algorithm, named) = match &jwk.algorithm {
            AlgorithmParameters::RSA(_) => (Algorithm::RS256, KeyAlgorithm::RS256),
            AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P256 => {
                (Algorithm::ES256, KeyAlgorithm::ES256)
            }
            AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => {
                (Algorithm::EdDSA, KeyAlgorithm::EdDSA)
            }
            // Secret keys are not published.
            _ => return None,
        };
        let is_for = jwk.common.key_algorithm.is_none_or(|algorithm| algorithm == named);
        let signs = jwk.common.public_key_use.as_ref().is_none_or(|of| *of == PublicKeyUse::Signature);
        let decodes = DecodingKey::from_jwk(jwk).ok().filter(|_| is_for && signs)?;
        Some(Self { id: jwk.common.key_id.clone(), algorithm, decodes })
    }
}

/// The key for a token whose header has this id and this algorithm. Without an id, the only key of the algorithm.
pub fn find<'a>(keys: &'a [Key], id: Option<&str>, algorithm: Algorithm) -> Option<&'a Key> {
    let mut fitting = keys.iter().filter(|key| key.algorithm == algorithm);
    match id {
        Some(id) => fitting.find(|key| key.id.as_deref() == Some(id)),
        None => fitting.next().filter(|_| fitting.next().is_none()),
    }
}
