//! From a table to its pages: `cargo run -p keyset --example cities`.

use keyset::{Order, Page, Sort};
use sea_orm::prelude::*;
use sea_orm::{Database, IntoActiveModel, Schema};

mod city {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "city")]
    pub struct Model {
        #[sea_orm(primary_key)]
        pub id: i32,
        pub name: String,
        pub people: Option<i64>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = Database::connect("sqlite::memory:").await?;
    db.execute(&Schema::new(db.get_database_backend()).create_table_from_entity(city::Entity)).await?;
    let cities =
        [("Lagos", Some(16)), ("Atlantis", None), ("Tokyo", Some(37)), ("Lima", Some(11)), ("Cairo", Some(22))];
    for (id, (name, people)) in (1..).zip(cities) {
        let row = city::Model { id, name: name.into(), people };
        city::Entity::insert(row.into_active_model()).exec(&db).await?;
    }

    // The largest city first, NULLs last. The order appends the primary key, which orders the ties.
    let order = Order::of::<city::Entity>([Sort::desc(city::Column::People)])?;
    let mut page = Page::first(&order, 2);
    loop {
        let slice = keyset::fetch(&db, city::Entity::find(), &page).await?;

        let names: Vec<&str> = slice.rows.iter().map(|row| row.item.name.as_str()).collect();
        println!("{names:?}, more before: {}, more after: {}", slice.has_previous, slice.has_next);
        let Some(last) = slice.rows.last().filter(|_| slice.has_next) else { break };
        // For a client, `order.seal(&last.key)` is the cursor, and `Page::new` opens it.
        page = page.after(last.key.clone())?;
    }
    Ok(())
}
