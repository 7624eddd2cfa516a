//! Who asks: the value that an application makes of each request, and the codes of its own errors.

use std::net::IpAddr;

use async_graphql::{Context, MergedObject, MergedSubscription, Object};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use axum::http::{Request, StatusCode};
use bookends_server::app::OwnCode;
use bookends_server::config::{self, Bounds};
use bookends_server::http::{Access, Authentication, Peer, Server};
use bookends_server::{App, DeclaredMutation, DeclaredQuery, DeclaredSubscription, Error, Result};
use jsonwebtoken::{EncodingKey, Header};
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::app::{Served, app};

const SUSPENDED: OwnCode =
    OwnCode::new("TENANT_SUSPENDED", "the tenant has not paid").with_status(StatusCode::PAYMENT_REQUIRED);
const NO_TENANT: OwnCode = OwnCode::new("NO_TENANT", "the field needs a tenant");

struct Tenant(Option<String>, Option<IpAddr>);

#[derive(Default)]
struct Own;

#[Object]
#[expect(clippy::unused_async, reason = "async-graphql requires resolvers to be async")]
impl Own {
    async fn tenant(&self, context: &Context<'_>) -> Result<Option<String>> {
        match context.data_unchecked::<Tenant>() {
            Tenant(Some(name), Some(_)) => Ok(Some(name.clone())),
            _ => Err(Error::client(NO_TENANT, "send the header `Tenant`")),
        }
    }
}

#[derive(Default, MergedObject)]
struct Query(DeclaredQuery, Own);

#[derive(Default, MergedObject)]
struct Mutation(DeclaredMutation, Own);

#[derive(Default, MergedSubscription)]
struct Subscription(DeclaredSubscription);

fn tenants() -> App {
    app().roots::<Query, Mutation, Subscription>().code(SUSPENDED).code(NO_TENANT).viewer(|asking| {
        let name = asking.headers.get("tenant").and_then(|name| name.to_str().ok()).map(str::to_owned);
        if name.as_deref() == Some("late") {
            return Err(Error::client(SUSPENDED, "pay first"));
        }
        Ok(Tenant(name, asking.address))
    })
}

async fn post(router: &Router, tenant: Option<&str>, query: &str) -> (StatusCode, Value) {
    let mut request = Request::post("/graphql").header(CONTENT_TYPE, "application/json");
    request = request.header(ACCEPT, "application/graphql-response+json");
    if let Some(tenant) = tenant {
        request = request.header("tenant", tenant);
    }
    let body = Body::from(json!({ "query": query }).to_string());
    let response = router.clone().oneshot(request.body(body).unwrap()).await.unwrap();
    let status = response.status();
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, serde_json::from_slice(&body).unwrap())
}

#[tokio::test]
async fn resolvers_find_who_asks_and_an_error_of_it_refuses_the_request() {
    let served = Served::of(tenants()).await;
    let service = Server::new(served.api.clone(), Access::Nobody, Bounds::DEFAULT).service();
    let router = Router::new().fallback_service(service);
    let (status, response) = post(&router, Some("acme"), "{ tenant rivers { totalCount } }").await;
    let data = json!({ "tenant": "acme", "rivers": { "totalCount": 0 } });
    assert_eq!((status, response), (StatusCode::OK, json!({ "data": data })));

    let (status, response) = post(&router, Some("late"), "{ tenant }").await;
    let error = json!({ "message": "pay first", "extensions": { "code": "TENANT_SUSPENDED" } });
    assert_eq!((status, response), (StatusCode::PAYMENT_REQUIRED, json!({ "errors": [error] })));

    let (status, response) = post(&router, None, "{ tenant }").await;
    assert_eq!(response["errors"][0]["extensions"]["code"], "NO_TENANT", "{response}");
    assert_eq!(status.as_u16(), 294, "an error of a field: {response}");

    let metrics = Request::get("/metrics").body(Body::empty()).unwrap();
    let metrics = router.oneshot(metrics).await.unwrap();
    let metrics = to_bytes(metrics.into_body(), usize::MAX).await.unwrap();
    let metrics = String::from_utf8(metrics.into()).unwrap();
    for code in ["TENANT_SUSPENDED", "NO_TENANT"] {
        assert!(metrics.contains(&format!("bookends_errors_total{{code=\"{code}\"}} 1")), "{metrics}");
    }
}

/// What the resolvers of an application learn of a token, or of the headers of a proxy.
#[tokio::test]
async fn the_application_finds_the_claims_of_a_request() {
    let app = app().roots::<Query, Mutation, Subscription>().code(NO_TENANT).viewer(|asking| {
        let tenant = asking.claims.and_then(|claims| claims.text("tenant"));
        Ok(Tenant(tenant.map(str::to_owned), asking.address))
    });
    let served = Served::of(app).await;
    let settings = config::Authentication {
        jwt_secret: Some("a secret of at least thirty-two bytes".into()),
        proxy_claims: vec!["tenant=X-Tenant".parse().unwrap()],
        ..config::Authentication::default()
    };
    let trusted = ["10.0.0.0/8".parse().unwrap()];
    let authentication = Authentication::new(Access::Nobody, &settings, &trusted).unwrap();
    let service = Server::new(served.api.clone(), authentication, Bounds::DEFAULT).service();
    let router = Router::new().fallback_service(service);
    let claims = json!({ "tenant": "of-the-token", "exp": 32_503_680_000_u64 });
    let key = EncodingKey::from_secret(b"a secret of at least thirty-two bytes");
    let token = jsonwebtoken::encode(&Header::default(), &claims, &key).unwrap();
    for (peer, header, token, expected) in [
        ("10.0.0.1:1", "of-the-proxy", None, "of-the-proxy"),
        ("10.0.0.1:1", "", None, "NO_TENANT"),
        ("192.0.2.1:1", "of-a-stranger", None, "NO_TENANT"),
        ("192.0.2.1:1", "of-a-stranger", Some(&token), "of-the-token"),
        ("10.0.0.1:1", "of-the-proxy", Some(&token), "of-the-token"),
    ] {
        let mut request = Request::post("/graphql").header(CONTENT_TYPE, "application/json").header("x-tenant", header);
        if let Some(token) = token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request.extension(Peer(peer.parse().unwrap()));
        let body = Body::from(json!({ "query": "{ tenant }" }).to_string());
        let response = router.clone().oneshot(request.body(body).unwrap()).await.unwrap();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        let found = body["data"]["tenant"].as_str().or(body["errors"][0]["extensions"]["code"].as_str());
        assert_eq!(found, Some(expected), "{peer} {header}: {body}");
    }
}

#[test]
fn the_schema_has_the_codes_of_the_application() {
    let sdl = tenants().check().unwrap().sdl();
    assert!(sdl.contains("\t\"The tenant has not paid.\"\n\tTENANT_SUSPENDED"), "{sdl}");
    assert!(!app().check().unwrap().sdl().contains("TENANT_SUSPENDED"), "another application has none");
    let again = OwnCode::new("NOT_FOUND", "it is gone");
    let faults = tenants().code(again).code(OwnCode::new("not a name", "")).check().unwrap_err().to_string();
    for fault in ["two codes of errors have the name `NOT_FOUND`", "the code `not a name` is no name of GraphQL"] {
        assert!(faults.contains(fault), "{faults}");
    }
}
