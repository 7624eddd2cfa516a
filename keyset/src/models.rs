//! The rows of an entity in a result, and their models.

use std::sync::{Arc, OnceLock};

use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbBackend, DbErr, EntityTrait, FromQueryResult, IdenStatic as _, Iterable as _,
    ModelTrait, QueryResult, QuerySelect, Select, TryGetError, TryIntoModel, Value,
};

use crate::column_set::number_of;
use crate::dialect::Dialect;
use crate::join::Presence;
use crate::record::{ABSENT, Positions, Record};
use crate::{ColumnSet, Columns, Join, Kind, ReadRows, Stored, StoredRows, StoredValue, find_rows};

/// An entity whose models can be made of values: each that derives `DeriveEntityModel`.
pub trait Modelled: EntityTrait<ActiveModel: TryIntoModel<<Self as EntityTrait>::Model>> {}

impl<E: EntityTrait<ActiveModel: TryIntoModel<E::Model>>> Modelled for E {}

/// The columns of an entity in a result.
#[derive(Clone, Debug)]
pub struct Models<E: Modelled> {
    /// What the names of the columns begin with.
    prefix: String,
    columns: Vec<Column<E>>,
    /// Of joined rows.
    presence: Option<Presence>,
}

#[derive(Clone, Debug)]
struct Column<E: EntityTrait> {
    field: E::Column,
    kind: Kind,
    /// In the result.
    name: String,
}

/// A row of an entity. Its values are read where the result has them. The model is made when it is asked for.
#[derive(Debug)]
pub struct EntityRow<E: Modelled> {
    stored: Stored,
    /// The positions of the entity's columns; [`ABSENT`] for those that were not read.
    positions: Arc<[usize]>,
    model: OnceLock<Box<E::Model>>,
}

/// Finds the rows of an entity in the records of results.
#[derive(Debug)]
pub struct ModelReader<'a, E: Modelled> {
    models: &'a Models<E>,
    /// The column that is NULL where a joined row is absent.
    told_by: Option<usize>,
    /// The columns that are read, and from which database, unless all are.
    read: Option<(ColumnSet, DbBackend)>,
    positions: Positions,
    /// The columns that are read of rows of SeaORM.
    row_columns: Option<Arc<Columns>>,
}

impl<E: Modelled> Default for Models<E> {
    fn default() -> Self {
        Self::named(String::new())
    }
}

impl<E: Modelled> Models<E> {
    /// The columns of the joined rows. The join must be to this entity.
    pub fn joined(join: &Join) -> Self {
        Self { presence: Some(join.presence()), ..Self::named(join.prefix()) }
    }

    fn named(prefix: String) -> Self {
        let column = |field: E::Column| Column {
            field,
            kind: Kind::of(field.def().get_column_type()),
            name: format!("{prefix}{}", field.as_str()),
        };
        Self { columns: E::Column::iter().map(column).collect(), prefix, presence: None }
    }

    /// A reader for the records of results.
    pub fn reader(&self) -> ModelReader<'_, E> {
        let told_by = self.presence.map(|presence| presence.told_by(ColumnSet::ALL));
        ModelReader { models: self, told_by, read: None, positions: Positions::default(), row_columns: None }
    }

    /// A reader for records that have at least these columns of the entity: those of [`selected`], or of
    /// [`Join::of_columns`]. How rows of SeaORM are read depends on the database.
    pub fn reader_of(&self, columns: ColumnSet, backend: DbBackend) -> ModelReader<'_, E> {
        let told_by = self.presence.map(|presence| presence.told_by(columns));
        let columns = self.presence.map_or(columns, |presence| presence.with(columns));
        ModelReader { told_by, read: (columns != ColumnSet::ALL).then_some((columns, backend)), ..self.reader() }
    }

    /// The row of a model that is known.
    pub fn row_of(&self, model: E::Model) -> EntityRow<E> {
        let columns = Arc::new(Columns::new(self.columns.iter().map(|column| column.name.as_str())));
        let mut rows = StoredRows::new(columns);
        for Column { field, kind, .. } in &self.columns {
            rows.push(StoredValue::of(&kind.of_field(model.get(*field))));
        }
        let positions = (0..self.columns.len()).collect();
        EntityRow { stored: rows.only(), positions, model: OnceLock::from(Box::new(model)) }
    }

    /// The model of a row.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the row does not fit the model, or does not have all of its columns.
    pub fn model<'r>(&self, row: &'r EntityRow<E>) -> Result<&'r E::Model, DbErr> {
        if let Some(model) = row.model.get() {
            return Ok(model);
        }
        let model = Box::new(self.read(row)?);
        Ok(row.model.get_or_init(|| model))
    }

    fn read(&self, row: &EntityRow<E>) -> Result<E::Model, DbErr> {
        let mut model = <E::ActiveModel as ActiveModelTrait>::default();
        for (number, Column { field, kind, .. }) in self.columns.iter().enumerate() {
            set(&mut model, *field, row.value(number, *kind)?)?;
        }
        model.try_into_model()
    }

    /// The values of these columns in a row of SeaORM.
    fn stored(
        &self,
        row: &QueryResult,
        (read, backend): (ColumnSet, DbBackend),
        row_columns: &mut Option<Arc<Columns>>,
    ) -> Result<Stored, DbErr> {
        let dialect = Dialect::of_backend(backend)?;
        let columns = || self.columns.iter().enumerate().filter(|(number, _)| read.contains(*number));
        let names = || Arc::new(Columns::new(columns().map(|(_, column)| column.name.as_str())));
        let mut values = StoredRows::new(Arc::clone(row_columns.get_or_insert_with(names)));
        for (_, Column { kind, name, .. }) in columns() {
            // A column that refers to a relation may have no kind. Only the database reads it.
            let value = if *kind == Kind::Unsupported { Value::Bool(None) } else { kind.read(row, name, dialect)? };
            values.push(StoredValue::of(&value));
        }
        Ok(values.only())
    }
}

