//! What an object has and offers, as planning, pricing and the schema need it.

use std::iter;

use keyset::{Aggregate, Column, Order, Table};

use super::field::{Field, FieldKind};
use super::names::screaming;
use super::object::ObjectType;
use super::relation::Relation;
use crate::error::code;
use crate::order::{Criterion, Sorted, is_key};
use crate::{Error, Result};

impl ObjectType {
    /// The field of this name.
    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The names of its fields.
    pub fn field_names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| field.name.as_str())
    }

    /// The relation of a field with a related object.
    pub(crate) fn relation_of(&self, field: &Field) -> Option<&Relation> {
        if let FieldKind::One(relation) = field.kind { self.relations.get(relation) } else { None }
    }

    /// The column of the primary key.
    ///
    /// # Panics
    ///
    /// Panics if there is none.
    pub(crate) fn key(&self) -> &Column {
        self.table.key().next().unwrap_or_else(|| panic!("the table `{}` has no primary key", self.table.name()))
    }

    /// The tables that hold its columns: its own, and those beside it.
    pub(crate) fn own_tables(&self) -> impl Iterator<Item = &Table> {
        let beside = self.relations.iter().filter(|relation| relation.object.is_none());
        iter::once(&self.table).chain(beside.filter_map(|relation| relation.table.as_ref()))
    }

    /// The fields that lists are sorted by, with the names of their items.
    pub(crate) fn sort_fields(&self) -> impl Iterator<Item = (String, &Field)> {
        self.sorting_fields().map(|field| (screaming(&field.name), field))
    }

    /// The fields that lists are sorted by.
    pub(crate) fn sorting_fields(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.sorts)
    }

    /// Whether its lists can be sorted.
    pub(crate) fn has_sorts(&self) -> bool {
        !self.related_sorts.is_empty() || self.fields.iter().any(|field| field.sorts)
    }

    /// The orders of its lists, by the names of sort items, beside that of the key: by default, each item alone.
    pub(crate) fn offered_orders(&self) -> Vec<Vec<String>> {
        if let Some(indexed) = &self.indexed {
            return indexed.also.clone();
        }
        let each = self.sort_fields().filter(|(_, field)| !is_key(self, field)).map(|(name, _)| name);
        let related = self.related_sorts.iter().map(|sort| sort.item.clone());
        self.orders.clone().unwrap_or_else(|| each.chain(related).map(|name| vec![name]).collect())
    }

    /// The columns of which there is an aggregate, with their fields.
    pub(crate) fn aggregated(&self, aggregate: Aggregate) -> impl Iterator<Item = (&Field, &Column)> {
        let fields = self.fields.iter().filter(|field| !field.is_hidden);
        let columns = fields.filter_map(|field| Some((field, field.own_column()?)));
        columns.filter(move |(_, column)| aggregate.kind(column.kind()).is_some())
    }

    /// The fields that lists are filtered by.
    pub(crate) fn filter_fields(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.filters)
    }

    /// The order of a list of all objects by these criteria, where no argument of its own offers another.
    ///
    /// # Errors
    ///
    /// [`ORDER_NOT_OFFERED`](code::ORDER_NOT_OFFERED) for an order that is not offered; `BAD_USER_INPUT` for an unknown item.
    pub fn order(&self, criteria: &[Criterion]) -> Result<Order> {
        Ok(Sorted::of(self, criteria, None, &[])?.order)
    }

    /// The order of its lists where none is asked for; with the columns that refer to a parent, of those of each parent.
    pub(crate) fn ordered(&self, parent: &[Column]) -> Result<Order> {
        Ok(Sorted::of(self, &[], None, parent)?.order)
    }

    pub(crate) fn unknown_item(&self, item: &str) -> Error {
        Error::client(code::BAD_USER_INPUT, format!("lists of `{}` have no sort item `{item}`", self.name))
    }
}
