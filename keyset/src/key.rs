//! A row's values under an order.

use sea_orm::{DbErr, ModelTrait, QueryResult, Value};

use crate::dialect::Dialect;
use crate::wire::Scalar;
use crate::{CursorError, Order, Sort, bracket};

/// The values of an order's sorts for one row, one for each sort: a place in the order, whether a row stands there or
/// not.
///
/// ```
/// # use sea_orm::tests_cfg::cake;
/// use keyset::{CursorError, Key, Order, Sort};
///
/// let order = Order::of::<cake::Entity>([Sort::asc(cake::Column::Name)])?;
/// let key = Key::new(&order, vec!["Sachertorte".into(), 7.into()])?;
/// assert_eq!(order.open(order.seal(&key)?.as_str())?, key);
/// assert_eq!(Key::new(&order, vec![7.into(), 7.into()]), Err(CursorError::Type(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Key(Vec<Value>);

impl Key {
    /// A key of these values.
    ///
    /// # Errors
    ///
    /// [`CursorError::Arity`] unless there is one for each sort; [`CursorError::Type`] unless each is of its sort's
    /// [`Kind`](crate::Kind), and a NULL only where there can be one.
    pub fn new(order: &Order, values: Vec<Value>) -> Result<Self, CursorError> {
        let (found, expected) = (values.len(), order.sorts().len());
        if found != expected {
            return Err(CursorError::Arity { found, expected });
        }
        let fits = |(value, sort): (&Value, &Sort)| match sort.kind.scalar(value) {
            Some(Scalar::Null) => sort.nullable,
            scalar => scalar.is_some(),
        };
        match values.iter().zip(order.sorts()).position(|pair| !fits(pair)) {
            None => Ok(Self(values)),
            Some(place) => Err(CursorError::Type(place)),
        }
    }

    /// The key of a row that is at hand, such as one that has just been inserted, under an order by columns of its
    /// table. It is the key that [`fetch`](crate::fetch) would return with the row.
    ///
    /// So that it is, the model must hold what the database does. One that was inserted with more digits than its
    /// decimal has room for, or with nanoseconds, is another one when it is read back.
    ///
    /// ```
    /// # use sea_orm::tests_cfg::cake;
    /// use keyset::{CursorError, Key, Order, Sort};
    /// use sea_orm::sea_query::{Expr, Func};
    ///
    /// let cake = cake::Model { id: 7, name: "Sachertorte".into() };
    /// let order = Order::of::<cake::Entity>([Sort::asc(cake::Column::Name)])?;
    /// assert_eq!(Key::of(&order, &cake)?, Key::new(&order, vec!["Sachertorte".into(), 7.into()])?);
    ///
    /// let length = Sort::expression("length", Func::char_length(Expr::col(cake::Column::Name)), keyset::Kind::Int);
    /// let order = Order::of::<cake::Entity>([Sort::asc(cake::Column::Name), length])?;
    /// assert_eq!(Key::of(&order, &cake), Err(CursorError::NotAColumn(1)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CursorError::NotAColumn`] for a sort by an expression, or by a column of another table;
    /// [`CursorError::Type`] where a field is of another type than its column.
    pub fn of<M: ModelTrait>(order: &Order, model: &M) -> Result<Self, CursorError> {
        let field = |(place, sort): (usize, &Sort)| {
            let column = sort.column_of::<M::Entity>().ok_or(CursorError::NotAColumn(place))?;
            Ok(sort.kind.of_field(model.get(column)))
        };
        let values = order.sorts().iter().enumerate().map(field).collect::<Result<_, _>>()?;
        Self::new(order, values)
    }

    /// The values, the most significant first.
    pub fn values(&self) -> &[Value] {
        &self.0
    }

    /// The key of a row that a bracket returned.
    pub(crate) fn read(order: &Order, row: &QueryResult, dialect: Dialect) -> Result<Self, DbErr> {
        let read =
            |(place, sort): (usize, &Sort)| sort.kind.read(row, &bracket::key_column(place).to_string(), dialect);
        order.sorts().iter().enumerate().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// The key as this database compares it.
    pub(crate) fn bind(&self, dialect: Dialect) -> Self {
        Self(self.0.iter().map(|value| dialect.bind(value)).collect())
    }
}
