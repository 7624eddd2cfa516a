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
        pub bytes: Option<Vec<u8>>,
        pub days: Option<Vec<Date>>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

const COLUMNS: [&str; 12] =
    ["day", "time", "local", "instant", "single", "real", "price", "count", "flag", "text", "bytes", "days"];

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

const SQLITE: [(&str, &str, Option<&str>); 28] = [
    ("bytes", "x'00ff'", Some("\"AP8=\"")),
    ("bytes", "'x'", None),
    ("bytes", "1.5", None),
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
            \"real\" ‹double precision›«real», price ‹numeric›«real», count integer, flag boolean, \"text\" text, bytes ‹bytea›«blob», days ‹date[]›«text»
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

#[tokio::test]
async fn an_aggregate_that_its_type_does_not_hold_is_an_error_of_its_field() {
    let odd = odd(values()).await;
    let query = "{ odds(first: 1) { nodes { rowId } totalCount aggregates {
        min { rowId day } max { rowId local instant day } sum { rowId count price } average { rowId }
    } } }";
    let (data, errors) = odd.response(query).await;
    let errors: Vec<&str> =
        errors.iter().map(|error| error.strip_prefix("OUT_OF_RANGE odds.aggregates.").unwrap()).collect();
    let expected = if odd.is_sqlite() {
        vec!["min.day", "max.instant", "max.day", "sum.count", "sum.price"]
    } else {
        vec!["min.day", "max.local", "max.instant", "max.day", "sum.price"]
    };
    assert_eq!(errors, expected);
    let rows = values().len();
    let aggregates = &data["odds"]["aggregates"];
    let found = json!([aggregates["min"]["rowId"], aggregates["max"]["rowId"], aggregates["sum"]["rowId"]]);
    assert_eq!(found, json!([0, rows - 1, (rows * (rows - 1) / 2).to_string()]));
    assert_eq!((&data["odds"]["totalCount"], &data["odds"]["nodes"]), (&json!(rows), &json!([{ "rowId": 0 }])));
}

mod feast {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "feast")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub day: Date,
        pub name: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

mod guest {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "guest")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub day: Option<Date>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(belongs_to = "super::feast::Entity", from = "Column::Day", to = "super::feast::Column::Day")]
        Feast,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

/// Each feast with its guests. The key of the last one is none that the type of its column holds.
async fn feasts() -> Served {
    let mut tables = Declaring::new("Query");
    let feasts = tables.entity::<feast::Entity>();
    feasts.resolved_of::<Option<String>>("season", &[feast::Column::Day.into()], |days, _| {
        Box::pin(async move { Ok(days.iter().map(|day| Ok(Some(format!("{day:?}").len().to_string()))).collect()) })
    });
    tables.entity::<guest::Entity>();
    let sql = "
        CREATE TABLE feast (day date PRIMARY KEY NOT NULL, name text NOT NULL);
        CREATE TABLE guest (id integer PRIMARY KEY, day date REFERENCES feast (day));
        INSERT INTO feast VALUES ('2022-01-31', 'a'), ('2022-02-01', 'b'), (‹'infinity'›«'today'», 'never');
        INSERT INTO guest VALUES (1, '2022-01-31'), (2, ‹'infinity'›«'today'»), (3, '2022-01-31'), (4, '2022-02-01'), (5, NULL)";
    Served::made(sql, tables).await
}

/// All that is read of a list.
const LIST: &str = "nodes { rowId } edges { cursor } totalCount approximateCount { value } aggregates { sum { rowId } }
    pageCursors { last { page } } pageInfo { hasNextPage }";

#[tokio::test]
async fn l2_a_key_that_cannot_be_read_is_an_error_of_the_list_of_its_row_alone() {
    let feasts = feasts().await;
    let query = format!("{{ feasts {{ nodes {{ name season guestsByDay {{ {LIST} }} }} }} }}");
    let (data, errors) = feasts.response(&query).await;
    let at = |field: &str| format!("OUT_OF_RANGE feasts.nodes.2.{field}");
    assert_eq!(errors, [at("season"), at("guestsByDay")]);
    let nodes = &data["feasts"]["nodes"];
    assert_eq!(nodes[2], json!({ "name": "never", "season": null, "guestsByDay": null }));
    let ids = |node: &Json| node["guestsByDay"]["nodes"].clone();
    assert_eq!([ids(&nodes[0]), ids(&nodes[1])], [json!([{ "rowId": 1 }, { "rowId": 3 }]), json!([{ "rowId": 4 }])]);
    assert!(nodes[0]["season"].is_string());
}

#[tokio::test]
async fn l2_where_no_key_can_be_read_no_list_is_read() {
    let feasts = feasts().await;
    let data = feasts.data("{ guests(first: 1) { nodes { id } } }").await;
    let id = &data["guests"]["nodes"][0]["id"];
    for arguments in ["", "(first: 1, offset: 1)", "(last: 1)", &format!("(around: {id})")] {
        let query = format!(
            "{{ feasts(where: {{ name: {{ eq: \"never\" }} }}) {{ nodes {{ name guestsByDay{arguments} {{ {LIST} }} }} }} }}"
        );
        let (data, errors) = feasts.response(&query).await;
        assert_eq!(errors, ["OUT_OF_RANGE feasts.nodes.0.guestsByDay"], "{arguments}");
        assert_eq!(data["feasts"]["nodes"], json!([{ "name": "never", "guestsByDay": null }]));
    }
}

mod era {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "era")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub day: Option<Date>,
        pub local: Option<DateTime>,
        pub instant: Option<DateTimeUtc>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// Rows with infinite dates at both ends. On SQLite, infinite numbers are before all dates, which are texts.
