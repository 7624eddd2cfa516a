//! Fields that async-graphql resolves, each by a plan.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

use async_graphql::parser::types::{Field, OperationType};
use async_graphql::{ContextSelectionSet, PathSegment, Pos, Positioned, ServerError, ServerResult, Value, Variables};

use super::collect::{self, Chain, Collected};
use super::once::RootValues;
use super::plans::{Place, Plans};
use super::variables::with_defaults;
use super::writer::{Failure, Writer, Written};
use super::{Planner, Run};
use crate::json::Verbatim;
use crate::{Error, Reader, Result};

/// The number of root fields that are read at a time. Where a query has more, they are read in turns.
const AT_ONCE: usize = 4;

/// A field that is being resolved by a plan.
pub struct ResolvedField<'a> {
    context: &'a ContextSelectionSet<'a>,
    field: &'a Positioned<Field>,
    variables: Cow<'a, Variables>,
}

impl<'a> ResolvedField<'a> {
    pub fn of(context: &'a ContextSelectionSet<'a>, field: &'a Positioned<Field>) -> Self {
        let environment = context.query_env;
        let variables = with_defaults(&environment.operation.node, Cow::Borrowed(&environment.variables));
        Self { context, field, variables }
    }

    /// Whether it is a field of the query itself. There, a response key that stands at several places is planned as one
    /// field; elsewhere the library merges the values.
    fn is_root(&self) -> bool {
        let is_first = self.context.path_node.is_some_and(|node| node.parent.is_none());
        is_first && self.context.query_env.operation.node.ty == OperationType::Query
    }

    /// Whether it is the only field of a query.
    pub fn is_only(&self) -> bool {
        let roots = self.plans().parts().roots(self.context.query_env.operation.pos);
        self.is_root() && roots.is_some_and(|roots| roots.count == 1)
    }

    /// The plans of the document.
    fn plans(&self) -> Plans {
        let request = self.context.query_env;
        let given = self.context.data_opt::<Plans>();
        let given = given.filter(|plans| plans.parts().roots(request.operation.pos).is_some());
        given.cloned().unwrap_or_else(|| match self.shared() {
            Some(shared) => shared.plans(request),
            None => Plans::of_request(request),
        })
    }

    /// What the root fields of the request share.
    fn shared(&self) -> Option<&'a RootValues> {
        self.context.data_opt()
    }

    /// The plan of the field, which `plan` makes unless it is known. `None` if an earlier place of the same response key
    /// shows it.
    fn plan<P: Send + Sync + 'static>(
        &self,
        plans: &Plans,
        plan: impl FnOnce(&Collected<'_>, &mut Planner<'_>) -> P,
    ) -> Option<Arc<RootPlan<P>>> {
        let operation = self.context.query_env.operation.pos;
        let (key, position) = (&self.field.node.response_key().node, self.field.pos);
        let document = plans.parts();
        let mut planner = Planner::new(&document.parsed.fragments, &self.context.schema_env.registry);
        if !self.is_root() {
            return Some(plans.get(Place::Field(position), || {
                // The executed document may lack what another request includes.
                let whole = document.field(position).unwrap_or(self.field);
                let plan = plan(&Collected::alone(key, whole), &mut planner);
                RootPlan { places: Vec::new(), is_alone: document.has_once(key), plan }
            }));
        }
        let roots = document.roots(operation).unwrap_or_default();
        let root = plans.get(Place::OfQuery(operation, key.clone()), || {
            let places = roots.keys.get(key).cloned().unwrap_or_default();
            let at = |(chain, place): &(Chain, Pos)| {
                Some(collect::Place { number: 0, chain: chain.clone(), field: document.field(*place)? })
            };
            let found: Vec<_> = places.iter().filter_map(at).collect();
            let collected =
                if found.is_empty() { Collected::alone(key, self.field) } else { Collected { key, places: found } };
            RootPlan { plan: plan(&collected, &mut planner), places, is_alone: true }
        });
        let first = root.places.iter().find(|(chain, _)| chain.holds(&self.variables));
        first.is_none_or(|(_, first)| *first == position).then_some(root)
    }

    /// The value of the field: `plan` plans it, and `show` reads and writes what was planned. It reads through this
    /// connection, by default through that of the request.
    pub async fn resolve<P: Send + Sync + 'static>(
        &self,
        reader: Option<&Reader>,
        plan: impl FnOnce(&Collected<'_>, &mut Planner<'_>) -> P,
        show: impl AsyncFnOnce(&P, &Run<'_>, &mut Writer<'_>) -> Result<Written>,
    ) -> ServerResult<Value> {
        let (plans, request) = (self.plans(), self.context.query_env);
        let roots = plans.parts().roots(request.operation.pos);
        let resolved = self.resolve_now(&plans, reader, plan, show);
        match self.shared() {
            Some(shared) if self.is_root() && roots.is_some_and(|roots| roots.count > AT_ONCE) => {
                shared.turns.take(resolved).await
            }
            _ => resolved.await,
        }
    }

    async fn resolve_now<P: Send + Sync + 'static>(
        &self,
        plans: &Plans,
        reader: Option<&Reader>,
        plan: impl FnOnce(&Collected<'_>, &mut Planner<'_>) -> P,
        show: impl AsyncFnOnce(&P, &Run<'_>, &mut Writer<'_>) -> Result<Written>,
    ) -> ServerResult<Value> {
        let Some(plan) = self.plan(plans, plan) else { return Ok(Value::Null) };
        let resolve = async {
            let run = Run {
                reader: reader.unwrap_or_else(|| self.context.data_unchecked()),
                limits: self.context.data_opt().copied().unwrap_or_default(),
                variables: &self.variables,
                is_event: self.context.query_env.operation.node.ty == OperationType::Subscription,
            };
            let mut writer = Writer::new(&run);
            let written = show(&plan, &run, &mut writer).await;
            let written = written.unwrap_or_else(|error| Err(writer.fail(error, self.field.pos)));
            self.finish(writer, written, plan.is_alone)
        };
        match self.shared() {
            Some(shared) if plan.repeats(self.field.pos) => shared.once(self.field.pos, resolve).await,
            _ => resolve.await,
        }
    }

    /// The value that was written, and its errors in the response. If the library does not merge it with others, it can be
    /// JSON.
    fn finish(&self, writer: Writer<'_>, written: Written, is_alone: bool) -> ServerResult<Value> {
        let Writer { json, errors, .. } = writer;
        let path = self.context.set_error_path(ServerError::new("", None)).path;
        let mut errors: Vec<ServerError> = errors.into_iter().map(|failure| failure.under(&path)).collect();
        let failed = if written.is_err() { errors.pop() } else { None };
        for error in errors {
            self.context.add_error(error);
        }
        match failed {
            Some(error) => Err(error),
            None if is_alone && self.context.data_opt::<Verbatim>().is_some() => Ok(Value::Binary(json.into())),
            None => {
                let value = serde_json::from_slice(&json);
                value.map_err(|error| self.context.set_error_path(Error::internal(&error).of_request()))
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

/// The plan of a field; of one of the query itself with its places in the document.
pub struct RootPlan<P> {
    places: Vec<(Chain, Pos)>,
    /// Whether the library merges its value with no other one.
    is_alone: bool,
    plan: P,
}

impl<P> RootPlan<P> {
    /// Whether the field at this position is in a fragment that is spread several times.
    fn repeats(&self, position: Pos) -> bool {
        self.places.iter().filter(|(_, place)| *place == position).count() > 1
    }
}

impl<P> Deref for RootPlan<P> {
    type Target = P;

    fn deref(&self) -> &P {
        &self.plan
    }
}
