//! The words of titles, for full-text search.
//!
//! Case and diacritics do not matter: the databases fold both sides, the titles here and the words that somebody looks
//! for (by `book_phrase` and `book_prefix` on PostgreSQL, [`folded_sqlite`] on SQLite). PostgreSQL decomposes a letter and
//! drops its marks; the tokenizer of FTS5 does the same to Latin letters. What neither takes apart is written out.

use crate::change::Change;

pub fn change() -> Change {
    let fill = format!("INSERT INTO book_words (book_id, words) SELECT id, {} FROM book", folded_sqlite("name"));
    Change {
        up_postgres: UP_POSTGRES.into(),
        up_sqlite: UP_SQLITE.replace("{words}", &folded_sqlite("NEW.name")) + &fill,
        down_postgres: DOWN_POSTGRES.into(),
        down_sqlite: DOWN_SQLITE.into(),
    }
}

/// Letters without a decomposition into a base and its marks.
const LETTERS: [(&str, &str); 14] = [
    ("ø", "o"),
    ("Ø", "o"),
    ("ł", "l"),
    ("Ł", "l"),
    ("đ", "d"),
    ("Đ", "d"),
    ("ı", "i"),
    ("æ", "ae"),
    ("Æ", "ae"),
    ("œ", "oe"),
    ("Œ", "oe"),
    ("ß", "ss"),
    ("þ", "th"),
    ("Þ", "th"),
];

/// An SQL expression of SQLite with those letters replaced that the tokenizer would leave as they are.
pub fn folded_sqlite(expression: &str) -> String {
    let replaced = |folded, (letter, base)| format!("replace({folded}, '{letter}', '{base}')");
    LETTERS.into_iter().fold(expression.to_owned(), replaced)
}

// The collation says what a letter is, wherever the server runs.
const UP_POSTGRES: &str = r#"
CREATE FUNCTION book_words(text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT regexp_replace(
        replace(replace(replace(replace(
            translate(regexp_replace(normalize(lower(text COLLATE "und-x-icu"), NFD), '[\u0300-\u036f]', '', 'g'),
                'øłđıς', 'oldiσ'),
            'æ', 'ae'), 'œ', 'oe'), 'ß', 'ss'), 'þ', 'th') COLLATE "und-x-icu",
        '[^[:alnum:]]+', ' ', 'g')
$$;

CREATE FUNCTION book_phrase(text text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT phraseto_tsquery('simple', book_words(text))
$$;
-- The same, but the last word can go on: 'a' <-> 'b':*
CREATE FUNCTION book_prefix(text text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT CASE trim(book_words(text))
        WHEN '' THEN ''::tsquery
        ELSE to_tsquery('simple', '''' || replace(trim(book_words(text)), ' ', ''' <-> ''') || ''':*')
    END
$$;

ALTER TABLE book ADD COLUMN words tsvector GENERATED ALWAYS AS (to_tsvector('simple', book_words(name))) STORED;
CREATE INDEX book_by_words ON book USING gin (words);
"#;

const DOWN_POSTGRES: &str = "
ALTER TABLE book DROP COLUMN words;
DROP FUNCTION book_prefix(text);
DROP FUNCTION book_phrase(text);
DROP FUNCTION book_words(text);
";

// FTS5 numbers its rows, and the key of a book is no number: `book_words` has both.
const UP_SQLITE: &str = r#"
CREATE TABLE book_words (
    number  INTEGER PRIMARY KEY,
    book_id BLOB NOT NULL UNIQUE REFERENCES book (id) ON DELETE CASCADE,
    words   TEXT NOT NULL
) STRICT;

CREATE VIRTUAL TABLE book_search USING fts5 (
    words, content = 'book_words', content_rowid = 'number',
    tokenize = "unicode61 remove_diacritics 2 categories 'L* Nd'"
);

CREATE TRIGGER book_words_added AFTER INSERT ON book_words BEGIN
    INSERT INTO book_search (rowid, words) VALUES (NEW.number, NEW.words);
END;
CREATE TRIGGER book_words_removed AFTER DELETE ON book_words BEGIN
    INSERT INTO book_search (book_search, rowid, words) VALUES ('delete', OLD.number, OLD.words);
END;
CREATE TRIGGER book_words_changed AFTER UPDATE ON book_words BEGIN
    INSERT INTO book_search (book_search, rowid, words) VALUES ('delete', OLD.number, OLD.words);
    INSERT INTO book_search (rowid, words) VALUES (NEW.number, NEW.words);
END;

CREATE TRIGGER book_named AFTER INSERT ON book BEGIN
    INSERT INTO book_words (book_id, words) VALUES (NEW.id, {words});
END;
CREATE TRIGGER book_renamed AFTER UPDATE OF name ON book BEGIN
    UPDATE book_words SET words = {words} WHERE book_id = NEW.id;
END;
"#;

const DOWN_SQLITE: &str = "
DROP TRIGGER book_named;
DROP TRIGGER book_renamed;
DROP TABLE book_search;
DROP TABLE book_words;
";
