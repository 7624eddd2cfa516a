//! A row's values under an order.

use sea_orm::{DbErr, QueryResult, Value};

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
