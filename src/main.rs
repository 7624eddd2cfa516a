//! The server.

fn main() {}
