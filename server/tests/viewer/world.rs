//! A database that viewers ask, and the same database without what is hidden from them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use bookends_server::async_graphql::parser::parse_query;
use bookends_server::async_graphql::{Data, EmptyMutation, EmptySubscription, MergedObject, Schema, Variables};
use bookends_server::keyset::{self, Column, ColumnSet, ReadRows, RowLayout, StoredValue, Table, TableRow};
use bookends_server::{Declaration, DeclaredQuery, Declaring, ObjectType, Plans, Reader, Visible, json};
use futures_util::FutureExt as _;
use sea_orm::sea_query::{Expr, ExprTrait, Query as Sql};
use sea_orm::{Condition, ConnectionTrait, DatabaseConnection, DatabaseTransaction, TransactionTrait, Value};
use testdb::TestDb;

use crate::documents::{Documents, Pools};
use crate::rules::{Link, Rules, Viewer};
use oracle::dice::{Dice, simpler};

#[derive(Default, MergedObject)]
struct Query(DeclaredQuery);

/// What was compared.
#[derive(Debug, Default)]
pub struct Told {
    pub compared: usize,
    /// The responses that were others than those to a viewer who sees everything.
    pub different: usize,
    /// Those with errors.
    pub failed: usize,
}

pub struct World {
    pub db: DatabaseConnection,
    database: TestDb,
    declare: fn(&Rules) -> Declaring,
    /// Counts again what the database keeps.
    kept: Option<&'static str>,
}

/// A schema with rules.
struct Served {
    declaration: Arc<Declaration>,
    schema: Schema<Query, EmptyMutation, EmptySubscription>,
}

impl Served {
    fn of(declaring: Declaring) -> Self {
        let declaration = declaring.check().unwrap();
        let schema = declaration.schema(Query::default(), EmptyMutation, EmptySubscription).finish();
        Self { declaration, schema }
    }

    /// The plans of a query, which all viewers share.
    fn plans(&self, query: &str) -> Plans {
        let document = parse_query(query).unwrap_or_else(|error| panic!("{error}: {query}"));
        Plans::of(document, Arc::clone(&self.declaration))
    }

    /// The response to a query, as text, and whether it has errors.
    async fn ask(&self, plans: &Plans, reader: &Reader, viewer: &Viewer) -> (String, bool) {
        let (_, operation) = plans.document().operations.iter().next().unwrap();
        let resolve = |_| self.schema.execute("{ __typename }").boxed();
        let mut data = Data::default();
        data.insert(viewer.clone());
        let planned = plans.query(operation);
        let response = planned.execute(reader, &Variables::default(), &data, &resolve).await;
        let mut text = Vec::new();
        json::write(&response.data, &mut text);
        let errors = serde_json::to_string(&response.errors).unwrap();
        assert!(!errors.contains("INTERNAL"), "{errors}");
        (format!("{}\n{errors}", String::from_utf8(text).unwrap()), !response.errors.is_empty())
    }
}

impl World {
    pub async fn new(declare: fn(&Rules) -> Declaring) -> Self {
        let database = TestDb::new().await;
        let db = database.connect().await;
        Self { db, database, declare, kept: None }
    }

    /// The same with what keeps its counts.
    pub fn keeping(self, kept: &'static str) -> Self {
        Self { kept: Some(kept), ..self }
    }

    pub fn url(&self) -> &str {
        &self.database.url
    }

    /// Some rows of each table.
    pub async fn samples(&self, objects: &[&ObjectType]) -> HashMap<String, Vec<Vec<Value>>> {
        let mut samples = HashMap::new();
        for object in objects {
            samples.insert(object.table().name().to_owned(), rows(&self.db, object.table(), None, 40).await);
        }
        samples
    }

    pub fn is_sqlite(&self) -> bool {
        self.db.get_database_backend() == sea_orm::DbBackend::Sqlite
    }

