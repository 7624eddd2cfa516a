//! The shop behind PgBouncer.

use bookends_server::config::Limits;
use bookshop::seed::Plan;
use bookshop::seed::{self, Progress};

use crate::support::pooled::{pooled, unprepared};
use crate::support::shop::Shop;

mod answers;
mod writes;

/// A shop behind a pooler. `None` on SQLite, and where PgBouncer is not installed.
async fn shop(plan: Plan) -> Option<(Shop, testdb::Pooler)> {
    let (test, pooler) = pooled().await?;
    let db = bookshop::connect(&unprepared(&pooler.url())).await.unwrap();
    db.migrate().await.unwrap();
    seed::fill(&db, plan, Progress::Lines).await.unwrap();
    Some((Shop::over(db, Limits::DEFAULT, test), pooler))
}
