//! From the argument `where` to a filter.

use async_graphql::indexmap::IndexMap;
use async_graphql::{ID, InputType, Name, Value as Input, Variables};
use keyset::{Column, Kind};
use sea_orm::Value;

use super::{
    CountFilter, Filter, MAX_CONDITIONS, MAX_LEVELS, RELATION, RelatedFilter, RelatedObjects, Test, json, lists,
};
use crate::declare::declaration::Declaration;
use crate::declare::field::{Field, FieldKind};
use crate::declare::guard;
use crate::declare::object::ObjectType;
use crate::error::code;
use crate::scalar::{self, refused};
use crate::{DateTime, Error, Result};

/// The members of an input object.
pub(super) type Members = IndexMap<Name, Input>;

/// The size of a filter so far.
#[derive(Debug, Default)]
pub(crate) struct Budget<'a> {
    conditions: usize,
    pub(super) level: usize,
    /// The variables with the answers of the guards; without them, every field can be filtered by.
    variables: Option<&'a Variables>,
}

impl<'a> Budget<'a> {
    /// Of a filter by those fields alone that the guards allow, whose answers are in these variables.
    pub fn guarded(variables: Option<&'a Variables>) -> Self {
        Self { variables, ..Self::default() }
    }

    /// Counts conditions and values.
    ///
    /// # Errors
    ///
    /// [`FILTER_TOO_LARGE`](code::FILTER_TOO_LARGE) above [`MAX_CONDITIONS`].
    pub(super) fn count(&mut self, conditions: usize) -> Result<()> {
        self.conditions += conditions;
        if self.conditions > MAX_CONDITIONS {
            let message = format!(
                "the filter must have at most {MAX_CONDITIONS} conditions and values: a condition on a related object counts \
                 as {RELATION}"
            );
            return Err(Error::client(code::FILTER_TOO_LARGE, message));
        }
        Ok(())
    }

    pub(super) fn descend(&mut self) -> Result<()> {
        self.level += 1;
        // An empty filter takes space in the statement too.
        self.count(1)?;
        if self.level > MAX_LEVELS {
            let message = format!("the filter must have at most {MAX_LEVELS} levels");
            return Err(Error::client(code::FILTER_TOO_LARGE, message));
        }
        Ok(())
    }
}

/// Reads a filter of an object. A null condition is an absent one.
///
/// # Errors
///
/// [`FILTER_TOO_LARGE`](code::FILTER_TOO_LARGE), [`ID_INVALID`](code::ID_INVALID), [`BAD_USER_INPUT`](code::BAD_USER_INPUT) and
/// [`FORBIDDEN`](code::FORBIDDEN).
pub(crate) fn read(
    object: &ObjectType,
    declaration: &Declaration,
    value: &Input,
    budget: &mut Budget<'_>,
) -> Result<Filter> {
    budget.descend()?;
    let given = members(value, || format!("{}Filter", object.name))?;
    let mut all = Vec::new();
    for field in object.filter_fields() {
        if let Some(value) = present(given, &field.name) {
            conditions(object, field, declaration, value, budget, &mut all)?;
        }
    }
    let mut filters = |name: &str| -> Result<Option<Vec<Filter>>> {
        let Some(value) = present(given, name) else { return Ok(None) };
        items(value).map(|value| read(object, declaration, value, budget)).collect::<Result<_>>().map(Some)
    };
    all.extend(filters("and")?.into_iter().flatten());
    all.extend(filters("or")?.map(Filter::Any));
    if let Some(value) = present(given, "not") {
        all.push(Filter::Not(Box::new(read(object, declaration, value, budget)?)));
    }
    budget.level -= 1;
    Ok(Filter::All(all))
}

