//! Rows whose keys stand in several lists.

use keyset::{
    Args, Around, Key, Limits, MAX_WORDS, Order, Page, PostingList, Postings, Slice, Sort, bracket::bracket, count,
    fetch, fetch_around,
};
use sea_orm::prelude::*;
use sea_orm::sea_query::{ExprTrait, Query};
use sea_orm::{Condition, DatabaseConnection, DbBackend, IntoActiveModel, QueryTrait, Select, Statement};
use testdb::{TestDb, plan, work};

use crate::atlas;

mod item {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "item")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub size: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

mod tag {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "tag")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub word: String,
        #[sea_orm(primary_key, auto_increment = false)]
        pub item_id: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

use item::Column::{Id, Size};
use tag::Column::{ItemId, Word};

async fn create(db: &DatabaseConnection) {
    let text = if db.get_database_backend() == DbBackend::Postgres { "text COLLATE \"C\"" } else { "text" };
    for sql in [
        "CREATE TABLE item (id integer PRIMARY KEY, size integer NOT NULL)".to_owned(),
        format!("CREATE TABLE tag (word {text} NOT NULL, item_id integer NOT NULL, PRIMARY KEY (word, item_id))"),
    ] {
        db.execute_unprepared(&sql).await.unwrap();
    }
    if db.get_database_backend() == DbBackend::Postgres {
        // See the requirements in the README.
        db.execute_unprepared("SET jit = off").await.unwrap();
    }
}

