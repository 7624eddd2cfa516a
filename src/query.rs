//! What the shop declares, and the root fields for reading and subscribing.

use std::marker::PhantomData;
use std::sync::{Arc, LazyLock};

use ::entity::{book_count, book_order_count, book_rating_count};
use async_graphql::{ID, MergedObject, MergedSubscription, OneofObject, OneofObjectType};
use bookends_server::input::InputFields;
use bookends_server::{
    Arguments, Declaration, DeclaredQuery, DeclaredSubscription, Declaring, KeyArguments, ObjectType,
};
use keyset::Kept;
use sea_orm::Value;

use super::key::parse_key;
use super::{book, mutation, order, rating};
use bookends_server::request::{Code, Error, Result};

/// The root of all queries.
#[derive(Default, MergedObject)]
pub struct Query(DeclaredQuery);

/// The root of all subscriptions. The server sends events over a WebSocket at `/graphql` (protocol `graphql-transport-ws`),
/// or as an event stream (`Accept: text/event-stream`).
///
/// Each committed object is sent once, in the order of the commits, whichever server wrote it. After an outage of the
/// database, the server sends the missed objects in the order of their creation. If a subscription loses events, or its client
/// reads too slowly, it ends with the error `SUBSCRIPTION_LAGGED`. Then subscribe again first, and fetch the list after that.
#[derive(Default, MergedSubscription)]
pub struct Subscription(DeclaredSubscription);

static DECLARATION: LazyLock<Arc<Declaration>> = LazyLock::new(|| {
    let mut shop = Declaring::new("Query");
    shop.object(book::object()).object(rating::object()).object(order::object());
    shop.nodes();
    shop.find("book", "Book", ByKey::<BookBy>::default()).describe("The book with this key. Null if there is none.");
    shop.find("rating", "Rating", ByKey::<RatingBy>::default())
        .describe("The rating with this key. Null if there is none.");
    shop.find("order", "Order", ByKey::<OrderBy>::default())
        .describe("The order with this key. Null if there is none.");
    shop.list("books", "Book").describe("The books of the shop.").kept(Kept::sum_of(book_count::Column::Rows));
    shop.list("ratings", "Rating")
        .describe("The ratings of all books.")
        .kept(Kept::sum_of(book_rating_count::Column::Rows));
    shop.list("orders", "Order")
        .describe("The orders of all books.")
        .kept(Kept::sum_of(book_order_count::Column::Rows));
    mutation::declare(&mut shop);
    mutation::declare_events(&mut shop);
    shop.check().unwrap_or_else(|error| panic!("{error}"))
});

/// The objects of the shop, and the fields of the query that read them.
pub fn declaration() -> &'static Arc<Declaration> {
    &DECLARATION
}

/// An input with exactly one of the keys of an object.
macro_rules! keys {
    ($name:ident, $description:literal) => {
        #[doc = $description]
        #[derive(OneofObject)]
        pub enum $name {
            /// The global id.
            Id(ID),
            /// The primary key, as a UUID or a ULID.
            Uuid(String),
        }

        impl From<$name> for Named {
            fn from(by: $name) -> Self {
                match by {
                    $name::Id(id) => Self::Id(id),
                    $name::Uuid(uuid) => Self::Uuid(uuid),
                }
            }
        }
    };
}

keys!(BookBy, "A key of a book.");
keys!(RatingBy, "A key of a rating.");
keys!(OrderBy, "A key of an order.");

/// What names one object.
enum Named {
    Id(ID),
    Uuid(String),
}

/// The arguments that name one object: `by`, or one of the older ones.
struct ByKey<By>(PhantomData<fn() -> By>);

impl<By> Default for ByKey<By> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<By> std::fmt::Debug for ByKey<By> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ByKey")
    }
}

impl<By: OneofObjectType + Into<Named> + 'static> KeyArguments for ByKey<By> {
    fn describe(&self, arguments: &mut InputFields<'_>) {
        arguments
            .field::<Option<By>>(
                "by",
                "Returns the object with this key. Required, unless a deprecated argument is given.",
            )
            .field::<Option<ID>>("id", "Returns the object with this global id. Not allowed with `by` or `uuid`.")
            .deprecated("Use `by: { id }`.")
            .field::<Option<String>>(
                "uuid",
                "Returns the object with this primary key, a UUID or a ULID. Not allowed with `by` or `id`.",
            )
            .deprecated("Use `by: { uuid }`.");
    }

    fn key(&self, arguments: &Arguments<'_>, declaration: &Declaration, object: &ObjectType) -> Result<Vec<Value>> {
        let by: Option<By> = arguments.get("by")?;
        let named = match (by, arguments.get("id")?, arguments.get("uuid")?) {
            (Some(by), None, None) => by.into(),
            (None, Some(id), None) => Named::Id(id),
            (None, None, Some(uuid)) => Named::Uuid(uuid),
            _ => return Err(Error::client(Code::BadUserInput, "expected `by`, and no other argument")),
        };
        match named {
            Named::Id(id) => declaration.key(object.name(), &id),
            Named::Uuid(uuid) => Ok(vec![parse_key(&uuid)?.into()]),
        }
    }
}
