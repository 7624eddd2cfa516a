//! Books with their orders and sums: the tables of the shop, with the indexes that these experiments use.

use keyset::{Order, Sort};

use crate::{Bench, Error};

pub mod book {
    //! The books.

    use sea_orm::entity::prelude::*;

    /// A book.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "book")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: Uuid,
        pub name: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod book_stats {
    //! What the orders of each book add up to.

    use sea_orm::entity::prelude::*;

    /// The sums of a book.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "book_stats")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub book_id: Uuid,
        pub revenue: Option<i64>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// The order of the best sellers.
pub fn by_revenue() -> Result<Order, Error> {
    Ok(Order::of::<book_stats::Entity>([Sort::desc(book_stats::Column::Revenue)])?)
}

/// Creates a book and an order for each row. Some books have no order, some have many.
pub async fn fill(bench: &Bench) -> Result<(), Error> {
    let rows = bench.rows;
    for database in &bench.databases {
        let key = |number: &str| {
            database
                .choose(format!("unhex(printf('%032x', {number}))"), format!("lpad(to_hex({number}), 32, '0')::uuid"))
        };
        let (id, clustered) = database.choose(("BLOB", " WITHOUT ROWID"), ("uuid", ""));
        let numbers = database.numbers(1, rows);
        for sql in [
            format!("CREATE TABLE book (id {id} NOT NULL PRIMARY KEY, name text NOT NULL){clustered}"),
            format!(
                "CREATE TABLE book_order (id {id} NOT NULL PRIMARY KEY, book_id {id} NOT NULL, cents integer NOT NULL)
                 {clustered}"
            ),
            format!("CREATE TABLE book_stats (book_id {id} NOT NULL PRIMARY KEY, revenue bigint){clustered}"),
            format!("INSERT INTO book SELECT {}, 'The book with the number ' || n FROM {numbers}", key("n")),
            format!(
                "INSERT INTO book_order SELECT {}, {}, 500 + n * 7919 % 29500 FROM {numbers}",
                key("n"),
                key(&format!("(n * n % {rows} + 1)"))
            ),
            "CREATE INDEX book_order_of_book ON book_order (book_id, id)".to_owned(),
            "INSERT INTO book_stats SELECT id, (SELECT sum(cents) FROM book_order WHERE book_id = book.id) FROM book"
                .to_owned(),
            "CREATE INDEX book_stats_by_revenue ON book_stats (revenue, book_id)".to_owned(),
        ] {
            database.run(&sql).await?;
        }
        // The bracket reads NULLs and values apart. On PostgreSQL, `OFFSET` needs this index.
        let sql = "CREATE INDEX book_stats_by_revenue_nulls_last ON book_stats (revenue DESC NULLS LAST, book_id DESC)";
        if let Some(sql) = database.choose(None, Some(sql)) {
            database.run(sql).await?;
        }
        database.settle().await?;
    }
    Ok(())
}
