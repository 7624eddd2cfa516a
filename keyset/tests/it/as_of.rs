//! Pages that do not shift when rows are inserted.

use chrono::DateTime;
use keyset::{Args, Limits, Order, Page, Sort, as_of, fetch};
use sea_orm::prelude::*;
use sea_orm::{IntoActiveModel, Schema};
use testdb::TestDb;

mod event {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "event")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: Uuid,
        pub size: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// An event of this millisecond.
fn event(millis: u64, size: i32) -> event::Model {
    let bytes = [u8::try_from(size).unwrap(); 10];
    event::Model { id: uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid(), size }
}

#[tokio::test]
async fn rows_made_after_the_walk_began_are_not_in_it() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    let table = Schema::new(db.get_database_backend()).create_table_from_entity(event::Entity);
    db.execute(&table).await.unwrap();
    let insert = async |events: &[event::Model]| {
        let rows = events.iter().cloned().map(IntoActiveModel::into_active_model);
        event::Entity::insert_many(rows).exec(&db).await.unwrap();
    };
    insert(&[event(1_000, 5), event(1_000, 3), event(2_000, 4), event(2_000, 200)]).await;
    let began = DateTime::from_timestamp_millis(2_000).unwrap();

    for sorts in [vec![], vec![Sort::desc(event::Column::Id)], vec![Sort::asc(event::Column::Size)]] {
        let order = Order::of::<event::Entity>(sorts).unwrap();
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let args = Args { first: Some(1), after: after.clone(), ..Args::default() };
            let page = Page::new(&args, &order, Limits::default()).unwrap();
            let rows = event::Entity::find().filter(as_of(event::Column::Id, began));
            let slice = fetch(&db, rows, &page).await.unwrap();
            // Rows are inserted between any two pages, before and after the position.
            insert(&[event(2_001 + seen.len() as u64, 1), event(3_000 + seen.len() as u64, 9)]).await;
            seen.extend(slice.rows.iter().map(|row| row.item.size));
            after = slice.rows.last().map(|row| order.seal(&row.key).unwrap().into());
            if !slice.has_next {
                break;
            }
        }
        seen.sort_unstable();
        assert_eq!(seen, [3, 4, 5, 200], "{order}");
        event::Entity::delete_many().filter(event::Column::Size.is_in([1, 9])).exec(&db).await.unwrap();
    }
    let none = event::Entity::find().filter(as_of(event::Column::Id, DateTime::from_timestamp_millis(-5).unwrap()));
    assert_eq!(none.all(&db).await.unwrap(), []);
}
