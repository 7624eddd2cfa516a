-- Turns a table into a partitioned one while it is in use. Everything beside the rows comes from the catalogue: constraints,
-- indexes, triggers and privileges. The partitioned table grows in a schema of its own, and then takes the table's place.
-- The table may be partitioned already.
CREATE SCHEMA partitioning;

-- The least UUIDv7 of a time: a bound of a range of keys.
CREATE FUNCTION partitioning.key_at(moment timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- The name of the range that begins then: the day, and the time of day unless that is midnight.
CREATE FUNCTION partitioning.name_at(source text, moment timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT source || '_' || regexp_replace(to_char(moment AT TIME ZONE 'UTC', 'YYYY_MM_DD_HH24MI'), '_0000$', '')
$$;

-- Makes the empty partitioned table. Its foreign keys block the writers of the tables that they name, for milliseconds.
CREATE PROCEDURE partitioning.prepare(source text, scheme text) LANGUAGE plpgsql AS $$
DECLARE
    place text := quote_ident(current_schema());
    command text;
BEGIN
    -- A row that is copied twice is known by its key.
    IF NOT EXISTS (SELECT FROM pg_index WHERE indrelid = source::regclass AND indisprimary) THEN
        RAISE EXCEPTION '% has no primary key', source;
    END IF;
    EXECUTE format(
        'CREATE TABLE partitioning.%1$I (LIKE %2$s.%1$I INCLUDING ALL EXCLUDING INDEXES EXCLUDING CONSTRAINTS)
         PARTITION BY %3$s', source, place, scheme);
    FOREACH command IN ARRAY ARRAY(
        -- A primary key before what is no constraint.
        SELECT format('ALTER TABLE partitioning.%I ADD CONSTRAINT %I %s', source, conname, pg_get_constraintdef(oid))
        FROM pg_constraint WHERE conrelid = source::regclass AND contype IN ('p', 'u', 'c', 'f')
        UNION ALL
        -- `ONLY` if the table is partitioned.
        SELECT replace(replace(pg_get_indexdef(indexrelid),
                               format(' ON %s.%I ', place, source), format(' ON partitioning.%I ', source)),
                       format(' ON ONLY %s.%I ', place, source), format(' ON partitioning.%I ', source))
        FROM pg_index WHERE indrelid = source::regclass
            AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
        UNION ALL
        -- Privileges of the table, and then those of its columns. The owner grants them all.
        SELECT format('GRANT %s%s ON partitioning.%I TO %s%s', privilege_type, ' (' || quote_ident(attname) || ')', source,
                      CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END,
                      CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END)
        FROM (SELECT NULL AS attname, relacl AS privileges FROM pg_class WHERE oid = source::regclass
              UNION ALL
              SELECT attname, attacl FROM pg_attribute WHERE attrelid = source::regclass AND NOT attisdropped) AS part,
            aclexplode(privileges)
        WHERE grantee <> (SELECT relowner FROM pg_class WHERE oid = source::regclass)
    ) LOOP
        EXECUTE command;
    END LOOP;
END $$;

-- Adds hash partitions to the table that grows.
CREATE PROCEDURE partitioning.add_hash(source text, partitions integer) LANGUAGE plpgsql AS $$
BEGIN
    FOR number IN 0 .. partitions - 1 LOOP
        EXECUTE format('CREATE TABLE partitioning.%I PARTITION OF partitioning.%I FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
                       source || '_' || number, source, partitions, number);
    END LOOP;
END $$;

-- Adds range partitions: one that ends where the first of these times begins, one between each two, and one from the last
-- on. They leave no gap, so there is no default partition, which every page by key would have to read.
CREATE PROCEDURE partitioning.add_ranges(source text, VARIADIC starts timestamptz[]) LANGUAGE plpgsql AS $$
DECLARE
    bound text := 'MINVALUE';
    name text := source || '_oldest';
    start timestamptz;
BEGIN
    FOREACH start IN ARRAY starts || 'infinity'::timestamptz LOOP
        EXECUTE format('CREATE TABLE partitioning.%I PARTITION OF partitioning.%I FOR VALUES FROM (%s) TO (%s)',
                       name, source, bound,
                       CASE WHEN isfinite(start) THEN quote_literal(partitioning.key_at(start)) ELSE 'MAXVALUE' END);
        CONTINUE WHEN NOT isfinite(start);
        bound := quote_literal(partitioning.key_at(start));
        name := partitioning.name_at(source, start);
    END LOOP;
END $$;

-- Repeats every write of a transaction in the table that grows, which the argument names: a row may be written to a
-- partition, whose name is another.
CREATE FUNCTION partitioning.mirror() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        EXECUTE format('TRUNCATE partitioning.%I', TG_ARGV[0]);
    END IF;
    IF TG_OP IN ('UPDATE', 'DELETE') THEN
        EXECUTE format('DELETE FROM partitioning.%I WHERE id = $1', TG_ARGV[0]) USING OLD.id;
    END IF;
    IF TG_OP IN ('INSERT', 'UPDATE') THEN
        EXECUTE format('INSERT INTO partitioning.%I SELECT ($1).*', TG_ARGV[0]) USING NEW;
    END IF;
    RETURN NULL;
END $$;

-- Copies the rows, some at a time, each time in a transaction of its own. Writers of the rows that are being copied wait,
-- and no others. A row that is deleted meanwhile is not copied, or is deleted after it. Can be repeated.
--
-- It may stop half-way, and then the triggers stay. So its end has a mark, without which there is no swap: the comment
-- `complete` on the table that grows.
CREATE PROCEDURE partitioning.copy(source text, batch integer DEFAULT 10000) LANGUAGE plpgsql AS $$
DECLARE
    place text := quote_ident(current_schema());
    last uuid := '00000000-0000-0000-0000-000000000000';
    copied uuid;
    has_rows boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM partitioning.%I)', source) INTO has_rows;
    IF has_rows AND NOT EXISTS (
        SELECT FROM pg_trigger WHERE tgrelid = source::regclass AND tgname = 'partitioning_rows'
    ) THEN
        RAISE EXCEPTION 'partitioning.% has rows that no trigger kept current: truncate it first', source;
    END IF;
    EXECUTE format('COMMENT ON TABLE partitioning.%I IS NULL', source);
    EXECUTE format('CREATE OR REPLACE TRIGGER partitioning_rows AFTER INSERT OR UPDATE OR DELETE ON %s.%I
                    FOR EACH ROW EXECUTE FUNCTION partitioning.mirror(%2$L)', place, source);
    EXECUTE format('CREATE OR REPLACE TRIGGER partitioning_all AFTER TRUNCATE ON %s.%I
                    EXECUTE FUNCTION partitioning.mirror(%2$L)', place, source);
    COMMIT;
    WHILE last IS NOT NULL LOOP
        BEGIN
            -- Less than `deadlock_timeout`: where a writer and the copy wait for each other, the copy gives up.
            PERFORM set_config('lock_timeout', '100ms', true);
            EXECUTE format(
                'WITH found AS (SELECT * FROM %s.%I WHERE id > $1 ORDER BY id LIMIT $2 FOR SHARE),
                      copied AS (INSERT INTO partitioning.%2$I SELECT * FROM found ON CONFLICT DO NOTHING)
                 SELECT id FROM found ORDER BY id DESC LIMIT 1', place, source)
            INTO copied USING last, batch;
            SET CONSTRAINTS ALL IMMEDIATE;
            last := copied;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            PERFORM pg_sleep(0.1);
        END;
        COMMIT;
    END LOOP;
    -- Autovacuum analyses the partitions, and never the whole.
    EXECUTE format('ANALYZE partitioning.%I', source);
    EXECUTE format('COMMENT ON TABLE partitioning.%I IS ''complete''', source);
END $$;

-- Puts the partitioned table in the place of the other, which stays in the schema `unpartitioned`, with its partitions if
-- it has some, and without triggers and foreign keys. The locks of this transaction are held for milliseconds.
CREATE PROCEDURE partitioning.swap(source text) LANGUAGE plpgsql AS $$
DECLARE
    place text := quote_ident(current_schema());
    command text;
BEGIN
    IF obj_description(format('partitioning.%I', source)::regclass, 'pg_class') IS DISTINCT FROM 'complete' THEN
        RAISE EXCEPTION 'partitioning.% is not a complete copy: repeat the copy until it succeeds', source;
    END IF;
    EXECUTE format('LOCK TABLE %s.%I IN ACCESS EXCLUSIVE MODE', place, source);
    EXECUTE format('DROP TRIGGER partitioning_rows ON %s.%I; DROP TRIGGER partitioning_all ON %1$s.%2$I', place, source);
    FOREACH command IN ARRAY ARRAY(
        SELECT format('DROP TRIGGER %I ON %s.%I', tgname, place, source)
        FROM pg_trigger WHERE tgrelid = source::regclass AND NOT tgisinternal
        UNION ALL
        SELECT format('ALTER TABLE %s.%I DROP CONSTRAINT %I', place, source, conname)
        FROM pg_constraint WHERE conrelid = source::regclass AND contype = 'f'
        UNION ALL
        SELECT 'CREATE SCHEMA IF NOT EXISTS unpartitioned'
        UNION ALL
        -- A plain table is in no tree.
        SELECT format('ALTER TABLE %s SET SCHEMA unpartitioned', relid)
        FROM (SELECT source::regclass AS relid UNION SELECT relid FROM pg_partition_tree(source::regclass)) AS tree
        UNION ALL
        -- Instead of the mark, the comment of the table.
        SELECT format('COMMENT ON TABLE partitioning.%I IS %L', source, obj_description(source::regclass, 'pg_class'))
        UNION ALL
        SELECT format('ALTER TABLE %s SET SCHEMA %s', relid, place)
        FROM pg_partition_tree(format('partitioning.%I', source)::regclass)
        UNION ALL
        SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = source::regclass AND NOT tgisinternal
    ) LOOP
        EXECUTE command;
    END LOOP;
END $$;

-- Makes the range of the future begin later. It must still be empty, so do this before its first day.
CREATE PROCEDURE partitioning.next(source text, future text, start timestamptz) LANGUAGE plpgsql AS $$
DECLARE
    bounds text := pg_get_expr(relpartbound, oid) FROM pg_class WHERE oid = future::regclass;
    bound text := substring(bounds FROM 'FROM \((.*)\) TO \(MAXVALUE\)');
    has_rows boolean;
BEGIN
    IF bound IS NULL THEN
        RAISE EXCEPTION '% is not the last range: %', future, bounds;
    END IF;
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', source);
    -- All its rows would be compared with the new end, while everyone waits.
    EXECUTE format('SELECT EXISTS (SELECT FROM %I)', future) INTO has_rows;
    IF has_rows THEN
        RAISE EXCEPTION '% has rows: prepare, copy and swap % with other ranges instead', future, source;
    END IF;
    EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', source, future);
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%L)',
                   source, future, bound, partitioning.key_at(start));
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (MAXVALUE)',
                   partitioning.name_at(source, start), source, partitioning.key_at(start));
END $$;
