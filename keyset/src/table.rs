//! Tables as data: from a SeaORM entity, or from the catalogue of a database.

use std::sync::Arc;

use sea_orm::sea_query::{
    Condition, Expr, ExprTrait as _, IntoIden, IntoTableRef, Query, SelectStatement, TableName, TableRef,
};
use sea_orm::{DynIden, IdenStatic as _, Iterable, PrimaryKeyToColumn as _, PrimaryKeyTrait as _, QueryTrait, Value};

use crate::column::{Column, ColumnDefinition};
use crate::models::EntityModels;
use crate::{ColumnSet, Kind, Modelled};

/// A table: its columns and its primary key, and the rows of it that are read. Cheap to clone.
///
/// ```
/// # use sea_orm::tests_cfg::cake;
/// let cakes = keyset::Table::of::<cake::Entity>();
/// assert_eq!(cakes.name(), "cake");
/// assert_eq!(cakes.key().map(|column| column.name()).collect::<Vec<_>>(), ["id"]);
/// ```
#[derive(Clone, Debug)]
pub struct Table {
    parts: Arc<Parts>,
    /// The query of the rows that are read, unless all are.
    only: Option<Arc<SelectStatement>>,
}

/// What a catalogue says of a table.
#[derive(Clone, Debug)]
pub struct TableDefinition {
    /// The name. The search path of a connection shows it.
    pub name: String,
    /// The columns, in their order.
    pub columns: Vec<ColumnDefinition>,
    /// The names of the columns of the primary key. None of them can be NULL.
    pub key: Vec<String>,
    /// The names of the columns that are unique together, for each other unique constraint on several columns.
    pub unique: Vec<Vec<String>>,
    /// Whether the database makes the key of new rows.
    pub generates_key: bool,
}

#[derive(Clone, Debug)]
struct Parts {
    name: String,
    table: TableRef,
    columns: Vec<Column>,
    /// The numbers of the columns.
    key: Vec<usize>,
    /// The numbers of columns that are unique together.
    unique: Vec<Vec<usize>>,
    generates_key: bool,
    /// Unless it is from a catalogue.
    models: Option<EntityModels>,
}

impl Table {
    /// The table of an entity.
    pub fn of<E: Modelled>() -> Self {
        let columns: Vec<_> =
            E::Column::iter().enumerate().map(|(number, column)| Column::numbered(column, number)).collect();
        let number = |key: E::PrimaryKey| {
            let name = key.into_column().as_str();
            columns.iter().position(|column| column.name() == name)
        };
        let key = E::PrimaryKey::iter().filter_map(number).collect();
        let table = E::default().table_ref().into_table_ref();
        let parts = Arc::new(Parts {
            name: E::default().table_name().to_owned(),
            table,
            columns,
            key,
            unique: Vec::new(),
            generates_key: E::PrimaryKey::auto_increment(),
            models: Some(EntityModels::of::<E>()),
        });
        Self { parts, only: None }
    }

    /// The table that a catalogue describes.
    ///
    /// ```
    /// use keyset::{ColumnDefinition, Table, TableDefinition};
    /// use sea_orm::sea_query::ColumnType;
    ///
    /// let id = ColumnDefinition {
    ///     name: "id".into(),
    ///     column_type: ColumnType::Integer,
    ///     is_nullable: false,
    ///     is_unique: true,
    ///     is_indexed: true,
    ///     has_default: true,
    ///     is_computed: false,
    /// };
    /// let cakes = TableDefinition { name: "cake".into(), columns: vec![id], key: vec!["id".into()], unique: vec![], generates_key: true };
    /// assert_eq!(Table::defined(cakes).columns().len(), 1);
    /// ```
    pub fn defined(definition: TableDefinition) -> Self {
        let TableDefinition { name, columns, key, unique, generates_key } = definition;
        let iden = name.clone().into_iden();
        let columns: Vec<Column> =
            columns.into_iter().enumerate().map(|(number, column)| column.column(&iden, number)).collect();
        let key = key.iter().filter_map(|key| columns.iter().position(|column| column.name() == key)).collect();
        let table = iden.into_table_ref();
        let parts = Parts { name, table, columns, key, unique: Vec::new(), generates_key, models: None };
        let mut table = Self { parts: Arc::new(parts), only: None };
        for columns in &unique {
            table.unique(columns);
        }
        table
    }

    /// Says that no two rows have the same values in these columns together. Names of no column are a no-op.
    pub fn unique(&mut self, columns: &[impl AsRef<str>]) {
        let number = |name: &str| self.column(name).map(Column::number);
        if let Some(columns) = columns.iter().map(|name| number(name.as_ref())).collect() {
            Arc::make_mut(&mut self.parts).unique.push(columns);
        }
    }

