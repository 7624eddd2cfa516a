//! Every kind of value is read from a row, written to a cursor and bound to a statement, on both databases.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "one number makes a value of each kind"
)]

use keyset::{Args, CursorError, Direction, Key, KeyError, Limits, Nulls, Order, Page, PageError, Sort, fetch};
use sea_orm::prelude::*;
use sea_orm::sea_query::NullOrdering;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, IntoActiveModel, Iterable, QueryOrder, Schema};
use testdb::TestDb;

mod specimen {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "specimen")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub flag: Option<bool>,
        pub small: Option<i16>,
        pub int: Option<i32>,
        pub big: Option<i64>,
        pub single: Option<f32>,
        pub double: Option<f64>,
        #[sea_orm(column_type = "Decimal(Some((16, 4)))", nullable)]
        pub price: Option<Decimal>,
        pub text: Option<String>,
        pub bytes: Option<Vec<u8>>,
        pub date: Option<Date>,
        pub time: Option<Time>,
        pub date_time: Option<DateTime>,
        pub instant: Option<DateTimeUtc>,
        pub key: Option<Uuid>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

use specimen::{Column, Entity, Model};

/// The extremes, the neighbours of zero, a tie, and two rows of NULLs.
fn specimens(backend: DbBackend) -> Vec<Model> {
    let row = |id, text: &str, instant: &str, price: &str, number: i64| {
        let instant: DateTimeUtc = instant.parse().unwrap();
        // PostgreSQL stores microseconds, SQLite nanoseconds.
        let nanos = if backend == DbBackend::Postgres { 0 } else { number % 1000 };
        let instant = instant + std::time::Duration::from_nanos(nanos.unsigned_abs());
        Model {
            id,
            flag: Some(number % 2 == 0),
            small: Some(number as i16),
            int: Some(number as i32),
            big: Some(number),
            single: Some(number as f32 / 3.0),
            double: Some(number as f64 / 3.0),
            price: Some(price.parse().unwrap()),
            text: Some(text.into()),
            bytes: Some(text.bytes().rev().collect()),
            date: Some(instant.date_naive()),
            time: Some(instant.time()),
            date_time: Some(instant.naive_utc()),
            instant: Some(instant),
            key: Some(Uuid::from_u128(u128::from(number.unsigned_abs()) << 64)),
        }
    };
    let null = |id| Model {
        id,
        flag: None,
        small: None,
        int: None,
        big: None,
        single: None,
        double: None,
        price: None,
        text: None,
        bytes: None,
        date: None,
        time: None,
        date_time: None,
        instant: None,
        key: None,
    };
    let mut rows = vec![
        row(1, "", "2021-10-25T22:00:00Z", "0", 0),
        row(2, "a", "2021-10-25T22:00:00.000001Z", "0.0001", 1),
        row(3, "a", "2021-10-25T22:00:00.5Z", "-0.0001", -1),
        row(4, "zz", "1969-12-31T23:59:59.999999Z", "99999999999.9999", i64::MAX),
        row(5, "z", "9999-12-31T23:59:59Z", "-99999999999.9999", i64::MIN),
        row(6, "ä", "2000-02-29T12:34:56.789Z", "12.34", 1_000_001),
        row(7, "日本", "2000-02-29T12:34:56.789Z", "12.34", 1_000_001),
        null(8),
        null(9),
    ];
    rows[4].double = Some(f64::NEG_INFINITY);
    rows[3].single = Some(f32::INFINITY);
    rows[2].double = Some(-0.0);
    rows[3].double = Some(0.1 + 0.2);
    if backend == DbBackend::Postgres {
        rows[5].double = Some(f64::NAN);
        rows[6].single = Some(f32::NAN);
    }
    rows
}

/// The table, with the specimens in it.
async fn filled(test: &TestDb) -> DatabaseConnection {
    let db = test.connect().await;
    let backend = db.get_database_backend();
    db.execute(&Schema::new(backend).create_table_from_entity(Entity)).await.unwrap();
    let rows = specimens(backend).into_iter().map(IntoActiveModel::into_active_model);
    Entity::insert_many(rows).exec(&db).await.unwrap();
    db
}

