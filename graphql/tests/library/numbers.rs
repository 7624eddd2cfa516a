//! Integers of 64 bits, and what is computed: as the schema has them.

use std::sync::Arc;

use async_graphql::{EmptyMutation, EmptySubscription, Enum, MergedObject, Request, Schema, Variables};
use bookends_graphql::{BigInt, Declaration, DeclaredQuery, Declaring, ObjectType, Reader};
use sea_orm::{ActiveValue::Set, ConnectionTrait as _, EntityTrait, Iterable as _, Schema as Tables};
use serde_json::{Value, json};
use testdb::TestDb;

mod star {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "star")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i64,
        pub meters: i64,
        pub age: Option<i64>,
        pub class: i16,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// Beyond it, a double rounds.
const EXACT: i64 = 1 << 53;

#[derive(Clone, Copy, PartialEq, Eq, Enum)]
enum Size {
    RedDwarf,
    #[graphql(name = "GIANT_STAR")]
    Giant,
}

fn declaration() -> Arc<Declaration> {
    let mut stars = ObjectType::of::<star::Entity>("Star");
    for column in star::Column::iter() {
        stars.column(column);
    }
    stars.computed::<star::Entity, _>("size", |star| size(star.class));
    stars.computed::<star::Entity, _>("sizes", |star| (0..=star.class).map(size).collect::<Vec<_>>());
    stars.computed::<star::Entity, _>("half", |star| BigInt(star.meters / 2));
    stars.computed::<star::Entity, _>("narrow", |star| star.meters);
    let mut declaring = Declaring::new("Query");
    declaring.object(stars).list("stars", "Star");
    declaring.check().unwrap()
}

fn size(class: i16) -> Size {
    if class == 0 { Size::RedDwarf } else { Size::Giant }
}

#[derive(Default, MergedObject)]
struct Query(DeclaredQuery);

type Stars = Schema<Query, EmptyMutation, EmptySubscription>;

async fn stars() -> (Stars, TestDb) {
    let database = TestDb::new().await;
    let db = database.connect().await;
    db.execute(&Tables::new(db.get_database_backend()).create_table_from_entity(star::Entity)).await.unwrap();
    let star = |id: i64, meters, age, class| star::ActiveModel {
        id: Set(id),
        meters: Set(meters),
        age: Set(age),
        class: Set(class),
    };
    let rows = [
        star(1, EXACT + 1, Some(i64::MAX), 0),
        star(2, EXACT, None, 1),
        star(3, EXACT + 2, Some(i64::MIN), 1),
        star(4, 7, Some(-1), 0),
    ];
    star::Entity::insert_many(rows).exec(&db).await.unwrap();
    let schema =
        declaration().schema(Query::default(), EmptyMutation, EmptySubscription).data(Reader::new(db)).finish();
    (schema, database)
}

async fn run(schema: &Stars, query: &str, variables: Value) -> (Value, Vec<String>) {
    let response = schema.execute(Request::new(query).variables(Variables::from_json(variables))).await;
    let messages = response.errors.iter().map(|error| error.message.clone()).collect();
    (response.data.into_json().unwrap(), messages)
}

#[track_caller]
fn check((data, errors): (Value, Vec<String>), expected: &Value) {
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(&data, expected);
}

#[tokio::test]
async fn l1_an_integer_of_64_bits_is_a_string_of_digits_and_never_rounded() {
    let (schema, _database) = stars().await;
    let query = "{ stars { nodes { id meters age half } } }";
    let node = |id: &str, meters: &str, age: Option<&str>, half: &str| json!({ "id": id, "meters": meters, "age": age, "half": half });
    let nodes = json!([
        node("1", "9007199254740993", Some("9223372036854775807"), "4503599627370496"),
        node("2", "9007199254740992", None, "4503599627370496"),
        node("3", "9007199254740994", Some("-9223372036854775808"), "4503599627370497"),
        node("4", "7", Some("-1"), "3"),
    ]);
    check(run(&schema, query, json!({})).await, &json!({ "stars": { "nodes": nodes } }));
    let sdl = schema.sdl();
    for part in [
        "\tmeters: BigInt!\n",
        "\tage: BigInt\n",
        "scalar BigInt\n",
        "input BigIntFilter {",
        "\tgt: BigInt\n",
        "\tid: BigInt!\n",
    ] {
        assert!(sdl.contains(part), "{part} in {sdl}");
    }
    assert!(sdl.contains("input NullableBigIntFilter {") && sdl.matches("input IntFilter {").count() == 1, "{sdl}");
    assert!(!sdl.contains("\"\"\"\n\t\"\"\""), "an empty description: {sdl}");
}

