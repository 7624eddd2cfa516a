//! The orders that the indexes of a database hold.

use std::sync::Arc;

use keyset::{Column, Indexes, Order, Sort};

use super::field::FieldKind;
use super::names::screaming;
use super::object::ObjectType;

/// The indexes that hold the orders of lists.
#[derive(Clone, Debug)]
pub(crate) struct Indexed {
    indexes: Arc<Indexes>,
    /// Other orders, by the names of sort items: each page reads its whole list, and is priced so.
    pub also: Vec<Vec<String>>,
}

impl ObjectType {
    /// Offers the orders of its lists that these indexes hold, in each direction and null placement that they serve: the columns of an
    /// index from its first on, followed by the primary key. The order of the primary key is always offered, and a page in it reads its
    /// whole list where no index holds it; its price says so.
    pub fn indexed(&mut self, indexes: &Arc<Indexes>) -> &mut Self {
        self.indexed = Some(Indexed { indexes: Arc::clone(indexes), also: Vec::new() });
        let held = self.held_columns(indexes);
        let key: Vec<Column> = self.table.key().cloned().collect();
        for field in &mut self.fields {
            if let FieldKind::Column(column) = &field.kind {
                field.sorts &= matches!(&key[..], [key] if key == column) || held.contains(column);
            }
        }
        self.numbered()
    }

    /// The columns of orders that indexes hold, of a list of all objects or of those of each parent.
    fn held_columns(&self, indexes: &Indexes) -> Vec<Column> {
        let mut held = Vec::new();
        for sorts in self.indexed_sorts(indexes) {
            for first in 0..sorts.len() {
                let (parent, sorts) = sorts.split_at(first);
                let parent: Vec<Column> = parent.iter().map(|(column, _)| column.clone()).collect();
                let order = Order::of_parents(&self.table, &parent, sorts.iter().map(|(_, sort)| sort.clone()));
                if order.is_ok_and(|order| self.holds(&order, &parent)) {
                    held.extend(sorts.iter().map(|(column, _)| column.clone()));
                }
            }
        }
        held
    }

    /// The columns of each index up to the key, with their sorts.
    fn indexed_sorts(&self, indexes: &Indexes) -> Vec<Vec<(Column, Sort)>> {
        let is_key = |column: &Column| self.table.key().any(|key| key == column);
        let sorts = indexes.of(self.table.name()).map(|index| {
            let sorts = index.into_iter().map_while(|(column, direction, nulls)| {
                let column = self.table.column(column)?.clone();
                (!is_key(&column)).then(|| (column.clone(), Sort::column(column, direction).nulls(nulls)))
            });
            sorts.collect()
        });
        sorts.collect()
    }

    /// The orders by the columns of indexes that do not hold them, as the key does not follow: one for each index.
    pub(crate) fn unheld(&self) -> Vec<Order> {
        let Some(Indexed { indexes, .. }) = &self.indexed else { return Vec::new() };
        let sorts = self.indexed_sorts(indexes).into_iter().filter(|sorts| !sorts.is_empty());
        let orders =
            sorts.filter_map(|sorts| Order::of_table(&self.table, sorts.into_iter().map(|(_, sort)| sort)).ok());
        orders.filter(|order| !self.holds(order, &[])).collect()
    }

    /// Whether the database keeps the number of its objects.
    pub fn is_counted(&self) -> bool {
        self.kept.is_some()
    }

    /// Offers an order that no index holds, by the names of fields: each page reads its whole list, and is priced so. A no-op unless the
    /// object is [indexed](Self::indexed).
    pub fn also_sorted_by(&mut self, fields: &[&str]) -> &mut Self {
        for field in self.fields.iter_mut().filter(|field| fields.contains(&field.name.as_str())) {
            field.sorts |= field.own_column().is_some_and(|column| column.kind().is_sortable());
        }
        if let Some(indexed) = &mut self.indexed {
            indexed.also.push(fields.iter().map(|field| screaming(field)).collect());
        }
        self
    }

    /// Whether the catalogue knows nothing of how its rows are stored: it is a view, a table on another server, or one from which
    /// others inherit.
    pub fn is_unknown(&self) -> bool {
        self.indexed.as_ref().is_some_and(|indexed| !indexed.indexes.know(self.table.name()))
    }

    /// Whether a page in an order costs its size, as far as is known; where columns refer to a parent, a page of each parent. Where a rule
    /// compares columns with one value each, they can come first.
    pub(crate) fn holds(&self, order: &Order, parent: &[Column]) -> bool {
        let Some(Indexed { indexes, .. }) = &self.indexed else { return true };
        let ruled: Vec<Column> = parent.iter().chain(self.ruled_by()).cloned().collect();
        indexes.hold(order, &self.table, parent)
            || ruled.len() > parent.len() && indexes.hold(order, &self.table, &ruled)
    }

    /// The columns of indexes, from the first on and without the key that follows them, as items of an order. One that a sort does not
    /// have ends them.
    pub(crate) fn indexed_items(&self) -> Vec<Vec<String>> {
        let Some(Indexed { indexes, .. }) = &self.indexed else { return Vec::new() };
        let is_key = |column: &str| self.table.key().any(|key| key.name() == column);
        let item = |column: &str| {
            let field = self.fields.iter().find(|it| it.own_column().is_some_and(|it| it.name() == column));
            field.filter(|field| field.sorts).map(|field| screaming(&field.name))
        };
        let mut items: Vec<Vec<String>> = Vec::new();
        for index in indexes.of(self.table.name()) {
            let sorts = index.iter().map(|(column, ..)| *column).take_while(|column| !is_key(column));
            let found: Vec<String> = sorts.map_while(item).collect();
            if !found.is_empty() && !items.contains(&found) {
                items.push(found);
            }
        }
        items
    }
}