    /// Loads a database that others made; false if the folder with it is absent.
    pub async fn load(&self, name: &str) -> bool {
        let kind = if self.is_sqlite() { "sqlite" } else { "postgres" };
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
        let file = folder.join(format!("{name}.{kind}.sql"));
        let Ok(sql) = std::fs::read_to_string(&file) else {
            eprintln!("skipped: {} is absent", file.display());
            return false;
        };
        if self.is_sqlite() {
            self.db.execute_unprepared(&sql).await.unwrap();
        } else {
            let mut psql = Command::new("psql");
            psql.args(["-qX", "-v", "ON_ERROR_STOP=1", "-f"]).arg(&file).arg(&self.database.url);
            let output = psql.output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        true
    }

    /// Keeps PostgreSQL's statistics as they are: estimates in responses change with them, and autovacuum analyzes when it likes.
    async fn settle(&self) {
        if self.is_sqlite() {
            return;
        }
        let sql = "DO $$ DECLARE name regclass; BEGIN
            FOR name IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
                EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', name);
            END LOOP;
            END $$";
        self.db.execute_unprepared(sql).await.unwrap();
        self.db.execute_unprepared("ANALYZE").await.unwrap();
    }

    /// Compares the responses to random documents under random rules.
    #[expect(clippy::disallowed_methods, reason = "a setting of these tests alone")]
    pub async fn obeys(&self, worlds: u64, documents: usize) -> Told {
        self.settle().await;
        let plain = Served::of((self.declare)(&Rules::default()));
        let links = links(&plain.declaration);
        let objects: Vec<_> = plain.declaration.object_types().collect();
        let samples = self.samples(&objects).await;
        let mut told = Told::default();
        // The variable `SEED` chooses other rules and documents.
        let first: u64 = std::env::var("SEED").map_or(0, |seed| seed.parse().unwrap());
        for seed in first..first + worlds {
            let rules = Rules::random(&mut Dice::of_seed(1000 + seed), &objects, &links, &samples);
            self.compare(&rules, seed, documents, &mut told).await;
        }
        told
    }

    async fn compare(&self, rules: &Rules, seed: u64, documents: usize, told: &mut Told) {
        let served = Served::of((self.declare)(rules));
        let everybody = Viewer { shows_all: true, shown: Arc::default() };
        let viewer = Viewer { shows_all: false, shown: Arc::clone(&rules.shown) };
        let documents_of = Documents::of(&served.schema.sdl());
        let reader = Reader::new(self.db.clone());
        let pools = self.pools(&served, &documents_of, &reader, &everybody).await;
        let mut written = Vec::new();
        for number in 0..documents {
            let mut dice = Dice::of_seed(seed * 1_000_000 + number as u64);
            let document = documents_of.random(&mut dice, &pools);
            written.push((served.plans(&document), dice.made));
        }
        let expected = self.without_hidden(&served, &viewer, &everybody, written.iter().map(|(plans, _)| plans)).await;
        for ((plans, choices), expected) in written.iter().zip(expected) {
            let (found, has_errors) = served.ask(plans, &reader, &viewer).await;
            told.compared += 1;
            told.failed += usize::from(has_errors);
            told.different += usize::from(served.ask(plans, &reader, &everybody).await.0 != found);
            if found != expected {
                let document = documents_of.random(&mut Dice::of_choices(choices.clone()), &pools);
                let first = (document, found, expected);
                self.fail(&served, &documents_of, &pools, (choices.clone(), first), (&viewer, &everybody)).await;
            }
        }
    }

    /// The responses of the database from which the hidden rows were deleted.
    async fn without_hidden(
        &self,
        served: &Served,
        viewer: &Viewer,
        everybody: &Viewer,
        documents: impl Iterator<Item = &Plans>,
    ) -> Vec<String> {
        let transaction = self.begin().await;
        delete_hidden(&transaction, &served.declaration, viewer).await;
        if let Some(kept) = self.kept {
            transaction.execute_unprepared(kept).await.unwrap();
        }
        let reader = Reader::new(transaction);
        let mut responses = Vec::new();
        for document in documents {
            responses.push(served.ask(document, &reader, everybody).await.0);
        }
        // The transaction is rolled back with its last reader.
        responses
    }

    /// A transaction in which rows can be deleted to which others refer.
    pub async fn begin(&self) -> DatabaseTransaction {
        if self.is_sqlite() {
            self.db.execute_unprepared("PRAGMA foreign_keys = OFF").await.unwrap();
        }
        let transaction = self.db.begin().await.unwrap();
        if !self.is_sqlite() {
            transaction.execute_unprepared("SET LOCAL session_replication_role = replica").await.unwrap();
        }
        transaction
    }

    /// Panics with the simplest document that is found whose responses differ. If the responses to the first one agree when it is asked
    /// again, it says so, and shows what differed.
    async fn fail(
        &self,
        served: &Served,
        documents: &Documents,
        pools: &Pools,
        (mut choices, first): (Vec<usize>, (String, String, String)),
        (viewer, everybody): (&Viewer, &Viewer),
    ) {
        let reader = Reader::new(self.db.clone());
        let (mut last, mut attempts) = (None, 0);
        'simplify: loop {
            for simpler in [choices.clone()].into_iter().filter(|_| last.is_none()).chain(simpler(&choices)) {
                attempts += 1;
                if attempts > 300 {
                    break 'simplify;
                }
                let document = documents.random(&mut Dice::of_choices(simpler.clone()), pools);
                let plans = served.plans(&document);
                let expected = self.without_hidden(served, viewer, everybody, [&plans].into_iter()).await.remove(0);
                let found = served.ask(&plans, &reader, viewer).await.0;
                if found != expected {
                    last = Some((document, found, expected));
                    choices = simpler;
                    continue 'simplify;
                }
            }
            break;
        }
        let again = if last.is_some() { "" } else { "asked again, the responses agree\n" };
        let (document, found, expected) = last.unwrap_or(first);
        let rule = |(table, visible): (&String, &Visible)| match visible {
            Visible::Only(condition) => {
                let rows = Sql::select().from(table.clone()).cond_where(condition.clone()).take();
                self.db.get_database_backend().build(&rows).to_string()
            }
            visible => format!("{table}: {visible:?}"),
        };
        let rules: Vec<String> = viewer.shown.iter().map(rule).collect();
        let rules = rules.join("\n");
        panic!("{again}{document}\nthe viewer:\n{found}\nwithout the hidden rows:\n{expected}\nthe rules:\n{rules}");
    }

