//! Tables and their columns as data: from a SeaORM entity, or from the catalogue of a database.

use std::fmt;
use std::sync::Arc;

use sea_orm::sea_query::{
    ColumnType, Enum, Expr, ExprTrait as _, IntoIden, IntoTableRef, OptionEnum, Query, SelectStatement, TableRef,
};
use sea_orm::{ColumnTrait, DynIden, IdenStatic as _, Iterable, PrimaryKeyToColumn as _, QueryTrait, Value};

use crate::models::EntityModels;
use crate::{ColumnSet, Kind, Modelled, Scalar};

/// A column of a table. Cheap to clone.
///
/// ```
/// # use sea_orm::tests_cfg::cake;
/// let name = keyset::Column::from(cake::Column::Name);
/// assert_eq!((name.table(), name.name()), ("cake".to_owned(), "name"));
/// ```
#[derive(Clone)]
pub struct Column {
    /// The table, or the name that it has in a statement.
    table: DynIden,
    of: Arc<Described>,
}

/// What is known of a column.
struct Described {
    name: &'static str,
    number: usize,
    column_type: ColumnType,
    kind: Kind,
    is_nullable: bool,
    is_unique: bool,
    is_indexed: bool,
    /// How it is selected: SeaORM reads enums as text.
    select_as: Box<dyn Fn(Expr) -> Expr + Send + Sync>,
}

impl Column {
    /// The table, or the name that it has in a statement.
    pub fn table(&self) -> String {
        self.table.to_string()
    }

    /// The name.
    pub fn name(&self) -> &'static str {
        self.of.name
    }

    /// The number among the columns of its table, from 0.
    pub fn number(&self) -> usize {
        self.of.number
    }

    /// The kind of its values.
    pub fn kind(&self) -> Kind {
        self.of.kind
    }

    /// The type, as SeaORM describes it.
    pub fn column_type(&self) -> &ColumnType {
        &self.of.column_type
    }

    /// Whether it can be NULL.
    pub fn is_nullable(&self) -> bool {
        self.of.is_nullable
    }

    /// Whether no two rows have one value.
    pub fn is_unique(&self) -> bool {
        self.of.is_unique
    }

    /// Whether the entity marks it as indexed or unique.
    pub fn is_indexed(&self) -> bool {
        self.of.is_indexed
    }

    /// The same column of the table that has this name in a statement.
    #[must_use]
    pub fn of(&self, table: impl IntoIden) -> Self {
        Self { table: table.into_iden(), of: Arc::clone(&self.of) }
    }

    /// It as an expression.
    pub fn expr(&self) -> Expr {
        Expr::col((self.table.clone(), self.of.name))
    }

    pub(crate) fn table_iden(&self) -> &DynIden {
        &self.table
    }

    pub(crate) fn iden(&self) -> DynIden {
        self.of.name.into_iden()
    }

    /// The same of the items of its lists; of a column without lists, of its values.
    pub fn item_type(&self) -> &ColumnType {
        if let ColumnType::Array(items) = &self.of.column_type { items } else { &self.of.column_type }
    }

    /// Whether a text is a value of its enum.
    pub fn has_variant(&self, text: &str) -> bool {
        let ColumnType::Enum { variants, .. } = self.item_type() else { return false };
        variants.iter().any(|known| known.inner() == text)
    }

    /// The value for one of a cursor or an id, as it is compared with this column. `None` if it is none of the column.
    pub fn value(&self, scalar: Scalar) -> Option<Value> {
        match (self.kind().item().value(scalar)?, self.item_type()) {
            (Value::String(Some(text)), ColumnType::Enum { name, .. }) => {
                let of_type = Enum { type_name: name.to_string().into(), value: text.clone().into() };
                self.has_variant(&text).then(|| Value::Enum(OptionEnum::Some(Box::new(of_type))))
            }
            (value, _) => Some(value),
        }
    }

    /// It as a selected expression.
    pub(crate) fn select_expr(&self) -> Expr {
        match self.of.kind {
            // Without the blanks that pad it; with all digits of its numbers; the same on both databases.
            Kind::Char | Kind::Json | Kind::Array(_) => self.expr().cast_as("text"),
            // An order needs it as it is.
            Kind::Enum => self.expr(),
            _ => (self.of.select_as)(self.expr()),
        }
    }
}

impl fmt::Debug for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.table, self.of.name)
    }
}

impl PartialEq for Column {
    fn eq(&self, other: &Self) -> bool {
        (&self.table, self.of.name) == (&other.table, other.of.name)
    }
}

impl<C: ColumnTrait> From<C> for Column {
    fn from(column: C) -> Self {
        let number = C::iter().take_while(|earlier| earlier.as_str() != column.as_str()).count();
        Self::numbered(column, number)
    }
}

impl Column {
    fn numbered(column: impl ColumnTrait, number: usize) -> Self {
        let (def, (table, _)) = (column.def(), column.as_column_ref());
        let of = Described {
            name: column.as_str(),
            number,
            kind: Kind::of(def.get_column_type()),
            column_type: def.get_column_type().clone(),
            is_nullable: def.is_null(),
            is_unique: def.is_unique(),
            is_indexed: def.is_unique() || is_indexed(&def),
            select_as: Box::new(move |expr| column.select_as(expr)),
        };
        Self { table, of: Arc::new(of) }
    }
}

/// Whether the definition of a column says so. It has no accessor of its own.
fn is_indexed(def: &sea_orm::ColumnDef) -> bool {
    *def == def.clone().indexed()
}

/// A table: its columns and its primary key. Cheap to clone.
///
/// ```
/// # use sea_orm::tests_cfg::cake;
/// let cakes = keyset::Table::of::<cake::Entity>();
/// assert_eq!(cakes.name(), "cake");
/// assert_eq!(cakes.key().map(|column| column.name()).collect::<Vec<_>>(), ["id"]);
/// ```
#[derive(Clone, Debug)]
pub struct Table(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    name: String,
    table: TableRef,
    columns: Vec<Column>,
    /// The numbers of the columns.
    key: Vec<usize>,
    models: EntityModels,
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
        Self(Arc::new(Parts {
            name: E::default().table_name().to_owned(),
            table,
            columns,
            key,
            models: EntityModels::of::<E>(),
        }))
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The columns, in their order.
    pub fn columns(&self) -> &[Column] {
        &self.0.columns
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.0.columns.iter().find(|column| column.name() == name)
    }

    /// The columns of the primary key.
    pub fn key(&self) -> impl Iterator<Item = &Column> {
        self.0.key.iter().map(|number| &self.0.columns[*number])
    }

    /// What makes models of its rows.
    pub(crate) fn models(&self) -> &EntityModels {
        &self.0.models
    }

    /// The table in a statement.
    pub fn table_ref(&self) -> TableRef {
        self.0.table.clone()
    }

    /// All rows, without columns: see [`Self::select`].
    pub fn rows(&self) -> TableRows {
        TableRows(Query::select().from(self.table_ref()).take())
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
