//! The lists to read: one list, or one list per parent.

use std::mem::discriminant;
use std::sync::Arc;

use sea_orm::sea_query::{Condition, Expr, ExprTrait, SelectStatement};
use sea_orm::{DbErr, QueryTrait, Value};

use crate::range::Index;
use crate::{Column, Kind};

/// One list, or the same list of each of many parents.
///
/// A nested list is read for all parents at once:
///
/// ```no_run
/// # use sea_orm::{EntityTrait, tests_cfg::fruit};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let cakes = [1, 2, 3];
/// let fruits = Lists::per_parent(fruit::Entity::find(), fruit::Column::CakeId, cakes);
/// let page = Page::first(&Order::of::<fruit::Entity>([])?, 5);
///
/// let slices = fetch(db, &fruits, &page).await?;
/// let counts = count(db, &fruits).await?;
/// assert_eq!((slices.len(), counts.len()), (3, 3));
/// # Ok(())
/// # }
/// ```
///
/// Every function that takes a [`Source`] returns a vector for `Lists`, with one result per list, in the order of the
/// parents. A parent that is given twice has two results. A parent without children, or that does not exist, has an
/// empty list.
#[derive(Clone, Debug)]
pub struct Lists<Q> {
    query: Q,
    parents: Option<Parents>,
}

impl<Q> Lists<Q> {
    /// One list. Its results are vectors with one element: for code that serves lists with and without parents.
    pub fn one(query: Q) -> Self {
        Self { query, parents: None }
    }

    /// One list per parent: the rows of the query whose `column` equals the parent's value.
    ///
    /// `column` is the child's reference to its parent, and the index of the list begins with it.
    pub fn per_parent<P>(query: Q, column: impl Into<Column>, parents: P) -> Self
    where
        P: IntoIterator<Item: Into<Value>>,
    {
        let values = parents.into_iter().map(Into::into).collect();
        Self { query, parents: Some(Parents { references: [column.into()].into(), values }) }
    }

    /// The same for parents whose keys have several values: one for each of these columns. The values of all keys stand one after
    /// the other.
    ///
    /// # Panics
    ///
    /// Panics without a column.
    pub fn per_key(query: Q, columns: &[Column], keys: Vec<Value>) -> Self {
        assert!(!columns.is_empty(), "expected the columns that refer to the parents");
        Self { query, parents: Some(Parents { references: columns.into(), values: keys.into() }) }
    }

    /// The number of lists.
    pub fn len(&self) -> usize {
        self.parents.as_ref().map_or(1, Parents::len)
    }

    /// The query, if it is one list without parents.
    pub fn only(&self) -> Option<&Q> {
        self.parents.is_none().then_some(&self.query)
    }

    /// Whether there is no list, because there is no parent.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What the functions of this crate read: a query, or [`Lists`].
///
/// | source | result |
/// |---|---|
/// | a query, such as a SeaORM `Select` | one |
/// | `Lists`, `&Lists` | a vector, with one result per list |
///
/// The query brings its columns, filters and joins. Its own order, limit and offset are dropped. This trait cannot be
/// implemented outside of this crate.
pub trait Source {
    /// The query of the rows of all lists.
    type Query: QueryTrait<QueryStatement = SelectStatement>;
    /// One `T`, or a vector of them.
    type Of<T>;

    #[doc(hidden)]
    fn parts(&self) -> Parts<'_>;

    /// The results in this form.
    #[doc(hidden)]
    fn wrap<T>(results: Vec<T>) -> Result<Self::Of<T>, DbErr>;

    /// The results in this form as a slice.
    #[doc(hidden)]
    fn each<T>(results: &Self::Of<T>) -> &[T];
}

impl<Q: QueryTrait<QueryStatement = SelectStatement>> Source for Q {
    type Query = Q;
    type Of<T> = T;

    fn parts(&self) -> Parts<'_> {
        Parts { query: self.as_query(), parents: None }
    }

    fn wrap<T>(mut results: Vec<T>) -> Result<T, DbErr> {
        results.pop().ok_or_else(|| DbErr::Custom("a query without a result".into()))
    }

    fn each<T>(result: &T) -> &[T] {
        std::slice::from_ref(result)
    }
}

impl<Q: QueryTrait<QueryStatement = SelectStatement>> Source for Lists<Q> {
    type Query = Q;
    type Of<T> = Vec<T>;

    fn parts(&self) -> Parts<'_> {
        Parts { query: self.query.as_query(), parents: self.parents.as_ref() }
    }

    fn wrap<T>(results: Vec<T>) -> Result<Vec<T>, DbErr> {
        Ok(results)
    }

    fn each<T>(results: &Vec<T>) -> &[T] {
        results
    }
}

impl<Q: QueryTrait<QueryStatement = SelectStatement>> Source for &Lists<Q> {
    type Query = Q;
    type Of<T> = Vec<T>;

    fn parts(&self) -> Parts<'_> {
        Lists::parts(self)
    }

    fn wrap<T>(results: Vec<T>) -> Result<Vec<T>, DbErr> {
        Lists::<Q>::wrap(results)
    }

    fn each<T>(results: &Vec<T>) -> &[T] {
        results
    }
}

/// The parts of a source.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    pub(crate) query: &'a SelectStatement,
    pub(crate) parents: Option<&'a Parents>,
}

