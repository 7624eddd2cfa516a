-- As many tables as the variable `tables` says, each of 20 columns and 100 rows. It refers to the one before it, so that each object
-- has a list of others.
\set ON_ERROR_STOP on
SET client_min_messages TO warning;
SET synchronous_commit TO off;

SELECT format('CREATE TABLE %1$s (id bigint PRIMARY KEY, name text NOT NULL, note text, %2$s, %3$s_id bigint NOT NULL REFERENCES %3$s);
        INSERT INTO %1$s (id, name, %3$s_id) SELECT j, ''Name '' || j, j FROM generate_series(1, 100) AS j;
        CREATE INDEX ON %1$s (name, id);
        CREATE INDEX ON %1$s (%3$s_id, id)',
        'thing' || i, columns, 'thing' || greatest(i - 1, 1))
    FROM generate_series(1, :tables) AS i,
        (SELECT string_agg(format('%s%s %s', type, k, type), ', ') AS columns
        FROM generate_series(1, 4) AS k, unnest(ARRAY['text', 'integer', 'boolean', 'date']) AS type) AS others
    ORDER BY i
\gexec
ANALYZE;
