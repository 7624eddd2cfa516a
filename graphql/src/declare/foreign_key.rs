//! Foreign keys: what tables refer to.

use keyset::Column;

use super::names::{camel, pascal, singular};
use super::object::ObjectType;

/// A foreign key of a table.
#[derive(Clone, Debug)]
pub struct ForeignKey {
    /// The columns that refer.
    pub columns: Vec<Column>,
    /// The name of the table that it refers to.
    pub table: String,
    /// The names of the columns that it equals there, which are unique.
    pub to: Vec<String>,
    /// Whether no two rows have one value.
    pub is_unique: bool,
}

impl ForeignKey {
    /// The object that it refers to, if that follows from its table, too.
    pub(super) fn target(&self, objects: &[ObjectType]) -> Option<usize> {
        let target = objects.iter().position(|object| object.is_inferred && object.table.name() == self.table)?;
        (self.columns_of(&objects[target]).len() == self.columns.len()).then_some(target)
    }

    /// The columns of this object that it refers to.
    pub(super) fn columns_of(&self, object: &ObjectType) -> Vec<Column> {
        self.to.iter().filter_map(|name| object.table.column(name).cloned()).collect()
    }

    /// What it calls the object that it refers to: its column without `Id`, or else without the name of the column that it equals
    /// (`country_code` without `code`); of several columns, the name of the table.
    pub(super) fn stem(&self) -> String {
        match &self.columns[..] {
            [column] => {
                let (name, to) = (camel(column.name()), self.to.first().map_or_else(String::new, |to| pascal(to)));
                let stem = name.strip_suffix("Id").or_else(|| name.strip_suffix(&to));
                stem.filter(|stem| !stem.is_empty()).map_or_else(|| name.clone(), str::to_owned)
            }
            _ => singular(&camel(&self.table)),
        }
    }

    /// The field with the object that it refers to. The column itself may have the name already.
    pub(super) fn field(&self, object: &ObjectType) -> String {
        let stem = self.stem();
        let is_taken = self.columns.iter().any(|column| camel(column.name()) == stem);
        if is_taken { format!("{stem}{}", object.name) } else { stem }
    }
}
