//! A GraphQL object over a table, as data: its fields, its relations and its lists.

use std::fmt;
use std::iter;
use std::sync::Arc;

use keyset::{Aggregate, Column, ColumnSet, Kind, Modelled, Models, Order, Table};
use sea_orm::Value;

use super::argument::ListArgument;
use super::entity::ForeignKey;
use super::field::{Beside, Computed, Field, FieldKind};
use super::names::{camel, pascal, screaming};
use super::nested::{NestedList, Through};
use super::relation::Relation;
use crate::error::code;
use crate::global_id::Tag;
use crate::object::RowObject;
use crate::order::{Criterion, RelatedSort, is_key};
use crate::scalar::LeafValue;
use crate::{Error, Result};

/// A GraphQL object over a table.
///
/// ```
/// # use sea_orm::tests_cfg::cake;
/// use bookends_graphql::ObjectType;
///
/// let mut cakes = ObjectType::of::<cake::Entity>("Cake");
/// cakes.describe("A cake.");
/// cakes.column(cake::Column::Name).describe("The name.");
/// ```
#[derive(Clone, Debug)]
pub struct ObjectType {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) table: Table,
    /// What its global ids begin with, if it has any.
    pub(crate) tag: Option<Tag>,
    pub(crate) fields: Vec<Field>,
    pub(crate) relations: Vec<Relation>,
    /// The sorts by columns of related objects, once these are known.
    pub(crate) related_sorts: Vec<RelatedSort>,
    /// The orders of its lists, by the names of sort items, if only these are offered.
    pub(crate) orders: Option<Vec<Vec<String>>>,
    /// Describes the enum of sort items.
    pub(crate) sort_description: String,
    /// Describes the argument `orderBy`.
    pub(crate) order_description: String,
    /// Whether its lists can be read as of an instant.
    pub(crate) has_as_of: bool,
    pub(crate) arguments: Vec<Arc<dyn ListArgument>>,
    /// Whether its lists have aggregates.
    pub(crate) has_aggregates: bool,
    /// Those of the entity from which it follows.
    pub(crate) foreign_keys: Vec<ForeignKey>,
    /// Whether its relations follow from foreign keys.
    pub(crate) is_inferred: bool,
    /// The changes of fields, in turn.
    pub(crate) changes: Vec<Change>,
}

/// A change of the field of this name.
#[derive(Clone)]
pub(crate) struct Change(pub String, pub Arc<dyn Fn(&mut Field) + Send + Sync>);

impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Change").field(&self.0).finish_non_exhaustive()
    }
}

