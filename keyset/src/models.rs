//! The models of an entity, read from the rows of a result.

use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, FromQueryResult, IdenStatic as _, Iterable as _, Select,
    TryGetError, TryIntoModel, Value,
};

use crate::record::{Positions, Record, Stored, StoredValue};
use crate::{Join, Kind, ReadRows, find_rows};

/// An entity whose models can be made of values: each that derives `DeriveEntityModel`.
pub trait Modelled: EntityTrait<ActiveModel: TryIntoModel<<Self as EntityTrait>::Model>> {}

impl<E: EntityTrait<ActiveModel: TryIntoModel<E::Model>>> Modelled for E {}

/// The columns of an entity's models in a result.
#[derive(Clone, Debug)]
pub struct Models<E: Modelled> {
    /// What the names of the columns begin with.
    prefix: String,
    columns: Vec<Column<E>>,
}

#[derive(Clone, Debug)]
struct Column<E: EntityTrait> {
    field: E::Column,
    kind: Kind,
    /// In the result.
    name: String,
}

/// Reads models from the rows of one result.
#[derive(Debug)]
pub struct ModelReader<'a, E: Modelled> {
    models: &'a Models<E>,
    positions: Positions,
}

impl<E: Modelled> Default for Models<E> {
    fn default() -> Self {
        Self::named(String::new())
    }
}

impl<E: Modelled> Models<E> {
    /// The models of the joined rows. The join must be to this entity.
    pub fn joined(join: &Join) -> Self {
        Self::named(join.prefix())
    }

    fn named(prefix: String) -> Self {
        let column = |field: E::Column| Column {
            field,
            kind: Kind::of(field.def().get_column_type()),
            name: format!("{prefix}{}", field.as_str()),
        };
        Self { columns: E::Column::iter().map(column).collect(), prefix }
    }

    /// A reader for the rows of one result.
    pub fn reader(&self) -> ModelReader<'_, E> {
        ModelReader { models: self, positions: Positions::default() }
    }
}

impl<E: Modelled> ModelReader<'_, E> {
    /// The model in a row. `None` if there is none: each of its columns is NULL.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the row does not fit the model.
    pub fn read(&mut self, record: &Record) -> Result<Option<E::Model>, DbErr> {
        match record {
            Record::Row(row) => match E::Model::from_query_result_nullable(row, &self.models.prefix) {
                Ok(model) => Ok(Some(model)),
                Err(TryGetError::Null(_)) => Ok(None),
                Err(TryGetError::DbErr(error)) => Err(error),
            },
            Record::Stored(stored) => self.read_stored(stored),
        }
    }

    fn read_stored(&mut self, stored: &Stored) -> Result<Option<E::Model>, DbErr> {
        let Self { models, positions } = self;
        let positions = positions
            .of(stored, |columns| models.columns.iter().map(|column| columns.position(&column.name)).collect())?;
        if positions.iter().all(|position| stored.values().get(*position) == Some(&StoredValue::Null)) {
            return Ok(None);
        }
        let mut model = <E::ActiveModel as ActiveModelTrait>::default();
        for (Column { field, kind, .. }, position) in models.columns.iter().zip(positions) {
            set(&mut model, *field, stored.value(*position, *kind)?)?;
        }
        model.try_into_model().map(Some)
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

/// Sets a field. Values of some kinds are fields of several types.
fn set<A: ActiveModelTrait>(
    model: &mut A,
    column: <A::Entity as EntityTrait>::Column,
    value: Value,
) -> Result<(), DbErr> {
    let other = match &value {
        Value::SmallInt(v) => Some(Value::TinyInt(v.and_then(|v| v.try_into().ok()))),
        Value::ChronoDateTimeUtc(v) => Some(Value::ChronoDateTimeWithTimeZone(v.map(Into::into))),
        _ => None,
    };
    let set = model.try_set(column, value);
    match other {
        Some(other) if set.is_err() => model.try_set(column, other),
        _ => set,
    }
}
