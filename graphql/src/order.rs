//! The order of a list: from the criteria of `orderBy` to an order of the engine.

use std::collections::BTreeMap;

use async_graphql::{Enum, InputType, Name, Value, Variables};
use keyset::{Column, Order, Sort};

use crate::declare::argument::OwnOrders;
use crate::declare::field::{Field, FieldKind};
use crate::declare::guard::{self, Guard};
use crate::declare::names::is_screaming;
use crate::declare::object::ObjectType;
use crate::error::code;
use crate::scalar::refused;
use crate::{Error, Result};

/// A sort direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[graphql(remote = "keyset::Direction")]
pub enum SortDirection {
    /// Ascending: from the smallest to the largest value.
    Asc,
    /// Descending: from the largest to the smallest value.
    Desc,
}

/// The position of objects without a value in a sorted list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[graphql(remote = "keyset::Nulls")]
pub enum NullPlacement {
    /// Before all other objects, in either direction.
    First,
    /// After all other objects, in either direction.
    Last,
}

/// A criterion of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Criterion {
    /// The item of the enum of sorts, such as `NAME`.
    pub item: String,
    /// The direction.
    pub direction: SortDirection,
    /// The position of objects without a value.
    pub nulls: NullPlacement,
}

/// The criteria of an `orderBy`.
///
/// # Errors
///
/// [`BAD_USER_INPUT`](code::BAD_USER_INPUT) if it is none.
pub(crate) fn criteria(order_by: Option<&Value>) -> Result<Vec<Criterion>> {
    match order_by {
        Some(Value::List(criteria)) => criteria.iter().map(Criterion::read).collect(),
        None | Some(Value::Null) => Ok(Vec::new()),
        // One value is a list of it: https://spec.graphql.org/September2025/#sec-List.Input-Coercion
        Some(criterion) => Ok(vec![Criterion::read(criterion)?]),
    }
}

/// The criteria of an `orderBy`, by fields that the answers of the guards, in these variables, allow.
///
/// # Errors
///
/// [`BAD_USER_INPUT`](code::BAD_USER_INPUT) if it is none; [`FORBIDDEN`](code::FORBIDDEN).
pub(crate) fn permitted(
    object: &ObjectType,
    order_by: Option<&Value>,
    variables: &Variables,
) -> Result<Vec<Criterion>> {
    let criteria = criteria(order_by)?;
    criteria.iter().try_for_each(|criterion| object.check_sort(&criterion.item, variables))?;
    Ok(criteria)
}

impl Criterion {
    /// Ascending by this item, objects without a value last.
    pub fn asc(item: impl Into<String>) -> Self {
        Self { item: item.into(), direction: SortDirection::Asc, nulls: NullPlacement::Last }
    }

    /// Descending by this item, objects without a value last.
    pub fn desc(item: impl Into<String>) -> Self {
        Self { direction: SortDirection::Desc, ..Self::asc(item) }
    }

    /// Reads a criterion of an input.
    ///
    /// # Errors
    ///
    /// [`BAD_USER_INPUT`](code::BAD_USER_INPUT) if it is none.
    pub(crate) fn read(value: &Value) -> Result<Self> {
        let Value::Object(fields) = value else {
            return Err(Error::client(code::BAD_USER_INPUT, format!("expected a criterion of an order, not {value}")));
        };
        let item = match fields.get("field") {
            Some(Value::Enum(item)) => item.to_string(),
            Some(Value::String(item)) => item.clone(),
            _ => return Err(Error::client(code::BAD_USER_INPUT, "a criterion of an order needs a `field`")),
        };
        let given = |name: &str| fields.get(name).cloned();
        Ok(Self {
            item,
            direction: given("direction")
                .map_or(Ok(SortDirection::Asc), |value| SortDirection::parse(Some(value)).map_err(refused))?,
            nulls: given("nulls")
                .map_or(Ok(NullPlacement::Last), |value| NullPlacement::parse(Some(value)).map_err(refused))?,
        })
    }

    /// As an input has it.
    pub fn to_value(&self) -> Value {
        let fields = [
            (Name::new("field"), Value::Enum(Name::new(&self.item))),
            (Name::new("direction"), self.direction.to_value()),
            (Name::new("nulls"), self.nulls.to_value()),
        ];
        Value::Object(fields.into_iter().collect())
    }

