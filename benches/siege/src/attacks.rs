//! The attacks. Each is a function that runs until it is dropped, which closes its sockets.

use std::io;

use futures_util::future::BoxFuture;

use crate::shop::Shop;

mod divided;
mod documents;
mod expensive;
mod held;
mod malformed;
mod repeat;
mod requests;
mod siege;
mod variables;
mod websockets;

pub use held::large;
pub use repeat::{Requests, repeat};
pub use siege::{Prepared, Siege, Tally};

/// An attack begins with this client.
pub type Attack = fn(Siege) -> BoxFuture<'static, ()>;

/// The attacks, by name.
pub const ATTACKS: [(&str, Attack); 17] = [
    ("none", |_| Box::pin(std::future::pending())),
    ("filters", |siege| Box::pin(requests::filters(siege))),
    ("allowed", |siege| Box::pin(expensive::allowed(siege))),
    ("abandoned", |siege| Box::pin(expensive::abandoned(siege))),
    ("pipelined", |siege| Box::pin(expensive::pipelined(siege))),
    ("documents", |siege| Box::pin(documents::documents(siege))),
    ("variables", |siege| Box::pin(variables::variables(siege))),
    ("bodies", |siege| Box::pin(held::bodies(siege))),
    ("connections", |siege| Box::pin(held::connections(siege))),
    ("readers", |siege| Box::pin(held::readers(siege))),
    ("websockets", |siege| Box::pin(websockets::websockets(siege))),
    ("subscriptions", |siege| Box::pin(websockets::subscriptions(siege))),
    ("writes", |siege| Box::pin(requests::writes(siege))),
    ("malformed", |siege| Box::pin(malformed::malformed(siege))),
    ("introspection", |siege| Box::pin(requests::introspection(siege))),
    ("unfinished", |siege| Box::pin(websockets::unfinished(siege))),
    ("events", |siege| Box::pin(websockets::events(siege))),
];

/// The attacks of several addresses: each with the expensive request, over HTTP, WebSockets or event streams.
pub const DIVIDED: [(&str, Attack); 3] = [
    ("http", |siege| Box::pin(divided::http(siege))),
    ("websocket", |siege| Box::pin(divided::websocket(siege))),
    ("stream", |siege| Box::pin(divided::stream(siege))),
];

/// How many addresses.
pub const ADDRESSES: [u8; 4] = [1, 2, 4, 16];

/// The names of all attacks.
pub fn names() -> Vec<String> {
    let divided = DIVIDED.iter().flat_map(|(name, _)| ADDRESSES.map(|addresses| format!("{name}-{addresses}")));
    ATTACKS.iter().map(|(name, _)| (*name).to_owned()).chain(divided).collect()
}

/// The attack of this name, and the number of its addresses.
pub fn find(name: &str) -> Option<(Attack, u8)> {
    if let Some((_, attack)) = ATTACKS.into_iter().find(|(attack, _)| *attack == name) {
        return Some((attack, 1));
    }
    let (name, addresses) = name.rsplit_once('-')?;
    let (_, attack) = DIVIDED.into_iter().find(|(attack, _)| *attack == name)?;
    Some((attack, addresses.parse().ok()?))
}

impl Prepared {
    /// What the attack of this name needs.
    pub async fn new(shop: &Shop, name: &str) -> io::Result<Self> {
        let mut prepared = Self::default();
        match name {
            "allowed" | "abandoned" | "pipelined" => prepared.expensive = expensive::find(shop).await?,
            name if name.contains('-') => prepared.expensive = expensive::find(shop).await?,
            "websockets" => prepared.subscription = websockets::largest(shop).await?,
            _ => {}
        }
        Ok(prepared)
    }
}
