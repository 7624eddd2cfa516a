//! An application: what it declares, and how it is served.

use std::fmt;
use std::process::ExitCode;
use std::sync::Arc;

use async_graphql::{ObjectType, SubscriptionType};
use axum::Router;
use bookends_graphql::{Declaration, DeclarationError, Declaring, FieldCost};

use crate::db::{Migrations, Sql};
use crate::http::page::{Page, Tab};
use crate::identity::Identity;
use crate::program;
use crate::request::Scalar;
use crate::schema::{self, Build};

mod application;
mod code;
mod command;
mod faults;
mod sample;
mod viewer;

pub use application::Application;
use application::Checked;
pub use code::OwnCode;
pub use command::{Opened, OwnCommand};
pub use sample::Sample;
pub use viewer::Asking;
use viewer::Viewing;

/// An application over tables: its schema, and all that a server needs beside it.
///
/// ```no_run
/// # use sea_orm::tests_cfg::cake;
/// use bookends_server::{App, Declaring};
///
/// fn main() -> std::process::ExitCode {
///     let mut tables = Declaring::new("Query");
///     tables.entity::<cake::Entity>().describe("A cake.");
///     App::new("cakes", env!("CARGO_PKG_VERSION"), tables).main()
/// }
/// ```
#[derive(Debug)]
pub struct App {
    pub(crate) identity: Identity,
    declared: Declared,
    pub(crate) about: String,
    guide: Option<String>,
    pub(crate) migrations: Migrations,
    costs: Vec<FieldCost>,
    scalars: Vec<Scalar>,
    codes: Vec<OwnCode>,
    viewing: Option<Viewing>,
    build: Builder,
    page: Page,
    routes: Option<Routes>,
    pub(crate) sample: Option<Sample>,
    pub(crate) commands: Vec<OwnCommand>,
}

/// Objects and fields, checked or to be checked.
#[derive(Debug)]
pub enum Declared {
    /// Not checked yet.
    Declaring(Declaring),
    /// Checked.
    Checked(Arc<Declaration>),
}

impl From<Declaring> for Declared {
    fn from(declaring: Declaring) -> Self {
        Self::Declaring(declaring)
    }
}

impl From<&Arc<Declaration>> for Declared {
    fn from(declaration: &Arc<Declaration>) -> Self {
        Self::Checked(Arc::clone(declaration))
    }
}

struct Builder(Build);

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Builder")
    }
}

struct Routes(fn() -> Router);

impl fmt::Debug for Routes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Routes")
    }
}

impl App {
    /// An application that serves what it declares. Its name is that of the program, of its default database (`sqlite://NAME.db`),
    /// of its database connections and of its traces.
    pub fn new(name: &'static str, version: &'static str, declared: impl Into<Declared>) -> Self {
        Self {
            identity: Identity { name, version },
            declared: declared.into(),
            about: format!("{name}: a GraphQL server"),
            guide: None,
            migrations: Migrations::default(),
            costs: Vec::new(),
            scalars: Vec::new(),
            codes: Vec::new(),
            viewing: None,
            build: Builder(schema::build_declared),
            page: Page::default(),
            routes: None,
            sample: None,
            commands: Vec::new(),
        }
    }

    /// Says in a sentence what the application is, in `--help` and on its page.
    #[must_use]
    pub fn about(self, about: impl Into<String>) -> Self {
        Self { about: about.into(), ..self }
    }

    /// Describes the schema, for those who open its documentation. The text is Markdown.
    #[must_use]
    pub fn guide(self, guide: impl Into<String>) -> Self {
        Self { guide: Some(guide.into()), ..self }
    }

    /// Applies these changes to the database when the server starts, and offers the command `migrate`.
    #[must_use]
    pub fn migrations(self, migrations: Migrations) -> Self {
        Self { migrations, ..self }
    }

