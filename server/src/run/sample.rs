//! Rows for an empty database.

use keyset::find_rows;
use sea_orm::DbErr;
use sea_orm::sea_query::Expr;

use super::error::RunError;
use crate::app::{Application, Opened, Sample};
use crate::db::{Db, Failure};

/// Whether every table is empty.
pub(super) async fn is_empty(application: &Application, db: &Db) -> Result<bool, DbErr> {
    for table in application.declaration().tables() {
        let mut rows = table.rows();
        rows.0.expr(Expr::val(1)).limit(1);
        if !find_rows(&db.reader, &rows, &[]).await?.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Fills an empty database, or says how. If there is no room, the server serves it as it is.
pub(super) async fn fill(
    application: &Application,
    sample: &Sample,
    opened: Opened,
    is_wanted: bool,
) -> Result<(), RunError> {
    let console = opened.console;
    if !is_wanted {
        let name = application.identity().name;
        console.say(format_args!("the database is empty: `{name} --sample` fills it with sample rows"));
        return Ok(());
    }
    console.say("the database is empty: filling it with sample rows");
    match sample.fill(opened).await {
        Err(error) if is_full(&*error) => {
            tracing::warn!(%error, "the storage is full: serving without sample rows");
            Ok(())
        }
        filled => filled.map_err(RunError::Sample),
    }
}

fn is_full(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    causes.any(|cause| cause.downcast_ref().is_some_and(|cause| Failure::of(cause) == Failure::Full))
}
