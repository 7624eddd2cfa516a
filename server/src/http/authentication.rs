//! Who asks: the write token, JSON Web Tokens, and the headers of a trusted proxy.
//!
//! The write token comes first. Another token is verified as a JWT, where the settings have a key; an invalid one refuses the
//! request before it is read. A request without a token is one of nobody.

use axum::http::HeaderMap;
use ipnet::IpNet;

use super::access::{Access, received};
use super::client::Peer;
use crate::claims::Claims;
use crate::config::{self, JWT_SECRET};
use crate::request::Permission;

mod client;
mod error;
mod jwks;
mod keys;
mod proxy;
mod refusal;
mod signatures;
#[cfg(test)]
mod tests;
mod verifier;

pub use error::AuthenticationError;
pub(super) use error::Unidentified;
pub(super) use refusal::{challenge, count, refuse};

use jwks::Jwks;
use keys::Key;
use proxy::Proxy;
use verifier::{Keys, Verifier};

/// How a server tells who asks. [`Access`] alone knows the write token. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Authentication {
    access: Access,
    verifier: Option<Verifier>,
    proxy: Option<Proxy>,
}

/// Who asks.
#[derive(Clone, Debug)]
pub(super) struct Identified {
    pub permission: Permission,
    pub claims: Option<Claims>,
}

impl Authentication {
    /// By the write token, and as these settings have it, with the proxies that are trusted.
    ///
    /// # Errors
    ///
    /// [`AuthenticationError`].
    pub fn new(
        access: Access,
        settings: &config::Authentication,
        trusted_proxies: &[IpNet],
    ) -> Result<Self, AuthenticationError> {
        let verifier = keys(settings)?.map(|keys| Verifier::new(keys, settings));
        if verifier.is_none() {
            let settings = [
                ("JWT_ISSUER", settings.jwt_issuer.is_some()),
                ("JWT_AUDIENCE", settings.jwt_audience.is_some()),
                ("JWT_WRITE_SCOPE", settings.jwt_write_scope.is_some()),
            ];
            if let Some((setting, _)) = settings.into_iter().find(|(_, is_set)| *is_set) {
                return Err(AuthenticationError::NoKey(setting));
            }
        }
        Ok(Self { access, verifier, proxy: Proxy::new(&settings.proxy_claims, trusted_proxies)? })
    }

    /// Who has the write token.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The same, if nothing else says who asks.
    pub(super) fn access_alone(&self) -> Option<&Access> {
        Some(&self.access).filter(|_| self.verifier.is_none() && self.proxy.is_none())
    }

    /// Whether JSON Web Tokens are verified.
    pub fn has_tokens(&self) -> bool {
        self.verifier.is_some()
    }

    /// Who sent these headers from this address. On a WebSocket, `authorization` comes from `connection_init`.
    ///
    /// # Errors
    ///
    /// [`Unidentified`]: the request must be refused.
    pub(super) async fn identify(
        &self,
        peer: Option<Peer>,
        headers: &HeaderMap,
        authorization: Option<&str>,
    ) -> Result<Identified, Unidentified> {
        let permission = self.access.permission(headers, authorization);
        let token = received(headers, authorization).filter(|_| permission != Permission::Granted);
        if let (Some(verifier), Some(token)) = (&self.verifier, token) {
            // On the heap: otherwise each request would have room for it.
            let claims = Box::pin(verifier.verify(token)).await?;
            return Ok(Identified { permission: verifier.permission(&claims), claims: Some(claims) });
        }
        let claims = self.proxy.as_ref().map(|proxy| proxy.claims(peer, headers)).transpose()?.flatten();
        let permission = match permission {
            // A token helps.
            Permission::Forbidden if self.verifier.is_some() => Permission::NoToken,
            permission => permission,
        };
        Ok(Identified { permission, claims })
    }
}

impl From<Access> for Authentication {
    fn from(access: Access) -> Self {
        Self { access, verifier: None, proxy: None }
    }
}

/// The keys in the settings, which have one source.
fn keys(settings: &config::Authentication) -> Result<Option<Keys>, AuthenticationError> {
    let (secret, public) = (settings.secret()?, settings.public_key()?);
    let url = settings.jwt_jwks_url.as_ref();
    let sources =
        [(JWT_SECRET, secret.is_some()), ("JWT_PUBLIC_KEY_FILE", public.is_some()), ("JWT_JWKS_URL", url.is_some())];
    let mut set = sources.into_iter().filter(|(_, is_set)| *is_set).map(|(setting, _)| setting);
    if let (Some(one), Some(other)) = (set.next(), set.next()) {
        return Err(AuthenticationError::Keys(one, other));
    }
    Ok(match (secret, public, url) {
        (Some(secret), ..) => Some(Keys::One(Key::secret(&secret)?)),
        (None, Some(pem), _) => Some(Keys::One(Key::public(&pem)?)),
        (None, None, Some(url)) => Some(Keys::Fetched(Jwks::new(url.clone())?)),
        (None, None, None) => None,
    })
}
