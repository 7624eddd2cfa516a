//! The types of aggregates of lists.

use async_graphql::registry::Registry;
use keyset::Aggregate;

use crate::declare::object::ObjectType;
use crate::registry;
use crate::scalar;

/// The field of an aggregate, and its description.
const FIELDS: [(Aggregate, &str, &str); 4] = [
    (Aggregate::Min, "min", "The least values."),
    (Aggregate::Max, "max", "The greatest values."),
    (Aggregate::Sum, "sum", "The sums."),
    (Aggregate::Average, "average", "The means."),
];

/// The aggregate of this name.
pub(crate) fn named(name: &str) -> Option<Aggregate> {
    FIELDS.iter().find(|(_, field, _)| *field == name).map(|(aggregate, ..)| *aggregate)
}

/// The name of the type of all aggregates of an object.
pub(crate) fn aggregates_name(object: &ObjectType) -> String {
    format!("{}Aggregates", object.name)
}

/// The name of the type of an aggregate of an object.
pub(crate) fn aggregate_name(object: &ObjectType, aggregate: Aggregate) -> String {
    format!("{}{aggregate:?}", object.name)
}

/// Registers the aggregates of lists of an object, and returns the name of their type; `None` if it offers none.
pub(super) fn register(object: &ObjectType, registry: &mut Registry) -> Option<String> {
    let offered = FIELDS.iter().filter(|(aggregate, ..)| object.aggregated(*aggregate).next().is_some());
    let offered: Vec<_> = offered.filter(|_| object.has_aggregates).collect();
    if offered.is_empty() {
        return None;
    }
    let description =
        "Aggregates of all objects of a list. Values that are null do not count. An aggregate of no values is null.";
    Some(registry::object(registry, &aggregates_name(object), description, |fields| {
        for (aggregate, name, description) in offered {
            let ty = registry::object(fields.registry, &aggregate_name(object, *aggregate), description, |fields| {
                for (field, column) in object.aggregated(*aggregate) {
                    if let Some(kind) = aggregate.kind(column.kind()) {
                        let ty = scalar::register(kind, column, fields.registry);
                        fields.plain(&field.name, &field.description, ty);
                    }
                }
            });
            fields.plain(name, description, ty);
        }
    }))
}
