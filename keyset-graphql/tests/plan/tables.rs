//! Rivers and cities: the tables, their objects and their lists.

use std::cell::Cell;

use async_graphql::Enum;
use keyset_graphql::{
    Comparison, Conditions, Fields, IdFilter, Keyed, Listed, Matching, NodeType, Nodes, ObjectType, OrderBy, Result,
    RowObject, Scope, SortField, Where, filter, sort,
};
use sea_orm::{Condition, EntityTrait, Select};

pub mod river {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "river")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub name: String,
        /// The river that it flows into.
        pub into_id: Option<i32>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod city {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "city")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub name: String,
        pub people: Option<i32>,
        pub river_id: i32,
        pub twin_id: Option<i32>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

impl RowObject for river::Entity {
    type Entity = Self;
    const NAME: &str = "River";

    fn fields(fields: &mut Fields<Self>) {
        fields.id(Type::River, "The global id.");
        fields.column("name", "The name.", river::Column::Name);
        fields.to_one::<Self>("into", "The river that it flows into.", river::Column::IntoId);
        fields.list::<city::Entity>("cities", "The cities on it.", city::Column::RiverId);
        fields.list::<Self>("tributaries", "The rivers that flow into it.", river::Column::IntoId);
    }
}

thread_local! {
    /// How often the fields of a city were declared: at least once for each plan of cities.
    pub static DECLARED: Cell<usize> = const { Cell::new(0) };
}

impl RowObject for city::Entity {
    type Entity = Self;
    const NAME: &str = "City";

    fn fields(fields: &mut Fields<Self>) {
        DECLARED.set(DECLARED.get() + 1);
        fields.id(Type::City, "The global id.");
        fields.column("name", "The name.", city::Column::Name);
        fields.column("people", "The number of inhabitants, in thousands.", city::Column::People);
        fields.computed("size", "The number of letters of its name.", |city| city.name.len());
        fields.to_one::<river::Entity>("river", "The river that it is on.", city::Column::RiverId);
        fields.to_one::<Self>("twin", "Its twin.", city::Column::TwinId);
        fields
            .beside::<river::Entity>(city::Column::RiverId, river::Column::Id)
            .computed("riverName", "The name of its river.", |river| river.map(|river| river.name.clone()))
            .computed("isOnTributary", "Whether its river flows into another.", |river| {
                river.is_some_and(|river| river.into_id.is_some())
            });
    }
}

macro_rules! keyed {
    ($table:ident) => {
        impl Keyed for $table::Entity {
            type Key = i32;

            fn key_column() -> $table::Column {
                $table::Column::Id
            }
        }
    };
}

keyed!(river);
keyed!(city);

#[derive(Clone, Copy, PartialEq, Eq, Enum)]
pub enum CitySortField {
    Id,
    Name,
}

impl SortField for CitySortField {
    type Column = city::Column;
}

impl From<CitySortField> for city::Column {
    fn from(field: CitySortField) -> Self {
        match field {
            CitySortField::Id => Self::Id,
            CitySortField::Name => Self::Name,
        }
    }
}

#[derive(async_graphql::InputObject)]
pub struct CityConditions {
    id: Option<Comparison<i32>>,
    global_id: Option<IdFilter>,
}

impl Conditions for CityConditions {
    fn conditions(&self, scope: &mut Scope) -> Result<Condition> {
        filter::all([
            self.id.as_ref().map(|ids| ids.on(city::Column::Id, scope)),
            self.global_id.as_ref().map(|ids| ids.on(city::Column::Id, Type::City, scope)),
        ])
    }
}

impl Listed for river::Entity {
    type Args = ();

    const FOLLOWS_FROM_ARGS: bool = true;

    fn rows((): &(), _: &mut Scope) -> Result<(Select<Self>, keyset::Order)> {
        Ok((Self::find(), keyset::Order::of::<Self>([])?))
    }
}

impl Listed for city::Entity {
    type Args = (OrderBy<CitySortField>, Matching<Where<CityConditions>>);

    fn rows((order_by, matching): &Self::Args, scope: &mut Scope) -> Result<(Select<Self>, keyset::Order)> {
        Ok((filter::matching(Self::find(), matching, scope)?, sort::by_columns::<Self, _>(order_by)?))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    City = 1,
    River = 2,
}

impl NodeType for Type {
    const ALL: &[Self] = &[Self::City, Self::River];

    fn tag(self) -> u8 {
        self as u8
    }
}

impl Nodes for Type {
    type Key = i32;

    fn object(self) -> ObjectType<i32> {
        match self {
            Self::City => ObjectType::of::<city::Entity>(),
            Self::River => ObjectType::of::<river::Entity>(),
        }
    }
}
