//! A strict total order over the rows of an entity.

use std::fmt;
use std::sync::Arc;

use sea_orm::DynIden;
use sea_orm::sea_query::Expr;

use crate::{Column, Direction, Modelled, Nulls, Postings, Sort, Table};

/// A list of sorts that ends in a unique, non-null one: no two rows are equal under it, so a key is a position. Cheap
/// to clone.
///
/// ```
/// # use sea_orm::tests_cfg::cake;
/// use keyset::{Order, Sort};
///
/// let order = Order::of::<cake::Entity>([Sort::desc(cake::Column::Name)])?;
/// assert_eq!(order.to_string(), "cake.name DESC, cake.id DESC");
/// # Ok::<(), keyset::OrderError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    sorts: Arc<[Sort]>,
    fingerprint: u16,
    /// The lists that lead to the rows, in this order.
    postings: Option<Arc<Postings>>,
}

/// The error for sorts that make no order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// The type of the column is not a supported [`Kind`](crate::Kind): for example JSON or an array.
    #[error("rows cannot be ordered by `{0}`: its type is not supported")]
    Unsupported(String),
    /// The entity has no primary key.
    #[error("the rows of `{0}` cannot be ordered: it has no primary key")]
    NoKey(String),
}

fn supported(sort: Sort) -> Result<Sort, OrderError> {
    if sort.kind.is_sortable() { Ok(sort) } else { Err(OrderError::Unsupported(sort.name)) }
}

impl Order {
    /// The order by these sorts, made total.
    ///
    /// The primary key is appended in the direction of the last sort, so that one index serves both directions. Sorts
    /// without effect are dropped: a repeated column, and every sort after the primary key or after unique columns
    /// without NULLs. A column of another table, from a join, counts as neither unique nor free of NULLs.
    ///
    /// The rows are those of `E`. A join may add columns to them, but must not multiply them.
    ///
    /// # Errors
    ///
    /// [`OrderError`] for a column whose type is not supported, and for an entity without a primary key.
    pub fn of<E: Modelled>(sorts: impl IntoIterator<Item = Sort>) -> Result<Self, OrderError> {
        Self::of_table(&Table::of::<E>(), sorts)
    }

    /// The same for the rows of a table.
    ///
    /// # Errors
    ///
    /// As [`Order::of`].
    pub fn of_table(rows: &Table, sorts: impl IntoIterator<Item = Sort>) -> Result<Self, OrderError> {
        let keys: Vec<Sort> = rows.key().map(|column| Sort::asc(column.clone())).collect();
        let others = rows.unique_keys().map(|key| key.into_iter().cloned().map(Sort::asc).collect::<Vec<_>>());
        let others: Vec<_> = others.collect();
        let holds = |total: &[Sort], sort: &Sort| total.iter().any(|earlier| earlier.name == sort.name);
        let is_total = |total: &[Sort]| {
            let has = |key: &[Sort]| key.iter().all(|key| holds(total, key));
            total.last().is_some_and(Sort::is_unique) || has(&keys) || others.iter().any(|key| has(key))
        };

        let table = rows.name();
        let mut total: Vec<Sort> = Vec::new();
        for sort in sorts {
            let sort = supported(sort.within(table))?;
            if !is_total(&total) && !holds(&total, &sort) {
                total.push(sort);
            }
        }
        let direction = total.last().map_or(Direction::Asc, |last| last.direction);
        for key in &keys {
            if !is_total(&total) && !holds(&total, key) {
                total.push(supported(key.clone().direction(direction))?);
            }
        }
        if total.is_empty() {
            return Err(OrderError::NoKey(table.to_owned()));
        }

        Ok(Self::over(total.into()))
    }

    /// The same for the rows of all parents to which columns refer, of which each list has those of one. What they differ by comes last:
    /// the index of the list has it first.
    ///
    /// # Errors
    ///
    /// As [`Order::of`].
    pub fn of_parents(
        rows: &Table,
        parent: &[Column],
        sorts: impl IntoIterator<Item = Sort>,
    ) -> Result<Self, OrderError> {
        let mut sorts: Vec<Sort> = sorts.into_iter().collect();
        let direction = sorts.last().map_or(Direction::Asc, |last| last.direction);
        let sort = |column: &Column| Sort::asc(column.clone()).direction(direction);
        let is_of_parent = |column: &&Column| parent.contains(column);
        let is_sorted = |column: &&Column| sorts.iter().any(|known| known.name == sort(column).name);
        let mut others = rows.unique_keys().filter(|key| key.iter().any(is_of_parent));
        if let Some(key) = others.find(|key| key.iter().all(|column| is_of_parent(column) || is_sorted(column))) {
            sorts.extend(key.into_iter().filter(is_of_parent).map(sort));
        }
        if rows.key().any(|column| is_of_parent(&column)) {
            sorts.extend(rows.key().filter(|column| !is_of_parent(column)).map(sort));
        }
        Self::of_table(rows, sorts)
    }

