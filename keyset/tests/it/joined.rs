//! Orders over the columns of a joined table.

use keyset::{
    Args, ColumnSet, Join, Kind, Limits, Models, Order, Page, Placement, RowLayout, Sort, StatementCache, StoredValue,
    Table, TableRows, fetch_into, fetch_rows, find_related,
};
use sea_orm::prelude::*;
use sea_orm::{ConnectionTrait, DbBackend, FromQueryResult, JoinType, QuerySelect, QueryTrait, RelationDef, Schema};
use testdb::TestDb;

use crate::atlas::{self, City, Column};
use crate::connections::Through;

mod title {
    use sea_orm::entity::prelude::*;

    /// The title of a rank. Some ranks have no title.
    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "title")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub rank: i16,
        #[sea_orm(unique)]
        pub text: String,
        pub note: Option<String>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

mod country {
    use sea_orm::entity::prelude::*;

    /// A type without a kind is that of its key.
    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "country")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false, column_type = "Char(Some(2))")]
        pub code: String,
        pub flag: Option<String>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

#[derive(Debug, PartialEq, FromQueryResult)]
struct Titled {
    id: i32,
    title: Option<String>,
}

/// The title is unique and never NULL in its own table. In the join it repeats, and is NULL for ranks without a title.
#[tokio::test]
async fn a_column_of_a_joined_table_repeats_and_can_be_null() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    let cities = atlas::cities();
    atlas::create(&db, &cities).await;
    db.execute(&Schema::new(db.get_database_backend()).create_table_from_entity(title::Entity)).await.unwrap();
    db.execute_unprepared("INSERT INTO title VALUES (0, 'town', NULL), (1, 'capital', NULL)").await.unwrap();
    let relation: RelationDef = City::belongs_to(title::Entity).from(Column::Rank).to(title::Column::Rank).into();
    let titled = || {
        City::find()
            .join(JoinType::LeftJoin, relation.clone())
            .select_only()
            .column(Column::Id)
            .column_as(title::Column::Text, "title")
    };
    let order = Order::of::<City>([Sort::asc(title::Column::Text)]).unwrap();
    assert_eq!(order.to_string(), "title.text ASC NULLS LAST, city.id ASC");

    let title = |rank| match rank {
        0 => Some("town".to_owned()),
        1 => Some("capital".to_owned()),
        _ => None,
    };
    let mut expected: Vec<_> = cities.iter().map(|city| Titled { id: city.id, title: title(city.rank) }).collect();
    expected.sort_by_key(|city| (city.title.is_none(), city.title.clone(), city.id));

    // No index spans a join, so an order over it may be computed. That must include the NULLs.
    let computed = Order::of::<City>([Sort::asc(title::Column::Text).computed()]).unwrap();
    for (order, forward) in [(&order, true), (&order, false), (&computed, true), (&computed, false)] {
        let (mut pages, mut cursor) = (Vec::new(), None);
        loop {
            let args = if forward {
                Args { first: Some(1), after: cursor.clone(), ..Args::default() }
            } else {
                Args { last: Some(1), before: cursor.clone(), ..Args::default() }
            };
            let page = Page::new(&args, order, Limits::default()).unwrap();
            let slice = fetch_into::<Titled, _, _>(&db, titled(), &page).await.unwrap();
            let more = if forward { slice.has_next } else { slice.has_previous };
            for row in slice.rows {
                cursor = Some(order.seal(&row.key).unwrap().into());
                pages.push(row.item);
            }
            if !more {
                break;
            }
        }
        if !forward {
            pages.reverse();
        }
        assert_eq!(pages, expected);
    }
}

/// All rows with these columns.
fn select(table: &Table, columns: ColumnSet) -> TableRows {
    let mut rows = table.rows();
    table.select(&mut rows, columns);
    rows
}

