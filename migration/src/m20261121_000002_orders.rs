//! The indexes of the orders that lists are offered in.
//!
//! An index serves an order and its reverse. Where the primary key runs against the sort before it, as in "the cheapest
//! first, and of those the newest", the order has an index of its own: without one each page would sort a whole tie.

use crate::change::Change;

pub fn change() -> Change {
    Change {
        up_postgres: UP.into(),
        up_sqlite: UP.into(),
        down_postgres: DOWN.into(),
        down_sqlite: DOWN.into(),
    }
}

const UP: &str = "
CREATE INDEX book_by_name_against_id ON book (name, id DESC);
CREATE INDEX book_by_year_against_id ON book (year, id DESC);
CREATE INDEX book_by_year_name ON book (year, name, id);
CREATE INDEX book_by_year_name_against_id ON book (year, name, id DESC);
CREATE INDEX book_by_year_against_name ON book (year, name DESC, id DESC);
CREATE INDEX book_by_year_against_name_against_id ON book (year, name DESC, id);

CREATE INDEX book_rating_by_rating_against_id ON book_rating (rating, id DESC);
CREATE INDEX book_rating_of_book_by_rating ON book_rating (book_id, rating, id);
CREATE INDEX book_rating_of_book_by_rating_against_id ON book_rating (book_id, rating, id DESC);

CREATE INDEX book_order_by_total_price_against_id ON book_order (total_price, id DESC);
CREATE INDEX book_order_of_book_by_total_price ON book_order (book_id, total_price, id);
CREATE INDEX book_order_of_book_by_total_price_against_id ON book_order (book_id, total_price, id DESC);
";

const DOWN: &str = "
DROP INDEX book_order_of_book_by_total_price_against_id;
DROP INDEX book_order_of_book_by_total_price;
DROP INDEX book_order_by_total_price_against_id;

DROP INDEX book_rating_of_book_by_rating_against_id;
DROP INDEX book_rating_of_book_by_rating;
DROP INDEX book_rating_by_rating_against_id;

DROP INDEX book_by_year_against_name_against_id;
DROP INDEX book_by_year_against_name;
DROP INDEX book_by_year_name_against_id;
DROP INDEX book_by_year_name;
DROP INDEX book_by_year_against_id;
DROP INDEX book_by_name_against_id;
";
