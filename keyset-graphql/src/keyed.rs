//! Objects that are found by their primary keys.

use std::marker::PhantomData;

use keyset::{ColumnSet, EntityRow, Kind};
use sea_orm::sea_query::ValueType;
use sea_orm::{ColumnTrait, DbErr};

use crate::global_id::NodeKey;
use crate::object::{Column, RowObject};

/// An object whose table has a primary key of one column, which a global id can hold.
pub trait Keyed: RowObject {
    /// The type of the primary key.
    type Key: NodeKey;

    /// The column of the primary key.
    fn key_column() -> Column<Self>;
}

/// Reads the primary keys of rows.
pub(crate) struct KeyOf<T> {
    /// The column among those of the table.
    column: usize,
    kind: Kind,
    marker: PhantomData<fn() -> T>,
}

impl<T: Keyed> KeyOf<T> {
    pub fn new() -> Self {
        let column = T::key_column();
        let kind = Kind::of(column.def().get_column_type());
        Self { column: EntityRow::<T::Entity>::number_of(column), kind, marker: PhantomData }
    }

    /// What it reads of a row.
    pub fn columns(&self) -> ColumnSet {
        ColumnSet::of_value(self.column, self.kind)
    }

    pub fn of(&self, row: &EntityRow<T::Entity>) -> Result<T::Key, DbErr> {
        let key = row.value(self.column, self.kind)?;
        <T::Key as ValueType>::try_from(key)
            .map_err(|_| DbErr::Type(format!("the primary key of a {} has another type", T::NAME)))
    }
}
