//! The lists of the guarded requests over tables with integer keys, which nothing declares but their entities; and the same under
//! a rule that shows the rows of one tenant. Each request is of another tenant than the last one.

#![expect(clippy::disallowed_methods, reason = "the derived relations bring a `paginate` that nobody calls")]

use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use bookends_server::{App, Application, Declaring};

pub mod book {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "book")]
    pub struct Model {
        #[sea_orm(primary_key)]
        pub id: i32,
        pub tenant: i32,
        pub name: String,
        #[sea_orm(has_many)]
        pub ratings: HasMany<super::rating::Entity>,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod rating {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "rating")]
    pub struct Model {
        #[sea_orm(primary_key)]
        pub id: i32,
        pub tenant: i32,
        pub rating: i16,
        pub book_id: i32,
        #[sea_orm(belongs_to, from = "book_id", to = "id")]
        pub book: BelongsTo<super::book::Entity>,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

/// As of the shop, every tenth book has no ratings. The second tenant has four rows before those of the first, and the others after them.
const TABLES: &str = "
    CREATE TABLE book (id integer PRIMARY KEY, tenant integer NOT NULL, name text NOT NULL);
    CREATE TABLE rating (id integer PRIMARY KEY, tenant integer NOT NULL, rating smallint NOT NULL,
        book_id integer NOT NULL REFERENCES book);
    CREATE INDEX book_of_tenant ON book (tenant, id);
    CREATE INDEX rating_of_tenant ON rating (tenant, id);
    CREATE INDEX rating_of_book ON rating (book_id, id);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 124)
        INSERT INTO book (id, tenant, name)
        SELECT i, CASE WHEN i BETWEEN 5 AND 64 THEN 1 ELSE 2 END, 'The Meadow and the Ninth ' || i FROM n;
    WITH RECURSIVE n (i, tenant) AS (
        SELECT 1, 2 UNION ALL SELECT i + 1, CASE WHEN i BETWEEN 4 AND 2003 THEN 1 ELSE 2 END FROM n WHERE i < 4004)
        INSERT INTO rating (id, tenant, rating, book_id)
        SELECT i, tenant, i % 5 + 1, i % 54 * 10 / 9 + 60 * tenant - 55 FROM n;
";

/// Who asks.
struct Viewer {
    tenant: i32,
}

/// The tenant of the next request, which is not that of the last one.
fn next_tenant() -> i32 {
    static REQUESTS: AtomicI32 = AtomicI32::new(0);
    1 + REQUESTS.fetch_add(1, Relaxed) % 2
}

/// The application.
pub fn application() -> Application {
    application_of(false)
}

/// The same, which shows a viewer the rows of their tenant.
pub fn of_tenants() -> Application {
    application_of(true)
}

fn application_of(has_tenants: bool) -> Application {
    let mut tables = Declaring::new("Query");
    tables.entity::<book::Entity>();
    tables.entity::<rating::Entity>();
    if has_tenants {
        tables.change("Book", |books| {
            books.rule_by(book::Column::Tenant, |viewer: &Viewer| Some(viewer.tenant));
        });
        tables.change("Rating", |ratings| {
            ratings.rule_by(rating::Column::Tenant, |viewer: &Viewer| Some(viewer.tenant));
        });
    }
    let app = App::new("integers", "0", tables).migration("m0001_tables", TABLES);
    let app = if has_tenants { app.viewer(|_| Ok(Viewer { tenant: next_tenant() })) } else { app };
    app.check().expect("a declaration")
}