async fn eras() -> Served {
    let mut tables = Declaring::new("Query");
    tables.entity::<era::Entity>();
    let row = |id, value: &str| format!("({id}, {value}, {value}, {value})");
    let finite = |id, day| format!("({id}, '{day}', '{day} 20:15:00', '{day}T20:15:00+00:00')");
    let [low, high] = ["‹'-infinity'›«-9e999»", "‹'infinity'›«9e999»"];
    let rows = [row(1, low), finite(2, "2022-01-31"), row(3, high), row(4, "NULL"), row(5, low), row(6, high)];
    let sql = format!(
        "CREATE TABLE era (id integer PRIMARY KEY, day date, local timestamp, instant ‹timestamptz›«timestamp»);
         INSERT INTO era VALUES {}, {};",
        rows.join(", "),
        finite(7, "0001-01-01")
    );
    Served::made(&sql, tables).await
}

/// The numbers of the rows of a list.
fn ids(list: &Json) -> Vec<i64> {
    list["nodes"].as_array().unwrap().iter().map(|it| it["rowId"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn c1_infinite_dates_are_walked_both_ways_with_exact_flags() {
    let eras = eras().await;
    let query = "query ($first: Int, $last: Int, $after: String, $before: String) {
        list: eras(first: $first, last: $last, after: $after, before: $before, orderBy: [ORDER]) {
            nodes { rowId } edges { cursor } pageInfo { hasPreviousPage hasNextPage }
        }
    }";
    for column in ["day", "local", "instant"] {
        for (direction, nulls) in [("ASC", "LAST"), ("DESC", "FIRST"), ("ASC", "FIRST"), ("DESC", "LAST")] {
            let field = column.to_uppercase();
            let order = format!("{{ field: {field}, direction: {direction}, nulls: {nulls} }}");
            // The text of a statement is kept for pages with other cursors.
            let plans = eras.plans(&query.replace("ORDER", &order));
            let page = async |variables: Json| -> Json {
                let text = eras.planned(&plans, variables).await;
                serde_json::from_str::<Json>(&text).unwrap()["list"].clone()
            };
            let sql = format!(
                "SELECT CAST(id AS text) FROM era ORDER BY {column} {direction} NULLS {nulls}, era.id {direction}"
            );
            let expected = eras.numbers(&sql).await;
            let all = page(json!({ "first": 10 })).await;
            assert_eq!(ids(&all), expected, "{order}");
            let cursor = |place: usize| all["edges"][place]["cursor"].clone();
            for place in 0..expected.len() {
                let after = page(json!({ "first": 1, "after": cursor(place) })).await;
                let rest = &expected[place + 1..];
                assert_eq!(ids(&after), rest[..rest.len().min(1)], "{order} after {place}");
                let flags = json!({ "hasPreviousPage": true, "hasNextPage": rest.len() > 1 });
                assert_eq!(after["pageInfo"], flags, "{order} after {place}");
                let before = page(json!({ "last": 1, "before": cursor(place) })).await;
                let rest = &expected[..place];
                assert_eq!(ids(&before), rest[rest.len().saturating_sub(1)..], "{order} before {place}");
                let flags = json!({ "hasPreviousPage": rest.len() > 1, "hasNextPage": true });
                assert_eq!(before["pageInfo"], flags, "{order} before {place}");
                for end in place + 1..expected.len() {
                    let between = page(json!({ "first": 9, "after": cursor(place), "before": cursor(end) })).await;
                    assert_eq!(ids(&between), expected[place + 1..end], "{order} from {place} to {end}");
                }
            }
        }
    }
}

#[tokio::test]
async fn k1_pages_of_infinite_dates_have_numbers_and_middles() {
    let eras = eras().await;
    for column in ["day", "local", "instant"] {
        let order = format!("orderBy: [{{ field: {} }}]", column.to_uppercase());
        let selected = "nodes { rowId id } pageCursors { around { cursor page isCurrent } last { page } } pageInfo { hasNextPage }";
        let all = eras.data(&format!("{{ eras(first: 9, {order}) {{ nodes {{ rowId id }} }} }}")).await;
        let expected = ids(&all["eras"]);
        for (place, id) in expected.iter().enumerate() {
            let (skipped, of) = (place.to_string(), &all["eras"]["nodes"][place]["id"]);
            let arguments = if place == 0 { String::new() } else { format!("offset: {skipped},") };
            let data = eras
                .data(&format!(
                    "{{ one: eras(first: 1, {arguments} {order}) {{ {selected} }} around: eras(first: 1, around: {of}, {order}) {{ {selected} }} }}"
                ))
                .await;
            for page in [&data["one"], &data["around"]] {
                assert_eq!(ids(page), [*id], "{column} {place}");
                let around = page["pageCursors"]["around"].as_array().unwrap();
                let current = around.iter().find(|it| it["isCurrent"] == true).unwrap();
                assert_eq!((&current["page"], &page["pageCursors"]["last"]["page"]), (&json!(place + 1), &json!(7)));
            }
        }
    }
}

#[tokio::test]
async fn an_infinite_date_is_no_value_of_its_field() {
    let eras = eras().await;
    let (data, errors) = eras.response("{ eras(first: 2) { nodes { rowId day local instant } } }").await;
    assert_eq!(errors, ["day", "local", "instant"].map(|field| format!("OUT_OF_RANGE eras.nodes.0.{field}")));
    assert_eq!(data["eras"]["nodes"][0], json!({ "rowId": 1, "day": null, "local": null, "instant": null }));
    assert_eq!(data["eras"]["nodes"][1]["day"], "2022-01-31");
}
