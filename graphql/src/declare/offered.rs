//! The orders that lists are offered in.

use std::collections::HashSet;

use keyset::{Column, Order};

use super::declaration::Declaration;
use super::field::FieldKind;
use super::object::ObjectType;
use super::root::RootKind;
use crate::order::{Criterion, NullPlacement, SortDirection, Sorted, is_key};

/// The columns of an index whose directions are tried one by one. An order by more is offered, too.
const MAX_ITEMS: usize = 4;

/// An order, and a list that has it.
#[derive(Clone, Debug)]
pub struct Offered {
    /// The list with its argument, as a query has it.
    pub list: String,
    /// The order.
    pub order: Order,
}

impl Declaration {
    /// The orders that the lists of the query are offered in, the shortest argument first; without those that depend on another
    /// argument.
    pub fn offered(&self) -> Vec<Offered> {
        let of_query = self.lists().filter(|(_, _, parent)| parent.is_empty());
        of_query.flat_map(|(list, object, _)| Offered::held(&list, object)).collect()
    }

    /// All lists: their names, their objects, and the columns that refer to their parents. `Artist.albums` is a list of an object.
    pub(crate) fn lists(&self) -> impl Iterator<Item = (String, &ObjectType, &[Column])> {
        let of_query = self.roots().iter().filter_map(|root| match &root.kind {
            RootKind::List { index, .. } => Some((root.name.clone(), self.object(*index), &[][..])),
            _ => None,
        });
        let fields = self.objects().iter().flat_map(|of| of.fields.iter().map(move |field| (of, field)));
        let of_objects = fields.filter_map(|(of, field)| match &field.kind {
            FieldKind::List(list) => {
                Some((format!("{}.{}", of.name, field.name), self.object(list.of.index), &list.columns[..]))
            }
            _ => None,
        });
        of_query.chain(of_objects)
    }
}

impl Offered {
    /// The orders that a list of all objects is offered in, with those that indexes hold.
    fn held(list: &str, object: &ObjectType) -> Vec<Self> {
        let indexed = object.indexed_items().into_iter().filter(|items| items.len() <= MAX_ITEMS);
        let mut known = HashSet::new();
        let held = indexed.flat_map(|items| ways(&items)).filter_map(|criteria| Self::of(list, object, &criteria, &[]));
        let all = Self::of_list(list, object, &[]).into_iter().chain(held);
        all.filter(|offered| known.insert(offered.order.to_string())).collect()
    }

    /// The list by these criteria, if they are offered.
    fn of(list: &str, object: &ObjectType, criteria: &[Criterion], parent: &[Column]) -> Option<Self> {
        let order = Sorted::of(object, criteria, None, parent).ok()?.order;
        Some(Self { list: with_argument(list, criteria), order })
    }

    /// The orders that a list of an object is offered in; with the columns that refer to a parent, that of each parent. Those that
    /// indexes hold are not among them.
    pub(crate) fn of_list(list: &str, object: &ObjectType, parent: &[Column]) -> Vec<Self> {
        let key = object.sort_fields().find(|(_, field)| is_key(object, field)).map(|(name, _)| name);
        let mut orders = vec![Vec::new()];
        orders.extend(key.iter().map(|key| vec![key.clone()]));
        let offered = object.offered_orders();
        orders.extend(offered.iter().cloned());
        orders.extend(offered.iter().filter_map(|order| Some([order.as_slice(), &[key.clone()?]].concat())));
        let mut known = HashSet::new();
        let criteria = orders.iter().flat_map(|order| ways(order));
        let offered = criteria.filter_map(|criteria| Self::of(list, object, &criteria, parent));
        offered.filter(|offered| known.insert(offered.order.to_string())).collect()
    }
}

impl ObjectType {
    /// The orders of lists of all objects that indexes hold, for people.
    pub(crate) fn held_orders(&self) -> Vec<String> {
        let is_held = |items: &[String]| {
            let order = |way: &Vec<Criterion>| Sorted::unchecked(self, way, None, &[]);
            let holds = |sorted: Sorted| self.holds(&sorted.order, &[]);
            items.len() > MAX_ITEMS || ways(items).iter().any(|way| order(way).is_ok_and(holds))
        };
        let items = self.indexed_items().into_iter().filter(|items| is_held(items));
        items.map(|items| items.join(", ")).collect()
    }
}

/// Every way to sort by these items.
fn ways(items: &[String]) -> Vec<Vec<Criterion>> {
    items.iter().fold(vec![Vec::new()], |so_far, item| {
        let way = |direction, nulls| Criterion { item: item.clone(), direction, nulls };
        let ways = [NullPlacement::Last, NullPlacement::First]
            .into_iter()
            .flat_map(|nulls| [way(SortDirection::Asc, nulls), way(SortDirection::Desc, nulls)]);
        ways.flat_map(|way| so_far.iter().map(move |earlier| [earlier.as_slice(), std::slice::from_ref(&way)].concat()))
            .collect()
    })
}

fn with_argument(list: &str, criteria: &[Criterion]) -> String {
    if criteria.is_empty() {
        return list.to_owned();
    }
    let criteria: Vec<String> = criteria.iter().map(|criterion| criterion.to_value().to_string()).collect();
    format!("{list}(orderBy: [{}])", criteria.join(", "))
}
