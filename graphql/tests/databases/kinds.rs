//! Values and sorts of every kind of column.

use bookends_graphql::Declaring;
use serde_json::json;

use crate::served::Served;

mod mood {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
    #[sea_orm(rs_type = "String", db_type = "Enum", enum_name = "mood")]
    pub enum Mood {
        #[sea_orm(string_value = "sad")]
        Sad,
        #[sea_orm(string_value = "not so-so")]
        NotSoSo,
        #[sea_orm(string_value = "happy")]
        Happy,
    }
}

mod person {
    use sea_orm::entity::prelude::*;

    use super::mood::Mood;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "person")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub friend_id: Option<i32>,
        pub mood: Option<Mood>,
        pub usual: Mood,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(belongs_to = "Entity", from = "Column::FriendId", to = "Column::Id")]
        Friend,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

const PEOPLE: &str = "
    ‹CREATE TYPE mood AS ENUM ('sad', 'not so-so', 'happy');›
    CREATE TABLE person (
        id integer PRIMARY KEY, friend_id integer REFERENCES person (id),
        mood ‹mood›«text», usual ‹mood›«text» NOT NULL
    );
    INSERT INTO person VALUES
        (1, NULL, 'happy', 'sad'), (2, 1, 'sad', 'happy'), (3, 1, NULL, 'happy'), (4, 1, 'not so-so', 'sad'),
        (5, 1, 'happy', 'not so-so'), (6, 2, 'happy', 'happy'), (7, 2, NULL, 'sad'), (8, 1, 'sad', 'happy'), (9, 1, NULL, 'sad')
";

async fn people() -> Served {
    let mut tables = Declaring::new("Query");
    tables.entity::<person::Entity>();
    Served::made(PEOPLE, tables).await
}

#[tokio::test]
async fn c1_lists_are_sorted_by_an_enum_in_the_order_of_the_database() {
    let people = people().await;
    // Each of the columns, both ways, with both placements of NULLs, and the key after it.
    assert!(people.walk_all().await > 15);
    let data = people.data("{ people(orderBy: [{ field: USUAL }]) { nodes { usual } } }").await;
    let moods: Vec<&str> =
        data["people"]["nodes"].as_array().unwrap().iter().map(|it| it["usual"].as_str().unwrap()).collect();
    let order = if people.is_sqlite() { ["HAPPY", "NOT_SO_SO", "SAD"] } else { ["SAD", "NOT_SO_SO", "HAPPY"] };
    let expected: Vec<&str> =
        order.iter().flat_map(|mood| vec![*mood; moods.iter().filter(|it| *it == mood).count()]).collect();
    assert_eq!(moods, expected);
}

#[tokio::test]
async fn c1_nested_lists_are_sorted_by_an_enum() {
    let people = people().await;
    let of = |rows: &[i32]| rows.iter().map(|id| json!({ "rowId": id })).collect::<Vec<_>>();
    // Those of the first two, by the order of the enum.
    let (first, second) = if people.is_sqlite() { ([5, 4, 2, 8, 3, 9], [6, 7]) } else { ([2, 8, 4, 5, 3, 9], [6, 7]) };
    for (direction, nulls) in [("ASC", "LAST"), ("DESC", "FIRST")] {
        let order = format!("orderBy: [{{ field: MOOD, direction: {direction}, nulls: {nulls} }}]");
        let mut expected = [first.to_vec(), second.to_vec()];
        if direction == "DESC" {
            for rows in &mut expected {
                rows.reverse();
            }
        }
        let field = "peopleByFriend";
        let mut found = [Vec::new(), Vec::new()];
        for (parent, rows) in found.iter_mut().enumerate() {
            let mut cursor = String::new();
            loop {
                let query = format!(
                    "{{ people(first: 2) {{ nodes {{ {field}(first: 1, after: {cursor:?}, {order}) {{
                        nodes {{ rowId }} pageInfo {{ hasNextPage hasPreviousPage endCursor }} }} }} }} }}"
                );
                let data = people.data(&query).await;
                let list = &data["people"]["nodes"][parent][field];
                rows.extend(list["nodes"].as_array().unwrap().iter().cloned());
                if list["pageInfo"]["hasNextPage"] == false {
                    break;
                }
                list["pageInfo"]["endCursor"].as_str().unwrap().clone_into(&mut cursor);
            }
        }
        assert_eq!(found, expected.map(|rows| of(&rows)), "{order}");
    }
}

#[tokio::test]
async fn e2_a_cursor_with_no_value_of_the_enum_is_refused() {
    let people = people().await;
    let order = people.declaration().order("Person", &[bookends_graphql::Criterion::asc("MOOD")]).unwrap();
    for (mood, errors) in [("sad", vec![]), ("angry", vec!["CURSOR_INVALID people".to_owned()])] {
        // As the server seals it, with another text of the same length.
        let values = [keyset::Scalar::Text(mood.into()), keyset::Scalar::Int(2)];
        let mut bytes = vec![1];
        bytes.extend(order.fingerprint().to_be_bytes());
        for value in &values {
            keyset::write_value(value, &mut bytes).unwrap();
        }
        let cursor = base64::Engine::encode(&base64::prelude::BASE64_URL_SAFE_NO_PAD, bytes);
        let query =
            format!("{{ people(after: {cursor:?}, orderBy: [{{ field: MOOD }}]) {{ totalCount nodes {{ rowId }} }} }}");
        assert_eq!(people.response(&query).await.1, errors, "{mood}");
    }
}

