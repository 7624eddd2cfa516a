-- The tables of the book shop on Citus: books, their ratings, orders and sums by the key of the book. See citus.md.

-- 1. Statement triggers with transition tables stay on one server. Triggers of rows replace those of sums, below.
DO $$
DECLARE
    found record;
BEGIN
    FOR found IN
        SELECT tgname AS name, tgrelid::regclass AS of FROM pg_trigger
        WHERE NOT tgisinternal
          AND tgrelid IN ('book'::regclass, 'book_rating'::regclass, 'book_order'::regclass, 'book_stats'::regclass)
    LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', found.name, found.of);
    END LOOP;
END $$;

-- 2. A primary key contains the column by which its table is distributed. Lists of all ratings need an index by `id` alone.
ALTER TABLE book_rating DROP CONSTRAINT book_rating_book_id_fkey, DROP CONSTRAINT book_rating_pkey;
ALTER TABLE book_rating ADD PRIMARY KEY (book_id, id);
CREATE INDEX book_rating_by_id ON book_rating (id);
ALTER TABLE book_order DROP CONSTRAINT book_order_book_id_fkey, DROP CONSTRAINT book_order_pkey;
ALTER TABLE book_order ADD PRIMARY KEY (book_id, id);
CREATE INDEX book_order_by_id ON book_order (id);
ALTER TABLE book_stats DROP CONSTRAINT book_stats_book_id_fkey;

-- 3. The rows of a book are on one server.
SELECT create_distributed_table('book', 'id');
SELECT create_distributed_table('book_rating', 'book_id', colocate_with => 'book');
SELECT create_distributed_table('book_order', 'book_id', colocate_with => 'book');
SELECT create_distributed_table('book_stats', 'book_id', colocate_with => 'book');
ALTER TABLE book_rating ADD CONSTRAINT book_rating_book_id_fkey FOREIGN KEY (book_id) REFERENCES book (id);
ALTER TABLE book_order ADD CONSTRAINT book_order_book_id_fkey FOREIGN KEY (book_id) REFERENCES book (id);
ALTER TABLE book_stats ADD CONSTRAINT book_stats_book_id_fkey
    FOREIGN KEY (book_id) REFERENCES book (id) ON DELETE CASCADE;

-- 4. The words of the search are on every server.
ALTER TABLE book_word DROP CONSTRAINT IF EXISTS book_word_book_id_fkey;
ALTER TABLE book_words DROP CONSTRAINT IF EXISTS book_words_book_id_fkey;
SELECT create_reference_table('book_word');
SELECT create_reference_table('book_words');
SELECT create_reference_table('search_letter');

-- 5. All books are counted when they are asked for, ratings and orders by the sums of the books.
DROP TABLE book_count, book_rating_count, book_order_count;
CREATE VIEW book_count AS SELECT count(*) AS rows FROM book;
CREATE VIEW book_rating_count AS SELECT coalesce(sum(rating_count), 0)::bigint AS rows FROM book_stats;
CREATE VIEW book_order_count AS SELECT coalesce(sum(order_count), 0)::bigint AS rows FROM book_stats;

-- 6. The sums of a book change in the shard that has its ratings and orders: a trigger knows its shard by its name.
CREATE FUNCTION stats_beside(shard text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT format('book_stats_%s', stats.shardid)
    FROM pg_dist_shard own JOIN pg_dist_shard stats ON stats.shardminvalue = own.shardminvalue
    WHERE own.shardid = substring(shard FROM '[0-9]+$')::bigint AND stats.logicalrelid = 'book_stats'::regclass
$$;

CREATE FUNCTION book_has_sums() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I (book_id) VALUES ($1)', stats_beside(TG_TABLE_NAME)) USING NEW.id;
    RETURN NULL;
END $$;

CREATE FUNCTION rating_is_summed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed text := format('UPDATE %I SET rating_count = rating_count + $1, rating_sum = rating_sum + $2 WHERE book_id = $3',
        stats_beside(TG_TABLE_NAME));
BEGIN
    IF TG_OP IN ('UPDATE', 'DELETE') THEN
        EXECUTE changed USING -1, -OLD.rating, OLD.book_id;
    END IF;
    IF TG_OP IN ('INSERT', 'UPDATE') THEN
        EXECUTE changed USING 1, NEW.rating, NEW.book_id;
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION order_is_summed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed text := format('UPDATE %I SET order_count = order_count + $1, revenue_cents = revenue_cents + $2 WHERE book_id = $3',
        stats_beside(TG_TABLE_NAME));
BEGIN
    IF TG_OP IN ('UPDATE', 'DELETE') THEN
        EXECUTE changed USING -1, -(OLD.total_price * 100)::bigint, OLD.book_id;
    END IF;
    IF TG_OP IN ('INSERT', 'UPDATE') THEN
        EXECUTE changed USING 1, (NEW.total_price * 100)::bigint, NEW.book_id;
    END IF;
    RETURN NULL;
END $$;

-- Citus cannot know that the triggers write to their own server alone.
SET citus.enable_unsafe_triggers = on;
CREATE TRIGGER sums AFTER INSERT ON book FOR EACH ROW EXECUTE FUNCTION book_has_sums();
CREATE TRIGGER sums AFTER INSERT OR UPDATE OR DELETE ON book_rating FOR EACH ROW EXECUTE FUNCTION rating_is_summed();
CREATE TRIGGER sums AFTER INSERT OR UPDATE OR DELETE ON book_order FOR EACH ROW EXECUTE FUNCTION order_is_summed();
