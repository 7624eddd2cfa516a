//! The statements that leap from key to key.

use sea_orm::DynIden;
use sea_orm::sea_query::{
    Alias, Condition, Expr, ExprTrait, Func, IntoIden, Query, SelectStatement, UnionType, WithClause,
};

use super::Postings;
use super::list::TooMany;
use super::sql::{KEY, POSTINGS, number, subquery, table};
use crate::dialect::Dialect;
use crate::range::{Index, Place, Range};
use crate::{Direction, Order};

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

impl Postings {
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

fn name(name: &'static str) -> DynIden {
    Alias::new(name).into_iden()
}
