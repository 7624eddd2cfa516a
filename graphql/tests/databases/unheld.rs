//! Values that a column can have, and that its type in GraphQL cannot: each is a typed error of its field.

use bookends_graphql::Declaring;
use serde_json::{Value as Json, json};

use crate::served::Served;

mod odd {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "odd")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub day: Option<Date>,
        pub time: Option<Time>,
        pub local: Option<DateTime>,
        pub instant: Option<DateTimeUtc>,
        pub single: Option<f32>,
        pub real: Option<f64>,
        #[sea_orm(column_type = "Decimal(None)", nullable)]
        pub price: Option<Decimal>,
        pub count: Option<i32>,
        pub flag: Option<bool>,
        pub text: Option<String>,
        pub days: Option<Vec<Date>>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

const COLUMNS: [&str; 11] =
    ["day", "time", "local", "instant", "single", "real", "price", "count", "flag", "text", "days"];

/// Values, and as what they are shown: nothing, where their type does not hold them.
const POSTGRES: [(&str, &str, Option<&str>); 27] = [
    ("day", "'infinity'", None),
    ("day", "'-infinity'", None),
    ("day", "'0044-03-15 BC'", None),
    ("day", "'10000-01-01'", None),
    ("day", "'5874897-12-31'", None),
    ("day", "'0001-01-01'", Some("\"0001-01-01\"")),
    ("time", "'24:00:00'", None),
    ("time", "'23:59:59.999999'", Some("\"23:59:59.999999\"")),
    ("local", "'infinity'", None),
    ("local", "'-infinity'", None),
    ("local", "'0044-03-15 12:00 BC'", None),
    ("local", "'294276-12-31'", None),
    ("instant", "'infinity'", None),
    ("instant", "'-infinity'", None),
    ("instant", "'0001-12-31 BC'", None),
    ("instant", "'10000-01-01'", None),
    ("single", "'NaN'", None),
    ("real", "'NaN'", None),
    ("real", "'-Infinity'", None),
    ("real", "1e308", Some("1e308")),
    ("price", "'NaN'", None),
    ("price", "'Infinity'", None),
    ("price", "12345678901234567890123456789012345678901", None),
    ("price", "0.1234567890123456789012345678901", None),
    ("price", "-99999999999999.99999999999999", Some("\"-99999999999999.99999999999999\"")),
    ("price", "0.0000000000000000000000000000000", Some("\"0\"")),
    ("days", "'{2022-01-31,infinity}'", None),
];

const SQLITE: [(&str, &str, Option<&str>); 25] = [
    ("count", "'many'", None),
    ("count", "1.5", None),
    ("count", "x'00'", None),
    ("count", "2147483648", None),
    ("count", "'7'", Some("7")),
    ("flag", "2", None),
    ("flag", "'true'", None),
    ("day", "'today'", None),
    ("day", "2459611", None),
    ("day", "'10000-01-01'", None),
    ("time", "'24:00:00'", None),
    ("local", "1643659200", None),
    ("local", "1643659200.5", None),
    ("local", "'2022-01-31T20:15:00'", Some("\"2022-01-31T20:15:00\"")),
    ("instant", "'2022-01-31T20:15:00Z'", Some("\"2022-01-31T20:15:00.000Z\"")),
    ("instant", "'2022-01-31T20:15:00+00:00'", Some("\"2022-01-31T20:15:00.000Z\"")),
    ("instant", "'soon'", None),
    ("real", "9e999", None),
    ("real", "'x'", None),
    ("price", "'x'", None),
    ("price", "9e99", None),
    ("text", "x'ff'", None),
    ("days", "'2022-01-31'", None),
    ("days", "'[\"2022-01-31\", 7]'", None),
    ("days", "'{\"a\": 1}'", None),
];

/// The rows, each with one of the values in its column.
async fn odd(values: &[(&str, &str, Option<&str>)]) -> Served {
    let insert = |(number, (column, value, _)): (usize, &(&str, &str, Option<&str>))| {
        format!("INSERT INTO odd (id, {column}) VALUES ({number}, {value});")
    };
    let rows: String = values.iter().enumerate().map(insert).collect();
    let mut tables = Declaring::new("Query");
    let odd = tables.entity::<odd::Entity>();
    odd.computed::<odd::Entity, _>("double", |row| row.id * 2);
    let sql = format!(
        "CREATE TABLE odd (
            id integer PRIMARY KEY, day date, \"time\" time, local timestamp, instant ‹timestamptz›«timestamp», single real,
            \"real\" ‹double precision›«real», price ‹numeric›«real», count integer, flag boolean, \"text\" text, days ‹date[]›«text»
        ); {rows}"
    );
    Served::made(&sql, tables).await
}

