use bookends_server::sea_orm;
use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "river")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i32,
    pub name: String,
    pub length: i32,
    #[sea_orm(has_many)]
    pub cities: HasMany<super::city::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
