//! Row-level security of PostgreSQL.

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

/// The roles in which requests read and write.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Authentication")]
pub struct Roles {
    /// The claim that names the role of PostgreSQL in which a request reads and writes, such as `role`. Row-level security then decides
    /// what it sees. Requires `DATABASE_ANONYMOUS_ROLE`.
    #[arg(
        long,
        env = "DATABASE_ROLE_CLAIM",
        value_name = "CLAIM",
        value_parser = NonEmptyStringValueParser::new(),
        requires = "database_anonymous_role"
    )]
    pub database_role_claim: Option<String>,

    /// The role of requests without a token, and of tokens without that claim. Requires `DATABASE_ROLE_CLAIM`.
    #[arg(
        long,
        env = "DATABASE_ANONYMOUS_ROLE",
        value_name = "ROLE",
        value_parser = NonEmptyStringValueParser::new(),
        requires = "database_role_claim"
    )]
    pub database_anonymous_role: Option<String>,
}
