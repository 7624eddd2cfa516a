//! The fields of a query, as an application declares them: lists, and objects that are found by their keys.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::OnceLock;

use async_graphql::parser::types::{Field, Selection};
use async_graphql::registry::Registry;
use async_graphql::{
    ContainerType, Context, ContextSelectionSet, ObjectType, OutputType, Pos, Positioned, ServerResult, Value,
    Variables,
};
use keyset::Kept;

use crate::cost::Cost;
use crate::list::{self, ListField, Listed, Scan};
use crate::plan::collect::Collected;
use crate::plan::object::Boxed;
use crate::plan::resolved;
use crate::plan::writer::{Writer, Written};
use crate::plan::{Planner, Run};
use crate::registry::{self, ObjectFields};

mod by_key;

/// The root fields of a schema that are read by plans. Merge them into its query by `MergedObject`.
pub trait RootFields: Send + Sync + 'static {
    /// The name of the query type, for traces and metrics.
    const NAME: &'static str;

    /// Declares the fields.
    fn fields(fields: &mut Roots);
}

/// The declared fields of a query.
#[derive(Default)]
pub struct Roots(Vec<Root>);

struct Root {
    name: &'static str,
    description: &'static str,
    cost: Cost,
    /// Where the count of a list is kept.
    kept: Option<Kept>,
    register: Box<Register>,
    plan: Box<Plan>,
}

/// Registers a field with this name and description.
type Register = dyn Fn(&mut ObjectFields<'_>, &'static str, &'static str) + Send + Sync;

/// Plans a declared field of the query with this name.
type Plan = dyn Fn(&'static str, &Root, &Collected<'_>, &mut Planner<'_>) -> Box<dyn ReadRoot> + Send + Sync;

impl Roots {
    fn of<R: RootFields>() -> Self {
        let mut fields = Self::default();
        R::fields(&mut fields);
        fields
    }

    /// A list of all objects.
    pub fn list<U: Listed>(&mut self, name: &'static str, description: &'static str) -> ListField<'_> {
        let cost = Cost::List(Scan::of::<U>(None));
        let plan = |query, root: &Root, field: &Collected<'_>, planner: &mut Planner<'_>| {
            list::plan_root::<U>(query, root.name, root.kept.clone(), field, planner)
        };
        ListField(&mut self.add(name, description, cost, list::register::<U>, plan).kept)
    }

    fn add(
        &mut self,
        name: &'static str,
        description: &'static str,
        cost: Cost,
        register: impl Fn(&mut ObjectFields<'_>, &'static str, &'static str) + Send + Sync + 'static,
        plan: impl Fn(&'static str, &Root, &Collected<'_>, &mut Planner<'_>) -> Box<dyn ReadRoot> + Send + Sync + 'static,
    ) -> &mut Root {
        let (register, plan) = (Box::new(register), Box::new(plan));
        self.0.push_mut(Root { name, description, cost, kept: None, register, plan })
    }
}

/// What a schema declares: its documents are planned from it. By default, nothing.
#[derive(Default)]
pub struct Declaration {
    query_type: &'static str,
    roots: Vec<Root>,
    types: Registry,
}

impl Declaration {
    /// The declaration of these fields of the query.
    pub fn of<R: RootFields>() -> Self {
        let mut types = Registry::default();
        RootObject::<R>::create_type_info(&mut types);
        Self { query_type: R::NAME, roots: Roots::of::<R>().0, types }
    }

    /// With the types that this one reaches, such as interfaces of the application that declared objects implement.
    #[must_use]
    pub fn with_types_of<T: OutputType>(mut self) -> Self {
        T::create_type_info(&mut self.types);
        self
    }

    /// The name of the query type.
    pub(crate) fn query_type(&self) -> &'static str {
        self.query_type
    }

    /// The types that the fields reach.
    pub(crate) fn types(&self) -> &Registry {
        &self.types
    }

    /// The plan of a field of the query; `None` if it is not declared.
    pub(crate) fn plan(&self, field: &Collected<'_>, planner: &mut Planner<'_>) -> Option<Box<dyn ReadRoot>> {
        Some(self.plan_root(self.root(field.name())?, field, planner))
    }

    fn root(&self, name: &str) -> Option<&Root> {
        self.roots.iter().find(|root| root.name == name)
    }

    fn plan_root(&self, root: &Root, field: &Collected<'_>, planner: &mut Planner<'_>) -> Box<dyn ReadRoot> {
        (root.plan)(self.query_type, root, field, planner)
    }
}

impl fmt::Debug for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Declaration").finish_non_exhaustive()
    }
}

