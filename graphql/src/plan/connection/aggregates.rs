//! The aggregates of a connection.

use async_graphql::Variables;
use keyset::{Aggregate, Column};
use sea_orm::{DbErr, Value};

use crate::Error;
use crate::declare::guard::Guard;
use crate::declare::object::ObjectType;
use crate::declare::register::aggregates::{aggregate_name, aggregates_name, named};
use crate::plan::Planner;
use crate::plan::collect::{Collected, When, collect};
use crate::plan::fields::PlannedFields;
use crate::plan::writer::{Null, Writer, Written};
use crate::scalar::{unshown, write_value};

/// The values of a list, by their numbers among those that are wanted: an error for what its kind does not hold.
pub type Values = Vec<(usize, std::result::Result<Value, DbErr>)>;

/// What is selected of the aggregates.
pub struct Aggregates {
    fields: PlannedFields<AggregateField>,
    wanted: Vec<(When, Aggregate, Column)>,
}

enum AggregateField {
    /// The name of the type.
    TypeName(String),
    Of(PlannedFields<ValueField>),
}

enum ValueField {
    TypeName(String),
    /// By its number among what is wanted.
    Value(usize),
    /// Its guard does not allow it.
    Refused(Error),
}

impl Aggregates {
    /// What is selected of those of an object.
    pub fn new(object: &ObjectType, field: &Collected<'_>, planner: &Planner<'_>) -> Self {
        let (name, mut wanted) = (aggregates_name(object), Vec::new());
        let fields = PlannedFields::new(&collect(&field.sets(), planner.fragments, &|on| on == name), |field| {
            if field.name() == "__typename" {
                return Some(AggregateField::TypeName(name.clone()));
            }
            let aggregate = named(field.name())?;
            let name = aggregate_name(object, aggregate);
            let values = collect(&field.sets(), planner.fragments, &|on| on == name);
            let guard = |name: &str| object.field(name)?.guard.as_ref();
            let refused = |name: &str, _: &Guard| ValueField::Refused(Guard::refusal(name));
            Some(AggregateField::Of(PlannedFields::guarded(&values, guard, refused, |field| {
                if field.name() == "__typename" {
                    return Some(ValueField::TypeName(name.clone()));
                }
                let column = object.field(field.name())?.own_column()?.clone();
                wanted.push((field.when(), aggregate, column));
                Some(ValueField::Value(wanted.len() - 1))
            })))
        });
        Self { fields, wanted }
    }

    /// Which of them these variables select, by their numbers.
    pub fn selected(&self, variables: &Variables) -> Vec<(usize, (Aggregate, Column))> {
        let each = self.wanted.iter().enumerate().filter(|(_, (when, ..))| when.holds(variables));
        each.map(|(number, (_, aggregate, column))| (number, (*aggregate, column.clone()))).collect()
    }

    /// Writes those of a list.
    pub fn write(&self, values: &Values, writer: &mut Writer<'_>) -> Written {
        self.fields.write(writer, |writer, field, _| match field {
            AggregateField::TypeName(name) => {
                writer.value(name);
                Ok(())
            }
            AggregateField::Of(fields) => fields.write(writer, |writer, field, position| {
                match field {
                    ValueField::TypeName(name) => writer.value(name),
                    ValueField::Refused(error) => {
                        writer.nullable(|writer| Err(writer.fail(error.clone(), position)));
                    }
                    ValueField::Value(number) => {
                        let value = values.iter().find(|(known, _)| known == number).map(|(_, value)| value);
                        let column = &self.wanted[*number].2;
                        writer.nullable(|writer| {
                            let written = match value {
                                Some(Ok(value)) if *value != value.as_null() => {
                                    write_value(value, column, &mut writer.json)
                                }
                                Some(Err(_)) => Err(unshown(column)),
                                _ => return Err(Null),
                            };
                            written.map_err(|error| writer.fail(error, position))
                        });
                    }
                }
                Ok(())
            }),
        })
    }
}
