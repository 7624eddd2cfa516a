-- 1,000,000 tracks of 100,000 albums of 5,000 artists: the same rows each time, with ties, NULLs and names that a language
-- sorts otherwise than their bytes.
SET maintenance_work_mem = '256MB';
CREATE TABLE artist AS SELECT i AS id,
    (ARRAY['The ', 'the-', 'Él ', 'zoo', 'Ärger ', ''])[i % 6 + 1] || 'Band ' || i AS name,
    CASE WHEN i % 10 > 0 THEN (ARRAY['FI', 'fr', 'DE', 'PE'])[i % 4 + 1] END AS country
FROM generate_series(1, 5000) i;
CREATE TABLE album AS SELECT i AS id,
    (i - 1) % 5000 + 1 AS artist_id,
    (ARRAY['Öre', 'ore', 'Ore ', 'o''re'])[i % 4 + 1] || i % 997 || '/' || i / 5000 AS title,
    CASE WHEN i % 8 > 0 THEN 1960 + i * 7 % 60 END::smallint AS year
FROM generate_series(1, 100000) i;
CREATE TABLE track AS SELECT i AS id,
    (i::bigint * 7919 % 100000)::integer + 1 AS album_id,
    ((i - 1) / 100000)::smallint AS position,
    (ARRAY['Up', 'up ', 'Úp', 'x-Up'])[i % 4 + 1] || i::bigint * 104729 % 30011 AS name,
    CASE WHEN i % 21 > 0 THEN 'genre ' || i % 21 END AS genre,
    CASE WHEN i % 5 > 0 THEN i::bigint * 31 % 50 / 10.0 END::numeric(3, 1) AS rating,
    i::bigint * 7919 % 5003 * 9000000000 AS plays,
    timestamptz '2020-01-01 00:00:00Z' + i::bigint * 15485863 % 40000 * interval '1.25 seconds' AS released_at
FROM generate_series(1, 1000000) i;

ALTER TABLE artist ADD PRIMARY KEY (id), ALTER name SET NOT NULL, ADD UNIQUE (name);
ALTER TABLE album ADD PRIMARY KEY (id), ADD UNIQUE (artist_id, title),
    ALTER artist_id SET NOT NULL, ADD FOREIGN KEY (artist_id) REFERENCES artist, ALTER title SET NOT NULL;
ALTER TABLE track ADD PRIMARY KEY (id), ADD UNIQUE (album_id, position),
    ALTER album_id SET NOT NULL, ADD FOREIGN KEY (album_id) REFERENCES album, ALTER position SET NOT NULL,
    ALTER name SET NOT NULL, ALTER plays SET NOT NULL, ALTER released_at SET NOT NULL;
CREATE INDEX ON artist (country, id);
CREATE INDEX ON album (artist_id, id);
CREATE INDEX ON album (year, id);
CREATE INDEX ON track (album_id, id);
CREATE INDEX ON track (genre, id);
CREATE INDEX ON track (rating, id);
CREATE INDEX ON track (rating DESC, id);
CREATE INDEX ON track (plays, id);
CREATE INDEX ON track (released_at, id);
CREATE INDEX ON track (genre, plays, id);
CREATE INDEX ON track (album_id, plays, id);
ANALYZE;
