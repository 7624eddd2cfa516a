//! What a declaration should say at start-up: which columns it leaves out, and which indexes its lists need.

use std::fmt;

use keyset::{Column, Indexes, Kind, NeededIndex, ReadRows};
use sea_orm::sea_query::ColumnType;
use sea_orm::{DbBackend, DbErr};

use super::declaration::Declaration;
use super::object::ObjectType;
use super::offered::Offered;

/// A column of an entity that no field shows, because its type has none in GraphQL.
#[derive(Clone, Debug)]
pub struct LeftOut<'a> {
    /// The object of the entity.
    pub object: &'a ObjectType,
    /// The column.
    pub column: &'a Column,
}

/// An index that lists need and the database does not have.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The lists, each in an order that the index holds.
    pub lists: Vec<Offered>,
    /// The index, which as text is the statement that creates it. `None` where no index holds their orders.
    pub index: Option<NeededIndex>,
}

impl Declaration {
    /// The columns that are left out of the objects of entities. A computed field can show them.
    pub fn left_out(&self) -> impl Iterator<Item = LeftOut<'_>> {
        let inferred = self.objects().iter().filter(|object| object.is_inferred);
        let columns =
            inferred.flat_map(|object| object.table.columns().iter().map(move |column| LeftOut { object, column }));
        columns.filter(|left_out| left_out.column.kind() == Kind::Unsupported)
    }

    /// The indexes that hold an order if the primary key follows their columns: of objects that offer only what indexes hold, those that are
    /// missing.
    ///
    /// # Errors
    ///
    /// [`DbErr::BackendNotSupported`] unless it is PostgreSQL or SQLite.
    pub fn suggested_indexes(&self, backend: DbBackend) -> Result<Vec<Advice>, DbErr> {
        let mut advice: Vec<Advice> = Vec::new();
        for (list, object, _) in self.lists().filter(|(_, _, parent)| parent.is_empty()) {
            for order in object.unheld() {
                let Some(index) = NeededIndex::of(&order, &object.table, &[], backend)? else { continue };
                if !advice.iter().any(|known| known.index.as_ref().is_some_and(|known| known.serves(&index))) {
                    let lists = vec![Offered { list: format!("{list} by {order}"), order }];
                    advice.push(Advice { lists, index: Some(index) });
                }
            }
        }
        Ok(advice)
    }

    /// The indexes that the database lacks for the orders that lists are offered in, those of objects included: one statement. Without
    /// them, pages are exact, and each costs a scan.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn index_advice<C: ReadRows + ?Sized>(&self, db: &C) -> Result<Vec<Advice>, DbErr> {
        let indexes = Indexes::read(db).await?;
        let mut advice: Vec<Advice> = Vec::new();
        for (list, object, parent) in self.lists() {
            // All rows that show in a list have one value in each of these columns. Those of a parent mostly show together.
            let pinned: Vec<Column> =
                if parent.is_empty() { object.ruled_by().cloned().collect() } else { parent.to_vec() };
            // What no index holds is priced as it is.
            let orders = Offered::of_list(&list, object, parent).into_iter();
            for offered in orders.filter(|offered| !offered.order.is_computed()) {
                // The sorts of an order are columns of one table: that of the object, or one beside it.
                let mut needed = None;
                for table in object.own_tables() {
                    needed = needed.or(NeededIndex::of(&offered.order, table, &pinned, db.backend())?);
                }
                if needed.as_ref().is_some_and(|needed| !indexes.lack(needed)) {
                    continue;
                }
                let known = advice.iter_mut().find(|known| match (&known.index, &needed) {
                    (Some(index), Some(needed)) => index.serves(needed),
                    (index, needed) => index.is_none() && needed.is_none(),
                });
                match known {
                    Some(known) => known.lists.push(offered),
                    None => advice.push(Advice { lists: vec![offered], index: needed }),
                }
            }
        }
        Ok(advice)
    }
}

impl fmt::Display for LeftOut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { object, column } = self;
        let ty = match column.column_type() {
            ColumnType::Custom(name) => name.to_string(),
            other => format!("{other:?}"),
        };
        write!(f, "`{}` has no field for the column `{column:?}`: its type, {ty}, has none in GraphQL", object.name())
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, others) =
            (self.lists.first().map_or("", |offered| &offered.list), self.lists.len().saturating_sub(1));
        let others = if others == 0 { String::new() } else { format!(" and {others} more") };
        match &self.index {
            Some(index) => write!(f, "no index serves `{first}`{others}: {index}"),
            None => write!(f, "no index can serve `{first}`{others}"),
        }
    }
}
