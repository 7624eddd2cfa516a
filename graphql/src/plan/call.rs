//! Fields that an application resolves: one call has the values of all rows.

use async_graphql::Pos;
use keyset::{ColumnSet, TableRow};
use sea_orm::DbErr;

use super::collect::Collected;
use super::object::{FoundObjects, Selection};
use super::writer::{Writer, Written};
use super::{Planner, Run};
use crate::arguments::Given;
use crate::declare::resolver::{Resolved, Resolver, Returned};
use crate::row_key::Distinct;
use crate::{Error, Resolving, Result};

/// A field that a resolver has.
pub struct Call {
    resolver: Resolver,
    arguments: Given,
    /// What is selected of the objects that it returns.
    object: Option<Selection>,
}

impl Call {
    pub fn new(resolver: &Resolver, field: &Collected<'_>, planner: &Planner<'_>) -> Self {
        let object = match &resolver.returned {
            Returned::Leaf { .. } => None,
            Returned::Object(of) => Some(Selection::new(of.index, &field.sets(), None, &mut planner.of_statement())),
        };
        Self { resolver: resolver.clone(), arguments: Given::of(&field.field().node), object }
    }

    /// Whether its value can be null.
    pub fn is_nullable(&self) -> bool {
        self.resolver.returned.is_nullable()
    }

    /// What it reads of each row.
    pub fn columns(&self) -> ColumnSet {
        self.resolver.columns
    }

    /// Resolves these rows.
    pub async fn of_each(&self, run: &Run<'_>, rows: &[TableRow]) -> Result<Called<'_>> {
        let Distinct { rows, numbers, .. } = Distinct::of(rows, &self.resolver.key);
        let request = Resolving { run, arguments: self.arguments.bind(run.variables) };
        let expected = rows.len();
        let values = (self.resolver.resolve)(rows, &request).await?;
        if values.len() != expected {
            let message = format!("a resolver returned {} values for {expected} rows", values.len());
            return Err(Error::internal(&DbErr::Custom(message)));
        }
        let key = |value: &Result<Resolved>| match value {
            Ok(Resolved::Key(key)) => key.clone(),
            _ => None,
        };
        let objects = match (&self.object, values.iter().filter_map(key).collect::<Vec<_>>()) {
            (Some(object), keys) if !keys.is_empty() => Some(object.find(run, &keys).await?),
            _ => None,
        };
        Ok(Called { values, numbers, objects })
    }
}

/// The values of rows.
pub struct Called<'p> {
    values: Vec<Result<Resolved>>,
    /// The value of each row, by its number.
    numbers: Vec<Result<usize>>,
    objects: Option<FoundObjects<'p>>,
}

impl Called<'_> {
    /// Writes the value of the row with this number. The field has this position.
    pub fn write(&self, row: usize, position: Pos, writer: &mut Writer<'_>) -> Written {
        let number = match &self.numbers[row] {
            Ok(number) => *number,
            Err(error) => return Err(writer.fail(error.clone(), position)),
        };
        match (&self.values[number], &self.objects) {
            (Ok(Resolved::Json(json)), _) => writer.json.extend_from_slice(json),
            (Ok(Resolved::Key(Some(key))), Some(objects)) => return objects.write(key, writer),
            (Ok(Resolved::Key(_)), _) => writer.value(&()),
            (Err(error), _) => return Err(writer.fail(error.clone(), position)),
        }
        Ok(())
    }
}
