-- One statement for each workload, which returns the whole response. After the name of a workload are the parameters, with what they
-- are at the beginning of a list. A cursor is a JSON object with the values of the parameters.

-- == Walk: id=0
WITH page AS (SELECT id, name FROM track WHERE id > $1 ORDER BY id LIMIT 101)
SELECT json_build_object('data', json_build_object('page', json_build_object(
    'edges', (SELECT coalesce(json_agg(json_build_object('cursor', json_build_object('id', id)::text,
        'node', json_build_object('id', id, 'name', name)) ORDER BY id), '[]') FROM (SELECT * FROM page LIMIT 100) e),
    'pageInfo', json_build_object('hasPreviousPage', (SELECT id FROM track ORDER BY id LIMIT 1) <= $1,
        'hasNextPage', (SELECT count(*) FROM page) > 100))))::text

-- == Deep place: id=0
SELECT json_build_object('data', json_build_object('cursor', json_build_object('id', $1::integer)::text))::text

-- == Deep: id=0
WITH page AS (SELECT id, name, rating FROM track WHERE id > $1 ORDER BY id LIMIT 11)
SELECT json_build_object('data', json_build_object('page', json_build_object(
    'edges', (SELECT coalesce(json_agg(json_build_object('cursor', json_build_object('id', id)::text,
        'node', json_build_object('id', id, 'name', name, 'rating', rating)) ORDER BY id), '[]') FROM (SELECT * FROM page LIMIT 10) e),
    'pageInfo', json_build_object('hasPreviousPage', (SELECT id FROM track ORDER BY id LIMIT 1) <= $1,
        'hasNextPage', (SELECT count(*) FROM page) > 10))))::text

-- == Gone place: id=0
SELECT json_build_object('data', json_build_object('cursor', json_build_object('id', $1::integer)::text))::text

-- == Gone: id=0
WITH page AS (SELECT id, name, rating FROM track WHERE id > $1 ORDER BY id LIMIT 11)
SELECT json_build_object('data', json_build_object('page', json_build_object(
    'edges', (SELECT coalesce(json_agg(json_build_object('cursor', json_build_object('id', id)::text,
        'node', json_build_object('id', id, 'name', name, 'rating', rating)) ORDER BY id), '[]') FROM (SELECT * FROM page LIMIT 10) e),
    'pageInfo', json_build_object('hasPreviousPage', (SELECT id FROM track ORDER BY id LIMIT 1) <= $1,
        'hasNextPage', (SELECT count(*) FROM page) > 10))))::text

-- == Ties place: id=0
SELECT json_build_object('data', json_build_object('cursor', json_build_object('rating', rating, 'id', id)::text))::text
FROM track WHERE id = $1

-- == Ties: rating=2147483647, id=2147483647
WITH page AS (SELECT id, name, rating FROM track WHERE (rating, id) < ($1, $2) ORDER BY rating DESC, id DESC LIMIT 11)
SELECT json_build_object('data', json_build_object('page', json_build_object(
    'edges', (SELECT coalesce(json_agg(json_build_object('cursor', json_build_object('rating', rating, 'id', id)::text,
        'node', json_build_object('id', id, 'name', name, 'rating', rating)) ORDER BY rating DESC, id DESC), '[]')
        FROM (SELECT * FROM page LIMIT 10) e),
    'pageInfo', json_build_object('hasPreviousPage',
        (SELECT (rating, id) >= ($1, $2) FROM track ORDER BY rating DESC, id DESC LIMIT 1),
        'hasNextPage', (SELECT count(*) FROM page) > 10))))::text

-- == Opposite place: id=0
SELECT json_build_object('data', json_build_object('cursor', json_build_object('rating', rating, 'id', id)::text))::text
FROM track WHERE id = $1

