//! The words of titles, for full-text search.
//!
//! Case and diacritics do not matter: the titles here and the words that somebody looks for are folded alike, and alike
//! on both databases. The tokenizer of FTS5 drops the marks of Latin letters; on PostgreSQL `book_words` does. What
//! neither takes apart, or one of them only, is written out in [`LETTERS`].

use crate::change::Change;

pub fn change() -> Change {
    let fill = format!("INSERT INTO book_words (book_id, words) SELECT id, {} FROM book", folded_sql("name"));
    Change {
        up_postgres: UP_POSTGRES.replace("{folded}", &folded_sql(PLAIN_POSTGRES)),
        up_sqlite: [UP_SQLITE, &triggers_sqlite(&folded_sql("NEW.name")), &fill].concat(),
        down_postgres: DOWN_POSTGRES.into(),
        down_sqlite: DOWN_SQLITE.into(),
    }
}

/// Letters and what they are folded to.
pub const LETTERS: [(&str, &str); 38] = [
    // Without a decomposition into a base and its marks.
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
    ("ẞ", "ss"),
    ("þ", "th"),
    ("Þ", "th"),
    // Greek and Cyrillic letters that are usually typed without their mark.
    ("ά", "α"),
    ("Ά", "α"),
    ("έ", "ε"),
    ("Έ", "ε"),
    ("ή", "η"),
    ("Ή", "η"),
    ("ί", "ι"),
    ("Ί", "ι"),
    ("ϊ", "ι"),
    ("Ϊ", "ι"),
    ("ΐ", "ι"),
    ("ό", "ο"),
    ("Ό", "ο"),
    ("ύ", "υ"),
    ("Ύ", "υ"),
    ("ϋ", "υ"),
    ("Ϋ", "υ"),
    ("ΰ", "υ"),
    ("ώ", "ω"),
    ("Ώ", "ω"),
    ("ς", "σ"),
    ("ё", "е"),
    ("Ё", "е"),
];

/// A text with these letters folded, as an SQL expression.
pub fn folded_sql(expression: &str) -> String {
    let replaced = |folded, (letter, base)| format!("replace({folded}, '{letter}', '{base}')");
    LETTERS.into_iter().fold(expression.to_owned(), replaced)
}

/// Lower case, and Latin letters without their marks.
const PLAIN_POSTGRES: &str = r#"normalize(
        regexp_replace(normalize(lower(text COLLATE "und-x-icu"), NFD), '([a-z])[\u0300-\u036f]+', '\1', 'g'), NFC)"#;

// The collation says what a letter is, wherever the server runs.
const UP_POSTGRES: &str = r#"
CREATE FUNCTION book_words(text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT regexp_replace({folded} COLLATE "und-x-icu", '[^[:alnum:]]+', ' ', 'g')
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
"#;

/// What keeps the words, folded by this expression over the new row.
pub fn triggers_sqlite(words: &str) -> String {
    format!(
        "
CREATE TRIGGER book_named AFTER INSERT ON book BEGIN
    INSERT INTO book_words (book_id, words) VALUES (NEW.id, {words})
    ON CONFLICT (book_id) DO UPDATE SET words = excluded.words;
END;
CREATE TRIGGER book_renamed AFTER UPDATE OF name ON book BEGIN
    UPDATE book_words SET words = {words} WHERE book_id = NEW.id;
END;
"
    )
}

const DOWN_SQLITE: &str = "
DROP TRIGGER book_named;
DROP TRIGGER book_renamed;
DROP TABLE book_search;
DROP TABLE book_words;
";
