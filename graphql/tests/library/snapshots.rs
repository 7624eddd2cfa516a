//! A response shows one state of the database, whatever is written meanwhile.

use std::sync::Arc;
use std::sync::atomic::AtomicI32;
use std::sync::atomic::Ordering::Relaxed;

use async_graphql::futures_util::FutureExt as _;
use async_graphql::futures_util::future::BoxFuture;
use async_graphql::{EmptyMutation, EmptySubscription, Executor, MergedObject, Object, Schema};
use bookends_graphql::{Declaration, DeclaredQuery, Declaring, ObjectType, Reader, Snapshots};
use sea_orm::{
    ActiveValue::Set, ConnectOptions, ConnectionTrait as _, Database, DatabaseConnection, DbBackend, DbErr,
    EntityTrait, Statement,
};
use serde_json::Value;
use testdb::{Statements, TestDb};

mod leaf {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "leaf")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub tree: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

fn declaration() -> Arc<Declaration> {
    let mut leaves = ObjectType::of::<leaf::Entity>("Leaf");
    leaves.column(leaf::Column::Id).describe("The key.");
    leaves
        .resolved_of::<i32>("others", &[leaf::Column::Tree.into()], |trees, request| {
            Box::pin(async move {
                let found = keyset::find_models(request.reader(), &leaf::Entity::find()).await;
                let found = found.map_err(|error| request.reader().error(error))?;
                Ok(trees.iter().map(|_| Ok(i32::try_from(found.len()).unwrap())).collect())
            })
        })
        .describe("The number of all leaves, by code.");
    leaves.list("leaves", "Leaf", leaf::Column::Tree).describe("The leaves of the tree with this key.");
    let mut declaring = Declaring::new("Query");
    declaring.object(leaves).list("leaves", "Leaf").describe("The leaves.");
    declaring.check().unwrap()
}

#[derive(Default, MergedObject)]
struct Query(DeclaredQuery, Resolved);

#[derive(Default)]
struct Resolved;

#[Object]
impl Resolved {
    async fn one(&self) -> i32 {
        1
    }
}

/// A schema over a database with three leaves, into which another connection writes one after each page.
struct Written {
    schema: Schema<Query, EmptyMutation, EmptySubscription>,
    reader: Reader,
    statements: Statements,
    database: TestDb,
}

async fn insert(db: &DatabaseConnection, id: i32) -> std::result::Result<(), DbErr> {
    leaf::Entity::insert(leaf::ActiveModel { id: Set(id), tree: Set(1) }).exec_without_returning(db).await.map(drop)
}

impl Written {
    async fn new() -> Self {
        let next = Arc::new(AtomicI32::new(4));
        Self::meanwhile(true, move |url| {
            let id = next.fetch_add(1, Relaxed);
            Box::pin(async move {
                let db = Database::connect(url).await.unwrap();
                insert(&db, id).await.unwrap();
                db.close().await.unwrap();
            })
        })
        .await
    }

    /// The same, with this work after each page, on another connection.
    async fn meanwhile(has_log: bool, work: impl Fn(String) -> BoxFuture<'static, ()> + Send + Sync + 'static) -> Self {
        let database = TestDb::new().await;
        let mut db = database.connect().await;
        if has_log && db.get_database_backend() == DbBackend::Sqlite {
            // Otherwise who reads would stop who writes.
            db.execute_unprepared("PRAGMA journal_mode = WAL").await.unwrap();
        }
        let table = sea_orm::Schema::new(db.get_database_backend()).create_table_from_entity(leaf::Entity);
        db.execute(&table).await.unwrap();
        for id in 1..=3 {
            insert(&db, id).await.unwrap();
        }
        let (statements, url) = (Statements::record(&mut db), database.url.clone());
        let reader = Reader::new(db).on_pages_read(move |_, _, _| {
            let work = work(url.clone());
            let done = std::thread::spawn(|| {
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work);
            });
            done.join().unwrap();
        });
        let schema =
            declaration().schema(Query::default(), EmptyMutation, EmptySubscription).data(reader.clone()).finish();
        Self { schema, reader, statements, database }
    }
}

