//! Fields of an object that another table holds.

use keyset::{Column, ColumnSet, Modelled, Models, Table, TableRow};
use sea_orm::Value;

use super::computed::Computed;
use super::field::{Field, FieldKind};
use super::names::camel;
use super::object::ObjectType;
use super::relation::Relation;
use crate::scalar::LeafValue;

/// The fields that another table holds: see [`ObjectType::beside`].
#[derive(Debug)]
pub struct Beside<'a> {
    pub(crate) object: &'a mut ObjectType,
    pub(crate) relation: usize,
}

impl ObjectType {
    /// Columns of another table that belong to the object, such as sums: of the row in which the second of these columns, which is
    /// unique, equals the first. It is read in the statement of the row.
    ///
    /// Every object must have such a row: lists that are filtered or sorted by its columns have no other objects.
    pub fn beside<S: Modelled>(&mut self, from: impl Into<Column>, to: impl Into<Column>) -> Beside<'_> {
        self.relations.push(Relation::beside(Table::of::<S>(), from.into(), to.into()));
        let relation = self.relations.len() - 1;
        Beside { object: self, relation }
    }
}

impl Beside<'_> {
    /// The value of a column of the other table; null where there is no row. The field has the name of the column in camel case.
    pub fn column(&mut self, column: impl Into<Column>) -> &mut Field {
        let column = column.into();
        let name = camel(column.name());
        self.object.add(&name, FieldKind::Beside { relation: self.relation, column, default: None })
    }

    /// The same, with a value in place of an absent row. The field is not null.
    pub fn column_or(&mut self, column: impl Into<Column>, default: impl Into<Value>) -> &mut Field {
        let column = column.into();
        let name = camel(column.name());
        let default = Some(default.into());
        self.object.add(&name, FieldKind::Beside { relation: self.relation, column, default })
    }

    /// A value that is computed from the row of the other table, if there is one. It reads all columns of that row.
    pub fn computed<S, L>(&mut self, name: &str, compute: fn(Option<&S::Model>) -> L) -> &mut Field
    where
        S: Modelled,
        L: LeafValue,
    {
        let models = Models::<S>::default();
        let compute = move |row: Option<&TableRow>| Ok(compute(row.map(|row| models.model(row)).transpose()?));
        let computed = Computed::new::<L>(ColumnSet::ALL, compute);
        self.object.add(name, FieldKind::ComputedBeside { relation: self.relation, computed })
    }
}
