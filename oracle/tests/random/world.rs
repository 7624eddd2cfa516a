//! A database, the program that serves it, and the rows that the oracle sees.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bookends::catalog::Catalog;
use bookends::counters;
use bookends::declare::Declared;
use bookends::discover::declared;
use bookends::settings::Viewer;
use bookends_server::app::Asking;
use bookends_server::async_graphql::parser::parse_query;
use bookends_server::async_graphql::{PathSegment, Request, Response, ServerError, Value, Variables};
use bookends_server::config::{Limits, Settings, StatementMode};
use bookends_server::keyset::Indexes;
use bookends_server::request::{Incoming, Permission};
use bookends_server::{Api, App, Claims};
use oracle::book::Book;
use oracle::case::Case;
use oracle::database;
use oracle::datum::Datum;
use oracle::dice::Dice;
use oracle::documents::{Document, document, lists};
use oracle::interpret::{Oracle, Out, Rows};
use oracle::schema::{Column, Kind, Schema, Storage};
use oracle::shrink::simpler;
use oracle::tables;
use sea_orm::{ConnectionTrait as _, DatabaseConnection, SqlErr, Statement};
use testdb::TestDb;
#[cfg(unix)]
use testdb::{Cluster, PoolMode, Pooler};

/// What documents have: the parts of lists, of aggregates and of numbered pages, the arguments and the conditions.
const WORDS: [&str; 48] = [
    "nodes",
    "edges",
    "cursor",
    "pageInfo",
    "totalCount",
    "approximateCount",
    "aggregates",
    "sum",
    "average",
    "min",
    "max",
    "pageCursors",
    "around",
    "node",
    "first",
    "last",
    "after",
    "before",
    "offset",
    "where",
    "orderBy",
    "asOf",
    "DESC",
    "FIRST",
    "eq",
    "ne",
    "in",
    "notIn",
    "lt",
    "lte",
    "gt",
    "gte",
    "isNull",
    "startsWith",
    "contains",
    "and",
    "or",
    "not",
    "some",
    "every",
    "none",
    "count",
    "include",
    "skip",
    "fragment",
    "query",
    "hasKey",
    "Other",
];

/// What a difference begins with that is none: Citus refuses the statement.
const UNSUPPORTED: &str = "unsupported: ";

/// What was compared.
#[derive(Debug, Default)]
pub struct Told {
    pub compared: usize,
    /// The documents with errors.
    pub failed: usize,
    /// Those whose price is above every bound.
    pub refused: usize,
    /// Those that Citus refuses, by its reason.
    pub unsupported: BTreeMap<String, usize>,
    /// How often each word is in the documents.
    pub words: BTreeMap<&'static str, usize>,
}

/// Where a database is, and how the server reaches it.
#[derive(Clone, Copy)]
pub enum Place<'c> {
    /// On the server of all tests.
    Here,
    /// There, with mutations and subscriptions.
    Written,
    /// On the Citus cluster of the tests, where each table is distributed by a column of its key, or copied to every server.
    Distributed,
    /// There, behind PgBouncer.
    #[cfg(unix)]
    Pooled,
    /// On this server, read from its replica.
    #[cfg(unix)]
    Replicated(&'c Cluster, &'c Cluster),
    #[cfg(not(unix))]
    Nowhere(&'c ()),
}

impl Place<'_> {
    /// An empty database there.
    pub async fn database(self) -> Option<TestDb> {
        match self {
            #[cfg(unix)]
            Place::Replicated(primary, _) => Some(TestDb::postgres(&primary.url("")).await.unwrap()),
            Place::Distributed => TestDb::distributed().await,
            _ => Some(TestDb::new().await),
        }
    }
}

pub struct World {
    pub schema: Schema,
    /// All rows.
    pub rows: Rows,
    who: Datum,
    db: DatabaseConnection,
    pub api: Api,
    pub is_sqlite: bool,
    is_distributed: bool,
    #[cfg(unix)]
    _pooler: Option<Pooler>,
    /// The server that has the rows a little later, and that queries are read from.
    replica: Option<DatabaseConnection>,
    pub test: TestDb,
}

impl Told {
    fn count(&mut self, text: &str) {
        let letters = |letter: char| !letter.is_ascii_alphanumeric();
        for word in text.split(letters) {
            if let Some(word) = WORDS.iter().find(|known| **known == word) {
                *self.words.entry(word).or_default() += 1;
            }
        }
    }

    /// The words that are in few documents.
    pub fn rare(&self) -> Vec<&'static str> {
        let least = self.compared / 300;
        WORDS.into_iter().filter(|word| self.words.get(word).is_none_or(|count| *count < least)).collect()
    }
}

