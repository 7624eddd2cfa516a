//! The models of an entity, from the rows of its table.

use std::any::Any;
use std::fmt;

use sea_orm::{
    ActiveModelTrait, ColumnTrait as _, DbErr, EntityTrait, FromQueryResult, IdenStatic as _, Iterable as _,
    ModelTrait, QueryResult, Select, TryGetError, TryIntoModel, Value,
};

use crate::row_layout::{RowLayout, RowReader, TableRow};
use crate::{ColumnSet, Join, Kind, ReadRows, Record, Table, find_rows};

/// An entity whose models can be made of values: each that derives `DeriveEntityModel`.
pub trait Modelled: EntityTrait<ActiveModel: TryIntoModel<<Self as EntityTrait>::Model>, Model: Sync> {}

impl<E: EntityTrait<ActiveModel: TryIntoModel<E::Model>, Model: Sync>> Modelled for E {}

/// A model of an entity that is not named.
pub(crate) struct AnyModel(Box<dyn Any + Send + Sync>);

impl fmt::Debug for AnyModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyModel").finish_non_exhaustive()
    }
}

/// What makes the models of an entity.
#[derive(Clone, Copy)]
pub(crate) struct EntityModels {
    read: fn(&QueryResult, &str) -> Result<AnyModel, TryGetError>,
    values: fn(&AnyModel) -> Vec<Value>,
}

impl EntityModels {
    /// Of this entity.
    pub fn of<E: Modelled>() -> Self {
        let read = |row: &QueryResult, prefix: &str| {
            E::Model::from_query_result_nullable(row, prefix).map(|model| AnyModel(Box::new(model)))
        };
        let values = |AnyModel(model): &AnyModel| {
            let model = model.downcast_ref::<E::Model>();
            model.map(|model| E::Column::iter().map(|column| model.get(column)).collect()).unwrap_or_default()
        };
        Self { read, values }
    }

    /// The model in a row of SeaORM, whose columns have this prefix.
    pub fn read(&self, row: &QueryResult, prefix: &str) -> Result<AnyModel, TryGetError> {
        (self.read)(row, prefix)
    }

    /// The values of a model, in the order of its columns.
    pub fn values(&self, model: &AnyModel) -> Vec<Value> {
        (self.values)(model)
    }
}

impl fmt::Debug for EntityModels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntityModels").finish_non_exhaustive()
    }
}

/// The models of an entity in a result.
#[derive(Clone, Debug)]
pub struct Models<E: Modelled> {
    layout: RowLayout,
    columns: Vec<(E::Column, Kind)>,
}

/// Finds the models of an entity in the records of results.
#[derive(Debug)]
pub struct ModelReader<'a, E: Modelled> {
    models: &'a Models<E>,
    rows: RowReader<'a>,
}

impl<E: Modelled> Default for Models<E> {
    fn default() -> Self {
        Self::of(RowLayout::of(&Table::of::<E>()))
    }
}

impl<E: Modelled> Models<E> {
    /// The columns of the joined rows. The join must be to this entity.
    pub fn joined(join: &Join) -> Self {
        Self::of(RowLayout::joined(join))
    }

    fn of(layout: RowLayout) -> Self {
        Self { layout, columns: columns::<E>().collect() }
    }

    /// The values of a model, in the order of the columns of its table.
    pub fn values(model: &E::Model) -> Vec<Value> {
        columns::<E>().map(|(column, kind)| kind.of_field(model.get(column))).collect()
    }

    /// The model of these values, which are in the order of the columns of its table.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if they do not fit the model.
    pub fn of_values(values: impl IntoIterator<Item = Value>) -> Result<E::Model, DbErr> {
        let mut model = <E::ActiveModel as ActiveModelTrait>::default();
        for ((column, _), value) in columns::<E>().zip(values) {
            set(&mut model, column, value)?;
        }
        model.try_into_model()
    }