/// Adds the conditions on a field.
fn conditions(
    object: &ObjectType,
    field: &Field,
    declaration: &Declaration,
    value: &Input,
    budget: &mut Budget<'_>,
    all: &mut Vec<Filter>,
) -> Result<()> {
    if let Some(variables) = budget.variables {
        guard::check(&field.name, field.guard.as_ref(), variables)?;
    }
    match &field.kind {
        FieldKind::Id => {
            let read = |value| declaration.key(&object.name, &ID::parse(Some(value)).map_err(refused)?);
            all.extend(
                tests(members(value, || field.name.clone())?, read, budget)?
                    .into_iter()
                    .map(|test| with_key(object, test)),
            );
        }
        FieldKind::Column(column) => {
            let tests = of_column(column, &field.name, value, budget)?;
            all.extend(tests.into_iter().map(|test| Filter::Column(column.clone(), test)));
        }
        FieldKind::Beside { relation, column, .. } => {
            let tests = of_column(column, &field.name, value, budget)?;
            all.extend(tests.into_iter().map(|test| Filter::Beside(*relation, column.clone(), test)));
        }
        FieldKind::CreatedAt(key) => {
            let read = |value| DateTime::parse(Some(value)).map_err(refused);
            let tests = tests(members(value, || field.name.clone())?, read, budget)?;
            all.extend(tests.into_iter().map(|test| Filter::CreatedAt(key.clone(), test)));
        }
        FieldKind::One(relation) => {
            budget.count(RELATION)?;
            let relation = &object.relations[*relation];
            let Some(related) = &relation.object else { return Ok(()) };
            let filter = read(declaration.object(related.index), declaration, value, budget)?;
            one(RelatedFilter { objects: RelatedObjects::of(relation, related), filter }, all);
        }
        FieldKind::List(list) => {
            let objects = declaration.listed(list);
            many(&field.name, &objects, declaration, value, budget, all)?;
        }
        FieldKind::Computed(_) | FieldKind::ComputedBeside { .. } | FieldKind::Resolved(_) => {}
    }
    Ok(())
}

/// The objects with keys, or without them.
fn with_key(object: &ObjectType, test: Test<Vec<Value>>) -> Filter {
    let columns: Vec<&Column> = object.table.key().collect();
    let only = |keys: Vec<Vec<Value>>| keys.into_iter().filter_map(|key| key.into_iter().next()).collect();
    match (test, &columns[..]) {
        (Test::In(keys), [column]) => Filter::Column((*column).clone(), Test::In(only(keys))),
        (Test::NotIn(keys), [column]) => Filter::Column((*column).clone(), Test::NotIn(only(keys))),
        (Test::In(keys), _) => {
            let with = |(column, value): (&&Column, Value)| Filter::Column((*column).clone(), Test::In(vec![value]));
            Filter::Any(keys.into_iter().map(|key| Filter::All(columns.iter().zip(key).map(with).collect())).collect())
        }
        (Test::NotIn(keys), _) => Filter::Not(Box::new(with_key(object, Test::In(keys)))),
        _ => Filter::All(Vec::new()),
    }
}

/// Adds the conditions on the objects that refer to a row.
fn many(
    field: &str,
    objects: &RelatedObjects,
    declaration: &Declaration,
    value: &Input,
    budget: &mut Budget<'_>,
    all: &mut Vec<Filter>,
) -> Result<()> {
    let given = members(value, || field.to_owned())?;
    for name in ["some", "every", "none"] {
        let Some(value) = present(given, name) else { continue };
        budget.count(RELATION)?;
        let filter = read(declaration.object(objects.object), declaration, value, budget)?;
        let some = |filter| Filter::Related(Box::new(RelatedFilter { objects: objects.clone(), filter }));
        all.push(match name {
            "some" => some(filter),
            "none" => Filter::Not(Box::new(some(filter))),
            _ => Filter::Not(Box::new(some(Filter::Not(Box::new(filter))))),
        });
    }
    if let Some(value) = present(given, "count") {
        let read = |value| i32::parse(Some(value)).map(Value::from).map_err(refused);
        for test in tests(members(value, || "count".to_owned())?, read, budget)? {
            budget.count(RELATION)?;
            let number = |count: &Value| if let Value::Int(Some(count)) = count { (*count).max(0).into() } else { 0 };
            let bound = 1 + test.values().iter().map(number).fold(0_i64, i64::max).unsigned_abs();
            all.push(Filter::Count(Box::new(CountFilter { objects: objects.clone(), test, bound })));
        }
    }
    Ok(())
}

