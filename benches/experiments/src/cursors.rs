//! The size of a cursor, and the time to write and to read it, against JSON in base64.

use std::hint::black_box;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use keyset::{Key, Kind, Order, Sort};
use sea_orm::sea_query::Expr;
use sea_orm::{JsonValue, Value};
use serde_json::json;

use crate::measure::median;
use crate::shop::book;
use crate::table::count;
use crate::{Bench, Error, Experiment, Measure, Plot, Table, Unit};

const ROUNDS: usize = 15;
/// The cursors that are written and read in a round.
const CURSORS: u32 = 10_000;
const ID: &str = "017eb31e-1440-7690-9f82-5f0937f823c8";

pub const EXPERIMENT: Experiment = Experiment {
    name: "cursors",
    shows: "Typed binary values make a cursor half to two thirds as long as base64 JSON, faster to write and slower \
            to read.",
    does_not_show: "It does not show a difference that a page would notice: both formats take less than a \
            microsecond.",
    plot: Plot::Bars(0, 0),
    run: |bench| Box::pin(run(bench)),
};

/// A key, for the engine and in JSON.
struct Example {
    name: &'static str,
    order: Order,
    key: Key,
    json: JsonValue,
}

#[expect(clippy::unused_async, reason = "the form of an experiment")]
async fn run(_: &Bench) -> Result<Vec<Table>, Error> {
    let groups = ["Bookends", "base64 JSON"].map(str::to_owned).to_vec();
    let measures = [
        Measure::new("size", Unit::Bytes),
        Measure::new("encode", Unit::Milliseconds),
        Measure::new("decode", Unit::Milliseconds),
    ];
    let mut table = Table::new("Cursors by the values of their keys", &["key"], groups, &measures);
    for Example { name, order, key, json } in examples()? {
        let cursor = order.seal(&key)?;
        let text = BASE64_STANDARD.encode(json.to_string());
        let decoded = || BASE64_STANDARD.decode(&text).map(|bytes| serde_json::from_slice::<JsonValue>(&bytes));
        let times = in_turns([
            &|| drop(black_box(order.seal(black_box(&key)))),
            &|| drop(black_box(order.open(black_box(cursor.as_str())))),
            &|| drop(black_box(BASE64_STANDARD.encode(black_box(&json).to_string()))),
            &|| drop(black_box(decoded())),
        ]);
        if order.open(cursor.as_str())? != key || !matches!(decoded(), Ok(Ok(found)) if found == json) {
            return Err(Error::Unexpected("the key that was written".to_owned()));
        }
        let bytes = |text: &str| Some(count(text.len() as u64));
        table.push(
            &[name],
            vec![
                vec![bytes(cursor.as_str()), Some(times[0]), Some(times[1])],
                vec![bytes(&text), Some(times[2]), Some(times[3])],
            ],
        );
    }
    Ok(vec![table])
}

/// The keys of some orders of books.
fn examples() -> Result<[Example; 4], Error> {
    let example = |name, sorts: Vec<Sort>, values: Vec<Value>, json| {
        let order = Order::of::<book::Entity>(sorts)?;
        let key = Key::new(&order, values)?;
        Ok::<_, Error>(Example { name, order, key, json })
    };
    let id = || ID.parse::<uuid::Uuid>().map_err(|error| Error::Unexpected(format!("a UUID: {error}")));
    let expression = |name: &'static str, kind| Sort::expression(name, Expr::cust(name), kind).never_null();
    let time = "2022-01-31T20:18:42.243Z";
    let at = time.parse().map_err(|error| Error::Unexpected(format!("a time: {error}")))?;
    let at: sea_orm::prelude::DateTimeUtc = at;
    Ok([
        example("UUID", vec![], vec![id()?.into()], json!([ID]))?,
        example(
            "rating, UUID",
            vec![expression("rating", Kind::BigInt)],
            vec![4_i64.into(), id()?.into()],
            json!([4, ID]),
        )?,
        example(
            "time, UUID",
            vec![expression("at", Kind::DateTimeUtc)],
            vec![at.into(), id()?.into()],
            json!([time, ID]),
        )?,
        example(
            "text of 20 letters, UUID",
            vec![Sort::asc(book::Column::Name)],
            vec!["The Unfinished Coast".into(), id()?.into()],
            json!(["The Unfinished Coast", ID]),
        )?,
    ])
}

/// The median milliseconds of one call of each function.
fn in_turns(functions: [&dyn Fn(); 4]) -> [f64; 4] {
    let mut times: [Vec<Duration>; 4] = Default::default();
    for _ in 0..ROUNDS {
        for (function, times) in functions.iter().zip(&mut times) {
            let start = Instant::now();
            for _ in 0..CURSORS {
                function();
            }
            times.push(start.elapsed() / CURSORS);
        }
    }
    times.map(median)
}
