//! GraphiQL of an application.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use bookends_server::config::Bounds;
use bookends_server::http::page::Tab;
use bookends_server::http::{Access, Server};
use serde_json::Value;
use tower::ServiceExt;

use crate::app::{Served, app};

async fn get(router: Router, path: &str) -> (StatusCode, String) {
    let response = router.oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
    let status = response.status();
    (status, String::from_utf8(to_bytes(response.into_body(), usize::MAX).await.unwrap().into()).unwrap())
}

/// The queries of the tabs in a page.
fn tabs(html: &str) -> Vec<String> {
    let (_, rest) = html.split_once("id=\"tabs\">").unwrap();
    let tabs: Vec<Value> = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    tabs.iter().map(|tab| tab["query"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_page_has_a_query_of_each_list_which_runs() {
    let served = Served::new().await;
    let service = Server::new(served.api.clone(), Access::Nobody, Bounds::DEFAULT).service();
    let routes = Router::new().fallback_service(service);
    let (status, html) = get(routes.clone(), "/").await;
    assert_eq!(status, StatusCode::OK);
    assert!(html.contains("<title>rivers</title>") && html.contains("Rivers &amp; cities."), "{html}");
    let tabs = tabs(&html);
    assert_eq!(tabs.len(), 3);
    for query in tabs {
        served.data(&query, Value::Null).await;
    }
    let (status, sdl) = get(routes.clone(), "/schema.graphql").await;
    assert_eq!((status, sdl.contains("createCity(")), (StatusCode::OK, true));
    let (_, metrics) = get(routes, "/metrics").await;
    assert!(metrics.contains(r#"bookends_build_info{version="1.2.3",application="rivers"} 1"#), "{metrics}");
}

#[tokio::test]
async fn an_axum_application_has_it_below_a_path() {
    let served = Served::new().await;
    let api = Server::new(served.api.clone(), Access::Nobody, Bounds::DEFAULT).service();
    let own = Router::new().route("/", axum::routing::get(async || "mine")).nest_service("/rivers", api);
    let (status, html) = get(own.clone(), "/rivers/").await;
    assert!(status == StatusCode::OK && html.contains("<title>rivers</title>"), "{status} {html}");
    let (status, response) = get(own.clone(), "/rivers/graphql?query=%7Brivers%7BtotalCount%7D%7D").await;
    assert_eq!((status, response.as_str()), (StatusCode::OK, r#"{"data":{"rivers":{"totalCount":0}}}"#));
    assert_eq!(get(own.clone(), "/").await.1, "mine");
    assert_eq!(get(own, "/unknown").await.0, StatusCode::NOT_FOUND);
}

#[test]
fn a_query_does_not_end_the_element_that_it_is_in() {
    let application = app().tab(Tab::new("{ a } # </script><script>")).link("A & B", "/a").check().unwrap();
    let page = bookends_server::http::page::of(&application);
    let html = page.index();
    assert_eq!(tabs(&html), ["{ a } # </script><script>"]);
    assert!(html.contains("<a href=\"./a\">A &amp; B</a>"), "{html}");
}