-- == Opposite: rating=2147483647, id=2147483647
WITH page AS (
    SELECT * FROM (
        (SELECT id, name, rating FROM track WHERE rating = $1 AND id > $2 ORDER BY id LIMIT 11)
        UNION ALL (SELECT id, name, rating FROM track WHERE rating < $1 ORDER BY rating DESC, id LIMIT 11)
    ) ranges ORDER BY rating DESC, id LIMIT 11
)
SELECT json_build_object('data', json_build_object('page', json_build_object(
    'edges', (SELECT coalesce(json_agg(json_build_object('cursor', json_build_object('rating', rating, 'id', id)::text,
        'node', json_build_object('id', id, 'name', name, 'rating', rating)) ORDER BY rating DESC, id), '[]')
        FROM (SELECT * FROM page LIMIT 10) e),
    'pageInfo', json_build_object('hasPreviousPage',
        (SELECT (-rating, id) <= (-$1, $2) FROM track ORDER BY rating DESC, id LIMIT 1),
        'hasNextPage', (SELECT count(*) FROM page) > 10))))::text

-- == Mixed place: id=0
SELECT json_build_object('data', json_build_object('cursor', json_build_object('year', year, 'seconds', seconds, 'id', id)::text))::text
FROM track WHERE id = $1

-- == Mixed: year=null, seconds=-1, id=-1
-- With the whole order in each range, no plan walks along the primary key.
WITH page AS (
    SELECT * FROM (
        (SELECT id, name, year, seconds FROM track WHERE year = $1 AND seconds = $2 AND id > $3 ORDER BY year DESC, seconds, id LIMIT 11)
        UNION ALL (SELECT id, name, year, seconds FROM track
            WHERE $2::integer IS NULL AND year = $1 AND seconds IS NULL AND id > $3 ORDER BY year DESC, seconds, id LIMIT 11)
        UNION ALL (SELECT id, name, year, seconds FROM track
            WHERE $1::integer IS NULL AND year IS NULL AND seconds = $2 AND id > $3 ORDER BY year DESC, seconds, id LIMIT 11)
        UNION ALL (SELECT id, name, year, seconds FROM track
            WHERE $1::integer IS NULL AND $2::integer IS NULL AND year IS NULL AND seconds IS NULL AND id > $3
            ORDER BY year DESC, seconds, id LIMIT 11)
        UNION ALL (SELECT id, name, year, seconds FROM track WHERE year = $1 AND seconds > $2 ORDER BY year DESC, seconds, id LIMIT 11)
        UNION ALL (SELECT id, name, year, seconds FROM track
            WHERE $2::integer IS NOT NULL AND year = $1 AND seconds IS NULL ORDER BY year DESC, seconds, id LIMIT 11)
        UNION ALL (SELECT id, name, year, seconds FROM track
            WHERE $1::integer IS NULL AND year IS NULL AND seconds > $2 ORDER BY year DESC, seconds, id LIMIT 11)
        UNION ALL (SELECT id, name, year, seconds FROM track
            WHERE $1::integer IS NULL AND $2::integer IS NOT NULL AND year IS NULL AND seconds IS NULL ORDER BY year DESC, seconds, id LIMIT 11)
        UNION ALL (SELECT id, name, year, seconds FROM track WHERE year < $1 ORDER BY year DESC, seconds, id LIMIT 11)
        UNION ALL (SELECT id, name, year, seconds FROM track
            WHERE $1::integer IS NULL AND year IS NOT NULL ORDER BY year DESC, seconds, id LIMIT 11)
    ) ranges ORDER BY year DESC, seconds, id LIMIT 11
)
SELECT json_build_object('data', json_build_object('page', json_build_object(
    'edges', (SELECT coalesce(json_agg(json_build_object('cursor', json_build_object('year', year, 'seconds', seconds, 'id', id)::text,
        'node', json_build_object('id', id, 'name', name, 'year', year, 'seconds', seconds)) ORDER BY year DESC, seconds, id), '[]')
        FROM (SELECT * FROM page LIMIT 10) e),
    'pageInfo', json_build_object('hasPreviousPage',
        (SELECT (-coalesce(year, 9999), coalesce(seconds, 99999), id) <= (-coalesce($1, 9999), coalesce($2, 99999), $3)
            FROM track ORDER BY year DESC, seconds, id LIMIT 1),
        'hasNextPage', (SELECT count(*) FROM page) > 10))))::text

