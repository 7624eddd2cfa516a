-- Two sets of tables: a music shop, and a university in the shape of LinGBM's. Every peer has these indexes. All values are
-- integers and text, so that no peer has to write a number or a time as another does.

CREATE TABLE genre (id integer PRIMARY KEY, name text NOT NULL);

CREATE TABLE artist (id integer PRIMARY KEY, name text NOT NULL, country text NOT NULL);
CREATE INDEX ON artist (country, id);

CREATE TABLE album (
    id integer PRIMARY KEY,
    title text NOT NULL,
    artist_id integer NOT NULL REFERENCES artist
);
CREATE INDEX ON album (artist_id, id);

CREATE TABLE track (
    id integer PRIMARY KEY,
    name text NOT NULL,
    album_id integer NOT NULL REFERENCES album,
    genre_id integer NOT NULL REFERENCES genre,
    -- Five values: ties.
    rating integer NOT NULL,
    year integer,
    seconds integer
);
CREATE INDEX ON track (album_id, id);
CREATE INDEX ON track (genre_id, id);
CREATE INDEX ON track (rating, id);
CREATE INDEX ON track (rating DESC, id);
-- Mixed directions. NULLs are where PostgreSQL has them: first in `DESC`, last in `ASC`.
CREATE INDEX ON track (year DESC, seconds, id);
-- PostGraphile offers an order by a column only where an index begins with it.
CREATE INDEX ON track (seconds, id);

CREATE TABLE playlist (id integer PRIMARY KEY, name text NOT NULL);

CREATE TABLE playlist_track (
    playlist_id integer NOT NULL REFERENCES playlist,
    track_id integer NOT NULL REFERENCES track,
    PRIMARY KEY (playlist_id, track_id)
);
CREATE INDEX ON playlist_track (track_id, playlist_id);

CREATE TABLE customer (id integer PRIMARY KEY, name text NOT NULL, country text NOT NULL);

CREATE TABLE invoice (
    id integer PRIMARY KEY,
    customer_id integer NOT NULL REFERENCES customer,
    cents integer NOT NULL
);
CREATE INDEX ON invoice (customer_id, id);

CREATE TABLE invoice_line (
    id integer PRIMARY KEY,
    invoice_id integer NOT NULL REFERENCES invoice,
    track_id integer NOT NULL REFERENCES track,
    quantity integer NOT NULL
);
CREATE INDEX ON invoice_line (invoice_id, id);
CREATE INDEX ON invoice_line (track_id, id);

CREATE TABLE university (id integer PRIMARY KEY, name text NOT NULL);

CREATE TABLE department (
    id integer PRIMARY KEY,
    name text NOT NULL,
    university_id integer NOT NULL REFERENCES university
);
CREATE INDEX ON department (university_id, id);

CREATE TABLE research_group (id integer PRIMARY KEY, department_id integer NOT NULL REFERENCES department);
CREATE INDEX ON research_group (department_id, id);

CREATE TABLE faculty (
    id integer PRIMARY KEY,
    name text NOT NULL,
    email text NOT NULL,
    undergraduate_university_id integer NOT NULL REFERENCES university,
    master_university_id integer NOT NULL REFERENCES university,
    doctoral_university_id integer NOT NULL REFERENCES university,
    department_id integer NOT NULL REFERENCES department
);
CREATE INDEX ON faculty (undergraduate_university_id, id);
CREATE INDEX ON faculty (master_university_id, id);
CREATE INDEX ON faculty (doctoral_university_id, id);
CREATE INDEX ON faculty (department_id, id);

CREATE TABLE professor (
    faculty_id integer PRIMARY KEY REFERENCES faculty,
    research_interest text NOT NULL,
    -- The department whose head this is.
    headed_department_id integer UNIQUE REFERENCES department
);

-- PostGraphile filters by a column only where an index begins with it.
CREATE INDEX ON professor (research_interest, faculty_id);

CREATE TABLE lecturer (faculty_id integer PRIMARY KEY REFERENCES faculty);

CREATE TABLE graduate_student (
    id integer PRIMARY KEY,
    name text NOT NULL,
    telephone text NOT NULL,
    email text NOT NULL,
    age integer NOT NULL,
    -- Where the first degree is from.
    university_id integer NOT NULL REFERENCES university,
    advisor_id integer NOT NULL REFERENCES professor,
    department_id integer NOT NULL REFERENCES department
);
CREATE INDEX ON graduate_student (university_id, id);
CREATE INDEX ON graduate_student (advisor_id, id);
CREATE INDEX ON graduate_student (department_id, id);
CREATE INDEX ON graduate_student (age, name, id);
CREATE INDEX ON graduate_student (name, id);

CREATE TABLE undergraduate_student (
    id integer PRIMARY KEY,
    name text NOT NULL,
    age integer NOT NULL,
    advisor_id integer NOT NULL REFERENCES professor,
    department_id integer NOT NULL REFERENCES department
);
CREATE INDEX ON undergraduate_student (advisor_id, id);
CREATE INDEX ON undergraduate_student (department_id, id);

CREATE TABLE publication (
    id integer PRIMARY KEY,
    title text NOT NULL,
    abstract text NOT NULL,
    author_id integer NOT NULL REFERENCES faculty
);
CREATE INDEX ON publication (author_id, id);
CREATE INDEX ON publication (author_id, title, id);
CREATE INDEX ON publication (title, id);

CREATE TABLE co_author (
    publication_id integer NOT NULL REFERENCES publication,
    graduate_student_id integer NOT NULL REFERENCES graduate_student,
    PRIMARY KEY (publication_id, graduate_student_id)
);
CREATE INDEX ON co_author (graduate_student_id, publication_id);

CREATE TABLE graduate_course (
    id integer PRIMARY KEY,
    name text NOT NULL,
    teacher_id integer NOT NULL REFERENCES faculty
);
CREATE INDEX ON graduate_course (teacher_id, id);

CREATE TABLE undergraduate_course (
    id integer PRIMARY KEY,
    name text NOT NULL,
    teacher_id integer NOT NULL REFERENCES faculty,
    assistant_id integer NOT NULL REFERENCES graduate_student
);
CREATE INDEX ON undergraduate_course (teacher_id, id);
CREATE INDEX ON undergraduate_course (assistant_id, id);

CREATE TABLE graduate_enrolment (
    graduate_student_id integer NOT NULL REFERENCES graduate_student,
    graduate_course_id integer NOT NULL REFERENCES graduate_course,
    PRIMARY KEY (graduate_student_id, graduate_course_id)
);
CREATE INDEX ON graduate_enrolment (graduate_course_id, graduate_student_id);

CREATE TABLE undergraduate_enrolment (
    undergraduate_student_id integer NOT NULL REFERENCES undergraduate_student,
    undergraduate_course_id integer NOT NULL REFERENCES undergraduate_course,
    PRIMARY KEY (undergraduate_student_id, undergraduate_course_id)
);
CREATE INDEX ON undergraduate_enrolment (undergraduate_course_id, undergraduate_student_id);
