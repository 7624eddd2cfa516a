//! Objects by their keys: `node`, `nodes`, and fields that return one object.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::marker::PhantomData;

use async_graphql::parser::types::Field;
use async_graphql::registry::Registry;
use async_graphql::{ContextSelectionSet, ID, OutputType, Positioned, ServerResult, Value, Variables};
use keyset::ReadRows as _;
use sea_orm::{EntityTrait, QueryFilter};

use crate::Result;
use crate::global_id::{GlobalId, NodeKey, NodeType};
use crate::keyed::{KeyOf, Keyed};
use crate::object::Fields;
use crate::plan::collect::{Collected, Sets};
use crate::plan::object::{Boxed, Objects, Selection};
use crate::plan::resolved;
use crate::plan::writer::{Writer, Written};
use crate::plan::{Planner, Run};
use crate::registry;

/// The types that implement the interface `Node`.
pub trait Nodes: NodeType {
    /// The type of their primary keys.
    type Key: NodeKey;

    /// The object of a type: see [`ObjectType::of`].
    fn object(self) -> ObjectType<Self::Key>;
}

/// A type of objects with this type of keys.
pub struct ObjectType<K: NodeKey>(Box<dyn Declared<K>>);

impl<K: NodeKey> ObjectType<K> {
    /// The type of these objects.
    pub fn of<T: Keyed<Key = K>>() -> Self {
        Self(Box::new(Type::<T>(PhantomData)))
    }
}

/// A type of objects, for planning.
trait Declared<K: NodeKey>: Send + Sync {
    fn name(&self) -> &'static str;
    fn register(&self, registry: &mut Registry) -> String;
    fn plan(&self, sets: &Sets<'_>, planner: &mut Planner<'_>) -> Box<dyn Planned<K>>;
}

/// What is selected of objects that are found by keys.
pub(crate) trait Planned<K>: Send + Sync {
    /// Whether it reads lists of the objects.
    fn reads_lists(&self, variables: &Variables) -> bool;

    /// Reads the objects with these keys: one statement per type.
    fn read<'a, 'p: 'a>(&'p self, run: &'a Run<'_>, keys: Vec<K>) -> Boxed<'a, Result<Box<dyn Found<K> + 'p>>>;
}

/// Objects that were read by their keys.
pub(crate) trait Found<K>: Send + Sync {
    /// Writes the object with this key; null where there is none.
    fn write(&self, key: &K, writer: &mut Writer<'_>) -> Written;
}

struct Type<T>(PhantomData<fn() -> T>);

impl<T: Keyed> Declared<T::Key> for Type<T> {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn register(&self, registry: &mut Registry) -> String {
        Fields::<T>::register(registry)
    }

    fn plan(&self, sets: &Sets<'_>, planner: &mut Planner<'_>) -> Box<dyn Planned<T::Key>> {
        Box::new(Selection::<T>::new(sets, None, planner))
    }
}

impl<T: Keyed> Planned<T::Key> for Selection<T> {
    fn reads_lists(&self, variables: &Variables) -> bool {
        Self::reads_lists(self, variables)
    }

    fn read<'a, 'p: 'a>(
        &'p self,
        run: &'a Run<'_>,
        keys: Vec<T::Key>,
    ) -> Boxed<'a, Result<Box<dyn Found<T::Key> + 'p>>> {
        Box::pin(async move {
            let keys: BTreeSet<T::Key> = keys.into_iter().collect();
            let mut joins = Vec::new();
            self.joins(run, &mut joins);
            let key = KeyOf::<T>::new();
            let columns = self.columns(run.variables) | key.columns();
            let among = keyset::among(T::key_column(), keys, run.reader.backend());
            let among = among.map_err(|error| run.reader.error(error))?;
            let wanted = keyset::selected(T::Entity::find().filter(among), columns);
            let rows = keyset::find_rows(run.reader, &wanted, &joins).await.map_err(|error| run.reader.error(error))?;
            let mut found = FoundObjects { objects: Objects::of_columns(self, columns, run), numbers: HashMap::new() };
            for row in &rows {
                let number = found.objects.read(row).map_err(|error| run.reader.error(error))?;
                if let Some(number) = number {
                    let key = key.of(found.objects.row(number)).map_err(|error| run.reader.error(error))?;
                    found.numbers.insert(key, number);
                }
            }
            found.objects.load(run).await;
            Ok(Box::new(found) as Box<dyn Found<T::Key>>)
        })
    }
}

struct FoundObjects<'p, T: Keyed> {
    objects: Objects<'p, T>,
    numbers: HashMap<T::Key, usize>,
}

impl<T: Keyed> Found<T::Key> for FoundObjects<'_, T> {
    fn write(&self, key: &T::Key, writer: &mut Writer<'_>) -> Written {
        let Some(number) = self.numbers.get(key) else {
            writer.value(&());
            return Ok(());
        };
        self.objects.write(*number, writer)
    }
}

