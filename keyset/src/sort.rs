//! One criterion of an order.

use sea_orm::ColumnTrait;
use sea_orm::sea_query::{Expr, NullOrdering, Order as SqlOrder};

use crate::Kind;

/// Which way a sort runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The smallest value first.
    Asc,
    /// The largest value first.
    Desc,
}

impl Direction {
    /// The other way.
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

/// Where a sort puts its NULLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Nulls {
    /// Before every value.
    First,
    /// After every value: what a sort does unless asked otherwise, in both directions and on every database.
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

/// One expression, its direction, its null placement.
///
/// A column says by itself what type it has and whether it can be NULL:
///
/// ```
/// # use sea_orm::tests_cfg::cake;
/// use keyset::{Nulls, Sort};
///
/// let by_name = Sort::desc(cake::Column::Name).nulls(Nulls::First);
/// ```
///
/// An expression states its own: see [`Sort::expression`].
#[derive(Clone, Debug)]
pub struct Sort {
    pub(crate) name: String,
    pub(crate) expr: Expr,
    /// `None` where rows cannot be ordered by a column of this type: an order of it is refused.
    pub(crate) kind: Option<Kind>,
    pub(crate) nullable: bool,
    pub(crate) unique: bool,
    pub(crate) direction: Direction,
    pub(crate) nulls: Nulls,
}

impl Sort {
    /// By a column, the smallest value first.
    pub fn asc(column: impl ColumnTrait) -> Self {
        Self::column(column, Direction::Asc)
    }

    /// By a column, the largest value first.
    pub fn desc(column: impl ColumnTrait) -> Self {
        Self::column(column, Direction::Desc)
    }

    /// By a column.
    pub fn column(column: impl ColumnTrait, direction: Direction) -> Self {
        let def = column.def();
        let (table, name) = column.as_column_ref();
        Self {
            name: format!("{table}.{name}"),
            expr: Expr::col((table, name)),
            kind: Kind::of(def.get_column_type()),
            nullable: def.is_null(),
            unique: def.is_unique(),
            direction,
            nulls: Nulls::Last,
        }
    }

    /// By an SQL expression, the smallest value first, which may be NULL unless [`Sort::never_null`] says otherwise.
    ///
    /// The name stands for the expression's meaning in every cursor: keep it while the meaning stays, change it when
    /// the meaning changes. The expression should be deterministic, and an index should hold it.
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
            name: name.into(),
            expr: expr.into(),
            kind: Some(kind),
            nullable: true,
            unique: false,
            direction: Direction::Asc,
            nulls: Nulls::Last,
        }
    }

    /// Promises that an expression is never NULL, which saves a range.
    #[must_use]
    pub fn never_null(mut self) -> Self {
        self.nullable = false;
        self
    }

    /// The same sort, this way.
    #[must_use]
    pub fn direction(mut self, direction: Direction) -> Self {
        self.direction = direction;
        self
    }

    /// The same sort, its NULLs placed there.
    #[must_use]
    pub fn nulls(mut self, nulls: Nulls) -> Self {
        self.nulls = nulls;
        self
    }

    /// The same sort backwards, its NULLs at the other end too.
    #[must_use]
    pub fn reversed(self) -> Self {
        let (direction, nulls) = (self.direction.reversed(), self.nulls.reversed());
        self.direction(direction).nulls(nulls)
    }
}
