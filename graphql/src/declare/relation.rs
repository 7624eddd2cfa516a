//! Relations to one: another object, or a row that belongs to the object.

use keyset::{Column, Table};

/// A relation of an object to one row of another table.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    /// The object, unless the fields of the row are those of the object itself.
    pub object: Option<Related>,
    /// The table, once it is known.
    pub table: Option<Table>,
    /// The columns that refer to it.
    pub from: Vec<Column>,
    /// The columns that they equal; of an object, those of its primary key.
    pub to: Vec<Column>,
}

/// The object of a relation.
#[derive(Clone, Debug)]
pub(crate) struct Related {
    pub name: String,
    /// Its index in the declaration, once it is known.
    pub index: usize,
}

impl Relation {
    /// To the object of this name, whose primary key these columns hold.
    pub fn to_key(object: &str, from: &[Column]) -> Self {
        let object = Some(Related { name: object.to_owned(), index: 0 });
        Self { object, table: None, from: from.to_vec(), to: Vec::new() }
    }

    /// To the row of this table in which a unique column equals one of the object's.
    pub fn beside(table: Table, from: Column, to: Column) -> Self {
        Self { object: None, table: Some(table), from: vec![from], to: vec![to] }
    }

    /// To the object of this name that refers to this one: these columns of it equal the primary key of this one.
    pub fn back(object: &str, key: &[Column], from: &[Column]) -> Self {
        let object = Some(Related { name: object.to_owned(), index: 0 });
        Self { object, table: None, from: key.to_vec(), to: from.to_vec() }
    }

    /// Whether the row refers to this one, which may have none.
    fn is_back(&self) -> bool {
        self.table.as_ref().is_some_and(|table| !table.key().eq(self.to.iter()))
    }

    /// Whether there may be no row.
    pub fn is_nullable(&self) -> bool {
        self.from.iter().any(Column::is_nullable) || self.object.is_some() && self.is_back()
    }

    /// The columns that refer to the row, each with the one that it equals.
    pub fn on(&self) -> Vec<(Column, Column)> {
        self.from.iter().cloned().zip(self.to.iter().cloned()).collect()
    }
}
