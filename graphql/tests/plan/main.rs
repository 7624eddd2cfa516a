//! Plans: what requests select, against responses that were written by hand.

mod atlas;
mod service;
mod tables;

mod conditions;
mod errors;
mod found;
mod lists;
mod payloads;
mod resolved;
mod roots;
mod selection;
mod variables;
