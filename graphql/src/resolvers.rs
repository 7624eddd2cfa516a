//! What resolvers of an application return in place of declared objects: they are found by their keys, and read by a plan.

use std::borrow::Cow;
use std::marker::PhantomData;

use async_graphql::parser::types::Field;
use async_graphql::registry::Registry;
use async_graphql::resolver_utils::ContainerType;
use async_graphql::{
    Context, ContextSelectionSet, ID, InputType, InputValueError, InputValueResult, ObjectType, OutputType, Positioned,
    ServerResult, Value,
};

use crate::context::declaration_of;
use crate::declare::declaration::Declaration;
use crate::declare::register;
use crate::object::RowObject;
use crate::order::Criterion;
use crate::plan::collect::Collected;
use crate::plan::object::Selection;
use crate::plan::root::{PlannedRoot, Selections, find, of_nodes};
use crate::plan::writer::Writer;
use crate::plan::{Planner, Run, resolved};
use crate::registry;
use crate::value;

/// The object of a type with a key; null where there is none.
#[derive(Debug)]
pub struct ByKey<T>(Vec<sea_orm::Value>, PhantomData<fn() -> T>);

impl<T: RowObject> ByKey<T> {
    /// The object with this key of one column.
    pub fn new(key: impl Into<sea_orm::Value>) -> Self {
        Self::of_values(vec![key.into()])
    }

    /// The object with these values of the columns of its key.
    pub fn of_values(key: Vec<sea_orm::Value>) -> Self {
        Self(key, PhantomData)
    }

    pub(crate) fn values(&self) -> &Vec<sea_orm::Value> {
        &self.0
    }

    pub(crate) fn into_values(self) -> Vec<sea_orm::Value> {
        self.0
    }
}

/// The object with a global id; null where there is none. In the schema it is the interface `Node`.
#[derive(Clone, Debug)]
pub struct Node(pub ID);

/// The objects with these global ids, in the same order; null where there is none. One statement per type reads them.
#[derive(Clone, Debug)]
pub struct NodeList(pub Vec<ID>);

impl<T: RowObject> OutputType for ByKey<T> {
    fn type_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        value::register(T::NAME, registry);
        Self::qualified_type_name()
    }

    async fn resolve(&self, context: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        let plan = |field: &Collected<'_>, planner: &mut Planner<'_>| value::select(T::NAME, field, planner);
        let show = async |plan: &Selection, run: &Run<'_>, writer: &mut Writer<'_>| {
            Ok(plan.find(run, std::slice::from_ref(&self.0)).await?.write(&self.0, writer))
        };
        resolved::resolve(context, field, plan, show).await
    }
}

impl OutputType for Node {
    fn type_name() -> Cow<'static, str> {
        "Node".into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        Declaration::building().register(registry);
        Self::qualified_type_name()
    }

    async fn resolve(&self, context: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        let show = async |plan: &Selections, run: &Run<'_>, writer: &mut Writer<'_>| {
            let keys = vec![run.declaration.named(&self.0)?];
            Ok(find(plan, keys, run).await?.write(writer))
        };
        resolved::resolve(context, field, of_nodes, show).await
    }
}

impl OutputType for NodeList {
    fn type_name() -> Cow<'static, str> {
        "[Node]".into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        Declaration::building().register(registry);
        Self::qualified_type_name()
    }

    async fn resolve(&self, context: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        let show = async |plan: &Selections, run: &Run<'_>, writer: &mut Writer<'_>| {
            let keys = self.0.iter().map(|id| run.declaration.named(id)).collect::<crate::Result<_>>()?;
            Ok(find(plan, keys, run).await?.write_list(writer))
        };
        resolved::resolve(context, field, of_nodes, show).await
    }
}

/// The declared fields of a query. Merge it into the query by `MergedObject`, and build the schema by [`Declaration::schema`].
#[derive(Clone, Copy, Debug, Default)]
pub struct DeclaredQuery;

/// Without a server that executes [`Plans`](crate::Plans), async-graphql resolves each field.
impl ContainerType for DeclaredQuery {
    async fn resolve_field(&self, context: &Context<'_>) -> ServerResult<Option<Value>> {
        let (declaration, field) = (declaration_of(context), context.item);
        let name = &field.node.name.node;
        let Some(root) = declaration.roots().iter().find(|root| root.name == name.as_str()) else { return Ok(None) };
        let set = &context.query_env.operation.node.selection_set.node.items;
        let is_only =
            matches!(&set[..], [only] if matches!(only.node, async_graphql::parser::types::Selection::Field(_)));
        let plan = |field: &Collected<'_>, planner: &mut Planner<'_>| PlannedRoot::new(root, field, planner);
        let show = async |plan: &PlannedRoot, run: &Run<'_>, writer: &mut Writer<'_>| {
            let run = run.of_whole_query(|| is_only && plan.reads_once(run));
            Ok(plan.read(&run).await.write(field.pos, writer))
        };
        let selected = context.with_selection_set(&field.node.selection_set);
        resolved::resolve(&selected, field, plan, show).await.map(Some)
    }
}

impl OutputType for DeclaredQuery {
    fn type_name() -> Cow<'static, str> {
        "DeclaredQuery".into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        let declaration = Declaration::building();
        declaration.register(registry);
        registry::object(registry, "DeclaredQuery", "", |fields| {
            for root in declaration.roots() {
                register::root(&declaration, root, fields);
            }
        })
    }

    async fn resolve(&self, context: &ContextSelectionSet<'_>, _: &Positioned<Field>) -> ServerResult<Value> {
        async_graphql::resolver_utils::resolve_container(context, self).await
    }
}

impl ObjectType for DeclaredQuery {}

/// A criterion of the order of lists of an object, as an argument of a resolver: `CakeSort`.
#[derive(Clone, Debug)]
pub struct SortBy<T>(pub Criterion, PhantomData<fn() -> T>);

impl<T: RowObject> SortBy<T> {
    /// The criteria, the first decides first; without the argument, none.
    pub fn criteria(given: Option<Vec<Self>>) -> Vec<Criterion> {
        given.into_iter().flatten().map(|by| by.0).collect()
    }
}

impl<T: RowObject> InputType for SortBy<T> {
    type RawValueType = Self;

    fn type_name() -> Cow<'static, str> {
        format!("{}Sort", T::NAME).into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        value::register(T::NAME, registry);
        Self::qualified_type_name()
    }

    fn parse(value: Option<Value>) -> InputValueResult<Self> {
        let criterion = Criterion::read(&value.unwrap_or_default());
        criterion
            .map(|criterion| Self(criterion, PhantomData))
            .map_err(|error| InputValueError::custom(error.message()))
    }

    fn to_value(&self) -> Value {
        self.0.to_value()
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }
}
