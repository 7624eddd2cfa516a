//! Fields whose values are computed from rows.

use std::sync::Arc;

use keyset::{Column, ColumnSet, Modelled, Models, TableRow};
use sea_orm::{DbErr, Value};

use super::field::{Field, FieldKind, RegisterType};
use super::object::ObjectType;
use crate::scalar::{self, LeafValue};

/// A value that is computed.
#[derive(Clone)]
pub(crate) struct Computed {
    /// What it reads.
    pub columns: ColumnSet,
    pub is_nullable: bool,
    pub register: RegisterType,
    pub write: Arc<WriteComputed>,
}

/// Writes the value that is computed from a row, if there is one, as JSON.
pub(crate) type WriteComputed = dyn Fn(Option<&TableRow>, &mut Vec<u8>) -> Result<(), DbErr> + Send + Sync;

impl Computed {
    /// From a row that may be absent.
    pub fn new<L: LeafValue>(
        columns: ColumnSet,
        compute: impl Fn(Option<&TableRow>) -> Result<L, DbErr> + Send + Sync + 'static,
    ) -> Self {
        let write = move |row: Option<&TableRow>, json: &mut Vec<u8>| scalar::write_leaf(&compute(row)?, json);
        let (is_nullable, register) = (scalar::is_nullable::<L>(), scalar::register_leaf::<L>);
        Self { columns, is_nullable, register, write: Arc::new(write) }
    }

    /// From the row of the object.
    fn of_row<L: LeafValue>(
        columns: ColumnSet,
        compute: impl Fn(&TableRow) -> Result<L, DbErr> + Send + Sync + 'static,
    ) -> Self {
        let absent = || DbErr::RecordNotFound("the row of a computed value".into());
        Self::new(columns, move |row| compute(row.ok_or_else(absent)?))
    }
}

impl ObjectType {
    /// A value that is computed from the row, whose model is made for it. It reads all columns of the row. It is a scalar, an
    /// enum, or a list of them: [`LeafValue`].
    pub fn computed<E, L>(&mut self, name: &str, compute: fn(&E::Model) -> L) -> &mut Field
    where
        E: Modelled,
        L: LeafValue,
    {
        let models = Models::<E>::default();
        let computed = Computed::of_row::<L>(ColumnSet::ALL, move |row| Ok(compute(models.model(row)?)));
        self.add(name, FieldKind::Computed(computed))
    }

    /// A value that is computed from the value of a column.
    pub fn computed_of<L: LeafValue>(
        &mut self,
        name: &str,
        column: impl Into<Column>,
        compute: fn(Value) -> Option<L>,
    ) -> &mut Field {
        let column = column.into();
        let (number, kind) = (column.number(), column.kind());
        let computed = Computed::of_row::<L>(ColumnSet::of_value(number, kind), move |row| {
            let unexpected = || sea_orm::DbErr::Type(format!("unexpected value of {column:?}"));
            compute(row.value(number, kind)?).ok_or_else(unexpected)
        });
        self.add(name, FieldKind::Computed(computed))
    }

    /// A value that is computed from the primary key.
    ///
    /// # Panics
    ///
    /// Panics if the table has no primary key.
    pub fn of_key<L: LeafValue>(&mut self, name: &str, compute: fn(Value) -> Option<L>) -> &mut Field {
        self.computed_of(name, self.key().clone(), compute)
    }
}
