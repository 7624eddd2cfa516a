//! Postings: the books of each word, in the order of their keys.
//!
//! A page of a search by time of creation is a range of `book_word`. `book_words` holds the folded title, in which phrases
//! are found. Triggers keep both, by `INSERT`, `UPDATE`, `DELETE`, `COPY` and `TRUNCATE`. They fold titles in SQL, by the
//! table `search_letter`: see [`crate::letters`]. So they need no function of the server, and both databases have the same
//! words.
//!
//! PostgreSQL runs a trigger once for a statement, and inserts postings in the order of their key. Two statements that write
//! the same posting write the same book, whose row they lock first. There is no foreign key: its own trigger would remove
//! the words before they are known here.

use crate::change::{Change, lock_postgres};
use crate::letters::{hangul, values};
use crate::{m20261121_000004_book_search as search, m20261121_000005_book_search_nesting as nesting};

pub fn change() -> Change {
    let (before, nested) = (search::change(), nesting::change());
    let numbers = "generate_series({first}, {last}) AS n";
    let letters = format!("INSERT INTO search_letter VALUES {}; INSERT INTO search_letter ", values());
    let letters_postgres = letters.clone() + &hangul("chr", numbers) + ";";
    let numbers = "(WITH RECURSIVE t(n) AS (VALUES ({first}) UNION ALL SELECT n + 1 FROM t WHERE n < {last}) SELECT n FROM t)";
    let letters_sqlite = letters + &hangul("char", numbers) + ";";
    Change {
        // Readers go on while the titles are folded. A later change removes what the search used before.
        up_postgres: [
            &lock_postgres(&["book"], "SHARE ROW EXCLUSIVE"),
            TABLES_POSTGRES,
            &letters_postgres,
            FOLDED_POSTGRES,
            &triggers_postgres(),
            &fill_postgres(),
        ]
        .concat(),
        up_sqlite: [&before.down_sqlite, TABLES_SQLITE, &letters_sqlite, &triggers_sqlite(), &fill_sqlite()].concat(),
        down_postgres: lock_postgres(&["book"], "ACCESS EXCLUSIVE") + DOWN_POSTGRES,
        down_sqlite: [DOWN_SQLITE, &before.up_sqlite, ";", &nested.up_sqlite].concat(),
    }
}

const TABLES_POSTGRES: &str = r#"
CREATE TABLE search_letter (
    first  integer PRIMARY KEY,
    last   integer NOT NULL,
    folded text COLLATE "C"
);
CREATE TABLE book_words (
    book_id uuid PRIMARY KEY,
    words   text COLLATE "C" NOT NULL
);
CREATE TABLE book_word (
    word    text COLLATE "C" NOT NULL,
    book_id uuid NOT NULL,
    PRIMARY KEY (word, book_id)
);
"#;

/// A title in ASCII needs no table.
const FOLDED_POSTGRES: &str = r#"
CREATE FUNCTION book_folded(title text) RETURNS text LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
BEGIN
    IF octet_length(title) = char_length(title) THEN
        RETURN trim(regexp_replace(lower(title COLLATE "C"), '[^a-z0-9]+', ' ', 'g'));
    END IF;
    RETURN (
        SELECT trim(regexp_replace(string_agg(
            CASE WHEN letter.last >= ascii(part.part) THEN coalesce(letter.folded, part.part) ELSE ' ' END, '' ORDER BY n
        ), ' +', ' ', 'g'))
        FROM regexp_split_to_table(title, '') WITH ORDINALITY AS part (part, n)
        LEFT JOIN LATERAL (
            SELECT last, folded FROM search_letter WHERE first <= ascii(part.part) ORDER BY first DESC LIMIT 1
        ) AS letter ON TRUE
    );
END $$;
"#;

/// Inserts the words of the books of this query, which has their ids and titles. Postings come in the order of their key.
fn add_postgres(books: &str) -> String {
    format!(
        "
    WITH folded AS (
        INSERT INTO book_words (book_id, words) SELECT id, book_folded(name) FROM ({books}) AS book
        ON CONFLICT (book_id) DO UPDATE SET words = excluded.words
        RETURNING book_id, words
    )
    INSERT INTO book_word (word, book_id)
    SELECT DISTINCT word COLLATE \"C\", book_id FROM folded, unnest(string_to_array(words, ' ')) AS word ORDER BY 1, 2
    ON CONFLICT DO NOTHING;"
    )
}

/// Deletes the words of the books of this query.
fn remove_postgres(books: &str) -> String {
    format!(
        "
    WITH gone AS (
        DELETE FROM book_words WHERE book_id IN (SELECT id FROM ({books}) AS book) RETURNING book_id, words
    )
    DELETE FROM book_word AS posting
    USING (SELECT DISTINCT word, book_id FROM gone, unnest(string_to_array(words, ' ')) AS word) AS past
    WHERE posting.word = past.word COLLATE \"C\" AND posting.book_id = past.book_id;"
    )
}

/// A connection keeps the plan of the first statement. If that wrote many books, a plan with scans or compiled code would
/// then be used for one book.
fn triggers_postgres() -> String {
    let trigger = |event: &str, rows: &str, name: &str, body: &str| {
        format!(
            "
CREATE FUNCTION book_words_{name}() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN{body}
    RETURN NULL;
END $$;
CREATE TRIGGER words_{name} AFTER {event} ON book {rows} EXECUTE FUNCTION book_words_{name}();
"
        )
    };
    let (added, removed) = ("SELECT id, name FROM added", "SELECT id, name FROM removed");
    let renamed = remove_postgres(&format!("{removed} EXCEPT {added}")) + &add_postgres(&format!("{added} EXCEPT {removed}"));
    [
        trigger("INSERT", "REFERENCING NEW TABLE AS added", "added", &add_postgres(added)),
        trigger("UPDATE", "REFERENCING NEW TABLE AS added OLD TABLE AS removed", "changed", &renamed),
        trigger("DELETE", "REFERENCING OLD TABLE AS removed", "removed", &remove_postgres(removed)),
        trigger("TRUNCATE", "", "emptied", "\n    TRUNCATE book_words, book_word;"),
    ]
    .concat()
}

