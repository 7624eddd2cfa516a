//! The generic inputs: what a schema says about them, and what they read.

use async_graphql::{EmptyMutation, EmptySubscription, Enum, InputObject, InputType, Object, Schema, Value, value};
use keyset_graphql::filter::{Filter, Scope, all};
use keyset_graphql::{Comparison, Conditions, Logic, NullableComparison, Sort, Where};
use sea_orm::sea_query::{Query as Sql, SqliteQueryBuilder};
use sea_orm::tests_cfg::cake::{Column, Entity};
use sea_orm::{Condition, Database};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
enum CakeSortField {
    Id,
    Name,
}

#[derive(Clone, Debug, InputObject)]
struct CakeConditions {
    id: Option<Comparison<i32>>,
    slices: Option<NullableComparison<i32>>,
}

impl Conditions for CakeConditions {
    fn conditions(&self, scope: &mut Scope) -> keyset_graphql::Result<Condition> {
        all([
            self.id.as_ref().map(|ids| ids.on(Column::Id, scope)),
            self.slices.as_ref().map(|slices| slices.on(Column::Name, scope)),
        ])
    }
}

/// The filter as an input object of the application's own.
#[derive(Clone, Debug, InputObject)]
struct OwnFilter {
    id: Option<Comparison<i32>>,
    #[graphql(flatten)]
    logic: Logic<OwnFilter>,
}

impl Filter for OwnFilter {
    fn logic(&self) -> &Logic<Self> {
        &self.logic
    }

    fn fields(&self, scope: &mut Scope) -> keyset_graphql::Result<Condition> {
        all([self.id.as_ref().map(|ids| ids.on(Column::Id, scope))])
    }
}

struct Query;

#[Object]
impl Query {
    async fn cakes(
        &self,
        order_by: Option<Vec<Sort<CakeSortField>>>,
        filter: Option<Where<CakeConditions>>,
        own: Option<OwnFilter>,
    ) -> String {
        format!("{}, {}, {}", order_by.map_or(0, |sorts| sorts.len()), filter.is_some(), own.is_some())
    }
}

#[test]
fn the_schema_describes_the_inputs() {
    let schema = Schema::new(Query, EmptyMutation, EmptySubscription);
    insta::assert_snapshot!(schema.sdl());
}

#[tokio::test]
async fn inputs_pass_the_validation_of_a_document() {
    let schema = Schema::new(Query, EmptyMutation, EmptySubscription);
    let query = "{ cakes(orderBy: [{ field: NAME, nulls: FIRST }, { field: ID }], \
                 filter: { id: { gt: 1 }, or: [{ slices: { isNull: true } }], not: { and: [] } }, \
                 own: { not: { id: { in: [1] } } }) }";
    let response = schema.execute(query).await;
    assert_eq!(response.data, value!({ "cakes": "2, true, true" }), "{:?}", response.errors);

    for refused in ["orderBy: { direction: ASC }", "filter: { name: 1 }", "filter: { id: { isNull: true } }"] {
        assert!(schema.execute(format!("{{ cakes({refused}) }}")).await.is_err(), "{refused}");
    }
}

/// An input, read and written again.
fn read<T: InputType>(value: Value) -> Option<Value> {
    T::parse(Some(value)).ok().map(|input| input.to_value())
}

#[test]
fn a_sort_has_defaults() {
    let written = value!({ "field": "NAME", "direction": "ASC", "nulls": "LAST" });
    assert_eq!(read::<Sort<CakeSortField>>(value!({ "field": "NAME" })), Some(written));
    let descending = value!({ "field": "ID", "direction": "DESC", "nulls": "FIRST" });
    assert_eq!(read::<Sort<CakeSortField>>(descending.clone()), Some(descending));
    for refused in [value!({}), value!({ "field": "CREAM" }), value!({ "field": "ID", "nulls": null }), value!(1)] {
        assert_eq!(read::<Sort<CakeSortField>>(refused.clone()), None, "{refused}");
    }
}

#[test]
fn a_comparison_comes_back() {
    let given = value!({
        "eq": 1, "ne": 2, "in": [3], "notIn": [], "lt": null, "lte": 4, "gt": 5, "gte": 6, "isNull": false
    });
    assert_eq!(read::<NullableComparison<i32>>(given.clone()), Some(given));
    assert_eq!(read::<NullableComparison<i32>>(value!({ "isNull": 1 })), None);
    assert_eq!(read::<Comparison<i32>>(value!({ "in": ["a"] })), None);
    assert_eq!(read::<Comparison<i32>>(value!([])), None);
}

/// The condition of a filter as SQL.
async fn sql<F: Filter>(value: Value) -> String {
    let db = Database::connect("sqlite::memory:").await.unwrap();
    let filter = F::parse(Some(value)).ok().unwrap();
    let condition = filter.condition(&mut Scope::new(&db)).ok().unwrap();
    Sql::select().from(Entity).cond_where(condition).to_string(SqliteQueryBuilder)
}

#[tokio::test]
async fn conditions_and_logic_combine() {
    let filter = value!({ "id": { "gt": 1 }, "or": [{ "id": { "eq": 2 } }], "not": { "id": { "in": [3, 4] } } });
    insta::assert_snapshot!(sql::<Where<CakeConditions>>(filter.clone()).await);
    assert_eq!(sql::<Where<CakeConditions>>(filter.clone()).await, sql::<OwnFilter>(filter).await);
}
