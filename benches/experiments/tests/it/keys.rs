//! Keys.

use super::{check_shape, report, value};

const KINDS: [&str; 4] = ["UUIDv4", "UUIDv7", "ULID", "bigint"];

#[tokio::test]
async fn random_keys_dirty_more_pages_and_write_more_log() {
    let report = report("keys", 20_000).await;
    let [made, inserted, scanned, single] = &report.tables[..] else { panic!("{:?}", report.tables) };
    let kinds = KINDS.each_ref().map(std::slice::from_ref);

    let rows = [&kinds[..], &[&["none: the loop alone"]]].concat();
    let loops = made.groups.iter().map(|group| ("none: the loop alone", group.as_str()));
    check_shape(made, &rows, &loops.chain([("bigint", "SQLite")]).collect::<Vec<_>>());
    let in_order = |kind| value(made, &[kind], "server", "in order");
    assert!((45.0..55.0).contains(&in_order("UUIDv4")), "{}", made.to_markdown());
    assert!(["UUIDv7", "ULID", "bigint"].map(in_order).iter().all(|share| *share > 99.9), "{}", made.to_markdown());

    let rows: Vec<[&str; 2]> =
        ["none", "primary key"].iter().flat_map(|index| KINDS.map(|kind| [kind, *index])).collect();
    // On SQLite, the indexed table is its own index.
    let without = [("none", "SQLite"), ("none", "PostgreSQL"), ("primary key", "SQLite")];
    check_shape(inserted, &rows.iter().map(|row| &row[..]).collect::<Vec<_>>(), &without);
    check_shape(scanned, &kinds, &KINDS.map(|kind| (kind, "SQLite")));
    check_shape(single, &kinds, &[]);

    for group in &inserted.groups {
        let indexed = |kind, measure| value(inserted, &[kind, "primary key"], group, measure);
        for measure in ["dirtied pages", "log"] {
            let [random, v7, ulid, bigint] = KINDS.map(|kind| indexed(kind, measure));
            assert!(random > 1.5 * v7.max(ulid).max(bigint), "{group}, {measure}: {}", inserted.to_markdown());
            let bare = value(inserted, &["UUIDv4", "none"], group, measure);
            let other = value(inserted, &["UUIDv7", "none"], group, measure);
            assert!(
                bare < 1.2 * other,
                "{group}: without an index the order of keys means nothing: {}",
                inserted.to_markdown()
            );
        }
        let keys = if group == "SQLite" { "table" } else { "index" };
        assert!(indexed("bigint", keys) < indexed("UUIDv7", keys), "{group}: {}", inserted.to_markdown());

        let scan = |kind, measure| value(scanned, &[kind], group, measure);
        assert!((45.0..55.0).contains(&scan("UUIDv4", "in creation order")), "{group}: {}", scanned.to_markdown());
        assert!(scan("bigint", "in creation order") > 99.9, "{group}: {}", scanned.to_markdown());
        assert!(
            group == "SQLite" || scan("UUIDv4", "table pages") > 5.0 * scan("UUIDv7", "table pages"),
            "{group}: {}",
            scanned.to_markdown()
        );

        // On SQLite, each transaction writes at least a page, whatever the key.
        let pages = |kind| value(single, &[kind], group, "dirtied pages of a row");
        assert!(group != "SQLite" || pages("UUIDv4") >= 1.0, "{}", single.to_markdown());
        assert!(group == "SQLite" || pages("UUIDv4") > 2.0 * pages("UUIDv7"), "{group}: {}", single.to_markdown());
    }
}

/// docs/keys.md corrects a published ULID.
#[test]
fn the_corrected_ulid_is_that_of_the_uuid() {
    let id: uuid::Uuid = "017eb31e-1440-b69e-d82f-5f0937f823c8".parse().unwrap();
    assert_eq!(ulid::Ulid::from(id).to_string(), "01FTSHW520PTFDGBTZ14VZG8Y8");
}
