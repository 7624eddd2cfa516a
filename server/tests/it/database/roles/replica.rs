//! Roles on a replica, by the program as it is started.
#![cfg(unix)]

use bookends_server::config::Authentication;
use bookends_server::http::{self, Access};
use jsonwebtoken::{EncodingKey, Header, encode};
use sea_orm::{ConnectionTrait, Database};
use serde_json::{Value, json};

use super::{NAMES, POLICIES};
use crate::support::fleet::{self, Server, with_replicas};
use crate::support::wire::{ask, post_with};

const SECRET: &str = "the secret key of the issuer of the tests";

fn token(claims: &Value) -> String {
    // Lets this process sign.
    let settings = Authentication { jwt_secret: Some(SECRET.into()), ..Authentication::default() };
    http::Authentication::new(Access::Nobody, &settings, &[]).unwrap();
    encode(&Header::default(), claims, &EncodingKey::from_secret(SECRET.as_bytes())).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_reads_in_the_role_of_the_request() {
    let Some(primary) = fleet::primary() else { return };
    let owner = Database::connect(primary.url("")).await.unwrap();
    owner.execute_unprepared(&POLICIES.replace("TENANT", "tenant").replace("NOBODY", "nobody")).await.unwrap();
    let replica = primary.replica();
    let mut command = with_replicas(&primary.url(""), &[&replica]);
    let roles = [("JWT_SECRET", SECRET), ("DATABASE_ROLE_CLAIM", "role"), ("DATABASE_ANONYMOUS_ROLE", "nobody")];
    let server = Server::with_healthy(command.env("MAX_REPLICA_LAG", "3600").envs(roles), &[&replica]);
    let queries = server.queries(&replica);
    let several = "{ sensors { nodes { name } } readings { nodes { value } } }";
    for (tenant, sensors) in [("a", 3), ("b", 5)] {
        let token = token(&json!({ "role": "tenant", "tenant": tenant, "exp": 32_503_680_000_u64 }));
        for query in [NAMES, several] {
            let headers = format!("Connection: close\r\nAuthorization: Bearer {token}\r\n");
            let answer = ask(&server.address, post_with(&headers, &json!({ "query": query }).to_string()));
            let answer: Value = serde_json::from_str(&answer.body).unwrap();
            assert_eq!(answer["data"]["sensors"]["nodes"].as_array().map(Vec::len), Some(sensors), "{answer}");
        }
    }
    let nobody = ask(&server.address, post_with("Connection: close\r\n", &json!({ "query": NAMES }).to_string()));
    assert_eq!(nobody.body, r#"{"data":{"sensors":{"nodes":[]}}}"#);
    assert_eq!(server.queries(&replica), queries + 5, "the replica has answered");
}
