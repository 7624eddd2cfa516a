use crate::city;
use async_graphql::Enum;
use keyset::Order;
use keyset_graphql::{Fields, Keyed, Listed, OrderBy, RowObject, Scope, SortField, sort};
use sea_orm::{Select, entity::prelude::*};

#[sea_orm::model]
#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "river")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i32,
    pub name: String,
    pub length: i32,
}

impl ActiveModelBehavior for ActiveModel {}

impl RowObject for Entity {
    type Entity = Self;
    const NAME: &str = "River";

    fn fields(fields: &mut Fields<Self>) {
        fields.describe("A river.");
        fields.column("name", "The name.", Column::Name);
        fields.column("length", "The length in kilometers.", Column::Length);
        fields.list::<city::Entity>("cities", "The cities on this river.", city::Column::RiverId);
    }
}

impl Keyed for Entity {
    type Key = i32;

    fn key_column() -> Column {
        Column::Id
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "Column")]
pub enum RiverSortField {
    Id,
    Name,
    Length,
}

impl SortField for RiverSortField {
    type Column = Column;
}

impl Listed for Entity {
    type Args = OrderBy<RiverSortField>;

    fn rows(order_by: &Self::Args, _: &mut Scope) -> keyset_graphql::Result<(Select<Self>, Order)> {
        Ok((Self::find(), sort::by_columns::<Self, _>(order_by)?))
    }
}
