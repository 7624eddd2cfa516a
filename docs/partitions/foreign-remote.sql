-- On each of the other servers: a range of the ratings, with the indexes of the lists.
CREATE TABLE book_rating (
    id      uuid PRIMARY KEY,
    rating  smallint NOT NULL CHECK (rating BETWEEN 1 AND 5),
    book_id uuid NOT NULL
);
CREATE INDEX ON book_rating (rating, id);
CREATE INDEX ON book_rating (rating, id DESC);
CREATE INDEX ON book_rating (book_id, id);
CREATE INDEX ON book_rating (book_id, rating, id);
CREATE INDEX ON book_rating (book_id, rating, id DESC);