    /// The engine's sort, in this direction and with this null placement.
    fn apply(&self, sort: Sort) -> Sort {
        sort.direction(self.direction.into()).nulls(self.nulls.into())
    }
}

/// A sort by a column of a related object.
#[derive(Clone, Debug)]
pub(crate) struct RelatedSort {
    /// The name of its item.
    pub item: String,
    pub description: String,
    pub relation: usize,
    /// The column, of the table under the name that it has in the query of the list.
    pub column: Column,
    pub is_by_code_point: bool,
    /// Who may read the related object, and the field, unless everybody may.
    pub guards: [Option<Guard>; 2],
}

/// An order of a list, and what it needs.
pub(crate) struct Sorted {
    pub order: Order,
    /// The relation whose columns it has.
    pub beside: Option<usize>,
    /// The relations of which it has columns that no index holds, with the names of their tables in the query.
    pub related: BTreeMap<usize, String>,
    /// The key in its table: that of the relation where an index of its table holds the order.
    pub key: Column,
}

impl Sorted {
    /// The order of a list by these criteria; where an argument of its own offers orders, those. All of its rows have one value in
    /// each of the `pinned` columns: those that refer to a parent.
    ///
    /// # Errors
    ///
    /// As [`ObjectType::order`].
    pub fn of(object: &ObjectType, criteria: &[Criterion], own: Option<&OwnOrders>, pinned: &[Column]) -> Result<Self> {
        let sorted = Self::unchecked(object, criteria, own, pinned)?;
        if own.is_none() && object.indexed.is_some() {
            check_held(object, &items(object, criteria), &sorted.order, pinned)?;
        }
        Ok(sorted)
    }

    /// The same whether an index holds it or not.
    pub fn unchecked(
        object: &ObjectType,
        criteria: &[Criterion],
        own: Option<&OwnOrders>,
        pinned: &[Column],
    ) -> Result<Self> {
        let default = own.map(|own| [Criterion::desc(own.default)]);
        let criteria =
            if criteria.is_empty() { default.as_ref().map_or(criteria, |it| it.as_slice()) } else { criteria };
        let items = items(object, criteria);
        if own.is_none() && object.indexed.is_none() {
            check(object, &items)?;
        }
        let beside = items.iter().find_map(|item| match field(object, item)?.kind {
            FieldKind::Beside { relation, .. } => Some(relation),
            _ => None,
        });
        // An index holds the columns of one table: an order by columns of a relation ends in the key of their table.
        let table = beside.filter(|_| own.is_none()).map(|relation| &object.relations[relation]);
        let key = table.map_or_else(|| object.key().clone(), |relation| relation.to[0].clone());
        let (mut sorts, mut related) = (Vec::with_capacity(criteria.len()), BTreeMap::new());
        for criterion in criteria {
            let sort = match (field(object, &criterion.item), own) {
                (Some(field), _) if is_key(object, field) => Sort::asc(key.clone()),
                (Some(field), _) => sort(field).ok_or_else(|| object.unknown_item(&criterion.item))?,
                (None, Some(own)) => own.sort(&criterion.item).ok_or_else(|| object.unknown_item(&criterion.item))?,
                (None, None) => {
                    let known = object.related_sorts.iter().find(|sort| sort.item == criterion.item);
                    let known = known.ok_or_else(|| object.unknown_item(&criterion.item))?;
                    related.insert(known.relation, known.column.table());
                    by_column(&known.column, known.is_by_code_point).computed()
                }
            };
            // No index holds another order of what the argument finds than that of the key.
            let sort = if own.is_some() && !items.is_empty() { sort.computed() } else { sort };
            sorts.push(criterion.apply(sort));
        }
        let table = table.and_then(|relation| relation.table.as_ref()).unwrap_or(&object.table);
        // A cursor is a position in the lists of all parents.
        Ok(Self { order: Order::of_parents(table, pinned, sorts)?, beside, related, key })
    }
}

