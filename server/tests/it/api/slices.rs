//! `readings` against a model: a slice of a vector.

use serde_json::{Value, json};

use crate::support::station::{self, SMALL, Station};

const PAGE: &str = "edges { cursor node { id } } pageInfo { hasPreviousPage hasNextPage startCursor endCursor }";

/// What was asked; cursors by their index in the whole list.
#[derive(Clone, Copy, Debug, Default)]
struct Args {
    first: Option<usize>,
    after: Option<usize>,
    last: Option<usize>,
    before: Option<usize>,
}

/// The edges of the whole list.
async fn all(station: &Station) -> Vec<Value> {
    let data = station.data(&format!("{{ readings(first: 100) {{ {PAGE} }} }}")).await;
    data["readings"]["edges"].as_array().unwrap().clone()
}

/// The page that the specification's algorithm cuts out of the list, with the optional flags exact.
fn expected(edges: &[Value], args: Args) -> Value {
    let start = args.after.map_or(0, |after| after + 1);
    let end = args.before.unwrap_or(edges.len()).max(start);
    let window = &edges[start..end];
    let size = args.first.or(args.last).unwrap_or(20).min(window.len());
    let more = size < window.len();
    let (page, has_previous, has_next) = match args.last {
        None => (&window[..size], args.after.is_some(), more),
        Some(_) => (&window[window.len() - size..], more, args.before.is_some()),
    };
    let cursor = |edge: Option<&Value>| edge.map_or(Value::Null, |edge| edge["cursor"].clone());
    json!({
        "edges": page,
        "pageInfo": {
            "hasPreviousPage": has_previous,
            "hasNextPage": has_next,
            "startCursor": cursor(page.first()),
            "endCursor": cursor(page.last()),
        },
    })
}

/// Asks with literals and with variables: both must give the page of the model.
async fn check(station: &Station, edges: &[Value], args: Args) {
    let cursor = |index: Option<usize>| index.map(|index| edges[index]["cursor"].as_str().unwrap().to_owned());
    let (after, before) = (cursor(args.after), cursor(args.before));
    let literals: Vec<String> = [
        args.first.map(|first| format!("first: {first}")),
        after.as_ref().map(|after| format!("after: \"{after}\"")),
        args.last.map(|last| format!("last: {last}")),
        before.as_ref().map(|before| format!("before: \"{before}\"")),
    ]
    .into_iter()
    .flatten()
    .collect();
    let literals = if literals.is_empty() { String::new() } else { format!("({})", literals.join(", ")) };
    let data = station.data(&format!("{{ readings{literals} {{ {PAGE} }} }}")).await;
    assert_eq!(data["readings"], expected(edges, args), "{args:?}");

    let query = format!(
        "query($first: Int, $after: String, $last: Int, $before: String) {{
            readings(first: $first, after: $after, last: $last, before: $before) {{ {PAGE} }}
        }}"
    );
    let variables = json!({ "first": args.first, "after": after, "last": args.last, "before": before });
    let answer = station.execute(&query, variables).await;
    assert_eq!(answer["data"]["readings"], expected(edges, args), "variables, {args:?}");
}

#[tokio::test]
async fn b_d_every_page_equals_the_model() {
    let station = Station::new(SMALL).await;
    let edges = all(&station).await;
    assert_eq!(edges.len(), 25);
    let sizes = [0, 1, 2, 3, 24, 25, 26];
    let ends = sizes.map(|size| Args { first: Some(size), ..Args::default() }).into_iter();
    let ends = ends.chain(sizes.map(|size| Args { last: Some(size), ..Args::default() }));
    let ends: Vec<_> = ends.chain([Args::default()]).collect();
    // Crossed, equal, adjacent, a few apart, and from end to end.
    let bounds = [(None, None), (Some(0), None), (Some(12), None), (Some(24), None), (None, Some(0)), (None, Some(12))]
        .into_iter()
        .chain([(None, Some(24)), (Some(13), Some(11)), (Some(12), Some(12)), (Some(12), Some(13))])
        .chain([(Some(3), Some(8)), (Some(0), Some(24))]);
    for (after, before) in bounds {
        for end in &ends {
            check(&station, &edges, Args { after, before, ..*end }).await;
        }
    }
}

#[tokio::test]
async fn b6_b8_an_invalid_page_is_refused() {
    let station = Station::new(SMALL).await;
    let cursor = all(&station).await[3]["cursor"].clone();
    // The four of the sixteen combinations of arguments that name both ends.
    for bounds in [String::new(), format!(", after: {cursor}"), format!(", before: {cursor}")] {
        let query = format!("{{ readings(first: 1, last: 1{bounds}) {{ nodes {{ id }} }} }}");
        assert_eq!(station.code(&query).await, "PAGE_INVALID", "{bounds}");
    }
    let query = format!("{{ readings(first: 1, last: 1, after: {cursor}, before: {cursor}) {{ nodes {{ id }} }} }}");
    assert_eq!(station.code(&query).await, "PAGE_INVALID");
    for args in ["first: -1", "last: -1", "first: 101", "last: 101", "first: 2147483647"] {
        assert_eq!(
            station.code(&format!("{{ readings({args}) {{ nodes {{ id }} }} }}")).await,
            "PAGE_INVALID",
            "{args}"
        );
    }
}

