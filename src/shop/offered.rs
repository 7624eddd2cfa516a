//! The orders that lists are offered in.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use async_graphql::InputType;
use async_graphql::resolver_utils::EnumType;
use keyset::Order;
use keyset_graphql::{NullPlacement, Scope, Sort, SortDirection};
use sea_orm::DbBackend;

use super::book::Book;
use super::list::{ShopArgs, ShopObject};
use super::order::BookOrder;
use super::rating::Rating;

/// An order, and a list that has it.
#[derive(Clone, Debug)]
pub struct Offered {
    /// The list with its argument, as a query has it.
    pub list: String,
    /// The order.
    pub order: Order,
}

/// The orders that lists of the shop are offered in, other than searches: the order of a search by relevance depends on
/// its words.
pub fn offered() -> Vec<Offered> {
    [of::<Book>("books"), of::<Rating>("ratings"), of::<BookOrder>("orders")].concat()
}

/// The orders of one type, the shortest argument first. What is offered by several criteria is offered without the last
/// of them, too: so this finds all.
fn of<T: ShopObject<SortField: EnumType>>(list: &str) -> Vec<Offered> {
    let mut offered = Vec::new();
    let mut known = HashSet::new();
    let mut next = VecDeque::from([Vec::new()]);
    while let Some(sorts) = next.pop_front() {
        // SQLite stands for both: the orders are the same.
        let mut scope = Scope::priced(DbBackend::Sqlite, Arc::default());
        let rows = T::rows(&ShopArgs::ordered_by(Some(sorts.clone())), &mut scope);
        if let Ok((_, order)) = rows
            && known.insert(order.to_string())
        {
            next.extend(criteria().map(|sort| [sorts.as_slice(), &[sort]].concat()));
            offered.push(Offered { list: append_argument(list, &sorts), order });
        }
    }
    offered
}

/// Every criterion.
fn criteria<F: EnumType + InputType>() -> impl Iterator<Item = Sort<F>> {
    let ways = [SortDirection::Asc, SortDirection::Desc]
        .into_iter()
        .flat_map(|direction| [NullPlacement::Last, NullPlacement::First].map(|nulls| (direction, nulls)));
    let of_field = move |field| ways.clone().map(move |(direction, nulls)| Sort { field, direction, nulls });
    F::items().iter().flat_map(move |item| of_field(item.value))
}

fn append_argument<F: InputType + Copy>(list: &str, sorts: &[Sort<F>]) -> String {
    if sorts.is_empty() {
        return list.to_owned();
    }
    let sorts: Vec<String> = sorts.iter().map(|sort| sort.to_value().to_string()).collect();
    format!("{list}(orderBy: [{}])", sorts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_is_found_once_with_its_shortest_argument() {
        let offered = offered();
        let lists: Vec<&str> = offered.iter().map(|offered| offered.list.as_str()).collect();
        for list in ["books", "ratings", "orders", "ratings(orderBy: [{field: RATING, direction: DESC, nulls: LAST}])"]
        {
            assert!(lists.contains(&list), "{lists:#?}");
        }
        let meanings: HashSet<String> = offered.iter().map(|offered| offered.order.to_string()).collect();
        assert_eq!(meanings.len(), offered.len());
        // Of an order by one field that is never null: two directions, with the id in two.
        assert_eq!(lists.iter().filter(|list| list.starts_with("orders(orderBy: [{field: TOTAL_PRICE")).count(), 4);
        assert!(meanings.contains("book.year DESC, book.name ASC, book.id DESC"));
        assert!(meanings.contains("book_stats.average_rating DESC NULLS FIRST, book_stats.book_id ASC"));
    }
}
