//! Fields that an application resolves: one call has the values of all rows that are read together.

use std::sync::Arc;

use async_graphql::InputType;
use async_graphql::registry::Registry;
use keyset::{Column, ColumnSet, Modelled, Models, TableRow};
use sea_orm::{DbErr, Value};

use super::field::{Field, FieldKind, RegisterType};
use super::object::ObjectType;
use super::relation::Related;
use crate::plan::object::Boxed;
use crate::scalar::{self, LeafValue};
use crate::{ByKey, Cost, Resolving, Result, RowObject};

/// What a resolver returns: a value or an error for each row, in the order of the rows. The error of the whole is that of each row.
pub type ResolvedValues<'a, V> = Boxed<'a, Result<Vec<Result<V>>>>;

/// A field that an application resolves.
#[derive(Clone)]
pub(crate) struct Resolver {
    /// What it reads of each row.
    pub columns: ColumnSet,
    /// Rows that are equal in these columns are resolved once.
    pub key: Vec<Column>,
    pub returned: Returned,
    pub cost: Cost,
    /// The names, the descriptions and the types of its arguments.
    pub arguments: Vec<(String, String, RegisterType)>,
    pub resolve: Arc<Resolve>,
}

/// Resolves these rows.
type Resolve = dyn for<'a> Fn(Vec<&'a TableRow>, &'a Resolving<'a>) -> ResolvedValues<'a, Resolved> + Send + Sync;

/// What the values of a resolver are.
#[derive(Clone)]
pub(crate) enum Returned {
    Leaf { register: RegisterType, is_nullable: bool },
    Object(Related),
}

impl Returned {
    fn leaf<L: LeafValue>() -> Self {
        Self::Leaf { register: scalar::register_leaf::<L>, is_nullable: scalar::is_nullable::<L>() }
    }

    pub fn is_nullable(&self) -> bool {
        matches!(self, Self::Leaf { is_nullable: true, .. } | Self::Object(_))
    }
}

/// A value, as it is written.
pub(crate) enum Resolved {
    Json(Vec<u8>),
    /// The object with this key, if there is one.
    Key(Option<Vec<Value>>),
}

impl Resolver {
    fn new(
        columns: ColumnSet,
        key: Vec<Column>,
        returned: Returned,
        resolve: impl for<'a> Fn(Vec<&'a TableRow>, &'a Resolving<'a>) -> ResolvedValues<'a, Resolved>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self { columns, key, returned, cost: Cost::Statement, arguments: Vec::new(), resolve: Arc::new(resolve) }
    }

    /// Registers the type of its values, and returns its name.
    pub fn register(&self, registry: &mut Registry) -> String {
        match &self.returned {
            Returned::Leaf { register, .. } => register(registry),
            Returned::Object(object) => object.name.clone(),
        }
    }
}

/// The values as they are written. The inputs can lack for an error of the database.
fn written<'a, V: 'a>(
    values: std::result::Result<ResolvedValues<'a, V>, DbErr>,
    request: &'a Resolving<'a>,
    write: fn(V) -> std::result::Result<Resolved, DbErr>,
) -> ResolvedValues<'a, Resolved> {
    Box::pin(async move {
        let failed = |error| request.reader().error(error);
        let values = values.map_err(failed)?.await?;
        Ok(values.into_iter().map(|value| write(value?).map_err(failed)).collect())
    })
}

fn leaf<L: LeafValue>(value: L) -> std::result::Result<Resolved, DbErr> {
    let mut json = Vec::new();
    scalar::write_leaf(&value, &mut json)?;
    Ok(Resolved::Json(json))
}

