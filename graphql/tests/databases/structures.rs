//! Arrays and JSON: their values, and the conditions on them.

use bookends_graphql::Declaring;
use serde_json::{Value as Json, json};

use crate::served::Served;

mod shelf {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
    #[sea_orm(rs_type = "String", db_type = "Enum", enum_name = "color")]
    pub enum Color {
        #[sea_orm(string_value = "red")]
        Red,
        #[sea_orm(string_value = "sky-blue")]
        SkyBlue,
    }

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "shelf")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub words: Option<Vec<String>>,
        pub smalls: Vec<i16>,
        pub ints: Vec<i32>,
        pub bigs: Vec<i64>,
        pub flags: Vec<bool>,
        pub reals: Vec<f64>,
        pub prices: Vec<Decimal>,
        pub days: Vec<Date>,
        pub times: Vec<DateTime>,
        pub instants: Vec<DateTimeUtc>,
        pub ids: Vec<Uuid>,
        #[sea_orm(column_type = "Array(std::sync::Arc::new(Color::db_type().get_column_type().clone()))")]
        pub colors: Vec<String>,
        pub document: Option<Json>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

const SHELVES: &str = r#"
    ‹CREATE TYPE color AS ENUM ('red', 'sky-blue');›
    CREATE TABLE shelf (
        id integer PRIMARY KEY, words ‹varchar(20)[]›«text», smalls ‹smallint[]›«text» NOT NULL, ints ‹integer[]›«text» NOT NULL,
        bigs ‹bigint[]›«text» NOT NULL, flags ‹boolean[]›«text» NOT NULL, reals ‹double precision[]›«text» NOT NULL,
        prices ‹numeric(50,30)[]›«text» NOT NULL, days ‹date[]›«text» NOT NULL, times ‹timestamp[]›«text» NOT NULL,
        instants ‹timestamptz[]›«text» NOT NULL, ids ‹uuid[]›«text» NOT NULL, colors ‹color[]›«text» NOT NULL,
        document ‹jsonb›«text»
    );
    INSERT INTO shelf VALUES
        (1, ‹ARRAY['a', 'it''s', '"q" \ , {}', 'é', NULL, 'NULL', '']›«'["a","it''s","\"q\" \\ , {}","é",null,"NULL",""]'»,
         ‹'{1,-32768}'›«'[1,-32768]'», ‹'{7,NULL}'›«'[7, null]'», ‹'{9007199254740993}'›«'[9007199254740993]'»,
         ‹'{t,f}'›«'[true,false]'», ‹'{0.1,2}'›«'[0.1,2]'», ‹'{1.50,12345678901234567.25}'›«'[1.50,12345678901234567.25]'»,
         ‹'{2022-01-31}'›«'["2022-01-31"]'», ‹'{2022-01-31 20:15:00.000001}'›«'["2022-01-31T20:15:00.000001"]'»,
         ‹'{2022-01-31 20:15:00+01}'›«'["2022-01-31T19:15:00Z"]'»,
         ‹'{00000000-0000-0000-0000-000000000007}'›«'["00000000-0000-0000-0000-000000000007"]'»,
         ‹'{red,sky-blue}'›«'["red","sky-blue"]'»,
         '{"a": 1, "b": [1, 2, {"c": null}], "d": {"e": "f", "g": true}}'),
        (2, ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'»,
         ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», '[1, "a", {"a": 1.0}, [2]]'),
        (3, NULL, ‹'{}'›«'[]'», ‹'{1,2,2}'›«'[1,2,2]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'»,
         ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{red}'›«'["red"]'», NULL),
        (4, ‹'{a}'›«'["a"]'», ‹'{}'›«'[]'», ‹'{2}'›«'[2]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'»,
         ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», '"a"'),
        (5, ‹'{b,a}'›«'["b","a"]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'»,
         ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», '{"a": 1, "q\"''?$1": 12345678901234567890123}')
"#;

async fn shelves() -> Served {
    let mut tables = Declaring::new("Query");
    let shelves = tables.entity::<shelf::Entity>();
    shelves
        .computed::<shelf::Entity, _>("first", |shelf| shelf.words.as_ref().and_then(|words| words.first().cloned()));
    Served::made(SHELVES, tables).await
}

/// The keys of the rows that a filter finds, and checks that its negation finds the others.
async fn found(shelves: &Served, filter: &str) -> Vec<i64> {
    found_in(shelves, "shelves", filter).await
}

/// The same of any list of five rows.
async fn found_in(served: &Served, list: &str, filter: &str) -> Vec<i64> {
    let of = async |filter: &str| {
        let data =
            served.data(&format!("{{ list: {list}(where: {filter}) {{ nodes {{ rowId }} totalCount }} }}")).await;
        let nodes = data["list"]["nodes"].as_array().unwrap().clone();
        assert_eq!(data["list"]["totalCount"], nodes.len(), "{filter}");
        nodes.iter().map(|node| node["rowId"].as_i64().unwrap()).collect::<Vec<i64>>()
    };
    let found = of(filter).await;
    let mut all = of(&format!("{{ not: {filter} }}")).await;
    all.extend(&found);
    all.sort_unstable();
    assert_eq!(all, [1, 2, 3, 4, 5], "{filter}");
    found
}

#[tokio::test]
async fn l1_arrays_of_every_kind_are_lists() {
    let shelves = shelves().await;
    let fields = "words smalls ints bigs flags reals prices days times instants ids colors";
    let data = shelves.data(&format!("{{ shelves(first: 1) {{ nodes {{ {fields} }} }} }}")).await;
    let expected = json!({
        "words": ["a", "it's", "\"q\" \\ , {}", "é", null, "NULL", ""],
        "smalls": [1, -32768],
        "ints": [7, null],
        "bigs": ["9007199254740993"],
        "flags": [true, false],
        "reals": [0.1, 2.0],
        "prices": if shelves.is_sqlite() {
            json!(["1.50", "12345678901234567.25"])
        } else {
            // The column has thirty digits after the point: Rust keeps as many as it can.
            data["shelves"]["nodes"][0]["prices"].clone()
        },
        "days": ["2022-01-31"],
        "times": ["2022-01-31T20:15:00.000001"],
        "instants": ["2022-01-31T19:15:00.000Z"],
        "ids": ["00000000-0000-0000-0000-000000000007"],
        "colors": ["RED", "SKY_BLUE"]
    });
    assert_eq!(data["shelves"]["nodes"], json!([expected]));
    let prices = data["shelves"]["nodes"][0]["prices"].as_array().unwrap();
    let prices: Vec<&str> = prices.iter().map(|price| price.as_str().unwrap().trim_end_matches('0')).collect();
    assert_eq!(prices, ["1.5", "12345678901234567.25"]);
}

#[tokio::test]
async fn a_model_has_the_lists_of_its_row_unless_they_have_nulls() {
    let shelves = shelves().await;
    let (data, errors) = shelves.response("{ shelves { nodes { rowId first } } }").await;
    let nodes = json!([null, null, null, "a", "b"]);
    let found: Vec<Json> =
        data["shelves"]["nodes"].as_array().unwrap().iter().map(|node| node["first"].clone()).collect();
    assert_eq!((json!(found), errors), (nodes, vec!["INTERNAL shelves.nodes.0.first".to_owned()]));
}

#[tokio::test]
async fn l5_a_list_is_filtered_by_its_items() {
    let shelves = shelves().await;
    for (filter, expected) in [
        (r#"words: { contains: ["a"] }"#, vec![1, 4, 5]),
        (r#"words: { contains: ["a", "b"] }"#, vec![5]),
        (r#"words: { contains: ["it's", "\"q\" \\ , {}"] }"#, vec![1]),
        ("words: { contains: [] }", vec![1, 2, 4, 5]),
        (r#"words: { containedBy: ["a", "c"] }"#, vec![2, 4]),
        ("words: { containedBy: [] }", vec![2]),
        (r#"words: { overlaps: ["b", "c", "it's"] }"#, vec![1, 5]),
        ("words: { overlaps: [] }", vec![]),
        ("words: { isEmpty: true }", vec![2]),
        ("words: { isEmpty: false }", vec![1, 4, 5]),
        ("words: { isNull: true }", vec![3]),
        (r#"words: { isNull: false, overlaps: "a" }"#, vec![1, 4, 5]),
        ("smalls: { contains: [-32768, 1] }", vec![1]),
        ("smalls: { contains: [70000] }", vec![]),
        ("ints: { containedBy: [2, 1] }", vec![2, 3, 4, 5]),
        ("ints: { containedBy: [7] }", vec![2, 5]),
        (r#"bigs: { overlaps: ["9007199254740993"] }"#, vec![1]),
        (r#"bigs: { overlaps: ["9007199254740992"] }"#, vec![]),
        ("flags: { contains: [false] }", vec![1]),
        ("reals: { contains: [0.1, 2] }", vec![1]),
        (r#"prices: { contains: ["1.5"] }"#, vec![1]),
        (r#"days: { overlaps: ["2022-01-31"] }"#, vec![1]),
        (r#"times: { overlaps: ["2022-01-31T20:15:00.000001"] }"#, vec![1]),
        (r#"instants: { overlaps: ["2022-01-31T20:15:00+01:00"] }"#, vec![1]),
        (r#"ids: { contains: ["00000000-0000-0000-0000-000000000007"] }"#, vec![1]),
        ("colors: { contains: [RED] }", vec![1, 3]),
        ("colors: { contains: [RED, SKY_BLUE] }", vec![1]),
        ("colors: { containedBy: [SKY_BLUE] }", vec![2, 4, 5]),
    ] {
        assert_eq!(found(&shelves, &format!("{{ {filter} }}")).await, expected, "{filter}");
    }
}

#[tokio::test]
async fn l1_json_keeps_the_digits_of_its_numbers() {
    let shelves = shelves().await;
    let response = shelves.text("{ shelves(last: 2) { nodes { document } } }").await;
    assert!(response.contains("12345678901234567890123"), "{response}");
    assert!(response.contains(r#"{"document":"a"}"#), "{response}");
}

#[tokio::test]
async fn l5_json_is_filtered_as_jsonb_is_compared() {
    let shelves = shelves().await;
    for (filter, expected) in [
        (r#"eq: { a: 1, b: [1, 2, { c: null }], d: { g: true, e: "f" } }"#, vec![1]),
        ("eq: { a: 1 }", vec![]),
        (r#"eq: [1, "a", { a: 1 }, [2]]"#, vec![2]),
        (r#"eq: [1, { a: 1 }, "a", [2]]"#, vec![]),
        (r#"eq: "a""#, vec![4]),
        (r#"ne: "a""#, vec![1, 2, 3, 5]),
        ("contains: {}", vec![1, 5]),
        ("contains: { a: 1 }", vec![1, 5]),
        (r#"contains: { a: "1" }"#, vec![]),
        ("contains: { b: [{ c: null }, 1] }", vec![1]),
        ("contains: { b: [{}] }", vec![1]),
        ("contains: { b: 1 }", vec![]),
        (r#"contains: { d: { e: "f" } }"#, vec![1]),
        (r#"contains: { d: { e: "f", h: 1 } }"#, vec![]),
        ("contains: []", vec![2]),
        (r#"contains: [[2], "a"]"#, vec![2]),
        ("contains: [2]", vec![]),
        (r#"contains: "a""#, vec![2, 4]),
        ("contains: 1", vec![2]),
        (r#"hasKey: "a""#, vec![1, 5]),
        (r#"hasKey: "c""#, vec![]),
        (r#"hasKey: "q\"'?$1""#, vec![5]),
        ("isNull: true", vec![3]),
        ("isNull: false, contains: 1", vec![2]),
    ] {
        assert_eq!(found(&shelves, &format!("{{ document: {{ {filter} }} }}")).await, expected, "{filter}");
    }
}

#[tokio::test]
async fn a_filter_on_json_is_bounded() {
    let shelves = shelves().await;
    let values = format!("[{}]", vec!["1"; 501].join(", "));
    let levels = format!("{}1{}", "[".repeat(10), "]".repeat(10));
    for (value, code) in
        [(values, "FILTER_TOO_LARGE"), (levels, "FILTER_TOO_LARGE"), (r#""\u0000""#.into(), "BAD_USER_INPUT")]
    {
        for operator in ["eq", "ne", "contains"] {
            let query = format!("{{ shelves(where: {{ document: {{ {operator}: {value} }} }}) {{ totalCount }} }}");
            assert_eq!(shelves.response(&query).await.1, [format!("{code} shelves")], "{query}");
        }
    }
    // As many as are allowed.
    for values in [vec!["\"a\""; 490].join(", "), (0..490).map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ")] {
        let is_small = values.starts_with("\"a");
        let expected = if is_small { vec![1, 4, 5] } else { vec![] };
        assert_eq!(found(&shelves, &format!("{{ words: {{ contains: [{values}] }} }}")).await, expected);
        let expected = if is_small { vec![2] } else { vec![] };
        assert_eq!(found(&shelves, &format!("{{ document: {{ contains: [{values}] }} }}")).await, expected);
        assert_eq!(found(&shelves, &format!("{{ document: {{ eq: [{values}] }} }}")).await, Vec::<i64>::new());
    }
    let nested = format!("{}1{}", "[".repeat(7), "]".repeat(7));
    assert_eq!(found(&shelves, &format!("{{ document: {{ contains: {nested} }} }}")).await, Vec::<i64>::new());
}

mod chest {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "chest")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub hashes: Option<Vec<Vec<u8>>>,
        #[sea_orm(column_type = "Array(std::sync::Arc::new(ColumnType::Char(Some(4))))", nullable)]
        pub codes: Option<Vec<String>>,
        #[sea_orm(column_type = "Array(std::sync::Arc::new(ColumnType::JsonBinary))", nullable)]
        pub documents: Option<Vec<Json>>,
        #[sea_orm(column_type = "Array(std::sync::Arc::new(ColumnType::Json))", nullable)]
        pub notes: Option<Vec<Json>>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

const CHESTS: &str = r#"
    CREATE TABLE chest (
        id integer PRIMARY KEY, hashes ‹bytea[]›«text», codes ‹char(4)[]›«text», documents ‹jsonb[]›«text», notes ‹json[]›«text»
    );
    INSERT INTO chest VALUES
        (1, ‹ARRAY['\x00ff'::bytea, '\x', NULL]›«'["AP8=","",null]'», ‹'{a,"b c",NULL}'›«'["a","b c",null]'»,
         ‹ARRAY['{"a": [1, "b,c"]}', '12345678901234567890123', '"q\"é"', '[]', NULL]::jsonb[]›«'[{"a": [1, "b,c"]},12345678901234567890123,"q\"é",[],null]'»,
         ‹ARRAY['{"a": 1.0}']::json[]›«'[{"a": 1.0}]'»),
        (2, ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'», ‹'{}'›«'[]'»), (3, NULL, NULL, NULL, NULL),
        (4, ‹ARRAY['\x00ff'::bytea]›«'["AP8="]'», ‹'{abcd}'›«'["abcd"]'», ‹ARRAY['1.0', 'true']::jsonb[]›«'[1.0, true]'»,
         ‹ARRAY['{"b": null}', '1']::json[]›«'[{"b": null}, 1]'»),
        (5, ‹ARRAY['\x'::bytea, '\x01']›«'["","AQ=="]'», ‹'{a}'›«'["a"]'», ‹ARRAY['{"a": [1, "b,c"]}']::jsonb[]›«'[{"a":[1.0,"b,c"]}]'»,
         ‹'{}'›«'[]'»)
"#;

async fn chests() -> Served {
    let mut tables = Declaring::new("Query");
    let chests = tables.entity::<chest::Entity>();
    chests.computed::<chest::Entity, _>("size", |chest| {
        chest.hashes.as_ref().map(|hashes| hashes.concat().len().to_string())
    });
    Served::made(CHESTS, tables).await
}

#[tokio::test]
async fn l1_lists_of_bytes_of_padded_texts_and_of_json_have_their_values() {
    let chests = chests().await;
    assert_eq!(chests.declaration().left_out().count(), 0);
    let text = chests.text("{ chests(first: 2) { nodes { hashes codes documents notes } } }").await;
    assert!(text.contains("12345678901234567890123"), "{text}");
    let nodes = &serde_json::from_str::<Json>(&text).unwrap()["chests"]["nodes"];
    let expected = json!({
        "hashes": ["AP8=", "", null],
        "codes": ["a", "b c", null],
        "documents": [{ "a": [1, "b,c"] }, 12_345_678_901_234_567_890_123_f64, "q\"é", [], null],
        "notes": [{ "a": 1.0 }]
    });
    assert_eq!(*nodes, json!([expected, { "hashes": [], "codes": [], "documents": [], "notes": [] }]));
    let data = chests.data("{ chests(last: 2) { nodes { size } } }").await;
    assert_eq!(data["chests"]["nodes"], json!([{ "size": "2" }, { "size": "1" }]));
}

#[tokio::test]
async fn l5_lists_of_bytes_of_padded_texts_and_of_json_are_filtered() {
    let chests = chests().await;
    for (filter, expected) in [
        (r#"hashes: { contains: ["AP8="] }"#, vec![1, 4]),
        (r#"hashes: { containedBy: ["AP8=", "AQ=="] }"#, vec![2, 4]),
        (r#"hashes: { overlaps: ["AQ==", ""] }"#, vec![1, 5]),
        ("hashes: { isEmpty: true }", vec![2]),
        (r#"codes: { contains: ["a"] }"#, vec![1, 5]),
        (r#"codes: { overlaps: ["abcd", "b c"] }"#, vec![1, 4]),
        (r#"codes: { containedBy: "a" }"#, vec![2, 5]),
        (r#"documents: { contains: [{ a: [1, "b,c"] }] }"#, vec![1, 5]),
        (r#"documents: { contains: [{ a: [1, "b,c"] }, []] }"#, vec![1]),
        ("documents: { contains: [] }", vec![1, 2, 4, 5]),
        ("documents: { contains: [{}] }", vec![]),
        ("documents: { containedBy: [1, true, false] }", vec![2, 4]),
        (r#"documents: { containedBy: [{ a: [1, "b,c"] }] }"#, vec![2, 5]),
        ("documents: { containedBy: [] }", vec![2]),
        (r#"documents: { overlaps: [true, "q\"é"] }"#, vec![1, 4]),
        ("documents: { overlaps: [] }", vec![]),
        ("documents: { isNull: true }", vec![3]),
        ("notes: { contains: [{ a: 1 }] }", vec![1]),
        ("notes: { overlaps: [1, { b: null }] }", vec![4]),
        ("notes: { isEmpty: false }", vec![1, 4]),
    ] {
        assert_eq!(found_in(&chests, "chests", &format!("{{ {filter} }}")).await, expected, "{filter}");
    }
    let values = format!("[{}]", vec!["[]"; 501].join(", "));
    for (value, code) in [(values.as_str(), "FILTER_TOO_LARGE"), (r#"["\u0000"]"#, "BAD_USER_INPUT")] {
        let query = format!("{{ chests(where: {{ documents: {{ overlaps: {value} }} }}) {{ totalCount }} }}");
        assert_eq!(chests.response(&query).await.1, [format!("{code} chests")]);
    }
    let values = vec!["[1]"; 240].join(", ");
    let many = format!("{{ documents: {{ overlaps: [{values}] }} }}");
    assert_eq!(found_in(&chests, "chests", &many).await, Vec::<i64>::new());
}