/// A query of an entity's rows with these columns, in place of those that it selects; with all of them, the query itself.
pub fn selected<E: EntityTrait>(query: Select<E>, columns: ColumnSet) -> Select<E> {
    if columns == ColumnSet::ALL {
        return query;
    }
    let of = E::Column::iter().enumerate().filter(|(number, _)| columns.contains(*number));
    query.select_only().columns(of.map(|(_, column)| column))
}

impl<E: Modelled> EntityRow<E> {
    /// The number of a column among those of the entity, for [`Self::get`] and [`Self::value`].
    pub fn number_of(column: E::Column) -> usize {
        number_of::<E>(column)
    }

    /// The value of the column with this number; NULL if it was not read.
    pub fn get(&self, column: usize) -> StoredValue<'_> {
        self.positions.get(column).map_or(StoredValue::Null, |position| self.stored.get(*position))
    }

    /// The same as a value of this kind.
    ///
    /// # Errors
    ///
    /// [`DbErr::Type`] if it is none, or if the column was not read.
    pub fn value(&self, column: usize, kind: Kind) -> Result<Value, DbErr> {
        match self.positions.get(column) {
            Some(position) if *position != ABSENT => self.stored.value(*position, kind),
            _ => {
                let name = E::Column::iter().nth(column).map_or("?", |column| column.as_str());
                Err(DbErr::Type(format!("the column `{}.{name}` was not read", E::default().table_name())))
            }
        }
    }
}

impl<E: Modelled> ModelReader<'_, E> {
    /// The row in a record. `None` if a joined row is absent.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the record does not have the columns of the entity.
    pub fn row(&mut self, record: &Record) -> Result<Option<EntityRow<E>>, DbErr> {
        let Self { models, told_by, read, positions, row_columns } = self;
        let stored = match (record, *read) {
            (Record::Stored(stored), _) => stored.clone(),
            (Record::Row(row), Some(read)) => models.stored(row, read, row_columns)?,
            (Record::Row(row), None) => {
                return match E::Model::from_query_result_nullable(row, &models.prefix) {
                    Ok(model) => Ok(Some(models.row_of(model))),
                    Err(TryGetError::Null(_)) => Ok(None),
                    Err(TryGetError::DbErr(error)) => Err(error),
                };
            }
        };
        let is_read = |number| read.is_none_or(|(columns, _)| columns.contains(number));
        let positions = positions.of(stored.columns(), |found| {
            let position = |(number, column): (usize, &Column<E>)| {
                if is_read(number) { found.position(&column.name) } else { Ok(ABSENT) }
            };
            models.columns.iter().enumerate().map(position).collect()
        })?;
        let row = EntityRow { positions: Arc::clone(positions), stored, model: OnceLock::new() };
        let is_absent = told_by.is_some_and(|column| row.get(column) == StoredValue::Null);
        Ok(Some(row).filter(|_| !is_absent))
    }

    /// The model in a record. `None` if a joined row is absent.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the record does not fit the model.
    pub fn read(&mut self, record: &Record) -> Result<Option<E::Model>, DbErr> {
        let Some(mut row) = self.row(record)? else { return Ok(None) };
        match row.model.take() {
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
