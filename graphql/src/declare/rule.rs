//! Row rules: which rows of an object its viewer may see.
//!
//! A rule turns the viewer of a request into a condition. The table of the object is then read as if it had only the rows that
//! fulfil it (see [`Table::only`]): by every list, every relation, every condition on related objects, every count. (The idea of
//! conditions for each viewer is that of the row-level security of PostgreSQL, and of Oso and Zero.)

use std::any::{Any, TypeId};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use keyset::{Column, Placeholder, Table};
use sea_orm::sea_query::{Expr, ExprTrait as _};
use sea_orm::{Condition, Value};

use super::declaration::Declaration;
use super::object::ObjectType;
use crate::RequestData;
use crate::filter::never;
use crate::plan::Run;
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

/// The value that a column must have.
type ValueOf = dyn Fn(&dyn RequestData) -> Option<Value> + Send + Sync;

/// A rule of an object.
#[derive(Clone)]
pub(crate) enum Rule {
    /// A column equals a value. Without a value, nothing shows.
    By(Column, Arc<ValueOf>),
    /// To everybody the same.
    Only(Visible),
    /// Anything else.
    Of(Arc<VisibleTo>),
}

impl Rule {
    fn visible(&self, data: &dyn RequestData) -> Visible {
        match self {
            Self::By(column, value) => value(data).map_or(Visible::None, |value| column.expr().eq(value).into()),
            Self::Only(visible) => visible.clone(),
            Self::Of(visible) => visible(data),
        }
    }

    /// The column that it compares with a value, and this value.
    fn by(&self) -> Option<(&Column, &Arc<ValueOf>)> {
        if let Self::By(column, value) = self { Some((column, value)) } else { None }
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rule").field("by", &self.by().map(|(column, _)| column)).finish_non_exhaustive()
    }
}

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
        self.add_rule(Rule::Of(Arc::new(move |data| rule(viewer_of(data)))))
    }

    /// Shows a viewer the objects whose column has this value, such as those of a tenant; a viewer without a value, and a request
    /// without a viewer, none. An object that a declared mutation creates gets the value, unless the input sets another. For pages at the cost of their size, the indexes of the lists begin with the column: the server says
    /// at start-up which are missing.
    pub fn rule_by<V: Any, T: Into<Value>>(
        &mut self,
        column: impl Into<Column>,
        value: impl Fn(&V) -> Option<T> + Send + Sync + 'static,
    ) -> &mut Self {
        let value = move |data: &dyn RequestData| viewer_of(data).and_then(&value).map(Into::into);
        self.add_rule(Rule::By(column.into(), Arc::new(value)))
    }

    /// Shows everybody only the objects that fulfil a condition, such as those that are not marked as deleted.
    pub fn only(&mut self, condition: impl Into<Visible>) -> &mut Self {
        self.add_rule(Rule::Only(condition.into()))
    }

    fn add_rule(&mut self, rule: Rule) -> &mut Self {
        self.rules.push(rule);
        self
    }

    /// Whether what shows of it depends on the viewer.
    pub fn has_rule(&self) -> bool {
        !self.rules.is_empty()
    }

    /// The columns that its rules compare with one value each.
    pub(crate) fn ruled_by(&self) -> impl Iterator<Item = &Column> {
        self.rules.iter().filter_map(Rule::by).map(|(column, _)| column)
    }

    /// The columns that its rules read; `None` if that is not known.
    pub(crate) fn rule_columns(&self) -> Option<Vec<&Column>> {
        self.rules.iter().map(|rule| rule.by().map(|(column, _)| column)).collect()
    }

    /// The values that rules demand of an object that a request creates.
    pub(crate) fn demanded(&self, data: &dyn RequestData) -> impl Iterator<Item = (&Column, Value)> {
        self.rules.iter().filter_map(Rule::by).filter_map(|(column, value)| Some((column, value(data)?)))
    }

    /// The rows that a request shows.
    pub(crate) fn visible(&self, data: &dyn RequestData) -> Visible {
        self.rules.iter().fold(Visible::All, |all, rule| all.and(rule.visible(data)))
    }

    /// The table, of which only the rows exist that a request shows.
    pub(crate) fn table_for(&self, data: &dyn RequestData) -> Table {
        match self.visible(data).condition() {
            None => self.table.clone(),
            Some(condition) => self.table.only(condition),
        }
    }

    /// The same, with [placeholders](Placeholder) for the values that the viewer decides where possible: to be read by the [`Run`] of
    /// the request, which binds them. So the statements of all viewers are equal.
    pub(crate) fn table_in(&self, run: &Run<'_>) -> Table {
        let has_value = |number: usize| run.declaration.ruled_value(number, run.data).is_some();
        match &self.ruled {
            Some(Ruled { table, values }) if values.clone().all(has_value) => table.clone(),
            _ => self.table_for(run.data),
        }
    }

    /// Puts placeholders, from this number on, in place of the values of its rules; `None` if a rule is not known.
    fn ruled_from(&self, first: usize) -> Option<Ruled> {
        let mut values = first..first;
        let mut all = Visible::All;
        for rule in &self.rules {
            all = all.and(match rule {
                Rule::By(column, _) => {
                    values.end += 1;
                    column.expr().eq(Placeholder(values.end - 1).value()).into()
                }
                Rule::Only(visible) => visible.clone(),
                Rule::Of(_) => return None,
            });
        }
        all.condition().map(|condition| Ruled { table: self.table.only(condition), values })
    }
}

/// The table of an object with the placeholders of these numbers in its rules.
#[derive(Clone, Debug)]
pub(crate) struct Ruled {
    table: Table,
    values: Range<usize>,
}

impl Declaration {
    /// Finds what depends on the viewer.
    pub(super) fn find_viewers(&mut self) {
        self.has_rules = self.objects.iter().any(ObjectType::has_rule);
        for object in &mut self.objects {
            object.ruled = object.ruled_from(self.ruled_values.0.len());
            if object.ruled.is_some() {
                self.ruled_values
                    .0
                    .extend(object.rules.iter().filter_map(Rule::by).map(|(_, value)| Arc::clone(value)));
            }
        }
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

    /// The value of a request for the [placeholder](Placeholder) of this number.
    pub(crate) fn ruled_value(&self, number: usize, data: &dyn RequestData) -> Option<Value> {
        self.ruled_values.0.get(number).and_then(|value| value(data))
    }
}

/// The values of rules, by the numbers of their placeholders.
#[derive(Clone, Default)]
pub(crate) struct RuledValues(Vec<Arc<ValueOf>>);

impl fmt::Debug for RuledValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RuledValues").field(&self.0.len()).finish()
    }
}