    fn over(sorts: Arc<[Sort]>) -> Self {
        let mut order = Self { sorts, fingerprint: 0, postings: None };
        order.fingerprint = fold(&order.to_string());
        order
    }

    /// The sorts, most significant first.
    pub fn sorts(&self) -> &[Sort] {
        &self.sorts
    }

    /// A two-byte hash of the order's meaning. Every [`Cursor`](crate::Cursor) holds it, so that a cursor of another
    /// order is rejected. Two orders have the same hash with a chance of 1 in 65,536: then a cursor of one is a position in the other,
    /// if its values have the types of that.
    pub fn fingerprint(&self) -> u16 {
        self.fingerprint
    }

    /// Whether a sort is by a value that no index holds: see [`Sort::computed`].
    pub fn is_computed(&self) -> bool {
        self.sorts.iter().any(|sort| sort.computed)
    }

    /// The same order over rows that have the value of each sort in a column.
    pub(crate) fn over_columns(&self, column: fn(usize) -> DynIden) -> Self {
        let sorts = self.sorts.iter().enumerate().map(|(position, sort)| sort.over(Expr::col(column(position))));
        Self { sorts: sorts.collect(), ..self.clone() }
    }

    /// The same order over rows that have the value of its only sort in this expression.
    pub(crate) fn over_expr(&self, expr: &Expr) -> Self {
        let sorts = self.sorts.iter().map(|sort| sort.over(expr.clone()));
        Self { sorts: sorts.collect(), ..self.clone() }
    }

    /// The same order over rows that these lists lead to.
    pub(crate) fn leaping(self, postings: Arc<Postings>) -> Self {
        Self { postings: Some(postings), ..self }
    }

    /// The lists that lead to the rows.
    pub(crate) fn postings(&self) -> Option<&Postings> {
        self.postings.as_deref()
    }

    /// The same rows from the other end. It is another order, with its own cursors.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let back = self.backward();
        Self { postings: back.postings, ..Self::over(back.sorts) }
    }

    /// Like [`Order::reversed`], without computing a fingerprint: for statements, not for cursors.
    pub(crate) fn backward(&self) -> Self {
        let sorts = self.sorts.iter().cloned().map(Sort::reversed).collect();
        Self { sorts, ..self.clone() }
    }
}

/// The order's meaning as text, from which the fingerprint is computed. The placement of NULLs is part of it only for a
/// sort that can be NULL.
impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, sort) in self.sorts.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            let direction = match sort.direction {
                Direction::Asc => "ASC",
                Direction::Desc => "DESC",
            };
            let nulls = match sort.nulls {
                _ if !sort.nullable => "",
                Nulls::First => " NULLS FIRST",
                Nulls::Last => " NULLS LAST",
            };
            write!(f, "{comma}{} {direction}{nulls}", sort.name)?;
        }
        Ok(())
    }
}

/// FNV-1a over 32 bits, folded to 16 as its authors advise. Unlike the hashes of the standard library it is stable.
fn fold(meaning: &str) -> u16 {
    let hash = meaning.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let [a, b, c, d] = hash.to_be_bytes();
    u16::from_be_bytes([a ^ c, b ^ d])
}

#[cfg(test)]
mod tests {
    use sea_orm::ColumnTrait;
    use sea_orm::sea_query::ColumnType;
    use sea_orm::tests_cfg::{cake, cake_filling, fruit};

    use super::*;
    use crate::{ColumnDefinition, TableDefinition};

    #[track_caller]
    fn check<E: Modelled>(sorts: impl IntoIterator<Item = Sort>, meaning: &str) {
        assert_eq!(Order::of::<E>(sorts).unwrap().to_string(), meaning);
    }

    #[test]
    fn an_order_ends_in_the_primary_key_in_the_direction_of_the_last_sort() {
        check::<cake::Entity>([], "cake.id ASC");
        check::<cake::Entity>([Sort::asc(cake::Column::Name)], "cake.name ASC, cake.id ASC");
        check::<cake::Entity>([Sort::desc(cake::Column::Name)], "cake.name DESC, cake.id DESC");
        check::<cake_filling::Entity>(
            [Sort::desc(cake_filling::Column::FillingId)],
            "cake_filling.filling_id DESC, cake_filling.cake_id DESC",
        );
    }

