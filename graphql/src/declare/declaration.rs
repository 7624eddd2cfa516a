//! All that an application declares, checked.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use async_graphql::registry::Registry;
use async_graphql::{ObjectType as Root, Schema, SchemaBuilder, SubscriptionType};
use keyset::{Column, ColumnSet, Kept, Modelled, Order, Table, TableRows};

use super::event::EventField;
use super::field::{Field, FieldKind};
use super::guard::Guard;
use super::object::ObjectType;
use super::register;
use super::root::{KeyArguments, RootField, RootKind};
use super::rule::RuledValues;
use super::write::input::is_uuid_key;
use super::write::{Returned, WriteField, WriteKind};
use crate::connection;
use crate::cost::{Cost, FieldCost};
use crate::filter::Target;
use crate::list::{ListArguments, Scan};
use crate::order::Criterion;
use crate::visible::Assumed;
use crate::{Reader, RequestData, Result};

/// What an application declares, before it is checked.
#[derive(Debug)]
pub struct Declaring {
    pub(super) query_type: String,
    pub(super) objects: Vec<ObjectType>,
    pub(super) roots: Vec<RootField>,
    pub(super) writes: Vec<WriteField>,
    pub(super) events: Vec<EventField>,
    /// Of root fields, by their names.
    pub(super) guards: Vec<(String, Guard)>,
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
    pub(super) writes: Vec<WriteField>,
    pub(super) events: Vec<EventField>,
    /// Whether a field has a guard.
    pub(super) has_guards: bool,
    /// Whether an object has a rule.
    pub(super) has_rules: bool,
    pub(super) ruled_values: RuledValues,
    /// Prices of tables in which rules hide rows.
    pub(crate) prices: Assumed,
    /// What was left out.
    pub(super) remarks: Vec<String>,
}

thread_local! {
    /// The declaration whose schema is built: the types of async-graphql have no values to keep it in.
    static BUILDING: RefCell<Option<Arc<Declaration>>> = const { RefCell::new(None) };
}