impl ObjectType {
    /// A field that code of yours resolves, such as a request to another service. One call has all rows that are read together:
    /// those of a page, and in a nested list those of the pages of all parents. A row that stands at several places is given once.
    /// The values are scalars, enums, or lists of them. The error of a row is null beside it, if the field can be null.
    ///
    /// It reads all columns of a row. It costs a statement, unless [`Field::cost`] says otherwise. It is not called unless the
    /// field is selected, and is dropped with the request.
    ///
    /// ```
    /// # use std::collections::HashMap;
    /// # use sea_orm::tests_cfg::cake;
    /// use bookends_graphql::ObjectType;
    ///
    /// /// The calories of cakes, which the data of the request have.
    /// struct Calories(HashMap<String, i32>);
    ///
    /// let mut cakes = ObjectType::of::<cake::Entity>("Cake");
    /// cakes.resolved::<cake::Entity, Option<i32>>("calories", |cakes, request| {
    ///     Box::pin(async move {
    ///         let Calories(known) = request.data()?;
    ///         Ok(cakes.iter().map(|cake| Ok(known.get(&cake.name).copied())).collect())
    ///     })
    /// });
    /// ```
    pub fn resolved<E: Modelled, L: LeafValue>(
        &mut self,
        name: &str,
        resolve: impl for<'a> Fn(Vec<&'a E::Model>, &'a Resolving<'a>) -> ResolvedValues<'a, L> + Send + Sync + 'static,
    ) -> &mut Field {
        self.resolved_models::<E, L>(name, Returned::leaf::<L>(), resolve, leaf)
    }

    /// The same from the values of these columns. Rows with the same values are resolved once.
    pub fn resolved_of<L: LeafValue>(
        &mut self,
        name: &str,
        columns: &[Column],
        resolve: impl for<'a> Fn(Vec<Vec<Value>>, &'a Resolving<'a>) -> ResolvedValues<'a, L> + Send + Sync + 'static,
    ) -> &mut Field {
        let read = columns.iter().map(|column| ColumnSet::of_value(column.number(), column.kind())).collect();
        let (key, columns) = (columns.to_vec(), columns.to_vec());
        let resolver = Resolver::new(read, key, Returned::leaf::<L>(), move |rows, request| {
            let values = |row: &TableRow| columns.iter().map(|it| row.value(it.number(), it.kind())).collect();
            let values: std::result::Result<_, DbErr> = rows.into_iter().map(values).collect();
            written(values.map(|values| resolve(values, request)), request, leaf)
        });
        self.add(name, FieldKind::Resolved(resolver))
    }

    /// The same as [`Self::resolved`] for declared objects, by their keys. One statement reads them. The field is null where there
    /// is none.
    pub fn resolved_object<E: Modelled, T: RowObject>(
        &mut self,
        name: &str,
        resolve: impl for<'a> Fn(Vec<&'a E::Model>, &'a Resolving<'a>) -> ResolvedValues<'a, Option<ByKey<T>>>
        + Send
        + Sync
        + 'static,
    ) -> &mut Field {
        let returned = Returned::Object(Related { name: T::NAME.to_owned(), index: 0 });
        self.resolved_models::<E, _>(name, returned, resolve, |key| Ok(Resolved::Key(key.map(ByKey::into_values))))
    }

    fn resolved_models<E: Modelled, V: 'static>(
        &mut self,
        name: &str,
        returned: Returned,
        resolve: impl for<'a> Fn(Vec<&'a E::Model>, &'a Resolving<'a>) -> ResolvedValues<'a, V> + Send + Sync + 'static,
        write: fn(V) -> std::result::Result<Resolved, DbErr>,
    ) -> &mut Field {
        let models = Models::<E>::default();
        let key = self.table.key().cloned().collect();
        let resolver = Resolver::new(ColumnSet::ALL, key, returned, move |rows, request| {
            let found: std::result::Result<_, DbErr> = rows.into_iter().map(|row| models.model(row)).collect();
            written(found.map(|found| resolve(found, request)), request, write)
        });
        self.add(name, FieldKind::Resolved(resolver))
    }
}

impl Field {
    fn resolver(&mut self) -> &mut Resolver {
        let FieldKind::Resolved(resolver) = &mut self.kind else { panic!("`{}` has no resolver", self.name) };
        resolver
    }

    /// Gives the resolver of the field an argument: see [`Resolving::argument`].
    ///
    /// # Panics
    ///
    /// Panics if no resolver has the values of the field.
    pub fn argument<T: InputType>(&mut self, name: &str, description: &str) -> &mut Self {
        self.resolver().arguments.push((name.to_owned(), description.to_owned(), T::create_type_info));
        self
    }

    /// Says what the call of the resolver costs: by default, a statement.
    ///
    /// # Panics
    ///
    /// Panics if no resolver has the values of the field.
    pub fn cost(&mut self, cost: Cost) -> &mut Self {
        self.resolver().cost = cost;
        self
    }
}