    /// Adds a change of the database: a text of SQL, or [`Sql`] with one for each database. Changes are applied in this order, each
    /// once. Their names never change.
    #[must_use]
    pub fn migration(self, name: &'static str, statements: impl Into<Sql>) -> Self {
        Self { migrations: self.migrations.and_sql(name, statements), ..self }
    }

    /// Serves a schema with these root types in place of those that are declared. To have both, merge
    /// [`DeclaredQuery`](crate::DeclaredQuery) and [`DeclaredMutation`](crate::DeclaredMutation) into them by `MergedObject`, and
    /// [`DeclaredSubscription`](crate::DeclaredSubscription) by `MergedSubscription`.
    #[must_use]
    pub fn roots<Q, M, S>(self) -> Self
    where
        Q: ObjectType + Default + 'static,
        M: ObjectType + Default + 'static,
        S: SubscriptionType + Default + 'static,
    {
        Self { build: Builder(schema::build::<Q, M, S>), ..self }
    }

    /// Prices fields that resolvers and mutations answer. Others cost 1.
    #[must_use]
    pub fn costs(mut self, costs: impl IntoIterator<Item = FieldCost>) -> Self {
        self.costs.extend(costs);
        self
    }

    /// Checks the values of a scalar of its own before they reach a resolver.
    #[must_use]
    pub fn scalar(mut self, scalar: Scalar) -> Self {
        self.scalars.push(scalar);
        self
    }

    /// Uses a code of its own in errors: the schema, the log and the metrics have it. Errors with other codes are not counted.
    #[must_use]
    pub fn code(mut self, code: OwnCode) -> Self {
        crate::request::know(code.text);
        self.codes.push(code);
        self
    }

    /// Makes a value of its own of each request, before it is executed: who asks. Resolvers, mutations and subscriptions find it in
    /// their context, by `context.data::<V>()`. An error refuses the request.
    #[must_use]
    pub fn viewer<V: Send + Sync + 'static>(
        self,
        make: impl Fn(Asking<'_>) -> crate::request::Result<V> + Send + Sync + 'static,
    ) -> Self {
        Self { viewing: Some(Viewing::by(make)), ..self }
    }

    /// Opens a query in a tab of GraphiQL. Without tabs, it has a query of each list.
    #[must_use]
    pub fn tab(mut self, tab: Tab) -> Self {
        self.page.tabs.push(tab);
        self
    }

    /// Links a page from GraphiQL.
    #[must_use]
    pub fn link(mut self, label: &'static str, path: &'static str) -> Self {
        self.page.links.push((label, path));
        self
    }

    /// Serves these routes, too. They have the limits, the log and the metrics of all others.
    #[must_use]
    pub fn routes(self, routes: fn() -> Router) -> Self {
        Self { routes: Some(Routes(routes)), ..self }
    }

    /// Fills an empty database with `--sample`, and by default where no database is set.
    #[must_use]
    pub fn sample(self, sample: Sample) -> Self {
        Self { sample: Some(sample), ..self }
    }

    /// Offers a command of its own.
    #[must_use]
    pub fn command(mut self, command: OwnCommand) -> Self {
        self.commands.push(command);
        self
    }

    /// Checks what is declared.
    ///
    /// # Errors
    ///
    /// [`DeclarationError`], which lists all faults.
    pub fn check(mut self) -> Result<Application, DeclarationError> {
        let declared = std::mem::replace(&mut self.declared, Declaring::new("Query").into());
        let declaration = match declared {
            Declared::Checked(declaration) => declaration,
            Declared::Declaring(declaring) => declaring.check()?,
        };
        let mut faults = faults::of(&self, &declaration);
        let definitions = schema::with_codes(&self.codes, || (self.build.0)(&declaration, None)).definitions();
        faults.extend(faults::of_roots(&declaration, &definitions));
        if !faults.is_empty() {
            return Err(DeclarationError::of(faults));
        }
        Ok(Application::new(Checked { app: self, declaration, definitions }))
    }

    /// The program: its command line, its settings, its server. This is the whole `main`.
    pub fn main(self) -> ExitCode {
        program::main(self)
    }
}
