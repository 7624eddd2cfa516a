//! Rivers and cities: the tables, their objects and their lists.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, LazyLock};

use async_graphql::InputType;
use bookends_graphql::input::InputFields;
use bookends_graphql::{Arguments, Declaration, Declaring, KeyArguments, ObjectType, Result, RowObject};
use sea_orm::Value;

use crate::service;

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

pub mod land {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "land")]
    pub struct Model {
        /// By such a column, rows have no order.
        #[sea_orm(primary_key, auto_increment = false, column_type = "Char(Some(3))")]
        pub code: String,
        pub name: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

impl RowObject for river::Entity {
    type Entity = Self;
    const NAME: &str = "River";
}

impl RowObject for city::Entity {
    type Entity = Self;
    const NAME: &str = "City";
}

impl RowObject for land::Entity {
    type Entity = Self;
    const NAME: &str = "Land";
}

fn rivers() -> ObjectType {
    let mut rivers = ObjectType::named::<river::Entity>();
    rivers.id(2).describe("The global id.");
    rivers.column(river::Column::Name).describe("The name.");
    rivers.to_one("into", "River", &[river::Column::IntoId.into()]).describe("The river that it flows into.");
    rivers.list("cities", "City", city::Column::RiverId).describe("The cities on it.");
    service::of_rivers(&mut rivers);
    rivers.list("tributaries", "River", river::Column::IntoId).describe("The rivers that flow into it.");
    rivers
}

fn cities() -> ObjectType {
    let mut cities = ObjectType::named::<city::Entity>();
    cities.id(1).describe("The global id.");
    cities.column(city::Column::Id).rename("key").describe("The key.");
    cities.column(city::Column::Name).describe("The name.");
    cities.column(city::Column::People).describe("The number of inhabitants, in thousands.");
    cities.computed::<city::Entity, _>("size", |city| city.name.len()).describe("The number of letters of its name.");
    cities.to_one("river", "River", &[city::Column::RiverId.into()]).describe("The river that it is on.");
    cities.to_one("twin", "City", &[city::Column::TwinId.into()]).describe("Its twin.");
    service::of_cities(&mut cities);
    let mut river = cities.beside::<river::Entity>(city::Column::RiverId, river::Column::Id);
    river.column(river::Column::Name).rename("riverName").describe("The name of its river.");
    river
        .computed::<river::Entity, _>("isOnTributary", |river| river.is_some_and(|river| river.into_id.is_some()))
        .describe("Whether its river flows into another.");
    cities
}

fn lands() -> ObjectType {
    let mut lands = ObjectType::named::<land::Entity>();
    lands.column(land::Column::Name).describe("The name.");
    lands
}

/// An argument of this name: a key.
#[derive(Debug)]
struct Key<T>(&'static str, PhantomData<T>);

impl<T: InputType + Into<Value> + fmt::Debug + 'static> KeyArguments for Key<T> {
    fn describe(&self, arguments: &mut InputFields<'_>) {
        arguments.field::<T>(self.0, "The key.");
    }

    fn key(&self, arguments: &Arguments<'_>, _: &Declaration, _: &ObjectType) -> Result<Vec<Value>> {
        Ok(vec![arguments.get::<T>(self.0)?.into()])
    }
}

static DECLARATION: LazyLock<Arc<Declaration>> = LazyLock::new(|| {
    let mut atlas = Declaring::new("Query");
    atlas.object(rivers()).object(cities()).object(lands()).nodes();
    atlas.list("rivers", "River").describe("The rivers.");
    atlas.list("cities", "City").describe("The cities.");
    atlas.find("city", "City", Key::<i32>("id", PhantomData)).describe("The city with this key.");
    atlas.find("land", "Land", Key::<String>("code", PhantomData)).describe("The land with this key.");
    atlas.check().unwrap()
});

/// Rivers and cities.
pub fn declaration() -> Arc<Declaration> {
    Arc::clone(&DECLARATION)
}
