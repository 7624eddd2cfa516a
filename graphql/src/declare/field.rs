//! The fields of an object, as data.

use std::fmt;

use async_graphql::registry::Registry;
use keyset::{Column, Kept, Kind};
use sea_orm::Value;

use super::computed::Computed;
use super::guard::Guard;
use super::nested::NestedList;
use super::resolver::Resolver;

/// A field of an object.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct Field {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) kind: FieldKind,
    /// Whether the schema does not have it.
    pub(crate) is_hidden: bool,
    /// Whether lists can be sorted by it.
    pub(crate) sorts: bool,
    /// Whether the database compares its texts by code point.
    pub(crate) is_by_code_point: bool,
    /// Whether lists can be filtered by it.
    pub(crate) filters: bool,
    /// The fields of its object by which lists can be sorted.
    pub(crate) related_sorts: Vec<String>,
    /// Who may read it, unless everybody may.
    pub(crate) guard: Option<Guard>,
    /// Whether a related object that a rule hides is an error.
    pub(crate) is_required: bool,
}

/// How a field is read.
#[derive(Clone)]
pub(crate) enum FieldKind {
    /// The global id.
    Id,
    /// A column of the row.
    Column(Column),
    /// The time in this column, a key that is a UUID of version 7.
    CreatedAt(Column),
    /// From the row.
    Computed(Computed),
    /// By code of the application.
    Resolved(Resolver),
    /// A column of the row of a relation.
    Beside { relation: usize, column: Column, default: Option<Value> },
    /// From the row of a relation, if there is one.
    ComputedBeside { relation: usize, computed: Computed },
    /// The object of a relation.
    One(usize),
    /// A list of the objects that refer to this one.
    List(Box<NestedList>),
}

/// Registers a type, and returns its name in the schema.
pub(crate) type RegisterType = fn(&mut Registry) -> String;

impl FieldKind {
    /// Whether a value can be null.
    pub fn is_nullable(&self) -> bool {
        match self {
            Self::Column(column) => column.is_nullable(),
            Self::Beside { default, .. } => default.is_none(),
            Self::Computed(computed) | Self::ComputedBeside { computed, .. } => computed.is_nullable,
            // The others write their own null.
            Self::Id | Self::CreatedAt(_) | Self::One(_) | Self::List(_) | Self::Resolved(_) => false,
        }
    }
}

impl Field {
    pub(crate) fn new(name: &str, kind: FieldKind) -> Self {
        let (sorts, filters) = match &kind {
            FieldKind::Id | FieldKind::One(_) => (false, true),
            FieldKind::Column(column) | FieldKind::Beside { column, .. } => {
                (column.kind().is_sortable(), column.kind() != Kind::Unsupported)
            }
            FieldKind::CreatedAt(_) => (true, true),
            FieldKind::Computed(_) | FieldKind::ComputedBeside { .. } | FieldKind::Resolved(_) | FieldKind::List(_) => {
                (false, false)
            }
        };
        Self {
            name: name.to_owned(),
            description: String::new(),
            kind,
            is_hidden: false,
            sorts,
            is_by_code_point: false,
            filters,
            related_sorts: Vec::new(),
            guard: None,
            is_required: false,
        }
    }

    /// Whether a value can be null.
    pub(crate) fn is_nullable(&self) -> bool {
        self.guard.is_some() || self.kind.is_nullable()
    }

    /// The column of the object's row that it is.
    pub(crate) fn own_column(&self) -> Option<&Column> {
        if let FieldKind::Column(column) = &self.kind { Some(column) } else { None }
    }

    /// Describes it: also where lists are sorted and filtered by it.
    pub fn describe(&mut self, description: impl Into<String>) -> &mut Self {
        self.description = description.into();
        self
    }

    /// Leaves it out of the schema, with its sort and its conditions.
    pub fn hide(&mut self) -> &mut Self {
        (self.is_hidden, self.sorts, self.filters) = (true, false, false);
        self
    }

    /// The list that it is.
    pub(crate) fn list_mut(&mut self) -> Option<&mut NestedList> {
        if let FieldKind::List(list) = &mut self.kind { Some(list) } else { None }
    }

    /// Gives it another name.
    pub fn rename(&mut self, name: impl Into<String>) -> &mut Self {
        self.name = name.into();
        self
    }

    /// Promises that the database compares its texts by code point: see [`Sort::by_code_point`](keyset::Sort::by_code_point).
    pub fn by_code_point(&mut self) -> &mut Self {
        self.is_by_code_point = true;
        self
    }

    /// Offers no sort by it, nor by fields of the object that it refers to.
    pub fn unsorted(&mut self) -> &mut Self {
        self.sorts = false;
        self.related_sorts.clear();
        self
    }

    /// Offers sorts by these fields of the object that it refers to. No index holds such an order: each page reads all rows of its
    /// list, and is priced so.
    ///
    /// # Panics
    ///
    /// Panics if the field has no related object.
    pub fn sorts_by(&mut self, fields: &[&str]) -> &mut Self {
        assert!(matches!(self.kind, FieldKind::One(_)), "`{}` is no related object", self.name);
        self.related_sorts = fields.iter().map(|field| (*field).to_owned()).collect();
        self
    }

    /// Offers conditions on it. Columns and related objects have them anyway. On a list, they are `some`, `every`, `none` and
    /// `count`.
    pub fn filtered(&mut self) -> &mut Self {
        self.filters = true;
        self
    }

    /// Offers no condition on it.
    pub fn unfiltered(&mut self) -> &mut Self {
        self.filters = false;
        self
    }

    /// Keeps the related object from being null where its [rule](crate::ObjectType::rule) hides it: the field is an error then, and
    /// the object around it is null. Without it, a rule makes the field nullable.
    ///
    /// # Panics
    ///
    /// Panics if the field has no related object.
    pub fn required(&mut self) -> &mut Self {
        assert!(matches!(self.kind, FieldKind::One(_)), "`{}` is no related object", self.name);
        self.is_required = true;
        self
    }

    /// Says that the database keeps the number of objects of the list. `totalCount` and `approximateCount` then read it,
    /// unless an argument other than those of the page and `orderBy` has a value, and cost nothing. It must be exact in every
    /// transaction: keep it in the transaction of each write, for example by triggers.
    ///
    /// # Panics
    ///
    /// Panics if the field is no list.
    pub fn kept(&mut self, count: Kept) -> &mut Self {
        let FieldKind::List(list) = &mut self.kind else { panic!("`{}` is no list", self.name) };
        list.kept = Some(Box::new(count));
        self
    }
}

impl fmt::Debug for FieldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Id => "Id",
            Self::Column(_) => "Column",
            Self::CreatedAt(_) => "CreatedAt",
            Self::Computed(_) => "Computed",
            Self::Resolved(_) => "Resolved",
            Self::Beside { .. } => "Beside",
            Self::ComputedBeside { .. } => "ComputedBeside",
            Self::One(_) => "One",
            Self::List(_) => "List",
        };
        f.write_str(kind)
    }
}