/// The ids from one end to the other, read in pages of one row.
async fn walk(db: &DatabaseConnection, order: &Order, forward: bool) -> Vec<i32> {
    let (mut ids, mut cursor) = (Vec::new(), None);
    // If a cursor did not find its own row, the loop would not end.
    while ids.len() < 100 {
        let args = if forward {
            Args { first: Some(1), after: cursor, ..Args::default() }
        } else {
            Args { last: Some(1), before: cursor, ..Args::default() }
        };
        let slice = fetch(db, Entity::find(), &Page::new(&args, order, Limits::default()).unwrap()).await.unwrap();
        let row = &slice.rows[0];
        ids.push(row.item.id);
        cursor = Some(order.seal(&row.key).unwrap().into());
        if !(if forward { slice.has_next } else { slice.has_previous }) {
            break;
        }
    }
    if !forward {
        ids.reverse();
    }
    ids
}

#[tokio::test]
async fn c1_every_kind_is_walked_both_ways() {
    let test = TestDb::new().await;
    let db = filled(&test).await;

    for column in Column::iter() {
        for direction in [Direction::Asc, Direction::Desc] {
            for nulls in [Nulls::First, Nulls::Last] {
                let order = Order::of::<Entity>([Sort::column(column, direction).nulls(nulls)]).unwrap();
                let null_order = if nulls == Nulls::First { NullOrdering::First } else { NullOrdering::Last };
                let list = Entity::find()
                    .order_by_with_nulls(column, direction.into(), null_order)
                    .order_by(Column::Id, direction.into())
                    .all(&db)
                    .await
                    .unwrap();
                let list: Vec<i32> = list.iter().map(|row| row.id).collect();
                assert_eq!(walk(&db, &order, true).await, list, "forward, {order}");
                assert_eq!(walk(&db, &order, false).await, list, "backward, {order}");
            }
        }
    }
}

/// An inserted model and the model that is read back have the same key.
#[tokio::test]
async fn e3_a_model_at_hand_has_the_cursor_of_its_fetched_row() {
    let test = TestDb::new().await;
    let db = filled(&test).await;
    let inserted = specimens(db.get_database_backend());

    for column in Column::iter() {
        let order = Order::of::<Entity>([Sort::desc(column)]).unwrap();
        let page = Page::new(&Args::default(), &order, Limits::default()).unwrap();
        for row in fetch(&db, Entity::find(), &page).await.unwrap().rows {
            let fetched = order.seal(&row.key).unwrap();
            let before = inserted.iter().find(|model| model.id == row.item.id).unwrap();
            for model in [before, &row.item] {
                assert_eq!(order.seal(&Key::of(&order, model).unwrap()).unwrap(), fetched, "{order}: {model:?}");
            }
        }
    }
}

#[test]
fn a_model_has_a_key_under_columns_of_its_own_table_alone() {
    let parcel = parcel::Model { id: Uuid::from_u128(1), size: 2, town: 3 };
    let order = Order::of::<parcel::Entity>([Sort::asc(Column::Int)]).unwrap();
    assert_eq!(Key::of(&order, &parcel), Err(KeyError::NotAColumn(0)));
    let order = Order::of::<parcel::Entity>([Sort::asc(parcel::Column::Town)]).unwrap();
    assert_eq!(Key::of(&order, &parcel).unwrap().values(), [3.into(), Uuid::from_u128(1).into()]);
}

/// A field can have a wider type than the kind of its column.
#[test]
fn a_field_is_read_as_the_kind_of_its_column() {
    mod sighting {
        use sea_orm::entity::prelude::*;

        #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
        #[sea_orm(table_name = "sighting")]
        pub struct Model {
            #[sea_orm(primary_key, auto_increment = false)]
            pub id: i8,
            pub seen: DateTimeWithTimeZone,
        }

        #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
        pub enum Relation {}

        impl ActiveModelBehavior for ActiveModel {}
    }
    let seen: DateTimeWithTimeZone = "2000-02-29T12:34:56+02:00".parse().unwrap();
    let order = Order::of::<sighting::Entity>([Sort::asc(sighting::Column::Seen)]).unwrap();
    let key = Key::of(&order, &sighting::Model { id: 7, seen }).unwrap();
    assert_eq!(key.values(), [seen.to_utc().into(), 7_i16.into()]);
}