/// Adds a condition on a related object. The values of its key are those of the column that refers to it, which may have an index.
fn one(mut one: RelatedFilter, all: &mut Vec<Filter>) {
    for (from, _) in one.objects.on.iter().filter(|(from, _)| from.is_nullable()) {
        all.push(Filter::Column(from.clone(), Test::IsNull(false)));
    }
    if let ([(from, to)], Filter::All(filters)) = (one.objects.on.as_slice(), &mut one.filter) {
        filters.retain(|filter| match filter {
            Filter::Column(column, test @ (Test::In(_) | Test::NotIn(_)))
                if column == to && (matches!(test, Test::In(_)) || !from.is_nullable()) =>
            {
                all.push(Filter::Column(from.clone(), test.clone()));
                false
            }
            _ => true,
        });
    }
    // One that is not there, or hidden, has no key.
    if one.objects.are_back || one.objects.can_hide || !one.filter.is_empty() {
        all.push(Filter::Related(Box::new(one)));
    }
}

/// The conditions on the value of a column.
fn of_column(column: &Column, field: &str, value: &Input, budget: &mut Budget<'_>) -> Result<Vec<Test<Value>>> {
    let given = members(value, || field.to_owned())?;
    let mut tests = match column.kind() {
        Kind::Array(_) => lists::read(given, column, budget)?,
        Kind::Json => json::read(given, budget)?,
        _ => tests(given, |value| scalar::read(column, value), budget)?,
    };
    tests.extend(is_null(given, budget)?);
    Ok(tests)
}

fn is_null<T>(given: &Members, budget: &mut Budget<'_>) -> Result<Option<Test<T>>> {
    let Some(value) = present(given, "isNull") else { return Ok(None) };
    budget.count(1)?;
    bool::parse(Some(value.clone())).map(|is_null| Some(Test::IsNull(is_null))).map_err(refused)
}

/// The comparisons of a value.
fn tests<T>(given: &Members, read: impl Fn(Input) -> Result<T>, budget: &mut Budget<'_>) -> Result<Vec<Test<T>>> {
    let mut found = Vec::new();
    for name in ["eq", "in", "ne", "notIn", "lt", "lte", "gt", "gte", "startsWith", "contains"] {
        let Some(value) = present(given, name) else { continue };
        let values = if matches!(name, "in" | "notIn") { items(value).count() } else { 1 };
        let one = || read(value.clone());
        let many = || items(value).map(|value| read(value.clone())).collect::<Result<Vec<T>>>();
        let part = || match read(value.clone()) {
            // It is checked like any other text.
            Ok(_) => String::parse(Some(value.clone())).map_err(refused),
            Err(error) => Err(error),
        };
        let test = match name {
            "eq" => Test::In(vec![one()?]),
            "in" => Test::In(many()?),
            "ne" => Test::NotIn(vec![one()?]),
            "notIn" => Test::NotIn(many()?),
            "lt" => Test::Lt(one()?),
            "lte" => Test::Lte(one()?),
            "gt" => Test::Gt(one()?),
            "gte" => Test::Gte(one()?),
            // Every text begins with it, and NULL does not.
            "startsWith" if *value == Input::String(String::new()) => Test::IsNull(false),
            "startsWith" => Test::StartsWith(part()?),
            _ => Test::Contains(part()?),
        };
        budget.count(values)?;
        found.push(test);
    }
    Ok(found)
}

/// The members of an input object. The name is that of its field, or of its type.
fn members(value: &Input, name: impl FnOnce() -> String) -> Result<&Members> {
    let Input::Object(members) = value else {
        let message = format!("`{}` must be an object of conditions, not {value}", name());
        return Err(Error::client(code::BAD_USER_INPUT, message));
    };
    Ok(members)
}

/// The value of a member, unless it is null.
pub(super) fn present<'a>(members: &'a Members, name: &str) -> Option<&'a Input> {
    members.get(name).filter(|value| **value != Input::Null)
}

/// The items of a list. A single value is a list of one.
pub(super) fn items(value: &Input) -> impl Iterator<Item = &Input> {
    match value {
        Input::List(items) => items.iter(),
        value => std::slice::from_ref(value).iter(),
    }
}
