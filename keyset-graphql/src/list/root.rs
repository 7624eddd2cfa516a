//! The lists of a query.

use std::borrow::Cow;
use std::marker::PhantomData;

use async_graphql::parser::types::Field;
use async_graphql::registry::Registry;
use async_graphql::{
    ContainerType, Context, ContextSelectionSet, ObjectType, OutputType, Positioned, ServerResult, Value,
};
use keyset::{Kept, Lists};

use super::{ListField, ListRows, Listed, Plan, Scan, register};
use crate::cost::Cost;
use crate::plan::collect::Collected;
use crate::plan::object::Boxed;
use crate::plan::resolved::ResolvedField;
use crate::plan::writer::Writer;
use crate::plan::{Planner, Run};
use crate::registry::{self, ObjectFields};

/// The root fields of a schema that are lists. Merge them into its query by `MergedObject`.
pub trait RootLists: Send + Sync + 'static {
    /// The name of the query type, for traces and metrics.
    const NAME: &'static str;

    /// Declares the lists.
    fn lists(lists: &mut Roots);
}

/// The declared lists of a query.
#[derive(Default)]
pub struct Roots(Vec<Root>);

struct Root {
    name: &'static str,
    description: &'static str,
    register: fn(&mut ObjectFields<'_>, &'static str, &'static str),
    plan: fn(&'static str, &Root, &Collected<'_>, &mut Planner<'_>) -> PlannedRoot,
    scan: Scan,
    kept: Option<Kept>,
}

impl Roots {
    fn of<R: RootLists>() -> Self {
        let mut lists = Self::default();
        R::lists(&mut lists);
        lists
    }

    /// A list of all objects.
    pub fn list<U: Listed>(&mut self, name: &'static str, description: &'static str) -> ListField<'_> {
        let plan = |parent: &'static str, root: &Root, field: &Collected<'_>, planner: &mut Planner<'_>| {
            PlannedRoot(Box::new(Plan::<U>::new(parent, root.name, root.kept.clone(), field, planner)))
        };
        let root = Root { name, description, register: register::<U>, plan, scan: Scan::of::<U>(None), kept: None };
        ListField(&mut self.0.push_mut(root).kept)
    }
}

/// A list at the root of a plan.
pub(crate) struct PlannedRoot(pub Box<dyn ReadRoot>);

pub(crate) trait ReadRoot: Send + Sync {
    fn read<'a, 'p: 'a>(&'p self, run: &'a Run<'_>) -> Boxed<'a, Box<dyn ListRows + 'p>>;
}

impl<U: Listed> ReadRoot for Plan<U> {
    fn read<'a, 'p: 'a>(&'p self, run: &'a Run<'_>) -> Boxed<'a, Box<dyn ListRows + 'p>> {
        Box::pin(async move { Box::new(self.read(run, Lists::one).await) as Box<dyn ListRows> })
    }
}

/// The lists of a query as a GraphQL object.
pub struct RootObject<R>(PhantomData<fn() -> R>);

impl<R> Default for RootObject<R> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<R: RootLists> ContainerType for RootObject<R> {
    async fn resolve_field(&self, context: &Context<'_>) -> ServerResult<Option<Value>> {
        let name = context.item.node.name.node.as_str();
        let Some(list) = Roots::of::<R>().0.into_iter().find(|list| list.name == name) else { return Ok(None) };
        let selected = context.with_selection_set(&context.item.node.selection_set);
        let plan = |field: &Collected<'_>, planner: &mut Planner<'_>| (list.plan)(R::NAME, &list, field, planner);
        let show = async |plan: &PlannedRoot, run: &Run<'_>, writer: &mut Writer<'_>| {
            plan.0.read(run).await.write(0, context.item.pos, writer);
            Ok(Ok(()))
        };
        ResolvedField::of(&selected, context.item).resolve(None, plan, show).await.map(Some)
    }
}

impl<R: RootLists> OutputType for RootObject<R> {
    fn type_name() -> Cow<'static, str> {
        format!("{}Lists", R::NAME).into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        registry::object::<Self>(registry, "", |fields| {
            for list in Roots::of::<R>().0 {
                (list.register)(fields, list.name, list.description);
            }
        })
    }

    async fn resolve(&self, context: &ContextSelectionSet<'_>, _: &Positioned<Field>) -> ServerResult<Value> {
        async_graphql::resolver_utils::resolve_container(context, self).await
    }
}

impl<R: RootLists> ObjectType for RootObject<R> {}

/// The prices of the lists of a query.
pub fn costs<R: RootLists>() -> Vec<(&'static str, Cost)> {
    Roots::of::<R>().0.into_iter().map(|list| (list.name, Cost::List(list.scan.kept(list.kept.as_ref())))).collect()
}
