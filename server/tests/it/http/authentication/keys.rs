//! Keys at a URL.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bookends_server::config::{self, Bounds};
use bookends_server::http::websocket::PROTOCOL;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

use super::{READ, bearer, from_now, outcome, request, serve, sign_as_the_server};
use crate::support::counter::Client;
use crate::support::served::{Served, writable};
use crate::support::station::{SMALL, Station};

macro_rules! key {
    ($file:literal) => {
        include_str!(concat!("../../../keys/", $file))
    };
}

/// The end of a public key, without its header in ASN.1.
fn end_of(pem: &str, bytes: usize) -> Vec<u8> {
    let base64: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    let der = STANDARD.decode(base64).unwrap();
    der[der.len() - bytes..].to_vec()
}

/// The set of the public keys of the tests.
fn set() -> Value {
    let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    let (point, ed) = (end_of(key!("ec.pub"), 64), end_of(key!("ed.pub"), 32));
    // The modulus, and five bytes with the exponent.
    let modulus = &end_of(key!("rsa.pub"), 256 + 5)[..256];
    json!({ "keys": [
        { "kty": "RSA", "kid": "one", "use": "sig", "alg": "RS256", "n": text(modulus), "e": "AQAB" },
        { "kty": "EC", "crv": "P-256", "kid": "two", "x": text(&point[..32]), "y": text(&point[32..]) },
        { "kty": "OKP", "crv": "Ed25519", "kid": "three", "x": text(&ed) },
    ] })
}

fn token(algorithm: Algorithm, id: Option<&str>) -> String {
    sign_as_the_server();
    let key = match algorithm {
        Algorithm::RS256 => EncodingKey::from_rsa_pem(key!("rsa.pem").as_bytes()),
        Algorithm::ES256 => EncodingKey::from_ec_pem(key!("ec.pem").as_bytes()),
        _ => EncodingKey::from_ed_pem(key!("ed.pem").as_bytes()),
    };
    let header = Header { kid: id.map(str::to_owned), ..Header::new(algorithm) };
    encode(&header, &json!({ "exp": from_now(60) }), &key.unwrap()).unwrap()
}

#[tokio::test]
async fn tokens_are_verified_by_the_keys_at_a_url() {
    let published: Arc<Mutex<Option<Value>>> = Arc::default();
    let answered = Arc::clone(&published);
    let answer = async move || {
        let set = answered.lock().unwrap().clone();
        set.map(|set| set.to_string()).ok_or(StatusCode::INTERNAL_SERVER_ERROR)
    };
    let issuer = Served::new(Router::new().route("/keys", get(answer)), Bounds::DEFAULT).await;
    let settings = config::Authentication {
        jwt_jwks_url: Some(format!("http://{}/keys", issuer.address).parse().unwrap()),
        ..config::Authentication::default()
    };
    let station = Station::new(SMALL).await;
    let server = serve(&station, writable(), &settings).await;
    let ask = async |token: &str| server.ask(request(&bearer(token), READ)).await;

    // The issuer fails: it is not the token that is wrong.
    let failed = ask(&token(Algorithm::RS256, Some("one"))).await;
    assert_eq!(outcome(&failed), (503, "UNAVAILABLE".into()));
    assert!(failed.contains("\r\nretry-after: ") && !failed.contains("www-authenticate"), "{failed}");
    let mut client = Client::open(&server.address, Some(PROTOCOL)).await.unwrap();
    let payload = json!({ "authorization": format!("Bearer {}", token(Algorithm::RS256, Some("one"))) });
    client.say(json!({ "type": "connection_init", "payload": payload })).await;
    assert_eq!(client.closed().await.0, 1013, "clients reconnect");
    assert_eq!(outcome(&server.ask(request("", READ)).await).0, 200, "nobody needs a key");

    *published.lock().unwrap() = Some(set());
    // It is soon asked again.
    crate::support::patience::until(async || {
        outcome(&ask(&token(Algorithm::RS256, Some("one"))).await) == (200, String::new())
    })
    .await;
    for (algorithm, id, expected) in [
        (Algorithm::RS256, Some("one"), 200),
        (Algorithm::ES256, Some("two"), 200),
        (Algorithm::EdDSA, Some("three"), 200),
        (Algorithm::EdDSA, None, 200),
        (Algorithm::ES256, Some("one"), 401),
        (Algorithm::RS256, Some("four"), 401),
    ] {
        assert_eq!(outcome(&ask(&token(algorithm, id)).await).0, expected, "{algorithm:?} {id:?}");
    }
}