-- == Nested place: id=0
SELECT json_build_object('data', json_build_object('cursor', json_build_object('id', $1::integer)::text))::text

-- == Nested: id=0
WITH page AS (SELECT id, title FROM album WHERE id > $1 ORDER BY id LIMIT 21)
SELECT json_build_object('data', json_build_object('page', json_build_object(
    'edges', (SELECT coalesce(json_agg(json_build_object('cursor', json_build_object('id', id)::text,
        'node', json_build_object('id', id, 'title', title, 'tracks', tracks)) ORDER BY id), '[]')
        FROM (SELECT * FROM page LIMIT 20) e CROSS JOIN LATERAL (
            SELECT json_build_object('edges', coalesce(json_agg(json_build_object('cursor', t.id::text,
                    'node', json_build_object('id', t.id, 'name', t.name)) ORDER BY t.id) FILTER (WHERE n <= 5), '[]'),
                'pageInfo', json_build_object('hasPreviousPage', false, 'hasNextPage', count(*) > 5)) AS tracks
            FROM (SELECT id, name, row_number() OVER (ORDER BY id) AS n FROM track WHERE album_id = e.id ORDER BY id LIMIT 6) t) l),
    'pageInfo', json_build_object('hasPreviousPage', (SELECT id FROM album ORDER BY id LIMIT 1) <= $1,
        'hasNextPage', (SELECT count(*) FROM page) > 20))))::text

-- == Many-to-many place: id=0
SELECT json_build_object('data', json_build_object('cursor', json_build_object('id', $1::integer)::text))::text

-- == Many-to-many: id=0
WITH page AS (SELECT id, name FROM playlist WHERE id > $1 ORDER BY id LIMIT 21)
SELECT json_build_object('data', json_build_object('page', json_build_object(
    'edges', (SELECT coalesce(json_agg(json_build_object('cursor', json_build_object('id', id)::text,
        'node', json_build_object('id', id, 'name', name, 'tracks', tracks)) ORDER BY id), '[]')
        FROM (SELECT * FROM page LIMIT 20) e CROSS JOIN LATERAL (
            SELECT json_build_object('edges', coalesce(json_agg(json_build_object('cursor', t.id::text,
                    'node', json_build_object('id', t.id, 'name', t.name)) ORDER BY t.id) FILTER (WHERE n <= 10), '[]'),
                'pageInfo', json_build_object('hasPreviousPage', false, 'hasNextPage', count(*) > 10)) AS tracks
            FROM (SELECT track.id, track.name, row_number() OVER (ORDER BY p.track_id) AS n
                FROM playlist_track p JOIN track ON track.id = p.track_id
                WHERE p.playlist_id = e.id ORDER BY p.track_id LIMIT 11) t) l),
    'pageInfo', json_build_object('hasPreviousPage', (SELECT id FROM playlist ORDER BY id LIMIT 1) <= $1,
        'hasNextPage', (SELECT count(*) FROM page) > 20))))::text

-- == To one place: id=0
SELECT json_build_object('data', json_build_object('cursor', json_build_object('id', $1::integer)::text))::text

-- == To one: id=0
WITH page AS (SELECT * FROM invoice_line WHERE id > $1 ORDER BY id LIMIT 51)
SELECT json_build_object('data', json_build_object('page', json_build_object(
    'edges', (SELECT coalesce(json_agg(json_build_object('cursor', json_build_object('id', l.id)::text, 'node', json_build_object(
        'id', l.id, 'quantity', l.quantity, 'invoice', json_build_object('customer', json_build_object('name', c.name)),
        'track', json_build_object('name', t.name, 'album', json_build_object('title', a.title,
            'artist', json_build_object('name', s.name))))) ORDER BY l.id), '[]')
        FROM (SELECT * FROM page LIMIT 50) l JOIN invoice i ON i.id = l.invoice_id JOIN customer c ON c.id = i.customer_id
        JOIN track t ON t.id = l.track_id JOIN album a ON a.id = t.album_id JOIN artist s ON s.id = a.artist_id),
    'pageInfo', json_build_object('hasPreviousPage', (SELECT id FROM invoice_line ORDER BY id LIMIT 1) <= $1,
        'hasNextPage', (SELECT count(*) FROM page) > 50))))::text

