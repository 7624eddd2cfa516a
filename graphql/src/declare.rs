//! What an application declares: objects over its tables, and the fields of the query that read them.

pub(crate) mod advice;
pub mod argument;
pub(crate) mod check;
pub(crate) mod declaration;
pub(crate) mod entity;
pub(crate) mod field;
pub(crate) mod links;
pub(crate) mod names;
pub(crate) mod nested;
pub(crate) mod object;
pub(crate) mod offered;
pub(crate) mod register;
pub(crate) mod relation;
pub(crate) mod resolver;
pub(crate) mod root;