impl ObjectType {
    /// An object of this name over the table of an entity, without fields.
    pub fn of<E: Modelled>(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: String::new(),
            table: Table::of::<E>(),
            tag: None,
            fields: Vec::new(),
            relations: Vec::new(),
            related_sorts: Vec::new(),
            orders: None,
            sort_description: String::new(),
            order_description: String::new(),
            has_as_of: false,
            arguments: Vec::new(),
            has_aggregates: false,
            foreign_keys: Vec::new(),
            is_inferred: false,
            changes: Vec::new(),
        }
    }

    /// The same for a type that stands for it in Rust.
    pub fn named<T: RowObject>() -> Self {
        Self::of::<T::Entity>(T::NAME)
    }

    /// The name of the type in the schema.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Describes the object.
    pub fn describe(&mut self, description: impl Into<String>) -> &mut Self {
        self.description = description.into();
        self
    }

    /// The global id, `id`. The tag is the first byte of all ids of these objects, and part of every id that a client has
    /// stored: it is below 128, and never changes. No other object has it.
    pub fn id(&mut self, tag: u8) -> &mut Field {
        self.tag = Some(Tag::Byte(tag & 0x7f));
        self.add("id", FieldKind::Id)
    }

    /// The global id, `id`. What all ids of these objects begin with follows from the name of the type.
    pub fn id_by_name(&mut self) -> &mut Field {
        self.tag = Some(Tag::of_name(&self.name));
        self.add("id", FieldKind::Id)
    }

    /// The value of a column. The field has the name of the column in camel case. Its type is that of the column, and nullable
    /// if the column is.
    pub fn column(&mut self, column: impl Into<Column>) -> &mut Field {
        let column = column.into();
        let name = camel(column.name());
        self.add(&name, FieldKind::Column(column))
    }

    /// The time in a key that is a UUID of version 7, to the millisecond.
    ///
    /// # Panics
    ///
    /// Panics if the table has no primary key.
    pub fn created_at(&mut self, name: &str) -> &mut Field {
        let key = self.key().clone();
        self.add(name, FieldKind::CreatedAt(key))
    }

    /// A value that is computed from the row, whose model is made for it. It reads all columns of the row. It is a scalar, an
    /// enum, or a list of them: [`LeafValue`].
    pub fn computed<E, L>(&mut self, name: &str, compute: fn(&E::Model) -> L) -> &mut Field
    where
        E: Modelled,
        L: LeafValue,
    {
        let models = Models::<E>::default();
        let computed = Computed::new::<L>(ColumnSet::ALL, move |row| Ok(compute(models.model(row)?)));
        self.add(name, FieldKind::Computed(computed))
    }

    /// A value that is computed from the value of a column.
    pub fn computed_of<L: LeafValue>(
        &mut self,
        name: &str,
        column: impl Into<Column>,
        compute: fn(Value) -> Option<L>,
    ) -> &mut Field {
        let column = column.into();
        let (number, kind) = (column.number(), column.kind());
        let computed = Computed::new::<L>(ColumnSet::of_value(number, kind), move |row| {
            let unexpected = || sea_orm::DbErr::Type(format!("unexpected value of {column:?}"));
            compute(row.value(number, kind)?).ok_or_else(unexpected)
        });
        self.add(name, FieldKind::Computed(computed))
    }

    /// A value that is computed from the primary key.
    ///
    /// # Panics
    ///
    /// Panics if the table has no primary key.
    pub fn of_key<L: LeafValue>(&mut self, name: &str, compute: fn(Value) -> Option<L>) -> &mut Field {
        self.computed_of(name, self.key().clone(), compute)
    }

    /// A relation to one: the object of this name, whose primary key these columns hold. It is read in the statement of the row.
    /// The field is null where a column is.
    pub fn to_one(&mut self, name: &str, object: &str, columns: &[Column]) -> &mut Field {
        self.relations.push(Relation::to_key(object, columns));
        self.add(name, FieldKind::One(self.relations.len() - 1))
    }

    /// Columns of another table that belong to the object, such as sums: of the row in which the second of these columns, which is
    /// unique, equals the first. It is read in the statement of the row.
    ///
    /// Every object must have such a row: lists that are filtered or sorted by its columns have no other objects.
    pub fn beside<S: Modelled>(&mut self, from: impl Into<Column>, to: impl Into<Column>) -> Beside<'_> {
        self.relations.push(Relation::beside(Table::of::<S>(), from.into(), to.into()));
        let relation = self.relations.len() - 1;
        Beside { object: self, relation }
    }

    /// A list of the objects of this name whose `column` holds the primary key of this one. One statement reads it for all
    /// objects.
    pub fn list(&mut self, name: &str, object: &str, column: impl Into<Column>) -> &mut Field {
        self.list_by_key(name, object, &[column.into()])
    }

    /// The same for a primary key of several columns.
    pub fn list_by_key(&mut self, name: &str, object: &str, columns: &[Column]) -> &mut Field {
        self.add(name, FieldKind::List(Box::new(NestedList::new(object, columns.to_vec()))))
    }

    /// A many-to-many list: for each object of the junction whose columns hold the primary key of this one, the object that its
    /// `field` refers to. The other columns of the junction are on the edges. Lists are sorted and filtered as those of the
    /// junction. For pages at the cost of their size, an index of the junction begins with `columns` and continues with the
    /// reference of `field`.
    pub fn through(&mut self, name: &str, junction: &str, columns: &[Column], field: &str) -> &mut Field {
        let through = Through { name: format!("{}{}", self.name, pascal(name)), field: field.to_owned() };
        let list = NestedList { through: Some(through), ..NestedList::new(junction, columns.to_vec()) };
        self.add(name, FieldKind::List(Box::new(list)))
    }

    /// Changes the field of this name when the declaration is checked: also one that follows from the entity or from foreign keys.
    ///
    /// ```
    /// # use sea_orm::tests_cfg::cake;
    /// let mut declaring = bookends_graphql::Declaring::new("Query");
    /// let cakes = declaring.entity::<cake::Entity>();
    /// cakes.change("name", |name| {
    ///     name.rename("title").describe("The name on the card.").unsorted();
    /// });
    /// # declaring.check().unwrap();
    /// ```
    pub fn change(&mut self, field: &str, change: impl Fn(&mut Field) + Send + Sync + 'static) -> &mut Self {
        self.changes.push(Change(field.to_owned(), Arc::new(change)));
        self
    }

    /// Offers only these orders of its lists, each by the names of sort items, in any direction. The primary key can follow each,
    /// and is an order of its own.
    pub fn orders(&mut self, orders: &[&[&str]]) -> &mut Self {
        let order = |items: &&[&str]| items.iter().map(|item| (*item).to_owned()).collect();
        self.orders = Some(orders.iter().map(order).collect());
        self
    }

    /// Describes the enum of what its lists are sorted by.
    pub fn describe_sorts(&mut self, description: impl Into<String>) -> &mut Self {
        self.sort_description = description.into();
        self
    }

    /// Describes the argument `orderBy` of its lists.
    pub fn describe_order(&mut self, description: impl Into<String>) -> &mut Self {
        self.order_description = description.into();
        self
    }

    /// Gives its lists the argument `asOf`: only objects whose key, a UUID of version 7, was generated by then.
    pub fn as_of(&mut self) -> &mut Self {
        self.has_as_of = true;
        self
    }

    /// Gives its lists the field `aggregates`: the least and the greatest values of its columns, their sums and their means. Each
    /// reads all rows of the list, and is priced so. Objects of entities have it.
    pub fn aggregates(&mut self) -> &mut Self {
        self.has_aggregates = true;
        self
    }

    /// Gives its lists an argument of your own.
    pub fn argument(&mut self, argument: impl ListArgument) -> &mut Self {
        self.arguments.push(Arc::new(argument));
        self
    }

    pub(crate) fn add(&mut self, name: &str, kind: FieldKind) -> &mut Field {
        self.fields.push_mut(Field::new(name, kind))
    }

    /// The field of this name.
    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The relation of a field with a related object.
    pub(crate) fn relation_of(&self, field: &Field) -> Option<&Relation> {
        if let FieldKind::One(relation) = field.kind { self.relations.get(relation) } else { None }
    }

    /// The column of the primary key.
    ///
    /// # Panics
    ///
    /// Panics if there is none.
    pub(crate) fn key(&self) -> &Column {
        self.table.key().next().unwrap_or_else(|| panic!("the table `{}` has no primary key", self.table.name()))
    }

    /// The tables that hold its columns: its own, and those beside it.
    pub(crate) fn own_tables(&self) -> impl Iterator<Item = &Table> {
        let beside = self.relations.iter().filter(|relation| relation.object.is_none());
        iter::once(&self.table).chain(beside.filter_map(|relation| relation.table.as_ref()))
    }

    /// The fields that lists are sorted by, with the names of their items.
    pub(crate) fn sort_fields(&self) -> impl Iterator<Item = (String, &Field)> {
        self.fields.iter().filter(|field| field.sorts).map(|field| (screaming(&field.name), field))
    }

    /// Whether its lists can be sorted.
    pub(crate) fn has_sorts(&self) -> bool {
        !self.related_sorts.is_empty() || self.fields.iter().any(|field| field.sorts)
    }

    /// The orders of its lists, by the names of sort items, beside that of the key: by default, each item alone.
    pub(crate) fn offered_orders(&self) -> Vec<Vec<String>> {
        let each = self.sort_fields().filter(|(_, field)| !is_key(self, field)).map(|(name, _)| name);
        let related = self.related_sorts.iter().map(|sort| sort.item.clone());
        self.orders.clone().unwrap_or_else(|| each.chain(related).map(|name| vec![name]).collect())
    }

    /// The columns of which there is an aggregate, with their fields.
    pub(crate) fn aggregated(&self, aggregate: Aggregate) -> impl Iterator<Item = (&Field, &Column)> {
        let fields = self.fields.iter().filter(|field| !field.is_hidden);
        let columns = fields.filter_map(|field| Some((field, field.own_column()?)));
        columns.filter(move |(_, column)| aggregate.kind(column.kind()).is_some())
    }

    /// The fields that lists are filtered by.
    pub(crate) fn filter_fields(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.filters)
    }

    /// The order of a list of all objects by these criteria, where no argument of its own offers another.
    ///
    /// # Errors
    ///
    /// [`ORDER_NOT_OFFERED`](code::ORDER_NOT_OFFERED) for an order that is not offered; `BAD_USER_INPUT` for an unknown item.
    pub fn order(&self, criteria: &[Criterion]) -> Result<Order> {
        Ok(crate::order::Sorted::of(self, criteria, None, &[])?.order)
    }

    pub(crate) fn unknown_item(&self, item: &str) -> Error {
        Error::client(code::BAD_USER_INPUT, format!("lists of `{}` have no sort item `{item}`", self.name))
    }
}

