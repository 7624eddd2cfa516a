//! All that an application declares, checked.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use async_graphql::registry::Registry;
use async_graphql::{ObjectType as Root, Schema, SchemaBuilder, SubscriptionType};
use keyset::{Column, ColumnSet, Kept, Modelled, Order, ReadRows as _, Table, TableRows};

use super::field::{Field, FieldKind};
use super::object::ObjectType;
use super::register;
use super::root::{KeyArguments, RootField, RootKind};
use crate::connection;
use crate::cost::{Cost, FieldCost};
use crate::filter::Target;
use crate::list::{ListArguments, Scan};
use crate::order::Criterion;
use crate::{Reader, Result};

/// What an application declares, before it is checked.
#[derive(Debug)]
pub struct Declaring {
    pub(super) query_type: String,
    pub(super) objects: Vec<ObjectType>,
    pub(super) roots: Vec<RootField>,
}

/// The fields `node` and `nodes`.
pub(crate) fn nodes() -> [RootField; 2] {
    let (mut node, mut nodes) = (RootField::new("node", RootKind::Node), RootField::new("nodes", RootKind::Nodes));
    node.describe("The object with this global id. Null if there is none.");
    nodes.describe("The objects with these global ids, in the same order. An item is null if there is no such object.");
    [node, nodes]
}

/// Objects over tables, and the fields of the query that read them. Documents are planned from it.
pub struct Declaration {
    pub(super) query_type: String,
    pub(super) objects: Vec<ObjectType>,
    pub(super) roots: Vec<RootField>,
}

thread_local! {
    /// The declaration whose schema is built: the types of async-graphql have no values to keep it in.
    static BUILDING: RefCell<Option<Arc<Declaration>>> = const { RefCell::new(None) };
}

impl Declaring {
    /// Nothing yet. The type of the query has this name.
    pub fn new(query_type: impl Into<String>) -> Self {
        Self { query_type: query_type.into(), objects: Vec::new(), roots: Vec::new() }
    }

    /// Adds an object.
    pub fn object(&mut self, object: ObjectType) -> &mut Self {
        self.objects.push(object);
        self
    }

    /// Adds the object of an entity, with all that follows from it: a field for each column, the objects and the lists of its foreign
    /// keys, those of others that refer to it, and fields of the query that read one object and the list of all.
    pub fn entity<E: Modelled>(&mut self) -> &mut ObjectType {
        self.objects.push_mut(ObjectType::from_entity::<E>())
    }

    /// A field of the query: a list of all objects of this name.
    pub fn list(&mut self, name: &str, object: &str) -> &mut RootField {
        self.root(name, RootKind::List { object: object.to_owned(), index: 0, kept: None })
    }

    /// A field of the query: the object of this name with the key that the arguments name; null where there is none.
    pub fn find(&mut self, name: &str, object: &str, key: impl KeyArguments) -> &mut RootField {
        self.root(name, RootKind::Object { object: object.to_owned(), index: 0, key: Arc::new(key) })
    }

    /// The fields `node` and `nodes` of the query: objects by their global ids (GraphQL Global Object Identification).
    pub fn nodes(&mut self) -> &mut Self {
        self.roots.extend(nodes());
        self
    }

    fn root(&mut self, name: &str, kind: RootKind) -> &mut RootField {
        self.roots.push_mut(RootField::new(name, kind))
    }
}

impl Declaration {
    /// Builds a schema that has it. Merge [`DeclaredQuery`](crate::DeclaredQuery) into its query by `MergedObject`.
    pub fn schema<Q, M, S>(self: &Arc<Self>, query: Q, mutation: M, subscription: S) -> SchemaBuilder<Q, M, S>
    where
        Q: Root + 'static,
        M: Root + 'static,
        S: SubscriptionType + 'static,
    {
        let around = BUILDING.replace(Some(Arc::clone(self)));
        let builder = Schema::build(query, mutation, subscription).data(Arc::clone(self));
        BUILDING.set(around);
        builder
    }

    /// The declaration whose schema this thread builds.
    ///
    /// # Panics
    ///
    /// Panics unless [`Self::schema`] builds it.
    pub(crate) fn building() -> Arc<Self> {
        let declaration = BUILDING.with_borrow(Clone::clone);
        declaration.unwrap_or_else(|| panic!("a schema with declared objects is built by `Declaration::schema`"))
    }

    /// Registers all types of objects.
    pub(crate) fn register(&self, registry: &mut Registry) {
        register::objects(self, registry);
    }

    /// The name of the query type.
    pub(crate) fn query_type(&self) -> &str {
        &self.query_type
    }

    pub(crate) fn objects(&self) -> &[ObjectType] {
        &self.objects
    }

