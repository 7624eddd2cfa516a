//! Plans: what is selected, in the form in which it is read and written.
//!
//! ```text
//! document → collect → plan                     once per document
//! arguments → page → bracket → rows → JSON      for each request
//! ```
//!
//! A query is planned from the declaration and its document (`query`). Fields of mutations and subscriptions, and those that an
//! application resolves, are planned when async-graphql resolves them (`resolved`). A plan does not depend on variables. They are
//! bound when it is executed: the arguments of lists, and the conditions of `@skip` and `@include`. (The idea of a plan instead of resolvers is that of Tailcall and Exograph, and of Benjie
//! Gillam's Grafast.)

use async_graphql::Variables;
use keyset::{Join, Many, ManyBy, Placeholder, Placement, ReadRows, Record};
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{DbBackend, DbErr, Statement};

pub mod ahead;
pub mod alone;
pub mod call;
pub mod collect;
pub mod connection;
pub mod document;
pub mod fields;
pub mod list;
pub mod object;
pub mod pause;
pub mod plain;
pub mod plans;
pub mod query;
pub mod relation;
pub mod resolved;
pub mod root;
pub mod row_payload;
pub mod variables;
pub mod writer;

#[cfg(test)]
mod tests;

use collect::Fragments;

use crate::declare::declaration::Declaration;
use crate::declare::relation::Relation;
use crate::{Reader, RequestData};

/// What planning needs to know.
pub struct Planner<'a> {
    pub fragments: &'a Fragments,
    pub declaration: &'a Declaration,
    /// The joins in the statement, by what they join: several selections share one.
    joins: Vec<(String, Join)>,
}

impl<'a> Planner<'a> {
    /// The planner of a field of a document with these fragments.
    pub fn new(fragments: &'a Fragments, declaration: &'a Declaration) -> Self {
        Self { fragments, declaration, joins: Vec::new() }
    }

    /// The join of a relation in the statement: to its rows, or to those of another join.
    pub fn join(&mut self, rows: Option<&Join>, relation: &Relation) -> Join {
        let object = relation.object.as_ref().map(|related| related.index);
        let what = format!("{:?} {:?} {object:?}", rows.map(Join::name), relation.on());
        if let Some((_, known)) = self.joins.iter().find(|(known, _)| *known == what) {
            return known.clone();
        }
        let name = format!("t{}", self.joins.len() + 1);
        let table = relation.table.as_ref().unwrap_or_else(|| unreachable!("a checked relation has its table"));
        let join = Join::to(table, &name, rows, &relation.on());
        self.joins.push((what, join.clone()));
        join
    }

    /// The planner of another statement.
    pub fn of_statement(&self) -> Planner<'_> {
        Planner { joins: Vec::new(), ..*self }
    }
}

/// What reading needs to know.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    pub reader: &'a Reader,
    pub declaration: &'a Declaration,
    pub variables: &'a Variables,
    /// What resolvers of the application use.
    pub data: &'a dyn RequestData,
    /// Whether it shows the row of an event, which was read before: what the row refers to may have been deleted since.
    pub is_event: bool,
}

impl Run<'_> {
    /// Gives a statement the values by which rules compare columns.
    fn bind(&self, mut statement: Statement) -> Result<Statement, DbErr> {
        if self.declaration.has_rules() {
            Placeholder::bind(&mut statement, |number| self.declaration.ruled_value(number, self.data))?;
        }
        Ok(statement)
    }

    /// The same without a snapshot, if one statement reads all of a query.
    pub fn of_whole_query(self, is_one_statement: impl FnOnce() -> bool) -> Self {
        let reader = self.reader.without_snapshot().filter(|_| is_one_statement());
        Self { reader: reader.unwrap_or(self.reader), ..self }
    }
}

/// The rows that its request shows.
#[async_trait]
impl ReadRows for Run<'_> {
    fn backend(&self) -> DbBackend {
        self.reader.backend()
    }

    fn placement(&self) -> Placement {
        self.reader.placement()
    }

    async fn read(&self, statement: Statement) -> Result<Vec<Record>, DbErr> {
        self.reader.read(self.bind(statement)?).await
    }

    fn reads_many(&self) -> ManyBy {
        self.reader.reads_many()
    }

    async fn read_many(&self, statement: Statement, many: Many) -> Result<Vec<Vec<Record>>, DbErr> {
        self.reader.read_many(self.bind(statement)?, many).await
    }
}
