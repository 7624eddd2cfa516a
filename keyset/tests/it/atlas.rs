//! A small table with ties and NULLs, and every order over its columns.

use sea_orm::entity::prelude::*;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, IntoActiveModel, Schema};

use keyset::{Direction, Nulls, Order, Sort};
use testdb::{Statements, TestDb};

pub mod city {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "city")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub people: Option<i64>,
        pub river: Option<String>,
        pub rank: i16,
        pub age: Option<i16>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub use city::{Column, Entity as City, Model};

/// Twelve cities. Every sort column has ties, and NULLs if it can.
pub fn cities() -> Vec<Model> {
    let people = [None, Some(1), Some(2), Some(2), None, Some(-3)];
    let river = [Some("elbe"), None, Some("ganges"), Some("elbe")];
    (0..12)
        .map(|n: i32| Model {
            // Not in the order of another column.
            id: n * 7 % 12,
            people: people[usize::try_from(n).unwrap() % 6],
            river: river[usize::try_from(n).unwrap() % 4].map(String::from),
            rank: i16::try_from(n % 3).unwrap(),
            age: [Some(800), None, Some(-1)][usize::try_from(n / 2).unwrap() % 3],
        })
        .collect()
}

pub async fn create(db: &DatabaseConnection, cities: &[Model]) {
    let table = Schema::new(db.get_database_backend()).create_table_from_entity(City);
    db.execute(&table).await.unwrap();
    insert(db, cities).await;
}

/// A database of the twelve cities, and a recorder of the statements that run on it.
pub async fn recorded() -> (TestDb, DatabaseConnection, Statements) {
    let test = TestDb::new().await;
    let mut db = test.connect().await;
    create(&db, &cities()).await;
    let statements = Statements::record(&mut db);
    (test, db, statements)
}

pub async fn insert(db: &DatabaseConnection, cities: &[Model]) {
    let rows = cities.iter().cloned().map(IntoActiveModel::into_active_model);
    City::insert_many(rows).exec(db).await.unwrap();
}

/// A sort in a form that the naive twin can read.
pub type Criterion = (Column, Direction, Nulls);

pub fn order(criteria: &[Criterion]) -> Order {
    let sorts = criteria.iter().map(|(column, direction, nulls)| Sort::column(*column, *direction).nulls(*nulls));
    Order::of::<City>(sorts).unwrap()
}

/// Every order of at most `length` sorts over different columns, one of which is never NULL.
pub fn orders(length: usize) -> Vec<Vec<Criterion>> {
    orders_over([Column::People, Column::River, Column::Rank], length)
}

/// Every order of at most `length` sorts over different columns of these.
pub fn orders_over(columns: [Column; 3], length: usize) -> Vec<Vec<Criterion>> {
    let mut all = vec![vec![]];
    let mut longest = all.clone();
    for _ in 0..length {
        longest = longest.iter().flat_map(|order| extensions(columns, order)).collect();
        all.extend(longest.clone());
    }
    all
}

/// All of these cases on SQLite, and every third one on PostgreSQL, where each takes several times as long. Cases beside each other differ in one
/// part, so a third of them has each part with each other one.
pub fn affordable<T>(db: &DatabaseConnection, cases: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    cases.into_iter().step_by(if db.get_database_backend() == DbBackend::Postgres { 3 } else { 1 })
}

fn extensions(columns: [Column; 3], order: &[Criterion]) -> Vec<Vec<Criterion>> {
    let unused = columns.into_iter().filter(|column| order.iter().all(|(used, ..)| used.as_str() != column.as_str()));
    let mut all = Vec::new();
    for column in unused {
        for direction in [Direction::Asc, Direction::Desc] {
            for nulls in [Nulls::First, Nulls::Last] {
                if nulls == Nulls::Last || column.def().is_null() {
                    all.push([order, &[(column, direction, nulls)]].concat());
                }
            }
        }
    }
    all
}
