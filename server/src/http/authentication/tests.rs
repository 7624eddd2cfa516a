//! Tokens that are accepted, and those that are not.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

use super::error::{AuthenticationError, Invalid, Unidentified};
use super::keys::{Key, find};
use super::verifier::{Keys, Verifier};
use super::{Authentication, signatures};
use crate::claims::Claims;
use crate::config::{self, Secret};
use crate::http::Access;
use crate::request::Permission;

const SECRET: &str = "a secret of at least thirty-two bytes";

macro_rules! key {
    ($file:literal) => {
        include_str!(concat!("../../../tests/keys/", $file))
    };
}

/// Now, in seconds since 1970, and so much later.
fn from_now(seconds: i64) -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()).unwrap() + seconds
}

fn signing(algorithm: Algorithm) -> EncodingKey {
    match algorithm {
        Algorithm::RS256 => EncodingKey::from_rsa_pem(key!("rsa.pem").as_bytes()),
        Algorithm::ES256 => EncodingKey::from_ec_pem(key!("ec.pem").as_bytes()),
        Algorithm::EdDSA => EncodingKey::from_ed_pem(key!("ed.pem").as_bytes()),
        _ => Ok(EncodingKey::from_secret(SECRET.as_bytes())),
    }
    .unwrap()
}

fn verifying(algorithm: Algorithm) -> Key {
    match algorithm {
        Algorithm::RS256 => Key::public(key!("rsa.pub")),
        Algorithm::ES256 => Key::public(key!("ec.pub")),
        Algorithm::EdDSA => Key::public(key!("ed.pub")),
        _ => Key::secret(&Secret::from(SECRET)),
    }
    .unwrap()
}

fn verifier(algorithm: Algorithm, settings: &config::Authentication) -> Verifier {
    Verifier::new(Keys::One(verifying(algorithm)), settings)
}

fn signed(algorithm: Algorithm, claims: &Value) -> String {
    signatures::install();
    encode(&Header::new(algorithm), claims, &signing(algorithm)).unwrap()
}

/// A token with this header and these claims, and a signature of nothing.
fn unsigned(header: &Value, claims: &Value) -> String {
    let part = |part: &Value| URL_SAFE_NO_PAD.encode(part.to_string());
    format!("{}.{}.", part(header), part(claims))
}

async fn verified(verifier: &Verifier, token: &str) -> Result<Claims, Invalid> {
    verifier.verify(token).await.map_err(|unidentified| match unidentified {
        Unidentified::Invalid(invalid) => invalid,
        Unidentified::NoKeys => panic!("there is a key"),
    })
}

const ALGORITHMS: [Algorithm; 4] = [Algorithm::HS256, Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA];

