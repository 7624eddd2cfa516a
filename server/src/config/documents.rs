//! Trusted documents.

use std::path::PathBuf;

use clap::{ArgAction, Args, value_parser};

/// Which documents the server trusts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Documents")]
pub struct Documents {
    /// File of trusted documents, at most 8 MiB. Clients can send an id instead of a text. The file is a JSON object of
    /// texts by ids, as Relay's compiler and GraphQL Code Generator write it.
    #[arg(long, env = "DOCUMENTS", value_name = "FILE")]
    pub documents: Option<PathBuf>,

    /// Whether to reject all documents that are not trusted. Requires `DOCUMENTS`.
    #[arg(
        long,
        env = "DOCUMENTS_ONLY",
        default_value_t = false,
        default_missing_value = "true",
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        action = ArgAction::Set,
        requires_if("true", "documents")
    )]
    pub documents_only: bool,

    /// Maximum time that caches may keep a response to a trusted document requested by GET, in seconds; at least 1. By
    /// default, responses are not cached. Requires `DOCUMENTS`.
    #[arg(
        long,
        env = "DOCUMENTS_MAX_AGE",
        value_name = "SECONDS",
        value_parser = value_parser!(i32).range(1..),
        requires = "documents"
    )]
    pub documents_max_age: Option<i32>,
}
