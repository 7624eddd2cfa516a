//! The inputs of filters: those of objects, and those of scalars.

use async_graphql::registry::Registry;
use async_graphql::{ID, InputType};
use keyset::Kind;

use crate::declare::declaration::Declaration;
use crate::declare::field::FieldKind;
use crate::declare::object::ObjectType;
use crate::input::InputFields;
use crate::registry;
use crate::scalar;

const ALL: &str = "All given conditions must match. A null condition is ignored.";

/// The name of the filter of an object.
pub(super) fn filter_name(object: &ObjectType) -> String {
    format!("{}Filter", object.name)
}

/// Registers the filter of an object.
pub(super) fn register(declaration: &Declaration, object: &ObjectType, registry: &mut Registry) {
    if object.filter_fields().next().is_none() {
        return;
    }
    let name = filter_name(object);
    let article = if object.name.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" };
    let description = format!("Conditions on {article} {}. {ALL}", object.name.to_lowercase());
    registry::input(registry, &name, &description, |fields| {
        for field in object.filter_fields() {
            let ty = match &field.kind {
                FieldKind::Id => ids(fields.registry()),
                FieldKind::Column(column) => of_column(column, column.is_nullable(), fields.registry()),
                FieldKind::Beside { column, default, .. } => {
                    of_column(column, column.is_nullable() || default.is_none(), fields.registry())
                }
                FieldKind::CreatedAt(key) => {
                    let value = scalar::register(Kind::DateTimeUtc, key, fields.registry());
                    comparison(Kind::DateTimeUtc, &value, false, fields.registry())
                }
                FieldKind::One(relation) => {
                    let related = object.relations[*relation].object.as_ref();
                    related.map_or_else(String::new, |related| filter_name(declaration.object(related.index)))
                }
                FieldKind::List(list) => of_list(declaration.object(list.of.index), fields.registry()),
                FieldKind::Computed(_) | FieldKind::ComputedBeside { .. } | FieldKind::Resolved(_) => continue,
            };
            fields.field_of(&field.name, &field.description, ty);
        }
        fields
            .field_of("and", "Matches if all of these match. An empty list matches everything.", format!("[{name}!]"))
            .field_of("or", "Matches if any of these matches. An empty list matches nothing.", format!("[{name}!]"))
            .field_of("not", "Matches if this filter does not match.", name.clone());
    });
}

/// The name of the conditions on a list of an object's.
fn of_list(object: &ObjectType, registry: &mut Registry) -> String {
    let (name, of) = (format!("{}ListFilter", object.name), filter_name(object));
    let description = format!("Conditions on a list. {ALL}");
    registry::input(registry, &name, &description, |fields| {
        if object.filter_fields().next().is_some() {
            fields
                .field_of("some", "At least one object of the list matches.", of.clone())
                .field_of("every", "All objects of the list match. An empty list matches.", of.clone())
                .field_of("none", "No object of the list matches.", of);
        }
        let int = comparison(Kind::Int, "Int", false, fields.registry());
        fields.field_of("count", "The number of objects of the list.", int);
    });
    name
}

fn of_column(column: &keyset::Column, is_nullable: bool, registry: &mut Registry) -> String {
    let value = scalar::register(column.kind(), column, registry);
    match column.kind() {
        Kind::Array(_) => lists(&value, is_nullable, registry),
        Kind::Json => json(&value, is_nullable, registry),
        kind => comparison(kind, &value, is_nullable, registry),
    }
}

/// The name of the conditions on values of this type, which may be null.
fn name(value: &str, is_nullable: bool) -> String {
    format!("{}{value}Filter", if is_nullable { "Nullable" } else { "" })
}

/// Adds the condition on what can be null.
fn is_null(is_nullable: bool, fields: &mut InputFields<'_>) {
    if is_nullable {
        fields.field::<Option<bool>>("isNull", "Is null if true, and is not null if false.");
    }
}

/// The name of the conditions on a list of items of this type, which may be null.
fn lists(item: &str, is_nullable: bool, registry: &mut Registry) -> String {
    let name = name(&format!("{item}List"), is_nullable);
    let description = format!("Conditions on a list. {ALL} An item that is null equals none.");
    registry::input(registry, &name, &description, |fields| {
        let items = || format!("[{item}!]");
        fields
            .field_of("contains", "Has all of these items, in any order.", items())
            .field_of("containedBy", "Has no other items than these.", items())
            .field_of("overlaps", "Has one of these items.", items())
            .field::<Option<bool>>("isEmpty", "Has no items if true, and has items if false.");
        is_null(is_nullable, fields);
    });
    name
}

/// The name of the conditions on a value of JSON, which may be null.
fn json(value: &str, is_nullable: bool, registry: &mut Registry) -> String {
    let name = name(value, is_nullable);
    let description = format!("Conditions on a value of JSON. {ALL}");
    registry::input(registry, &name, &description, |fields| {
        let value = || value.to_owned();
        fields
            .field_of("eq", "Equal to this value. The members of an object have no order.", value())
            .field_of("ne", "Not equal to this value.", value())
            .field_of(
                "contains",
                "Contains this value: an object has its members, a list has its items in any order, and both may have more. \
                 A list also contains a value that is one of its items.",
                value(),
            )
            .field::<Option<String>>("hasKey", "Is an object with this key.");
        is_null(is_nullable, fields);
    });
    name
}

/// The name of the conditions on a value of this type, which may be null.
fn comparison(kind: Kind, value: &str, is_nullable: bool, registry: &mut Registry) -> String {
    let is_text = matches!(kind, Kind::Text | Kind::Char);
    let name = name(value, is_nullable);
    let what = if is_text { "text" } else { "value" };
    let mut description = if is_nullable {
        format!(
            "Conditions on a {what} that can be null. {ALL} Null is neither less nor greater than any {what}, and equal to none: \
             only `ne`, `notIn` and `isNull` match it."
        )
    } else {
        format!("Conditions on a {what}. {ALL}")
    };
    if is_text {
        description += " Texts are compared by code point: case and diacritics matter.";
    }
    registry::input(registry, &name, &description, |fields| {
        let (one, many) = (|| value.to_owned(), || format!("[{value}!]"));
        fields
            .field_of("eq", "Equal to this value.", one())
            .field_of("ne", "Not equal to this value.", one())
            .field_of("in", "Equal to one of these values. An empty list matches nothing.", many())
            .field_of("notIn", "Equal to none of these values. An empty list matches everything.", many());
        if !matches!(kind, Kind::Bytes | Kind::Enum) {
            fields
                .field_of("lt", "Less than this value.", one())
                .field_of("lte", "Less than or equal to this value.", one())
                .field_of("gt", "Greater than this value.", one())
                .field_of("gte", "Greater than or equal to this value.", one());
        }
        if is_text {
            fields.field_of("startsWith", "Starts with this text.", one()).field_of(
                "contains",
                "Contains this text.",
                one(),
            );
        }
        is_null(is_nullable, fields);
    });
    name
}

/// The name of the conditions on a global id.
fn ids(registry: &mut Registry) -> String {
    <ID as InputType>::create_type_info(registry);
    let name = "IdFilter";
    registry::input(registry, name, &format!("Conditions on a global id. {ALL}"), |fields| {
        fields
            .field::<Option<ID>>("eq", "Equal to this id.")
            .field::<Option<ID>>("ne", "Not equal to this id.")
            .field::<Option<Vec<ID>>>("in", "Equal to one of these ids. An empty list matches nothing.")
            .field::<Option<Vec<ID>>>("notIn", "Equal to none of these ids. An empty list matches everything.");
    });
    name.to_owned()
}
