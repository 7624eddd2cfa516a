use crate::river;
use async_graphql::{Enum, InputObject};
use keyset::Order;
use keyset_graphql::{Conditions, Fields, Listed, Matching, OrderBy, RowObject, Scope, SortField, Where};
use keyset_graphql::{NullableComparison, TextFilter, filter, sort};
use sea_orm::{Condition, Select, entity::prelude::*};

#[sea_orm::model]
#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "city")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i32,
    pub river_id: i32,
    pub name: String,
    pub people: Option<i32>,
}

impl ActiveModelBehavior for ActiveModel {}

impl RowObject for Entity {
    type Entity = Self;
    const NAME: &str = "City";

    fn fields(fields: &mut Fields<Self>) {
        fields.describe("A city on a river.");
        fields.column("name", "The name.", Column::Name);
        fields.column("people", "The number of inhabitants; null if unknown.", Column::People);
        fields.to_one::<river::Entity>("river", "The river that it is on.", Column::RiverId);
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "Column")]
pub enum CitySortField {
    Id,
    RiverId,
    Name,
    People,
}

impl SortField for CitySortField {
    type Column = Column;
}

#[derive(InputObject)]
pub struct CityConditions {
    name: Option<TextFilter>,
    people: Option<NullableComparison<i32>>,
}

impl Conditions for CityConditions {
    fn conditions(&self, scope: &mut Scope) -> keyset_graphql::Result<Condition> {
        let name = self.name.as_ref().map(|name| name.on(Column::Name, scope));
        let people = self.people.as_ref().map(|people| people.on(Column::People, scope));
        filter::all([name, people])
    }
}

impl Listed for Entity {
    type Args = (OrderBy<CitySortField>, Matching<Where<CityConditions>>);

    fn rows((order_by, matching): &Self::Args, scope: &mut Scope) -> keyset_graphql::Result<(Select<Self>, Order)> {
        let rows = filter::matching(Self::find(), matching, scope)?;
        Ok((rows, sort::by_columns::<Self, _>(order_by)?))
    }
}
