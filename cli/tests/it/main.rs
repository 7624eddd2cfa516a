//! What the catalogue of a database becomes: names, kinds, orders, settings, writes, counters.

mod follow;
mod made;
mod names;
mod orders;
mod settings;
mod writes;
