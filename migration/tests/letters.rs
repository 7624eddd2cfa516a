//! The table of letters, compared with the Unicode that this program knows.
//!
//! `LETTERS=write` writes it. Do so for a new change of the schema only: the databases hold the old table.

use std::fmt::Write;

use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory, GeneralCategoryGroup};
use icu_properties::{CodePointMapData, CodePointSetData};
use migration::letters::folded;
use unicode_normalization::UnicodeNormalization;

const TABLE: &str = include_str!("../src/letters.txt");

/// Letters without a decomposition that are folded, too.
const FOLDED: [(char, &str); 10] = [
    ('ø', "o"),
    ('ł', "l"),
    ('đ', "d"),
    ('ı', "i"),
    ('æ', "ae"),
    ('œ', "oe"),
    ('ß', "ss"),
    ('þ', "th"),
    ('ς', "σ"),
    ('\u{3164}', ""),
];

/// Whether a mark is a diacritic of no script in particular, or of musical notes, which is dropped.
fn is_diacritic(letter: char) -> bool {
    matches!(
        letter,
        '\u{300}'..='\u{36f}'
            | '\u{1ab0}'..='\u{1aff}'
            | '\u{1dc0}'..='\u{1dff}'
            | '\u{20d0}'..='\u{20ff}'
            | '\u{fe20}'..='\u{fe2f}'
            | '\u{1d165}'..='\u{1d1ad}'
    )
}

fn is_of_word(letter: char) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new().get(letter);
    GeneralCategoryGroup::Letter.contains(category)
        || GeneralCategoryGroup::Mark.contains(category)
        || category == GeneralCategory::DecimalNumber
}

fn fold(letter: char) -> String {
    let dropped =
        |letter: char| is_diacritic(letter) || CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(letter);
    let fold = |letter: char| match FOLDED.iter().find(|(folded, _)| *folded == letter) {
        Some((_, folded)) => (*folded).to_owned(),
        None => Some(letter).filter(|letter| !dropped(*letter)).into_iter().collect(),
    };
    letter.to_lowercase().nfd().map(fold).collect()
}

fn table() -> String {
    let mut rows: Vec<(u32, u32, Option<String>)> = Vec::new();
    let letters = ('\0'..=char::MAX).filter(|letter| is_of_word(*letter) && !('가'..='힣').contains(letter));
    for letter in letters {
        let code = u32::from(letter);
        let folded = Some(fold(letter)).filter(|folded| *folded != letter.to_string());
        match rows.last_mut() {
            Some((_, last, same)) if *last + 1 == code && *same == folded => *last = code,
            _ => rows.push((code, code, folded)),
        }
    }
    let mut table = String::new();
    for (first, last, folded) in rows {
        let codes = |folded: String| {
            let codes: Vec<String> = folded.chars().map(|letter| format!("{:04x}", u32::from(letter))).collect();
            format!("\t{}", codes.join(" "))
        };
        writeln!(table, "{first:04x}\t{last:04x}{}", folded.map(codes).unwrap_or_default()).unwrap();
    }
    table
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a setting of this test alone")]
fn the_table_is_that_of_unicode() {
    if std::env::var("LETTERS").is_ok_and(|value| value == "write") {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/letters.txt"), table()).unwrap();
        return;
    }
    assert!(
        table() == TABLE,
        "this program knows another Unicode: pin its version, or fold all titles again in a new change of the schema"
    );
}

#[test]
fn composed_and_decomposed_letters_are_the_same_and_folding_twice_is_folding_once() {
    for letter in '\0'..=char::MAX {
        let once = folded(&letter.to_string());
        let decomposed: String = letter.nfd().collect();
        assert_eq!(folded(&decomposed), once, "{letter:?}");
        assert_eq!(folded(&once), once, "{letter:?}");
    }
}

#[test]
fn words_are_letters_digits_and_marks() {
    for (text, words) in [
        ("The Fifth  Symphony!", "the fifth symphony"),
        ("E-mail (3rd ed.)", "e mail 3rd ed"),
        ("ÉTUDE e\u{301}tude", "etude etude"),
        ("🎼Fifth🤖Symphony❤\u{fe0f}", "fifth symphony"),
        ("İstanbul ısı Ærø GROẞE ﬁ", "istanbul isi aero grosse ﬁ"),
        ("ΚΌΣΜΟΣ κόσμος", "κοσμοσ κοσμοσ"),
        ("がくせい か\u{3099}", "か\u{3099}くせい か\u{3099}"),
        ("x² \u{301} \u{0}", "x"),
        ("", ""),
    ] {
        assert_eq!(folded(text), words, "{text}");
    }
    assert_eq!(folded("한국"), "한국".nfd().collect::<String>());
}
