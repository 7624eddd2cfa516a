//! What the tests share. Those of the server have most of it, too.

pub mod shop;

#[path = "../../server/tests/it/support"]
#[expect(dead_code, unused_imports, reason = "the tests of the server use the rest")]
mod shared {
    pub mod counter;
    pub mod documents;
    pub mod expanded;
    pub mod filled;
    pub mod heard;
    pub mod orders;
    pub mod patience;
    pub mod pooled;
    pub mod program;
    pub mod served;
    pub mod wire;
}

pub use bookshop::application;
pub use bookshop::seed::Plan;
pub use shared::{counter, documents, expanded, filled, heard, orders, patience, pooled, program, served, wire};
pub use shop::{NULLABLE, OFFERED, fill};
