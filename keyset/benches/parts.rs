//! The parts of the engine, without a database: `cargo bench -p keyset --bench parts`.

use divan::{Bencher, black_box};
use keyset::bracket::bracket;
use keyset::{Found, Key, Order, Page, Row, Slice, Sort};
use sea_orm::tests_cfg::fruit;
use sea_orm::{DbBackend, EntityTrait, QueryTrait};

fn main() {
    divan::main();
}

/// By a column that can be NULL, then by id.
fn order() -> Order {
    Order::of::<fruit::Entity>([Sort::desc(fruit::Column::CakeId)]).expect("an order")
}

fn key(order: &Order) -> Key {
    Key::new(order, vec![Some(7).into(), 7.into()]).expect("a key")
}

/// The twenty rows after a key.
fn page(order: &Order) -> Page {
    Page::first(order, 20).after(key(order)).expect("a key of the order")
}

#[divan::bench]
fn make_an_order() -> Order {
    order()
}

#[divan::bench]
fn seal_a_cursor(bencher: Bencher) {
    let order = order();
    let key = key(&order);
    bencher.bench(|| order.seal(black_box(&key)));
}

#[divan::bench]
fn open_a_cursor(bencher: Bencher) {
    let order = order();
    let cursor = order.seal(&key(&order)).expect("a cursor");
    bencher.bench(|| order.open(black_box(cursor.as_str())));
}

#[divan::bench(args = [DbBackend::Sqlite, DbBackend::Postgres])]
fn build_a_bracket(bencher: Bencher, backend: DbBackend) {
    let page = page(&order());
    let query = fruit::Entity::find();
    bencher.bench(|| bracket(black_box(query.as_query()), &page, backend));
}

#[divan::bench]
fn cut_a_slice(bencher: Bencher) {
    let order = order();
    let page = page(&order);
    let row = |segment| Found { segment, inside: true, row: Row { key: key(&order), item: [0_u64; 8] } };
    let found: Vec<_> = std::iter::once(0).chain([1; 21]).map(row).collect();
    bencher.with_inputs(|| found.clone()).bench_values(|found| Slice::cut(found, &page));
}
