//! Orders over the columns of a joined table.

use keyset::{Args, Limits, Order, Page, Sort, fetch_into};
use sea_orm::prelude::*;
use sea_orm::{ConnectionTrait, FromQueryResult, JoinType, QuerySelect, RelationDef, Schema};
use testdb::TestDb;

use crate::atlas::{self, City, Column};

mod title {
    use sea_orm::entity::prelude::*;

    /// The title of a rank. Some ranks have no title.
    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "title")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub rank: i16,
        #[sea_orm(unique)]
        pub text: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

#[derive(Debug, PartialEq, FromQueryResult)]
struct Titled {
    id: i32,
    title: Option<String>,
}

/// The title is unique and never NULL in its own table. In the join it repeats, and is NULL for ranks without a title.
#[tokio::test]
async fn a_column_of_a_joined_table_repeats_and_can_be_null() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    let cities = atlas::cities();
    atlas::create(&db, &cities).await;
    db.execute(&Schema::new(db.get_database_backend()).create_table_from_entity(title::Entity)).await.unwrap();
    db.execute_unprepared("INSERT INTO title VALUES (0, 'town'), (1, 'capital')").await.unwrap();
    let relation: RelationDef = City::belongs_to(title::Entity).from(Column::Rank).to(title::Column::Rank).into();
    let titled = || {
        City::find()
            .join(JoinType::LeftJoin, relation.clone())
            .select_only()
            .column(Column::Id)
            .column_as(title::Column::Text, "title")
    };
    let order = Order::of::<City>([Sort::asc(title::Column::Text)]).unwrap();
    assert_eq!(order.to_string(), "title.text ASC NULLS LAST, city.id ASC");

    let title = |rank| match rank {
        0 => Some("town".to_owned()),
        1 => Some("capital".to_owned()),
        _ => None,
    };
    let mut expected: Vec<_> = cities.iter().map(|city| Titled { id: city.id, title: title(city.rank) }).collect();
    expected.sort_by_key(|city| (city.title.is_none(), city.title.clone(), city.id));

    // No index spans a join, so an order over it may be computed. That must include the NULLs.
    let computed = Order::of::<City>([Sort::asc(title::Column::Text).computed()]).unwrap();
    for (order, forward) in [(&order, true), (&order, false), (&computed, true), (&computed, false)] {
        let (mut pages, mut cursor) = (Vec::new(), None);
        loop {
            let args = if forward {
                Args { first: Some(1), after: cursor.clone(), ..Args::default() }
            } else {
                Args { last: Some(1), before: cursor.clone(), ..Args::default() }
            };
            let page = Page::new(&args, order, Limits::default()).unwrap();
            let slice = fetch_into::<Titled, _, _>(&db, titled(), &page).await.unwrap();
            let more = if forward { slice.has_next } else { slice.has_previous };
            for row in slice.rows {
                cursor = Some(order.seal(&row.key).unwrap().into());
                pages.push(row.item);
            }
            if !more {
                break;
            }
        }
        if !forward {
            pages.reverse();
        }
        assert_eq!(pages, expected);
    }
}
