//! The table in which a database remembers its changes. It is that of the migrations of SeaORM.

use sea_orm::entity::prelude::*;

/// A change that was applied.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "seaql_migrations")]
pub struct Model {
    /// Its name.
    #[sea_orm(primary_key, auto_increment = false)]
    pub version: String,
    /// When, in seconds from 1970 on.
    pub applied_at: i64,
}

/// It refers to no other table.
#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