/// An expression has no affinity: on SQLite a decimal bound as text would be larger than every number.
#[tokio::test]
async fn a_decimal_expression_is_compared_as_a_number() {
    use keyset::Kind;
    use sea_orm::sea_query::ExprTrait;

    let test = TestDb::new().await;
    let db = filled(&test).await;
    let third = Sort::expression("a third of the price", Expr::col(Column::Price).div(3_i32), Kind::Decimal);
    let order = Order::of::<Entity>([third]).unwrap();
    assert_eq!(walk(&db, &order, true).await, [5, 3, 1, 2, 6, 7, 4, 8, 9]);
    assert_eq!(walk(&db, &order, false).await, [5, 3, 1, 2, 6, 7, 4, 8, 9]);
}

/// SQLite would bind NaN as NULL, and find other neighbours than PostgreSQL.
#[tokio::test]
async fn e2_a_cursor_with_nan_is_refused_where_no_row_can_have_it() {
    let test = TestDb::new().await;
    let db = filled(&test).await;
    let backend = db.get_database_backend();

    for (column, nan) in [(Column::Single, Value::from(f32::NAN)), (Column::Double, f64::NAN.into())] {
        let order = Order::of::<Entity>([Sort::asc(column)]).unwrap();
        let key = Key::new(&order, vec![nan, i32::MAX.into()]).unwrap();
        let cursor = Some(String::from(order.seal(&key).unwrap()));
        let after = Args { after: cursor.clone(), ..Args::default() };
        let before = Args { last: Some(1), before: cursor, ..Args::default() };
        for (argument, args) in [("after", after), ("before", before)] {
            let page = Page::new(&args, &order, Limits::default()).unwrap();
            let error = PageError::Cursor { argument, error: CursorError::NotStored(0) };
            if backend == DbBackend::Sqlite {
                assert!(matches!(fetch(&db, Entity::find(), &page).await, Err(DbErr::Type(_))));
                assert_eq!(page.on(backend).unwrap_err(), error);
            } else {
                let slice = fetch(&db, Entity::find(), &page.on(backend).unwrap()).await.unwrap();
                // Rows with a number, the row with NaN, and those with NULL, which come last.
                let found: Vec<i32> = slice.rows.iter().map(|row| row.item.id).collect();
                let nan = if matches!(column, Column::Single) { 7 } else { 6 };
                assert_eq!(found, if argument == "after" { vec![8, 9] } else { vec![nan] });
                assert_eq!((slice.has_previous, slice.has_next), (true, argument == "before"));
            }
        }
    }
}

/// An infinite date of PostgreSQL is an infinite double, which no date has the bytes of.
#[test]
fn e2_a_cursor_of_dates_has_infinite_doubles_and_no_others() {
    use base64::Engine;
    use keyset::{Scalar, write_value};

    for column in [Column::Date, Column::DateTime, Column::Instant] {
        let order = Order::of::<Entity>([Sort::desc(column)]).unwrap();
        let text = |double: f64| {
            let mut bytes = [&[1], &order.fingerprint().to_be_bytes()[..]].concat();
            for value in [Scalar::Double(double), Scalar::Int(7)] {
                write_value(&value, &mut bytes).unwrap();
            }
            base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(bytes)
        };
        for infinite in [f64::INFINITY, f64::NEG_INFINITY] {
            let key = Key::new(&order, vec![infinite.into(), 7.into()]).unwrap();
            assert_eq!(order.seal(&key).unwrap().as_str(), text(infinite), "{order}");
            assert_eq!(order.open(&text(infinite)), Ok(key), "{order}");
        }
        for other in [0.0, f64::MAX, f64::NAN] {
            assert_eq!(Key::new(&order, vec![other.into(), 7.into()]), Err(KeyError::Type(0)), "{order} {other}");
            assert_eq!(order.open(&text(other)), Err(CursorError::Type(0)), "{order} {other}");
        }
    }
    for column in [Column::Time, Column::Price, Column::Int] {
        let order = Order::of::<Entity>([Sort::asc(column)]).unwrap();
        assert_eq!(Key::new(&order, vec![f64::INFINITY.into(), 7.into()]), Err(KeyError::Type(0)), "{order}");
    }
}