#[tokio::test]
async fn a_token_is_accepted_by_the_key_and_the_algorithm_that_it_was_signed_for() {
    let claims = json!({ "sub": "ann", "exp": from_now(60) });
    for signed_by in ALGORITHMS {
        let token = signed(signed_by, &claims);
        for accepted in ALGORITHMS {
            let result = verified(&verifier(accepted, &config::Authentication::default()), &token).await;
            if signed_by == accepted {
                assert_eq!(result.unwrap().subject(), Some("ann"), "{signed_by:?}");
            } else {
                assert_eq!(result.unwrap_err(), Invalid::Algorithm, "{signed_by:?} for {accepted:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_token_that_was_changed_is_refused() {
    for algorithm in ALGORITHMS {
        let verifier = verifier(algorithm, &config::Authentication::default());
        let token = signed(algorithm, &json!({ "sub": "ann", "exp": from_now(60) }));
        let [head, body, signature] = token.split('.').collect::<Vec<_>>()[..] else { panic!("{token}") };
        let other = URL_SAFE_NO_PAD.encode(json!({ "sub": "bob", "exp": from_now(60) }).to_string());
        let mut bytes = URL_SAFE_NO_PAD.decode(signature).unwrap();
        bytes[7] ^= 1;
        let changed = URL_SAFE_NO_PAD.encode(&bytes);
        for wrong in
            [format!("{head}.{other}.{signature}"), format!("{head}.{body}.{changed}"), format!("{head}.{body}.")]
        {
            assert_eq!(verified(&verifier, &wrong).await.unwrap_err(), Invalid::Signature, "{algorithm:?} {wrong}");
        }
        for malformed in ["", "a", "a.b.c", &format!("{head}.{body}"), &format!("{token}.x"), &format!("{token}=")] {
            assert!(verified(&verifier, malformed).await.is_err(), "{algorithm:?} {malformed}");
        }
    }
}

/// The public key is known to everybody, and would be the secret of such a token.
#[tokio::test]
async fn a_public_key_is_no_secret_and_none_is_no_algorithm() {
    signatures::install();
    let claims = json!({ "exp": from_now(60) });
    let confused = EncodingKey::from_secret(key!("rsa.pub").as_bytes());
    let confused = encode(&Header::new(Algorithm::HS256), &claims, &confused).unwrap();
    let rsa = verifier(Algorithm::RS256, &config::Authentication::default());
    assert_eq!(verified(&rsa, &confused).await.unwrap_err(), Invalid::Algorithm);
    for algorithm in ["none", "None", "NONE", "", "HS1"] {
        for accepted in ALGORITHMS {
            let verifier = verifier(accepted, &config::Authentication::default());
            let token = unsigned(&json!({ "alg": algorithm, "typ": "JWT" }), &claims);
            assert!(verified(&verifier, &token).await.unwrap_err().is_guess(), "{algorithm} {accepted:?}");
        }
    }
    let hs = verifier(Algorithm::HS256, &config::Authentication::default());
    for other in [json!({ "alg": "HS512" }), json!({ "alg": "ES384" }), json!({ "alg": "PS256" })] {
        assert_eq!(verified(&hs, &unsigned(&other, &claims)).await.unwrap_err(), Invalid::Algorithm, "{other}");
    }
    let mut header = Header::new(Algorithm::HS256);
    header.crit = Some(vec!["b64".into()]);
    let critical = encode(&header, &claims, &signing(Algorithm::HS256)).unwrap();
    assert_eq!(verified(&hs, &critical).await.unwrap_err(), Invalid::Malformed);
}

#[tokio::test]
async fn times_count_within_the_clock_skew() {
    let strict = config::Authentication { jwt_clock_skew: 0, ..config::Authentication::default() };
    for (settings, claims, expected) in [
        (&strict, json!({ "exp": from_now(60) }), None),
        (&strict, json!({ "exp": from_now(-1) }), Some(Invalid::Expired)),
        (&strict, json!({ "exp": 0 }), Some(Invalid::Expired)),
        (&strict, json!({}), Some(Invalid::Claim)),
        (&strict, json!({ "exp": null }), Some(Invalid::Claim)),
        (&strict, json!({ "exp": from_now(60).to_string() }), Some(Invalid::Claim)),
        (&strict, json!({ "exp": -1 }), Some(Invalid::Claim)),
        (&strict, json!({ "exp": 1e300 }), Some(Invalid::Claim)),
        (&strict, json!({ "exp": 1e15 }), None),
        (&strict, json!({ "exp": from_now(60), "nbf": from_now(30) }), Some(Invalid::Early)),
        (&strict, json!({ "exp": from_now(60), "nbf": from_now(-1) }), None),
        (&strict, json!({ "exp": from_now(60), "nbf": "soon" }), Some(Invalid::Claim)),
        // Half a minute is the default.
        (&config::Authentication::default(), json!({ "exp": from_now(-20) }), None),
        (&config::Authentication::default(), json!({ "exp": from_now(-31) }), Some(Invalid::Expired)),
        (&config::Authentication::default(), json!({ "exp": from_now(60), "nbf": from_now(20) }), None),
        (&config::Authentication::default(), json!({ "exp": from_now(60), "nbf": from_now(40) }), Some(Invalid::Early)),
    ] {
        let token = signed(Algorithm::HS256, &claims);
        let result = verified(&verifier(Algorithm::HS256, settings), &token).await;
        assert_eq!(result.err(), expected, "{claims}");
    }
}

#[tokio::test]
async fn issuer_and_audience_are_those_of_the_settings() {
    let any = config::Authentication::default();
    let one = config::Authentication {
        jwt_issuer: Some("https://id.example".into()),
        jwt_audience: Some("shop".into()),
        ..config::Authentication::default()
    };
    for (settings, claims, expected) in [
        (&any, json!({ "iss": "x", "aud": "y" }), None),
        (&any, json!({ "aud": ["y"] }), None),
        (&one, json!({ "iss": "https://id.example", "aud": "shop" }), None),
        (&one, json!({ "iss": "https://id.example", "aud": ["other", "shop"] }), None),
        (&one, json!({ "iss": "https://id.example", "aud": ["other"] }), Some(Invalid::Audience)),
        (&one, json!({ "iss": "https://id.example", "aud": [] }), Some(Invalid::Audience)),
        (&one, json!({ "iss": "https://id.example", "aud": "Shop" }), Some(Invalid::Audience)),
        (&one, json!({ "iss": "https://id.example/", "aud": "shop" }), Some(Invalid::Issuer)),
        (&one, json!({ "iss": "https://id.example" }), Some(Invalid::Claim)),
        (&one, json!({ "aud": "shop" }), Some(Invalid::Claim)),
        (&one, json!({ "iss": 1, "aud": "shop" }), Some(Invalid::Claim)),
        (&one, json!({ "iss": "https://id.example", "aud": 1 }), Some(Invalid::Claim)),
    ] {
        let mut claims = claims;
        claims["exp"] = from_now(60).into();
        let token = signed(Algorithm::HS256, &claims);
        assert_eq!(verified(&verifier(Algorithm::HS256, settings), &token).await.err(), expected, "{claims}");
    }
}

#[tokio::test]
async fn a_token_has_a_maximum_length_and_a_scope() {
    let hs = verifier(Algorithm::HS256, &config::Authentication::default());
    let long = |length: usize| signed(Algorithm::HS256, &json!({ "exp": from_now(60), "a": "a".repeat(length) }));
    assert!(verified(&hs, &long(5_000)).await.is_ok());
    assert_eq!(verified(&hs, &long(7_000)).await.unwrap_err(), Invalid::TooLong);

    let scoped = config::Authentication { jwt_write_scope: Some("write".into()), ..config::Authentication::default() };
    for (claims, may, may_with_scope) in [
        (json!({ "exp": 1 }), Permission::Granted, Permission::NoScope),
        (json!({ "scope": "read write" }), Permission::Granted, Permission::Granted),
    ] {
        let Value::Object(claims) = claims else { panic!() };
        let claims = Claims::new(claims);
        assert_eq!(hs.permission(&claims), may);
        assert_eq!(verifier(Algorithm::HS256, &scoped).permission(&claims), may_with_scope);
    }
}

#[test]
fn keys_in_pem_are_public_and_long_enough() {
    for (pem, algorithm) in [
        (key!("rsa.pub"), Some(Algorithm::RS256)),
        (key!("ec.pub"), Some(Algorithm::ES256)),
        (key!("ed.pub"), Some(Algorithm::EdDSA)),
        (key!("ec384.pub"), None),
        (key!("rsa1024.pub"), None),
        (key!("rsa.pem"), None),
        (key!("ec.pem"), None),
        (key!("ed.pem"), None),
        ("", None),
        ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", None),
        (SECRET, None),
    ] {
        assert_eq!(Key::public(pem).ok().map(|key| key.algorithm), algorithm, "{pem}");
    }
}

#[test]
fn keys_of_a_set_are_found_by_their_ids() {
    let set = json!({ "keys": [
        { "kty": "EC", "crv": "P-256", "kid": "a", "use": "sig", "x": "AA", "y": "AA" },
        { "kty": "EC", "crv": "P-256", "kid": "b", "alg": "ES256", "x": "AA", "y": "AA" },
        { "kty": "RSA", "kid": "a", "n": "AQ", "e": "AQAB" },
        { "kty": "RSA", "kid": "encrypts", "use": "enc", "n": "AQ", "e": "AQAB" },
        { "kty": "RSA", "kid": "pss", "alg": "PS256", "n": "AQ", "e": "AQAB" },
        { "kty": "RSA", "kid": "broken", "n": 1 },
        { "kty": "oct", "kid": "secret", "k": "AAAA" },
        { "kty": "EC", "crv": "P-384", "kid": "long", "x": "AA", "y": "AA" },
        { "kty": "OKP", "crv": "Ed25519", "x": "AA" },
        { "kty": "AKP", "kid": "new", "alg": "ML-DSA-44", "pub": "AA" },
        7,
    ] });
    let keys = Key::of_set(set.to_string().as_bytes()).unwrap();
    let found = |id, algorithm| find(&keys, id, algorithm).is_some();
    assert!(
        found(Some("a"), Algorithm::ES256) && found(Some("b"), Algorithm::ES256) && found(Some("a"), Algorithm::RS256)
    );
    assert!(!found(None, Algorithm::ES256), "there are two");
    assert!(found(None, Algorithm::RS256) && found(None, Algorithm::EdDSA), "there is one of each");
    for (id, algorithm) in [("b", Algorithm::RS256), ("secret", Algorithm::HS256), ("a", Algorithm::EdDSA)] {
        assert!(!found(Some(id), algorithm), "{id}");
    }
    for id in ["encrypts", "pss", "broken", "secret", "long", "new"] {
        assert!(!ALGORITHMS.iter().any(|algorithm| found(Some(id), *algorithm)), "{id}");
    }
    assert!(
        Key::of_set(b"{}").is_none() && Key::of_set(b"<html>").is_none() && Key::of_set(b"{\"keys\":[]}").is_some()
    );
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let default = config::Authentication::default;
    let secret = || Some(Secret::from(SECRET));
    let url = || Some("http://127.0.0.1:1/keys".parse().unwrap());
    let refused = |settings: config::Authentication| {
        Authentication::new(Access::Nobody, &settings, &[]).err().map(|error| error.to_string()).unwrap_or_default()
    };
    for settings in [
        default(),
        config::Authentication { jwt_secret: secret(), jwt_issuer: Some("a".into()), ..default() },
        config::Authentication { jwt_jwks_url: url(), ..default() },
    ] {
        assert_eq!(refused(settings), "");
    }
    let both = refused(config::Authentication { jwt_secret: secret(), jwt_jwks_url: url(), ..default() });
    assert_eq!(both, "JWT_SECRET and JWT_JWKS_URL are both set: tokens have one source of keys");
    let short =
        refused(config::Authentication { jwt_secret: Some("thirty-one bytes are too short.".into()), ..default() });
    assert_eq!(short, "JWT_SECRET is too short: expected at least 32 bytes");
    let alone = refused(config::Authentication { jwt_write_scope: Some("write".into()), ..default() });
    assert!(alone.starts_with("JWT_WRITE_SCOPE needs a key of tokens"), "{alone}");
    let twice = config::Authentication { jwt_secret: secret(), jwt_secret_file: Some("/x".into()), ..default() };
    assert_eq!(refused(twice), "JWT_SECRET and JWT_SECRET_FILE are both set: remove one");
    let proxy = refused(config::Authentication { proxy_claims: vec!["sub=A".parse().unwrap()], ..default() });
    assert_eq!(proxy, AuthenticationError::NoProxy.to_string());
}

#[tokio::test]
async fn nothing_secret_is_shown() {
    let settings =
        config::Authentication { jwt_secret: Some(Secret::from(SECRET)), ..config::Authentication::default() };
    let authentication = Authentication::new(Access::Nobody, &settings, &[]).unwrap();
    let token = signed(Algorithm::HS256, &json!({ "sub": "ann-of-the-secrets", "exp": from_now(60) }));
    let headers =
        [("authorization".parse().unwrap(), format!("Bearer {token}").parse().unwrap())].into_iter().collect();
    let identified = authentication.identify(None, &headers, None).await.unwrap();
    assert_eq!(identified.permission, Permission::Granted);
    let shown = format!("{settings:?} {authentication:?} {identified:?}");
    assert!(!shown.contains("secrets") && !shown.contains("thirty-two") && !shown.contains(&token), "{shown}");
}
