//! Inputs for the order of a list.

use std::borrow::Cow;

use async_graphql::registry::Registry;
use async_graphql::resolver_utils::EnumType;
use async_graphql::{Enum, InputObjectType, InputType, InputValueResult, Value};
use keyset::Order;
use sea_orm::{ColumnTrait, EntityTrait};

use crate::{Result, input};

/// One criterion of an order, over an enum of fields: `BookSort` over `BookSortField`.
///
/// The GraphQL name is that of the enum without `Field`.
#[derive(Clone, Copy, Debug)]
pub struct Sort<F> {
    /// The field to sort by.
    pub field: F,
    /// The direction.
    pub direction: SortDirection,
    /// The position of objects without a value.
    pub nulls: NullPlacement,
}

/// The argument `orderBy`: the criteria of the order, over an enum of fields.
#[derive(Clone, Debug)]
pub struct OrderBy<F>(pub Option<Vec<Sort<F>>>);

impl<F> OrderBy<F> {
    /// The criteria, the first decides first; without the argument, none.
    pub fn criteria(&self) -> &[Sort<F>] {
        self.0.as_deref().unwrap_or_default()
    }
}

/// An enum of what lists can be ordered by. [`OrderBy`] checks its sorts when the schema is built.
pub trait SortField: InputType + EnumType {
    /// The columns that its items are.
    type Column: ColumnTrait + From<Self>;

    /// The sort of this item, ascending: by its column.
    fn sort(self) -> keyset::Sort {
        keyset::Sort::asc(Self::Column::from(self))
    }
}

/// A sort direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[graphql(remote = "keyset::Direction")]
pub enum SortDirection {
    /// Ascending: from the smallest to the largest value.
    Asc,
    /// Descending: from the largest to the smallest value.
    Desc,
}

/// The position of objects without a value in a sorted list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[graphql(remote = "keyset::Nulls")]
pub enum NullPlacement {
    /// Before all other objects, in either direction.
    First,
    /// After all other objects, in either direction.
    Last,
}

impl<F: InputType + Copy> Sort<F> {
    /// Ascending by this field, objects without a value last.
    pub fn asc(field: F) -> Self {
        Self { field, direction: SortDirection::Asc, nulls: NullPlacement::Last }
    }

    /// Descending by this field, objects without a value last.
    pub fn desc(field: F) -> Self {
        Self { direction: SortDirection::Desc, ..Self::asc(field) }
    }

    /// The engine's sort, in this direction and with this null placement.
    pub fn apply(self, sort: keyset::Sort) -> keyset::Sort {
        sort.direction(self.direction.into()).nulls(self.nulls.into())
    }
}

/// The order of a list by columns of its table, then by the primary key. Without criteria it is the primary key alone.
///
/// # Errors
///
/// `INTERNAL` for a column that cannot be ordered by.
pub fn by_columns<E, F>(order_by: &OrderBy<F>) -> Result<Order>
where
    E: EntityTrait,
    F: SortField,
{
    let criteria = order_by.criteria().iter();
    Ok(Order::of::<E>(criteria.map(|sort| sort.apply(sort.field.sort())))?)
}

const DESCRIPTION: &str =
    "A criterion to sort by. Objects that are equal under it are sorted by the next criterion. After the last criterion,
they are sorted by the primary key, in the direction of that criterion.";

impl<F: InputType + Copy> InputType for Sort<F> {
    type RawValueType = Self;

    fn type_name() -> Cow<'static, str> {
        let field = F::type_name();
        field.strip_suffix("Field").map_or_else(|| format!("{field}Sort"), str::to_owned).into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        input::register::<Self>(registry, DESCRIPTION, |fields| {
            fields
                .field::<F>("field", "The field to sort by.")
                .field_with_default("direction", "The direction.", &SortDirection::Asc)
                .field_with_default(
                    "nulls",
                    "The position of objects without a value. Ignored for fields that are never null.",
                    &NullPlacement::Last,
                );
        })
    }

    fn parse(value: Option<Value>) -> InputValueResult<Self> {
        let fields = input::object(value)?;
        Ok(Self {
            field: input::read(&fields, "field")?,
            direction: input::read_or(&fields, "direction", SortDirection::Asc)?,
            nulls: input::read_or(&fields, "nulls", NullPlacement::Last)?,
        })
    }

    fn to_value(&self) -> Value {
        input::value([
            ("field", self.field.to_value()),
            ("direction", self.direction.to_value()),
            ("nulls", self.nulls.to_value()),
        ])
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }
}

impl<F: InputType + Copy> InputObjectType for Sort<F> {}