    /// The same table, of which only the rows exist that fulfil a condition on its columns: wherever it is read, also as a relation
    /// of other rows. Databases move such a condition to the indexes that they choose.
    ///
    /// ```
    /// # use sea_orm::{ColumnTrait, Condition, tests_cfg::cake};
    /// let cakes = keyset::Table::of::<cake::Entity>().only(Condition::all().add(cake::Column::Name.ne("mud")));
    /// assert!(cakes.is_restricted());
    /// ```
    #[must_use]
    pub fn only(&self, condition: Condition) -> Self {
        let rows = Query::select().expr(Expr::cust("*")).from(self.table_ref()).cond_where(condition).take();
        Self { parts: Arc::clone(&self.parts), only: Some(Arc::new(rows)) }
    }

    /// The same table, of which all rows are read.
    pub(crate) fn unrestricted(&self) -> Self {
        Self { parts: Arc::clone(&self.parts), only: None }
    }

    /// Whether only some of its rows are read.
    pub fn is_restricted(&self) -> bool {
        self.only.is_some()
    }

    /// The query of the rows that are read, unless all are.
    pub(crate) fn restriction(&self) -> Option<&SelectStatement> {
        self.only.as_deref()
    }

    /// The rows that are read, under the name of the table, or under this one.
    pub fn source(&self, name: Option<&str>) -> TableRef {
        match (&self.only, name) {
            (Some(rows), name) => TableRef::SubQuery(Box::new((**rows).clone()), self.iden(name)),
            (None, Some(name)) => self.table_ref().alias(name.to_owned()),
            (None, None) => self.table_ref(),
        }
    }

    /// This name, or its own.
    fn iden(&self, name: Option<&str>) -> DynIden {
        match (name, &self.parts.table) {
            (Some(name), _) => name.to_owned().into_iden(),
            (None, TableRef::Table(TableName(_, name), None)) => name.clone(),
            (None, _) => self.name().to_owned().into_iden(),
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.parts.name
    }

    /// The columns, in their order.
    pub fn columns(&self) -> &[Column] {
        &self.parts.columns
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.parts.columns.iter().find(|column| column.name() == name)
    }

    /// The columns of the primary key.
    pub fn key(&self) -> impl Iterator<Item = &Column> {
        self.parts.key.iter().map(|number| &self.parts.columns[*number])
    }

    /// The columns that are unique together and never NULL, for each unique constraint on several columns.
    pub(crate) fn unique_keys(&self) -> impl Iterator<Item = Vec<&Column>> {
        let columns = |numbers: &Vec<usize>| numbers.iter().map(|number| &self.parts.columns[*number]).collect();
        let keys = self.parts.unique.iter().map(columns);
        keys.filter(|key: &Vec<&Column>| key.iter().all(|column| !column.is_nullable()))
    }

    /// Whether the database makes the key of new rows: a column of integers.
    pub fn generates_key(&self) -> bool {
        let is_integer = |key: &Column| matches!(key.kind(), Kind::SmallInt | Kind::Int | Kind::BigInt);
        self.parts.generates_key && self.parts.key.len() == 1 && self.key().all(is_integer)
    }

    /// What makes models of its rows, if an entity describes it.
    pub(crate) fn models(&self) -> Option<&EntityModels> {
        self.parts.models.as_ref()
    }

    /// The table in a statement that writes: with all of its rows.
    pub fn table_ref(&self) -> TableRef {
        self.parts.table.clone()
    }

    /// The rows that are read, without columns: see [`Self::select`].
    pub fn rows(&self) -> TableRows {
        TableRows(Query::select().from(self.source(None)).take())
    }

    /// Restricts a query of all of its rows to those that are read.
    pub fn restrict(self, rows: &mut TableRows) {
        let name = self.iden(None);
        if let Some(only) = self.only.map(Arc::unwrap_or_clone) {
            rows.0.from_clear().from_subquery(only, name);
        }
    }

    /// Adds these columns to a query of its rows.
    pub fn select(&self, rows: &mut TableRows, columns: ColumnSet) {
        for column in self.columns().iter().filter(|column| columns.contains(column.number())) {
            match column.select_expr() {
                plain @ Expr::Column(_) => rows.0.expr(plain),
                other => rows.0.expr_as(other, column.name()),
            };
        }
    }
}

/// A query of rows of a table. It can be read wherever a `Select` of SeaORM can.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRows(pub SelectStatement);

impl TableRows {
    /// Those of the rows whose columns have these values, none of which is NULL.
    #[must_use]
    pub fn with<'c>(mut self, columns: impl IntoIterator<Item = &'c Column>, values: &[Value]) -> Self {
        for (column, value) in columns.into_iter().zip(values) {
            self.0.and_where(column.expr().eq(value.clone()));
        }
        self
    }
}

impl QueryTrait for TableRows {
    type QueryStatement = SelectStatement;

    fn query(&mut self) -> &mut SelectStatement {
        &mut self.0
    }

    fn as_query(&self) -> &SelectStatement {
        &self.0
    }

    fn into_query(self) -> SelectStatement {
        self.0
    }
}
