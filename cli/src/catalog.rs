//! The catalogue of a database: its tables and views, as data.

use keyset::{ColumnDefinition, Kind, Table, TableDefinition};
use sea_orm::sea_query::ColumnType;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, QueryResult, Statement};

mod postgres;
mod seen;
mod sqlite;

pub use seen::Seen;

/// What the search path of a connection shows.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// The tables and views, by their names.
    pub tables: Vec<FoundTable>,
    /// What cannot be served at all, and why.
    pub left_out: Vec<String>,
}

/// A table or a view.
#[derive(Clone, Debug)]
pub struct FoundTable {
    /// Its name.
    pub name: String,
    /// What the database says of it.
    pub comment: String,
    /// Whether it is a view, which has no key of its own and is not written to.
    pub is_view: bool,
    /// Its columns, in their order.
    pub columns: Vec<FoundColumn>,
    /// The columns of its primary key; without one, those of the first unique constraint on columns that are never NULL.
    pub key: Vec<String>,
    /// The columns of each other unique constraint on several columns that are never NULL.
    pub unique: Vec<Vec<String>>,
    /// Whether the database makes the key of new rows.
    pub generates_key: bool,
    /// Its foreign keys, by their columns.
    pub foreign_keys: Vec<FoundKey>,
}

/// A column.
#[derive(Clone, Debug)]
pub struct FoundColumn {
    /// What it is.
    pub definition: ColumnDefinition,
    /// What the database says of it.
    pub comment: String,
    /// The name of its type in the database.
    pub type_name: String,
}

/// A foreign key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundKey {
    /// The columns that refer.
    pub columns: Vec<String>,
    /// The table that it refers to.
    pub table: String,
    /// The columns that it equals there.
    pub to: Vec<String>,
    /// Whether no two rows have one value.
    pub is_unique: bool,
}

impl Catalog {
    /// Reads the tables that the search path of a connection shows. Without `all`, those that its user may not read are left out.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn read(db: &impl ConnectionTrait, all: bool) -> Result<Self, DbErr> {
        let mut catalog = match db.get_database_backend() {
            DbBackend::Postgres => postgres::read(db, all).await?,
            _ => sqlite::read(db).await?,
        };
        catalog.left_out.sort_unstable();
        catalog.tables.sort_by(|one, other| one.name.cmp(&other.name));
        catalog.tables.iter_mut().for_each(|table| table.foreign_keys.sort());
        Ok(catalog)
    }
}

impl FoundTable {
    /// A table or a view, of which nothing else is known.
    fn new(name: String, comment: String, is_view: bool) -> Self {
        Self {
            name,
            comment,
            is_view,
            columns: Vec::new(),
            key: Vec::new(),
            unique: Vec::new(),
            generates_key: false,
            foreign_keys: Vec::new(),
        }
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&FoundColumn> {
        self.columns.iter().find(|column| column.definition.name == name)
    }

    /// As the engine has it.
    pub fn table(&self) -> Table {
        Table::defined(TableDefinition {
            name: self.name.clone(),
            columns: self.columns.iter().map(|column| column.definition.clone()).collect(),
            key: self.key.clone(),
            unique: self.unique.clone(),
            generates_key: self.generates_key,
        })
    }

    /// Whether rows can be found by these columns: their values can be ordered, and are never NULL.
    fn can_be_key(&self, columns: &[String]) -> bool {
        let is_fit = |column: &FoundColumn| {
            Kind::of(&column.definition.column_type).is_sortable() && !column.definition.is_nullable
        };
        columns.iter().all(|name| self.column(name).is_some_and(is_fit))
    }

    /// Says which columns unique constraints and indexes have, the primary key first.
    fn indexed_by(&mut self, primary: Option<&[String]>, unique: &[Vec<String>]) {
        for column in &mut self.columns {
            let definition = &mut column.definition;
            definition.is_unique = unique.iter().any(|columns| columns[..] == [definition.name.clone()]);
        }
        for key in &mut self.foreign_keys {
            let mut columns = key.columns.clone();
            columns.sort_unstable();
            key.is_unique = unique.iter().any(|of| {
                let mut of = of.clone();
                of.sort_unstable();
                of == columns
            });
        }
        let mut keys = primary.map(<[String]>::to_vec).into_iter().chain(unique.iter().cloned());
        self.key = keys.find(|columns| self.can_be_key(columns)).unwrap_or_default();
        let others = unique.iter().filter(|columns| columns.len() > 1 && **columns != self.key);
        self.unique = others.filter(|columns| self.can_be_key(columns)).cloned().collect();
    }
}

impl FoundColumn {
    /// A column of this type, of which nothing else is known.
    fn new(name: String, column_type: ColumnType, type_name: String) -> Self {
        let definition = ColumnDefinition {
            name,
            column_type,
            is_nullable: true,
            is_unique: false,
            is_indexed: false,
            has_default: false,
            is_computed: false,
        };
        Self { definition, comment: String::new(), type_name }
    }
}

/// A name as SQL has it, on both databases.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The rows of a statement.
async fn rows(db: &impl ConnectionTrait, sql: &str) -> Result<Vec<QueryResult>, DbErr> {
    db.query_all_raw(Statement::from_string(db.get_database_backend(), sql)).await
}