    pub(crate) fn roots(&self) -> &[RootField] {
        &self.roots
    }

    /// The object with this index.
    pub(crate) fn object(&self, index: usize) -> &ObjectType {
        &self.objects[index]
    }

    /// The index of the object of this name.
    pub(crate) fn index(&self, name: &str) -> Option<usize> {
        self.objects.iter().position(|object| object.name == name)
    }

    /// The object of this name.
    pub fn object_named(&self, name: &str) -> Option<&ObjectType> {
        Some(self.object(self.index(name)?))
    }

    /// The order of a list of all objects of the type of this name.
    ///
    /// # Errors
    ///
    /// As [`ObjectType::order`].
    ///
    /// # Panics
    ///
    /// Panics if no such object is declared.
    pub fn order(&self, object: &str, criteria: &[Criterion]) -> Result<Order> {
        self.declared(object).order(criteria)
    }

    /// The rows of a list of all objects of the type of this name, with all columns, and their order.
    ///
    /// # Errors
    ///
    /// As [`ObjectType::order`].
    ///
    /// # Panics
    ///
    /// Panics if no such object is declared.
    pub fn list(&self, object: &str, criteria: &[Criterion], reader: &Reader) -> Result<(TableRows, Order)> {
        let object = self.declared(object);
        let target = Target::new(self, reader.backend(), !reader.seeks_row_values());
        let (mut rows, order) = ListArguments::ordered_by(criteria).rows(object, &target, &[])?;
        object.table.select(&mut rows, ColumnSet::ALL);
        Ok((rows, order))
    }

    /// The column of the primary key of the object of this name.
    ///
    /// # Panics
    ///
    /// Panics if no such object is declared.
    pub fn key_column(&self, object: &str) -> Column {
        self.declared(object).key().clone()
    }

    /// All tables that it reads.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        let beside = self.objects.iter().flat_map(|object| &object.relations).filter_map(|it| it.table.as_ref());
        self.objects.iter().map(|object| &object.table).chain(beside)
    }

    fn declared(&self, object: &str) -> &ObjectType {
        self.object_named(object).unwrap_or_else(|| panic!("the object `{object}` is not declared"))
    }

    /// Whether a fragment on this type applies to an object.
    pub(crate) fn is_a(&self, object: &str, on: &str) -> bool {
        object == on || on == "Node" && self.object_named(object).is_some_and(|object| object.tag.is_some())
    }

    /// The prices of all its fields that cost more than 1.
    pub fn costs(self: &Arc<Self>) -> Vec<FieldCost> {
        let of_root = |root: &RootField| {
            let cost = match &root.kind {
                RootKind::List { index, kept, .. } => Cost::List(self.scan(*index, &[], kept.as_deref())),
                RootKind::Object { .. } | RootKind::Node => Cost::Lookup,
                RootKind::Nodes => {
                    Cost::Keys { argument: "ids", types: self.objects.iter().filter(|it| it.tag.is_some()).count() }
                }
            };
            FieldCost::new(&self.query_type, &root.name, cost)
        };
        let of_field = |field: &Field| match &field.kind {
            FieldKind::Beside { .. } | FieldKind::ComputedBeside { .. } | FieldKind::One(_) => Some(Cost::Lookup),
            FieldKind::List(list) => Some(Cost::List(self.scan(list.of.index, &list.columns, list.kept.as_deref()))),
            FieldKind::Resolved(resolver) => Some(resolver.cost.clone()),
            _ => None,
        };
        let of_object = |object: &ObjectType| {
            let fields = object.fields.iter();
            let fields = fields.filter_map(|it| Some(FieldCost::new(&object.name, &it.name, of_field(it)?)));
            let through = object.fields.iter().filter_map(|field| match &field.kind {
                FieldKind::List(list) => Some((&list.through.as_ref()?.name, self.object(list.of.index))),
                _ => None,
            });
            let connections = std::iter::once((&object.name, object)).chain(through);
            let connections = connections.flat_map(|(name, of)| connection::costs(name, of));
            fields.chain(connections).collect::<Vec<_>>()
        };
        self.roots.iter().map(of_root).chain(self.objects.iter().flat_map(of_object)).collect()
    }

    fn scan(self: &Arc<Self>, object: usize, parent: &[Column], kept: Option<&Kept>) -> Scan {
        Scan { declaration: Arc::clone(self), object, parent: parent.to_vec(), is_kept: kept.is_some() }
    }
}

/// Nothing: all fields of the schema are resolved by the application.
impl Default for Declaration {
    fn default() -> Self {
        Self { query_type: "Query".into(), objects: Vec::new(), roots: Vec::new() }
    }
}

impl fmt::Debug for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Declaration").finish_non_exhaustive()
    }
}
