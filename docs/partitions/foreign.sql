CREATE EXTENSION IF NOT EXISTS postgres_fdw;

-- A page begins with few rows of each list. So the other server plans for the first rows, and sends few at a time.
CREATE SERVER past_1 FOREIGN DATA WRAPPER postgres_fdw
    OPTIONS (host 'past-1.example', port '5432', dbname 'postgres', fetch_size '25',
             options '-c cursor_tuple_fraction=0.00001 -c enable_incremental_sort=off -c jit=off');
CREATE SERVER past_2 FOREIGN DATA WRAPPER postgres_fdw
    OPTIONS (host 'past-2.example', port '5432', dbname 'postgres', fetch_size '25',
             options '-c cursor_tuple_fraction=0.00001 -c enable_incremental_sort=off -c jit=off');
CREATE USER MAPPING FOR CURRENT_USER SERVER past_1 OPTIONS (user 'postgres', password 'secret');
CREATE USER MAPPING FOR CURRENT_USER SERVER past_2 OPTIONS (user 'postgres', password 'secret');

CALL partitioning.prepare('book_rating', 'RANGE (id)');

-- A table with foreign partitions has no unique index and no foreign key. The partition of today has its own.
ALTER TABLE partitioning.book_rating DROP CONSTRAINT book_rating_pkey, DROP CONSTRAINT book_rating_book_id_fkey;
CREATE FOREIGN TABLE partitioning.book_rating_past_1 PARTITION OF partitioning.book_rating
    FOR VALUES FROM (MINVALUE) TO (partitioning.key_at('2025-01-01Z'))
    SERVER past_1 OPTIONS (schema_name 'public', table_name 'book_rating');
CREATE FOREIGN TABLE partitioning.book_rating_past_2 PARTITION OF partitioning.book_rating
    FOR VALUES FROM (partitioning.key_at('2025-01-01Z')) TO (partitioning.key_at('2026-01-01Z'))
    SERVER past_2 OPTIONS (schema_name 'public', table_name 'book_rating');
CREATE TABLE partitioning.book_rating_today PARTITION OF partitioning.book_rating
    (PRIMARY KEY (id), FOREIGN KEY (book_id) REFERENCES book (id) DEFERRABLE INITIALLY DEFERRED)
    FOR VALUES FROM (partitioning.key_at('2026-01-01Z')) TO (MAXVALUE);

CALL partitioning.copy('book_rating');
CALL partitioning.swap('book_rating');