/// Statistics of the new tables, for the planner.
fn fill_postgres() -> String {
    add_postgres("SELECT id, name FROM book") + "\nANALYZE search_letter, book_words, book_word;"
}

const TABLES_SQLITE: &str = "
CREATE TABLE search_letter (
    first  INTEGER PRIMARY KEY,
    last   INTEGER NOT NULL,
    folded TEXT
) STRICT;
CREATE TABLE book_words (
    book_id BLOB NOT NULL PRIMARY KEY,
    words   TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE book_word (
    word    TEXT NOT NULL,
    book_id BLOB NOT NULL,
    PRIMARY KEY (word, book_id)
) STRICT, WITHOUT ROWID;
";

/// A title, folded. One of plain letters, digits and the usual punctuation needs no table. `GLOB` ends at a NUL.
fn folded_sqlite(title: &str) -> String {
    let usual = [",", ".", "-", ":", "''", "&"];
    let plain = usual.iter().fold(title.to_owned(), |text, mark| format!("replace({text}, '{mark}', ' ')"));
    format!(
        "CASE WHEN lower({plain}) NOT GLOB '*[^a-z0-9 ]*' AND instr({title}, char(0)) = 0 THEN {} ELSE {} END",
        spaced_sqlite(&format!("lower({plain})")),
        by_character_sqlite(title),
    )
}

/// A text with single spaces, and none at its ends. It has no angle brackets.
fn spaced_sqlite(text: &str) -> String {
    format!("trim(replace(replace(replace({text}, ' ', '<>'), '><', ''), '<>', ' '))")
}

fn by_character_sqlite(title: &str) -> String {
    format!(
        "(WITH RECURSIVE part(words, rest) AS (
            SELECT '', {title}
            UNION ALL
            SELECT words || coalesce((
                SELECT CASE WHEN last >= unicode(rest) THEN coalesce(folded, substr(rest, 1, 1)) ELSE ' ' END
                FROM search_letter WHERE first <= unicode(rest) ORDER BY first DESC LIMIT 1
            ), ' '), substr(rest, 2) FROM part WHERE rest <> ''
        ) SELECT {} FROM part WHERE rest = '')",
        spaced_sqlite("words")
    )
}

/// The words of a folded title, some of them repeated.
fn split_sqlite(words: &str) -> String {
    format!(
        "(WITH RECURSIVE part(word, rest) AS (
            SELECT '', {words} || ' '
            UNION ALL
            SELECT substr(rest, 1, instr(rest, ' ') - 1), substr(rest, instr(rest, ' ') + 1) FROM part WHERE rest <> ''
        ) SELECT word FROM part WHERE word <> '')"
    )
}

fn triggers_sqlite() -> String {
    let folded = folded_sqlite("NEW.name");
    let post = format!(
        "INSERT INTO book_word (word, book_id) SELECT word, NEW.book_id FROM {} WHERE TRUE ON CONFLICT DO NOTHING",
        split_sqlite("NEW.words")
    );
    let unpost =
        format!("DELETE FROM book_word WHERE book_id = OLD.book_id AND word IN {}", split_sqlite("OLD.words"));
    format!(
        "
CREATE TRIGGER book_named AFTER INSERT ON book BEGIN
    INSERT INTO book_words (book_id, words) VALUES (NEW.id, {folded})
    ON CONFLICT (book_id) DO UPDATE SET words = excluded.words;
END;
CREATE TRIGGER book_renamed AFTER UPDATE OF id, name ON book BEGIN
    UPDATE book_words SET book_id = NEW.id, words = {folded} WHERE book_id = OLD.id;
END;
CREATE TRIGGER book_unnamed AFTER DELETE ON book BEGIN
    DELETE FROM book_words WHERE book_id = OLD.id;
END;
CREATE TRIGGER book_words_added AFTER INSERT ON book_words BEGIN
    {post};
END;
CREATE TRIGGER book_words_changed AFTER UPDATE ON book_words BEGIN
    {unpost};
    {post};
END;
CREATE TRIGGER book_words_removed AFTER DELETE ON book_words BEGIN
    {unpost};
END;
"
    )
}

/// The trigger of `book_words` inserts the postings.
fn fill_sqlite() -> String {
    format!("INSERT INTO book_words (book_id, words) SELECT id, {} FROM book;", folded_sqlite("book.name"))
}

const DOWN_POSTGRES: &str = "
DROP TRIGGER words_added ON book;
DROP TRIGGER words_changed ON book;
DROP TRIGGER words_removed ON book;
DROP TRIGGER words_emptied ON book;
DROP FUNCTION book_words_added();
DROP FUNCTION book_words_changed();
DROP FUNCTION book_words_removed();
DROP FUNCTION book_words_emptied();
DROP FUNCTION book_folded(text);
DROP TABLE book_word;
DROP TABLE book_words;
DROP TABLE search_letter;
";

const DOWN_SQLITE: &str = "
DROP TRIGGER book_named;
DROP TRIGGER book_renamed;
DROP TRIGGER book_unnamed;
DROP TABLE book_word;
DROP TABLE book_words;
DROP TABLE search_letter;
";