impl Declaring {
    /// Nothing yet. The type of the query has this name.
    pub fn new(query_type: impl Into<String>) -> Self {
        Self {
            query_type: query_type.into(),
            objects: Vec::new(),
            roots: Vec::new(),
            writes: Vec::new(),
            events: Vec::new(),
            guards: Vec::new(),
        }
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

    /// The same with a name of its own, in place of that of the table.
    ///
    /// ```
    /// # use sea_orm::tests_cfg::cake;
    /// let mut tables = bookends_graphql::Declaring::new("Query");
    /// tables.entity_named::<cake::Entity>("Pastry").describe("A cake.");
    /// # tables.check().unwrap();
    /// ```
    pub fn entity_named<E: Modelled>(&mut self, name: impl Into<String>) -> &mut ObjectType {
        self.objects.push_mut(ObjectType::from_entity_named::<E>(name))
    }

    /// Adds the object of a table, such as one that the catalogue of a database describes, with all that follows from it: as
    /// [`Self::entity`]. Names of fields that are taken get a number: see [`Declaration::remarks`].
    pub fn table(&mut self, object: ObjectType) -> &mut ObjectType {
        self.objects.push_mut(object)
    }

    /// Changes the object of this name.
    ///
    /// # Panics
    ///
    /// Panics if none was added.
    pub fn change(&mut self, object: &str, change: impl FnOnce(&mut ObjectType)) -> &mut Self {
        let known = self.objects.iter_mut().find(|known| known.name == object);
        change(known.unwrap_or_else(|| panic!("the object `{object}` is not declared")));
        self
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

    /// A mutation that creates objects of this name: `createCity`. Its input has the columns of the table, and the global ids of
    /// what they refer to. Columns that can be null or have a default are optional; the server or the database makes the key, if it
    /// is a UUID or an integer that the entity says is generated.
    pub fn create(&mut self, object: &str) -> &mut WriteField {
        self.writes.push_mut(WriteField::new(WriteKind::Create, object))
    }

    /// A mutation that changes an object of this name: `updateCity`.
    pub fn update(&mut self, object: &str) -> &mut WriteField {
        self.writes.push_mut(WriteField::new(WriteKind::Update, object))
    }

    /// A mutation that deletes an object of this name: `deleteCity`.
    pub fn delete(&mut self, object: &str) -> &mut WriteField {
        self.writes.push_mut(WriteField::new(WriteKind::Delete, object))
    }

    /// A subscription to new objects of this name: `cityCreated`. The declared mutations announce what they do with its objects;
    /// hand-written ones say it.
    pub fn created(&mut self, object: &str) -> &mut EventField {
        self.events.push_mut(EventField::new(WriteKind::Create, object))
    }

    /// A subscription to changed objects of this name: `cityUpdated`.
    pub fn updated(&mut self, object: &str) -> &mut EventField {
        self.events.push_mut(EventField::new(WriteKind::Update, object))
    }

    /// A subscription to deleted objects of this name: `cityDeleted`.
    pub fn deleted(&mut self, object: &str) -> &mut EventField {
        self.events.push_mut(EventField::new(WriteKind::Delete, object))
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

    /// The declared mutations.
    pub(crate) fn writes(&self) -> &[WriteField] {
        &self.writes
    }

    /// The declared subscriptions.
    pub fn events(&self) -> &[EventField] {
        &self.events
    }

    /// The declared fields of the query, of the mutation and of the subscription: those of
    /// [`DeclaredQuery`](crate::DeclaredQuery), [`DeclaredMutation`](crate::DeclaredMutation) and
    /// [`DeclaredSubscription`](crate::DeclaredSubscription).
    pub fn root_fields(&self) -> [Vec<&str>; 3] {
        let roots = self.roots.iter().map(|root| root.name.as_str());
        let writes = self.writes.iter().map(|write| write.name.as_str());
        [roots.collect(), writes.collect(), self.events.iter().map(|event| event.name.as_str()).collect()]
    }

    /// What was taken, renamed or left out of the objects of a catalogue: a sentence for each.
    pub fn remarks(&self) -> impl Iterator<Item = &str> {
        let renamed = self.objects.iter().flat_map(|object| &object.renamed);
        renamed.chain(&self.remarks).map(String::as_str)
    }

    /// Whether the server makes the keys of the objects of this name: UUIDs of version 7, which no other object has had.
    ///
    /// # Panics
    ///
    /// Panics if no such object is declared.
    pub fn makes_keys(&self, object: &str) -> bool {
        let object = self.declared(object);
        is_uuid_key(object) && object.generates_key()
    }

    /// The table of the objects of this name.
    ///
    /// # Panics
    ///
    /// Panics if no such object is declared.
    pub fn table(&self, object: &str) -> &Table {
        &self.declared(object).table
    }

    /// The type of the parent of a mutation, and whether there may be none.
    pub(crate) fn parent_of(&self, write: &WriteField) -> Option<(&str, bool)> {
        let (_, relation) = write.parent.as_ref()?;
        let relation = self.object(write.object.index).relations.get(*relation)?;
        Some((relation.object.as_ref()?.name.as_str(), relation.is_nullable()))
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

    /// The rows of a list of all objects of the type of this name, with all columns, and their order: those that a request with
    /// these data shows.
    ///
    /// # Errors
    ///
    /// As [`ObjectType::order`].
    ///
    /// # Panics
    ///
    /// Panics if no such object is declared.
    pub fn list(
        &self,
        object: &str,
        criteria: &[Criterion],
        reader: &Reader,
        data: &dyn RequestData,
    ) -> Result<(TableRows, Order)> {
        let object = self.declared(object);
        let target = Target::new(self, reader, data);
        let (mut rows, order) = ListArguments::ordered_by(criteria).rows(object, &target, &[])?;
        target.table(object).restrict(&mut rows);
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

    pub(crate) fn declared(&self, object: &str) -> &ObjectType {
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
                RootKind::List { index, kept, .. } => {
                    let kept = kept.as_deref().filter(|_| !self.object(*index).has_rule());
                    Cost::List(self.scan(*index, &[], kept))
                }
                RootKind::Object { .. } | RootKind::Node => Cost::Lookup,
                RootKind::Nodes => {
                    Cost::Keys { argument: "ids", types: self.objects.iter().filter(|it| it.tag.is_some()).count() }
                }
            };
            FieldCost::new(&self.query_type, &root.name, cost)
        };
        let of_field = |field: &Field| match &field.kind {
            FieldKind::Beside { .. } | FieldKind::ComputedBeside { .. } | FieldKind::One(_) => Some(Cost::Lookup),
            FieldKind::List(list) => {
                let kept = list.kept.as_deref().filter(|_| !self.listed(list).is_ruled());
                Some(Cost::List(self.scan(list.of.index, &list.columns, kept)))
            }
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
        let of_write = |write: &WriteField| {
            let places = write.payload(self.parent_of(write)).into_iter();
            let places = places.filter(|field| matches!(field.what, Returned::Previous | Returned::PreviousOfParent));
            let places = places.map(|field| FieldCost::new(write.payload_name(), field.name, Cost::Statement));
            std::iter::once(FieldCost::new("Mutation", &write.name, Cost::Write)).chain(places).collect::<Vec<_>>()
        };
        let writes = self.writes.iter().flat_map(of_write);
        self.roots.iter().map(of_root).chain(self.objects.iter().flat_map(of_object)).chain(writes).collect()
    }

    fn scan(self: &Arc<Self>, object: usize, parent: &[Column], kept: Option<&Kept>) -> Scan {
        let of = self.object(object);
        let is_held = of.indexed.is_none() || of.ordered(parent).is_ok_and(|order| of.holds(&order, parent));
        Scan { declaration: Arc::clone(self), object, parent: parent.to_vec(), is_kept: kept.is_some(), is_held }
    }
}

/// Nothing: all fields of the schema are resolved by the application.
impl Default for Declaration {
    fn default() -> Self {
        Self {
            query_type: "Query".into(),
            objects: Vec::new(),
            roots: Vec::new(),
            writes: Vec::new(),
            events: Vec::new(),
            has_guards: false,
            has_rules: false,
            ruled_values: RuledValues::default(),
            prices: Assumed::default(),
            remarks: Vec::new(),
        }
    }
}

impl fmt::Debug for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Declaration").finish_non_exhaustive()
    }
}
