//! Rows for an empty station, always the same.

use bookends_server::OwnError;
use bookends_server::db::Db;
use sea_orm::prelude::Decimal;
use sea_orm::{
    ActiveModelTrait, ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, EntityTrait, Set, TransactionTrait,
};
use uuid::{Builder, Uuid};

use super::tables::{reading, repair, sensor};

/// How many rows.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Plan {
    #[arg(long, default_value_t = Plan::SAMPLE.sensors)]
    pub sensors: u64,
    #[arg(long, default_value_t = Plan::SAMPLE.readings)]
    pub readings: u64,
    #[arg(long, default_value_t = Plan::SAMPLE.repairs)]
    pub repairs: u64,
}

impl Plan {
    pub const SAMPLE: Self = Self { sensors: 100, readings: 2_000, repairs: 1_000 };
}

const PLACES: [&str; 6] = ["The ridge", "North gate", "Harbour", "The old mill", "Valley", "Ångström field"];

/// Fills an empty database in one transaction.
pub async fn fill(db: &Db, plan: Plan) -> Result<(), OwnError> {
    let _suspension = db.suspend_deadline();
    let transaction = db.writer.begin().await?;
    if db.writer.get_database_backend() == DbBackend::Postgres {
        transaction.execute_unprepared("SET LOCAL statement_timeout = 0").await?;
    }
    if sensor::Entity::find().one(&transaction).await?.is_some() {
        return Err("the database is not empty".into());
    }
    insert(&transaction, plan.sensors, |number| {
        let mut draw = draw(1, number);
        let name = format!("{} {}", PLACES[draw.usize(..PLACES.len())], draw.u8(1..40));
        sensor::ActiveModel { id: Set(key(1, number)), name: Set(name), year: Set(2025 - draw.i32(0..60)) }
    })
    .await?;
    insert(&transaction, plan.readings, |number| {
        let mut draw = draw(2, number);
        let sensor_id = Set(sensor_of(&mut draw, plan));
        reading::ActiveModel { id: Set(key(2, number)), value: Set(draw.i16(1..=5)), sensor_id }
    })
    .await?;
    insert(&transaction, plan.repairs, |number| {
        let mut draw = draw(3, number);
        let sensor_id = Set(sensor_of(&mut draw, plan));
        let cost = Set(Decimal::new(draw.i64(500..30_000), 2));
        repair::ActiveModel { id: Set(key(3, number)), cost, sensor_id }
    })
    .await?;
    transaction.execute_unprepared("ANALYZE").await?;
    Ok(transaction.commit().await?)
}

async fn insert<A: ActiveModelTrait>(to: &DatabaseTransaction, rows: u64, row: impl Fn(u64) -> A) -> Result<(), DbErr> {
    let mut rows = (0..rows).map(row).peekable();
    while rows.peek().is_some() {
        A::Entity::insert_many(rows.by_ref().take(500)).exec_without_returning(to).await?;
    }
    Ok(())
}

/// One sensor in ten has none.
fn sensor_of(draw: &mut fastrand::Rng, plan: Plan) -> Uuid {
    let sensor = draw.u64(..plan.sensors);
    key(1, if sensor % 10 == 9 { sensor - 1 } else { sensor })
}

fn draw(table: u64, number: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(table << 32 | number)
}

/// A key of the row's minute: sensors since 2020, others since 2022.
fn key(table: u64, number: u64) -> Uuid {
    let start = if table == 1 { 1_577_836_800_000 } else { 1_640_995_200_000 };
    let mut draw = draw(table << 8, number);
    let random: [u8; 10] = std::array::from_fn(|_| draw.u8(..));
    Builder::from_unix_timestamp_millis(start + number * 60_000 + draw.u64(..60_000), &random).into_uuid()
}
