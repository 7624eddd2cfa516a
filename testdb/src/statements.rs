//! Records the statements of a connection.

use std::sync::{Arc, Mutex};

use sea_orm::metric::Info;
use sea_orm::{DatabaseConnection, Statement};

/// A recorder of statements.
#[derive(Clone, Debug, Default)]
pub struct Statements(Arc<Mutex<Vec<Statement>>>);

impl Statements {
    /// The callback that records. `BEGIN` and `COMMIT` read nothing, and are left out.
    pub fn recorder(&self) -> impl Fn(&Info<'_>) + Send + Sync + 'static {
        let statements = self.clone();
        move |info| {
            let sql = &info.statement.sql;
            if !sql.starts_with("BEGIN") && !sql.starts_with("COMMIT") {
                statements.lock().push(info.statement.clone());
            }
        }
    }

    /// Records the statements of this connection, and of clones that are made later.
    pub fn record(db: &mut DatabaseConnection) -> Self {
        let statements = Self::default();
        db.set_metric_callback(statements.recorder());
        statements
    }

    /// The statements since the last call.
    pub fn take(&self) -> Vec<Statement> {
        std::mem::take(&mut *self.lock())
    }

    /// How many statements were recorded since the last call of [`take`](Self::take).
    pub fn count(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Statement>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
