//! Rows whose keys stand in several lists at once, such as the postings of words: pages that leap from key to key.
//!
//! Each list is a range of an index, in the order of the key. No list is read to its end: a step asks the next list for its
//! first key at or after the current one, which is one descent. A key that all lists have is tested, and the next step asks
//! for a greater one. This is the leapfrog join of Veldhuizen (2014), as a recursive query whose limit is that of the page:
//!
//! ```sql
//! WITH RECURSIVE keyset_leaps (keyset_key, keyset_at, keyset_agree, keyset_list, keyset_hit, keyset_found) AS (
//!     SELECT /* the first key of list 0 beyond the cursor */
//!     UNION ALL
//!     SELECT CASE (keyset_list + 1) % 2
//!              WHEN 0 THEN (SELECT book_id FROM posting WHERE word = $1 AND book_id >= keyset_key ORDER BY book_id LIMIT 1)
//!              WHEN 1 THEN (SELECT book_id FROM posting WHERE word = $2 AND book_id >= keyset_key ORDER BY book_id LIMIT 1)
//!            END, …
//!     FROM keyset_leaps WHERE keyset_key IS NOT NULL AND /* hits */ < 11),
//! keyset_postings AS (SELECT keyset_hit FROM keyset_leaps WHERE keyset_hit IS NOT NULL)
//! SELECT … FROM book WHERE id IN (SELECT keyset_key FROM keyset_postings) ORDER BY id LIMIT 11
//! ```
//!
//! With a frequent and a rare list, the steps are at most twice the keys of the rare one. The other conditions of the query
//! are tested within the step, so that the limit counts rows of the page.

use std::sync::Arc;

use sea_orm::sea_query::{
    Alias, CommonTableExpression, Condition, Expr, ExprTrait, Func, IntoIden, NullOrdering, Order as SqlOrder, Query,
    SelectStatement, UnionType, WithClause,
};
use sea_orm::{ColumnTrait, DynIden, EntityTrait, QueryTrait, Select};

use crate::dialect::Dialect;
use crate::range::{Index, Place, Range};
use crate::{Direction, Order};

mod list;

use list::TooMany;
pub use list::{MAX_WORDS, PostingList};

/// The table of the keys that all lists have.
const POSTINGS: &str = "keyset_postings";
/// The column of a key, in every table here.
const KEY: &str = "keyset_key";
/// The table of the steps.
const LEAPS: &str = "keyset_leaps";
/// The key from which the step of a row looked.
const AT: &str = "keyset_at";
/// How many lists before this one have the key from which the step looked.
const AGREE: &str = "keyset_agree";
/// The list in which the step looked.
const LIST: &str = "keyset_list";
/// The key of a row of the page that was found before the step.
const HIT: &str = "keyset_hit";
/// How many were found before that.
const FOUND: &str = "keyset_found";

/// The rows of a table whose keys stand in all of these lists.
///
/// ```
/// # use sea_orm::entity::prelude::*;
/// # mod book {
/// #     use sea_orm::entity::prelude::*;
/// #     #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
/// #     #[sea_orm(table_name = "book")]
/// #     pub struct Model { #[sea_orm(primary_key)] pub id: i32, pub title: String }
/// #     #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
/// #     pub enum Relation {}
/// #     impl ActiveModelBehavior for ActiveModel {}
/// # }
/// # mod posting {
/// #     use sea_orm::entity::prelude::*;
/// #     #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
/// #     #[sea_orm(table_name = "posting")]
/// #     pub struct Model { #[sea_orm(primary_key)] pub word: String, #[sea_orm(primary_key)] pub book_id: i32 }
/// #     #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
/// #     pub enum Relation {}
/// #     impl ActiveModelBehavior for ActiveModel {}
/// # }
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// use keyset::{Order, Page, PostingList, Postings};
///
/// let word = |word: &str| {
///     PostingList::new(posting::Entity::find().filter(posting::Column::Word.eq(word)), posting::Column::BookId)
/// };
/// let both = Postings::new(book::Column::Id, [word("fifth"), word("symphony")]);
/// let (books, order) = both.find(book::Entity::find(), Order::of::<book::Entity>([])?);
/// let slice = keyset::fetch(db, books, &Page::first(&order, 10)).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Postings {
    /// The key of the rows.
    key: Expr,
    name: String,
    /// All keys of the table: in place of a prefix of too many words.
    table: SelectStatement,
    lists: Vec<PostingList>,
}

