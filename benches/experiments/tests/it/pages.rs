//! Counts, sums, pages by depth, flags, cursors.

use super::{check_shape, report, value};

/// The most work of a bracket, in the units of either database.
const BRACKET: f64 = 2_000.0;

#[tokio::test]
async fn a_count_reads_what_it_counts() {
    let report = report("count", 2_000).await;
    let [table] = &report.tables[..] else { panic!("{:?}", report.tables) };
    let [plain, join, sub_query, bounded, estimate] =
        ["`COUNT(*)`", "over the aggregate join", "over the sub-query form", "bounded", "estimate"];
    check_shape(table, &[&[plain], &[join], &[sub_query], &[bounded], &[estimate]], &[]);
    for group in &table.groups {
        for (way, answer) in
            [(plain, 2_000.0), (join, 2_000.0), (sub_query, 2_000.0), (bounded, 1_001.0), (estimate, 2_000.0)]
        {
            assert_eq!(value(table, &[way], group, "answer").to_bits(), f64::to_bits(answer), "{way}, {group}");
        }
        let work = |way: &str| value(table, &[way], group, "work");
        assert!(work(join) > 1.5 * work(plain), "{group}: the orders are read, too: {}", table.to_markdown());
        assert!(work(sub_query) <= work(plain), "{group}: the sums are not computed: {}", table.to_markdown());
    }
}

#[tokio::test]
async fn sums_that_are_kept_make_every_page_cheap() {
    let report = report("aggregates", 20_000).await;
    let [table] = &report.tables[..] else { panic!("{:?}", report.tables) };
    let ways = ["join and `GROUP BY`", "correlated sub-query", "`book_stats`, `OFFSET`", "`book_stats`, bracket"];
    let mut rows = Vec::new();
    for order in ["id", "revenue"] {
        for depth in ["0", "1,000"] {
            rows.extend(ways.iter().map(|way| vec![order, depth, way]));
        }
    }
    check_shape(table, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), &[]);
    for group in &table.groups {
        let work = |order, depth, way: usize| value(table, &[order, depth, ways[way]], group, "work");
        for (order, depth) in [("id", "0"), ("id", "1,000"), ("revenue", "0"), ("revenue", "1,000")] {
            assert!(work(order, depth, 3) <= BRACKET, "{group}, {order}, {depth}: {}", table.to_markdown());
        }
        for way in [0, 1] {
            assert!(
                work("revenue", "0", way) > 5.0 * work("revenue", "0", 3),
                "{group}, {way}: {}",
                table.to_markdown()
            );
        }
        assert!(work("revenue", "1,000", 2) > 2.0 * work("revenue", "1,000", 3), "{group}: {}", table.to_markdown());
    }
}

#[tokio::test]
async fn only_the_bracket_costs_the_same_at_every_depth_in_every_order() {
    let report = report("depth", 20_000).await;
    let depths = ["0", "10", "100", "1,000", "10,000", "20,000"];
    let [offset, or_predicate, row_value, bracket] = ["`OFFSET`", "OR predicate", "row value", "bracket"];
    assert_eq!(report.tables.len(), 4);
    for (place, table) in report.tables.iter().enumerate() {
        let is_row_value = place < 2;
        let mut rows = vec![vec!["0", offset], vec!["0", bracket]];
        for depth in &depths[1..] {
            rows.extend([vec![depth, offset], vec![depth, or_predicate]]);
            rows.extend(is_row_value.then(|| vec![*depth, row_value]));
            rows.push(vec![depth, bracket]);
        }
        check_shape(table, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), &[]);
        for group in &table.groups {
            let work = |depth: &str, way: &str| value(table, &[depth, way], group, "work");
            for depth in depths {
                assert!(work(depth, bracket) <= BRACKET, "{group}, {depth}: {}", table.to_markdown());
                // The witness and as many ranges as the key has values more than none.
                assert!(work(depth, bracket) <= 10.0 * work("0", bracket), "{group}, {depth}: {}", table.to_markdown());
            }
            assert!(work("20,000", offset) > 10.0 * work("0", offset), "{group}: {}", table.to_markdown());
            if is_row_value {
                assert!(work("20,000", row_value) <= 2.0 * work("10", row_value), "{group}: {}", table.to_markdown());
            }
        }
    }
}

/// Of a hundred places, half are deleted, with all rows before them.
#[tokio::test]
async fn a_guess_is_wrong_as_often_as_it_is_documented() {
    let report = report("flags", 2_000).await;
    let [table] = &report.tables[..] else { panic!("{:?}", report.tables) };
    let ways = [
        // Deletions move every page by number: its flags are those of another page.
        ("`OFFSET` and `COUNT(*)`", 0, None),
        ("three statements", 0, Some(0)),
        ("n + 1, and no previous page", 100, Some(50)),
        ("n + 1, and a previous page if there is a cursor", 0, Some(50)),
        ("bracket", 0, Some(0)),
    ];
    let absent = ["SQLite", "PostgreSQL"].map(|group| (ways[0].0, group));
    check_shape(table, &ways.map(|(way, ..)| [way]).each_ref().map(|way| &way[..]), &absent);
    for group in &table.groups {
        for (way, before, after) in ways {
            let wrong = |measure| table.value(&[way], group, measure).map(|share| format!("{share:.0}"));
            assert_eq!(wrong("wrong"), Some(before.to_string()), "{group}, {way}");
            assert_eq!(wrong("wrong after deletions"), after.map(|share: u32| share.to_string()), "{group}, {way}");
        }
        let work = |way: usize| value(table, &[ways[way].0], group, "work");
        assert!(work(4) <= BRACKET && work(0) > 2.0 * work(4), "{group}: {}", table.to_markdown());
    }
}

#[tokio::test]
async fn a_cursor_is_half_as_long_as_json_in_base64() {
    let report = report("cursors", 1_000).await;
    let [table] = &report.tables[..] else { panic!("{:?}", report.tables) };
    let sizes =
        [("UUID", 27, 56), ("rating, UUID", 30, 56), ("time, UUID", 44, 92), ("text of 20 letters, UUID", 55, 84)];
    check_shape(table, &sizes.map(|(key, ..)| [key]).each_ref().map(|key| &key[..]), &[]);
    for (key, ours, theirs) in sizes {
        let size = |group| format!("{:.0}", value(table, &[key], group, "size"));
        assert_eq!([size("Bookends"), size("base64 JSON")], [ours.to_string(), theirs.to_string()], "{key}");
    }
}

#[tokio::test]
async fn a_report_says_what_it_shows_and_what_it_does_not() {
    let report = report("cursors", 1_000).await;
    let text = report.to_markdown();
    assert!(text.contains(report.shows) && text.contains(report.does_not_show), "{text}");
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/measurements.md");
    let document = std::fs::read_to_string(document).unwrap();
    let words: Vec<&str> = document.split_whitespace().collect();
    let document = words.join(" ");
    for experiment in experiments::ALL {
        for sentence in [experiment.shows, experiment.does_not_show] {
            assert!(sentence.ends_with('.') && sentence.matches(". ").count() == 0, "{}: {sentence}", experiment.name);
            assert!(sentence.split(' ').count() <= 25, "{}: {sentence}", experiment.name);
            assert!(document.contains(sentence), "docs/measurements.md does not say: {sentence}");
        }
    }
}
