//! Connections of a user's own: [`ReadRows`].

use keyset::{
    Direction, End, Key, Lists, Nulls, Order, Page, Placement, ReadRows, Record, Sort, StatementCache, fetch,
    fetch_rows,
};
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, EntityTrait, Statement};
use testdb::{Statements, TestDb};

use crate::atlas::{self, City, Column};
use crate::exactness::{LIMITS, args, bounds, places};

/// A connection that answers as it is told.
pub struct Through {
    pub db: DatabaseConnection,
    /// Whether the last row comes first.
    pub is_reversed: bool,
    pub placement: Placement,
}

#[async_trait]
impl ReadRows for Through {
    fn backend(&self) -> DbBackend {
        ReadRows::backend(&self.db)
    }

    fn placement(&self) -> Placement {
        self.placement
    }

    async fn read(&self, statement: Statement) -> Result<Vec<Record>, DbErr> {
        let mut rows = self.db.read(statement).await?;
        if self.is_reversed {
            rows.reverse();
        }
        Ok(rows)
    }
}

/// Compares pages of one list, and of a list for each parent, with those of SeaORM's connection. The texts of the two are kept
/// together.
async fn check(through: &Through, order: &Order) {
    let db = &through.db;
    let places = places(db, order).await;
    for lists in [Lists::one(City::find()), Lists::per_parent(City::find(), Column::Rank, [1_i16, 0, 9, 1])] {
        let texts = StatementCache::default();
        for (after, before) in bounds(&places, 2) {
            for asked in [(End::Front, 2), (End::Back, 3)] {
                let page = Page::new(&args(asked, after, before), order, LIMITS).unwrap();
                let expected = fetch(db, &lists, &page).await.unwrap();
                let direct = fetch_rows(db, &lists, &page, &[], &texts).await.unwrap();
                let found = fetch_rows(through, &lists, &page, &[], &texts).await.unwrap();
                for ((expected, direct), found) in expected.into_iter().zip(direct).zip(found) {
                    let expected = expected.map(drop);
                    assert_eq!(direct.map(drop), expected, "{order} {asked:?} {after:?} {before:?}");
                    assert_eq!(found.map(drop), expected, "{order} {asked:?} {after:?} {before:?}");
                }
            }
        }
    }
}

/// A database may return a union in any order.
#[tokio::test]
async fn rows_that_come_in_another_order_make_the_same_pages() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    atlas::create(&db, &atlas::cities()).await;
    let through = Through { db, is_reversed: true, placement: Placement::Here };
    // Other texts are put in order by the database.
    for criteria in atlas::orders_over([Column::People, Column::Age, Column::Rank], 2) {
        check(&through, &atlas::order(&criteria)).await;
    }
}

/// The river of each city begins with a capital or a small letter, which most collations do not tell apart at first.
#[tokio::test]
async fn texts_by_code_point_are_put_in_order_here() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    atlas::create(&db, &atlas::cities()).await;
    db.execute_unprepared("UPDATE city SET river = 'Elbe' WHERE river = 'elbe' AND id > 6").await.unwrap();
    if ReadRows::backend(&db) == DbBackend::Postgres {
        db.execute_unprepared("ALTER TABLE city ALTER river TYPE text COLLATE \"C\"").await.unwrap();
    }
    let through = Through { db, is_reversed: true, placement: Placement::Here };
    for rank in [Direction::Asc, Direction::Desc] {
        for river in [Direction::Asc, Direction::Desc] {
            for nulls in [Nulls::First, Nulls::Last] {
                let rivers = Sort::column(Column::River, river).nulls(nulls).by_code_point();
                let ranks = Sort::column(Column::Rank, rank);
                for sorts in [vec![rivers.clone()], vec![ranks.clone(), rivers.clone()], vec![rivers, ranks]] {
                    check(&through, &Order::of::<City>(sorts).unwrap()).await;
                }
            }
        }
    }
}

mod word {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "word")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub word: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

#[tokio::test]
async fn the_database_does_not_sort_texts_by_code_point_again() {
    let test = TestDb::new().await;
    let mut db = test.connect().await;
    db.execute_unprepared("CREATE TABLE word (word varchar(9) PRIMARY KEY)").await.unwrap();
    let statements = Statements::record(&mut db);
    for (sort, orders) in [(Sort::asc(word::Column::Word), 3), (Sort::asc(word::Column::Word).by_code_point(), 2)] {
        let order = Order::of::<word::Entity>([sort]).unwrap();
        let page = Page::first(&order, 2).after(Key::new(&order, vec!["a".into()]).unwrap()).unwrap();
        statements.take();
        fetch(&db, word::Entity::find(), &page).await.unwrap();
        let sql = statements.take().remove(0).sql;
        assert_eq!(sql.matches("ORDER BY").count(), orders, "{sql}");
    }
}

#[tokio::test]
async fn pages_are_the_same_wherever_the_tables_are() {
    let (_test, db, statements) = atlas::recorded().await;
    let is_postgres = ReadRows::backend(&db) == DbBackend::Postgres;
    let through = Through { db, is_reversed: false, placement: Placement::Foreign };
    for (placement, sorts) in [(Placement::Foreign, 2), (Placement::Distributed, 1)] {
        let through = Through { db: through.db.clone(), placement, ..through };
        for criteria in atlas::orders(sorts) {
            check(&through, &atlas::order(&criteria)).await;
        }
    }
    let compared = |statement: &Statement| statement.sql.contains(r#""city"."id") "#);
    let order = atlas::order(&[(Column::Rank, Direction::Desc, Nulls::Last)]);
    let after = places(&through.db, &order).await.swap_remove(5);
    let page = Page::new(&args((End::Front, 2), Some(&after), None), &order, LIMITS).unwrap();
    for (placement, expected) in [(Placement::Here, is_postgres), (Placement::Foreign, false)] {
        let through = Through { db: through.db.clone(), placement, ..through };
        statements.take();
        fetch_rows(&through, City::find(), &page, &[], &StatementCache::default()).await.unwrap();
        let run = statements.take();
        // SQLite does not seek an integer primary key in a row value.
        assert!(!run.is_empty() && run.iter().all(|statement| compared(statement) == expected), "{run:?}");
    }
}
