//! The page at `/`: what a browser is told about it, and the queries that it opens with.

use std::sync::LazyLock;

use axum::Router;
use axum::body::Body;
use axum::http::header::{
    ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
};
use axum::http::{HeaderMap, HeaderName, Request, StatusCode};
use bookends_server::config::Limits;
use bookends_server::http::Access;
use bookends_server::http::page::{Bundle, routes};
use tower::ServiceExt;

use crate::support::station::{self, empty};

static BUNDLE: LazyLock<Bundle> = LazyLock::new(|| {
    Bundle::new(&[
        ("assets/font-4e9b.ttf.gz", include_bytes!("graphiql_page/assets/font-4e9b.ttf.gz")),
        ("assets/icon-3d5a.svg.gz", include_bytes!("graphiql_page/assets/icon-3d5a.svg.gz")),
        ("assets/licenses-6c7d.txt.gz", include_bytes!("graphiql_page/assets/licenses-6c7d.txt.gz")),
        ("assets/notes-5a6b.md.gz", include_bytes!("graphiql_page/assets/notes-5a6b.md.gz")),
        ("assets/script-1f0e.js.gz", include_bytes!("graphiql_page/assets/script-1f0e.js.gz")),
        ("assets/style-2b7c.css.gz", include_bytes!("graphiql_page/assets/style-2b7c.css.gz")),
        ("index.html", include_bytes!("graphiql_page/index.html")),
    ])
});

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    #[track_caller]
    fn header(&self, name: impl Into<HeaderName>) -> &str {
        let name = name.into();
        self.headers.get(&name).unwrap_or_else(|| panic!("{name} is missing")).to_str().unwrap()
    }
}

async fn send(router: Router, request: Request<Body>) -> Answer {
    let (parts, body) = router.oneshot(request).await.unwrap().into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap().to_vec();
    Answer { status: parts.status, headers: parts.headers, body }
}

async fn get(router: Router, path: &str) -> Answer {
    send(router, Request::get(path).body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn the_page_is_revalidated() {
    let answer = get(routes(&BUNDLE), "/").await;
    assert_eq!((answer.status, answer.header(CONTENT_TYPE)), (StatusCode::OK, "text/html; charset=utf-8"));
    assert_eq!(answer.header(CACHE_CONTROL), "no-cache", "it names the assets of the newest bundle");
    assert_eq!(answer.body, include_bytes!("graphiql_page/index.html"));
}

#[tokio::test]
async fn the_content_security_policy_allows_the_bundle_alone() {
    let policies = [get(routes(&BUNDLE), "/").await, get(routes(&BUNDLE), SCRIPT).await];
    for answer in policies {
        let policy = answer.header(HeaderName::from_static("content-security-policy"));
        for directive in ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"] {
            assert!(policy.split("; ").any(|given| given == directive), "{directive} is not in {policy}");
        }
        assert!(!policy.contains("unsafe-eval") && !policy.contains("http") && !policy.contains('*'), "{policy}");
    }
}

const SCRIPT: &str = "/assets/script-1f0e.js";

#[tokio::test]
async fn an_asset_is_typed_compressed_and_immutable() {
    for (path, content_type) in [
        (SCRIPT, "text/javascript; charset=utf-8"),
        ("/assets/style-2b7c.css", "text/css; charset=utf-8"),
        ("/assets/icon-3d5a.svg", "image/svg+xml"),
        ("/assets/font-4e9b.ttf", "font/ttf"),
        ("/assets/licenses-6c7d.txt", "text/plain; charset=utf-8"),
    ] {
        let answer = get(routes(&BUNDLE), path).await;
        assert_eq!((answer.status, answer.header(CONTENT_TYPE)), (StatusCode::OK, content_type), "{path}");
        assert_eq!(answer.header(CONTENT_ENCODING), "gzip");
        assert_eq!(answer.body[..2], [0x1f, 0x8b], "the magic number of gzip");
        assert_eq!(answer.header(CACHE_CONTROL), "public, max-age=31536000, immutable");
    }
}

#[tokio::test]
async fn an_unchanged_file_is_304() {
    for path in ["/", SCRIPT] {
        let tag = get(routes(&BUNDLE), path).await.header(ETAG).to_owned();
        let ask = async |tags: &str| {
            let request = Request::get(path).header(IF_NONE_MATCH, tags).body(Body::empty()).unwrap();
            send(routes(&BUNDLE), request).await
        };
        for tags in [tag.clone(), format!("\"other\", W/{tag}")] {
            let answer = ask(&tags).await;
            assert_eq!((answer.status, answer.body.len()), (StatusCode::NOT_MODIFIED, 0), "{tags}");
            assert_eq!(answer.header(ETAG), tag);
        }
        assert_eq!(ask("\"other\"").await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn only_files_of_the_bundle_are_served() {
    for path in [
        "/assets/none-0000.js",
        "/assets/notes-5a6b.md",
        "/assets/script-1f0e.js.gz",
        "/assets/..%2Findex.html",
        "/assets/..%2F..%2Fpage.js",
        "/assets/%2Fetc%2Fpasswd.js",
        "/assets/%00.js",
        "/assets/%FF.js",
    ] {
        let status = get(routes(&BUNDLE), path).await.status;
        assert!(status == StatusCode::NOT_FOUND || status == StatusCode::BAD_REQUEST, "{path}: {status}");
    }
}

#[tokio::test]
async fn the_page_allows_get_and_head_alone() {
    for path in ["/", SCRIPT] {
        let length = get(routes(&BUNDLE), path).await.body.len();
        let head = send(routes(&BUNDLE), Request::head(path).body(Body::empty()).unwrap()).await;
        assert_eq!((head.status, head.body.len()), (StatusCode::OK, 0), "{path}");
        assert_eq!(head.header(CONTENT_LENGTH), length.to_string());
        let post = send(routes(&BUNDLE), Request::post(path).body(Body::empty()).unwrap()).await;
        assert_eq!((post.status, post.header(ALLOW)), (StatusCode::METHOD_NOT_ALLOWED, "GET,HEAD"), "{path}");
    }
}

/// What a browser sends when it opens an address.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

#[tokio::test]
async fn a_browser_that_opens_the_api_without_a_query_gets_the_page() {
    let (_test, db) = empty().await;
    let server = crate::support::served::routes(station::api(db, Limits::DEFAULT), Access::Nobody);
    for (path, accept, content_type) in [
        ("/graphql", BROWSER, "text/html"),
        ("/graphql?query=%7B__typename%7D", BROWSER, "application/json"),
        ("/graphql?documentId=none", BROWSER, "application/json"),
        ("/graphql", "application/json", "application/json"),
        ("/graphql", "*/*", "application/json"),
    ] {
        let request = Request::get(path).header(ACCEPT, accept).body(Body::empty()).unwrap();
        let answer = send(server.clone(), request).await;
        assert!(answer.header(CONTENT_TYPE).starts_with(content_type), "{path} for {accept}: {:?}", answer.headers);
        let vary = answer.header(HeaderName::from_static("vary")).to_ascii_lowercase();
        assert!(vary.contains("accept"), "{vary}");
    }
}
