//! Every statement that a connection runs.

use std::sync::{Arc, Mutex};

use sea_orm::{DatabaseConnection, Statement};

/// A recorder of statements.
#[derive(Clone, Debug, Default)]
pub struct Statements(Arc<Mutex<Vec<Statement>>>);

impl Statements {
    /// Records what this connection, and every clone made of it from now on, runs.
    pub fn record(db: &mut DatabaseConnection) -> Self {
        let statements = Self::default();
        let recorder = statements.clone();
        db.set_metric_callback(move |info| recorder.lock().push(info.statement.clone()));
        statements
    }

    /// What has run since the last call.
    pub fn take(&self) -> Vec<Statement> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Statement>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
