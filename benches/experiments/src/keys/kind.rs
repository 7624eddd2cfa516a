//! The kinds of keys, and how the databases and the server make them.

use migration::{Migrator, MigratorTrait};
use uuid::Uuid;

use crate::{Database, Error};

/// A kind of keys.
#[derive(Clone, Copy)]
pub struct Kind {
    pub name: &'static str,
    /// A name for tables.
    pub id: &'static str,
    /// What makes a key on PostgreSQL.
    postgres: &'static str,
    /// What makes a key on SQLite, if the row has no number for it.
    sqlite: Option<&'static str>,
    /// The type on PostgreSQL and on SQLite.
    types: [&'static str; 2],
    /// Makes so many in the server. Returns how many are greater than the one before.
    pub serve: fn(u64) -> Result<u64, Error>,
}

/// SQLite has one time for all rows of a statement.
const MILLIS_SQLITE: &str = "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)";

pub const KINDS: [Kind; 4] = [
    Kind {
        name: "UUIDv4",
        id: "v4",
        postgres: "gen_random_uuid()",
        sqlite: Some(
            "unhex(format('%s4%.3s%x%.15s', hex(randomblob(6)), hex(randomblob(2)), 8 | (random() & 3), \
             hex(randomblob(8))))",
        ),
        types: UUID,
        serve: |number| ascending(number, || Ok(Uuid::new_v4())),
    },
    Kind {
        name: "UUIDv7",
        id: "v7",
        postgres: "uuidv7()",
        sqlite: Some(
            "unhex(format('%012x7%.3s%x%.15s', {millis}, hex(randomblob(2)), 8 | (random() & 3), hex(randomblob(8))))",
        ),
        types: UUID,
        serve: |number| ascending(number, || Ok(entity::id::next())),
    },
    Kind {
        name: "ULID",
        id: "ulid",
        postgres: "bookends_ulid()",
        sqlite: Some("unhex(format('%012x%s', {millis}, hex(randomblob(10))))"),
        types: UUID,
        serve: |number| {
            let mut generator = ulid::Generator::new();
            ascending(number, || Ok(generator.generate()?))
        },
    },
    Kind {
        name: "bigint",
        id: "bigint",
        postgres: "nextval('keys')",
        sqlite: None,
        types: ["bigint", "INTEGER"],
        serve: |number| {
            let next = std::sync::atomic::AtomicU64::new(0);
            ascending(number, || Ok(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)))
        },
    },
];

const UUID: [&str; 2] = ["uuid", "BLOB"];

impl Kind {
    /// The expression that makes a key, if the database has one.
    pub fn generator(self, database: &Database) -> Option<String> {
        let sqlite = self.sqlite.map(|text| text.replace("{millis}", MILLIS_SQLITE));
        database.choose(sqlite, Some(self.postgres.to_owned()))
    }

    /// The type of a column with such keys.
    pub fn column_type(self, database: &Database) -> &'static str {
        database.choose(self.types[1], self.types[0])
    }
}

fn ascending<K: PartialOrd>(number: u64, mut next: impl FnMut() -> Result<K, Error>) -> Result<u64, Error> {
    let (mut before, mut greater) = (next()?, 0);
    for _ in 1..number {
        let key = next()?;
        greater += u64::from(key > before);
        before = key;
    }
    Ok(greater)
}

/// Creates the generators of PostgreSQL.
pub async fn prepare(database: &Database) -> Result<(), Error> {
    // Where it is not PostgreSQL's own, `uuidv7()` is a function of the schema of the shop, as `bookends_ulid()` is.
    Migrator::up(&database.db, None).await?;
    if database.file().is_none() {
        database.run("CREATE SEQUENCE keys").await?;
    }
    Ok(())
}
