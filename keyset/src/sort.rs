//! One criterion of an order.

use sea_orm::sea_query::{Expr, NullOrdering, Order as SqlOrder};
use sea_orm::{DynIden, EntityTrait, IdenStatic, Iterable, Value};

use crate::Column;
use crate::dialect::Dialect;
use crate::wire::Scalar;
use crate::{Kind, Table};

/// The direction of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The smallest value first.
    Asc,
    /// The largest value first.
    Desc,
}

impl Direction {
    /// The other direction.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Asc => Self::Desc,
            Self::Desc => Self::Asc,
        }
    }
}

impl From<Direction> for SqlOrder {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Asc => Self::Asc,
            Direction::Desc => Self::Desc,
        }
    }
}

/// The placement of a sort's NULLs. The default is `Nulls::Last`, on every database and in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Nulls {
    /// Before every value.
    First,
    /// After every value.
    Last,
}

impl Nulls {
    /// The other end.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::First => Self::Last,
            Self::Last => Self::First,
        }
    }
}

impl From<Nulls> for NullOrdering {
    fn from(nulls: Nulls) -> Self {
        match nulls {
            Nulls::First => Self::First,
            Nulls::Last => Self::Last,
        }
    }
}

/// The origin of a sort's values.
#[derive(Clone, Debug, PartialEq)]
enum Origin {
    Column { table: String, unique: bool },
    Expression,
}

/// How the database compares a sort's texts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Collation {
    /// As only the database knows.
    Unknown,
    /// As Rust does, which the caller promised.
    CodePoint,
}

/// One expression, its direction, and the placement of its NULLs.
///
/// The type of a column, and whether it can be NULL, come from the entity:
///
/// ```
/// # use sea_orm::tests_cfg::cake;
/// use keyset::{Nulls, Sort};
///
/// let by_name = Sort::desc(cake::Column::Name).nulls(Nulls::First);
/// ```
///
/// For an expression they are given: see [`Sort::expression`].
#[derive(Clone, Debug, PartialEq)]
pub struct Sort {
    pub(crate) name: String,
    origin: Origin,
    pub(crate) expr: Expr,
    pub(crate) kind: Kind,
    pub(crate) nullable: bool,
    /// Whether the caller promised that there is no NULL, whatever the column says.
    never_null: bool,
    pub(crate) computed: bool,
    collation: Collation,
    /// The column of an enum.
    of_enum: Option<Column>,
    pub(crate) direction: Direction,
    pub(crate) nulls: Nulls,
}

impl Sort {
    /// By a column, the smallest value first.
    pub fn asc(column: impl Into<Column>) -> Self {
        Self::column(column, Direction::Asc)
    }

    /// By a column, the largest value first.
    pub fn desc(column: impl Into<Column>) -> Self {
        Self::column(column, Direction::Desc)
    }

    /// By a column.
    pub fn column(column: impl Into<Column>, direction: Direction) -> Self {
        let column = column.into();
        let table = column.table();
        Self {
            name: format!("{table}.{}", column.name()),
            origin: Origin::Column { table, unique: column.is_unique() },
            expr: column.expr(),
            kind: column.kind(),
            of_enum: Some(&column).filter(|column| column.kind() == Kind::Enum).cloned(),
            nullable: column.is_nullable(),
            never_null: false,
            computed: false,
            collation: Collation::Unknown,
            direction,
            nulls: Nulls::Last,
        }
    }

    /// By an SQL expression, the smallest value first. It can be NULL, unless [`Sort::never_null`] promises otherwise.
    ///
    /// The name stands for the expression's meaning in every cursor: change it when the meaning changes, and only then.
    /// The expression should be deterministic, and an index should hold it.
    ///
    /// ```
    /// # use sea_orm::tests_cfg::cake;
    /// use keyset::{Kind, Sort};
    /// use sea_orm::sea_query::{Expr, Func};
    ///
    /// let by_length = Sort::expression("length of name", Func::char_length(Expr::col(cake::Column::Name)), Kind::Int);
    /// ```
    pub fn expression(name: impl Into<String>, expr: impl Into<Expr>, kind: Kind) -> Self {
        Self {
            name: format!("({})", name.into()),
            origin: Origin::Expression,
            expr: expr.into(),
            kind,
            of_enum: None,
            nullable: true,
            never_null: false,
            computed: false,
            collation: Collation::Unknown,
            direction: Direction::Asc,
            nulls: Nulls::Last,
        }
    }

    /// Promises that the value is never NULL, which saves a range: for an expression, or a column of an inner join.
    #[must_use]
    pub fn never_null(mut self) -> Self {
        self.nullable = false;
        self.never_null = true;
        self
    }

    /// Declares that no index holds the expression, for example the relevance in a full-text search.
    ///
    /// The cost of a page is then proportional to the rows of the query: each page computes the expression for all of
    /// them. Filter the query first.
    #[must_use]
    pub fn computed(mut self) -> Self {
        self.computed = true;
        self
    }

