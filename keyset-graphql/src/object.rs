//! GraphQL objects that stand for rows, and the declaration of their fields.

use std::sync::Arc;

use async_graphql::registry::Registry;
use async_graphql::{ID, OutputType};
use keyset::{ColumnSet, EntityRow, Kept, Modelled, Models};
use sea_orm::{ColumnTrait, Condition, DbErr, EntityTrait};

use crate::cost::Cost;
use crate::global_id::{GlobalId, NodeType};
use crate::keyed::{KeyOf, Keyed};
use crate::list::{ListField, Listed, NestedList, Scan, list_of};
use crate::plan::relation::{One, Relation, Sums};
use crate::registry::{self, ObjectFields};
use crate::value::Object;

mod column;
pub(crate) mod computed;

pub use computed::ComputedValue;

/// A type of objects that stand for rows of a table. Its values do not matter: it declares the fields. Implement it for the
/// entity, or, if that is in another crate, for an empty enum.
///
/// ```
/// # use sea_orm::tests_cfg::cake;
/// use keyset_graphql::{Fields, RowObject};
///
/// enum Cake {}
///
/// impl RowObject for Cake {
///     type Entity = cake::Entity;
///     const NAME: &str = "Cake";
///
///     fn fields(fields: &mut Fields<Self>) {
///         fields.describe("A cake.");
///         fields.column("name", "The name.", cake::Column::Name);
///     }
/// }
/// ```
pub trait RowObject: Sized + Send + Sync + 'static {
    /// The table.
    type Entity: Modelled<Model: Sync>;

    /// The name of the type in the schema.
    const NAME: &'static str;

    /// Declares the fields.
    fn fields(fields: &mut Fields<Self>);
}

/// A row of an object's table.
pub type Model<T> = <<T as RowObject>::Entity as EntityTrait>::Model;

/// A column of an object's table.
pub type Column<T> = <<T as RowObject>::Entity as EntityTrait>::Column;

/// A field that is written from a row of this entity.
pub(crate) struct Leaf<E: Modelled> {
    /// What it reads of the row.
    pub columns: ColumnSet,
    pub write: Arc<WriteLeaf<E>>,
}

/// Writes the value of a field as JSON, from a row of this entity.
pub(crate) type WriteLeaf<E> = dyn Fn(&Models<E>, &EntityRow<E>, &mut Vec<u8>) -> Result<(), DbErr> + Send + Sync;

/// Writes the value of a field as JSON, from a row that may be absent.
pub(crate) type BesideLeaf<S> =
    Arc<dyn Fn(&Models<S>, Option<&EntityRow<S>>, &mut Vec<u8>) -> Result<(), DbErr> + Send + Sync>;

/// The condition that finds the object with a global id.
pub(crate) type Identity = Arc<dyn Fn(&ID) -> crate::Result<Condition> + Send + Sync>;

/// The fields of an object.
pub struct Fields<T: RowObject> {
    description: &'static str,
    pub(crate) identity: Option<Identity>,
    pub(crate) all: Vec<Field<T>>,
    pub(crate) relations: Vec<Box<dyn Relation<T>>>,
}

