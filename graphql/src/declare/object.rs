//! A GraphQL object over a table, as data: its fields, its relations and its lists.

use std::fmt;
use std::sync::Arc;

use keyset::{Column, Kept, Modelled, Table};

use super::argument::ListArgument;
use super::field::{Field, FieldKind};
use super::foreign_key::ForeignKey;
use super::indexed::Indexed;
use super::names::{camel, pascal};
use super::nested::{NestedList, Through};
use super::page_size::PageSize;
use super::relation::Relation;
use super::rule::{Rule, Ruled};
use crate::global_id::Tag;
use crate::object::RowObject;
use crate::order::RelatedSort;

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
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
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
    /// The sizes of their pages.
    pub(crate) pages: PageSize,
    /// What shows of it to whom.
    pub(crate) rules: Vec<Rule>,
    /// Its table under them, once the declaration is checked.
    pub(crate) ruled: Option<Ruled>,
    /// Those of the entity from which it follows.
    pub(crate) foreign_keys: Vec<ForeignKey>,
    /// Whether its relations follow from foreign keys.
    pub(crate) is_inferred: bool,
    /// The changes of fields, in turn.
    pub(crate) changes: Vec<Change>,
    /// The indexes that hold the orders of its lists, if only these are offered.
    pub(crate) indexed: Option<Indexed>,
    /// Whether no field that follows is a condition.
    pub(crate) is_unfiltered: bool,
    /// The names of the list of all objects, and of the object with an id, in the query.
    pub(crate) roots: [Option<String>; 2],
    /// Where the number of its objects is kept.
    pub(crate) kept: Option<Box<Kept>>,
    /// Whether names that are taken get a number.
    pub(crate) is_numbered: bool,
    /// Which of its names were taken.
    pub(crate) renamed: Vec<String>,
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
        Self::new(name, Table::of::<E>())
    }

    /// The same over any table.
    pub fn new(name: impl Into<String>, table: Table) -> Self {
        Self {
            name: name.into(),
            description: String::new(),
            table,
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
            pages: PageSize::default(),
            rules: Vec::new(),
            ruled: None,
            foreign_keys: Vec::new(),
            is_inferred: false,
            changes: Vec::new(),
            indexed: None,
            is_unfiltered: false,
            roots: [None, None],
            kept: None,
            is_numbered: false,
            renamed: Vec::new(),
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

    /// A relation to one: the object of this name, whose primary key these columns hold. It is read in the statement of the row.
    /// The field is null where a column is.
    pub fn to_one(&mut self, name: &str, object: &str, columns: &[Column]) -> &mut Field {
        self.relations.push(Relation::to_key(object, columns));
        self.add(name, FieldKind::One(self.relations.len() - 1))
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

    /// Names the fields of the query that follow from its table: the list of all objects, and the object with an id.
    pub fn root_names(&mut self, list: Option<&str>, object: Option<&str>) -> &mut Self {
        self.roots = [list, object].map(|name| name.map(str::to_owned));
        self
    }

    /// Offers no filter of its lists.
    pub fn unfiltered(&mut self) -> &mut Self {
        for field in &mut self.fields {
            field.unfiltered();
        }
        self.is_unfiltered = true;
        self
    }

    /// Takes the field `aggregates` from its lists.
    pub fn without_aggregates(&mut self) -> &mut Self {
        self.has_aggregates = false;
        self
    }

    /// Says that the database keeps the number of its objects: see [`Field::kept`]. The list of all objects that follows from its table
    /// reads it.
    pub fn counted_by(&mut self, count: Kept) -> &mut Self {
        self.kept = Some(Box::new(count));
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
        let field = self.fields.push_mut(Field::new(name, kind));
        field.filters &= !self.is_unfiltered;
        field
    }
}
