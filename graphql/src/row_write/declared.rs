//! The declared mutations as fields of the schema.

use std::borrow::Cow;
use std::sync::Arc;

use async_graphql::parser::types::Field;
use async_graphql::registry::Registry;
use async_graphql::resolver_utils::{ContainerType, resolve_container_serial};
use async_graphql::{
    Context, ContextSelectionSet, ID, ObjectType as Root, OutputType, Positioned, ServerError, ServerResult, Value,
};

use super::{RowWrite, RowWriter, ShownRow};
use crate::Error;
use crate::arguments::Given;
use crate::context::{ContextExt, reader_of};
use crate::declare::declaration::Declaration;
use crate::declare::names::noun;
use crate::declare::write::{WriteField, WriteKind};
use crate::input::InputFields;
use crate::order::permitted;
use crate::plan::resolved;
use crate::plan::row_payload::RowPayload;
use crate::plan::variables::with_defaults;
use crate::registry::{self, ObjectFields};

/// The declared mutations: those of [`Declaring::create`](crate::Declaring::create), `update` and `delete`. Merge it into the
/// mutation by `MergedObject`.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeclaredMutation;

impl ContainerType for DeclaredMutation {
    async fn resolve_field(&self, context: &Context<'_>) -> ServerResult<Option<Value>> {
        let name = &context.item.node.name.node;
        let declaration = context.declaration();
        let Some(number) = declaration.writes().iter().position(|write| write.name == name.as_str()) else {
            return Ok(None);
        };
        let written = match prepare(context, number) {
            Ok(write) => context.data_unchecked::<Arc<dyn RowWriter>>().write(context, write).await,
            Err(errors) => Err(errors),
        };
        match written {
            Ok(ShownRow { plan, shown }) => plan.finish(context, shown).map(Some),
            Err(errors) => {
                for error in errors {
                    let error: ServerError = async_graphql::Error::from(error).into_server_error(context.item.pos);
                    context.add_error(context.set_error_path(error));
                }
                Ok(Some(Value::Null))
            }
        }
    }
}

/// The write that a field asks for.
fn prepare(context: &Context<'_>, number: usize) -> std::result::Result<RowWrite, Vec<Error>> {
    let declaration = Arc::clone(context.declaration());
    let write = &declaration.writes()[number];
    let environment = (context.query_env.clone(), context.schema_env.clone());
    if let Some(guard) = &write.guard {
        guard.check(&write.name, &environment).map_err(|error| vec![error])?;
    }
    let query = &context.query_env;
    let variables = with_defaults(&query.operation.node, Cow::Borrowed(&query.variables));
    let variables = declaration.guarded(variables, &environment);
    let given = Given::of(&context.item.node);
    let input = given.bind(&variables).value("input").unwrap_or_default();
    let read = write.read(&declaration, &input);
    let placement = if write.kind == WriteKind::Create {
        let order_by = if let Value::Object(fields) = &input { fields.get("orderBy") } else { None };
        permitted(declaration.object(write.object.index), order_by, &variables)
            .and_then(|criteria| declaration.list(&write.object.name, &criteria, reader_of(context), &environment))
            .map(Some)
            .map_err(|error| error.of_field("orderBy"))
    } else {
        Ok(None)
    };
    let (input, placement) = match (read, placement) {
        (Ok(input), Ok(placement)) => (input, placement),
        (Ok(_), Err(error)) => return Err(vec![error]),
        (Err(errors), placement) => return Err(errors.into_iter().chain(placement.err()).collect()),
    };
    let plan = resolved::plan(context, context.item, |field, planner| RowPayload::new(write, field, planner));
    Ok(RowWrite { declaration, number, input, placement, plan, environment })
}

impl OutputType for DeclaredMutation {
    fn type_name() -> Cow<'static, str> {
        "DeclaredMutation".into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        let declaration = Declaration::building();
        declaration.register(registry);
        registry::object(registry, "DeclaredMutation", "", |fields| {
            for write in declaration.writes() {
                register(&declaration, write, fields);
            }
        })
    }

    async fn resolve(&self, context: &ContextSelectionSet<'_>, _: &Positioned<Field>) -> ServerResult<Value> {
        resolve_container_serial(context, self).await
    }
}

impl Root for DeclaredMutation {}

/// Describes a mutation, its input and its payload.
fn register(declaration: &Declaration, write: &WriteField, fields: &mut ObjectFields<'_>) {
    let object = declaration.object(write.object.index);
    let (input, payload) = (write.input_name(), write.payload_name());
    let description = format!("The input of `{}`.", write.name);
    let ty = registry::input(fields.registry, &input, &description, |fields| {
        describe_input(write, object.has_sorts(), fields);
    });
    let description = format!("The payload of `{}`.", write.name);
    registry::object(fields.registry, &payload, &description, |fields| {
        for field in write.payload(declaration.parent_of(write)) {
            fields.plain(&field.name, &field.description, field.ty);
        }
    });
    fields.with_arguments(&write.name, &write.description, payload, |arguments| {
        arguments.field_of("input", "The input.", ty);
    });
}

fn describe_input(write: &WriteField, has_sorts: bool, fields: &mut InputFields<'_>) {
    if write.kind != WriteKind::Create {
        fields.field::<ID>(
            "id",
            &write.description_of("id", format!("The global id of the {}.", noun(&write.object.name))),
        );
    }
    for field in &write.inputs {
        field.register(fields);
    }
    if write.kind == WriteKind::Create && has_sorts {
        let description = "The sort order of the cursors in the payload. Pass the `orderBy` of the client's list.";
        let description = write.description_of("orderBy", description);
        fields.field_of("orderBy", &description, format!("[{}Sort!]", write.object.name));
    }
    fields.field::<Option<String>>("clientMutationId", "An arbitrary text, which the payload returns.");
}
