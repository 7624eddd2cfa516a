//! How well a title fits a search.

use ::entity::{book, book_words};
use keyset::{Kind, Sort};
use sea_orm::sea_query::{Expr, ExprTrait, Func, Query};
use sea_orm::{ColumnTrait, DbBackend};

use super::Search;
use super::find::has;
use super::term::Term;

impl Search {
    /// The relevance of a title: the share of its characters that the terms make up, plus 1 if they form a phrase. Both
    /// databases compute the same number.
    pub fn relevance(&self, backend: DbBackend) -> Sort {
        let phrase = has(&Term::phrase(&self.terms), backend);
        let together = Query::select()
            .expr(Expr::cust("1"))
            .from(book_words::Entity)
            .and_where(book_words::Column::BookId.into_expr().eq(book::Column::Id.into_expr()))
            .and_where(phrase)
            .take();
        let letters: u32 = self.terms.iter().map(Term::letters).sum();
        let characters = Func::char_length(book::Column::Name.into_expr());
        let together = Expr::case(Expr::exists(together), 1.0).finally(0.0);
        let relevance = together.add(Expr::value(f64::from(letters)).div(characters));
        let terms: Vec<String> = self.terms.iter().map(Term::to_string).collect();
        Sort::expression(format!("relevance to {}", terms.join(" ")), relevance, Kind::Double).never_null()
    }
}
