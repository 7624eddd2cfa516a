//! The tables.

pub mod tenant {
    use sea_orm::entity::prelude::*;
    #[sea_orm::model]
    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "tenant")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub slug: String,
        pub name: String,
    }
    impl ActiveModelBehavior for ActiveModel {}
}

pub mod account {
    use sea_orm::entity::prelude::*;
    #[sea_orm::model]
    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "account")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: Uuid,
        pub tenant_slug: String,
        #[sea_orm(unique)]
        pub email: String,
        #[sea_orm(belongs_to, from = "tenant_slug", to = "slug")]
        pub tenant: BelongsTo<super::tenant::Entity>,
    }
    impl ActiveModelBehavior for ActiveModel {}
}

pub mod project {
    use sea_orm::entity::prelude::*;
    #[sea_orm::model]
    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "project")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: Uuid,
        pub tenant_slug: String,
        pub name: String,
        #[sea_orm(column_type = "JsonBinary", nullable)]
        pub settings: Option<Json>,
        #[sea_orm(belongs_to, from = "tenant_slug", to = "slug")]
        pub tenant: BelongsTo<super::tenant::Entity>,
    }
    impl ActiveModelBehavior for ActiveModel {}
}

pub mod member {
    use sea_orm::entity::prelude::*;
    #[derive(Clone, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
    #[sea_orm(rs_type = "String", db_type = "Enum", enum_name = "role", rename_all = "snake_case")]
    pub enum Role {
        Reader,
        Editor,
        Owner,
    }
    #[sea_orm::model]
    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "member")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub project_id: Uuid,
        #[sea_orm(primary_key, auto_increment = false)]
        pub account_id: Uuid,
        pub role: Role,
        #[sea_orm(belongs_to, from = "project_id", to = "id")]
        pub project: BelongsTo<super::project::Entity>,
        #[sea_orm(belongs_to, from = "account_id", to = "id")]
        pub account: BelongsTo<super::account::Entity>,
    }
    impl ActiveModelBehavior for ActiveModel {}
}

pub mod task {
    use sea_orm::entity::prelude::*;
    #[sea_orm::model]
    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "task")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: Uuid,
        pub project_id: Uuid,
        pub parent_id: Option<Uuid>,
        pub title: String,
        #[sea_orm(default_value = false)]
        pub is_done: bool,
        #[sea_orm(belongs_to, from = "project_id", to = "id")]
        pub project: BelongsTo<super::project::Entity>,
        #[sea_orm(self_ref, relation_enum = "Parent", from = "parent_id", to = "id")]
        pub parent: BelongsTo<Option<Entity>>,
    }
    impl ActiveModelBehavior for ActiveModel {}
}

pub mod comment {
    use sea_orm::entity::prelude::*;
    #[sea_orm::model]
    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "comment")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: Uuid,
        pub task_id: Uuid,
        pub account_id: Uuid,
        pub text: String,
        #[sea_orm(belongs_to, from = "task_id", to = "id")]
        pub task: BelongsTo<super::task::Entity>,
        #[sea_orm(belongs_to, from = "account_id", to = "id")]
        pub account: BelongsTo<super::account::Entity>,
    }
    impl ActiveModelBehavior for ActiveModel {}
}
