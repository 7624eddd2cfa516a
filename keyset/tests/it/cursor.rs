//! The frozen format, and texts that are not cursors.

use keyset::{CursorError, CursorParts, Direction, Key, KeyError, Nulls, Order, Scalar, Sort};
use sea_orm::Value;

use crate::atlas::{self, City, Column};

fn by_people() -> Order {
    atlas::order(&[(Column::People, Direction::Asc, Nulls::Last)])
}

fn key(people: Option<i64>, id: i32) -> Key {
    Key::new(&by_people(), vec![Value::BigInt(people), id.into()]).unwrap()
}

#[track_caller]
fn check(text: &str, error: CursorError) {
    assert_eq!(by_people().open(text), Err(error), "{text}");
}

#[test]
fn e3_a_cursor_is_the_same_text_for_ever() {
    let order = by_people();
    let cursor = order.seal(&key(Some(331), 10)).unwrap();
    assert_eq!(cursor.as_str(), "AUcPCABLBgo");
    assert_eq!(order.open(cursor.as_str()), Ok(key(Some(331), 10)));
    assert_eq!(order.open(order.seal(&key(None, -1)).unwrap().as_str()), Ok(key(None, -1)));
}

#[test]
fn e3_refused_under_another_order_and_accepted_under_the_same_one_spelt_otherwise() {
    let cursor = by_people().seal(&key(Some(1), 2)).unwrap();
    let spelt =
        Order::of::<City>([Sort::asc(Column::People), Sort::asc(Column::Id), Sort::desc(Column::Rank)]).unwrap();
    assert_eq!(spelt.open(cursor.as_str()), Ok(key(Some(1), 2)));
    for other in [
        (Column::People, Direction::Desc, Nulls::Last),
        (Column::People, Direction::Asc, Nulls::First),
        (Column::Rank, Direction::Asc, Nulls::Last),
    ] {
        assert_eq!(atlas::order(&[other]).open(cursor.as_str()), Err(CursorError::OtherOrder));
    }
}

#[test]
fn e2_a_text_that_is_no_cursor_has_a_typed_error() {
    for text in ["?", "A", "AQ", "AUcP=", "AUcPCABLBgo=", "AUcPCABLBg", "AUcPCABLBg o", "AUcPY"] {
        check(text, CursorError::Malformed);
    }
    check("AUcP", CursorError::Arity { found: 0, expected: 2 });
    check("AUcPCABLBgoA", CursorError::Arity { found: 3, expected: 2 });
    check("AkcPCABLBgo", CursorError::Version(2));
    check("AQAACABLBgo", CursorError::OtherOrder);
    check(&"A".repeat(1_000_000), CursorError::TooLong(1_000_000));
}

#[test]
fn e2_values_that_do_not_fit_the_order_are_refused() {
    use base64::Engine;
    let text = |values: &[u8]| {
        let [high, low] = by_people().fingerprint().to_be_bytes();
        base64::prelude::BASE64_URL_SAFE_NO_PAD.encode([&[1, high, low], values].concat())
    };
    check(&text(&[6, 1]), CursorError::Arity { found: 1, expected: 2 });
    check(&text(&[6, 1, 6, 1, 6, 1]), CursorError::Arity { found: 3, expected: 2 });
    check(&text(&[1, 6, 1]), CursorError::Type(0));
    check(&text(&[6, 1, 0]), CursorError::Type(1));
    check(&text(&[6, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0]), CursorError::Type(1));
    check(&text(&[6, 1, 6]), CursorError::Malformed);
    check(&text(&[6, 1, 14, 1, b'7']), CursorError::Malformed);
    check(&text(&[6, 1, 99]), CursorError::Malformed);
}

/// A text that decodes to a value that no cursor holds is malformed.
#[test]
fn e2_values_that_no_key_has_are_refused() {
    use base64::Engine;
    let order = atlas::order(&[(Column::River, Direction::Asc, Nulls::Last)]);
    let key = Key::new(&order, vec!["a\0b".into(), 1.into()]).unwrap();
    assert_eq!(order.seal(&key), Err(KeyError::Nul));
    let [high, low] = order.fingerprint().to_be_bytes();
    let nul = base64::prelude::BASE64_URL_SAFE_NO_PAD.encode([1, high, low, 195, b'a', 0, b'b', 6, 1]);
    assert_eq!(order.open(&nul), Err(CursorError::Malformed));
}

