//! The entities of Sakila, in the form in which `sea-orm-cli` writes them; without the column of full-text search.

pub mod actor {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "actor")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub actor_id: i32,
        pub first_name: String,
        pub last_name: String,
        pub last_update: DateTime,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod address {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "address")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub address_id: i32,
        pub address: String,
        pub address2: Option<String>,
        pub district: String,
        pub city_id: i32,
        pub postal_code: Option<String>,
        pub phone: String,
        pub last_update: DateTime,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(belongs_to = "super::city::Entity", from = "Column::CityId", to = "super::city::Column::CityId")]
        City,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod category {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "category")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub category_id: i32,
        pub name: String,
        pub last_update: DateTime,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod city {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "city")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub city_id: i32,
        pub city: String,
        pub country_id: i32,
        pub last_update: DateTime,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::country::Entity",
            from = "Column::CountryId",
            to = "super::country::Column::CountryId"
        )]
        Country,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod country {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "country")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub country_id: i32,
        pub country: String,
        pub last_update: DateTime,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod customer {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "customer")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub customer_id: i32,
        pub store_id: i32,
        pub first_name: String,
        pub last_name: String,
        pub email: Option<String>,
        pub address_id: i32,
        pub activebool: bool,
        pub create_date: Date,
        pub last_update: Option<DateTime>,
        pub active: Option<i32>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::address::Entity",
            from = "Column::AddressId",
            to = "super::address::Column::AddressId"
        )]
        Address,
        #[sea_orm(belongs_to = "super::store::Entity", from = "Column::StoreId", to = "super::store::Column::StoreId")]
        Store,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod film {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
    #[sea_orm(rs_type = "String", db_type = "Enum", enum_name = "mpaa_rating")]
    pub enum MpaaRating {
        #[sea_orm(string_value = "G")]
        G,
        #[sea_orm(string_value = "PG")]
        Pg,
        #[sea_orm(string_value = "PG-13")]
        Pg13,
        #[sea_orm(string_value = "R")]
        R,
        #[sea_orm(string_value = "NC-17")]
        Nc17,
    }

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "film")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub film_id: i32,
        pub title: String,
        #[sea_orm(column_type = "Text", nullable)]
        pub description: Option<String>,
        pub release_year: Option<i32>,
        pub language_id: i32,
        pub original_language_id: Option<i32>,
        pub rental_duration: i16,
        #[sea_orm(column_type = "Decimal(Some((4, 2)))")]
        pub rental_rate: Decimal,
        pub length: Option<i16>,
        #[sea_orm(column_type = "Decimal(Some((5, 2)))")]
        pub replacement_cost: Decimal,
        pub rating: Option<MpaaRating>,
        pub last_update: DateTime,
        pub special_features: Option<Vec<String>>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::language::Entity",
            from = "Column::LanguageId",
            to = "super::language::Column::LanguageId"
        )]
        Language,
        #[sea_orm(
            belongs_to = "super::language::Entity",
            from = "Column::OriginalLanguageId",
            to = "super::language::Column::LanguageId"
        )]
        OriginalLanguage,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod film_actor {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "film_actor")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub actor_id: i32,
        #[sea_orm(primary_key, auto_increment = false)]
        pub film_id: i32,
        pub last_update: DateTime,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(belongs_to = "super::actor::Entity", from = "Column::ActorId", to = "super::actor::Column::ActorId")]
        Actor,
        #[sea_orm(belongs_to = "super::film::Entity", from = "Column::FilmId", to = "super::film::Column::FilmId")]
        Film,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod film_category {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "film_category")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub film_id: i32,
        #[sea_orm(primary_key, auto_increment = false)]
        pub category_id: i32,
        pub last_update: DateTime,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::category::Entity",
            from = "Column::CategoryId",
            to = "super::category::Column::CategoryId"
        )]
        Category,
        #[sea_orm(belongs_to = "super::film::Entity", from = "Column::FilmId", to = "super::film::Column::FilmId")]
        Film,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod inventory {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "inventory")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub inventory_id: i32,
        pub film_id: i32,
        pub store_id: i32,
        pub last_update: DateTime,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(belongs_to = "super::film::Entity", from = "Column::FilmId", to = "super::film::Column::FilmId")]
        Film,
        #[sea_orm(belongs_to = "super::store::Entity", from = "Column::StoreId", to = "super::store::Column::StoreId")]
        Store,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod language {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "language")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub language_id: i32,
        #[sea_orm(column_type = "Char(Some(20))")]
        pub name: String,
        pub last_update: DateTime,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod payment {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "payment")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub payment_id: i32,
        pub customer_id: i32,
        pub staff_id: i32,
        pub rental_id: i32,
        #[sea_orm(column_type = "Decimal(Some((5, 2)))")]
        pub amount: Decimal,
        pub payment_date: DateTime,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::customer::Entity",
            from = "Column::CustomerId",
            to = "super::customer::Column::CustomerId"
        )]
        Customer,
        #[sea_orm(
            belongs_to = "super::rental::Entity",
            from = "Column::RentalId",
            to = "super::rental::Column::RentalId"
        )]
        Rental,
        #[sea_orm(belongs_to = "super::staff::Entity", from = "Column::StaffId", to = "super::staff::Column::StaffId")]
        Staff,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod rental {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "rental")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub rental_id: i32,
        pub rental_date: DateTime,
        pub inventory_id: i32,
        pub customer_id: i32,
        pub return_date: Option<DateTime>,
        pub staff_id: i32,
        pub last_update: DateTime,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::customer::Entity",
            from = "Column::CustomerId",
            to = "super::customer::Column::CustomerId"
        )]
        Customer,
        #[sea_orm(
            belongs_to = "super::inventory::Entity",
            from = "Column::InventoryId",
            to = "super::inventory::Column::InventoryId"
        )]
        Inventory,
        #[sea_orm(belongs_to = "super::staff::Entity", from = "Column::StaffId", to = "super::staff::Column::StaffId")]
        Staff,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod staff {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "staff")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub staff_id: i32,
        pub first_name: String,
        pub last_name: String,
        pub address_id: i32,
        pub email: Option<String>,
        pub store_id: i32,
        pub active: bool,
        pub username: String,
        pub password: Option<String>,
        pub last_update: DateTime,
        pub picture: Option<Vec<u8>>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::address::Entity",
            from = "Column::AddressId",
            to = "super::address::Column::AddressId"
        )]
        Address,
        #[sea_orm(belongs_to = "super::store::Entity", from = "Column::StoreId", to = "super::store::Column::StoreId")]
        Store,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod store {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "store")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub store_id: i32,
        #[sea_orm(unique)]
        pub manager_staff_id: i32,
        pub address_id: i32,
        pub last_update: DateTime,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::address::Entity",
            from = "Column::AddressId",
            to = "super::address::Column::AddressId"
        )]
        Address,
        #[sea_orm(
            belongs_to = "super::staff::Entity",
            from = "Column::ManagerStaffId",
            to = "super::staff::Column::StaffId"
        )]
        ManagerStaff,
    }

    impl ActiveModelBehavior for ActiveModel {}
}