-- == Filter place: id=0
SELECT json_build_object('data', json_build_object('cursor', json_build_object('id', $1::integer)::text))::text

-- == Filter: id=0, country=
WITH page AS (SELECT t.id, t.name FROM track t WHERE t.id > $1 AND EXISTS (SELECT FROM album a JOIN artist s ON s.id = a.artist_id
    WHERE a.id = t.album_id AND s.country = $2 OFFSET 0) ORDER BY t.id LIMIT 11)
SELECT json_build_object('data', json_build_object('page', json_build_object(
    'edges', (SELECT coalesce(json_agg(json_build_object('cursor', json_build_object('id', id)::text,
        'node', json_build_object('id', id, 'name', name)) ORDER BY id), '[]') FROM (SELECT * FROM page LIMIT 10) e),
    'pageInfo', json_build_object('hasPreviousPage', (SELECT t.id FROM track t WHERE EXISTS (SELECT FROM album a
            JOIN artist s ON s.id = a.artist_id WHERE a.id = t.album_id AND s.country = $2 OFFSET 0) ORDER BY t.id LIMIT 1) <= $1,
        'hasNextPage', (SELECT count(*) FROM page) > 10))))::text

-- == Count: genre=0
SELECT json_build_object('data', json_build_object('page', json_build_object('totalCount', count(*))))::text
FROM track WHERE genre_id = $1

-- == First
not expressible: it has no documents, only statements that are prepared at its start.

-- == L1: id=0
SELECT json_build_object('data', json_build_object('one', json_build_object('university', json_build_object('students', json_build_object(
    'nodes', (SELECT coalesce(json_agg(json_build_object('id', id, 'email', email) ORDER BY id), '[]')
        FROM (SELECT id, email FROM graduate_student WHERE university_id = f.doctoral_university_id ORDER BY id LIMIT 50) s))))))::text
FROM faculty f WHERE id = $1

-- == L2: id=0
SELECT json_build_object('data', json_build_object('one', json_build_object('faculties', json_build_object(
    'nodes', (SELECT coalesce(json_agg(json_build_object('id', f.id, 'publications', json_build_object('nodes',
        (SELECT coalesce(json_agg(json_build_object('title', title) ORDER BY id), '[]')
            FROM (SELECT id, title FROM publication WHERE author_id = f.id ORDER BY id LIMIT 5) p))) ORDER BY f.id), '[]')
        FROM (SELECT id FROM faculty WHERE doctoral_university_id = $1 ORDER BY id LIMIT 20) f)))))::text

-- == L3: id=0
SELECT json_build_object('data', json_build_object('one', json_build_object('department', json_build_object('head', json_build_object(
    'faculty', json_build_object('id', f.id, 'email', f.email, 'university', json_build_object('id', f.doctoral_university_id)))))))::text
FROM research_group g JOIN professor p ON p.headed_department_id = g.department_id JOIN faculty f ON f.id = p.faculty_id
WHERE g.id = $1

-- == L4: id=0
SELECT json_build_object('data', json_build_object('one', json_build_object('faculty', json_build_object('university', json_build_object(
    'id', l.doctoral_university_id, 'students', json_build_object('nodes',
        (SELECT coalesce(json_agg(json_build_object('id', s.id, 'email', s.email, 'advisor', json_build_object(
            'faculty', json_build_object('id', f.id, 'email', f.email, 'department', json_build_object('id', f.department_id))))
            ORDER BY s.id), '[]')
        FROM (SELECT * FROM graduate_student WHERE university_id = l.doctoral_university_id ORDER BY id LIMIT 20) s
        JOIN faculty f ON f.id = s.advisor_id)))))))::text
FROM faculty l WHERE l.id = $1

