//! Rows that follow from more than the arguments of a list.

use std::sync::Arc;

use async_graphql::MergedObject;
use async_graphql::parser::parse_query;
use keyset_graphql::{
    Declaration, Fields, Listed, Plans, Reader, Result, RootFields, RootObject, Roots, RowObject, Scope,
};
use sea_orm::{ActiveValue::Set, ColumnTrait as _, ConnectionTrait as _, EntityTrait, QueryFilter as _, Select};
use testdb::TestDb;

tokio::task_local! {
    static TENANT: i32;
}

mod document {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "document")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub tenant: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

fn of_tenant() -> Result<(Select<document::Entity>, keyset::Order)> {
    let rows = document::Entity::find().filter(document::Column::Tenant.eq(TENANT.get()));
    Ok((rows, keyset::Order::of::<document::Entity>([])?))
}

impl RowObject for document::Entity {
    type Entity = Self;
    const NAME: &str = "Document";

    fn fields(fields: &mut Fields<Self>) {
        fields.column("id", "The key.", document::Column::Id);
    }
}

impl Listed for document::Entity {
    type Args = ();

    fn rows((): &(), _: &mut Scope) -> Result<(Select<Self>, keyset::Order)> {
        of_tenant()
    }
}

/// A list that makes a promise which it does not keep.
enum Promised {}

impl RowObject for Promised {
    type Entity = document::Entity;
    const NAME: &str = "Promised";

    fn fields(fields: &mut Fields<Self>) {
        fields.column("id", "The key.", document::Column::Id);
    }
}

impl Listed for Promised {
    type Args = ();

    const FOLLOWS_FROM_ARGS: bool = true;

    fn rows((): &(), _: &mut Scope) -> Result<(Select<document::Entity>, keyset::Order)> {
        of_tenant()
    }
}

#[derive(Default, MergedObject)]
struct Query(RootObject<Query>);

impl RootFields for Query {
    const NAME: &str = "Query";

    fn fields(fields: &mut Roots) {
        fields.list::<document::Entity>("documents", "The documents of the tenant.");
        fields.list::<Promised>("promised", "The same.");
    }
}

/// The responses of each tenant in turn, with one document and its plans.
async fn responses(query: &str) -> Vec<(i32, String)> {
    let database = TestDb::new().await;
    let db = database.connect().await;
    let table = sea_orm::Schema::new(db.get_database_backend()).create_table_from_entity(document::Entity);
    db.execute(&table).await.unwrap();
    let rows = [(1, 1), (2, 2), (3, 1)].map(|(id, tenant)| document::ActiveModel { id: Set(id), tenant: Set(tenant) });
    document::Entity::insert_many(rows).exec(&db).await.unwrap();
    let reader = Reader::new(db);
    let plans = Plans::of(parse_query(query).unwrap(), Arc::new(Declaration::of::<Query>()));
    let mut responses = Vec::new();
    for tenant in [1, 2, 1, 2] {
        let (_, operation) = plans.document().operations.iter().next().unwrap();
        let (planned, variables) = (plans.query(operation), async_graphql::Variables::default());
        let resolve = |_| unreachable!("all fields are declared");
        let response = TENANT.scope(tenant, planned.execute(&reader, &variables, &resolve)).await;
        let mut json = Vec::new();
        keyset_graphql::json::write(&response.data, &mut json);
        responses.push((tenant, String::from_utf8(json).unwrap()));
    }
    responses
}

#[tokio::test]
async fn m3_no_plan_keeps_the_rows_of_one_tenant_for_another() {
    for (tenant, response) in responses("{ documents { totalCount nodes { id } } }").await {
        let expected = match tenant {
            1 => r#"{"documents":{"totalCount":2,"nodes":[{"id":1},{"id":3}]}}"#,
            _ => r#"{"documents":{"totalCount":1,"nodes":[{"id":2}]}}"#,
        };
        assert_eq!(response, expected, "of tenant {tenant}");
    }
}

/// In a debug build. The first tenant has its own rows, and the other one none instead of those.
#[tokio::test]
async fn m3_a_list_whose_rows_do_not_follow_from_its_arguments_fails_where_it_says_so() {
    for (tenant, response) in responses("{ promised { nodes { id } } }").await {
        let expected = match tenant {
            1 => r#"{"promised":{"nodes":[{"id":1},{"id":3}]}}"#,
            _ => r#"{"promised":null}"#,
        };
        assert_eq!(response, expected, "of tenant {tenant}");
    }
}