#[tokio::test]
async fn b9_null_and_empty_arguments_are_absent_ones() {
    let station = Station::new(SMALL).await;
    let plain = station.data(&format!("{{ readings {{ {PAGE} }} }}")).await;
    for args in ["first: null, after: null, last: null, before: null", "after: \"\", before: \"\""] {
        assert_eq!(station.data(&format!("{{ readings({args}) {{ {PAGE} }} }}")).await, plain, "{args}");
    }
}

/// Follows the cursors from one end to the other; the ids in the order of the list.
async fn walk(station: &Station, size: usize, forward: bool) -> Vec<Value> {
    let mut pages: Vec<Vec<Value>> = Vec::new();
    let mut cursor = String::new();
    loop {
        let (end, bound) = if forward { ("first", "after") } else { ("last", "before") };
        let query = format!("{{ readings({end}: {size}, {bound}: \"{cursor}\") {{ {PAGE} }} }}");
        let readings = station.data(&query).await["readings"].take();
        pages.push(readings["edges"].as_array().unwrap().clone());
        let (more, next) = if forward { ("hasNextPage", "endCursor") } else { ("hasPreviousPage", "startCursor") };
        if readings["pageInfo"][more] == false {
            break;
        }
        cursor = readings["pageInfo"][next].as_str().unwrap().into();
    }
    if !forward {
        pages.reverse();
    }
    pages.concat()
}

#[tokio::test]
async fn c_a_walk_meets_every_row_once_both_ways() {
    let station = Station::new(SMALL).await;
    let edges = all(&station).await;
    for size in [1, 2, 3, 24, 25, 26] {
        assert_eq!(walk(&station, size, true).await, edges, "forward by {size}");
        assert_eq!(walk(&station, size, false).await, edges, "backward by {size}");
    }
}

#[tokio::test]
async fn c_a_walk_over_the_sample_is_the_table_in_order() {
    use sea_orm::{EntityTrait, QueryOrder};
    use station::tables::reading::{Column, Entity};

    let station = Station::new(station::Plan::SAMPLE).await;
    let table = Entity::find().order_by_asc(Column::Id).all(&station.db.writer).await.unwrap();
    let (forward, backward) = (walk(&station, 100, true).await, walk(&station, 100, false).await);
    assert!(forward == backward && forward.len() == 2_000);
    for (row, edge) in table.iter().zip(&forward) {
        assert_eq!(edge["node"]["id"], station::id("Reading", row.id));
    }
}

#[tokio::test]
async fn d3_e1_a_cursor_outlives_its_row() {
    use sea_orm::{ConnectionTrait, EntityTrait};

    let station = Station::new(SMALL).await;
    let edges = all(&station).await;
    station.db.writer.execute_unprepared("DELETE FROM reading WHERE value = 3").await.unwrap();
    let left = all(&station).await;
    assert!(left.len() < edges.len());
    for edge in &edges {
        let cursor = edge["cursor"].as_str().unwrap();
        let beyond: Vec<_> = left.iter().filter(|row| position(&edges, row) > position(&edges, edge)).collect();
        let short: Vec<_> = left.iter().filter(|row| position(&edges, row) < position(&edges, edge)).collect();

        let page = station.data(&format!("{{ readings(first: 2, after: \"{cursor}\") {{ {PAGE} }} }}")).await;
        assert_eq!(page["readings"]["edges"], json!(beyond[..2.min(beyond.len())]));
        assert_eq!(page["readings"]["pageInfo"]["hasNextPage"], json!(beyond.len() > 2));
        assert_eq!(page["readings"]["pageInfo"]["hasPreviousPage"], json!(beyond.len() < left.len()));

        let page = station.data(&format!("{{ readings(last: 2, before: \"{cursor}\") {{ {PAGE} }} }}")).await;
        assert_eq!(page["readings"]["edges"], json!(short[short.len().saturating_sub(2)..]));
        assert_eq!(page["readings"]["pageInfo"]["hasPreviousPage"], json!(short.len() > 2));
        assert_eq!(page["readings"]["pageInfo"]["hasNextPage"], json!(short.len() < left.len()));
    }

    station::tables::reading::Entity::delete_many().exec(&station.db.writer).await.unwrap();
    let cursor = edges[3]["cursor"].as_str().unwrap();
    let page = station.data(&format!("{{ readings(first: 2, after: \"{cursor}\") {{ {PAGE} }} }}")).await;
    let none = json!({
        "edges": [],
        "pageInfo": { "hasPreviousPage": false, "hasNextPage": false, "startCursor": null, "endCursor": null },
    });
    assert_eq!(page["readings"], none, "D5: an empty set");
}

