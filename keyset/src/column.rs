//! Columns as data: from a SeaORM entity, or from the catalogue of a database.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use sea_orm::sea_query::{ColumnType, Enum, Expr, ExprTrait as _, IntoIden, OptionEnum};
use sea_orm::{ColumnTrait, DynIden, Value};

use crate::{Kind, Scalar};

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
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Described {
    name: &'static str,
    number: usize,
    column_type: ColumnType,
    kind: Kind,
    is_nullable: bool,
    is_unique: bool,
    is_indexed: bool,
    has_default: bool,
    is_computed: bool,
    /// How it is stored: as a value of its enum.
    save_as: Box<dyn Fn(Expr) -> Expr + Send + Sync>,
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

    /// Whether new rows have a value where none is given.
    pub fn has_default(&self) -> bool {
        self.of.has_default
    }

    /// Whether the database computes its values: nothing is written into it.
    pub fn is_computed(&self) -> bool {
        self.of.is_computed
    }

    /// A value as an expression that is stored in it.
    pub fn stored(&self, value: impl Into<Expr>) -> Expr {
        (self.of.save_as)(value.into())
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
        let is_known = |value: &Value| match (value, self.item_type()) {
            (Value::String(Some(text)), ColumnType::Enum { .. }) => self.has_variant(text),
            _ => true,
        };
        self.kind().item().value(scalar).filter(is_known).map(|value| self.value_of(value))
    }

    /// A value that a row has, as it is compared with this column: on PostgreSQL, a text is no value of an enum.
    pub(crate) fn value_of(&self, value: Value) -> Value {
        match (value, self.item_type()) {
            (Value::String(Some(text)), ColumnType::Enum { name, .. }) => {
                let of_type = Enum { type_name: name.to_string().into(), value: text.into() };
                Value::Enum(OptionEnum::Some(Box::new(of_type)))
            }
            (value, _) => value,
        }
    }

    /// The same of an expression.
    pub(crate) fn bound(&self, value: impl Into<Expr>) -> Expr {
        match self.column_type() {
            ColumnType::Enum { name, .. } => value.into().as_enum(name.clone()),
            _ => value.into(),
        }
    }

    /// It as a selected expression.
    pub(crate) fn select_expr(&self) -> Expr {
        match self.of.kind {
            // Without the blanks that pad it; with all digits of its numbers; the same on both databases.
            Kind::Char | Kind::Json | Kind::Array(_) => self.expr().cast_as("text"),
            // The arrays of a list hold no arrays.
            Kind::Unsupported if matches!(self.of.column_type, ColumnType::Array(_)) => self.expr().cast_as("text"),
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
    pub(crate) fn numbered(column: impl ColumnTrait, number: usize) -> Self {
        let (def, (table, _)) = (column.def(), column.as_column_ref());
        let of = Described {
            name: column.as_str(),
            number,
            kind: Kind::of(def.get_column_type()),
            column_type: def.get_column_type().clone(),
            is_nullable: def.is_null(),
            is_unique: def.is_unique(),
            is_indexed: def.is_unique() || is_indexed(&def),
            has_default: def.get_column_default().is_some(),
            is_computed: false,
            save_as: Box::new(move |expr| column.save_as(expr)),
            select_as: Box::new(move |expr| column.select_as(expr)),
        };
        Self { table, of: Arc::new(of) }
    }
}

/// What a catalogue says of a column.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct ColumnDefinition {
    /// The name. It is kept for as long as the process runs.
    pub name: String,
    /// The type.
    pub column_type: ColumnType,
    /// Whether it can be NULL.
    pub is_nullable: bool,
    /// Whether no two rows have one value.
    pub is_unique: bool,
    /// Whether an index begins with it.
    pub is_indexed: bool,
    /// Whether new rows have a value where none is given.
    pub has_default: bool,
    /// Whether the database computes its values.
    pub is_computed: bool,
}

impl ColumnDefinition {
    /// The column of the table with this name, with this number among its columns.
    pub(crate) fn column(self, table: &DynIden, number: usize) -> Column {
        let kind = Kind::of(&self.column_type);
        let of = Described {
            name: interned(&self.name),
            number,
            kind,
            is_nullable: self.is_nullable,
            is_unique: self.is_unique,
            is_indexed: self.is_indexed,
            has_default: self.has_default,
            is_computed: self.is_computed,
            save_as: match of_enum(&self.column_type) {
                Some(name) => Box::new(move |expr| if is_of_enum(&expr) { expr } else { expr.as_enum(name.clone()) }),
                None => Box::new(|expr| expr),
            },
            // Enums are selected by their kind.
            select_as: Box::new(|expr| expr),
            column_type: self.column_type,
        };
        Column { table: table.clone(), of: Arc::new(of) }
    }
}

/// The type of the database that values of an enum, or lists of them, are stored as.
fn of_enum(column_type: &ColumnType) -> Option<DynIden> {
    match column_type {
        ColumnType::Enum { name, .. } => Some(name.clone()),
        ColumnType::Array(items) => of_enum(items).map(|name| format!("{name}[]").into_iden()),
        _ => None,
    }
}

/// Whether a value says of which enum it is.
fn is_of_enum(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(Value::Enum(_)))
}

/// The same name, kept for as long as the process runs: a statement then names its columns without a copy. Each name is kept once, so
/// that what this takes is bounded by what databases are called.
fn interned(name: &str) -> &'static str {
    static NAMES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let names = names.get_or_insert_default();
    if let Some(known) = names.get(name) {
        return known;
    }
    let name = &*name.to_owned().leak();
    names.insert(name);
    name
}

/// Whether the definition of a column says so. It has no accessor of its own.
fn is_indexed(def: &sea_orm::ColumnDef) -> bool {
    *def == def.clone().indexed()
}
