//! Row rules: which rows of an object its viewer may see.
//!
//! A rule turns the viewer of a request into a condition. The table of the object is then read as if it had only the rows that
//! fulfil it (see [`Table::only`]): by every list, every relation, every condition on related objects, every count. (The idea of
//! conditions for each viewer is that of the row-level security of PostgreSQL, and of Oso and Zero.)

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

use keyset::{Column, Table};
use sea_orm::sea_query::{Expr, ExprTrait as _};
use sea_orm::{Condition, Value};

use super::declaration::Declaration;
use super::object::ObjectType;
use super::relation::Relation;
use crate::RequestData;
use crate::filter::never;
use crate::visible::Assumed;

/// The rows of an object that a viewer may see.
#[derive(Clone, Debug, PartialEq)]
pub enum Visible {
    /// All of them.
    All,
    /// None of them.
    None,
    /// Those that fulfil a condition. Its columns are those of the table, under its own name: `city::Column::TenantId.eq(7)`. It
    /// can have sub-queries, which read all rows of their tables.
    Only(Condition),
}

impl Visible {
    /// Those that are among both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, other) | (other, Self::All) => other,
            (Self::None, _) | (_, Self::None) => Self::None,
            (Self::Only(one), Self::Only(other)) => Self::Only(Condition::all().add(one).add(other)),
        }
    }

    /// Those that are among either.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, other) | (other, Self::None) => other,
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::Only(one), Self::Only(other)) => Self::Only(Condition::any().add(one).add(other)),
        }
    }

    /// As a condition; `None` of all rows.
    pub(crate) fn condition(self) -> Option<Condition> {
        match self {
            Self::All => None,
            Self::None => Some(Condition::all().add(never())),
            Self::Only(condition) => Some(condition),
        }
    }
}

impl From<Condition> for Visible {
    fn from(condition: Condition) -> Self {
        Self::Only(condition)
    }
}

impl From<Expr> for Visible {
    fn from(condition: Expr) -> Self {
        Self::Only(Condition::all().add(condition))
    }
}

/// What shows to a request with these data.
type VisibleTo = dyn Fn(&dyn RequestData) -> Visible + Send + Sync;

/// A rule of an object.
#[derive(Clone)]
pub(crate) struct Rule {
    /// The only column that it compares, if that must equal a value, and this value.
    by: Option<(Column, Arc<ValueOf>)>,
    visible: Arc<VisibleTo>,
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rule").field("by", &self.by.as_ref().map(|(column, _)| column)).finish_non_exhaustive()
    }
}

/// The value that a column must have.
type ValueOf = dyn Fn(&dyn RequestData) -> Option<Value> + Send + Sync;

/// The viewer of this type, if the request has one.
pub(crate) fn viewer_of<V: Any>(data: &dyn RequestData) -> Option<&V> {
    data.get(TypeId::of::<V>()).and_then(|viewer| (viewer as &dyn Any).downcast_ref())
}

impl ObjectType {
    /// Shows a viewer only some of the objects, wherever they are. `V` is the type of the viewer, which a request has in its data;
    /// `None` is a request without one. To show all objects to somebody, return [`Visible::All`]. An object with several rules
    /// shows what all of them show.
    ///
    /// ```
    /// # use sea_orm::{ColumnTrait, tests_cfg::cake};
    /// # use bookends_graphql::{Declaring, Visible};
    /// struct Viewer { likes: String, is_baker: bool }
    ///
    /// let mut tables = Declaring::new("Query");
    /// tables.entity::<cake::Entity>().rule(|viewer: Option<&Viewer>| match viewer {
    ///     None => Visible::None,
    ///     Some(viewer) if viewer.is_baker => Visible::All,
    ///     Some(viewer) => cake::Column::Name.eq(&viewer.likes).into(),
    /// });
    /// ```
    ///
    /// Databases read the rows of a list in its order until the page is full, and skip those that the condition hides. For pages at
    /// the cost of their size, see [`Self::rule_by`].
    pub fn rule<V: Any>(&mut self, rule: impl Fn(Option<&V>) -> Visible + Send + Sync + 'static) -> &mut Self {
        self.add_rule(None, move |data| rule(viewer_of(data)))
    }