-- == L5: id=0
SELECT json_build_object('data', json_build_object('one', json_build_object('id', r.id, 'university', json_build_object('id', r.university_id,
    'students', json_build_object('nodes', (SELECT coalesce(json_agg(json_build_object('id', s.id, 'email', s.email,
        'department', json_build_object('id', d.id, 'university', json_build_object('id', d.university_id, 'students', json_build_object('nodes',
            (SELECT coalesce(json_agg(json_build_object('id', id, 'email', email, 'department', json_build_object('id', department_id))
                ORDER BY id), '[]')
            FROM (SELECT * FROM graduate_student WHERE university_id = d.university_id ORDER BY id LIMIT 10) f))))) ORDER BY s.id), '[]')
        FROM (SELECT * FROM graduate_student WHERE university_id = r.university_id ORDER BY id LIMIT 10) s
        JOIN department d ON d.id = s.department_id))))))::text
FROM department r WHERE r.id = $1

-- == L6: id=0
SELECT json_build_object('data', json_build_object('one', json_build_object('students', json_build_object('nodes',
    (SELECT coalesce(json_agg(json_build_object('id', s.id, 'advisor', json_build_object('faculty', json_build_object(
        'department', json_build_object('id', f.department_id)))) ORDER BY s.id), '[]')
    FROM (SELECT * FROM graduate_student WHERE university_id = $1 ORDER BY id LIMIT 50) s JOIN faculty f ON f.id = s.advisor_id)))))::text

-- == L7 place: id=0
SELECT json_build_object('data', json_build_object('cursor', json_build_object('last', (SELECT id FROM graduate_student
    WHERE university_id = $1 ORDER BY id OFFSET 19 LIMIT 1))::text))::text

-- == L7: id=0, last=0
WITH page AS (SELECT id, advisor_id FROM graduate_student WHERE university_id = $1 AND id > $2 ORDER BY id LIMIT 11)
SELECT json_build_object('data', json_build_object('one', json_build_object('students', json_build_object(
    'nodes', (SELECT coalesce(json_agg(json_build_object('id', id, 'advisor', json_build_object('id', advisor_id)) ORDER BY id), '[]')
        FROM (SELECT * FROM page LIMIT 10) e),
    'pageInfo', json_build_object('hasPreviousPage', (SELECT id FROM graduate_student WHERE university_id = $1 ORDER BY id LIMIT 1) <= $2,
        'hasNextPage', (SELECT count(*) FROM page) > 10)))))::text

-- == L8 place: id=0
SELECT json_build_object('data', json_build_object('cursor', json_build_object('age', age, 'name', name, 'id', id)::text))::text
FROM graduate_student WHERE id = $1

-- == L8: age=-1, name=, id=-1
WITH page AS (SELECT id, telephone, email, age, name FROM graduate_student WHERE (age, name, id) > ($1, $2, $3)
    ORDER BY age, name, id LIMIT 11)
SELECT json_build_object('data', json_build_object('page', json_build_object(
    'edges', (SELECT coalesce(json_agg(json_build_object('cursor', json_build_object('age', age, 'name', name, 'id', id)::text,
        'node', json_build_object('id', id, 'telephone', telephone, 'email', email)) ORDER BY age, name, id), '[]')
        FROM (SELECT * FROM page LIMIT 10) e),
    'pageInfo', json_build_object('hasPreviousPage',
        (SELECT (age, name, id) <= ($1, $2, $3) FROM graduate_student ORDER BY age, name, id LIMIT 1),
        'hasNextPage', (SELECT count(*) FROM page) > 10))))::text

-- == L9: id=0
SELECT json_build_object('data', json_build_object('one', json_build_object('students', json_build_object('nodes',
    (SELECT coalesce(json_agg(json_build_object('id', s.id, 'advisor', json_build_object('faculty', json_build_object('publications',
        json_build_object('nodes', (SELECT coalesce(json_agg(json_build_object('id', id) ORDER BY title DESC, id DESC), '[]') FROM (
            SELECT id, title FROM publication WHERE author_id = s.advisor_id ORDER BY title DESC, id DESC LIMIT 5) p)))))
        ORDER BY s.id), '[]')
    FROM (SELECT * FROM graduate_student WHERE university_id = $1 ORDER BY id LIMIT 20) s)))))::text