impl Beside<'_> {
    /// The value of a column of the other table; null where there is no row. The field has the name of the column in camel case.
    pub fn column(&mut self, column: impl Into<Column>) -> &mut Field {
        let column = column.into();
        let name = camel(column.name());
        self.object.add(&name, FieldKind::Beside { relation: self.relation, column, default: None })
    }

    /// The same, with a value in place of an absent row. The field is not null.
    pub fn column_or(&mut self, column: impl Into<Column>, default: impl Into<Value>) -> &mut Field {
        let column = column.into();
        let name = camel(column.name());
        let default = Some(default.into());
        self.object.add(&name, FieldKind::Beside { relation: self.relation, column, default })
    }

    /// A value that is computed from the row of the other table, if there is one. It reads all columns of that row.
    pub fn computed<S, L>(&mut self, name: &str, compute: fn(Option<&S::Model>) -> L) -> &mut Field
    where
        S: Modelled,
        L: LeafValue,
    {
        let models = Models::<S>::default();
        let computed = Computed::beside::<L>(move |row| Ok(compute(row.map(|row| models.model(row)).transpose()?)));
        self.object.add(name, FieldKind::ComputedBeside { relation: self.relation, computed })
    }
}

/// Whether rows can be ordered by values of this column.
pub(crate) fn is_sortable(column: &Column) -> bool {
    column.kind().is_sortable()
}

/// Whether rows can be filtered by values of this column.
pub(crate) fn is_filterable(column: &Column) -> bool {
    column.kind() != Kind::Unsupported
}