impl ObjectType {
    /// Refuses to sort by an item that the answers of the guards, in these variables, do not allow. An unknown item is refused later.
    ///
    /// # Errors
    ///
    /// [`FORBIDDEN`](code::FORBIDDEN).
    fn check_sort(&self, item: &str, variables: &Variables) -> Result<()> {
        if let Some(field) = field(self, item) {
            return guard::check(&field.name, field.guard.as_ref(), variables);
        }
        let sort = self.related_sorts.iter().find(|sort| sort.item == item);
        let mut guards = sort.into_iter().flat_map(|sort| &sort.guards).flatten();
        guards.try_for_each(|of_sort| guard::check(item, Some(of_sort), variables))
    }
}

/// The field of an item.
fn field<'o>(object: &'o ObjectType, item: &str) -> Option<&'o Field> {
    object.sorting_fields().find(|field| is_screaming(&field.name, item))
}

/// Whether a field is the primary key of its table.
pub(crate) fn is_key(object: &ObjectType, field: &Field) -> bool {
    match &field.kind {
        FieldKind::CreatedAt(_) => true,
        FieldKind::Column(column) => object.table.key().count() == 1 && object.key() == column,
        _ => false,
    }
}

/// The sort by a field that is not the key.
fn sort(field: &Field) -> Option<Sort> {
    let (FieldKind::Column(column) | FieldKind::Beside { column, .. }) = &field.kind else { return None };
    Some(by_column(column, field.is_by_code_point))
}

fn by_column(column: &Column, is_by_code_point: bool) -> Sort {
    let sort = Sort::asc(column.clone());
    if is_by_code_point { sort.by_code_point() } else { sort }
}

/// The items that name an index: each once, and none after the key, which is unique and always offered at the end.
fn items<'c>(object: &ObjectType, criteria: &'c [Criterion]) -> Vec<&'c str> {
    let mut items: Vec<&str> = Vec::new();
    for criterion in criteria {
        let item = criterion.item.as_str();
        if field(object, item).is_some_and(|field| is_key(object, field)) {
            break;
        }
        if !items.contains(&item) {
            items.push(item);
        }
    }
    items
}

/// Refuses what no index holds, unless it is offered all the same.
fn check_held(object: &ObjectType, items: &[&str], order: &Order, pinned: &[Column]) -> Result<()> {
    let is_offered = || object.offered_orders().iter().any(|order| order == items);
    if items.is_empty() || object.holds(order, pinned) || is_offered() {
        return Ok(());
    }
    // Of each parent, a key of several columns is one of fewer.
    let of_key = object.ordered(pinned)?;
    if [of_key.reversed().fingerprint(), of_key.fingerprint()].contains(&order.fingerprint()) {
        return Ok(());
    }
    let also = object.offered_orders().into_iter().map(|order| order.join(", "));
    let offered: Vec<String> = object.held_orders().into_iter().chain(also).collect();
    let list = if pinned.is_empty() { "the list" } else { "this list of each parent" };
    let message = if offered.is_empty() {
        format!("no index holds the order {} of {list}", items.join(", "))
    } else {
        let offered = offered.join("; ");
        format!("no index holds the order {} of {list}: indexes hold {offered}", items.join(", "))
    };
    Err(Error::client(code::ORDER_NOT_OFFERED, message))
}

/// Refuses what is not offered.
fn check(object: &ObjectType, items: &[&str]) -> Result<()> {
    for argument in &object.arguments {
        if let Some(item) = items.iter().find(|item| argument.sorts().iter().any(|(name, _)| name == *item)) {
            let message = format!("the order {item} requires `{}`", argument.name());
            return Err(Error::client(code::ORDER_NOT_OFFERED, message));
        }
    }
    let offered = object.offered_orders();
    if items.is_empty() || offered.iter().any(|order| order == items) {
        return Ok(());
    }
    let key = object.sort_fields().find(|(_, field)| is_key(object, field)).map_or_else(String::new, |(name, _)| name);
    let offered: Vec<String> = offered.iter().map(|order| order.join(", ")).collect();
    let own = object.arguments.iter().find(|argument| !argument.sorts().is_empty());
    let without = own.map_or_else(String::new, |argument| format!("without `{}`, ", argument.name()));
    let message = format!(
        "no index supports the order {}: {without}sort by {key}, or by one of {}, optionally followed by {key}",
        items.join(", "),
        offered.join("; ")
    );
    Err(Error::client(code::ORDER_NOT_OFFERED, message))
}