    #[test]
    fn sorts_that_cannot_matter_are_dropped() {
        use cake::Column::{Id, Name};
        check::<cake::Entity>([Sort::desc(Id), Sort::asc(Name)], "cake.id DESC");
        check::<cake::Entity>([Sort::desc(Name), Sort::asc(Name)], "cake.name DESC, cake.id DESC");
    }

    #[test]
    fn columns_that_are_unique_together_make_an_order_total_unless_one_can_be_null() {
        let (cake, name) = (fruit::Column::CakeId, fruit::Column::Name);
        let mut fruits = Table::of::<fruit::Entity>();
        fruits.unique(&["cake_id", "name"]);
        let order = |table: &Table, sorts: [Sort; 2]| Order::of_table(table, sorts).unwrap().to_string();
        let by = "fruit.name ASC, fruit.cake_id ASC NULLS LAST, fruit.id ASC";
        assert_eq!(order(&fruits, [Sort::asc(name), Sort::asc(cake)]), by);

        let (cake, filling) = (cake_filling::Column::CakeId, cake_filling::Column::FillingId);
        let mut fillings = Table::of::<cake_filling::Entity>();
        let by = "cake_filling.filling_id DESC, cake_filling.cake_id ASC";
        assert_eq!(order(&fillings, [Sort::desc(filling), Sort::asc(cake)]), by);
        fillings.unique(&["filling_id", "none"]);
        assert_eq!(order(&fillings, [Sort::desc(filling), Sort::asc(cake)]), by);

        let pair = |null| {
            let column = |name: &str, is_nullable| ColumnDefinition {
                name: name.into(),
                column_type: ColumnType::Integer,
                is_nullable,
                is_unique: false,
                is_indexed: false,
                has_default: false,
                is_computed: false,
            };
            let columns = vec![column("id", false), column("a", false), column("b", null)];
            let (key, unique) = (vec!["id".into()], vec![vec!["a".into(), "b".into()]]);
            Table::defined(TableDefinition { name: "pair".into(), columns, key, unique, generates_key: false })
        };
        let by_both = |table: &Table| {
            let sort = |name| Sort::asc(table.column(name).unwrap().clone());
            [order(table, [sort("b"), sort("a")]), Order::of_table(table, [sort("a")]).unwrap().to_string()]
        };
        assert_eq!(by_both(&pair(false)), ["pair.b ASC, pair.a ASC", "pair.a ASC, pair.id ASC"]);
        assert_eq!(by_both(&pair(true)), ["pair.b ASC NULLS LAST, pair.a ASC, pair.id ASC", "pair.a ASC, pair.id ASC"]);

        let of_each = |parent, sorted, table: &Table| {
            let column = |name| table.column(name).unwrap().clone();
            Order::of_parents(table, &[column(parent)], [Sort::desc(column(sorted))]).unwrap().to_string()
        };
        assert_eq!(of_each("a", "b", &pair(false)), "pair.b DESC, pair.a DESC");
        assert_eq!(of_each("a", "id", &pair(false)), "pair.id DESC");
    }

    #[test]
    fn null_placement_means_something_only_where_there_can_be_nulls() {
        use fruit::Column::{CakeId, Name};
        assert!(CakeId.def().is_null() && !Name.def().is_null());
        let first = |column| Sort::asc(column).nulls(Nulls::First);
        check::<fruit::Entity>([first(CakeId)], "fruit.cake_id ASC NULLS FIRST, fruit.id ASC");
        check::<fruit::Entity>([first(Name)], "fruit.name ASC, fruit.id ASC");
    }

    #[test]
    fn an_order_reversed_twice_is_the_same() {
        let order = Order::of::<fruit::Entity>([Sort::desc(fruit::Column::CakeId)]).unwrap();
        let back = order.reversed();
        assert_eq!(back.to_string(), "fruit.cake_id ASC NULLS FIRST, fruit.id ASC");
        assert_eq!(back.reversed().to_string(), order.to_string());
    }

    /// Frozen: a change here invalidates every cursor that clients hold.
    #[test]
    fn the_fingerprint_is_of_the_meaning() {
        let print = |sorts: Vec<Sort>| Order::of::<cake::Entity>(sorts).unwrap().fingerprint();
        let (id, name) = (cake::Column::Id, cake::Column::Name);
        assert_eq!(print(vec![]), 0xa5f8);
        assert_eq!(print(vec![]), print(vec![Sort::asc(id)]));
        assert_eq!(print(vec![Sort::asc(name)]), print(vec![Sort::asc(name), Sort::asc(id), Sort::desc(name)]));
        assert_ne!(print(vec![Sort::asc(name)]), print(vec![Sort::desc(name)]));
    }
}
