//! The types of declared objects in the schema: each follows from the data of its object.

use async_graphql::registry::Registry;
use async_graphql::{ID, OutputType};

use super::declaration::Declaration;
use super::field::{Field, FieldKind};
use super::nested::{NestedList, Through};
use super::object::ObjectType;
use super::root::{RootField, RootKind};
use crate::DateTime;
use crate::connection::{self, connection_name};
use crate::input::InputFields;
use crate::order::{NullPlacement, SortDirection};
use crate::registry::{self, ObjectFields};
use crate::scalar;

pub(crate) mod aggregates;
mod filters;

use filters::filter_name;

/// Registers the types of all objects, of their lists, and of the arguments of these.
pub(crate) fn objects(declaration: &Declaration, registry: &mut Registry) {
    for object in declaration.objects() {
        registry::object(registry, &object.name, &object.description, |fields| {
            for field in object.fields.iter().filter(|field| !field.is_hidden) {
                describe(declaration, field, object, fields);
            }
        });
        let aggregates = aggregates::register(object, registry);
        connection::register(registry, &object.name, &object.name, aggregates, |_| {});
        sorts(object, registry);
        filters::register(declaration, object, registry);
    }
    let nodes = declaration.objects().iter().filter(|object| object.tag.is_some());
    registry::interface(registry, "Node", "An object with a global id.", nodes.map(|it| it.name.clone()), |fields| {
        fields.field::<ID>("id", "The globally unique id. `node` returns the object with this id.");
    });
}

/// Describes a field of an object.
fn describe(declaration: &Declaration, field: &Field, object: &ObjectType, fields: &mut ObjectFields<'_>) {
    let nullable = |name: &str, is_nullable: bool| if is_nullable { name.to_owned() } else { format!("{name}!") };
    let mut scalar = |column: &keyset::Column, is_nullable: bool| {
        nullable(&scalar::register_column(column, fields.registry), is_nullable)
    };
    let ty = match &field.kind {
        FieldKind::Id => nullable("ID", false),
        FieldKind::Column(column) => scalar(column, column.is_nullable()),
        FieldKind::Beside { column, default, .. } => scalar(column, default.is_none()),
        FieldKind::CreatedAt(_) => <DateTime as OutputType>::create_type_info(fields.registry),
        FieldKind::Computed(computed) | FieldKind::ComputedBeside { computed, .. } => {
            (computed.register)(fields.registry)
        }
        FieldKind::Resolved(resolver) => {
            let ty = nullable_if(field.guard.is_some(), resolver.register(fields.registry));
            fields.with_arguments(&field.name, &field.description, ty, |arguments| {
                for (name, description, register) in &resolver.arguments {
                    let ty = register(arguments.registry());
                    arguments.field_of(name, description, ty);
                }
            });
            return;
        }
        FieldKind::One(relation) => {
            let relation = &object.relations[*relation];
            let name = relation.object.as_ref().map_or("", |related| related.name.as_str());
            nullable(name, relation.is_nullable())
        }
        FieldKind::List(list) => {
            let listed = declaration.object(list.of.index);
            let ty = match &list.through {
                None => connection_name(&listed.name),
                Some(through) => many_to_many(declaration, list, through, fields.registry),
            };
            list_field(&field.name, &field.description, ty, listed, fields);
            return;
        }
    };
    fields.plain(&field.name, &field.description, nullable_if(field.guard.is_some(), ty));
}

fn nullable_if(is_nullable: bool, ty: String) -> String {
    if is_nullable { ty.trim_end_matches('!').to_owned() } else { ty }
}

/// Registers the connection of a many-to-many list. The fields of the junction are on its edges.
fn many_to_many(declaration: &Declaration, list: &NestedList, through: &Through, registry: &mut Registry) -> String {
    let (junction, node) = declaration.junction(list, through);
    let aggregates = aggregates::register(junction, registry);
    connection::register(registry, &through.name, &node.name, aggregates, |fields| {
        for field in list.edge_fields(junction) {
            describe(declaration, field, junction, fields);
        }
    });
    connection_name(&through.name)
}