fn values() -> &'static [(&'static str, &'static str, Option<&'static str>)] {
    #[expect(clippy::disallowed_methods, reason = "the one setting of the tests")]
    if std::env::var("TEST_DATABASE_URL").is_ok() { &POSTGRES } else { &SQLITE }
}

#[tokio::test]
async fn l1_a_value_that_its_type_does_not_hold_is_an_error_of_its_field() {
    let values = values();
    let odd = odd(values).await;
    let fields = COLUMNS.join(" ");
    let (data, mut errors) = odd.response(&format!("{{ odds(first: 50) {{ nodes {{ rowId {fields} }} }} }}")).await;
    for (number, (column, value, shown)) in values.iter().enumerate() {
        let mut expected = json!({ "rowId": number });
        for other in COLUMNS {
            expected[other] = Json::Null;
        }
        match shown {
            Some(shown) => expected[*column] = serde_json::from_str(shown).unwrap(),
            None => assert_eq!(errors.remove(0), format!("OUT_OF_RANGE odds.nodes.{number}.{column}"), "{value}"),
        }
        assert_eq!(data["odds"]["nodes"][number], expected, "{column} {value}");
    }
    assert_eq!(errors, Vec::<String>::new());
}

/// A page in an order by such a value has its rows. Only their cursors are errors.
#[tokio::test]
async fn c1_lists_are_sorted_by_values_that_their_type_does_not_hold() {
    let values = values();
    let odd = odd(values).await;
    for column in COLUMNS.iter().filter(|column| **column != "days") {
        let order = format!("orderBy: [{{ field: {} }}, {{ field: ROW_ID }}]", column.to_uppercase());
        let sql = format!("SELECT CAST(id AS text) FROM odd ORDER BY \"{column}\" NULLS LAST, odd.id");
        let expected = odd.numbers(&sql).await;
        let ids =
            |nodes: &Json| nodes.as_array().unwrap().iter().map(|it| it["rowId"].as_i64().unwrap()).collect::<Vec<_>>();
        let (data, errors) = odd.response(&format!("{{ odds(first: 50, {order}) {{ nodes {{ rowId }} }} }}")).await;
        if errors == ["INTERNAL odds.nodes"] {
            // Integers are put in order where they are read: the database orders other values among them.
            assert!(odd.is_sqlite() && *column == "count", "{column}");
            continue;
        }
        assert_eq!((ids(&data["odds"]["nodes"]), errors), (expected.clone(), Vec::new()), "{column}");

        // Each row as a page of its own, whose number an offset gives where the cursor is an error.
        let mut cursor = None::<String>;
        for (place, id) in expected.iter().enumerate() {
            let Some(after) = cursor.take().or_else(|| (place == 0).then(String::new)) else { break };
            let query = format!(
                "{{ odds(first: 1, after: {after:?}, {order}) {{ nodes {{ rowId }} pageInfo {{ hasPreviousPage hasNextPage endCursor }} }} }}"
            );
            let (data, errors) = odd.response(&query).await;
            if !errors.is_empty() {
                assert!(errors.iter().all(|error| error.ends_with("pageInfo.endCursor")), "{column} {errors:?}");
                break;
            }
            assert_eq!(ids(&data["odds"]["nodes"]), [*id], "{column} {place}");
            assert_eq!(data["odds"]["pageInfo"]["hasNextPage"], place + 1 < expected.len(), "{column} {place}");
            cursor = data["odds"]["pageInfo"]["endCursor"].as_str().map(str::to_owned);
        }
    }
}

#[tokio::test]
async fn a_model_of_a_row_with_such_a_value_is_an_error_of_what_is_computed() {
    let values = values();
    let odd = odd(values).await;
    let (data, errors) = odd.response("{ odds(first: 50) { nodes { rowId double } } }").await;
    assert_eq!(data["odds"], Json::Null, "the field is not null");
    assert!(errors.iter().all(|error| error.starts_with("INTERNAL odds.nodes.")), "{errors:?}");
}

#[tokio::test]
async fn l5_filters_compare_such_values_as_the_database_does() {
    let odd = odd(values()).await;
    let query = "{ after: odds(where: { day: { gt: \"9999-12-31\" } }) { totalCount } days: odds(where: { days: { isEmpty: false } }) { totalCount } }";
    let data = odd.data(query).await;
    let expected = if odd.is_sqlite() { json!([1, 1]) } else { json!([3, 1]) };
    assert_eq!(json!([data["after"]["totalCount"], data["days"]["totalCount"]]), expected);
}