    /// Promises that the database compares its texts by code point: that it is in UTF-8, and that their collation is `BINARY`
    /// on SQLite, which is the default of a column, or `"C"` on PostgreSQL.
    ///
    /// The rows of a page are then put in order where they are read, as those with numbers are. Otherwise the database sorts
    /// them again. Under another collation, pages have wrong rows.
    ///
    /// ```
    /// # use sea_orm::tests_cfg::cake;
    /// # use keyset::Sort;
    /// let by_name = Sort::asc(cake::Column::Name).by_code_point();
    /// ```
    #[must_use]
    pub fn by_code_point(mut self) -> Self {
        self.collation = Collation::CodePoint;
        self
    }

    /// Whether each database compares its values as [`Order::compare`](crate::Order::compare) does.
    pub(crate) fn is_compared_here(&self) -> bool {
        match self.kind {
            Kind::SmallInt | Kind::Int | Kind::BigInt | Kind::Bytes | Kind::Uuid => true,
            Kind::Text => self.collation == Collation::CodePoint,
            _ => false,
        }
    }

    /// Whether this is a value of the sort's kind, and NULL only if the sort can be NULL. PostgreSQL knows no other values of an
    /// enum than its own.
    pub(crate) fn holds(&self, value: &Value) -> bool {
        match (self.scalar(value), &self.of_enum) {
            (Some(Scalar::Null), _) => self.nullable,
            (Some(Scalar::Text(text)), Some(column)) => column.has_variant(&text),
            (scalar, _) => scalar.is_some(),
        }
    }

    /// Whether this is an infinite date or time. Its type of Rust has none: it is a double.
    pub(crate) fn is_infinite(&self, value: &Value) -> bool {
        matches!(value, Value::Double(Some(double)) if double.is_infinite()) && self.kind.is_date()
    }

    /// The value in a cursor.
    pub(crate) fn scalar(&self, value: &Value) -> Option<Scalar> {
        self.kind_of(value).scalar(value)
    }

    /// The kind of a value in a cursor.
    pub(crate) fn kind_of(&self, value: &Value) -> Kind {
        if self.is_infinite(value) { Kind::Double } else { self.kind }
    }

    /// The value for one in a cursor. `None` for a value that the sort does not have.
    pub(crate) fn value(&self, scalar: Scalar) -> Option<Value> {
        let kind = if matches!(scalar, Scalar::Double(_)) && self.kind.is_date() { Kind::Double } else { self.kind };
        kind.value(scalar).filter(|value| self.holds(value))
    }

    /// A value as the database compares it with its own.
    pub(crate) fn bind(&self, value: &Value, dialect: Dialect) -> Expr {
        if let Some(infinite) = dialect.infinite(value, self) {
            return infinite;
        }
        let value = Expr::value(dialect.bind(value));
        match &self.of_enum {
            Some(column) => column.bound(value),
            None => value,
        }
    }

    pub(crate) fn is_column(&self) -> bool {
        matches!(self.origin, Origin::Column { .. })
    }

    /// The name of the column that is its expression, if any.
    pub(crate) fn column_name(&self) -> Option<&DynIden> {
        match &self.expr {
            Expr::Column(column) => column.column(),
            _ => None,
        }
    }

    /// The column of this entity by which it sorts, if any.
    pub(crate) fn column_of<E: EntityTrait>(&self) -> Option<E::Column> {
        let table = E::default().table_name();
        let name = self.is_column().then(|| self.name.strip_prefix(table)?.strip_prefix('.')).flatten()?;
        E::Column::iter().find(|column| column.as_str() == name)
    }

    /// The name of the column of this table by which it sorts, if any.
    pub(crate) fn column_in(&self, table: &Table) -> Option<&str> {
        self.is_column().then(|| self.name.strip_prefix(table.name())?.strip_prefix('.')).flatten()
    }

    /// Whether no two rows are equal under it and it is never NULL.
    pub(crate) fn is_unique(&self) -> bool {
        matches!(self.origin, Origin::Column { unique: true, .. }) && !self.nullable
    }

    /// The sort in a query over this table. Whether a column is unique and not NULL holds in its own table only: a join
    /// can repeat its values, and an outer join adds NULLs.
    pub(crate) fn within(mut self, table: &str) -> Self {
        match &mut self.origin {
            Origin::Column { table: own, unique } if own != table => {
                *unique = false;
                self.nullable = !self.never_null;
            }
            _ => {}
        }
        self
    }

    /// The same sort of rows that have its value in this expression.
    pub(crate) fn over(&self, expr: Expr) -> Self {
        Self { expr, ..self.clone() }
    }

    /// The type of its values.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The name: `table.column` for a column, and the given name in parentheses for an expression.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same sort in this direction.
    #[must_use]
    pub fn direction(mut self, direction: Direction) -> Self {
        self.direction = direction;
        self
    }

    /// The same sort with its NULLs at this end.
    #[must_use]
    pub fn nulls(mut self, nulls: Nulls) -> Self {
        self.nulls = nulls;
        self
    }

    /// The same sort in the other direction, with its NULLs at the other end.
    #[must_use]
    pub fn reversed(self) -> Self {
        let (direction, nulls) = (self.direction.reversed(), self.nulls.reversed());
        self.direction(direction).nulls(nulls)
    }
}