/// A field of the query that async-graphql resolves.
struct PlannedRoot(Box<dyn ReadRoot>);

/// How the field of a query is read.
pub(crate) trait ReadRoot: Send + Sync {
    /// Whether one statement reads what is selected.
    fn reads_once(&self, variables: &Variables) -> bool;

    /// Reads what is selected.
    fn read<'a, 'p: 'a>(&'p self, run: &'a Run<'_>) -> Boxed<'a, Box<dyn RootValue + 'p>>;
}

/// The field of a query, as it was read.
pub(crate) trait RootValue: Send + Sync {
    /// Whether the whole query is null because of it.
    fn fails_query(&self) -> bool {
        false
    }

    /// Writes its value. The field has this position.
    fn write(&self, position: Pos, writer: &mut Writer<'_>) -> Written;
}

/// The declared fields of a query as a GraphQL object.
pub struct RootObject<R>(OnceLock<Declaration>, PhantomData<fn() -> R>);

impl<R> Default for RootObject<R> {
    fn default() -> Self {
        Self(OnceLock::new(), PhantomData)
    }
}

/// Without a server that executes [`Plans`](crate::Plans), async-graphql resolves each field.
impl<R: RootFields> ContainerType for RootObject<R> {
    async fn resolve_field(&self, context: &Context<'_>) -> ServerResult<Option<Value>> {
        let (declared, field) = (self.0.get_or_init(Declaration::of::<R>), context.item);
        let Some(root) = declared.root(&field.node.name.node) else { return Ok(None) };
        let set = &context.query_env.operation.node.selection_set.node.items;
        let is_only = matches!(&set[..], [only] if matches!(only.node, Selection::Field(_)));
        let plan =
            |field: &Collected<'_>, planner: &mut Planner<'_>| PlannedRoot(declared.plan_root(root, field, planner));
        let show = async |PlannedRoot(plan): &PlannedRoot, run: &Run<'_>, writer: &mut Writer<'_>| {
            let run = run.of_whole_query(|| is_only && plan.reads_once(run.variables));
            Ok(plan.read(&run).await.write(field.pos, writer))
        };
        let selected = context.with_selection_set(&field.node.selection_set);
        resolved::resolve(&selected, field, plan, show).await.map(Some)
    }
}

impl<R: RootFields> OutputType for RootObject<R> {
    fn type_name() -> Cow<'static, str> {
        format!("{}Fields", R::NAME).into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        registry::object::<Self>(registry, "", |fields| {
            for root in Roots::of::<R>().0 {
                (root.register)(fields, root.name, root.description);
            }
        })
    }

    async fn resolve(&self, context: &ContextSelectionSet<'_>, _: &Positioned<Field>) -> ServerResult<Value> {
        async_graphql::resolver_utils::resolve_container(context, self).await
    }
}

impl<R: RootFields> ObjectType for RootObject<R> {}

/// The prices of the fields of a query.
pub fn costs<R: RootFields>() -> Vec<(&'static str, Cost)> {
    let cost = |root: Root| match root.cost {
        Cost::List(scan) => (root.name, Cost::List(scan.kept(root.kept.as_ref()))),
        cost => (root.name, cost),
    };
    Roots::of::<R>().0.into_iter().map(cost).collect()
}
