//! Connections of a user's own: [`ReadRows`].

use keyset::{Direction, End, Lists, Nulls, Page, ReadRows, Record, Texts, fetch, fetch_rows};
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{DatabaseConnection, DbBackend, DbErr, EntityTrait, Statement};
use testdb::TestDb;

use crate::atlas::{self, City, Column, Criterion};
use crate::exactness::{LIMITS, args, bounds, places};

/// A connection that answers as it is told.
struct Through {
    db: DatabaseConnection,
    /// Whether the last row comes first.
    is_reversed: bool,
    seeks_row_values: bool,
}

#[async_trait]
impl ReadRows for Through {
    fn backend(&self) -> DbBackend {
        ReadRows::backend(&self.db)
    }

    fn seeks_row_values(&self) -> bool {
        self.seeks_row_values
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
async fn check(through: &Through, criteria: &[Criterion]) {
    let (db, order) = (&through.db, atlas::order(criteria));
    let places = places(db, &order).await;
    for lists in [Lists::one(City::find()), Lists::per_parent(City::find(), Column::Rank, [1_i16, 0, 9, 1])] {
        let texts = Texts::default();
        for (after, before) in bounds(&places, 2) {
            for asked in [(End::Front, 2), (End::Back, 3)] {
                let page = Page::new(&args(asked, after, before), &order, LIMITS).unwrap();
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
    let through = Through { db, is_reversed: true, seeks_row_values: true };
    // Texts are put in order by the database.
    for criteria in atlas::orders_over([Column::People, Column::Age, Column::Rank], 2) {
        check(&through, &criteria).await;
    }
}

#[tokio::test]
async fn pages_are_the_same_where_row_values_are_not_sought() {
    let (_test, db, statements) = atlas::recorded().await;
    let is_postgres = ReadRows::backend(&db) == DbBackend::Postgres;
    let through = Through { db, is_reversed: false, seeks_row_values: false };
    for criteria in atlas::orders(2) {
        check(&through, &criteria).await;
    }
    let compared = |statement: &Statement| statement.sql.contains(r#""city"."id") "#);
    let order = atlas::order(&[(Column::Rank, Direction::Desc, Nulls::Last)]);
    let after = places(&through.db, &order).await.swap_remove(5);
    let page = Page::new(&args((End::Front, 2), Some(&after), None), &order, LIMITS).unwrap();
    for (seeks_row_values, expected) in [(true, is_postgres), (false, false)] {
        let through = Through { db: through.db.clone(), seeks_row_values, ..through };
        statements.take();
        fetch_rows(&through, City::find(), &page, &[], &Texts::default()).await.unwrap();
        let run = statements.take();
        // SQLite does not seek an integer primary key in a row value.
        assert!(!run.is_empty() && run.iter().all(|statement| compared(statement) == expected), "{run:?}");
    }
}
