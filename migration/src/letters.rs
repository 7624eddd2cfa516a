//! The letters of words, and what each of them is folded to.
//!
//! The table is data, in `letters.txt`: the databases hold it as `search_letter` and fold titles by it, the server folds
//! what is searched for by it. So both agree, whatever version of Unicode a program or a database knows. It is frozen: a
//! change of it is a new change of the schema, which folds all titles again.
//!
//! - A letter, a digit or a mark is part of a word. Everything else separates words: punctuation, symbols, emoji.
//! - A character is folded by itself: to lower case, decomposed, without diacritics and variation selectors. So composed and
//!   decomposed texts have the same words. Marks that distinguish words, as in Japanese or Hindi, stay.
//! - A Hangul syllable is folded to its two or three letters, by the formula of the Unicode Standard.

use std::fmt::Write;
use std::sync::LazyLock;

/// A line for each range: the first and the last code point, and what they are folded to. Without the third column, each
/// is folded to itself.
const TABLE: &str = include_str!("letters.txt");

/// The first and the last Hangul syllable.
const HANGUL: (u32, u32) = (0xac00, 0xd7a3);

struct Letters {
    first: u32,
    last: u32,
    folded: Option<String>,
}

static LETTERS: LazyLock<Vec<Letters>> = LazyLock::new(|| TABLE.lines().filter_map(line).collect());

fn line(line: &str) -> Option<Letters> {
    let mut columns = line.split('\t');
    let number = |text: &str| u32::from_str_radix(text, 16).ok();
    let (first, last) = (number(columns.next()?)?, number(columns.next()?)?);
    let chars = |text: &str| text.split_whitespace().filter_map(|code| char::from_u32(number(code)?)).collect();
    Some(Letters { first, last, folded: columns.next().map(chars) })
}

/// The words of a text, folded, and separated by one space.
pub fn folded(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for letter in text.chars() {
        if !push(&mut words, letter) && !words.ends_with(' ') {
            words.push(' ');
        }
    }
    words.trim().to_owned()
}

/// Appends a folded letter; `false` if the character is none.
fn push(words: &mut String, letter: char) -> bool {
    let code = u32::from(letter);
    if (HANGUL.0..=HANGUL.1).contains(&code) {
        let place = code - HANGUL.0;
        let last = Some(place % 28).filter(|place| *place > 0).map(|place| 0x11a7 + place);
        let letters = [Some(0x1100 + place / 588), Some(0x1161 + place % 588 / 28), last];
        words.extend(letters.into_iter().flatten().filter_map(char::from_u32));
        return true;
    }
    let after = LETTERS.partition_point(|letters| letters.first <= code);
    match LETTERS[..after].last().filter(|letters| letters.last >= code) {
        None => return false,
        Some(Letters { folded: Some(folded), .. }) => words.push_str(folded),
        Some(_) => words.push(letter),
    }
    true
}

/// The rows of `search_letter`, as a list of SQL values, without those of Hangul.
pub(crate) fn values() -> String {
    let mut values = String::new();
    for Letters { first, last, folded } in &*LETTERS {
        let comma = if values.is_empty() { "" } else { ", " };
        // No letter is a quote. Writing into a string does not fail.
        let _ = match folded {
            Some(folded) => write!(values, "{comma}({first}, {last}, '{folded}')"),
            None => write!(values, "{comma}({first}, {last}, NULL)"),
        };
    }
    values
}

/// The rows of the Hangul syllables, as a query over their numbers. `char` makes a character of a code point.
pub(crate) fn hangul(char: &str, numbers: &str) -> String {
    let (first, last) = HANGUL;
    format!(
        "SELECT n, n, {char}(4352 + (n - {first}) / 588) || {char}(4449 + (n - {first}) % 588 / 28)
        || CASE WHEN (n - {first}) % 28 = 0 THEN '' ELSE {char}(4519 + (n - {first}) % 28) END
    FROM {}",
        numbers.replace("{first}", &first.to_string()).replace("{last}", &last.to_string())
    )
}
