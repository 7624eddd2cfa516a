//! Keys of every kind: ids, cursors, and parents of lists.

use bookends_graphql::Declaring;
use serde_json::Value as Json;

use crate::served::Served;

/// A table with this key, which can refer to itself.
macro_rules! keyed {
    ($name:ident, $table:literal, $key:ty) => {
        mod $name {
            use sea_orm::entity::prelude::*;

            #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
            #[sea_orm(table_name = $table)]
            pub struct Model {
                #[sea_orm(primary_key, auto_increment = false)]
                pub code: $key,
                pub of: Option<$key>,
            }

            #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
            pub enum Relation {
                #[sea_orm(belongs_to = "Entity", from = "Column::Of", to = "Column::Code")]
                Of,
            }

            impl ActiveModelBehavior for ActiveModel {}
        }
    };
}

keyed!(by_date, "by_date", Date);
keyed!(by_time, "by_time", Time);
keyed!(by_date_time, "by_date_time", DateTime);
keyed!(by_instant, "by_instant", DateTimeUtc);
keyed!(by_text, "by_text", String);
keyed!(by_small, "by_small", i16);
keyed!(by_big, "by_big", i64);
keyed!(by_decimal, "by_decimal", Decimal);
keyed!(by_bool, "by_bool", bool);
keyed!(by_bytes, "by_bytes", Vec<u8>);
keyed!(by_uuid, "by_uuid", Uuid);

mod by_several {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
    #[sea_orm(rs_type = "String", db_type = "Enum", enum_name = "shift")]
    pub enum Shift {
        #[sea_orm(string_value = "night")]
        Night,
        #[sea_orm(string_value = "day")]
        Day,
    }

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "by_several")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub day: Date,
        #[sea_orm(primary_key, auto_increment = false)]
        pub shift: Shift,
        #[sea_orm(primary_key, auto_increment = false)]
        pub price: Decimal,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

keyed!(by_enum, "by_enum", super::by_several::Shift);

/// Each table has three rows, of which two refer to the first.
fn tables() -> String {
    let table = |name: &str, ty: &str, keys: [&str; 3]| {
        let [a, b, c] = keys;
        format!(
            "CREATE TABLE by_{name} (code {ty} PRIMARY KEY NOT NULL, of {ty} REFERENCES by_{name} (code));
             INSERT INTO by_{name} VALUES ({a}, NULL), ({b}, {a}), ({c}, {a});"
        )
    };
    [
        table("date", "date", ["'2022-01-31'", "'1969-12-31'", "'9999-12-31'"]),
        table("time", "time", ["'20:15:00'", "'00:00:00'", "'23:59:59.999999'"]),
        table("date_time", "timestamp", ["'2022-01-31 20:15:00'", "'0001-01-01 00:00:00'", "'2022-01-31 20:15:00.000001'"]),
        table(
            "instant",
            "‹timestamptz›«text»",
            ["'2022-01-31T20:15:00+00:00'", "'1969-12-31T23:59:59.999+00:00'", "'2022-01-31T20:15:00.000001+00:00'"],
        ),
        table("text", "text", ["'a'", "''", "'it''s \"é\"'"]),
        table("small", "smallint", ["0", "-32768", "32767"]),
        table("big", "bigint", ["0", "-9223372036854775808", "9007199254740993"]),
        table("decimal", "numeric(12, 2)", ["1.50", "-0.05", "1234567890.12"]),
        table("bool", "boolean", ["false", "true", "NULL"]).replace(", (NULL, false)", ""),
        table("bytes", "‹bytea›«blob»", ["‹'\\x00ff'›«x'00ff'»", "‹'\\x'›«x''»", "‹'\\x000102030405060708090a0b0c0d0e0f'›«x'000102030405060708090a0b0c0d0e0f'»"]),
        table(
            "uuid",
            "‹uuid›«blob»",
            [
                "‹'00000000-0000-0000-0000-000000000001'›«x'00000000000000000000000000000001'»",
                "‹'00000000-0000-0000-0000-000000000002'›«x'00000000000000000000000000000002'»",
                "‹'f0000000-0000-0000-0000-000000000000'›«x'f0000000000000000000000000000000'»",
            ],
        ),
        "‹CREATE TYPE shift AS ENUM ('night', 'day');›".to_owned(),
        table("enum", "‹shift›«text»", ["'day'", "'night'", "NULL"]).replace(", (NULL, 'day')", ""),
        "CREATE TABLE by_several (day date, shift ‹shift›«text», price numeric(12, 2), PRIMARY KEY (day, shift, price));
         INSERT INTO by_several VALUES
            ('2022-01-31', 'day', 1.50), ('2022-01-31', 'night', 1.50), ('2022-01-31', 'night', 2), ('1969-12-31', 'day', 1.50)"
            .to_owned(),
    ]
    .concat()
}

