//! What an application that declares its own tables meets.

mod numbers;
mod refused;
mod snapshots;
mod start;
