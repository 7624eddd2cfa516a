//! Fields that async-graphql resolves: those that an application writes, payloads and events. Each is read by a plan.

use std::borrow::Cow;
use std::sync::Arc;

use async_graphql::parser::types::{Field, OperationType};
use async_graphql::{ContextBase, ContextSelectionSet, PathSegment, Positioned, ServerError, ServerResult, Value};

use super::collect::Collected;
use super::variables::with_defaults;
use super::writer::{Failure, Shown, Writer, Written};
use super::{Planner, Run};
use crate::context::{Execution, declaration_of, reader_of};
use crate::{Error, Result};

/// The plan of a field. Its value may be JSON if no other field of the document has its response key: async-graphql
/// merges the values of one key.
pub struct FieldPlan<P> {
    pub plan: P,
    is_json: bool,
}

/// The plan of a field. With an [`Execution`], `plan` makes it once per document.
pub fn plan<P: Send + Sync + 'static, T>(
    context: &ContextBase<'_, T>,
    field: &Positioned<Field>,
    plan: impl FnOnce(&Collected<'_>, &mut Planner<'_>) -> P,
) -> Arc<FieldPlan<P>> {
    let key = &field.node.response_key().node;
    let declaration = declaration_of(context);
    let Some(Execution { plans, .. }) = context.data_opt() else {
        let mut planner = Planner::new(&context.query_env.fragments, declaration);
        return Arc::new(FieldPlan { plan: plan(&Collected::alone(key, field), &mut planner), is_json: false });
    };
    plans.field(field.pos, || {
        let document = plans.parts();
        // The executed document may lack what another request includes.
        let whole = document.field(field.pos).unwrap_or(field);
        let mut planner = Planner::new(&document.parsed.fragments, declaration);
        FieldPlan { plan: plan(&Collected::alone(key, whole), &mut planner), is_json: document.has_once(key) }
    })
}

/// The value of a field: `plan_it` plans it, and `show` reads and writes what was planned.
pub async fn resolve<P: Send + Sync + 'static>(
    context: &ContextSelectionSet<'_>,
    field: &Positioned<Field>,
    plan_it: impl FnOnce(&Collected<'_>, &mut Planner<'_>) -> P,
    show: impl AsyncFnOnce(&P, &Run<'_>, &mut Writer<'_>) -> Result<Written>,
) -> ServerResult<Value> {
    let plan = plan(context, field, plan_it);
    let operation = &context.query_env.operation.node;
    let (declaration, data) = (declaration_of(context), (context.query_env.clone(), context.schema_env.clone()));
    let variables = with_defaults(operation, Cow::Borrowed(&context.query_env.variables));
    let run = Run {
        reader: reader_of(context),
        declaration,
        data: &data,
        variables: &declaration.guarded(variables, &data),
        is_event: operation.ty == OperationType::Subscription,
    };
    let mut writer = Writer::new(&run);
    let written = show(&plan.plan, &run, &mut writer).await;
    let written = written.unwrap_or_else(|error| Err(writer.fail(error, field.pos)));
    plan.finish(context, writer.finish(written))
}

impl<P> FieldPlan<P> {
    /// The value that was written, and its errors in the response.
    pub fn finish<T>(&self, context: &ContextBase<'_, T>, shown: Shown) -> ServerResult<Value> {
        let Shown { json, errors, written } = shown;
        let path = context.set_error_path(ServerError::new("", None)).path;
        let mut errors: Vec<ServerError> = errors.into_iter().map(|failure| failure.under(&path)).collect();
        let failed = if written.is_err() { errors.pop() } else { None };
        for error in errors {
            context.add_error(error);
        }
        match failed {
            Some(error) => Err(error),
            None if self.is_json => Ok(Value::Binary(json.into())),
            None => {
                let value = serde_json::from_slice(&json);
                value.map_err(|error| context.set_error_path(Error::internal(&error).of_request()))
            }
        }
    }
}

impl Failure {
    /// The error under this path.
    pub(super) fn under(self, path: &[PathSegment]) -> ServerError {
        let Self { error, position, path: within } = self;
        let extensions = async_graphql::Error::from(error.clone()).extensions;
        let path = path.iter().cloned().chain(within.into_iter().rev()).collect();
        ServerError { extensions, path, ..ServerError::new(error.message(), Some(position)) }
    }
}
