//! The indexes of the orders of books by their numbers of ratings and of orders.

use crate::change::Change;

pub fn change() -> Change {
    Change { up_postgres: UP.into(), up_sqlite: UP.into(), down_postgres: DOWN.into(), down_sqlite: DOWN.into() }
}

const UP: &str = "
CREATE INDEX book_stats_by_rating_count ON book_stats (rating_count, book_id);
CREATE INDEX book_stats_by_rating_count_against_id ON book_stats (rating_count, book_id DESC);
CREATE INDEX book_stats_by_order_count ON book_stats (order_count, book_id);
CREATE INDEX book_stats_by_order_count_against_id ON book_stats (order_count, book_id DESC);
";

const DOWN: &str = "
DROP INDEX book_stats_by_order_count_against_id;
DROP INDEX book_stats_by_order_count;
DROP INDEX book_stats_by_rating_count_against_id;
DROP INDEX book_stats_by_rating_count;
";