/// Of a row and of what is joined to it, some columns are read. The others are errors, also the model that they belong to.
#[tokio::test]
async fn columns_that_are_not_selected_are_not_read() {
    let (_test, db, statements) = atlas::recorded().await;
    db.execute(&Schema::new(db.get_database_backend()).create_table_from_entity(title::Entity)).await.unwrap();
    db.execute_unprepared("INSERT INTO title VALUES (0, 'town', NULL), (1, 'capital', 'first')").await.unwrap();
    let number = |column: keyset::Column| column.number();
    let [people, rank] = [Column::People, Column::Rank].map(|column| number(column.into()));
    let [text, note] = [title::Column::Text, title::Column::Note].map(|column| number(column.into()));
    let join = Join::new::<title::Entity>("t1", Column::Rank, title::Column::Rank);
    let (table, models) = (Table::of::<City>(), Models::<City>::default());
    let (cities, titles) = (RowLayout::of(&table), RowLayout::joined(&join));
    let page = Page::first(&Order::of::<City>([]).unwrap(), 12);

    let some = ColumnSet::of(people) | ColumnSet::of(rank);
    for of_title in [ColumnSet::default(), ColumnSet::of(text), ColumnSet::of(note)] {
        statements.take();
        let query = select(&table, some);
        let slice =
            fetch_rows(&db, query, &page, &[join.of_columns(of_title)], &StatementCache::default()).await.unwrap();
        let sql = statements.take().remove(0).sql;
        assert!(!sql.contains("river") && sql.contains("t1.text") == of_title.contains(text), "{sql}");
        // A text is never NULL, so it tells whether there is a title. Otherwise its key does.
        assert_eq!(sql.contains("t1.rank"), !of_title.contains(text), "{sql}");
        let (mut city_rows, mut title_rows) = (cities.reader_of(some), titles.reader_of(of_title));
        for (row, city) in slice.rows.iter().zip(in_order()) {
            let found = city_rows.row(&row.item).unwrap().unwrap();
            assert_eq!(found.value(people, Kind::BigInt).unwrap(), city.people.into());
            assert_eq!(found.value(rank, Kind::SmallInt).unwrap(), city.rank.into());
            assert_eq!(found.get(0), StoredValue::Null);
            assert!(found.value(0, Kind::Int).is_err() && models.model(&found).is_err());
            let title = title_rows.row(&row.item).unwrap();
            assert_eq!(title.is_some(), city.rank < 2, "of a city of rank {}", city.rank);
            let read = title.map(|title| title.value(text, Kind::Text).ok());
            let expected = ["town", "capital"].get(usize::try_from(city.rank).unwrap());
            assert_eq!(read, expected.map(|title| of_title.contains(text).then(|| (*title).into())));
        }
    }
    let all = select(&table, ColumnSet::ALL);
    assert_eq!(QueryTrait::as_query(&all), QueryTrait::as_query(&City::find()));
}

