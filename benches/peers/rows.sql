-- The rows: as many tracks as the variable `rows` says, and the rest in proportion. They are the same on every machine. Keys
-- begin at 2, so that a workload can put a row before all others, and delete it.
SET client_min_messages TO warning;
SET synchronous_commit TO off;

-- A number below n that follows from i and the salt alone.
CREATE FUNCTION pg_temp.pick(i integer, salt text, n integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
    $$ SELECT ('x' || left(md5(salt || i), 7))::bit(28)::integer % n $$;
-- One of the keys 2 to n + 1.
CREATE FUNCTION pg_temp.key(i integer, salt text, n integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
    $$ SELECT 2 + ('x' || left(md5(salt || i), 7))::bit(28)::integer % n $$;

SELECT :rows / 100 AS artists, :rows / 10 AS albums, :rows / 500 AS playlists, :rows / 20 AS customers,
    :rows / 4 AS invoices, greatest(:rows / 5000, 10) AS universities, greatest(:rows / 500, 20) AS departments,
    :rows / 25 AS faculties, :rows / 10 AS students, :rows / 5 AS publications, :rows / 50 AS courses \gset

INSERT INTO genre SELECT i, 'Genre ' || i FROM generate_series(2, 26) i;
INSERT INTO artist SELECT i, 'Artist ' || i, 'Country ' || pg_temp.pick(i, 'country', 50)
    FROM generate_series(2, :artists + 1) i;
INSERT INTO album SELECT i, 'Album ' || i, pg_temp.key(i, 'artist', :artists) FROM generate_series(2, :albums + 1) i;
INSERT INTO track SELECT i, 'Track ' || i, pg_temp.key(i, 'album', :albums), pg_temp.key(i, 'genre', 25),
        1 + pg_temp.pick(i, 'rating', 5),
        CASE WHEN pg_temp.pick(i, 'no year', 5) > 0 THEN 1960 + pg_temp.pick(i, 'year', 60) END,
        CASE WHEN pg_temp.pick(i, 'no seconds', 10) > 0 THEN 60 + pg_temp.pick(i, 'seconds', 300) END
    FROM generate_series(2, :rows + 1) i;
INSERT INTO playlist SELECT i, 'Playlist ' || i FROM generate_series(2, :playlists + 1) i;
INSERT INTO playlist_track SELECT pg_temp.key(i, 'playlist', :playlists), pg_temp.key(i, 'track', :rows)
    FROM generate_series(1, :rows / 10) i ON CONFLICT DO NOTHING;
INSERT INTO customer SELECT i, 'Customer ' || i, 'Country ' || pg_temp.pick(i, 'customer', 50)
    FROM generate_series(2, :customers + 1) i;
INSERT INTO invoice SELECT i, pg_temp.key(i, 'customer', :customers), 100 + pg_temp.pick(i, 'cents', 5000)
    FROM generate_series(2, :invoices + 1) i;
INSERT INTO invoice_line SELECT i, pg_temp.key(i, 'invoice', :invoices), pg_temp.key(i, 'sold', :rows),
        1 + pg_temp.pick(i, 'quantity', 3)
    FROM generate_series(2, :rows + 1) i;

INSERT INTO university SELECT i, 'University ' || i FROM generate_series(2, :universities + 1) i;
INSERT INTO department SELECT i, 'Department ' || i, 2 + i % :universities FROM generate_series(2, :departments + 1) i;
INSERT INTO research_group SELECT i, pg_temp.key(i, 'group', :departments) FROM generate_series(2, :departments * 5) i;
INSERT INTO faculty SELECT i, 'Faculty ' || i, 'faculty' || i || '@example.org',
        pg_temp.key(i, 'undergraduate', :universities), pg_temp.key(i, 'master', :universities),
        pg_temp.key(i, 'doctoral', :universities), 2 + i % :departments
    FROM generate_series(2, :faculties + 1) i;
-- Three quarters of them. The first ones are heads, one of each department.
CREATE TEMPORARY TABLE chair AS SELECT id, row_number() OVER (ORDER BY id)::integer AS n FROM faculty WHERE id % 4 > 0;
CREATE UNIQUE INDEX ON chair (n);
INSERT INTO professor SELECT id,
        'Research' || pg_temp.pick(id, 'interest', 20) || ' and Research' || pg_temp.pick(id, 'second interest', 20),
        CASE WHEN n <= :departments THEN n + 1 END
    FROM chair;
INSERT INTO lecturer SELECT id FROM faculty WHERE id % 4 = 0;
SELECT count(*) AS chairs FROM chair \gset
INSERT INTO graduate_student SELECT i, 'Student ' || pg_temp.pick(i, 'name', 1000), '+1-555-' || pg_temp.pick(i, 'telephone', 10000),
        'graduate' || i || '@example.org', 20 + pg_temp.pick(i, 'age', 30), pg_temp.key(i, 'university', :universities),
        c.id, pg_temp.key(i, 'department', :departments)
    FROM generate_series(2, :students + 1) i JOIN chair c ON c.n = 1 + pg_temp.pick(i, 'advisor', :chairs);
INSERT INTO undergraduate_student SELECT i, 'Student ' || i, 17 + pg_temp.pick(i, 'young', 10), c.id,
        pg_temp.key(i, 'member', :departments)
    FROM generate_series(2, :students * 2 + 1) i JOIN chair c ON c.n = 1 + pg_temp.pick(i, 'tutor', :chairs);
INSERT INTO publication SELECT i, 'On Word' || pg_temp.pick(i, 'first word', 100) || ' and Word' || pg_temp.pick(i, 'second word', 100),
        'Abstract ' || i, pg_temp.key(i, 'author', :faculties)
    FROM generate_series(2, :publications + 1) i;
INSERT INTO co_author SELECT pg_temp.key(i, 'written', :publications), pg_temp.key(i, 'writer', :students)
    FROM generate_series(1, :publications) i ON CONFLICT DO NOTHING;
INSERT INTO graduate_course SELECT i, 'Course ' || i, pg_temp.key(i, 'teacher', :faculties) FROM generate_series(2, :courses + 1) i;
INSERT INTO undergraduate_course SELECT i, 'Course ' || i, pg_temp.key(i, 'lecturer', :faculties), pg_temp.key(i, 'assistant', :students)
    FROM generate_series(2, :courses + 1) i;
INSERT INTO graduate_enrolment SELECT 2 + i % :students, pg_temp.key(i, 'course', :courses)
    FROM generate_series(1, :students * 3) i ON CONFLICT DO NOTHING;
INSERT INTO undergraduate_enrolment SELECT 2 + i % (:students * 2), pg_temp.key(i, 'lesson', :courses)
    FROM generate_series(1, :students * 4) i ON CONFLICT DO NOTHING;
