//! Payloads of mutations, and the declaration of their fields.
//!
//! A payload is planned like an object. So it can be shown wherever its value is: in the transaction of the write, by
//! another task than that of the request.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use async_graphql::context::QueryEnv;
use async_graphql::parser::types::Field as Selected;
use async_graphql::registry::Registry;
use async_graphql::{Context, ContextSelectionSet, OutputType, Pos, Positioned, SchemaEnv, ServerResult, Value};

use crate::declare::declaration::Declaration;
use crate::plan::collect::{Collected, collect};
use crate::plan::fields::PlannedFields;
use crate::plan::object::Boxed;
use crate::plan::resolved::{self, FieldPlan};
use crate::plan::variables::with_defaults;
use crate::plan::writer::{Shown, Writer};
use crate::plan::{Planner, Run};
use crate::registry::{self, ObjectFields};
use crate::scalar::{self, LeafValue};
use crate::value::{Edge, KnownRow, Object};
use crate::{Reader, RowObject};

/// The payload of a mutation.
pub trait Payload: Sized + Send + Sync + 'static {
    /// The name of the type in the schema.
    const NAME: &'static str;

    /// Declares the fields.
    fn fields(fields: &mut PayloadFields<Self>);
}

/// The fields of a payload.
pub struct PayloadFields<P> {
    description: Cow<'static, str>,
    all: Vec<Field<P>>,
}

struct Field<P> {
    name: &'static str,
    description: &'static str,
    register: fn(&mut ObjectFields<'_>, &'static str, &'static str),
    plan: Box<Plan<P>>,
}

/// Plans a field.
type Plan<P> = dyn Fn(&Collected<'_>, &Planner<'_>) -> Box<dyn Part<P>>;

impl<P: Payload> PayloadFields<P> {
    fn of() -> Self {
        let mut fields = Self { description: Cow::Borrowed(""), all: Vec::new() };
        P::fields(&mut fields);
        fields
    }

    /// Describes the payload.
    pub fn describe(&mut self, description: impl Into<Cow<'static, str>>) {
        self.description = description.into();
    }

    /// A scalar, an enum, or a list of them.
    pub fn value<L: LeafValue>(&mut self, name: &'static str, description: &'static str, value: fn(&P) -> L) {
        let register = |fields: &mut ObjectFields<'_>, name: &'static str, description: &'static str| {
            let ty = scalar::register_leaf::<L>(fields.registry);
            fields.plain(name, description, ty);
        };
        self.add(name, description, register, move |_, _| Box::new(Leaf(value)));
    }

    /// An object whose row is known.
    pub fn object<T: RowObject>(
        &mut self,
        name: &'static str,
        description: &'static str,
        object: fn(&P) -> &Object<T>,
    ) {
        self.known(name, description, object);
    }

    /// An edge whose row is known.
    pub fn edge<T: RowObject>(&mut self, name: &'static str, description: &'static str, edge: fn(&P) -> &Edge<T>) {
        self.known(name, description, edge);
    }

    fn known<K: KnownRow + 'static>(&mut self, name: &'static str, description: &'static str, known: fn(&P) -> &K) {
        let register = |fields: &mut ObjectFields<'_>, name: &'static str, description: &'static str| {
            fields.field::<K>(name, description);
        };
        self.add(name, description, register, move |field, planner| {
            Box::new(Known { plan: K::plan(field, &mut planner.of_statement()), known })
        });
    }

    fn add(
        &mut self,
        name: &'static str,
        description: &'static str,
        register: fn(&mut ObjectFields<'_>, &'static str, &'static str),
        plan: impl Fn(&Collected<'_>, &Planner<'_>) -> Box<dyn Part<P>> + 'static,
    ) {
        self.all.push(Field { name, description, register, plan: Box::new(plan) });
    }

    fn plan(field: &Collected<'_>, planner: &Planner<'_>) -> Parts<P> {
        let declared = Self::of().all;
        let collected = collect(&field.sets(), planner.fragments, &|on| on == P::NAME);
        PlannedFields::new(&collected, |field| {
            if field.name() == "__typename" {
                return Some(Box::new(Leaf(|_: &P| P::NAME.to_owned())) as Box<dyn Part<P>>);
            }
            let declared = declared.iter().find(|declared| declared.name == field.name())?;
            Some((declared.plan)(field, planner))
        })
    }
}