#[test]
fn a_text_too_long_to_page_by_is_refused() {
    let order = atlas::order(&[(Column::River, Direction::Asc, Nulls::Last)]);
    let key = |length| Key::new(&order, vec!["x".repeat(length).into(), 1.into()]).unwrap();
    let longest = order.seal(&key(376)).unwrap();
    assert_eq!(longest.as_str().len(), 512);
    assert_eq!(order.open(longest.as_str()), Ok(key(376)));
    assert_eq!(order.seal(&key(377)), Err(KeyError::TooLong(514)));
    assert_eq!(order.seal(&key(100_000)), Err(KeyError::TooLong(100_000)));
}

#[path = "../../fuzz/order.rs"]
mod every_kind;

/// The corpus of the fuzz target: valid cursors, one per file.
fn corpus() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/open");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut texts: Vec<String> = files.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    texts.sort();
    texts
}

#[test]
fn e3_the_corpus_holds_cursors_of_every_kind() {
    let order = every_kind::order();
    let keys: Vec<Key> = corpus().iter().map(|text| order.open(text).unwrap()).collect();
    assert!(keys.len() >= 4);
    for place in 0..every_kind::KINDS.len() {
        let values: Vec<_> = keys.iter().map(|key| &key.values()[place]).collect();
        assert!(values.iter().any(|value| **value != value.as_null()), "{:?}", every_kind::KINDS[place]);
    }
}

/// A million invalid texts: cursors of the corpus with a few bytes changed, and noise after a valid head.
/// None panics, and a text that opens is the only text of its key. The fuzz target `open` searches further.
#[test]
fn e2_a_million_mutated_cursors_open_or_are_refused() {
    use base64::Engine;
    use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;

    let order = every_kind::order();
    let corpus: Vec<Vec<u8>> = corpus().iter().map(|text| BASE64.decode(text).unwrap()).collect();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |end: usize| {
        // Xorshift (Marsaglia, 2003): the same mutations at every run.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % end as u64).unwrap()
    };
    let mut opened = 0;
    for round in 0..1_000_000 {
        let mut bytes = corpus[round % corpus.len()].clone();
        if round % 8 > 0 {
            for _ in 0..=below(3) {
                let place = below(bytes.len());
                bytes[place] = u8::try_from(below(256)).unwrap();
            }
        } else {
            bytes.truncate(3 + below(bytes.len()));
            bytes.extend((0..below(40)).map(|_| u8::try_from(below(256)).unwrap()));
        }
        let text = BASE64.encode(&bytes);
        if let Ok(key) = order.open(&text) {
            assert_eq!(order.seal(&key).unwrap().as_str(), text);
            opened += 1;
        }
    }
    assert!((1_000..900_000).contains(&opened), "{opened} opened: the mutations are too wild or too tame");
}

#[test]
fn the_parts_of_a_cursor_need_no_order() {
    let parts = CursorParts::of("AUcPCABLBgo").unwrap();
    assert_eq!((parts.version, parts.fingerprint), (1, by_people().fingerprint()));
    assert_eq!(parts.values, [Scalar::Int(331), Scalar::Int(10)]);
    for text in corpus() {
        let parts = CursorParts::of(&text).unwrap();
        assert_eq!(parts.fingerprint, every_kind::order().fingerprint());
        assert_eq!(parts.values.len(), every_kind::order().sorts().len());
    }
    let refused = |text: &str| CursorParts::of(text).unwrap_err();
    for text in ["", "?", "AUcP", "AUcPBg", "AUcPDgE3"] {
        assert_eq!(refused(text), CursorError::Malformed, "{text}");
    }
    assert_eq!(refused("AkcPCABLBgo"), CursorError::Version(2));
    assert_eq!(refused(&"A".repeat(513)), CursorError::TooLong(513));
}