/// The object with a key; null where there is none.
#[derive(Clone, Copy, Debug)]
pub struct ByKey<T: Keyed>(pub T::Key);

impl<T: Keyed> OutputType for ByKey<T> {
    fn type_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        Fields::<T>::register(registry)
    }

    async fn resolve(&self, context: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        let plan = |field: &Collected<'_>, planner: &mut Planner<'_>| Selection::new(&field.sets(), None, planner);
        let show = async |plan: &Selection<T>, run: &Run<'_>, writer: &mut Writer<'_>| {
            Ok(plan.read(run, vec![self.0]).await?.write(&self.0, writer))
        };
        resolved::resolve(context, field, plan, show).await
    }
}

/// The object with a global id; null where there is none. In the schema it is the interface `Node`.
#[derive(Clone, Copy, Debug)]
pub struct Node<N: Nodes>(pub GlobalId<N, N::Key>);

/// The objects with these global ids, in the same order; null where there is none. One statement per type reads them.
#[derive(Clone, Debug)]
pub struct NodeList<N: Nodes>(pub Vec<GlobalId<N, N::Key>>);

/// What is selected of each type, in the order of [`NodeType::ALL`].
pub(crate) struct PerType<N: Nodes>(Vec<Box<dyn Planned<N::Key>>>);

impl<N: Nodes> PerType<N> {
    pub fn plan(field: &Collected<'_>, planner: &mut Planner<'_>) -> Self {
        let sets = field.sets();
        Self(N::ALL.iter().map(|of| of.object().0.plan(&sets, &mut planner.of_statement())).collect())
    }
}

impl<N: Nodes> Planned<GlobalId<N, N::Key>> for PerType<N> {
    fn reads_lists(&self, variables: &Variables) -> bool {
        self.0.iter().any(|planned| planned.reads_lists(variables))
    }

    fn read<'a, 'p: 'a>(
        &'p self,
        run: &'a Run<'_>,
        ids: Vec<GlobalId<N, N::Key>>,
    ) -> Boxed<'a, Result<Box<dyn Found<GlobalId<N, N::Key>> + 'p>>> {
        Box::pin(async move {
            let mut found = FoundNodes::<N>(HashMap::new());
            for (node_type, planned) in N::ALL.iter().zip(&self.0) {
                let of_type = ids.iter().filter(|id| id.node_type == *node_type);
                let keys: Vec<N::Key> = of_type.map(|id| id.key).collect();
                if !keys.is_empty() {
                    found.0.insert(*node_type, planned.read(run, keys).await?);
                }
            }
            Ok(Box::new(found) as Box<dyn Found<GlobalId<N, N::Key>>>)
        })
    }
}

struct FoundNodes<'p, N: Nodes>(HashMap<N, Box<dyn Found<N::Key> + 'p>>);

impl<N: Nodes> Found<GlobalId<N, N::Key>> for FoundNodes<'_, N> {
    fn write(&self, id: &GlobalId<N, N::Key>, writer: &mut Writer<'_>) -> Written {
        let Some(found) = self.0.get(&id.node_type) else {
            writer.value(&());
            return Ok(());
        };
        found.write(&id.key, writer)
    }
}

impl<N: Nodes> OutputType for Node<N> {
    fn type_name() -> Cow<'static, str> {
        "Node".into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        let description = "An object with a global id.";
        let types = |registry: &mut Registry| {
            let objects = N::ALL.iter().map(|node_type| node_type.object().0);
            let register = |object: Box<dyn Declared<N::Key>>| {
                registry.add_implements(object.name(), "Node");
                object.register(registry)
            };
            objects.map(register).collect()
        };
        registry::interface::<Self>(registry, description, types, |fields| {
            fields.field::<ID>("id", "The globally unique id. `node` returns the object with this id.");
        })
    }

    async fn resolve(&self, context: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        let show = async |plan: &PerType<N>, run: &Run<'_>, writer: &mut Writer<'_>| {
            Ok(plan.read(run, vec![self.0]).await?.write(&self.0, writer))
        };
        resolved::resolve(context, field, PerType::plan, show).await
    }
}

impl<N: Nodes> OutputType for NodeList<N> {
    fn type_name() -> Cow<'static, str> {
        "[Node]".into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        Node::<N>::create_type_info(registry);
        Self::qualified_type_name()
    }

    async fn resolve(&self, context: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        let show = async |plan: &PerType<N>, run: &Run<'_>, writer: &mut Writer<'_>| {
            let found = plan.read(run, self.0.clone()).await?;
            Ok(writer.list(self.0.iter(), |writer, id| {
                writer.nullable(|writer| found.write(id, writer));
                Ok(())
            }))
        };
        resolved::resolve(context, field, PerType::plan, show).await
    }
}
