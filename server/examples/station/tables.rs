//! The tables.

pub mod sensor {
    use sea_orm::entity::prelude::*;
    #[sea_orm::model]
    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "sensor")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: Uuid,
        #[sea_orm(column_type = "String(StringLen::N(100))")]
        pub name: String,
        pub year: i32,
    }
    impl ActiveModelBehavior for ActiveModel {}
}

pub mod reading {
    use sea_orm::entity::prelude::*;
    #[sea_orm::model]
    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "reading")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: Uuid,
        pub value: i16,
        pub sensor_id: Uuid,
        #[sea_orm(belongs_to, from = "sensor_id", to = "id")]
        pub sensor: BelongsTo<super::sensor::Entity>,
    }
    impl ActiveModelBehavior for ActiveModel {}
}

pub mod repair {
    use sea_orm::entity::prelude::*;
    #[sea_orm::model]
    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "repair")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: Uuid,
        #[sea_orm(column_type = "Decimal(Some((10, 2)))")]
        pub cost: Decimal,
        pub sensor_id: Uuid,
        #[sea_orm(belongs_to, from = "sensor_id", to = "id")]
        pub sensor: BelongsTo<super::sensor::Entity>,
    }
    impl ActiveModelBehavior for ActiveModel {}
}
