//! A number that a statement returns.

use keyset::{ReadRows, Record, StoredValue};
use sea_orm::{DbErr, Statement};

pub async fn number(db: &impl ReadRows, sql: &str) -> Result<i64, DbErr> {
    Ok(first(&db.read(Statement::from_string(db.backend(), sql)).await?[0]))
}

/// The number in the first column.
pub fn first(record: &Record) -> i64 {
    match record {
        Record::Row(row) => row.try_get_by_index(0).unwrap(),
        Record::Stored(stored) => match stored.get(0) {
            StoredValue::Integer(number) => number,
            values => panic!("{values:?}"),
        },
    }
}