async fn keys() -> Served {
    let mut declared = Declaring::new("Query");
    declared.entity::<by_date::Entity>();
    declared.entity::<by_time::Entity>();
    declared.entity::<by_date_time::Entity>();
    declared.entity::<by_instant::Entity>();
    declared.entity::<by_text::Entity>();
    declared.entity::<by_small::Entity>();
    declared.entity::<by_big::Entity>();
    declared.entity::<by_decimal::Entity>();
    declared.entity::<by_bool::Entity>();
    declared.entity::<by_bytes::Entity>();
    declared.entity::<by_uuid::Entity>();
    declared.entity::<by_several::Entity>();
    declared.entity::<by_enum::Entity>();
    Served::made(&tables(), declared).await
}

fn texts(nodes: &Json, field: &str) -> Vec<String> {
    nodes.as_array().unwrap().iter().map(|node| node[field].to_string()).collect()
}

#[tokio::test]
async fn l2_a_key_of_every_kind_is_an_id_a_cursor_and_a_condition() {
    let served = keys().await;
    for object in served.declaration().object_types() {
        let list = served.declaration().list_of(object.name()).unwrap();
        let fields: Vec<String> =
            object.table().columns().iter().map(|it| object.field_of(it.name()).unwrap()).collect();
        let fields = fields.join(" ");
        let all = served.data(&format!("{{ {list} {{ nodes {{ id {fields} }} edges {{ cursor }} }} }}")).await;
        let nodes = all[&list]["nodes"].as_array().unwrap();
        assert!(nodes.len() > 1, "{list}");

        let ids = texts(&all[&list]["nodes"], "id").join(", ");
        let found =
            served.data(&format!("{{ nodes(ids: [{ids}]) {{ id ... on {} {{ {fields} }} }} }}", object.name())).await;
        assert_eq!(found["nodes"], all[&list]["nodes"], "{list}");
        for (place, node) in nodes.iter().enumerate() {
            let (id, cursor) = (&node["id"], &all[&list]["edges"][place]["cursor"]);
            let query = format!(
                "{{ one: node(id: {id}) {{ id ... on {} {{ {fields} }} }}
                    equal: {list}(where: {{ id: {{ eq: {id} }} }}) {{ nodes {{ id }} }}
                    others: {list}(where: {{ id: {{ notIn: [{id}] }} }}) {{ totalCount }}
                    around: {list}(first: 1, around: {id}) {{ nodes {{ id }} }}
                    after: {list}(after: {cursor}) {{ nodes {{ id }} pageInfo {{ hasPreviousPage }} }}
                    before: {list}(last: 9, before: {cursor}) {{ nodes {{ id }} }} }}",
                object.name()
            );
            let data = served.data(&query).await;
            assert_eq!(data["one"], *node, "{list} {node}");
            for same in ["equal", "around"] {
                assert_eq!(texts(&data[same]["nodes"], "id"), [id.to_string()], "{list} {same} {node}");
            }
            assert_eq!(data["others"]["totalCount"], nodes.len() - 1, "{list} {node}");
            let ids = texts(&all[&list]["nodes"], "id");
            assert_eq!(texts(&data["after"]["nodes"], "id"), ids[place + 1..], "{list} {node}");
            assert_eq!(texts(&data["before"]["nodes"], "id"), ids[..place], "{list} {node}");
        }
    }
}

