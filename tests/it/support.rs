//! What the tests share.

pub mod counter;
pub mod fleet;
pub mod log;
pub mod orders;
pub mod patience;
pub mod program;
pub mod served;
pub mod shop;
pub mod wire;