    /// A reader for the records of results.
    pub fn reader(&self) -> ModelReader<'_, E> {
        ModelReader { models: self, rows: self.layout.reader() }
    }

    /// A reader for records that have at least these columns of the table: see [`RowLayout::reader_of`].
    pub fn reader_of(&self, columns: ColumnSet) -> ModelReader<'_, E> {
        ModelReader { models: self, rows: self.layout.reader_of(columns) }
    }

    /// The row of a model that is known.
    pub fn row_of(&self, model: E::Model) -> TableRow {
        self.layout.row_of(AnyModel(Box::new(model)))
    }

    /// The model of a row of the table.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the row does not fit the model, or does not have all of its columns.
    pub fn model<'r>(&self, row: &'r TableRow) -> Result<&'r E::Model, DbErr> {
        let model = if let Some(model) = row.model.get() {
            model
        } else {
            let model = AnyModel(Box::new(self.read(row)?));
            row.model.get_or_init(|| model)
        };
        model.0.downcast_ref().ok_or_else(|| DbErr::Type("the row has a model of another entity".into()))
    }

    fn read(&self, row: &TableRow) -> Result<E::Model, DbErr> {
        let mut model = <E::ActiveModel as ActiveModelTrait>::default();
        for (number, (column, kind)) in self.columns.iter().enumerate() {
            set(&mut model, *column, row.value(number, *kind)?)?;
        }
        model.try_into_model()
    }
}

impl<E: Modelled> ModelReader<'_, E> {
    /// The model in a record. `None` if a joined row is absent.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the record does not fit the model.
    pub fn read(&mut self, record: &Record) -> Result<Option<E::Model>, DbErr> {
        let Some(mut row) = self.rows.row(record)? else { return Ok(None) };
        match row.model.take().and_then(|model| model.0.downcast().ok()) {
            Some(model) => Ok(Some(*model)),
            None => self.models.read(&row).map(Some),
        }
    }
}

/// Reads the models of a query: one statement.
///
/// # Errors
///
/// [`DbErr`] if the database fails, or if a row does not fit the model.
pub async fn find_models<E, C>(db: &C, query: &Select<E>) -> Result<Vec<E::Model>, DbErr>
where
    E: Modelled,
    C: ReadRows + ?Sized,
{
    let (models, records) = (Models::<E>::default(), find_rows(db, query, &[]).await?);
    let mut models = models.reader();
    records.iter().filter_map(|record| models.read(record).transpose()).collect()
}

/// The columns of an entity, and the kinds of their values.
fn columns<E: Modelled>() -> impl Iterator<Item = (E::Column, Kind)> {
    E::Column::iter().map(|column| (column, Kind::of(column.def().get_column_type())))
}

/// Sets a field. Values of some kinds are fields of several types. A list of Rust has no NULL.
fn set<A: ActiveModelTrait>(
    model: &mut A,
    column: <A::Entity as EntityTrait>::Column,
    value: Value,
) -> Result<(), DbErr> {
    let others = match &value {
        Value::SmallInt(v) => vec![Value::TinyInt(v.and_then(|v| v.try_into().ok()))],
        Value::ChronoDateTimeUtc(v) => vec![Value::ChronoDateTimeWithTimeZone(v.map(Into::into))],
        Value::Int(v) => vec![
            Value::SmallUnsigned(v.and_then(|v| v.try_into().ok())),
            Value::TinyUnsigned(v.and_then(|v| v.try_into().ok())),
        ],
        Value::BigInt(v) => vec![
            Value::Unsigned(v.and_then(|v| v.try_into().ok())),
            Value::BigUnsigned(v.and_then(|v| v.try_into().ok())),
        ],
        Value::Array(_, Some(items)) if items.iter().any(|item| *item == item.as_null()) => {
            return Err(DbErr::Type(format!(
                "`{}` has a list with a NULL, which its model cannot hold",
                column.as_str()
            )));
        }
        _ => Vec::new(),
    };
    let set = model.try_set(column, value);
    others.into_iter().fold(set, |set, other| set.or_else(|_| model.try_set(column, other)))
}