#[tokio::test]
async fn l2_a_key_of_every_kind_has_parents_and_children() {
    let served = keys().await;
    let links = served.declaration().links();
    assert_eq!(links.len(), 12);
    for link in links {
        let list = served.declaration().list_of(link.to.name()).unwrap();
        let (field, back) = (&link.field, &link.back);
        let query = format!(
            "{{ {list} {{ nodes {{ id {field} {{ id }} {back} {{ nodes {{ id }} totalCount approximateCount {{ value }} pageCursors {{ last {{ page }} }} }} }} }} }}"
        );
        let data = served.data(&query).await;
        let nodes = data[&list]["nodes"].as_array().unwrap();
        let mut children = 0;
        for node in nodes {
            let of_node: Vec<&Json> = nodes.iter().filter(|other| other[field]["id"] == node["id"]).collect();
            let ids: Vec<String> = of_node.iter().map(|other| other["id"].to_string()).collect();
            assert_eq!(texts(&node[back]["nodes"], "id"), ids, "{list}");
            for count in [&node[back]["totalCount"], &node[back]["approximateCount"]["value"]] {
                assert_eq!(*count, ids.len(), "{list}");
            }
            assert_eq!(node[back]["pageCursors"]["last"].is_null(), ids.is_empty(), "{list}");
            let id = &node["id"];
            let query = format!(
                "{{ skipped: node(id: {id}) {{ ... on {} {{ {back}(first: 1, offset: 1) {{ nodes {{ id }} }} }} }}
                    related: {list}(where: {{ {field}: {{ id: {{ eq: {id} }} }} }}) {{ nodes {{ id }} }}
                    having: {list}(where: {{ id: {{ eq: {id} }}, {back}: {{ some: {{ {field}: {{ id: {{ eq: {id} }} }} }}, count: {{ eq: {} }} }} }}) {{ totalCount }} }}",
                link.to.name(),
                ids.len()
            );
            let data = served.data(&query).await;
            assert_eq!(texts(&data["skipped"][back]["nodes"], "id"), ids.get(1..2).unwrap_or_default(), "{list}");
            assert_eq!(texts(&data["related"]["nodes"], "id"), ids, "{list}");
            assert_eq!(data["having"]["totalCount"], usize::from(!ids.is_empty()), "{list}");
            children += ids.len();
        }
        assert_eq!(children, nodes.len() - 1, "{list}");
    }
}

#[tokio::test]
async fn f3_an_id_with_no_value_of_an_enum_is_malformed() {
    let served = keys().await;
    let data = served.data("{ byEnums(first: 1) { nodes { id } } }").await;
    let id = data["byEnums"]["nodes"][0]["id"].as_str().unwrap();
    let mut bytes = base64::Engine::decode(&base64::prelude::BASE64_URL_SAFE_NO_PAD, id).unwrap();
    *bytes.last_mut().unwrap() = b'x';
    let id = base64::Engine::encode(&base64::prelude::BASE64_URL_SAFE_NO_PAD, bytes);
    let (_, errors) = served.response(&format!("{{ node(id: {id:?}) {{ id }} }}")).await;
    assert_eq!(errors, ["ID_INVALID node"]);
}

#[tokio::test]
async fn c1_lists_are_walked_by_keys_of_every_kind() {
    let served = keys().await;
    let mut orders = 0;
    for offered in served.declaration().offered() {
        let (name, order) = offered.list.split_once('(').unwrap_or((&offered.list, ")"));
        let data = served.data(&format!("{{ {name}(first: 100, {order} {{ nodes {{ id }} }} }}")).await;
        let mut expected: Vec<String> = data[name]["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|node| node["id"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(served.walk(&offered.list, true).await, expected, "{}", offered.list);
        expected.reverse();
        assert_eq!(served.walk(&offered.list, false).await, expected, "{}", offered.list);
        orders += 1;
    }
    assert!(orders > 60, "{orders} orders");
}
