//! Requests that end before their statements do: no response has the data of another one, and no connection is lost.

use std::panic::resume_unwind;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::Poll;
use std::time::Duration;

use crate::support::station::{self, Plan, Station};
use async_graphql::futures_util::future::{join_all, poll_fn};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use axum::response::Response;
use axum::routing::post;
use bookends_server::config::{Bounds, Limits, Seconds};
use bookends_server::http::{Access, Server};
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::support::number::number;
use crate::support::patience::until;
use crate::support::served::{router, routes, within};

/// The number of requests that end early, of each kind.
const DROPS: usize = 250;

const PLAN: Plan = Plan { sensors: 20, readings: 6_000, repairs: 20 };

/// How a request ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Its client is gone.
    Gone,
    /// Its time limit has passed.
    Late,
    /// A panic while it waits for the database.
    Panic,
    /// A panic after one of its statements.
    PanicBetween,
}

const ENDS: [End; 4] = [End::Gone, End::Late, End::Panic, End::PanicBetween];

/// A list that SQLite does not read in place: only a statement that leaves its thread can be dropped.
const SLOW: &str = "slow: readings(where: { sensor: { year: { gt: 0 } } }) { totalCount }";

/// What one request asks for, and what must be in its response: only readings of its sensor.
fn request(sensor: &str) -> Request<Body> {
    let query = format!(
        "query($id: ID!) {{
        readings(first: 5, where: {{ sensor: {{ id: {{ eq: $id }} }} }}) {{ nodes {{ id sensor {{ id readings(first: 0) {{ totalCount }} }} }} }}
        {SLOW}
        sensors(first: 1, where: {{ id: {{ eq: $id }} }}) {{
            nodes {{ id readings(first: 3) {{ totalCount nodes {{ sensor {{ id }} }} }} }}
        }}
    }}"
    );
    let body = json!({ "query": query, "variables": { "id": sensor } }).to_string();
    let request = Request::post("/graphql").header("content-type", "application/json");
    request.body(Body::from(body)).unwrap()
}

fn is_of(data: &Value, sensor: &str) {
    let readings = data["readings"]["nodes"].as_array().unwrap();
    let found = &data["sensors"]["nodes"][0];
    let nested = found["readings"]["nodes"].as_array().unwrap();
    let total = usize::try_from(found["readings"]["totalCount"].as_u64().unwrap()).unwrap();
    assert_eq!((readings.len(), nested.len()), (total.min(5), total.min(3)), "{data}");
    assert_eq!(found["id"], sensor, "{data}");
    assert!(readings.iter().chain(nested).all(|reading| reading["sensor"]["id"] == sensor), "{data}");
    let counted = |reading: &Value| reading["sensor"]["readings"]["totalCount"].clone();
    assert!(readings.iter().all(|reading| counted(reading) == found["readings"]["totalCount"]), "{data}");
}

/// Polls a future this many times; none if it needs more.
async fn polled<F: Future>(future: F, mut times: usize) -> Option<F::Output> {
    let mut future = pin!(future);
    poll_fn(|context| {
        times -= 1;
        match future.as_mut().poll(context) {
            Poll::Pending if times == 0 => Poll::Ready(None),
            polled => polled.map(Some),
        }
    })
    .await
}

/// Servers of one pool.
struct Servers {
    plain: Router,
    /// Their time limits are none at all, 1 ms, 2 ms, 4 ms, and so on.
    hasty: Vec<Router>,
    panicking: Router,
    panicking_between: Router,
}

impl Servers {
    fn new(station: &Station) -> Self {
        let plain = routes(station.api.clone(), Access::Nobody);
        let hasty = |power: u32| {
            let request_timeout = Seconds(Duration::from_millis((1_u64 << power) / 2));
            router(&Server::new(station.api.clone(), Access::Nobody, Bounds { request_timeout, ..Bounds::DEFAULT }))
        };
        let within_service = plain.clone();
        let route = post(async move |request: Request<Body>| {
            let Some(response) = polled(within_service.oneshot(request), fastrand::usize(1..6)).await else {
                // Without a message.
                resume_unwind(Box::new("on purpose"));
            };
            response.unwrap()
        });
        let mut db = station.db.clone();
        db.reader.set_metric_callback(|info| {
            if info.statement.sql.contains("SELECT") && fastrand::u8(..4) == 0 {
                resume_unwind(Box::new("on purpose"));
            }
        });
        Self {
            hasty: (0..10).map(hasty).collect(),
            panicking: within(Router::new().route("/graphql", route), Bounds::DEFAULT),
            panicking_between: routes(station::api(db, Limits::DEFAULT), Access::Nobody),
            plain,
        }
    }