#[tokio::test]
async fn a_list_is_filtered_by_integers_of_64_bits_as_numbers_and_as_strings() {
    let (schema, _database) = stars().await;
    for (filter, expected) in [
        ("meters: { eq: 9007199254740993 }", vec!["1"]),
        (r#"meters: { eq: "9007199254740993" }"#, vec!["1"]),
        (r#"meters: { in: ["9007199254740992", 9007199254740994] }"#, vec!["2", "3"]),
        (r#"meters: { gt: "9007199254740992" }, class: { eq: 0 }"#, vec!["1"]),
        (r#"age: { lt: "-9223372036854775807" }"#, vec!["3"]),
        ("age: { isNull: true }, id: { gte: 2 }", vec!["2"]),
    ] {
        let nodes: Vec<_> = expected.iter().map(|id| json!({ "id": id })).collect();
        let query = format!("{{ stars(where: {{ {filter} }}) {{ nodes {{ id }} }} }}");
        check(run(&schema, &query, json!({})).await, &json!({ "stars": { "nodes": nodes } }));
    }
    let query = "query ($than: BigInt) { stars(where: { meters: { lt: $than } }) { nodes { id } } }";
    for than in [json!("8"), json!(8)] {
        check(run(&schema, query, json!({ "than": than })).await, &json!({ "stars": { "nodes": [{ "id": "4" }] } }));
    }
}

#[tokio::test]
async fn c_a_walk_by_integers_of_64_bits_has_each_row_once() {
    let (schema, _database) = stars().await;
    let query = "query ($after: String, $field: StarSortField!) {
        stars(first: 1, after: $after, orderBy: { field: $field, direction: DESC }) {
            nodes { id } pageInfo { hasNextPage endCursor }
        }
    }";
    for (field, expected) in [("METERS", ["3", "1", "2", "4"]), ("AGE", ["1", "4", "3", "2"])] {
        let (mut after, mut walked) = (Value::Null, Vec::new());
        loop {
            let (data, errors) = run(&schema, query, json!({ "after": after, "field": field })).await;
            assert!(errors.is_empty(), "{errors:?}");
            let list = &data["stars"];
            walked.push(list["nodes"][0]["id"].as_str().unwrap().to_owned());
            after = list["pageInfo"]["endCursor"].clone();
            if list["pageInfo"]["hasNextPage"] == json!(false) {
                break;
            }
        }
        assert_eq!(walked, expected);
    }
}

#[tokio::test]
async fn a_computed_enum_has_its_name_in_the_schema() {
    let (schema, _database) = stars().await;
    let query = "{ stars(first: 2) { nodes { size what: sizes } } }";
    let nodes = json!([
        { "size": "RED_DWARF", "what": ["RED_DWARF"] },
        { "size": "GIANT_STAR", "what": ["RED_DWARF", "GIANT_STAR"] },
    ]);
    check(run(&schema, query, json!({})).await, &json!({ "stars": { "nodes": nodes } }));
}

/// GraphQL, section 3.5.1: a result that is no integer of 32 bits is an error of the field.
#[tokio::test]
async fn a_computed_int_beyond_32_bits_is_an_error() {
    let (schema, _database) = stars().await;
    let narrow = "{ stars(last: 1) { nodes { narrow } } }";
    check(run(&schema, narrow, json!({})).await, &json!({ "stars": { "nodes": [{ "narrow": 7 }] } }));
    let (data, errors) = run(&schema, "{ stars(first: 1) { nodes { narrow } } }", json!({})).await;
    assert_eq!((data, errors), (json!({ "stars": null }), vec!["internal error".to_owned()]));
}

#[tokio::test]
async fn errors_of_arguments_name_the_types_of_graphql() {
    let (schema, _database) = stars().await;
    let query = "query ($where: StarFilter) { stars(where: $where) { nodes { id } } }";
    for (filter, expected) in [
        (json!({ "class": { "in": "a" } }), "Int"),
        (json!({ "class": { "in": [1.5] } }), "Int"),
        (json!({ "meters": { "in": [true] } }), "BigInt"),
        (json!({ "meters": { "eq": "1.5" } }), "BigInt"),
        (json!({ "class": [1] }), "`class`"),
        (json!({ "and": 1 }), "StarFilter"),
    ] {
        let (_, errors) = run(&schema, query, json!({ "where": filter })).await;
        let [error] = errors.as_slice() else { panic!("{filter}: {errors:?}") };
        assert!(error.contains(expected), "{filter}: {error}");
        let has_rust = ["i16", "i32", "Vec<", "Option<", "::", "StarConditions", "Logic", "occurred"]
            .iter()
            .any(|name| error.contains(name));
        assert!(!has_rust, "{filter}: {error}");
    }
}
