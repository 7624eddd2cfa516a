//! The parts of the book shop.

use std::sync::LazyLock;

use bookends_server::app::{Opened, OwnCommand, Sample};
use bookends_server::config::{Limits, Settings};
use bookends_server::db::{ConnectError, Db, Migrations};
use bookends_server::http::page::Tab;
use bookends_server::{Api, App, Application};
use migration::Migrator;

use crate::mutation::{self, Mutation};
use crate::query::{Query, Subscription, declaration};
use crate::seed::{self, Plan, Progress};
use crate::shelf;

/// The description of `orderBy`.
pub const ORDER_BY: &str = "Sorts the list by these criteria. By default, the oldest object is first; in a search of books, the most \
    relevant. A cursor is valid only in the sort order that it was created for.";

/// The first query that the page shows.
pub const FIRST_QUERY: &str = include_str!("../web/queries/ratings.graphql");

const RATE_BOOK: &str = include_str!("../web/queries/rate_book.graphql");

/// What the schema is for, and how to begin.
const GUIDE: &str = "\
The API of a book shop: books, their ratings and their orders.

- **Lists** are Relay connections: `books`, `ratings`, `orders`, and the lists of each book. Page forward with `first` and \
`after`, or backward with `last` and `before`. Without `where`, `asOf` and `search`, a page costs the same at any depth. \
`hasPreviousPage` and `hasNextPage` are exact.
- **Sort and filter** a list: `orderBy: { field: RATING, direction: DESC }`, `where: { rating: { gte: 4 } }`. A cursor is \
valid only in the sort order that it was created for.
- **Search and jump**: `search` finds books by their titles. `around` returns the page with a given object. `offset` returns \
a page by its position.
- **Counts** are computed only if selected. `totalCount` is exact, `approximateCount` is bounded.
- **Objects** have global ids: `node(id:)` returns the object with an id.
- **Mutations** require the write token: `Authorization: Bearer …`. A mutation that adds an object returns the new edge, and \
the cursor of the edge before it.
- **Subscriptions**: `ratingAdded` and `orderPlaced` send new edges over a WebSocket (`graphql-transport-ws`) or as an event \
stream (`Accept: text/event-stream`).
- **Errors** have a code in `extensions.code`. `ErrorCode` lists all codes.";

/// The book shop.
pub fn app() -> App {
    let seed = clap::Command::new("seed")
        .about("Fill an empty database with generated rows. The same options give the same rows");
    App::new("bookshop", env!("CARGO_PKG_VERSION"), declaration())
        .about("A book shop, whose lists page at a constant cost.")
        .guide(GUIDE)
        .migrations(Migrations::of::<Migrator>())
        .roots::<Query, Mutation, Subscription>()
        .costs(mutation::costs())
        .tab(Tab::new(FIRST_QUERY))
        .tab(
            Tab::new(include_str!("../web/queries/next_ratings.graphql"))
                .variables(include_str!("../web/queries/next_ratings.json")),
        )
        .tab(Tab::new(include_str!("../web/queries/books.graphql")))
        .tab(Tab::new(include_str!("../web/queries/search.graphql")))
        .tab(Tab::new(RATE_BOOK))
        .tab(Tab::new(include_str!("../web/queries/rating_added.graphql")).trigger("Rate a book", RATE_BOOK))
        .link("Demo", "/shelf")
        .routes(shelf::routes)
        .sample(Sample::new(|opened| fill(opened, Plan::SAMPLE)))
        .command(OwnCommand::new(seed, fill))
}

async fn fill(Opened { db, console }: Opened, plan: Plan) -> Result<(), bookends_server::OwnError> {
    Ok(seed::fill(&db, plan, Progress::of(console)).await?)
}

static APPLICATION: LazyLock<Application> = LazyLock::new(|| app().check().unwrap_or_else(|error| panic!("{error}")));

/// The same, checked.
pub fn application() -> &'static Application {
    &APPLICATION
}

/// The schema as text, as `schema.graphql` holds it.
pub fn sdl() -> String {
    application().sdl()
}

/// Opens the database of these settings.
///
/// # Errors
///
/// [`ConnectError`].
pub async fn connect(settings: &Settings) -> Result<Db, ConnectError> {
    application().connect(settings).await
}

/// The API over a database, within these limits.
pub fn api(db: Db, limits: Limits) -> Api {
    application().api(db, limits)
}