/// Two uses of a join, one of which does not read what tells whether there is a row.
#[tokio::test]
async fn each_use_of_a_join_knows_the_rows_that_are_absent() {
    let (_test, db, statements) = atlas::recorded().await;
    db.execute(&Schema::new(db.get_database_backend()).create_table_from_entity(title::Entity)).await.unwrap();
    db.execute_unprepared("INSERT INTO title VALUES (0, 'town', NULL), (1, 'capital', 'first')").await.unwrap();
    let join = Join::new::<title::Entity>("t1", Column::Rank, title::Column::Rank);
    let (layout, page) = (RowLayout::joined(&join), Page::first(&Order::of::<City>([]).unwrap(), 12));
    let [text, note] =
        [title::Column::Text, title::Column::Note].map(|column| ColumnSet::of(keyset::Column::from(column).number()));
    let texts = StatementCache::default();
    for (uses, placement) in [[text, note], [note, text], [text, ColumnSet::default()]]
        .into_iter()
        .flat_map(|uses| [(uses, Placement::Here), (uses, Placement::Distributed)])
    {
        let mut joined = join.of_columns(uses[0]);
        joined.read_also(uses[1]);
        let through = Through { db: db.clone(), is_reversed: false, placement };
        statements.take();
        let slice = fetch_rows(&through, City::find(), &page, &[joined], &texts).await.unwrap();
        let looks_up =
            statements.take().iter().any(|statement| statement.sql.contains(r#"IN (SELECT "rank" FROM "r")"#));
        let is_postgres = db.get_database_backend() == DbBackend::Postgres;
        assert_eq!(looks_up, is_postgres && placement == Placement::Distributed);
        for of_use in uses {
            let mut rows = layout.reader_of(of_use);
            let found = slice.rows.iter().map(|row| rows.row(&row.item).unwrap().is_some());
            let expected: Vec<bool> = in_order().iter().map(|city| city.rank < 2).collect();
            assert_eq!(found.collect::<Vec<_>>(), expected, "{of_use:?} of {uses:?}");
        }
    }
}

/// Where each column that is read can be NULL, it is read with its model: otherwise it could not be told from an absent one.
#[tokio::test]
async fn a_row_that_is_found_by_a_column_without_a_kind_is_there() {
    let (_test, db, _) = atlas::recorded().await;
    db.execute(&Schema::new(db.get_database_backend()).create_table_from_entity(country::Entity)).await.unwrap();
    db.execute_unprepared("INSERT INTO country VALUES ('de', NULL); UPDATE city SET river = 'de' WHERE id < 6")
        .await
        .unwrap();
    let join = Join::new::<country::Entity>("t1", Column::River, country::Column::Code);
    let (countries, page) =
        (Models::<country::Entity>::joined(&join), Page::first(&Order::of::<City>([]).unwrap(), 12));
    let flag = ColumnSet::of(keyset::Column::from(country::Column::Flag).number());
    let slice =
        fetch_rows(&db, City::find(), &page, &[join.of_columns(flag)], &StatementCache::default()).await.unwrap();
    let mut countries = countries.reader_of(flag);
    let found: Vec<Option<country::Model>> = slice.rows.iter().map(|row| countries.read(&row.item).unwrap()).collect();
    assert_eq!(found.iter().flatten().count(), 6, "{found:?}");
}

/// The cities by id.
fn in_order() -> Vec<atlas::Model> {
    let mut cities = atlas::cities();
    cities.sort_by_key(|city| city.id);
    cities
}

/// A joined column is named `cake_id` here, as the column by which the fruits are in order.
#[tokio::test]
async fn a_joined_column_may_have_the_name_of_a_key() {
    use sea_orm::tests_cfg::{cake, fruit};

    let test = TestDb::new().await;
    let db = test.connect().await;
    for sql in [
        "CREATE TABLE cake (id integer PRIMARY KEY, name text NOT NULL)",
        "CREATE TABLE fruit (id integer PRIMARY KEY, name text NOT NULL, cake_id integer)",
        "INSERT INTO cake VALUES (1, 'a'), (2, 'b'), (3, 'c')",
        "INSERT INTO fruit VALUES (1, 'a', 3), (2, 'b', 1), (3, 'c', 2)",
    ] {
        db.execute_unprepared(sql).await.unwrap();
    }

    let order = Order::of::<fruit::Entity>([Sort::asc(fruit::Column::CakeId)]).unwrap();
    let join = Join::new::<cake::Entity>("cake", fruit::Column::Id, cake::Column::Id);
    let (mut found, mut after) = (Vec::new(), None);
    for _ in 0..3 {
        let page = Page::new(&Args { first: Some(1), after, ..Args::default() }, &order, Limits::default()).unwrap();
        let slice =
            fetch_rows(&db, fruit::Entity::find(), &page, std::slice::from_ref(&join), &StatementCache::default())
                .await
                .unwrap();
        found.push((slice.rows[0].key.values().to_vec(), slice.has_next));
        after = Some(order.seal(&slice.rows[0].key).unwrap().into());
    }
    let key = |of_cake: i32, id: i32| vec![Some(of_cake).into(), id.into()];
    assert_eq!(found, [(key(1, 2), true), (key(2, 3), true), (key(3, 1), false)]);
}

mod genre {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
    #[sea_orm(rs_type = "String", db_type = "Enum", enum_name = "kind")]
    pub enum Kind {
        #[sea_orm(string_value = "folk")]
        Folk,
        #[sea_orm(string_value = "rock")]
        Rock,
    }

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "genre")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub kind: Kind,
        pub name: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// The value of a row that is known is a text. PostgreSQL compares no text with an enum.
#[tokio::test]
async fn l2_an_enum_of_a_known_row_finds_its_relation() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    let is_postgres = db.get_database_backend() == DbBackend::Postgres;
    let (create, ty) = if is_postgres { ("CREATE TYPE kind AS ENUM ('rock', 'folk');", "kind") } else { ("", "text") };
    let rows = "INSERT INTO genre VALUES ('rock', 'a'), ('folk', 'b')";
    db.execute_unprepared(&format!("{create} CREATE TABLE genre (kind {ty} PRIMARY KEY, name text NOT NULL); {rows}"))
        .await
        .unwrap();
    let join = Join::new::<genre::Entity>("genre_1", genre::Column::Kind, genre::Column::Kind);
    let record =
        find_related(&db, [(genre::Column::Kind, Value::from("folk"))], std::slice::from_ref(&join)).await.unwrap();
    let (layout, name) = (RowLayout::joined(&join), keyset::Column::from(genre::Column::Name));
    let row = layout.reader_of(ColumnSet::of(name.number())).row(&record).unwrap().unwrap();
    assert_eq!(row.get(name.number()), StoredValue::Text("b"));
}