    /// The ids and the cursors of all lists.
    async fn pools(&self, served: &Served, documents: &Documents, reader: &Reader, viewer: &Viewer) -> Pools {
        let mut pools = Pools::default();
        for list in documents.harvest() {
            let (text, _) = served.ask(&served.plans(&list.query), reader, viewer).await;
            pools.add(&list, &serde_json::from_str(text.lines().next().unwrap()).unwrap());
        }
        pools
    }
}

/// The relations that follow from foreign keys.
fn links(declaration: &Declaration) -> Vec<Link> {
    let link = |link: bookends_server::Link<'_>| Link {
        from: link.from.table().name().to_owned(),
        to: link.to.table().name().to_owned(),
        on: link.columns.iter().cloned().zip(link.to.table().key().cloned()).collect(),
        field: link.field.clone(),
    };
    declaration.links().into_iter().map(link).collect()
}

/// Deletes what a viewer may not see. What is hidden is found first: a rule may read other tables.
pub async fn delete_hidden(transaction: &DatabaseTransaction, declaration: &Declaration, viewer: &Viewer) {
    let mut hidden = Vec::new();
    for object in declaration.object_types() {
        let Some(visible) = viewer.shown.get(object.table().name()) else { continue };
        let condition = match visible {
            Visible::All => continue,
            Visible::None => Condition::all(),
            Visible::Only(condition) => {
                Condition::all().add(Expr::from(condition.clone()).is_not(Expr::custom_keyword("TRUE")))
            }
        };
        hidden.push((object.table(), rows(transaction, object.table(), Some(condition), u64::MAX).await));
    }
    for (table, rows) in hidden {
        let key: Vec<Column> = table.key().cloned().collect();
        for rows in rows.chunks(200) {
            let keys = rows.iter().flat_map(|row| key.iter().map(|column| row[column.number()].clone()));
            let among = keyset::among_keys(&key, keys.collect(), transaction.get_database_backend()).unwrap();
            let delete = Sql::delete().from_table(table.table_ref()).and_where(among).take();
            transaction.execute(&delete).await.unwrap();
        }
    }
}

/// The values of some rows.
pub async fn rows(db: &impl ReadRows, table: &Table, condition: Option<Condition>, limit: u64) -> Vec<Vec<Value>> {
    let mut rows = table.rows();
    table.select(&mut rows, ColumnSet::ALL);
    if let Some(condition) = condition {
        rows.0.cond_where(condition);
    }
    if limit < u64::MAX {
        rows.0.limit(limit);
    }
    let layout = RowLayout::of(table);
    let mut reader = layout.reader_of(ColumnSet::ALL);
    let value = |row: &TableRow, column: &Column| match row.get(column.number()) {
        StoredValue::Null => column.kind().null(),
        _ => row.value(column.number(), column.kind()).unwrap(),
    };
    let records = keyset::find_rows(db, &rows, &[]).await.unwrap();
    let rows = records.iter().map(|record| reader.row(record).unwrap().unwrap());
    rows.map(|row| table.columns().iter().map(|column| value(&row, column)).collect()).collect()
}
