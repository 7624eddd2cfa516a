//! Whether a catalogue has changed since it was last seen.

use sea_orm::{ConnectionTrait, DbBackend, DbErr};

use super::{postgres, rows};

/// The transactions whose changes are visible. Where they are the same, nothing has changed, and the catalogue is not read: it has as many
/// rows as all tables have columns.
const TRANSACTIONS: &str = "SELECT txid_current_snapshot()::text AS seen";

/// A catalogue as it was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// On PostgreSQL.
    transactions: Option<String>,
    fingerprint: String,
}

impl Seen {
    /// The catalogue as it is: one or two statements, which read no table of the user.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn now(db: &impl ConnectionTrait, last: Option<Self>) -> Result<Self, DbErr> {
        let (transactions, fingerprint) = match db.get_database_backend() {
            DbBackend::Postgres => (Some(text(db, TRANSACTIONS).await?), postgres::FINGERPRINT),
            _ => (None, "SELECT CAST(schema_version AS text) AS seen FROM pragma_schema_version"),
        };
        match last {
            Some(last) if transactions.is_some() && last.transactions == transactions => Ok(last),
            _ => Ok(Self { transactions, fingerprint: text(db, fingerprint).await? }),
        }
    }

    /// A text that changes when the catalogue does.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

async fn text(db: &impl ConnectionTrait, sql: &str) -> Result<String, DbErr> {
    let row = rows(db, sql).await?.into_iter().next();
    row.ok_or_else(|| DbErr::RecordNotFound("the fingerprint of the catalogue".into()))?.try_get("", "seen")
}
