//! Random rows, orders, filters and arguments, with rows deleted, inserted and changed between the pages.

use keyset::{Args, Direction, End, Key, Nulls, Page, fetch, fetch_around};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sea_orm::prelude::*;
use sea_orm::{Condition, DatabaseConnection, IntoActiveModel, QueryFilter, Value};
use testdb::TestDb;

use crate::atlas::{self, City, Column, Criterion, Model};
use crate::exactness::LIMITS;
use crate::naive::{self, Expected};
use crate::{around, offset};

/// A change between two pages.
#[derive(Clone, Debug)]
enum Change {
    Insert(Model),
    Delete(i32),
    Update(i32, Option<i64>),
}

/// A page after a change. Anchors are numbers of rows that exist or existed.
#[derive(Clone, Debug)]
struct Step {
    change: Change,
    end: End,
    size: usize,
    after: Option<usize>,
    before: Option<usize>,
}

fn city() -> impl Strategy<Value = Model> {
    let river = prop::option::of(prop::sample::select(vec!["amur", "elbe", "ganges", "po"]));
    (0..60_i32, prop::option::of(-2..3_i64), river, 0..3_i16).prop_map(|(id, people, river, rank)| Model {
        id,
        people,
        river: river.map(String::from),
        rank,
        age: None,
    })
}

fn criteria() -> impl Strategy<Value = Vec<Criterion>> {
    let column = prop::sample::select(vec![Column::People, Column::River, Column::Rank, Column::Id]);
    let direction = prop::sample::select(vec![Direction::Asc, Direction::Desc]);
    let nulls = prop::sample::select(vec![Nulls::First, Nulls::Last]);
    prop::collection::vec((column, direction, nulls), 0..=3).prop_map(|criteria| {
        let mut kept: Vec<Criterion> = Vec::new();
        for criterion in criteria {
            let (column, ..) = criterion;
            if kept.iter().all(|(earlier, ..)| earlier.as_str() != column.as_str()) {
                kept.push(criterion);
            }
            // Sorts after the primary key have no effect. The twin would use them to compare a row with itself before a
            // change.
            if matches!(column, Column::Id) {
                break;
            }
        }
        kept
    })
}

fn step() -> impl Strategy<Value = Step> {
    let change = prop_oneof![
        city().prop_map(Change::Insert),
        (0..60).prop_map(Change::Delete),
        (0..60, prop::option::of(-2..3_i64)).prop_map(|(id, people)| Change::Update(id, people)),
    ];
    let end = prop::sample::select(vec![End::Front, End::Back]);
    let anchor = || prop::option::of(0..100_usize);
    (change, end, 0..8_usize, anchor(), anchor()).prop_map(|(change, end, size, after, before)| Step {
        change,
        end,
        size,
        after,
        before,
    })
}

/// Whether a filter keeps a row: a top-level OR, one side of which can be NULL.
fn keeps(filtered: bool, city: &Model) -> bool {
    !filtered || city.people.is_some_and(|people| people >= 1) || city.rank == 0
}

async fn run(db: &DatabaseConnection, start: Vec<Model>, criteria: &[Criterion], filtered: bool, steps: Vec<Step>) {
    City::delete_many().exec(db).await.unwrap();
    let mut cities: Vec<Model> = Vec::new();
    let mut seen: Vec<Model> = Vec::new();
    for city in start {
        change(db, &mut cities, &mut seen, Change::Insert(city)).await;
    }
    let order = atlas::order(criteria);
    let cursor = |city: &Model| {
        let value = |name: &str| match name {
            "city.people" => city.people.into(),
            "city.river" => city.river.clone().into(),
            "city.rank" => city.rank.into(),
            _ => Value::from(city.id),
        };
        let key = Key::new(&order, order.sorts().iter().map(|sort| value(sort.name())).collect()).unwrap();
        String::from(order.seal(&key).unwrap())
    };
    for step in steps {
        change(db, &mut cities, &mut seen, step.change).await;
        let anchor =
            |number: Option<usize>| number.filter(|_| !seen.is_empty()).map(|number| &seen[number % seen.len()]);
        let (after, before) = (anchor(step.after), anchor(step.before));
        let size = i64::try_from(step.size).ok();
        let (first, last) = if step.end == End::Front { (size, None) } else { (None, size) };
        let args = Args { first, after: after.map(cursor), last, before: before.map(cursor), offset: None };
        let page = Page::new(&args, &order, LIMITS).unwrap();
        let mut query = City::find();
        if filtered {
            query = query.filter(Condition::any().add(Column::People.gte(1)).add(Column::Rank.eq(0)));
        }
        let slice = fetch(db, query.clone(), &page).await.unwrap();
        let kept: Vec<Model> = cities.iter().filter(|city| keeps(filtered, city)).cloned().collect();
        let twin = naive::slice(&kept, criteria, (step.end, step.size), after, before);
        assert_eq!(Expected::of(&slice), twin, "{order} {args:?} over {kept:?}");

        let end = (step.end, step.size);
        let offset = step.before.unwrap_or_default() % 15;
        let slice = fetch(db, query.clone(), &offset::page(&order, end, offset)).await.unwrap();
        let twin = offset::expected(&kept, criteria, end, offset);
        assert_eq!(Expected::of(&slice), twin, "{order} {end:?} after {offset} rows of {kept:?}");

        // The row may be gone, or not match.
        let Some(row) = after.filter(|_| step.size > 0) else { continue };
        let asked = around::around(&order, step.size, row.id);
        let slice = fetch_around(db, query, &asked, &[]).await.unwrap();
        let twin = around::expected(&naive::sorted(&kept, criteria), step.size, row.id);
        let found = slice.map(|slice| around::ids(&order, slice));
        assert_eq!(found, twin, "{order} {} around {} of {kept:?}", step.size, row.id);
    }
}

async fn change(db: &DatabaseConnection, cities: &mut Vec<Model>, seen: &mut Vec<Model>, change: Change) {
    match change {
        Change::Insert(city) if cities.iter().all(|other| other.id != city.id) => {
            City::insert(city.clone().into_active_model()).exec(db).await.unwrap();
            cities.push(city.clone());
            seen.push(city);
        }
        Change::Insert(_) => {}
        Change::Delete(id) => {
            City::delete_by_id(id).exec(db).await.unwrap();
            cities.retain(|city| city.id != id);
        }
        Change::Update(id, people) => {
            let update = City::update_many().col_expr(Column::People, Expr::value(people));
            update.filter(Column::Id.eq(id)).exec(db).await.unwrap();
            for city in cities.iter_mut().filter(|city| city.id == id) {
                city.people = people;
                seen.push(city.clone());
            }
        }
    }
}

#[test]
fn c_d_e1_random_pages_of_changing_rows_are_the_naive_twins() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let test = runtime.block_on(TestDb::new());
    let db = runtime.block_on(test.connect());
    runtime.block_on(atlas::create(&db, &atlas::cities()));
    let config = Config { cases: 256, failure_persistence: None, ..Config::default() };
    let case = (prop::collection::vec(city(), 0..25), criteria(), any::<bool>(), prop::collection::vec(step(), 1..12));
    let outcome = TestRunner::new(config).run(&case, |(cities, criteria, filtered, steps)| {
        runtime.block_on(run(&db, cities, &criteria, filtered, steps));
        Ok(())
    });
    outcome.unwrap();
}