/// Registers a field with this name and description.
pub(crate) type Register = dyn Fn(&mut ObjectFields<'_>, &'static str, &'static str) + Send + Sync;

/// A declared field.
pub(crate) struct Field<T: RowObject> {
    pub name: &'static str,
    description: &'static str,
    pub cost: Option<Cost>,
    register: Box<Register>,
    pub kind: Kind<T>,
    /// Where the count of a list is kept.
    pub kept: Option<Kept>,
}

/// How a field is read.
pub(crate) enum Kind<T: RowObject> {
    /// From the row.
    Column(Leaf<T::Entity>),
    /// From a relation to one, by its number: what this number names in it.
    Related(usize, usize),
    /// By a list of its own.
    List(Arc<dyn NestedList<T>>),
}

impl<T: RowObject> Fields<T> {
    /// The declared fields of a type.
    pub(crate) fn of() -> Self {
        let mut fields = Self { description: "", identity: None, all: Vec::new(), relations: Vec::new() };
        T::fields(&mut fields);
        fields
    }

    /// Describes the object.
    pub fn describe(&mut self, description: &'static str) {
        self.description = description;
    }

    /// The value of a column. Its type in the schema is that of the column: `Boolean`, `Int`, [`BigInt`](crate::BigInt) for 64
    /// bits, `Float`, `String` or [`DateTime`](crate::DateTime), and nullable if the column is.
    ///
    /// # Panics
    ///
    /// Panics for a column of another type, such as a decimal: use [`Self::computed`].
    pub fn column(&mut self, name: &'static str, description: &'static str, column: Column<T>) {
        let (register, leaf) = column::field::<T::Entity>(column);
        self.add(name, description, None, register, Kind::Column(leaf));
    }

    /// A value that is computed from the row, whose model is made for it. It reads all columns of the row. It is a scalar, an
    /// enum, or a list of them: [`ComputedValue`].
    pub fn computed<L>(&mut self, name: &'static str, description: &'static str, compute: fn(&Model<T>) -> L)
    where
        L: ComputedValue,
    {
        let leaf: Arc<WriteLeaf<T::Entity>> =
            Arc::new(move |models, row, json| computed::write(&compute(models.model(row)?), json));
        self.leaf::<L>(name, description, ColumnSet::ALL, leaf);
    }

    /// A value that is computed from the primary key.
    pub fn of_key<L>(&mut self, name: &'static str, description: &'static str, compute: fn(T::Key) -> L)
    where
        T: Keyed,
        L: ComputedValue,
    {
        let key = KeyOf::<T>::new();
        let columns = key.columns();
        let leaf: Arc<WriteLeaf<T::Entity>> =
            Arc::new(move |_, row, json| computed::write(&compute(key.of(row)?), json));
        self.leaf::<L>(name, description, columns, leaf);
    }

    fn leaf<L: ComputedValue>(
        &mut self,
        name: &'static str,
        description: &'static str,
        columns: ColumnSet,
        write: Arc<WriteLeaf<T::Entity>>,
    ) {
        let register = computed::register::<L>;
        self.add(name, description, None, register, Kind::Column(Leaf { columns, write }));
    }

    /// The global id, `id`.
    pub fn id<N: NodeType>(&mut self, node_type: N, description: &'static str)
    where
        T: Keyed,
    {
        self.identity = Some(Arc::new(move |id| {
            let id = GlobalId::<N, T::Key>::parse_as(id, node_type)?;
            Ok(Condition::all().add(T::key_column().eq(id.key)))
        }));
        let key = KeyOf::<T>::new();
        let columns = key.columns();
        let leaf: Arc<WriteLeaf<T::Entity>> = Arc::new(move |_, row, json| {
            GlobalId { node_type, key: key.of(row)? }.write(json);
            Ok(())
        });
        self.leaf::<ID>("id", description, columns, leaf);
    }

    /// A relation to one: the object whose key this column of the row holds. It is read in the statement of the row.
    /// The field is null where the column is.
    pub fn to_one<U: Keyed>(&mut self, name: &'static str, description: &'static str, column: Column<T>) {
        let is_nullable = column.def().is_null();
        let register = move |fields: &mut ObjectFields<'_>, name: &'static str, description: &'static str| {
            let ty = Object::<U>::create_type_info(fields.registry);
            let ty = if is_nullable { ty.trim_end_matches('!').to_owned() } else { ty };
            fields.field_of(name, description, ty, async_graphql::indexmap::IndexMap::default());
        };
        let kind = Kind::Related(self.relations.len(), 0);
        self.relations.push(Box::new(One::<T, U>::new(column, is_nullable)));
        self.add(name, description, Some(Cost::Lookup), register, kind);
    }

    /// Columns of another table that belong to the object, such as sums: of the row of `S` whose unique column `to`
    /// equals the column `from` of this one. It is read in the statement of the row.
    pub fn beside<S>(&mut self, from: Column<T>, to: S::Column) -> Beside<'_, T, S>
    where
        S: Modelled<Model: Sync>,
    {
        self.relations.push(Box::new(Sums::<T, S>::new(from, to, Vec::new())));
        Beside { relation: self.relations.len() - 1, fields: self, from, to, leaves: Vec::new() }
    }

    /// A list of the objects whose `column` holds the key of this one. One statement reads it for all objects.
    pub fn list<U: Listed>(&mut self, name: &'static str, description: &'static str, column: Column<U>) -> ListField<'_>
    where
        T: Keyed,
    {
        let list = list_of::<T, U>(name, column);
        let described = Arc::clone(&list);
        let register =
            move |fields: &mut ObjectFields<'_>, name, description| described.register(fields, name, description);
        let cost = Cost::List(Scan::of::<U>(Some(column)));
        ListField(&mut self.add(name, description, Some(cost), register, Kind::List(list)).kept)
    }

    fn add(
        &mut self,
        name: &'static str,
        description: &'static str,
        cost: Option<Cost>,
        register: impl Fn(&mut ObjectFields<'_>, &'static str, &'static str) + Send + Sync + 'static,
        kind: Kind<T>,
    ) -> &mut Field<T> {
        self.all.push_mut(Field { name, description, cost, register: Box::new(register), kind, kept: None })
    }

    /// Registers the type.
    pub(crate) fn register(registry: &mut Registry) -> String {
        let declared = Self::of();
        registry::object::<Object<T>>(registry, declared.description, |fields| {
            for field in &declared.all {
                (field.register)(fields, field.name, field.description);
            }
        })
    }
}

/// Declares fields that another table holds: see [`Fields::beside`].
pub struct Beside<'a, T: RowObject, S: Modelled<Model: Sync>> {
    fields: &'a mut Fields<T>,
    relation: usize,
    from: Column<T>,
    to: S::Column,
    leaves: Vec<BesideLeaf<S>>,
}

impl<T: RowObject, S: Modelled<Model: Sync>> Beside<'_, T, S> {
    /// A value that is computed from the row of the other table, if there is one. It reads all columns of that row.
    pub fn computed<L>(
        &mut self,
        name: &'static str,
        description: &'static str,
        compute: fn(Option<&S::Model>) -> L,
    ) -> &mut Self
    where
        L: ComputedValue,
    {
        let leaf: BesideLeaf<S> = Arc::new(move |models, row, json| {
            computed::write(&compute(row.map(|row| models.model(row)).transpose()?), json)
        });
        let register = computed::register::<L>;
        let kind = Kind::Related(self.relation, self.leaves.len());
        self.leaves.push(leaf);
        // The relation has the fields so far.
        self.fields.relations[self.relation] = Box::new(Sums::<T, S>::new(self.from, self.to, self.leaves.clone()));
        self.fields.add(name, description, Some(Cost::Lookup), register, kind);
        self
    }
}

/// The prices of an object's fields.
pub fn costs<T: RowObject>() -> Vec<(&'static str, Cost)> {
    let cost = |field: Field<T>| match field.cost? {
        Cost::List(scan) => Some((field.name, Cost::List(scan.kept(field.kept.as_ref())))),
        cost => Some((field.name, cost)),
    };
    Fields::<T>::of().all.into_iter().filter_map(cost).collect()
}