impl World {
    pub async fn random(dice: &mut Dice, place: Place<'_>) -> Self {
        Self::of(dice, place).await.expect("a database that is reached so")
    }

    /// The same; `None` if a program is not installed that it needs.
    pub async fn of(dice: &mut Dice, place: Place<'_>) -> Option<Self> {
        let test = place.database().await?;
        let mut schema = tables::schema(dice, test.url.starts_with("sqlite"));
        if matches!(place, Place::Distributed) {
            // Counters are triggers.
            schema.tables.iter_mut().for_each(|table| table.counted = false);
        }
        let rows = tables::rows(dice, &schema);
        let who = Datum::Text((*dice.pick(&tables::CLAIMS)).into());
        Self::over(test, schema, rows, who, place).await
    }

    /// Returns once queries read from a replica.
    #[cfg(unix)]
    pub async fn until_read_from(&self, replica: &Cluster) {
        let reader = sea_orm::Database::connect(replica.url("")).await.unwrap();
        let name = self.test.url.split('?').next().unwrap().rsplit('/').next().unwrap();
        let sql =
            format!("SELECT 1 AS found FROM pg_stat_activity WHERE datname = '{name}' AND query ILIKE '%count(%'");
        let query = |list: &str| Document { text: format!("{{ {list} {{ totalCount }} }}"), ..Document::default() };
        let statement = Statement::from_string(self.db.get_database_backend(), sql);
        loop {
            for table in self.schema.tables.iter().filter(|table| !table.counted) {
                self.ask(&query(&table.list())).await;
            }
            if reader.query_one_raw(statement.clone()).await.unwrap().is_some() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The program over a database with these rows; `None` if they refer to others.
    pub async fn made(schema: Schema, rows: Rows, who: Datum) -> Option<Self> {
        Self::over(TestDb::new().await, schema, rows, who, Place::Here).await
    }

    /// The same over this empty database.
    pub async fn over(test: TestDb, schema: Schema, rows: Rows, who: Datum, place: Place<'_>) -> Option<Self> {
        let is_written = matches!(place, Place::Written);
        let db = test.connect().await;
        let is_sqlite = test.url.starts_with("sqlite");
        let mut sql = database::ddl(&schema, is_sqlite) + &database::inserts(&schema, &rows, is_sqlite)?;
        for table in schema.tables.iter().filter(|table| table.counted) {
            let counter = counters::create(&table.name, db.get_database_backend());
            sql += counter.trim_start_matches("BEGIN;\n").trim_end_matches("COMMIT;\n");
        }
        db.execute_unprepared(&sql).await.unwrap_or_else(|error| panic!("{error}: {sql}"));
        let catalog = Catalog::read(&db, false).await.unwrap();
        let indexes = Arc::new(Indexes::read(&db).await.unwrap());
        let settings = bookends::settings::Settings::parse("bookends.toml", &database::settings(&schema)).unwrap();
        let Declared { tables: mut declaring, report, .. } =
            declared(&catalog, &indexes, &settings, is_written).unwrap();
        for table in &schema.tables {
            let name = table.type_name();
            if table.as_of {
                declaring.change(&name, |object| {
                    object.as_of();
                });
            }
            if is_written {
                declaring.created(&name);
                declaring.updated(&name);
                declaring.deleted(&name);
            }
        }
        let declaration = declaring.check().unwrap_or_else(|error| panic!("{error}, {report:?}\n{sql}"));
        let is_distributed = matches!(place, Place::Distributed);
        if is_distributed {
            distribute(&db, &schema).await;
        }
        let app = App::new("oracle", "1", &declaration).viewer(|asking: Asking<'_>| Ok(Viewer(asking.claims.cloned())));
        let limits = Limits { max_complexity: usize::MAX >> 8, max_depth: 40, ..Limits::DEFAULT };
        let application = app.check().unwrap();
        let mut connection = Settings { database_connections: 4, ..Settings::new(&test.url) };
        let mut replica = None;
        #[cfg(unix)]
        let mut pooler = None;
        #[cfg(unix)]
        match place {
            Place::Pooled => {
                let started = Pooler::start(&test.url, PoolMode::Transaction, 2)?;
                connection.database_url = started.url().as_str().into();
                connection.pooler.database_statement_mode = StatementMode::Unprepared;
                pooler = Some(started);
            }
            Place::Replicated(primary, standby) => {
                let url = test.url.replace(&primary.address(), &standby.address());
                connection.replicas.database_replica_urls = vec![url.as_str().into()];
                // The database is there a little later.
                replica = Some(loop {
                    match sea_orm::Database::connect(&url).await {
                        Ok(replica) => break replica,
                        Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
                    }
                });
            }
            _ => {}
        }
        let connected = application.connect(&connection).await.unwrap();
        if is_distributed {
            connected.statistics.read(&connected.reader).await.unwrap();
        }
        let api = application.api(connected, limits);
        Some(Self {
            schema,
            rows,
            who,
            db,
            api,
            is_sqlite,
            is_distributed,
            #[cfg(unix)]
            _pooler: pooler,
            replica,
            test,
        })
    }

    /// Reads all rows again.
    pub async fn read(&mut self) {
        for (table, rows) in self.schema.tables.iter().zip(&mut self.rows) {
            let column = |column: &Column| match column.kind {
                Kind::Enum | Kind::Json => format!("CAST({0} AS text) AS {0}", column.name),
                Kind::Ints | Kind::Texts => format!("CAST(array_to_json({0}) AS text) AS {0}", column.name),
                _ => column.name.clone(),
            };
            let columns: Vec<String> = table.columns.iter().map(column).collect();
            let select = format!("SELECT {} FROM {}", columns.join(", "), table.name);
            let select = Statement::from_string(self.db.get_database_backend(), select);
            let found = self.db.query_all_raw(select).await.unwrap();
            let row =
                |row| table.columns.iter().map(|column| Datum::read(row, &column.name, column.kind).unwrap()).collect();
            *rows = found.iter().map(row).collect();
        }
    }

    /// The rows that show.
    fn visible(&self, rows: &Rows) -> Rows {
        let tables = self.schema.tables.iter().zip(rows);
        let visible = tables.map(|(table, rows)| {
            let shows = |row: &&Vec<Datum>| table.rule.is_none_or(|column| row[column] == self.who);
            rows.iter().filter(shows).cloned().collect()
        });
        visible.collect()
    }

    /// Changes some rows.
    async fn change(&mut self, dice: &mut Dice) {
        let number = dice.roll(self.schema.tables.len());
        let table = &self.schema.tables[number];
        let known = &self.rows[number];
        let sql = match dice.roll(3) {
            0 => tables::row(dice, &self.schema, &self.rows, number)
                .map(|row| database::insert(table, &row, self.is_sqlite)),
            _ if known.is_empty() => None,
            // No foreign key keeps the rows that refer to it.
            1 if self.is_distributed => None,
            1 => {
                let at = database::at(table, dice.pick(known), self.is_sqlite);
                Some(format!("DELETE FROM {} WHERE {at}", table.stored()))
            }
            _ => {
                let row = dice.pick(known);
                let is_plain = |column: &usize| {
                    !table.key.contains(column) && !table.references.iter().any(|of| of.columns.contains(column))
                };
                let columns: Vec<usize> = (0..table.columns.len()).filter(is_plain).collect();
                (!columns.is_empty()).then(|| {
                    let column = &table.columns[*dice.pick(&columns)];
                    let value = dice.pick(&tables::values(column.kind)).sql(column.kind, self.is_sqlite);
                    let at = database::at(table, row, self.is_sqlite);
                    format!("UPDATE {} SET {} = {value} WHERE {at}", table.stored(), column.name)
                })
            }
        };
        if let Some(sql) = sql {
            match self.db.execute_unprepared(&sql).await.map_err(|error| (error.sql_err(), error)) {
                // Others refer to the row.
                Ok(_) | Err((Some(SqlErr::ForeignKeyConstraintViolation(_)), _)) => {}
                Err((_, error)) => panic!("{error}: {sql}"),
            }
        }
    }

    /// Returns once the replica, if there is one, has what was written.
    async fn replicated(&self) {
        let Some(replica) = &self.replica else { return };
        let one = async |db: &DatabaseConnection, sql: String| {
            let statement = Statement::from_string(db.get_database_backend(), sql);
            db.query_one_raw(statement).await.unwrap().unwrap()
        };
        let written = one(&self.db, "SELECT pg_current_wal_lsn()::text AS at".into()).await;
        let written: String = written.try_get("", "at").unwrap();
        let sql = format!("SELECT pg_last_wal_replay_lsn() >= '{written}' AS is");
        while !one(replica, sql.clone()).await.try_get::<bool>("", "is").unwrap() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub async fn ask(&self, document: &Document) -> Response {
        let mut variables = Variables::default();
        variables.extend(document.variables.clone());
        let Datum::Text(who) = &self.who else { unreachable!() };
        let claims = Claims::new([("who".to_owned(), who.clone().into())].into_iter().collect());
        let mut request = Request::new(&document.text).variables(variables);
        request.operation_name.clone_from(&document.operation);
        let incoming: Incoming = request.into();
        self.api.execute(incoming.viewed_by(Viewer(Some(claims))).permitted(Permission::Granted)).await
    }

    /// The first difference between what the server and what the oracle respond; or whether there are errors.
    pub async fn differ(&self, document: &Document, book: &mut Book) -> Result<bool, String> {
        let response = self.ask(document).await;
        let is_unsupported = |error: &&ServerError| error.message.starts_with("the database cannot run this: ");
        if let Some(error) = response.errors.iter().find(is_unsupported).filter(|_| self.is_distributed) {
            return Err(format!("{UNSUPPORTED}{}", error.message));
        }
        self.compared(document, &response, &self.rows, book)
    }

    /// Whether a response is that of these rows.
    pub fn matches(&self, document: &Document, response: &Response, rows: &Rows, book: &Book) -> Result<bool, String> {
        self.compared(document, response, rows, &mut book.clone())
    }

    fn compared(&self, document: &Document, response: &Response, rows: &Rows, book: &mut Book) -> Result<bool, String> {
        let errors = errors(response)?;
        let parsed = parse_query(&document.text).map_err(|error| error.to_string())?;
        let expected = Oracle::respond(&self.schema, &self.visible(rows), book, &parsed, document, &self.who);
        let is_null = matches!(expected.data, Out::Plain(Value::Null));
        // Where an error leaves no data, which others are told is open.
        let are_some = is_null && !errors.is_empty() && errors.iter().all(|error| expected.errors.contains(error));
        let is_one = |((path, code), (of, codes)): (&(String, String), &(String, String))| {
            path == of && codes.split(" or ").any(|one| one == code)
        };
        let are_all = errors.len() == expected.errors.len() && errors.iter().zip(&expected.errors).all(is_one);
        if !are_all && !are_some {
            return Err(format!("the errors {:?} instead of {:?}", response.errors, expected.errors));
        }
        book.compare(&expected.data, &response.data, "")?;
        Ok(!errors.is_empty())
    }

    /// Reads all rows again. What is known is their ids, and their cursors in every order.
    pub async fn harvest(&mut self, seed: u64) -> Book {
        self.read().await;
        let mut book = Book::default();
        for document in (0..self.schema.tables.len()).flat_map(|table| lists(&self.schema, table)) {
            self.check(&document, &mut book, seed).await;
        }
        book
    }

    /// Compares the responses to random documents, between which rows change.
    pub async fn compare(&mut self, seed: u64, documents: usize, told: &mut Told) {
        let mut book = self.harvest(seed).await;
        for number in 0..documents {
            let mut dice = Dice::of_seed(seed * 1000 + number as u64);
            if dice.roll(4) == 3 {
                self.change(&mut dice).await;
                self.read().await;
                self.replicated().await;
            }
            let known = book.clone();
            let document = document(&mut dice, &self.schema, &book, self.is_sqlite);
            told.compared += 1;
            told.count(&document.text);
            match self.differ(&document, &mut book).await {
                Ok(failed) => told.failed += usize::from(failed),
                Err(difference) if difference.starts_with("invalid: QUERY_TOO_COMPLEX") => told.refused += 1,
                Err(difference) if difference.starts_with(UNSUPPORTED) => {
                    *told.unsupported.entry(difference).or_default() += 1;
                }
                Err(difference) => self.shrink(&known, document.clone(), difference, seed).await,
            }
            if number % 3 == 0 {
                // The same document of another viewer.
                self.who = Datum::Text((*dice.pick(&tables::CLAIMS)).into());
                let known = book.clone();
                match self.differ(&document, &mut book).await {
                    Err(difference) if !difference.starts_with("invalid") && !difference.starts_with(UNSUPPORTED) => {
                        self.shrink(&known, document, difference, seed).await;
                    }
                    _ => {}
                }
            }
        }
    }

    pub async fn check(&self, document: &Document, book: &mut Book, seed: u64) {
        if let Err(difference) = self.differ(document, book).await {
            self.report(document, &difference, seed);
        }
    }

    /// Finds a simpler document, fewer rows and fewer tables for which the responses differ, too, and reports these.
    async fn shrink(&self, book: &Book, mut document: Document, mut found: String, seed: u64) {
        // Another document can be refused for another reason.
        let refused = Some(found.clone()).filter(|difference| difference.starts_with("invalid"));
        let is_alike = |difference: &String| match &refused {
            Some(refused) => difference.split('`').next() == refused.split('`').next(),
            None => !difference.starts_with("invalid"),
        };
        'simpler: loop {
            for simpler in simpler(&document) {
                match self.differ(&simpler, &mut book.clone()).await {
                    Err(difference) if is_alike(&difference) => {
                        (document, found) = (simpler, difference);
                        continue 'simpler;
                    }
                    _ => {}
                }
            }
            break;
        }
        let (mut schema, mut rows, mut book) = (self.schema.clone(), self.rows.clone(), book.clone());
        let mut tried = 0;
        'fewer: while tried < 300 {
            let without_table = |table: usize| {
                tables::without(&schema, &rows, table).map(|(schema, rows)| (schema, rows, book.without(table)))
            };
            let tables = (0..schema.tables.len()).filter_map(without_table);
            let without_row = |(table, row): (usize, usize)| {
                let mut fewer = rows.clone();
                fewer[table].remove(row);
                (schema.clone(), fewer, book.clone())
            };
            let places = rows.iter().enumerate().flat_map(|(table, rows)| (0..rows.len()).map(move |row| (table, row)));
            let all: Vec<_> = tables.chain(places.map(without_row)).collect();
            for (fewer_tables, fewer_rows, known) in all {
                tried += 1;
                let Some(world) = Self::made(fewer_tables.clone(), fewer_rows.clone(), self.who.clone()).await else {
                    continue;
                };
                match world.differ(&document, &mut known.clone()).await {
                    Err(difference) if is_alike(&difference) => {
                        (schema, rows, book, found) = (fewer_tables, fewer_rows, known, difference);
                        continue 'fewer;
                    }
                    _ => {}
                }
            }
            break;
        }
        Self::made(schema, rows, self.who.clone()).await.unwrap().report(&document, &found, seed);
    }

    fn report(&self, document: &Document, difference: &str, seed: u64) -> ! {
        let (schema, rows, who) = (self.schema.clone(), self.rows.clone(), self.who.clone());
        let text = Case { schema, rows, who, documents: vec![document.clone()] }.print();
        panic!("seed {seed}: {difference}\n    case(r#\"{text}\"#).await;\n{:?}", document.variables);
    }
}

/// Distributes the tables, with their rows. Their foreign keys go, which Citus refuses between most tables.
async fn distribute(db: &DatabaseConnection, schema: &Schema) {
    let without_constraints = String::from(
        "DO $$ DECLARE found record; BEGIN
            FOR found IN SELECT conrelid::regclass AS of, conname FROM pg_constraint
                WHERE contype IN ('f', 'u') AND conparentid = 0 AND connamespace = 'public'::regnamespace
            LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.of, found.conname); END LOOP;
        END $$;",
    );
    let distributed = schema.tables.iter().enumerate().map(|(number, table)| {
        let (name, column) = (table.stored(), table.key[number % table.key.len()]);
        if number % 4 == 3 && table.storage != Storage::Partitions {
            format!("SELECT create_reference_table('{name}');")
        } else {
            format!("SELECT create_distributed_table('{name}', '{}');", table.columns[column].name)
        }
    });
    let sql = without_constraints + &distributed.collect::<String>();
    db.execute_unprepared(&sql).await.unwrap_or_else(|error| panic!("{error}: {sql}"));
}

/// Compares the responses to the documents of a case. They can have the ids and the cursors of all rows, in every order.
pub async fn case(text: &str) {
    let Case { schema, rows, who, documents } = Case::parse(text);
    let mut world = World::made(schema, rows, who).await.expect("rows that refer to rows");
    let mut book = world.harvest(0).await;
    for document in &documents {
        world.check(document, &mut book, 0).await;
    }
}

/// The paths and the codes of errors, unless they are of the whole request.
pub fn errors(response: &Response) -> Result<Vec<(String, String)>, String> {
    let mut errors: Vec<(String, String)> = Vec::new();
    for error in &response.errors {
        let path = error.path.iter().map(|segment| match segment {
            PathSegment::Field(name) => name.clone(),
            PathSegment::Index(index) => index.to_string(),
        });
        let code = match error.extensions.as_ref().and_then(|extensions| extensions.get("code")) {
            Some(Value::String(code)) => code.clone(),
            other => format!("{other:?}"),
        };
        if error.path.is_empty() {
            return Err(format!("invalid: {code}: {}", error.message));
        }
        errors.push((path.collect::<Vec<_>>().join("."), code));
    }
    errors.sort();
    Ok(errors)
}
