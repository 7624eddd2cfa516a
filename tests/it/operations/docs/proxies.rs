//! The configurations of proxies in the documents agree with the server.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use bookends_server::http::Access;
use bookends_server::request::Code;
use tower::ServiceExt;

use super::{block, code, read};
use crate::operations::manuals::serve;
use crate::support::documents::rows;
use crate::support::served::routes;
use crate::support::shop::{SMALL, Shop};

const OPERATIONS: &str = "docs/operations.md";
const AUTHENTICATION: &str = "docs/authentication.md";

/// A `location` of nginx, and its directives.
#[derive(Debug)]
struct Location {
    path: String,
    directives: Vec<String>,
}

impl Location {
    fn has(&self, directive: &str) -> bool {
        self.directives.iter().any(|found| found.split_whitespace().eq(directive.split_whitespace()))
    }
}

fn locations(document: &str) -> Vec<Location> {
    let text = read(document);
    let text = block(&text, "nginx");
    assert_eq!(text.matches('{').count(), text.matches('}').count(), "{text}");
    let mut locations: Vec<Location> = Vec::new();
    let mut is_inside = false;
    for line in text.lines().map(|line| line.split(" #").next().unwrap().trim()).filter(|line| !line.is_empty()) {
        if let Some(path) = line.strip_prefix("location ").and_then(|line| line.strip_suffix(" {")) {
            locations.push(Location { path: path.to_owned(), directives: Vec::new() });
            is_inside = true;
        } else if line == "}" {
            is_inside = false;
        } else if !line.ends_with('{') {
            let directive = line.strip_suffix(';').unwrap_or_else(|| panic!("{document}: {line}"));
            if is_inside {
                locations.last_mut().unwrap().directives.push(directive.to_owned());
            }
        }
    }
    locations
}

/// What is hidden is there, and all of it is hidden.
#[tokio::test]
async fn the_proxies_hide_the_probes() {
    let hidden = locations(OPERATIONS).into_iter().find(|location| location.has("return 404")).unwrap();
    let names = hidden.path.trim_start_matches("~ ^/(").trim_end_matches(")$");
    let paths: Vec<String> = names.split('|').map(|name| format!("/{name}")).collect();
    let text = read(OPERATIONS);
    let caddy = text.lines().find_map(|line| line.trim().strip_prefix("@operations path ")).unwrap();
    assert!(caddy.split(' ').eq(&paths), "{caddy}");
    let shop = Shop::new(SMALL).await;
    let routes = routes(shop.api.clone(), Access::Nobody);
    for path in &paths {
        let response = routes.clone().oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK, "{path}");
    }
    let probes = rows(OPERATIONS, "Probes");
    assert!(probes.iter().map(|row| row.split('`').nth(1).unwrap()).eq(&paths), "{probes:?}");
}

#[test]
fn the_proxies_pass_what_the_server_needs() {
    let of_server = |document| {
        let locations = locations(document).into_iter();
        locations.filter(|location| location.has("proxy_pass http://bookshop")).collect::<Vec<_>>()
    };
    let (plain, authenticated) = (of_server(OPERATIONS), of_server(AUTHENTICATION));
    assert_eq!((plain.len(), authenticated.len()), (1, 2));
    for location in plain.iter().chain(&authenticated) {
        for directive in ["Host $host", "X-Forwarded-For $proxy_add_x_forwarded_for"] {
            assert!(location.has(&format!("proxy_set_header {directive}")), "{location:?}");
        }
    }
    for api in [&plain[0], &authenticated[0]] {
        for directive in [
            "proxy_http_version 1.1",
            "proxy_set_header Upgrade $http_upgrade",
            "proxy_set_header Connection $connection_upgrade",
        ] {
            assert!(api.has(directive), "{api:?}");
        }
    }
    assert_eq!(authenticated[0].path, "~ ^/graphql/?$");
    assert!(authenticated[0].has("proxy_set_header Authorization $authorization"));
    assert!(authenticated.iter().all(|location| location.has("auth_request /oauth2/auth")), "{authenticated:?}");
}

#[test]
fn the_names_are_those_of_settings_and_errors() {
    let cli = serve();
    let settings = cli.get_arguments().filter_map(|argument| argument.get_env()?.to_str());
    let codes = Code::ALL.iter().map(|(_, code, _)| *code);
    // One without a flag, one of the system, and Envoy's.
    let others = ["JWT_SECRET", "SSL_CERT_FILE", "OVERWRITE_IF_EXISTS_OR_ADD"];
    let known: Vec<&str> = settings.chain(codes).chain(others).collect();
    for document in [AUTHENTICATION, "docs/kubernetes.md"] {
        let text = read(document);
        let is_name = |word: &&str| word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        let names = code(&text).filter_map(|code| code.split('=').next()).filter(is_name);
        let strange: Vec<&str> = names.filter(|name| !known.contains(name)).collect();
        assert!(strange.is_empty(), "{document}: {strange:?}");
    }
}
