//! One list of keys: the rows of a query, or those of a prefix.

use sea_orm::QueryTrait;
use sea_orm::sea_query::{CommonTableExpression, Condition, Expr, ExprTrait, Func, Query, SelectStatement, UnionType};

use super::sql::{KEY, nearest, number, subquery, table};
use crate::Column;
use crate::Direction;

/// The number of words up to which a prefix is a list of its own. A step looks into each of them.
pub const MAX_WORDS: i32 = 32;

/// A word of a prefix, and its number, from 1.
const WORD: &str = "keyset_word";
const NUMBER: &str = "keyset_number";

/// A list of keys, for [`Postings`](super::Postings).
#[derive(Clone, Debug, PartialEq)]
pub struct PostingList {
    rows: SelectStatement,
    key: Expr,
    prefix: Option<Prefix>,
}

#[derive(Clone, Debug, PartialEq)]
struct Prefix {
    word: Expr,
    from: String,
    /// The first text that does not begin with it, if there is one.
    to: Option<String>,
}

/// Says whether a prefix has more words than [`MAX_WORDS`].
pub(super) struct TooMany(pub Condition);

impl PostingList {
    /// The keys of a query's rows, each once. An index must begin with the columns that the query compares by equality,
    /// followed by `key`. The query may bound the key, too.
    pub fn new(rows: impl QueryTrait<QueryStatement = SelectStatement>, key: impl Into<Column>) -> Self {
        let mut rows = rows.into_query();
        rows.clear_selects();
        Self { rows, key: key.into().expr(), prefix: None }
    }

    /// The same of the rows whose `word` begins with a prefix, by code point: an index must begin with the columns that the
    /// query compares, followed by `word` and `key`. A key may stand at several words.
    ///
    /// A page leaps among at most [`MAX_WORDS`] words. If more begin with the prefix, it walks through all keys of the
    /// table instead; so the query must say by itself, in another condition, which rows have the prefix.
    pub fn with_prefix(
        rows: impl QueryTrait<QueryStatement = SelectStatement>,
        key: impl Into<Column>,
        word: impl Into<Column>,
        prefix: &str,
    ) -> Self {
        let prefix = Prefix { word: word.into().expr(), from: prefix.to_owned(), to: after(prefix) };
        Self { prefix: Some(prefix), ..Self::new(rows, key) }
    }

    /// All keys.
    pub(super) fn whole(&self) -> SelectStatement {
        let mut rows = self.rows.clone();
        rows.expr_as(self.key.clone(), KEY);
        if let Some(prefix) = &self.prefix {
            rows.distinct().cond_where(prefix.condition());
        }
        rows
    }

    /// The first key of the list that is confined so, and for a prefix, whether it has too many words for that.
    pub(super) fn next(
        &self,
        place: usize,
        direction: Direction,
        confine: &dyn Fn(&mut SelectStatement, &Expr),
    ) -> (Expr, Option<TooMany>) {
        let mut rows = self.rows.clone();
        rows.expr(self.key.clone());
        let Some(prefix) = &self.prefix else {
            confine(&mut rows, &self.key);
            return (subquery(rows.limit(1).take()), None);
        };
        let words = words(place);
        rows.and_where(prefix.word.clone().eq(Expr::col((words.clone(), WORD))));
        confine(&mut rows, &self.key);
        let mut each = Query::select().expr_as(subquery(rows.limit(1).take()), KEY).from(words.clone()).take();
        let count = Query::select().expr(Func::count(Expr::col(WORD))).from(words).take();
        let is_too_many = Condition::all().add(subquery(count).gt(number(MAX_WORDS)));
        (subquery(nearest(&mut each, direction)), Some(TooMany(is_too_many)))
    }

    /// The words of the prefix, and one more than [`MAX_WORDS`] at most: each is one descent. A NULL ends them.
    pub(super) fn words(&self, place: usize) -> Option<CommonTableExpression> {
        let prefix = self.prefix.as_ref()?;
        let word = |after: Condition| {
            let mut word = self.rows.clone();
            word.expr(prefix.word.clone()).cond_where(after).order_by_expr(prefix.word.clone(), Direction::Asc.into());
            subquery(word.limit(1).take())
        };
        let name = words(place);
        let column = |column: &'static str| Expr::col((name.clone(), column));
        let next = prefix.before_end(Condition::all().add(prefix.word.clone().gt(column(WORD))));
        let step = Query::select()
            .expr(word(next))
            .expr(column(NUMBER).add(number(1)))
            .from(name.clone())
            .and_where(column(WORD).is_not_null())
            .and_where(column(NUMBER).lte(number(MAX_WORDS)))
            .take();
        let mut words = Query::select().expr(word(prefix.condition())).expr(number(1)).take();
        words.union(UnionType::All, step);
        let mut words = table("", words);
        Some(words.table_name(name).columns([WORD, NUMBER]).to_owned())
    }
}

impl Prefix {
    fn condition(&self) -> Condition {
        self.before_end(Condition::all().add(self.word.clone().gte(self.from.clone())))
    }

    fn before_end(&self, condition: Condition) -> Condition {
        condition.add_option(self.to.as_ref().map(|to| self.word.clone().lt(to.clone())))
    }
}

/// The table of the words of a list.
fn words(place: usize) -> String {
    format!("keyset_words_{place}")
}

/// The first text after all those that begin with this one, by code point.
fn after(prefix: &str) -> Option<String> {
    let mut letters: Vec<char> = prefix.chars().collect();
    while let Some(last) = letters.pop() {
        // `char` ranges step over the surrogates.
        if let Some(next) = (last..=char::MAX).nth(1) {
            return Some(letters.into_iter().chain([next]).collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_prefix_is_the_next_text_of_no_greater_length() {
        assert_eq!(after("symph").unwrap(), "sympi");
        assert_eq!(after("a\u{d7ff}").unwrap(), "a\u{e000}");
        assert_eq!(after("a\u{10ffff}").unwrap(), "b");
        assert_eq!(after("\u{10ffff}"), None);
        assert_eq!(after(""), None);
    }
}
