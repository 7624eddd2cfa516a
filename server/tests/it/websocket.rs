//! The API over WebSockets.

mod handshake;
mod protocol;
mod slow_clients;