impl Postings {
    /// The rows whose `key`, a primary key of one column, stands in all of these lists. Without a list, all rows.
    pub fn new<C>(key: C, lists: impl IntoIterator<Item = PostingList>) -> Self
    where
        C: ColumnTrait,
        C::EntityName: IntoIden,
    {
        let (table, column) = key.as_column_ref();
        Self {
            key: key.into_expr(),
            name: format!("{table}.{column}"),
            table: Query::select().from(table).take(),
            lists: lists.into_iter().collect(),
        }
    }

    /// Restricts a query to these rows.
    ///
    /// If the order is by the key alone, in either direction, the pages under the returned order leap: they read a few
    /// descents of each list for each row. Under another order, and in a count, the lists are intersected as a whole; their
    /// sizes are what it costs, and the sorts of the order must be [computed](crate::Sort::computed) unless an index holds
    /// them.
    ///
    /// The returned query defines a table by `WITH`, in place of any other that it defined. Cursors are those of the order
    /// as it was given. Use the returned order with the returned query only.
    pub fn find<E: EntityTrait>(self, mut rows: Select<E>, order: Order) -> (Select<E>, Order) {
        if self.lists.is_empty() {
            return (rows, order);
        }
        let among = Query::select().column(KEY).from(POSTINGS).take();
        let query = QueryTrait::query(&mut rows);
        query.cond_where(self.key.clone().in_subquery(among)).with_cte(self.whole());
        let by_key = matches!(order.sorts(), [sort] if sort.name() == self.name && !sort.computed);
        (rows, if by_key { order.leaping(Arc::new(self)) } else { order })
    }

    /// The keys that all lists have, computed at once.
    fn whole(&self) -> WithClause {
        let mut lists = self.lists.iter().map(PostingList::whole);
        let mut all = lists.next().unwrap_or_default();
        for list in lists {
            all.union(UnionType::Intersect, list);
        }
        WithClause::new().cte(table(POSTINGS, all)).to_owned()
    }

    /// The first keys of a range that all lists have, and whose row fulfils the query: at most `limit` of them, and none
    /// that was found only beyond the `far` position.
    pub(crate) fn leaps(
        &self,
        query: &SelectStatement,
        range: &Range,
        order: &Order,
        far: Option<&Place>,
        limit: u64,
        dialect: Dialect,
    ) -> WithClause {
        let direction = order.sorts()[0].direction;
        let mut with = WithClause::new().recursive(true).to_owned();
        for (number, list) in self.lists.iter().enumerate() {
            if let Some(words) = list.words(number) {
                with.cte(words);
            }
        }
        let mut leaps = self.first(range, order, dialect);
        leaps.union(UnionType::All, self.step(query, direction, far, limit));
        let mut steps = table(LEAPS, leaps);
        steps.columns([KEY, AT, AGREE, LIST, HIT, FOUND].map(name));
        let hits = Query::select().column(HIT).from(LEAPS).and_where(Expr::col(HIT).is_not_null()).take();
        with.cte(steps).cte(table(POSTINGS, hits).columns([name(KEY)]).to_owned()).to_owned()
    }

    /// The same keys as a statement of their own, in order, under this name.
    pub(crate) fn keys(
        &self,
        query: &SelectStatement,
        range: &Range,
        order: &Order,
        limit: u64,
        dialect: Dialect,
        name: DynIden,
    ) -> SelectStatement {
        Query::select()
            .expr_as(Expr::col(KEY), name)
            .from(POSTINGS)
            .order_by(KEY, order.sorts()[0].direction.into())
            .with_cte(self.leaps(query, range, order, None, limit, dialect))
            .take()
    }

    /// The row of a query that a condition on its table finds, if all lists have its key.
    pub(crate) fn row_of(&self, query: &SelectStatement, row: &Condition) -> SelectStatement {
        let only = self.table.clone().expr_as(self.key.clone(), KEY).cond_where(row.clone()).take();
        let mut with = WithClause::new().recursive(true).cte(table(POSTINGS, only)).to_owned();
        let has_key = |keys: &mut SelectStatement, key: &Expr| {
            keys.and_where(key.clone().eq(self.key.clone()));
        };
        let mut found = query.clone();
        found.cond_where(row.clone());
        for (place, list) in self.lists.iter().enumerate() {
            if let Some(words) = list.words(place) {
                with.cte(words);
            }
            found.and_where(self.next(place, Direction::Asc, &has_key).is_not_null());
        }
        found.with_cte(with).take()
    }

