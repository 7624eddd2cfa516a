//! The signatures of tokens, by `ring`: HS256, RS256, ES256 and EdDSA.
//!
//! `jsonwebtoken` takes signatures from a provider of the process. An application that has installed another one before keeps
//! it. Where this one is installed, the application can sign by it, too.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind, Result};
use jsonwebtoken::signature::{self, Signer, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::hmac;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, ED25519, EcdsaKeyPair, Ed25519KeyPair,
    RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, RsaKeyPair, UnparsedPublicKey,
};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |algorithm, key| signs(*algorithm, key),
    verifier_factory: |algorithm, key| verifies(*algorithm, key),
    key_utils: KeyUtils {
        rsa_pub_components_from_private_key: |_| unsupported(),
        rsa_pub_components_from_public_key: |_| unsupported(),
        ec_pub_components_from_private_key: |_, _| unsupported(),
        ed_pub_components_from_private_key: |_, _| unsupported(),
        compute_digest: |_, _| unsupported(),
    },
};

/// Installs the provider, if the process has none.
pub fn install() {
    let _ = PROVIDER.install_default();
}

fn unsupported<T>() -> Result<T> {
    Err(Error::from(ErrorKind::UnsupportedAlgorithm))
}

struct Verifying(Algorithm, DecodingKey);

fn verifies(algorithm: Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    check(algorithm, algorithm.family() == key.family())?;
    Ok(Box::new(Verifying(algorithm, key.clone())))
}

fn check(algorithm: Algorithm, is_of_family: bool) -> Result<()> {
    match algorithm {
        _ if !is_of_family => Err(ErrorKind::InvalidKeyFormat.into()),
        Algorithm::HS256 | Algorithm::RS256 | Algorithm::ES256 | Algorithm::EdDSA => Ok(()),
        _ => unsupported(),
    }
}

impl JwtVerifier for Verifying {
    fn algorithm(&self) -> Algorithm {
        self.0
    }
}

impl Verifier<Vec<u8>> for Verifying {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), signature::Error> {
        let Self(algorithm, key) = self;
        let verified = match (algorithm, key.kind()) {
            (Algorithm::HS256, DecodingKeyKind::SecretOrDer(secret)) => {
                hmac::verify(&hmac::Key::new(hmac::HMAC_SHA256, secret), message, signature)
            }
            (Algorithm::RS256, DecodingKeyKind::RsaModulusExponent { n, e }) => {
                PublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
            (Algorithm::RS256, DecodingKeyKind::SecretOrDer(der)) => {
                UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, der).verify(message, signature)
            }
            (Algorithm::ES256, DecodingKeyKind::SecretOrDer(point)) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature)
            }
            (Algorithm::EdDSA, DecodingKeyKind::SecretOrDer(point)) => {
                UnparsedPublicKey::new(&ED25519, point).verify(message, signature)
            }
            _ => return Err(signature::Error::new()),
        };
        verified.map_err(|_| signature::Error::new())
    }
}

struct Signing(Algorithm, EncodingKey);

fn signs(algorithm: Algorithm, key: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    check(algorithm, algorithm.family() == key.family())?;
    Ok(Box::new(Signing(algorithm, key.clone())))
}

impl JwtSigner for Signing {
    fn algorithm(&self) -> Algorithm {
        self.0
    }
}

impl Signer<Vec<u8>> for Signing {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, signature::Error> {
        let (Self(algorithm, key), random) = (self, SystemRandom::new());
        let (key, failed) = (key.as_bytes(), signature::Error::new);
        match algorithm {
            Algorithm::HS256 => Ok(hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), message).as_ref().to_vec()),
            Algorithm::RS256 => {
                let pair = RsaKeyPair::from_der(key).map_err(|_| failed())?;
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).map_err(|_| failed())?;
                Ok(signature)
            }
            Algorithm::ES256 => {
                let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, key, &random);
                let signed = pair.map_err(|_| failed())?.sign(&random, message);
                signed.map(|signature| signature.as_ref().to_vec()).map_err(|_| failed())
            }
            Algorithm::EdDSA => {
                let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(key).map_err(|_| failed())?;
                Ok(pair.sign(message).as_ref().to_vec())
            }
            _ => Err(failed()),
        }
    }
}
