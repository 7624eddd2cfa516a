//! The values of a query, such as those of a filter, in the text of a larger statement.
//!
//! The values of a page have marks, but a query cannot be marked. It is written alone: a parameter of the statement whose value
//! equals one of the query is of the query, unless the same statement over no query has that value, too.

use std::mem::discriminant;

use sea_orm::sea_query::SelectStatement;
use sea_orm::{Statement, Value, Values};

use crate::dialect::Dialect;

/// The values of a query, as it is written alone.
pub struct QueryValues {
    sql: String,
    values: Vec<Value>,
    /// Which value must stay as it is, because its parameters are not told from others.
    fixed: Vec<bool>,
}

impl QueryValues {
    /// Those of this query.
    pub fn of(query: &SelectStatement, dialect: Dialect) -> Self {
        let Statement { sql, values, .. } = dialect.statement(query);
        let values = values.map(|values| values.0).unwrap_or_default();
        Self { sql, fixed: vec![false; values.len()], values }
    }

    /// The values, in the order of the text.
    pub fn all(&self) -> &[Value] {
        &self.values
    }

    pub fn are_none(&self) -> bool {
        self.values.is_empty()
    }

    /// The length of the text of the query, in bytes.
    pub fn text_len(&self) -> usize {
        self.sql.len()
    }

    /// Fixes those that the bracket has without the query, too.
    pub fn fix(&mut self, others: Option<Values>) {
        let others = others.map(|others| others.0);
        for (value, fixed) in self.values.iter().zip(&mut self.fixed) {
            *fixed = others.as_ref().is_none_or(|others| others.contains(value));
        }
    }

    /// The first of those that equal this one, unless that is fixed.
    pub fn position(&self, value: &Value) -> Option<usize> {
        self.values.iter().position(|known| known == value).filter(|position| !self.fixed[*position])
    }

    /// Whether a text with these values is also that of others: for each value of the query, the text has one parameter.
    pub fn fit(&self, others: &Self) -> bool {
        let fits = |(known, other): (&Value, &Value)| match self.position(known) {
            Some(first) => discriminant(known) == discriminant(other) && *other == others.values[first],
            None => known == other,
        };
        self.sql == others.sql
            && self.values.len() == others.values.len()
            && self.values.iter().zip(&others.values).all(fits)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use sea_orm::sea_query::Expr;
    use sea_orm::tests_cfg::cake;
    use sea_orm::{ColumnTrait, DbBackend, EntityTrait, QueryFilter, QueryTrait};

    use super::*;
    use crate::bracket::bracket;
    use crate::statement_cache::{Form, Shape, StatementCache};
    use crate::{Join, Key, Kind, Order, Page, Sort};

    /// Reads a page of cakes with names between these two, and ids from this one, by their lengths without this number.
    /// Returns whether its statement was written.
    fn is_written(texts: &StatementCache, [from, to]: [&str; 2], id: i32, less: i32) -> bool {
        let length = Expr::cust_with_values("LENGTH(name) - ?", [less]);
        let order = Order::of::<cake::Entity>([Sort::expression("length", length, Kind::Int)]).unwrap();
        let page = Page::first(&order, 2).after(Key::new(&order, vec![3.into(), id.into()]).unwrap()).unwrap();
        let names = cake::Entity::find().filter(cake::Column::Name.gte(from)).filter(cake::Column::Name.lte(to));
        let query = names.filter(cake::Column::Id.gte(id)).into_query();
        let shape =
            Shape { query: &query, page: &page, joins: &[], parents: &[], form: Form::Page, dialect: Dialect::Sqlite };
        let is_written = Cell::new(false);
        let write = |query: &SelectStatement, _: &[Join], page: &Page| {
            is_written.set(true);
            bracket(query, page, DbBackend::Sqlite).map(|it| Some(it.into()))
        };
        let statement = texts.statement(shape, &[], write).unwrap().unwrap().statement;
        let expected = bracket(&query, &page, DbBackend::Sqlite).unwrap();
        assert_eq!(statement, expected);
        is_written.get()
    }

    #[test]
    fn pages_with_other_values_in_their_filters_share_a_text() {
        let texts = StatementCache::default();
        assert!(is_written(&texts, ["a", "b"], 1, 9));
        for (names, id) in [(["a", "b"], 2), (["c", "d"], 3), (["c", "c"], 4), (["", "1"], 9)] {
            assert!(!is_written(&texts, names, id, 9), "{names:?} {id}");
        }
    }

    #[test]
    fn values_that_are_equal_share_a_text_with_values_that_are() {
        let texts = StatementCache::default();
        assert!(is_written(&texts, ["a", "a"], 1, 9) && !is_written(&texts, ["b", "b"], 2, 9));
        assert!(is_written(&texts, ["a", "b"], 3, 9) && !is_written(&texts, ["c", "d"], 4, 9));
        assert!(!is_written(&texts, ["e", "e"], 5, 9));
    }

    #[test]
    fn a_value_of_the_order_is_none_of_the_filter() {
        let texts = StatementCache::default();
        assert!(is_written(&texts, ["a", "b"], 9, 9) && !is_written(&texts, ["c", "d"], 9, 9));
        assert!(is_written(&texts, ["a", "b"], 8, 9) && is_written(&texts, ["a", "b"], 8, 7));
    }
}
