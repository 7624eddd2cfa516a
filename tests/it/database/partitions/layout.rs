//! The documented SQL, and shops whose tables it has partitioned.

use bookends_server::db::Db;
use bookshop::seed::Plan;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend};

use crate::support::documents::read;
use crate::support::shop::Shop;

/// How the documents partition the tables.
#[derive(Clone, Copy, Debug)]
pub enum Layout {
    Hash,
    Range,
}

pub const ALL: [Layout; 2] = [Layout::Hash, Layout::Range];

/// How many partitions both layouts have.
pub const PARTITIONS: u64 = 4;

impl Layout {
    /// The SQL of the document. Its years have no rows of a seed, which are some minutes or days of January 2022.
    fn sql(self, starts: [&str; 3]) -> String {
        match self {
            Self::Hash => read("docs/partitions/hash.sql"),
            Self::Range => {
                let years = ["2025-01-01Z", "2026-01-01Z", "2027-01-01Z"];
                years.iter().zip(starts).fold(read("docs/partitions/range.sql"), |sql, (year, start)| {
                    assert!(sql.contains(year), "the document has no {year}");
                    sql.replace(year, start)
                })
            }
        }
    }

    /// Partitions both tables.
    pub async fn apply(self, db: &DatabaseConnection, starts: [&str; 3]) {
        run(db, &read("docs/partitions/procedures.sql")).await;
        self.again(db, starts).await;
    }

    /// Partitions both tables where the procedures are installed.
    pub async fn again(self, db: &DatabaseConnection, starts: [&str; 3]) {
        run(db, &self.sql(starts)).await;
    }

    /// A shop with partitioned tables; `None` on SQLite.
    pub async fn shop(self, plan: Plan) -> Option<Shop> {
        let shop = Shop::new(plan).await;
        if !is_postgres(&shop.db) {
            return None;
        }
        self.apply(&shop.test.connect().await, starts(plan.ratings)).await;
        Some(shop)
    }
}

/// The times of a third and of two thirds of this many rows, of which each minute has one, and one of no row.
fn starts(rows: u64) -> [&'static str; 3] {
    if rows < 1_000 {
        ["2022-01-01 00:15Z", "2022-01-01 00:30Z", "2027-01-01Z"]
    } else {
        ["2022-01-08Z", "2022-01-15Z", "2027-01-01Z"]
    }
}

pub fn is_postgres(db: &Db) -> bool {
    let is_postgres = db.writer.get_database_backend() == DbBackend::Postgres;
    if !is_postgres {
        println!("skipped: SQLite has no partitions");
    }
    is_postgres
}

/// Runs each statement by itself: a procedure ends transactions of its own. A statement ends with a line, outside of the
/// body of a function.
pub async fn run(db: &DatabaseConnection, sql: &str) {
    let mut statement = String::new();
    for line in sql.lines() {
        statement.push_str(line);
        statement.push('\n');
        if line.ends_with(';') && statement.matches("$$").count().is_multiple_of(2) {
            db.execute_unprepared(&statement).await.unwrap_or_else(|error| panic!("{error}: {statement}"));
            statement.clear();
        }
    }
    assert_eq!(statement.trim(), "", "a statement has no end");
}
