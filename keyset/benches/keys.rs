//! Keys: `cargo bench -p bookends-keyset --bench keys`. The column `Kitem/s` or `Mitem/s` has the keys per second.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use keyset::{id, ulid};

fn main() {
    divan::main();
}

const KEYS: usize = 1_000;

/// As the server makes them, on one thread and on two at once.
#[divan::bench(threads = [1, 2])]
fn make_uuids(bencher: Bencher) {
    bencher.counter(ItemsCount::new(KEYS)).bench(|| {
        for _ in 0..KEYS {
            let _ = black_box(id::next());
        }
    });
}

#[divan::bench(threads = [1, 2])]
fn make_ulids(bencher: Bencher) {
    bencher.counter(ItemsCount::new(KEYS)).bench(|| {
        for _ in 0..KEYS {
            let _ = black_box(ulid::next());
        }
    });
}

#[divan::bench]
fn encode_a_ulid(bencher: Bencher) {
    let key = id::next();
    bencher.bench(|| ulid::encode(black_box(key)));
}

#[divan::bench]
fn decode_a_ulid(bencher: Bencher) {
    let text = ulid::encode(id::next());
    bencher.bench(|| ulid::decode(black_box(&text)));
}
