//! What a declaration says at start-up: columns that are left out, and orders that no index holds.

use bookends_graphql::{Declaration, Declaring, ObjectType};
use sea_orm::{ConnectionTrait as _, DbBackend, Schema};
use std::sync::Arc;
use testdb::TestDb;

mod shelf {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "shelf")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        #[sea_orm(unique)]
        pub code: String,
        #[sea_orm(column_type = "Custom(\"tsvector\".into())", nullable, select_as = "text")]
        pub words: Option<String>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

mod item {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "item")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub weight: Option<i32>,
        pub shelf_id: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(belongs_to = "super::shelf::Entity", from = "Column::ShelfId", to = "super::shelf::Column::Id")]
        Shelf,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

fn declaration() -> Arc<Declaration> {
    let mut tables = Declaring::new("Query");
    tables.entity::<shelf::Entity>();
    tables.entity::<item::Entity>().orders(&[&["WEIGHT"]]);
    tables.check().unwrap()
}

#[test]
fn l1_columns_without_a_type_in_graphql_are_listed() {
    let declaration = declaration();
    let left_out: Vec<String> = declaration.left_out().map(|left_out| left_out.to_string()).collect();
    let expected = "`Shelf` has no field for the column `shelf.words`: its type, tsvector, has none in GraphQL";
    assert_eq!(left_out, [expected]);
    assert!(declaration.object_named("Shelf").unwrap().field_of("words").is_none());
}

#[tokio::test]
async fn l7_each_offered_order_without_an_index_is_reported_until_it_has_one() {
    let (database, declaration) = (TestDb::new().await, declaration());
    let db = database.connect().await;
    assert!(declaration.index_advice(&db).await.unwrap().is_empty(), "nothing is known of the tables");
    let tables = Schema::new(db.get_database_backend());
    for table in [tables.create_table_from_entity(shelf::Entity), tables.create_table_from_entity(item::Entity)] {
        db.execute(&table).await.unwrap();
    }
    let is_sqlite = db.get_database_backend() == DbBackend::Sqlite;
    let advice = declaration.index_advice(&db).await.unwrap();
    let statements: Vec<String> = advice.iter().map(|lack| lack.index.as_ref().unwrap().to_string()).collect();
    let expected = [
        ("item_weight_id", r#""weight", "id""#),
        ("item_weight_id_desc", r#""weight", "id" DESC"#),
        ("item_shelf_id_id", r#""shelf_id", "id""#),
        ("item_shelf_id_weight_id", r#""shelf_id", "weight", "id""#),
        ("item_shelf_id_weight_id_desc", r#""shelf_id", "weight", "id" DESC"#),
    ];
    let expected = expected.map(|(name, columns)| {
        let name = if is_sqlite { format!("\"{name}\" ") } else { String::new() };
        format!("CREATE INDEX {name}ON \"item\" ({columns})")
    });
    assert_eq!(statements, expected);
    // In both directions, with NULLs first and last.
    assert_eq!(advice.iter().map(|lack| lack.lists.len()).collect::<Vec<_>>(), [4, 4, 2, 4, 4]);
    let begin = "no index serves `Shelf.items` and 1 more: CREATE INDEX";
    assert!(advice[2].to_string().starts_with(begin), "{}", advice[2]);

    for (place, statement) in statements.iter().enumerate() {
        db.execute_unprepared(statement).await.unwrap();
        assert_eq!(declaration.index_advice(&db).await.unwrap().len(), 4 - place, "{statement}");
    }
}

/// The rows of one table in the order of another, of each parent.
#[tokio::test]
async fn l7_an_order_that_no_index_can_hold_is_reported() {
    let mut shelves = ObjectType::of::<shelf::Entity>("Shelf");
    shelves.id(1);
    shelves.list("items", "Item", item::Column::ShelfId);
    let mut items = ObjectType::of::<item::Entity>("Item");
    items.beside::<shelf::Entity>(item::Column::ShelfId, shelf::Column::Id).column(shelf::Column::Code);
    let mut declaring = Declaring::new("Query");
    declaring.object(shelves).object(items).list("items", "Item");
    let declaration = declaring.check().unwrap();
    let test = TestDb::new().await;
    let db = test.connect().await;
    for sql in [
        "CREATE TABLE shelf (id integer PRIMARY KEY, code text NOT NULL UNIQUE)",
        "CREATE TABLE item (id integer PRIMARY KEY, weight integer, shelf_id integer NOT NULL)",
        "CREATE INDEX item_of_shelf ON item (shelf_id, id)",
    ] {
        db.execute_unprepared(sql).await.unwrap();
    }
    let advice = declaration.index_advice(&db).await.unwrap();
    assert_eq!(advice.len(), 1, "{advice:?}");
    assert!(advice[0].index.is_none() && advice[0].lists.iter().all(|lack| lack.list.starts_with("Shelf.items(")));
    assert!(advice[0].to_string().starts_with("no index can serve `Shelf.items("), "{}", advice[0]);
}