    /// Shows a viewer the objects whose column has this value, such as those of a tenant; a viewer without a value, and a request
    /// without a viewer, none. An object that a declared mutation creates gets the value, unless the input sets another. For pages at the cost of their size, the indexes of the lists begin with the column: the server says
    /// at start-up which are missing.
    pub fn rule_by<V: Any, T: Into<Value>>(
        &mut self,
        column: impl Into<Column>,
        value: impl Fn(&V) -> Option<T> + Send + Sync + 'static,
    ) -> &mut Self {
        let column = column.into();
        let value = Arc::new(move |data: &dyn RequestData| viewer_of(data).and_then(&value).map(Into::into));
        let by = (column.clone(), Arc::clone(&value) as Arc<ValueOf>);
        self.add_rule(Some(by), move |data| match value(data) {
            Some(value) => column.expr().eq(value).into(),
            None => Visible::None,
        })
    }

    /// Shows everybody only the objects that fulfil a condition, such as those that are not marked as deleted.
    pub fn only(&mut self, condition: impl Into<Visible>) -> &mut Self {
        let visible = condition.into();
        self.add_rule(None, move |_| visible.clone())
    }

    fn add_rule(
        &mut self,
        by: Option<(Column, Arc<ValueOf>)>,
        visible: impl Fn(&dyn RequestData) -> Visible + Send + Sync + 'static,
    ) -> &mut Self {
        self.rules.push(Rule { by, visible: Arc::new(visible) });
        self
    }

    /// Whether what shows of it depends on the viewer.
    pub fn has_rule(&self) -> bool {
        !self.rules.is_empty()
    }

    /// The columns that its rules compare with one value each.
    pub(crate) fn ruled_by(&self) -> impl Iterator<Item = &Column> {
        self.rules.iter().filter_map(|rule| rule.by.as_ref()).map(|(column, _)| column)
    }

    /// The columns that its rules read; `None` if that is not known.
    pub(crate) fn rule_columns(&self) -> Option<Vec<&Column>> {
        self.rules.iter().map(|rule| rule.by.as_ref().map(|(column, _)| column)).collect()
    }

    /// The values that rules demand of an object that a request creates.
    pub(crate) fn demanded(&self, data: &dyn RequestData) -> impl Iterator<Item = (&Column, Value)> {
        let by = self.rules.iter().filter_map(|rule| rule.by.as_ref());
        by.filter_map(|(column, value)| Some((column, value(data)?)))
    }

    /// The rows that a request shows.
    pub(crate) fn visible(&self, data: &dyn RequestData) -> Visible {
        self.rules.iter().fold(Visible::All, |all, rule| all.and((rule.visible)(data)))
    }

    /// The table, of which only the rows exist that a request shows.
    pub(crate) fn table_for(&self, data: &dyn RequestData) -> Table {
        match self.visible(data).condition() {
            None => self.table.clone(),
            Some(condition) => self.table.only(condition),
        }
    }
}

impl Declaration {
    /// Finds what depends on the viewer.
    pub(super) fn find_viewers(&mut self) {
        self.has_rules = self.objects.iter().any(ObjectType::has_rule);
        let has_guards = self.guards().next().is_some();
        self.has_guards = has_guards;
        self.prices = Assumed::of(self.ruled_tables());
    }

    /// Whether an object has a rule.
    pub fn has_rules(&self) -> bool {
        self.has_rules
    }

    /// The object of this name, if it has a rule.
    pub(crate) fn ruled(&self, name: &str) -> Option<&ObjectType> {
        if self.has_rules { self.object_named(name).filter(|object| object.has_rule()) } else { None }
    }

    /// The table of a relation, of which only the rows exist that a request shows.
    pub(crate) fn related_table(&self, relation: &Relation, data: &dyn RequestData) -> Option<Table> {
        match &relation.object {
            Some(related) => Some(self.object(related.index).table_for(data)),
            None => relation.table.clone(),
        }
    }
}
