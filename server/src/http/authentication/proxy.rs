//! Claims in the headers of a trusted proxy.

use std::net::IpAddr;

use axum::http::HeaderMap;
use ipnet::IpNet;
use serde_json::{Map, Value};

use super::error::{AuthenticationError, Invalid};
use crate::claims::Claims;
use crate::config::ProxyClaim;
use crate::http::client::Peer;

/// The claims in headers, and the addresses whose headers count.
#[derive(Clone, Debug)]
pub struct Proxy {
    claims: Vec<ProxyClaim>,
    trusted: Vec<IpNet>,
}

impl Proxy {
    /// These claims from these addresses; `None` without claims.
    ///
    /// # Errors
    ///
    /// [`AuthenticationError::NoProxy`], and [`AuthenticationError::Repeated`].
    pub fn new(claims: &[ProxyClaim], trusted: &[IpNet]) -> Result<Option<Self>, AuthenticationError> {
        if claims.is_empty() {
            return Ok(None);
        }
        if trusted.is_empty() {
            return Err(AuthenticationError::NoProxy);
        }
        for (place, ProxyClaim { claim, header }) in claims.iter().enumerate() {
            let earlier = &claims[..place];
            if earlier.iter().any(|other| other.claim == *claim) {
                return Err(AuthenticationError::Repeated(claim.clone()));
            }
            if earlier.iter().any(|other| other.header == header) {
                return Err(AuthenticationError::Repeated(header.to_string()));
            }
        }
        Ok(Some(Self { claims: claims.to_vec(), trusted: trusted.to_vec() }))
    }

    /// The claims of a request that came from this address; `None` if it is not a proxy, or sends none of the headers. An
    /// empty header is none.
    ///
    /// # Errors
    ///
    /// [`Invalid::Header`].
    pub fn claims(&self, peer: Option<Peer>, headers: &HeaderMap) -> Result<Option<Claims>, Invalid> {
        if !peer.is_some_and(|Peer(peer)| self.trusts(peer.ip().to_canonical())) {
            return Ok(None);
        }
        let mut object = Map::new();
        for ProxyClaim { claim, header } in &self.claims {
            let mut values = headers.get_all(header).iter();
            let Some(value) = values.next() else { continue };
            let text = str::from_utf8(value.as_bytes()).ok().filter(|_| values.next().is_none());
            let text = text.ok_or(Invalid::Header)?.trim();
            if !text.is_empty() {
                object.insert(claim.clone(), Value::from(text));
            }
        }
        Ok((!object.is_empty()).then(|| Claims::new(object)))
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|network| network.contains(&address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy(claims: &str) -> Result<Option<Proxy>, AuthenticationError> {
        let claims: Vec<_> = claims.split_terminator(',').map(|claim| claim.parse().unwrap()).collect();
        Proxy::new(&claims, &["10.0.0.0/8".parse().unwrap()])
    }

    #[track_caller]
    fn check(peer: Option<&str>, headers: &[(&'static str, &[u8])], expected: Result<Option<&str>, Invalid>) {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), axum::http::HeaderValue::from_bytes(value).unwrap()))
            .collect();
        let peer = peer.map(|peer| Peer(peer.parse().unwrap()));
        let found = proxy("sub=X-User,tenant=X-Tenant").unwrap().unwrap().claims(peer, &headers);
        let text = found.map(|claims| claims.map(|claims| Value::from(claims.object().clone()).to_string()));
        assert_eq!(text, expected.map(|text| text.map(str::to_owned)), "{headers:?}");
    }

    #[test]
    fn headers_of_a_proxy_are_claims() {
        let inside = Some("10.1.2.3:1");
        check(inside, &[("x-user", b"ann"), ("x-tenant", b" a ")], Ok(Some(r#"{"sub":"ann","tenant":"a"}"#)));
        check(Some("[::ffff:10.1.2.3]:1"), &[("x-user", b"\xc3\xa9va")], Ok(Some("{\"sub\":\"éva\"}")));
        check(inside, &[("x-user", b""), ("authorization", b"Bearer x")], Ok(None));
        for outside in [Some("192.0.2.1:1"), None] {
            check(outside, &[("x-user", b"ann")], Ok(None));
            check(outside, &[("x-user", b"ann"), ("x-user", b"bob")], Ok(None));
        }
        for wrong in [[("x-user", &b"ann"[..]), ("x-user", b"bob")], [("x-user", b"\xff"), ("x-tenant", b"a")]] {
            check(inside, &wrong, Err(Invalid::Header));
        }
    }

    #[test]
    fn settings_that_contradict_each_other_are_refused() {
        assert!(proxy("").unwrap().is_none());
        for claims in ["sub=a,sub=b", "sub=a,tenant=A"] {
            assert!(matches!(proxy(claims), Err(AuthenticationError::Repeated(_))), "{claims}");
        }
        let claims = ["sub=a".parse().unwrap()];
        assert!(matches!(Proxy::new(&claims, &[]), Err(AuthenticationError::NoProxy)));
    }
}
