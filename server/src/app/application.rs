//! An application whose declaration is checked: its schema, and its API over a database.

use std::sync::Arc;

use async_graphql::{Data, ServerError, Value};
use axum::Router;
use bookends_graphql::Declaration;

use super::{App, Asking, OwnCode, faults};
use crate::Api;
use crate::config::{Documents, Limits, Settings};
use crate::db::{ConnectError, Db, Migrations};
use crate::guide;
use crate::http::page::Page;
use crate::identity::Identity;
use crate::request::{DeclaredCosts, Tables, Trusted, TrustedError, Validator};
use crate::schema::{self, AnySchema, Resolving};

/// An application whose declaration is checked. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Application(Arc<Checked>);

#[derive(Debug)]
pub(super) struct Checked {
    pub app: App,
    pub declaration: Arc<Declaration>,
    /// The schema as text, without its description.
    pub definitions: String,
}

impl Application {
    pub(super) fn new(checked: Checked) -> Self {
        Self(Arc::new(checked))
    }

    pub(crate) fn app(&self) -> &App {
        &self.0.app
    }

    /// The name and the version.
    pub fn identity(&self) -> Identity {
        self.0.app.identity
    }

    /// What it declares.
    pub fn declaration(&self) -> &Arc<Declaration> {
        &self.0.declaration
    }

    /// The changes of its database.
    pub fn migrations(&self) -> &Migrations {
        &self.0.app.migrations
    }

    /// Whether its schema has mutations.
    pub fn has_mutations(&self) -> bool {
        faults::has_mutations(&self.0.definitions)
    }

    /// The schema as text.
    pub fn sdl(&self) -> String {
        match self.guide() {
            Some(guide) => guide::describe(guide, &self.0.definitions),
            None => self.0.definitions.clone(),
        }
    }

    /// Opens the database of these settings. [`Db::migrate`] then changes its schema.
    ///
    /// # Errors
    ///
    /// [`ConnectError`].
    pub async fn connect(&self, settings: &Settings) -> Result<Db, ConnectError> {
        let settings = Settings { identity: self.identity(), ..settings.clone() };
        Db::connect(&settings, self.migrations()).await
    }

    /// The API over a database, within these limits. Where tables of PostgreSQL may be on other servers, first read the statistics of the
    /// database ([`TableStatistics::read`](crate::db::TableStatistics::read)): they say which, and statements are written for it.
    pub fn api(&self, db: Db, limits: Limits) -> Api {
        self.api_with(db, limits, Trusted::default())
    }

    /// The same, with trusted documents.
    pub fn api_with(&self, db: Db, limits: Limits, trusted: Trusted) -> Api {
        Api::new(self.clone(), db, limits, trusted)
    }

    /// Reads documents for the schema, within these limits.
    pub fn validator(&self, limits: Limits) -> Validator {
        Validator::new(&self.0.definitions, Arc::clone(self.declaration()), &self.app().scalars, limits)
    }

    /// The costs of the fields of the schema, over these tables.
    pub fn costs(&self, validator: &Validator, tables: Tables) -> DeclaredCosts {
        let fields = self.declaration().costs().into_iter().chain(self.app().costs.clone());
        DeclaredCosts::new(fields, validator.introspection(), tables)
    }

    /// The trusted documents of these settings.
    ///
    /// # Errors
    ///
    /// [`TrustedError`].
    pub fn trusted(&self, documents: &Documents, limits: Limits) -> Result<Trusted, TrustedError> {
        let validator = self.validator(limits);
        Trusted::read(documents, &validator, &self.costs(&validator, Tables::default()), limits)
    }

    pub(crate) fn schema(&self, data: Resolving) -> AnySchema {
        schema::with_codes(&self.app().codes, || (self.app().build.0)(self.declaration(), Some(data)))
    }

    /// The codes of its own errors.
    pub(crate) fn own_code(&self, error: &ServerError) -> Option<OwnCode> {
        let Value::String(found) = error.extensions.as_ref()?.get("code")? else { return None };
        self.app().codes.iter().find(|code| code.text == found).copied()
    }

    /// The value that it makes of a request.
    pub(crate) fn viewer(&self, asking: Asking<'_>) -> crate::request::Result<Option<Arc<Data>>> {
        self.app().viewing.as_ref().map(|viewing| viewing.of(asking)).transpose()
    }

    pub(crate) fn guide(&self) -> Option<&str> {
        self.app().guide.as_deref()
    }

    /// What its page at `/` shows.
    pub(crate) fn page(&self) -> &Page {
        &self.app().page
    }

    pub(crate) fn routes(&self) -> Router {
        self.app().routes.as_ref().map(|routes| (routes.0)()).unwrap_or_default()
    }
}
