//! The price of conditions on lists, and the rows that they read.

use std::sync::Arc;

use async_graphql::Variables;
use async_graphql::parser::parse_query;
use async_graphql::parser::types::Selection;
use bookends_graphql::{Cost, Declaring};
use keyset::Statistics;
use sea_orm::{ConnectionTrait as _, DbBackend};
use testdb::{Statements, TestDb, rows_read};

use crate::served::Served;

mod region {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "region")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

mod town {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "town")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub region_id: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(belongs_to = "super::region::Entity", from = "Column::RegionId", to = "super::region::Column::Id")]
        Region,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

mod street {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "street")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub town_id: i32,
        pub name: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(belongs_to = "super::town::Entity", from = "Column::TownId", to = "super::town::Column::Id")]
        Town,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

/// 10 regions with 5 towns each, and these with 4 streets each.
const TABLES: &str = "
    CREATE TABLE region (id integer PRIMARY KEY);
    CREATE TABLE town (id integer PRIMARY KEY, region_id integer NOT NULL);
    CREATE TABLE street (id integer PRIMARY KEY, town_id integer NOT NULL, name text NOT NULL);
    CREATE INDEX town_region ON town (region_id);
    CREATE INDEX street_town ON street (town_id);
    WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 9) INSERT INTO region SELECT n FROM n;
    WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 49) INSERT INTO town SELECT n, n / 5 FROM n;
    WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 199)
        INSERT INTO street SELECT n, n / 4, 'a' FROM n;
    ANALYZE;";

/// Of each related object, its row is read, and for the condition on it what that reads. A condition on a list is that on each of its
/// objects.
#[tokio::test]
async fn i3_a_condition_on_a_list_is_priced_by_the_rows_that_it_reads_on_each_level() {
    let database = TestDb::new().await;
    let mut db = database.connect().await;
    let statements = Statements::record(&mut db);
    db.execute_unprepared(TABLES).await.unwrap();
    let is_sqlite = db.get_database_backend() == DbBackend::Sqlite;
    if !is_sqlite {
        // It scans tables as small as these.
        db.execute_unprepared("SET enable_seqscan = off").await.unwrap();
    }
    let statistics = Arc::new(Statistics::read(&db).await.unwrap());
    let mut tables = Declaring::new("Query");
    tables.entity::<region::Entity>();
    tables.entity::<town::Entity>();
    tables.entity::<street::Entity>();
    let served = Served::over(database, db.clone(), tables);

    let streets = "streets: { some: { name: { eq: \"b\" } } }";
    for (filter, rows) in [
        ("towns: { some: {} }".to_owned(), 10 * (1 + 5)),
        ("towns: { count: { gte: 2 } }".to_owned(), 10 * (1 + 3)),
        (format!("towns: {{ some: {{ {streets} }} }}"), 10 * (1 + 5 * (1 + 4))),
        (format!("towns: {{ none: {{ {streets} }} }}"), 10 * (1 + 5 * (1 + 4))),
        (format!("towns: {{ every: {{ not: {{ {streets} }} }} }}"), 10 * (1 + 5 * (1 + 4))),
        (format!("towns: {{ some: {{ {streets}, region: {{ not: {{}} }} }} }}"), 10 * (1 + 5 * (1 + 4 + 1))),
        (
            format!("or: [{{ towns: {{ some: {{ {streets} }} }} }}, {{ towns: {{ some: {{}} }} }}]"),
            10 * (1 + 5 * 5 + 5),
        ),
    ] {
        let query = format!("{{ regions(where: {{ {filter} }}) {{ totalCount }} }}");
        let document = parse_query(&query).unwrap();
        let (_, operation) = document.operations.iter().next().unwrap();
        let Selection::Field(field) = &operation.node.selection_set.node.items[0].node else { panic!("{query}") };
        let costs = served.declaration.costs();
        let cost = costs.iter().find(|cost| cost.on == "Query" && cost.field == "regions").unwrap();
        let Cost::List(scan) = &cost.cost else { panic!("{cost:?}") };
        let price =
            scan.rows(&field.node, &Variables::default(), db.get_database_backend(), || Arc::clone(&statistics));
        assert_eq!(price, Some([rows, rows]), "{filter}");

        statements.take();
        served.data(&query).await;
        let [statement] = statements.take().try_into().unwrap();
        if is_sqlite {
            // Its instructions are several for each row.
            continue;
        }
        let mut read = 0;
        for table in ["region", "town", "street"] {
            read += rows_read(&db, statement.clone(), table).await;
        }
        assert!(read <= rows, "{filter}: {read} rows, priced as {rows}");
    }
}
