//! The program: its commands, its metrics, its end.

mod cli;
mod inspect;
mod metrics;
mod reproducible;
mod shutdown;