/// SQLite returns an integer if an expression results in one. PostgreSQL never does.
#[tokio::test]
async fn a_double_that_came_out_whole_is_read() {
    use keyset::Kind;

    let test = TestDb::new().await;
    let db = filled(&test).await;
    let int =
        if db.get_database_backend() == DbBackend::Postgres { "CAST(\"int\" AS double precision)" } else { "\"int\"" };
    let order = Order::of::<Entity>([Sort::expression("int as a double", Expr::cust(int), Kind::Double)]).unwrap();
    // The two extremes of 64 bits are -1 and 0 in 32.
    assert_eq!(walk(&db, &order, true).await, [3, 4, 1, 5, 2, 6, 7, 8, 9]);
    assert_eq!(walk(&db, &order, false).await, [3, 4, 1, 5, 2, 6, 7, 8, 9]);
}

/// On SQLite, a row value that ends in a UUID is used, and one that ends in an integer is not.
#[tokio::test]
async fn c_a_key_of_bytes_is_walked_as_exactly_as_one_of_integers() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    let table = Schema::new(db.get_database_backend()).create_table_from_entity(parcel::Entity);
    db.execute(&table).await.unwrap();
    let parcel =
        |n: u128| parcel::Model { id: Uuid::from_u128(n * 7 % 12), size: (n % 3) as i32, town: (n % 4) as i32 };
    let parcels: Vec<parcel::Model> = (0..12).map(parcel).collect();
    let rows = parcels.iter().cloned().map(IntoActiveModel::into_active_model);
    parcel::Entity::insert_many(rows).exec(&db).await.unwrap();

    for (size, town) in [(1, 1), (-1, -1), (1, -1), (-1, 1)] {
        let way = |sign| if sign > 0 { Direction::Asc } else { Direction::Desc };
        let sorts = [Sort::column(parcel::Column::Size, way(size)), Sort::column(parcel::Column::Town, way(town))];
        let order = Order::of::<parcel::Entity>(sorts).unwrap();
        let mut list = parcels.clone();
        list.sort_by_key(|row| (row.size * size, row.town * town, row.id));
        if town < 0 {
            list.sort_by_key(|row| (row.size * size, row.town * town, std::cmp::Reverse(row.id)));
        }
        let cursor = |row: &parcel::Model| {
            let key = keyset::Key::new(&order, vec![row.size.into(), row.town.into(), row.id.into()]).unwrap();
            Some(String::from(order.seal(&key).unwrap()))
        };
        for (place, row) in list.iter().enumerate() {
            for asked in 0..=12_usize {
                let forward = Args { first: i64::try_from(asked).ok(), after: cursor(row), ..Args::default() };
                let page = Page::new(&forward, &order, Limits::default()).unwrap();
                let slice = fetch(&db, parcel::Entity::find(), &page).await.unwrap();
                let found: Vec<_> = slice.rows.into_iter().map(|row| row.item).collect();
                let rest = &list[place + 1..];
                assert_eq!(found, rest[..asked.min(rest.len())], "{order}");
                assert_eq!((slice.has_previous, slice.has_next), (true, rest.len() > asked), "{order}");

                let backward = Args { last: i64::try_from(asked).ok(), before: cursor(row), ..Args::default() };
                let page = Page::new(&backward, &order, Limits::default()).unwrap();
                let slice = fetch(&db, parcel::Entity::find(), &page).await.unwrap();
                let found: Vec<_> = slice.rows.into_iter().map(|row| row.item).collect();
                assert_eq!(found, list[place.saturating_sub(asked)..place], "{order}");
                assert_eq!((slice.has_previous, slice.has_next), (place > asked, true), "{order}");
            }
        }
    }
}

mod parcel {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "parcel")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: Uuid,
        pub size: i32,
        pub town: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}