impl Parts<'_> {
    /// The query of each list.
    pub(crate) fn queries(self) -> Vec<SelectStatement> {
        match self.parents {
            None => vec![self.query.clone()],
            Some(parents) => parents.each().map(|key| parents.children(self.query, parents.narrowed(key))).collect(),
        }
    }

    /// The queries of the lists that can have rows, each with the number of its list: not those of parents that are NULL.
    ///
    /// # Errors
    ///
    /// As [`Parents::present`].
    pub(crate) fn present(self) -> Result<(Vec<usize>, Vec<SelectStatement>), DbErr> {
        let Some(parents) = self.parents else { return Ok((vec![0], self.queries())) };
        let (lists, values) = parents.present()?;
        let keys = values.chunks(parents.width());
        Ok((lists, keys.map(|key| parents.children(self.query, parents.narrowed(key))).collect()))
    }

    /// The number of lists.
    pub(crate) fn len(self) -> usize {
        self.parents.map_or(1, Parents::len)
    }

    /// The index that is expected to serve each list.
    pub(crate) fn index(self) -> Index {
        if self.parents.is_some() { Index::OfParent } else { Index::OfOrder }
    }
}

/// The parents of many lists, and the children's references to them.
#[derive(Clone, Debug)]
pub struct Parents {
    pub(crate) references: Arc<[Column]>,
    /// For each parent, a value for each reference.
    pub(crate) values: Arc<[Value]>,
}

impl Parents {
    /// The number of values of each parent.
    pub(crate) fn width(&self) -> usize {
        self.references.len()
    }

    /// The number of parents.
    pub(crate) fn len(&self) -> usize {
        self.values.len() / self.width()
    }

    /// The values of each parent.
    pub(crate) fn each(&self) -> std::slice::ChunksExact<'_, Value> {
        self.values.chunks_exact(self.width())
    }

    /// The values of the parents without NULLs, which have no children, and the number of each one's list.
    ///
    /// # Errors
    ///
    /// [`DbErr::Type`] unless all parents have one type; integers of all widths are one type.
    pub(crate) fn present(&self) -> Result<(Vec<usize>, Vec<Value>), DbErr> {
        let (mut lists, mut values) = (Vec::with_capacity(self.len()), Vec::with_capacity(self.values.len()));
        for (list, parent) in self.each().enumerate() {
            let before = values.len();
            values.extend(parent.iter().cloned().map(widened));
            if values[before..].iter().any(|value| *value == value.as_null()) {
                values.truncate(before);
            } else {
                lists.push(list);
            }
        }
        for (place, reference) in self.references.iter().enumerate() {
            let mut of_one = values.iter().skip(place).step_by(self.width()).map(discriminant);
            let first = of_one.next();
            if of_one.any(|other| Some(other) != first) {
                return Err(DbErr::Type(format!("expected parents of one type for the column `{}`", reference.name())));
            }
        }
        Ok((lists, values))
    }

    /// The values of a parent as a filter binds them to these columns. Two statements of one text need parameters of the same types: prepared
    /// statements are kept by their texts. A key that no value of the column equals is NULL.
    fn narrowed<'k>(&'k self, parent: &'k [Value]) -> impl Iterator<Item = Value> + 'k {
        self.references.iter().zip(parent).map(|(column, value)| match (column.kind(), value) {
            (Kind::SmallInt | Kind::Int, Value::BigInt(Some(key))) => Value::Int(i32::try_from(*key).ok()),
            _ => value.clone(),
        })
    }

    /// The rows of a query that belong to the parent with these values.
    pub(crate) fn children(
        &self,
        query: &SelectStatement,
        parent: impl IntoIterator<Item: Into<Expr>>,
    ) -> SelectStatement {
        let equal = |(reference, value): (&Column, _)| reference.expr().eq(reference.bound(value));
        let mut children = query.clone();
        children.cond_where(self.references.iter().zip(parent).map(equal).fold(Condition::all(), Condition::add));
        children
    }
}

/// The name of the column with the value of a parent at this place of its key.
pub(crate) fn parent_name(place: usize) -> String {
    if place == 0 { "keyset_parent".into() } else { format!("keyset_parent_{place}") }
}

/// The values of keys of this width, as one parameter of PostgreSQL for each column.
pub(crate) fn columns_of(values: &[Value], width: usize) -> Vec<Value> {
    (0..width).map(|place| array(values.iter().skip(place).step_by(width).cloned().collect())).collect()
}

/// The values as one parameter of PostgreSQL. There must be one, all must have one type, and none may be NULL.
pub(crate) fn array(values: Vec<Value>) -> Value {
    Value::Array(values[0].array_type(), Some(Box::new(values)))
}

/// The value with integers in the widest type, so that a parent equals the reference to it in any width.
pub(crate) fn widened(value: Value) -> Value {
    match value {
        Value::TinyInt(v) => Value::BigInt(v.map(Into::into)),
        Value::SmallInt(v) => Value::BigInt(v.map(Into::into)),
        Value::Int(v) => Value::BigInt(v.map(Into::into)),
        Value::TinyUnsigned(v) => Value::BigInt(v.map(Into::into)),
        Value::SmallUnsigned(v) => Value::BigInt(v.map(Into::into)),
        Value::Unsigned(v) => Value::BigInt(v.map(Into::into)),
        // Too large for any column: like NULL, it has no children.
        Value::BigUnsigned(v) => Value::BigInt(v.and_then(|v| v.try_into().ok())),
        value => value,
    }
}
