use bookends_server::sea_orm;
use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "city")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i32,
    pub river_id: i32,
    pub name: String,
    pub people: Option<i32>,
    #[sea_orm(belongs_to, from = "river_id", to = "id")]
    pub river: BelongsTo<super::river::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