    /// Sends a request that may end like this. Its response, if its client waited for it. `limit` chooses the time limit.
    async fn send(&self, request: Request<Body>, end: End, limit: usize) -> Option<Value> {
        let server = match end {
            End::Gone => &self.plain,
            End::Late => &self.hasty[limit],
            End::Panic => &self.panicking,
            End::PanicBetween => &self.panicking_between,
        };
        let response = server.clone().oneshot(request);
        let response = match end {
            End::Gone => polled(response, fastrand::usize(1..6)).await?,
            _ => response.await,
        };
        Some(body(response.unwrap()).await)
    }

    /// The response to a request whose client waits for it.
    async fn answer(&self, request: Request<Body>) -> Value {
        body(self.plain.clone().oneshot(request).await.unwrap()).await
    }
}

async fn body(response: Response) -> Value {
    serde_json::from_slice(&to_bytes(response.into_body(), usize::MAX).await.unwrap()).unwrap()
}

/// Sends requests until enough of them have ended like this.
async fn drop_early(servers: &Servers, sensors: &[String], end: End, ended: &AtomicUsize) {
    let mut limit = 0;
    while ended.load(Relaxed) < DROPS {
        let sensor = &sensors[fastrand::usize(..sensors.len())];
        let response = servers.send(request(sensor), end, limit).await;
        let code = match &response {
            None => Some("none"),
            Some(response) => response["errors"][0]["extensions"]["code"].as_str(),
        };
        let expected = match end {
            End::Gone => "none",
            End::Late => "TIMEOUT",
            End::Panic | End::PanicBetween => "INTERNAL",
        };
        if let Some(code) = code {
            assert_eq!(code, expected, "{response:?}");
            ended.fetch_add(1, Relaxed);
            // The limits stay about as long as a response takes.
            limit = (limit + 1).min(servers.hasty.len() - 1);
        } else {
            is_of(&response.unwrap()["data"], sensor);
            limit = limit.saturating_sub(1);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn j4_requests_that_end_early_leave_nothing_behind() {
    let station = Station::new(PLAN).await;
    let sensors = station.data("{ sensors(first: 20) { nodes { id } } }").await["sensors"]["nodes"].take();
    let sensors: Arc<Vec<String>> =
        Arc::new(sensors.as_array().unwrap().iter().map(|sensor| sensor["id"].as_str().unwrap().to_owned()).collect());
    let servers = Arc::new(Servers::new(&station));
    let ended = Arc::new([const { AtomicUsize::new(0) }; ENDS.len()]);
    // Some wait for their responses meanwhile.
    let patient = (0..2).map(|_| {
        let (servers, sensors, ended) = (servers.clone(), sensors.clone(), ended.clone());
        tokio::spawn(async move {
            let mut completed = 0;
            while completed < DROPS || ended.iter().any(|ended| ended.load(Relaxed) < DROPS) {
                let sensor = &sensors[fastrand::usize(..sensors.len())];
                is_of(&servers.answer(request(sensor)).await["data"], sensor);
                completed += 1;
            }
        })
    });
    let hasty = ENDS.into_iter().cycle().take(2 * ENDS.len()).map(|end| {
        let (servers, sensors, ended) = (servers.clone(), sensors.clone(), ended.clone());
        tokio::spawn(async move { drop_early(&servers, &sensors, end, &ended[end as usize]).await })
    });
    for client in join_all(patient.chain(hasty)).await {
        client.unwrap();
    }

    // Every connection is free, works, and can be held beside all others.
    let usage = || station.db.reader.usage();
    until(async || usage().used == 0).await;
    let snapshots: Vec<_> = (0..usage().max()).map(|_| station.db.reader.snapshot()).collect();
    for held in join_all(snapshots.iter().map(|snapshot| number(snapshot, "SELECT count(*) FROM sensor"))).await {
        assert_eq!(held, Ok(20));
    }
    assert_eq!((usage().used, usage().max()), (snapshots.len(), snapshots.len()));
    drop(snapshots);
    until(async || usage().used == 0).await;
    for (body, sensor) in
        join_all(sensors.iter().map(|sensor| servers.answer(request(sensor)))).await.iter().zip(sensors.iter())
    {
        is_of(&body["data"], sensor);
    }
    until(async || usage().used == 0).await;
}