fn position(edges: &[Value], edge: &Value) -> usize {
    edges.iter().position(|other| other == edge).unwrap()
}

#[tokio::test]
async fn d7_the_flags_do_not_depend_on_the_selection() {
    let station = Station::new(SMALL).await;
    let full = station.data(&format!("{{ readings(first: 3) {{ {PAGE} }} }}")).await;
    let only = station.data("{ readings(first: 3) { pageInfo { hasNextPage } } }").await;
    assert_eq!(full["readings"]["pageInfo"]["hasNextPage"], only["readings"]["pageInfo"]["hasNextPage"]);
    let nodes = station.data("{ readings(first: 3) { nodes { id } totalCount } }").await;
    let ids: Vec<_> = full["readings"]["edges"].as_array().unwrap().iter().map(|edge| edge["node"].clone()).collect();
    assert_eq!(nodes["readings"], json!({ "nodes": ids, "totalCount": 25 }));
}

#[tokio::test]
async fn e2_a_text_that_is_no_cursor_has_a_typed_error() {
    let station = Station::new(SMALL).await;
    let edges = all(&station).await;
    let good = edges[0]["cursor"].as_str().unwrap();
    let mut texts: Vec<String> = (1..good.len()).map(|end| good[..end].to_owned()).collect();
    texts.extend(["?", "not base64!", "é", "\u{0}", "AQ", "AAAA", " "].map(String::from));
    texts.extend([format!("{good}="), format!("{good}A"), format!(" {good}"), "A".repeat(512), "A".repeat(1_000_000)]);
    for text in texts {
        for bound in ["after", "before"] {
            assert_eq!(refusal(&station, bound, &text).await.as_deref(), Some("CURSOR_INVALID"), "{bound}: {text:?}");
        }
    }
}

/// A damaged cursor of the right length can be the cursor of another place, and then it is answered.
#[tokio::test]
async fn e2_a_damaged_cursor_is_refused_or_another_position() {
    let station = Station::new(SMALL).await;
    let edges = all(&station).await;
    let good = edges[0]["cursor"].as_str().unwrap();
    for place in 0..good.len() {
        for letter in ["-", "A", "z"] {
            let text = [&good[..place], letter, &good[place + 1..]].concat();
            let refusal = refusal(&station, "after", &text).await;
            let typed = matches!(refusal.as_deref(), Some("CURSOR_INVALID" | "CURSOR_OF_OTHER_ORDER"));
            // Five letters hold version, fingerprint and tag; the rest is the UUID, of which any will do.
            assert!(typed || (text == good) || (refusal.is_none() && place >= 5), "{text}: {refusal:?}");
        }
    }
}

/// The code under which a cursor is refused.
async fn refusal(station: &Station, bound: &str, cursor: &str) -> Option<String> {
    let query = format!("query($cursor: String) {{ readings({bound}: $cursor) {{ nodes {{ id }} }} }}");
    let answer = station.execute(&query, json!({ "cursor": cursor })).await;
    if answer["errors"].is_null() {
        assert!(answer["data"]["readings"]["nodes"].is_array(), "{answer}");
        return None;
    }
    Some(answer["errors"][0]["extensions"]["code"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn e3_a_cursor_is_27_characters_deterministic_and_of_its_order() {
    use keyset::{Key, Order, Sort};
    use station::tables::reading;

    let station = Station::new(SMALL).await;
    let edges = all(&station).await;
    assert!(edges.iter().all(|edge| edge["cursor"].as_str().unwrap().len() == 27));
    assert_eq!(edges, all(&station).await);

    // The same order by other spellings, and another one.
    let cursor = &edges[3]["cursor"];
    let args =
        |order: &str| format!("{{ readings(first: 1, after: {cursor}, orderBy: {order}) {{ edges {{ cursor }} }} }}");
    let asc = "[{ field: CREATED_AT, nulls: FIRST }, { field: VALUE, direction: DESC }]";
    assert_eq!(station.data(&args(asc)).await["readings"]["edges"][0]["cursor"], edges[4]["cursor"]);
    assert_eq!(station.code(&args("{ field: CREATED_AT, direction: DESC }")).await, "CURSOR_OF_OTHER_ORDER");
    let cursor =
        station.data("{ sensors(first: 1) { pageInfo { endCursor } } }").await["sensors"]["pageInfo"]["endCursor"]
            .take();
    let spelt = "[{ field: CREATED_AT }, { field: YEAR }]";
    station.data(&format!("{{ sensors(after: {cursor}, orderBy: {spelt}) {{ nodes {{ id }} }} }}")).await;

    let other = Order::of::<reading::Entity>([Sort::desc(reading::Column::Id)]).unwrap();
    let foreign = other.seal(&Key::new(&other, vec![uuid::Uuid::now_v7().into()]).unwrap()).unwrap();
    let query = format!("{{ readings(after: \"{foreign}\") {{ nodes {{ id }} }} }}");
    assert_eq!(station.code(&query).await, "CURSOR_OF_OTHER_ORDER");
}