/// What a list says: a word, or a prefix.
#[derive(Clone, Copy, Debug)]
enum Term {
    Word(&'static str),
    Prefix(&'static str),
}

impl Term {
    fn list(self) -> PostingList {
        match self {
            Self::Word(word) => PostingList::new(tag::Entity::find().filter(Word.eq(word)), ItemId),
            Self::Prefix(prefix) => PostingList::with_prefix(tag::Entity::find(), ItemId, Word, prefix),
        }
    }

    fn is_of(self, word: &str) -> bool {
        match self {
            Self::Word(own) => word == own,
            Self::Prefix(prefix) => word.starts_with(prefix),
        }
    }
}

/// The items that have all terms, and whose size is at least this.
fn query(terms: &[Term], size: i32, order: Order) -> (Select<item::Entity>, Order) {
    let mut rows = item::Entity::find();
    if size > 0 {
        rows = rows.filter(Size.gte(size));
    }
    for term in terms {
        // Of one prefix the crowd has no more words than a page leaps among.
        if let Term::Prefix(prefix) = term
            && *prefix != "p"
        {
            let tagged = Query::select()
                .column(ItemId)
                .from(tag::Entity)
                .and_where(ItemId.into_expr().eq(Id.into_expr()))
                .and_where(Word.into_expr().like(format!("{prefix}%")))
                .take();
            rows = rows.filter(Expr::exists(tagged));
        }
    }
    Postings::new(Id, terms.iter().map(|term| term.list())).find(rows, order)
}

/// Random numbers, always the same.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

/// Items with their words.
type Items = Vec<(item::Model, Vec<String>)>;

async fn fill(db: &DatabaseConnection, dice: &mut Dice) -> Items {
    let mut items = Items::new();
    for id in 0..60 {
        let size = i32::try_from(dice.below(4)).unwrap();
        let mut words: Vec<String> = Vec::new();
        for word in ["a", "ab", "abc", "b", "ba", "c"] {
            if dice.below(3) > 0 {
                words.push(word.to_owned());
            }
        }
        // More words with this prefix than a page leaps among.
        words.push(format!("x{}", dice.below(2 * MAX_WORDS.unsigned_abs() as usize)));
        let item = item::Model { id: 3 * id, size };
        item::Entity::insert(item.clone().into_active_model()).exec(db).await.unwrap();
        let tags = words.iter().map(|word| tag::Model { word: word.clone(), item_id: item.id }.into_active_model());
        tag::Entity::insert_many(tags).exec(db).await.unwrap();
        items.push((item, words));
    }
    items
}

/// The ids of a page, and its flags.
type Found = (Vec<i32>, bool, bool);

fn found(slice: &Slice<item::Model>) -> Found {
    (slice.rows.iter().map(|row| row.item.id).collect(), slice.has_previous, slice.has_next)
}

/// The page among all ids, in order.
fn naive(ids: &[i32], is_desc: bool, size: usize, is_last: bool, after: Option<i32>, before: Option<i32>) -> Found {
    let is_before = |a: i32, b: i32| if is_desc { a > b } else { a < b };
    let is_beyond = |id: i32| after.is_none_or(|after| is_before(after, id));
    let is_short = |id: i32| before.is_none_or(|before| is_before(id, before));
    let window: Vec<i32> = ids.iter().copied().filter(|id| is_beyond(*id) && is_short(*id)).collect();
    let more = window.len() > size;
    if is_last {
        let next = ids.iter().any(|id| !is_short(*id));
        (window[window.len().saturating_sub(size)..].to_vec(), more, next)
    } else {
        let previous = ids.iter().any(|id| !is_beyond(*id));
        (window[..size.min(window.len())].to_vec(), previous, more)
    }
}

#[tokio::test]
async fn b_c_d_e1_every_page_of_intersected_lists_equals_the_naive_twins() {
    use Term::{Prefix, Word};
    let test = TestDb::new().await;
    let db = test.connect().await;
    create(&db).await;
    let mut dice = Dice(1);
    let mut items = fill(&db, &mut dice).await;
    let all = [Word("a"), Word("ab"), Word("c"), Word("nowhere"), Prefix("a"), Prefix("ab"), Prefix("x"), Prefix("z")];
    for round in atlas::affordable(&db, 0..150) {
        let terms: Vec<Term> = (0..=dice.below(3)).map(|_| all[dice.below(all.len())]).collect();
        let smallest = dice.below(3);
        let is_desc = dice.below(2) == 1;
        let sort = if is_desc { Sort::desc(Id) } else { Sort::asc(Id) };
        let (rows, order) = query(&terms, i32::try_from(smallest).unwrap(), Order::of::<item::Entity>([sort]).unwrap());
        let is_found = |(item, words): &&(item::Model, Vec<String>)| {
            item.size >= i32::try_from(smallest).unwrap()
                && terms.iter().all(|term| words.iter().any(|word| term.is_of(word)))
        };
        let mut ids: Vec<i32> = items.iter().filter(is_found).map(|(item, _)| item.id).collect();
        ids.sort_unstable();
        if is_desc {
            ids.reverse();
        }
        assert_eq!(count(&db, rows.clone()).await.unwrap(), ids.len() as u64, "{terms:?}");
        for _ in 0..12 {
            let (size, is_last) = (dice.below(7), dice.below(2) == 1);
            let mut bound = || (dice.below(3) > 0).then(|| i32::try_from(dice.below(190)).unwrap() - 5);
            let (after, before) = (bound(), bound());
            let seal = |id: Option<i32>| {
                id.map(|id| order.seal(&Key::new(&order, vec![id.into()]).unwrap()).unwrap().to_string())
            };
            let size_given = i64::try_from(size).ok();
            let (first, last) = if is_last { (None, size_given) } else { (size_given, None) };
            let args = Args { first, after: seal(after), last, before: seal(before), offset: None };
            let page = Page::new(&args, &order, Limits::default()).unwrap();
            let slice = fetch(&db, rows.clone(), &page).await.unwrap();
            let expected = naive(&ids, is_desc, size, is_last, after, before);
            assert_eq!(found(&slice), expected, "{terms:?} {smallest} {is_desc} {size} {is_last} {after:?} {before:?}");

            let offset = dice.below(ids.len() + 3);
            let args = Args { first, last, offset: i64::try_from(offset).ok(), ..Args::default() };
            let slice = fetch(&db, rows.clone(), &Page::new(&args, &order, Limits::default()).unwrap()).await.unwrap();
            // The walk that skips them ends at the last of them.
            let passed = offset.checked_sub(1).map(|passed| passed.min(ids.len().saturating_sub(1)));
            let at = passed.and_then(|passed| if is_last { ids.iter().rev().nth(passed) } else { ids.get(passed) });
            let (after, before) = if is_last { (None, at.copied()) } else { (at.copied(), None) };
            let expected = naive(&ids, is_desc, size, is_last, after, before);
            assert_eq!(found(&slice), expected, "{terms:?} {smallest} {is_desc} {size} {is_last} after {offset} rows");

            let id = i32::try_from(dice.below(190)).unwrap();
            let args = Args { first: i64::try_from(size + 1).ok(), ..Args::default() };
            let around = Around::new(&args, &order, Limits::default(), Condition::all().add(item::Column::Id.eq(id)));
            let slice = fetch_around(&db, rows.clone(), &around.unwrap(), &[]).await.unwrap();
            let has = slice.map(|slice| slice.rows.iter().any(|row| row.key.values() == [id.into()]));
            assert_eq!(has, ids.contains(&id).then_some(true), "{terms:?} around {id}");
        }
        if round % 10 == 9 {
            // A row that is gone has postings still: it is no row of the page.
            let (item, _) = items.remove(dice.below(items.len()));
            item::Entity::delete_by_id(item.id).exec(&db).await.unwrap();
        }
    }
}

#[tokio::test]
async fn e3_the_cursor_is_that_of_the_order_and_another_order_reads_the_lists_at_once() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    create(&db).await;
    let items = fill(&db, &mut Dice(2)).await;
    let plain = Order::of::<item::Entity>([]).unwrap();
    let terms = [Term::Word("a"), Term::Prefix("ab")];
    let (_, order) = query(&terms, 0, plain.clone());
    let key = Key::new(&order, vec![7.into()]).unwrap();
    assert_eq!(order.seal(&key).unwrap(), plain.seal(&key).unwrap());

    let by_size = Order::of::<item::Entity>([Sort::desc(Size).computed()]).unwrap();
    let (rows, order) = query(&terms, 0, by_size);
    let slice = fetch(&db, rows, &Page::first(&order, 100)).await.unwrap();
    let has = |words: &[String]| terms.iter().all(|term| words.iter().any(|word| term.is_of(word)));
    let mut expected: Vec<_> = items.into_iter().filter(|(_, words)| has(words)).map(|(item, _)| item).collect();
    expected.sort_by_key(|item| (-item.size, -item.id));
    assert_eq!(slice.rows.into_iter().map(|row| row.item).collect::<Vec<_>>(), expected);
}

/// 100,000 items: 30,000 with one word, 100 with another, and as many words of a prefix as a page leaps among.
async fn crowd(db: &DatabaseConnection) {
    let numbers = if db.get_database_backend() == DbBackend::Postgres {
        "SELECT n FROM generate_series(1, 100000) AS n"
    } else {
        "WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 100000) SELECT n FROM t"
    };
    for sql in [
        format!("INSERT INTO item SELECT n, n % 7 FROM ({numbers}) AS numbers"),
        format!("INSERT INTO tag SELECT 'frequent', n FROM ({numbers}) AS numbers WHERE n % 10 < 3"),
        format!("INSERT INTO tag SELECT 'rare', n FROM ({numbers}) AS numbers WHERE n % 1000 = 500"),
        format!("INSERT INTO tag SELECT 'rarest', n FROM ({numbers}) AS numbers WHERE n % 1000 = 501"),
        format!("INSERT INTO tag SELECT 'p' || (100 + n % 32), n FROM ({numbers}) AS numbers WHERE n % 3 = 0"),
        "ANALYZE".to_owned(),
    ] {
        db.execute_unprepared(&sql).await.unwrap();
    }
}

#[tokio::test]
async fn i3_a_page_of_intersected_lists_reads_a_few_rows_at_any_depth() {
    use Term::{Prefix, Word};
    let test = TestDb::new().await;
    let db = test.connect().await;
    create(&db).await;
    crowd(&db).await;
    for (terms, most) in [
        (&[Word("frequent")][..], 100),
        (&[Word("frequent"), Word("rare")], 500),
        (&[Word("rare"), Word("frequent")], 500),
        (&[Word("rare"), Word("rarest")], 500),
        (&[Word("frequent"), Word("nowhere")], 20),
        (&[Prefix("p")], 33 * (MAX_WORDS.unsigned_abs() + 3)),
    ] {
        for sort in [Sort::asc(Id), Sort::desc(Id)] {
            let (rows, order) = query(terms, 0, Order::of::<item::Entity>([sort]).unwrap());
            let key = |id: i32| Some(order.seal(&Key::new(&order, vec![id.into()]).unwrap()).unwrap().to_string());
            for place in [None, Some(3), Some(50_000), Some(99_990)] {
                let bound = place.and_then(key);
                let first = Args { first: Some(10), after: bound.clone(), ..Args::default() };
                let last = Args { last: Some(10), before: bound, ..Args::default() };
                // Without the far cursor, the rows of a short window would be looked for to the end of the list.
                let (near, far) = if order.to_string().contains("DESC") { (50_003, 49_998) } else { (49_998, 50_003) };
                let window = Args { first: Some(10), after: key(near), before: key(far), ..Args::default() };
                let window_back = Args { last: Some(10), ..window.clone() };
                let window_back = Args { first: None, ..window_back };
                // The row that proves that there are rows before a page of disjoint lists is looked for everywhere.
                let is_wide = |term: &Term| matches!(term, Prefix(_) | Word("rarest"));
                let short = if terms.iter().any(is_wide) { most } else { 60 };
                for (args, most) in [(first, most), (last, most), (window, short), (window_back, short)] {
                    let page = Page::new(&args, &order, Limits::default()).unwrap();
                    let statement = bracket(rows.as_query(), &page, db.get_database_backend()).unwrap();
                    assert_reads(&db, statement, most, &format!("{terms:?} {args:?}")).await;
                }
            }
        }
    }
}

/// On SQLite an instruction count stands for rows: some forty for each.
async fn assert_reads(db: &DatabaseConnection, statement: Statement, most: u32, case: &str) {
    let plan = plan(db, statement.clone()).await;
    if db.get_database_backend() == DbBackend::Postgres {
        let number = |word: &str| word.parse::<f64>().unwrap_or(0.0);
        let scans = plan.iter().filter(|line| line.contains(" item ") || line.contains(" tag "));
        let read: f64 = scans.map(|line| line.split(' ').map(number).sum::<f64>()).sum();
        assert!(read <= most.into(), "{case}: {read} rows, not {most}: {plan:#?} {}", statement.sql);
    } else {
        let work = work(db, statement.clone()).await;
        assert!(work <= 50 * u64::from(most), "{case}: {work} instructions: {plan:#?} {}", statement.sql);
    }
}