/// A field of a payload in a plan.
trait Part<P>: Send + Sync {
    /// Reads and writes its value. The field has this position.
    fn show<'a>(&'a self, payload: &'a P, run: &'a Run<'_>, position: Pos) -> Boxed<'a, Shown>;
}

type Parts<P> = PlannedFields<Box<dyn Part<P>>>;

struct Leaf<P, L>(fn(&P) -> L);

impl<P: Sync, L: LeafValue> Part<P> for Leaf<P, L> {
    fn show<'a>(&'a self, payload: &'a P, run: &'a Run<'_>, position: Pos) -> Boxed<'a, Shown> {
        let mut writer = Writer::with_room(run, 0);
        let written = scalar::write_leaf(&(self.0)(payload), &mut writer.json);
        let written = written.map_err(|error| writer.fail(run.reader.error(error), position));
        Box::pin(std::future::ready(writer.finish(written)))
    }
}

struct Known<P, K: KnownRow> {
    plan: K::Plan,
    known: fn(&P) -> &K,
}

impl<P: Sync, K: KnownRow> Part<P> for Known<P, K> {
    fn show<'a>(&'a self, payload: &'a P, run: &'a Run<'_>, position: Pos) -> Boxed<'a, Shown> {
        Box::pin(async move { (self.known)(payload).show(&self.plan, run, position).await })
    }
}

/// What a mutation selects of its payload.
pub struct PayloadPlan<P> {
    plan: Arc<FieldPlan<Parts<P>>>,
    declaration: Arc<Declaration>,
    environment: (QueryEnv, SchemaEnv),
    position: Pos,
}

impl<P: Payload> PayloadPlan<P> {
    /// What this field of a mutation selects.
    pub fn of(context: &Context<'_>) -> Self {
        let plan = resolved::plan(context, context.item, |field, planner| PayloadFields::<P>::plan(field, planner));
        let declaration = Arc::clone(context.data_unchecked());
        let environment = (context.query_env.clone(), context.schema_env.clone());
        Self { plan, declaration, environment, position: context.item.pos }
    }

    /// Reads and writes what is selected of a payload, through this connection.
    pub async fn show(&self, payload: &P, reader: &Reader) -> ShownPayload<P> {
        let (query, _) = &self.environment;
        let variables = with_defaults(&query.operation.node, Cow::Borrowed(&query.variables));
        let (declaration, data) = (&self.declaration, &self.environment);
        let variables = declaration.guarded(variables, data);
        let run = Run { reader, declaration, variables: &variables, data, is_event: false };
        let mut parts = Vec::new();
        for part in self.plan.plan.selected(&variables) {
            parts.push(part.show(payload, &run, self.position).await);
        }
        let (mut writer, mut parts) = (Writer::new(&run), parts.into_iter());
        let written = self.plan.plan.write(&mut writer, |writer, _, _| match parts.next() {
            Some(part) => writer.append(part),
            None => Ok(()),
        });
        ShownPayload { plan: Arc::clone(&self.plan), shown: writer.finish(written) }
    }
}

/// A payload that was read and written. In the schema it is the payload.
pub struct ShownPayload<P> {
    plan: Arc<FieldPlan<Parts<P>>>,
    shown: Shown,
}

impl<P> ShownPayload<P> {
    /// Whether it is null, because a part of it that cannot be null could not be read.
    pub fn is_null(&self) -> bool {
        self.shown.written.is_err()
    }
}

impl<P: Payload> OutputType for ShownPayload<P> {
    fn type_name() -> Cow<'static, str> {
        P::NAME.into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        let declared = PayloadFields::<P>::of();
        registry::object(registry, P::NAME, &declared.description, |fields| {
            for field in &declared.all {
                (field.register)(fields, field.name, field.description);
            }
        })
    }

    async fn resolve(&self, context: &ContextSelectionSet<'_>, _: &Positioned<Selected>) -> ServerResult<Value> {
        self.plan.finish(context, self.shown.clone())
    }
}

impl<P> fmt::Debug for ShownPayload<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShownPayload").finish_non_exhaustive()
    }
}
