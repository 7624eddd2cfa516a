//! Declarations that cannot be served: refused when the schema is built.

use async_graphql::{EmptyMutation, EmptySubscription, Enum, InputObject, MergedObject, Schema, SimpleObject};
use keyset_graphql::{
    Comparison, Conditions, Fields, Listed, Matching, OrderBy, Result, RootFields, RootObject, Roots, RowObject, Scope,
    SortField, Where, sort,
};
use sea_orm::{Condition, EntityTrait, Select};

mod note {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "note")]
    pub struct Model {
        #[sea_orm(primary_key)]
        pub id: i32,
        pub tags: Json,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

macro_rules! object {
    ($name:ident, $args:ty, $fields:expr) => {
        enum $name {}

        impl RowObject for $name {
            type Entity = note::Entity;
            const NAME: &str = stringify!($name);

            fn fields(fields: &mut Fields<Self>) {
                fields.column("id", "The key.", note::Column::Id);
                let declare: fn(&mut Fields<Self>) = $fields;
                declare(fields);
            }
        }

        impl Listed for $name {
            type Args = $args;

            fn rows(_: &Self::Args, _: &mut Scope) -> Result<(Select<note::Entity>, keyset::Order)> {
                Ok((note::Entity::find(), keyset::Order::of::<note::Entity>([])?))
            }
        }
    };
}

#[derive(Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "note::Column")]
enum NoteSortField {
    Id,
    Tags,
}

impl SortField for NoteSortField {
    type Column = note::Column;
}

#[derive(InputObject)]
struct WideConditions {
    id: Option<Comparison<i64>>,
}

impl Conditions for WideConditions {
    fn conditions(&self, _: &mut Scope) -> Result<Condition> {
        Ok(Condition::all())
    }
}

#[derive(InputObject, SimpleObject)]
#[graphql(name = "Author", input_name = "AuthorInput")]
struct Author {
    name: String,
}

object!(Ordered, OrderBy<NoteSortField>, |_| ());
object!(Wide, Matching<Where<WideConditions>>, |_| ());
object!(Written, (), |fields| fields.computed("author", "The author.", |_| Author { name: String::new() }));

struct Query<T>(std::marker::PhantomData<fn() -> T>);

impl<T: Listed> RootFields for Query<T> {
    const NAME: &str = "Query";

    fn fields(fields: &mut Roots) {
        fields.list::<T>("notes", "The notes.");
    }
}

#[derive(Default, MergedObject)]
struct OrderedQuery(RootObject<Query<Ordered>>);

#[derive(Default, MergedObject)]
struct WideQuery(RootObject<Query<Wide>>);

#[derive(Default, MergedObject)]
struct WrittenQuery(RootObject<Query<Written>>);

#[test]
#[should_panic(expected = "rows cannot be ordered by `note.tags`: leave TAGS out of NoteSortField")]
fn l7_an_order_by_json_is_refused_when_the_schema_is_built() {
    let _ = Schema::new(OrderedQuery::default(), EmptyMutation, EmptySubscription);
}

#[test]
fn an_order_by_json_is_a_typed_error_where_it_is_built() {
    let order = keyset::Order::of::<note::Entity>([NoteSortField::Tags.sort()]);
    assert_eq!(order, Err(keyset::OrderError::Unsupported("note.tags".into())));
    let order_by = OrderBy(Some(vec![keyset_graphql::Sort::asc(NoteSortField::Tags)]));
    assert!(sort::by_columns::<note::Entity, _>(&order_by).is_err());
}

#[test]
#[should_panic(expected = "expected a comparison of `BigInt`: `Int` does not hold every `i64`")]
fn a_comparison_of_64_bits_as_an_int_is_refused() {
    let _ = Schema::new(WideQuery::default(), EmptyMutation, EmptySubscription);
}

#[test]
#[should_panic(expected = "the field `author` is computed: expected a scalar or an enum, not `Author`")]
fn a_computed_object_is_refused() {
    let _ = Schema::new(WrittenQuery::default(), EmptyMutation, EmptySubscription);
}
