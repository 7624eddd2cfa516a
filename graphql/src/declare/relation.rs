//! Relations to one: another object, or a row that belongs to the object.

use keyset::{Column, Table};

/// A relation of an object to one row of another table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relation {
    /// The object, unless the fields of the row are those of the object itself.
    pub object: Option<Related>,
    /// The table, once it is known.
    pub table: Option<Table>,
    /// The columns that refer to it.
    pub from: Vec<Column>,
    /// The columns that they equal; of an object, those of its primary key if none are given.
    pub to: Vec<Column>,
    /// Whether the row refers to this one.
    pub is_back: bool,
    /// Whether a rule can hide the object.
    pub can_hide: bool,
    /// Whether a hidden object is an error in place of null.
    pub is_required: bool,
}

/// The object of a relation.
#[derive(Clone, Debug)]
pub(crate) struct Related {
    pub name: String,
    /// Its index in the declaration, once it is known.
    pub index: usize,
}

impl Related {
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), index: 0 }
    }
}

impl Relation {
    /// To the object of this name, whose primary key these columns hold.
    pub fn to_key(object: &str, from: &[Column]) -> Self {
        Self::to_object(object, from, &[])
    }

    /// To the object of this name in which the second columns, which are unique, equal the first.
    pub fn to_object(object: &str, from: &[Column], to: &[Column]) -> Self {
        let (from, to) = (from.to_vec(), to.to_vec());
        Self { object: Some(Related::named(object)), from, to, ..Self::default() }
    }

    /// To the row of this table in which a unique column equals one of the object's.
    pub fn beside(table: Table, from: Column, to: Column) -> Self {
        Self { table: Some(table), from: vec![from], to: vec![to], ..Self::default() }
    }

    /// To the object of this name that refers to this one: these columns of it equal those of this one. There may be none.
    pub fn back(object: &str, key: &[Column], from: &[Column]) -> Self {
        Self { is_back: true, ..Self::to_object(object, key, from) }
    }

    /// Whether there may be no row.
    pub fn is_nullable(&self) -> bool {
        self.can_be_absent() || self.can_hide && !self.is_required
    }

    /// Whether there may be no row, whoever asks.
    pub fn can_be_absent(&self) -> bool {
        self.is_back || self.from.iter().any(Column::is_nullable)
    }

    /// The columns that refer to the row, each with the one that it equals.
    pub fn on(&self) -> Vec<(Column, Column)> {
        self.from.iter().cloned().zip(self.to.iter().cloned()).collect()
    }
}