    /// The first key of the first list.
    fn first(&self, range: &Range, order: &Order, dialect: Dialect) -> SelectStatement {
        let confine = |keys: &mut SelectStatement, key: &Expr| {
            range.confine(keys, &order.over_expr(key), Index::OfParent, dialect);
        };
        let first = Query::select().expr_as(self.next(0, order.sorts()[0].direction, &confine), KEY).take();
        let key = || Expr::col((LEAPS, KEY));
        // NULL, in the type of the key.
        let null = || Func::cust("NULLIF").args([key(), key()]);
        Query::select()
            .expr(key())
            .expr(null())
            .exprs([0, 0].map(number))
            .expr(null())
            .expr(number(0))
            .from_subquery(first, LEAPS)
            .take()
    }

    fn step(&self, query: &SelectStatement, direction: Direction, far: Option<&Place>, limit: u64) -> SelectStatement {
        let column = |column: &'static str| Expr::col((LEAPS, column));
        let lists = i32::try_from(self.lists.len()).unwrap_or(i32::MAX);
        // How many lists have the key so far; the last of them found it.
        let agree = Expr::case(column(KEY).eq(column(AT)), column(AGREE).add(number(1))).finally(number(1));
        let by_all = || Expr::Case(Box::new(agree.clone())).eq(number(lists));
        let confine = |keys: &mut SelectStatement, key: &Expr| {
            let (from, beyond) = match direction {
                Direction::Asc => (key.clone().gte(column(KEY)), key.clone().gt(column(KEY))),
                Direction::Desc => (key.clone().lte(column(KEY)), key.clone().lt(column(KEY))),
            };
            if lists == 1 {
                keys.and_where(beyond);
            } else {
                keys.and_where(from).cond_where(Condition::any().add(beyond).add(by_all().not()));
            }
            keys.order_by_expr(key.clone(), direction.into());
        };
        let list = column(LIST).add(number(1)).modulo(number(lists));
        let next = (1..lists).zip(1..).fold(
            Expr::case(list.clone().eq(number(0)), self.next(0, direction, &confine)),
            |case, (number_of_list, place)| {
                case.case(list.clone().eq(number(number_of_list)), self.next(place, direction, &confine))
            },
        );
        let is_hit = Condition::all().add(by_all()).add(Expr::exists(self.row(query)));
        let hit = Expr::case(is_hit, column(KEY));
        let counted = Expr::case(column(HIT).is_null(), number(0)).finally(number(1));
        let found = column(FOUND).add(counted);
        // Rows beyond the far cursor are no rows of the page, and no flag depends on them.
        let is_short = far.and_then(|far| far[0].clone()).map(|far| match direction {
            Direction::Asc => column(KEY).lt(far),
            Direction::Desc => column(KEY).gt(far),
        });
        Query::select()
            .expr(next)
            .expr(column(KEY))
            .expr(agree.clone())
            .expr(list)
            .expr(hit)
            .expr(found.clone())
            .from(LEAPS)
            .and_where(column(KEY).is_not_null())
            .and_where_option(is_short)
            .and_where(found.lt(Expr::cust(limit.to_string())))
            .take()
    }

    /// The first key of a list, as an expression.
    fn next(&self, place: usize, direction: Direction, confine: &dyn Fn(&mut SelectStatement, &Expr)) -> Expr {
        let any = || {
            let mut any = self.table.clone().expr(self.key.clone()).take();
            confine(&mut any, &self.key);
            subquery(any.limit(1).take())
        };
        match self.lists[place].next(place, direction, confine) {
            (next, None) => next,
            (next, Some(TooMany(is_too_many))) => Expr::case(is_too_many, any()).finally(next).into(),
        }
    }

    /// The row of the query that has the key of the step.
    fn row(&self, query: &SelectStatement) -> SelectStatement {
        let key = || Expr::col((LEAPS, KEY));
        let only = Query::select().expr_as(key(), KEY).take();
        let mut row = query.clone();
        row.clear_selects().expr(Expr::cust("1")).and_where(self.key.clone().eq(key()));
        row.with_cte(WithClause::new().cte(table(POSTINGS, only)).to_owned()).take()
    }
}

fn table(name: &'static str, query: SelectStatement) -> CommonTableExpression {
    CommonTableExpression::new().table_name(name).query(query).to_owned()
}

fn name(name: &'static str) -> DynIden {
    Alias::new(name).into_iden()
}

/// A number in the text of the statement.
fn number(number: i32) -> Expr {
    Expr::cust(number.to_string())
}

fn subquery(query: SelectStatement) -> Expr {
    Expr::SubQuery(None, Box::new(query.into()))
}

/// The smallest key in this direction, without the NULLs.
fn nearest(keys: &mut SelectStatement, direction: Direction) -> SelectStatement {
    keys.order_by_with_nulls(KEY, SqlOrder::from(direction), NullOrdering::Last).limit(1).take()
}