-- == L10: word=
WITH page AS (SELECT * FROM publication WHERE title LIKE '%' || $1 || '%' ORDER BY id LIMIT 51)
SELECT json_build_object('data', json_build_object('page', json_build_object(
    'nodes', (SELECT coalesce(json_agg(json_build_object('id', id, 'title', title, 'abstract', abstract) ORDER BY id), '[]')
        FROM (SELECT * FROM page LIMIT 50) e),
    'pageInfo', json_build_object('hasNextPage', (SELECT count(*) FROM page) > 50))))::text

-- == L11: id=0
WITH page AS (SELECT * FROM graduate_student WHERE university_id = $1 ORDER BY id LIMIT 51)
SELECT json_build_object('data', json_build_object('page', json_build_object(
    'nodes', (SELECT coalesce(json_agg(json_build_object('id', id, 'advisor', json_build_object('id', advisor_id)) ORDER BY id), '[]')
        FROM (SELECT * FROM page LIMIT 50) e),
    'pageInfo', json_build_object('hasNextPage', (SELECT count(*) FROM page) > 50))))::text

-- == L12: id=0, department=0
SELECT json_build_object('data', json_build_object('one', json_build_object('faculties', json_build_object('nodes',
    (SELECT coalesce(json_agg(json_build_object('id', f.id, 'email', f.email, 'publications', json_build_object('nodes',
        (SELECT coalesce(json_agg(json_build_object('id', id) ORDER BY id), '[]')
            FROM (SELECT id FROM publication WHERE author_id = f.id ORDER BY id LIMIT 5) p))) ORDER BY f.id), '[]')
    FROM (SELECT id, email FROM faculty WHERE doctoral_university_id = $1 AND department_id = $2 ORDER BY id LIMIT 50) f)))))::text

-- == L13: id=0, word=
SELECT json_build_object('data', json_build_object('one', json_build_object('students', json_build_object('nodes',
    (SELECT coalesce(json_agg(json_build_object('id', s.id, 'email', s.email, 'courses', json_build_object('nodes',
        (SELECT coalesce(json_agg(json_build_object('id', graduate_course_id) ORDER BY graduate_course_id), '[]') FROM (
            SELECT graduate_course_id FROM graduate_enrolment WHERE graduate_student_id = s.id ORDER BY 1 LIMIT 5) c)))
        ORDER BY s.id), '[]')
    FROM (SELECT g.id, g.email FROM graduate_student g WHERE g.university_id = $1 AND EXISTS (SELECT FROM professor p
        WHERE p.faculty_id = g.advisor_id AND p.research_interest LIKE '%' || $2 || '%' OFFSET 0) ORDER BY g.id LIMIT 20) s)))))::text

-- == L14: id=0, word=, age=0
SELECT json_build_object('data', json_build_object('one', json_build_object('students', json_build_object('nodes',
    (SELECT coalesce(json_agg(json_build_object('id', s.id, 'email', s.email, 'courses', json_build_object('nodes',
        (SELECT coalesce(json_agg(json_build_object('id', graduate_course_id) ORDER BY graduate_course_id), '[]') FROM (
            SELECT graduate_course_id FROM graduate_enrolment WHERE graduate_student_id = s.id ORDER BY 1 LIMIT 5) c)))
        ORDER BY s.id), '[]')
    FROM (SELECT g.id, g.email FROM graduate_student g WHERE g.university_id = $1 AND g.age > $3 AND EXISTS (SELECT FROM professor p
        WHERE p.faculty_id = g.advisor_id AND p.research_interest LIKE '%' || $2 || '%' OFFSET 0) ORDER BY g.id LIMIT 20) s)))))::text

-- == L15: id=0
SELECT json_build_object('data', json_build_object('one', json_build_object('students', json_build_object('totalCount', count(*)))))::text
FROM graduate_student WHERE university_id = $1

-- == L16: id=0
SELECT json_build_object('data', json_build_object('one', json_build_object('average', avg(age), 'max', max(age), 'min', min(age))))::text
FROM graduate_student WHERE university_id = $1
