//! The declared subscriptions as fields of the schema.

use std::borrow::Cow;

use async_graphql::registry::Registry;
use async_graphql::{Context, ID, SubscriptionType};

use super::{Responses, responses};
use crate::context::ContextExt;
use crate::declare::declaration::Declaration;
use crate::declare::event::EventField;
use crate::declare::names::noun;
use crate::declare::write::WriteKind;
use crate::registry::{self, ObjectFields};

/// The declared subscriptions: those of [`Declaring::created`](crate::Declaring::created), `updated` and `deleted`. Merge it into
/// the subscription by `MergedSubscription`.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeclaredSubscription;

impl SubscriptionType for DeclaredSubscription {
    fn type_name() -> Cow<'static, str> {
        "DeclaredSubscription".into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        let declaration = Declaration::building();
        declaration.register(registry);
        registry::object(registry, "DeclaredSubscription", "", |fields| {
            for event in declaration.events() {
                register(&declaration, event, fields);
            }
        })
    }

    fn create_field_stream<'a>(&'a self, context: &'a Context<'_>) -> Option<Responses<'a>> {
        let name = context.item.node.name.node.as_str();
        let number = context.declaration().events().iter().position(|event| event.name == name)?;
        Some(Box::pin(responses(context, number)))
    }
}

/// Describes a subscription.
fn register(declaration: &Declaration, event: &EventField, fields: &mut ObjectFields<'_>) {
    let (object, ty) = (declaration.object(event.object.index), event.ty());
    if event.kind == WriteKind::Delete {
        let description = format!("The payload of `{}`.", event.name);
        registry::object(fields.registry, &ty, &description, |fields| {
            fields.field::<ID>("deletedId", &format!("The global id of the deleted {}.", noun(&object.name)));
        });
    }
    fields.with_arguments(&event.name, &event.description, format!("{ty}!"), |arguments| {
        for reference in &event.references {
            let description = format!("Sends only objects whose `{}` has this global id.", reference.field);
            arguments.field::<Option<ID>>(&reference.name, &description);
        }
        if event.kind != WriteKind::Delete && object.has_sorts() {
            let description = "The sort order of the cursors, as in the list.";
            arguments.field_of("orderBy", description, format!("[{}Sort!]", object.name));
        }
    });
}
