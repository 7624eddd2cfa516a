-- Fills the empty tables of the book shop with the variable `rows` ratings, and a tenth as many books. Like those of the
-- program's own seed: a row a minute, more good ratings, more of the first books, and none of each tenth book. The rows are the
-- same on every machine. Triggers and foreign keys are left out for the ratings, so that 10^7 of them take minutes.
\set ON_ERROR_STOP on
SET client_min_messages TO warning;
SET synchronous_commit TO off;
SET maintenance_work_mem TO '1GB';
SET work_mem TO '256MB';

-- A UUIDv7 of a time in this minute after a start, with the random digits of this hash.
CREATE FUNCTION pg_temp.key(start bigint, i bigint, hash text) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (lpad(to_hex((start + i * 60) * 1000 + ('x' || left(hash, 4))::bit(16)::integer % 60000), 12, '0')
        || '7' || substr(hash, 5, 3) || 'a' || substr(hash, 8, 15))::uuid
$$;
CREATE FUNCTION pg_temp.book(i bigint) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
    $$ SELECT pg_temp.key(extract(epoch FROM timestamptz '2020-01-01 UTC')::bigint, i, md5('book' || i)) $$;
CREATE FUNCTION pg_temp.rating(i bigint) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
    $$ SELECT pg_temp.key(extract(epoch FROM timestamptz '2022-01-01 UTC')::bigint, i, md5('rating' || i)) $$;
-- From 0 to 1.
CREATE FUNCTION pg_temp.random(hash text, digit integer) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
    $$ SELECT ('x' || substr(hash, digit, 7))::bit(28)::integer / 268435456.0::double precision $$;

-- With their triggers, which keep the words, the sums and the counters.
INSERT INTO book (id, name, year)
    SELECT pg_temp.book(i),
        'The ' || (ARRAY['Meadow', 'Coast', 'River', 'Harbour', 'Zebra', 'Garden', 'Lantern', 'Winter'])[1 + i * 7 % 8]
            || ' of ' || (ARRAY['Lima', 'Oslo', 'Cairo', 'Quito', 'Porto', 'Delhi', 'Turin'])[1 + i * 5 % 7],
        2025 - (576 * power(pg_temp.random(md5('year' || i), 1), 3))::integer
    FROM generate_series(0, :rows / 10 - 1) AS i;

-- Without triggers and foreign keys from here. An index on full tables costs a fraction of inserting each entry.
SET session_replication_role TO replica;
CREATE TEMPORARY TABLE index AS
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
    FROM pg_index WHERE indrelid = 'book_rating'::regclass AND NOT indisprimary;
SELECT 'DROP INDEX ' || name FROM index \gexec
CREATE TEMPORARY TABLE number AS SELECT i, pg_temp.book(i) AS id FROM generate_series(0, :rows / 10 - 1) AS i;
CREATE UNIQUE INDEX ON number (i);
ANALYZE number;
INSERT INTO book_rating (id, rating, book_id)
    SELECT pg_temp.rating(r.i), r.rating, number.id
    FROM (
        SELECT i, (ARRAY[1, 2, 3, 3, 4, 4, 4, 5, 5, 5])[1 + floor(10 * pg_temp.random(hash, 15))::integer] AS rating,
            floor(pg_temp.random(hash, 1) * (1 + floor(pg_temp.random(hash, 8) * (:rows / 10))))::bigint AS book
        FROM (SELECT i, md5('of' || i) AS hash FROM generate_series(0, :rows - 1) AS i) AS drawn
    ) AS r
    JOIN number ON number.i = r.book - CASE WHEN r.book % 10 = 9 THEN 1 ELSE 0 END
    ORDER BY r.i;
SELECT definition FROM index \gexec

-- What the triggers would have kept.
UPDATE book_stats SET rating_count = s.n, rating_sum = s.sum
    FROM (SELECT book_id, count(*) AS n, sum(rating) AS sum FROM book_rating GROUP BY book_id) AS s
    WHERE s.book_id = book_stats.book_id;
UPDATE book_rating_count SET rows = rows + (SELECT count(*) FROM book_rating)
    WHERE shard = (SELECT min(shard) FROM book_rating_count);

VACUUM (FULL) book_stats;
VACUUM (ANALYZE);
CHECKPOINT;