mod number {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "number")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub byte: Option<u8>,
        pub short: Option<u16>,
        pub int: Option<u32>,
        pub long: Option<u64>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

const NUMBERS: &str = "
    CREATE TABLE number (id integer PRIMARY KEY, byte smallint, short integer, \"int\" ‹integer›«bigint», long bigint);
    INSERT INTO number VALUES
        (1, 255, 65535, 2147483647, 9007199254740993), (2, 0, 0, 0, 9007199254740992), (3, NULL, NULL, NULL, NULL)
";

#[tokio::test]
async fn l1_unsigned_integers_are_exact() {
    let mut tables = Declaring::new("Query");
    let numbers = tables.entity::<number::Entity>();
    numbers.computed::<number::Entity, _>("sum", |row| {
        row.long.map(|long| (long + u64::from(row.int.unwrap_or(0))).to_string())
    });
    let numbers = Served::made(NUMBERS, tables).await;
    let data = numbers.data("{ numbers { nodes { byte short int long sum } } }").await;
    assert_eq!(
        data["numbers"]["nodes"],
        json!([
            { "byte": 255, "short": 65535, "int": "2147483647", "long": "9007199254740993", "sum": "9007201402224640" },
            { "byte": 0, "short": 0, "int": "0", "long": "9007199254740992", "sum": "9007199254740992" },
            { "byte": null, "short": null, "int": null, "long": null, "sum": null }
        ])
    );
    let query =
        "{ numbers(where: { long: { gt: \"9007199254740992\" }, int: { eq: 2147483647 } }) { nodes { rowId } } }";
    assert_eq!(numbers.data(query).await["numbers"]["nodes"], json!([{ "rowId": 1 }]));
    assert!(numbers.walk_all().await > 30);
}

mod tally {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "tally")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub of: Option<i32>,
        pub small: Option<i16>,
        pub int: Option<i32>,
        pub big: Option<i64>,
        #[sea_orm(column_type = "Decimal(None)", nullable)]
        pub price: Option<Decimal>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(belongs_to = "Entity", from = "Column::Of", to = "Column::Id")]
        Of,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

const TALLIES: &str = "
    CREATE TABLE tally (
        id integer PRIMARY KEY, of integer REFERENCES tally (id), small smallint, \"int\" integer, big bigint, price ‹numeric›«real»
    );
    INSERT INTO tally VALUES
        (1, NULL, 32767, 2147483647, 9223372036854775807, 9223372036854775807), (2, 1, -3, -4, -1, 0.5),
        (3, 1, 32767, 2147483647, 9223372036854775807, 9223372036854775807), (4, 2, NULL, NULL, NULL, NULL),
        (5, 2, -32768, -2147483648, -9223372036854775808, 0), (6, 2, -32768, -2147483648, -9223372036854775808, 0)
";

#[tokio::test]
async fn sums_are_exact_beyond_64_bits() {
    let mut tables = Declaring::new("Query");
    tables.entity::<tally::Entity>();
    let tallies = Served::made(TALLIES, tables).await;
    let sums = "aggregates { sum { small int big } average { big } }";
    let query = format!(
        "{{ all: tallies {{ {sums} }} low: tallies(where: {{ big: {{ lt: 0 }} }}) {{ {sums} }} none: tallies(where: {{ big: {{ isNull: true }} }}) {{ {sums} }}
            high: tallies(where: {{ big: {{ gt: 0 }} }}) {{ aggregates {{ sum {{ big price }} }} }}
            tallies(first: 2) {{ nodes {{ talliesByOf {{ {sums} }} }} }} }}"
    );
    let data = tallies.data(&query).await;
    let sum = |small: &str, int: &str, big: &str| json!({ "small": small, "int": int, "big": big });
    assert_eq!(data["all"]["aggregates"]["sum"], sum("-5", "-6", "-3"));
    assert_eq!(data["low"]["aggregates"]["sum"], sum("-65539", "-4294967300", "-18446744073709551617"));
    assert_eq!(data["none"]["aggregates"]["sum"], json!({ "small": null, "int": null, "big": null }));
    assert_eq!(data["high"]["aggregates"]["sum"]["big"], "18446744073709551614");
    let price = data["high"]["aggregates"]["sum"]["price"].as_str().unwrap();
    assert_eq!(price, if tallies.is_sqlite() { "18446744073709552000" } else { "18446744073709551614" });
    let nested: Vec<_> =
        data["tallies"]["nodes"].as_array().unwrap().iter().map(|it| &it["talliesByOf"]["aggregates"]["sum"]).collect();
    let expected =
        [sum("32764", "2147483643", "9223372036854775806"), sum("-65536", "-4294967296", "-18446744073709551616")];
    assert_eq!(nested, expected.iter().collect::<Vec<_>>());
    assert_eq!(data["low"]["aggregates"]["average"]["big"], -6_148_914_691_236_517_000.0);
}