/// Describes a field of the query.
pub(crate) fn root(declaration: &Declaration, root: &RootField, fields: &mut ObjectFields<'_>) {
    let RootField { name, description, kind, .. } = root;
    match kind {
        RootKind::List { index, .. } => {
            let object = declaration.object(*index);
            list_field(name, description, connection_name(&object.name), object, fields);
        }
        RootKind::Object { index, key, .. } => {
            let ty = declaration.object(*index).name.clone();
            fields.with_arguments(name, description, ty, |arguments| key.describe(arguments));
        }
        RootKind::Node => {
            fields.with_arguments(name, description, "Node".into(), |arguments| {
                arguments.field::<ID>("id", "Returns the object with this global id.");
            });
        }
        RootKind::Nodes => {
            let ids = "Returns the objects with these global ids. The maximum number of ids is that of `first`, 100 by default. More \
                       ids fail with `BAD_USER_INPUT`.";
            fields.with_arguments(name, description, "[Node]!".into(), |arguments| {
                arguments.field::<Vec<ID>>("ids", ids);
            });
        }
    }
}

/// Describes a list of these objects. It is null only beside an error.
fn list_field(name: &str, description: &str, ty: String, object: &ObjectType, fields: &mut ObjectFields<'_>) {
    fields.with_arguments(name, description, ty, |arguments| list_arguments(object, arguments)).null_beside_error();
}

/// The arguments of lists of an object.
fn list_arguments(object: &ObjectType, arguments: &mut InputFields<'_>) {
    arguments
        .field::<Option<i32>>("first", &object.pages.description())
        .field::<Option<String>>("after", "Returns only objects after this cursor.")
        .field::<Option<i32>>(
            "last",
            "Returns at most this many objects from the end, in the order of the list. The value has the same limits as `first`. \
             Not allowed with `first`.",
        )
        .field::<Option<String>>("before", "Returns only objects before this cursor.")
        .field::<Option<i32>>(
            "offset",
            "Skips this many objects from the start, or with `last` from the end. The value is from 0 to the maximum of the \
             server, which is 1,000,000 by default. Not allowed with a cursor or `around`. The database reads the keys of all \
             skipped objects: use cursors for the next pages.",
        );
    if object.tag.is_some() {
        arguments.field::<Option<ID>>(
            "around",
            "Returns the page of `first` objects around the object with this global id. The object is in the middle, unless an \
             end of the list is near. Not allowed with `last`, `offset` or a cursor. Fails with `NOT_FOUND` if the list does \
             not contain the object.",
        );
    }
    if object.has_sorts() {
        let description = if object.order_description.is_empty() {
            "Sorts the list by these criteria. A cursor is valid only in the sort order that it was created for."
        } else {
            &object.order_description
        };
        arguments.field_of("orderBy", description, format!("[{}Sort!]", object.name));
    }
    if object.filter_fields().next().is_some() {
        let description = "Returns only objects that match this filter.";
        arguments.field_of("where", description, filter_name(object));
    }
    if object.has_as_of {
        let description =
            "Returns only objects created at this time or before. New objects then do not shift the pages.";
        arguments.field::<Option<DateTime>>("asOf", description);
    }
    for argument in &object.arguments {
        let ty = argument.register(arguments.registry());
        arguments.field_of(argument.name(), &argument.description(), ty);
    }
}

const SORT: &str =
    "A criterion to sort by. Objects that are equal under it are sorted by the next criterion. After the last criterion,
they are sorted by the primary key, in the direction of that criterion.";

/// Registers the criteria by which lists of an object are sorted.
fn sorts(object: &ObjectType, registry: &mut Registry) {
    let own = object.arguments.iter().flat_map(|argument| argument.sorts());
    let own: Vec<_> = own.map(|(name, description)| ((*name).to_owned(), (*description).to_owned())).collect();
    let item = |(name, field): (String, &Field)| {
        let compared = if field.is_by_code_point { " Compared by code point." } else { "" };
        (name, format!("{}{compared}", field.description))
    };
    let related = object.related_sorts.iter().map(|sort| (sort.item.clone(), sort.description.clone()));
    let items: Vec<_> = object.sort_fields().map(item).chain(related).chain(own).collect();
    if items.is_empty() {
        return;
    }
    let field = registry::enumeration(registry, &format!("{}SortField", object.name), &object.sort_description, items);
    registry::input(registry, &format!("{}Sort", object.name), SORT, |fields| {
        fields
            .field_of("field", "The field to sort by.", field)
            .field_with_default("direction", "The direction.", &SortDirection::Asc)
            .field_with_default(
                "nulls",
                "The position of objects without a value. Ignored for fields that are never null.",
                &NullPlacement::Last,
            );
    });
}
