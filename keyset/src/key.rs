//! A row's values under an order.

use sea_orm::{DbErr, ModelTrait, Value};
use smallvec::SmallVec;

use crate::dialect::Dialect;
use crate::range::Place;
use crate::{KeyError, Kind, Order, Sort, Table};

/// The values of one row under an order, one for each sort. A key is a position in the order, whether or not a row has
/// it.
///
/// ```
/// # use sea_orm::tests_cfg::cake;
/// use keyset::{Key, KeyError, Order, Sort};
///
/// let order = Order::of::<cake::Entity>([Sort::asc(cake::Column::Name)])?;
/// let key = Key::new(&order, vec!["Sachertorte".into(), 7.into()])?;
/// assert_eq!(order.open(order.seal(&key)?.as_str())?, key);
/// assert_eq!(Key::new(&order, vec![7.into(), 7.into()]), Err(KeyError::Type(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Key(Values);

/// In place of a value that could not be read: no kind has it.
const UNREADABLE: Value = Value::Char(None);

/// The kinds of SQLite's storage classes.
const CLASSES: [Kind; 4] = [Kind::BigInt, Kind::Double, Kind::Text, Kind::Bytes];

/// Most orders have one sort or two. Their keys need no memory of their own: each row of a page has one.
type Values = SmallVec<[Value; 2]>;

impl Key {
    /// The key with these values.
    ///
    /// # Errors
    ///
    /// [`KeyError::Arity`] unless there is one value for each sort. [`KeyError::Type`] unless each value has the
    /// [`Kind`](crate::Kind) of its sort; NULL is a value only of a sort that can be NULL.
    pub fn new(order: &Order, values: Vec<Value>) -> Result<Self, KeyError> {
        let key = Self(values.into());
        key.check(order)?;
        Ok(key)
    }

    /// The key with these values, which the caller has checked.
    pub(crate) fn of_values(values: Values) -> Self {
        Self(values)
    }

    /// Checks that this can be a key of an order: it has the number of values and their types.
    pub(crate) fn check(&self, order: &Order) -> Result<(), KeyError> {
        let (found, expected) = (self.0.len(), order.sorts().len());
        if found != expected {
            return Err(KeyError::Arity { found, expected });
        }
        match self.0.iter().zip(order.sorts()).position(|(value, sort)| !sort.holds(value)) {
            None => Ok(()),
            Some(position) => Err(KeyError::Type(position)),
        }
    }

    /// The key of a model, for example of a row that was just inserted. Each sort must be by a column of the model's
    /// table. [`fetch`](crate::fetch) returns the same key with the row.
    ///
    /// The model must hold the values that the database stores. A database rounds decimals with too many digits and
    /// truncates nanoseconds, so the key of a model that was not read back can differ.
    ///
    /// ```
    /// # use sea_orm::tests_cfg::cake;
    /// use keyset::{Key, KeyError, Order, Sort};
    /// use sea_orm::sea_query::{Expr, Func};
    ///
    /// let cake = cake::Model { id: 7, name: "Sachertorte".into() };
    /// let order = Order::of::<cake::Entity>([Sort::asc(cake::Column::Name)])?;
    /// assert_eq!(Key::of(&order, &cake)?, Key::new(&order, vec!["Sachertorte".into(), 7.into()])?);
    ///
    /// let length = Sort::expression("length", Func::char_length(Expr::col(cake::Column::Name)), keyset::Kind::Int);
    /// let order = Order::of::<cake::Entity>([Sort::asc(cake::Column::Name), length])?;
    /// assert_eq!(Key::of(&order, &cake), Err(KeyError::NotAColumn(1)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`KeyError::NotAColumn`] for a sort by an expression or by a column of another table.
    /// [`KeyError::Type`] for a field that does not have the type of its column.
    pub fn of<M: ModelTrait>(order: &Order, model: &M) -> Result<Self, KeyError> {
        let field = |(position, sort): (usize, &Sort)| {
            let column = sort.column_of::<M::Entity>().ok_or(KeyError::NotAColumn(position))?;
            Ok(sort.kind.of_field(model.get(column)))
        };
        let values = order.sorts().iter().enumerate().map(field).collect::<Result<_, _>>()?;
        Self::new(order, values)
    }

    /// The key of a row of a table with these values, which are in the order of its columns: as [`Key::of`].
    ///
    /// # Errors
    ///
    /// [`KeyError::NotAColumn`] for a sort by an expression or by a column of another table.
    /// [`KeyError::Type`] for a value that does not have the type of its column.
    pub fn of_row(order: &Order, table: &Table, values: &[Value]) -> Result<Self, KeyError> {
        let value = |(position, sort): (usize, &Sort)| {
            let name = sort.column_in(table).ok_or(KeyError::NotAColumn(position))?;
            let column = table.columns().iter().find(|column| column.name() == name);
            let value = column.and_then(|column| values.get(column.number()));
            value.map(|value| sort.kind.of_field(value.clone())).ok_or(KeyError::NotAColumn(position))
        };
        let values = order.sorts().iter().enumerate().map(value).collect::<Result<_, _>>()?;
        Self::new(order, values)
    }

    /// The values, most significant first.
    pub fn values(&self) -> &[Value] {
        &self.0
    }

    /// The key of a row that a bracket returned: the value of each sort by its place. A value need not be one of its kind: such a
    /// key is that of no cursor. Where keys are compared here, it has the storage class that SQLite compares.
    pub(crate) fn read(sorts: &[Sort], value: impl Fn(usize, Kind) -> Result<Value, DbErr>) -> Result<Self, DbErr> {
        let mut values = Values::new();
        for (place, sort) in sorts.iter().enumerate() {
            values.push(match value(place, sort.kind) {
                Ok(value) => value,
                Err(error) if sorts.iter().all(Sort::is_compared_here) => {
                    CLASSES.into_iter().find_map(|kind| value(place, kind).ok()).ok_or(error)?
                }
                Err(_) => {
                    let infinite = value(place, Kind::Double).ok().filter(|value| sort.is_infinite(value));
                    infinite.unwrap_or(UNREADABLE)
                }
            });
        }
        Ok(Self(values))
    }

    /// The position of the key under an order, with its values as this database compares them.
    pub(crate) fn bind(&self, order: &Order, dialect: Dialect) -> Place {
        let bound = |(value, sort): (&Value, &Sort)| (*value != value.as_null()).then(|| sort.bind(value, dialect));
        self.0.iter().zip(order.sorts()).map(bound).collect()
    }

    /// This key, for a statement.
    ///
    /// # Errors
    ///
    /// [`DbErr::Type`] if a value of the row is none of its sort.
    pub(crate) fn readable(&self, order: &Order) -> Result<&Self, DbErr> {
        match self.0.iter().zip(order.sorts()).position(|(value, sort)| sort.scalar(value).is_none()) {
            None => Ok(self),
            Some(place) => Err(DbErr::Type(format!("value {place} of the key of a row cannot be read"))),
        }
    }
}
