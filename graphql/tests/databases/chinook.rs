//! The entities of Chinook, in the form in which `sea-orm-cli` writes them.

pub mod album {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "album")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub album_id: i32,
        pub title: String,
        pub artist_id: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::artist::Entity",
            from = "Column::ArtistId",
            to = "super::artist::Column::ArtistId"
        )]
        Artist,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod artist {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "artist")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub artist_id: i32,
        pub name: Option<String>,
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
        pub first_name: String,
        pub last_name: String,
        pub company: Option<String>,
        pub address: Option<String>,
        pub city: Option<String>,
        pub state: Option<String>,
        pub country: Option<String>,
        pub postal_code: Option<String>,
        pub phone: Option<String>,
        pub fax: Option<String>,
        pub email: String,
        pub support_rep_id: Option<i32>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::employee::Entity",
            from = "Column::SupportRepId",
            to = "super::employee::Column::EmployeeId"
        )]
        SupportRep,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod employee {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "employee")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub employee_id: i32,
        pub last_name: String,
        pub first_name: String,
        pub title: Option<String>,
        pub reports_to: Option<i32>,
        pub birth_date: Option<DateTime>,
        pub hire_date: Option<DateTime>,
        pub address: Option<String>,
        pub city: Option<String>,
        pub state: Option<String>,
        pub country: Option<String>,
        pub postal_code: Option<String>,
        pub phone: Option<String>,
        pub fax: Option<String>,
        pub email: Option<String>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(belongs_to = "Entity", from = "Column::ReportsTo", to = "Column::EmployeeId")]
        SelfRef,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod genre {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "genre")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub genre_id: i32,
        pub name: Option<String>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod invoice {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "invoice")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub invoice_id: i32,
        pub customer_id: i32,
        pub invoice_date: DateTime,
        pub billing_address: Option<String>,
        pub billing_city: Option<String>,
        pub billing_state: Option<String>,
        pub billing_country: Option<String>,
        pub billing_postal_code: Option<String>,
        #[sea_orm(column_type = "Decimal(Some((10, 2)))")]
        pub total: Decimal,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::customer::Entity",
            from = "Column::CustomerId",
            to = "super::customer::Column::CustomerId"
        )]
        Customer,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod invoice_line {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "invoice_line")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub invoice_line_id: i32,
        pub invoice_id: i32,
        pub track_id: i32,
        #[sea_orm(column_type = "Decimal(Some((10, 2)))")]
        pub unit_price: Decimal,
        pub quantity: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::invoice::Entity",
            from = "Column::InvoiceId",
            to = "super::invoice::Column::InvoiceId"
        )]
        Invoice,
        #[sea_orm(belongs_to = "super::track::Entity", from = "Column::TrackId", to = "super::track::Column::TrackId")]
        Track,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod media_type {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "media_type")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub media_type_id: i32,
        pub name: Option<String>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod playlist {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "playlist")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub playlist_id: i32,
        pub name: Option<String>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod playlist_track {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "playlist_track")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub playlist_id: i32,
        #[sea_orm(primary_key, auto_increment = false)]
        pub track_id: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::playlist::Entity",
            from = "Column::PlaylistId",
            to = "super::playlist::Column::PlaylistId"
        )]
        Playlist,
        #[sea_orm(belongs_to = "super::track::Entity", from = "Column::TrackId", to = "super::track::Column::TrackId")]
        Track,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod track {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "track")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub track_id: i32,
        pub name: String,
        pub album_id: Option<i32>,
        pub media_type_id: i32,
        pub genre_id: Option<i32>,
        pub composer: Option<String>,
        pub milliseconds: i32,
        pub bytes: Option<i32>,
        #[sea_orm(column_type = "Decimal(Some((10, 2)))")]
        pub unit_price: Decimal,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(belongs_to = "super::album::Entity", from = "Column::AlbumId", to = "super::album::Column::AlbumId")]
        Album,
        #[sea_orm(belongs_to = "super::genre::Entity", from = "Column::GenreId", to = "super::genre::Column::GenreId")]
        Genre,
        #[sea_orm(
            belongs_to = "super::media_type::Entity",
            from = "Column::MediaTypeId",
            to = "super::media_type::Column::MediaTypeId"
        )]
        MediaType,
    }

    impl ActiveModelBehavior for ActiveModel {}
}