/// Whether a connection to this database has an open transaction. A file without a log cannot be written then.
async fn has_transaction(url: String) -> bool {
    let mut options = ConnectOptions::new(url);
    options.max_connections(1);
    let db = Database::connect(options).await.unwrap();
    let has_transaction = if db.get_database_backend() == DbBackend::Sqlite {
        db.execute_unprepared("PRAGMA busy_timeout = 0").await.unwrap();
        db.execute_unprepared("BEGIN EXCLUSIVE; ROLLBACK").await.is_err()
    } else {
        let others = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in %'";
        !db.query_all_raw(Statement::from_string(DbBackend::Postgres, others)).await.unwrap().is_empty()
    };
    db.close().await.unwrap();
    has_transaction
}

async fn data(schema: &impl Executor, query: &str) -> Value {
    let response = schema.execute(query.into()).await;
    assert!(response.errors.is_empty(), "{:?}", response.errors);
    response.data.into_json().unwrap()
}

const QUERY: &str = "{
    first: leaves { totalCount nodes { id } }
    leaves { totalCount nodes { others leaves { totalCount nodes { id } } } }
}";

/// The numbers of leaves that a response tells.
fn told(data: &Value) -> Vec<u64> {
    let first = &data["first"];
    let others = data["leaves"]["nodes"][0]["others"].as_u64().unwrap();
    let nested = data["leaves"]["nodes"][0]["leaves"].clone();
    let of = |list: &Value| [list["totalCount"].as_u64().unwrap(), list["nodes"].as_array().unwrap().len() as u64];
    [of(first), of(&data["leaves"]), of(&nested), [others; 2]].concat()
}

#[tokio::test]
async fn j1_every_part_of_a_response_shows_one_state_beside_a_writer() {
    let written = Written::new().await;
    // Without snapshots, it does not: what is written after a page is counted.
    let torn = told(&data(&written.schema, QUERY).await);
    assert!(torn.iter().any(|leaves| leaves != &torn[0]), "{torn:?}");
    let schema = Snapshots::new(written.schema.clone(), written.reader.clone());
    let mut before = 0;
    for _ in 0..3 {
        let leaves = told(&data(&schema, QUERY).await);
        assert!(leaves.iter().all(|number| number == &leaves[0]), "{leaves:?}");
        // The next response shows what was written meanwhile.
        assert!(leaves[0] > before);
        before = leaves[0];
    }
    drop(written.database);
}

#[tokio::test]
async fn a_response_of_one_statement_needs_no_transaction() {
    let found = Arc::new(AtomicI32::new(-1));
    let seen = Arc::clone(&found);
    let written = Written::meanwhile(false, move |url| {
        let seen = Arc::clone(&seen);
        Box::pin(async move { seen.store(has_transaction(url).await.into(), Relaxed) })
    });
    let written = written.await;
    let schema = Snapshots::new(written.schema.clone(), written.reader.clone());
    for (query, statements, transactions) in [
        ("{ leaves { nodes { id } pageInfo { hasNextPage } } }", 1, 0),
        ("{ leaves(first: 1, offset: 1) { nodes { id } } }", 2, 1),
        ("{ leaves { totalCount nodes { id } } }", 2, 1),
        ("{ leaves { nodes { id others } } }", 2, 1),
        ("{ leaves { nodes { leaves { nodes { id } } } } }", 2, 1),
        ("{ leaves { nodes { id } } other: leaves { nodes { id } } }", 2, 1),
        ("{ leaves { nodes { id } } one }", 1, 1),
    ] {
        written.statements.take();
        data(&schema, query).await;
        assert_eq!((written.statements.take().len(), found.swap(-1, Relaxed)), (statements, transactions), "{query}");
    }
    drop(written.database);
}

/// The pool has one connection.
#[tokio::test]
async fn a_snapshot_ends_with_its_response_also_if_nobody_awaits_it() {
    let written = Written::new().await;
    let schema = Snapshots::new(written.schema.clone(), written.reader.clone());
    for _ in 0..5 {
        let mut response = Box::pin(schema.execute(QUERY.into()));
        assert!(response.as_mut().now_or_never().is_none());
        drop(response);
        data(&schema, QUERY).await;
    }
    drop(written.database);
}

#[tokio::test]
#[should_panic(expected = "expected the reader of a `DatabaseConnection`")]
async fn a_reader_that_cannot_begin_transactions_is_refused() {
    let written = Written::new().await;
    let reader = written.reader.over(written.reader.clone());
    let _ = Snapshots::new(written.schema, reader);
}
