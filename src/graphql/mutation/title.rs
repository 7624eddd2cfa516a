//! Titles of books, as they are kept.

use std::ops::RangeInclusive;

use unicode_normalization::UnicodeNormalization;

use crate::graphql::code::Code;
use crate::graphql::error::{Error, Result};

/// The longest title: in characters, and in bytes of UTF-8.
const MOST_CHARACTERS: usize = 100;
const MOST_BYTES: usize = 300;

/// Characters that turn the text around them about, end lines, or are none (Unicode: `Bidi_Control`, `Zl`, `Zp`,
/// noncharacters).
const UNFIT: [RangeInclusive<char>; 4] =
    ['\u{2028}'..='\u{202e}', '\u{2066}'..='\u{2069}', '\u{fdd0}'..='\u{fdef}', '\u{fff9}'..='\u{ffff}'];

/// Characters that are not seen (Unicode: `Default_Ignorable_Code_Point`).
const UNSEEN: [RangeInclusive<char>; 14] = [
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{61c}'..='\u{61c}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{200b}'..='\u{200f}',
    '\u{2060}'..='\u{2065}',
    '\u{206a}'..='\u{206f}',
    '\u{3164}'..='\u{3164}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{e0000}'..='\u{e0fff}',
];

/// A title as it is kept. Composed letters are one character on both databases, and found by a search on both.
///
/// # Errors
///
/// [`Code::BadUserInput`], with what is wrong.
pub fn title(text: &str) -> Result<String> {
    let title: String = text.trim().nfc().collect();
    let is_seen = |letter: char| !letter.is_whitespace() && !within(&UNSEEN, letter);
    let problem = if title.chars().nth(MOST_CHARACTERS).is_some() {
        format!("a title has at most {MOST_CHARACTERS} characters, not {}", title.chars().count())
    } else if title.len() > MOST_BYTES {
        format!("a title has at most {MOST_BYTES} bytes in UTF-8, not {}", title.len())
    } else if title.contains(|letter: char| letter.is_control() || within(&UNFIT, letter)) {
        "a title has no control characters".into()
    } else if !title.contains(is_seen) {
        "a title has at least one character to be seen".into()
    } else {
        return Ok(title);
    };
    Err(Error::client(Code::BadUserInput, problem))
}

fn within(ranges: &[RangeInclusive<char>], letter: char) -> bool {
    ranges.iter().any(|range| range.contains(&letter))
}

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn a_title_is_trimmed_and_composed() {
        assert_eq!(title("  e\u{301}te\u{301} ").unwrap(), "été");
        assert_eq!(title("\u{5e9}\u{200f}!").unwrap(), "\u{5e9}\u{200f}!");
        assert_eq!(title("👩\u{200d}🔬").unwrap(), "👩\u{200d}🔬");
    }

    #[test]
    fn a_title_is_there_to_be_read() {
        for text in ["", " ", "\u{2003}\n", "\u{200b}", "\u{feff}", "\u{ad}", "\u{3164}", "\u{180e}", "\u{e0001}"] {
            assert!(title(text).is_err(), "{text:?}");
        }
        for text in ["a\nb", "a\u{0}b", "a\u{202e}b", "a\u{2028}b", "a\u{fffe}b"] {
            assert!(title(text).is_err(), "{text:?}");
        }
    }
}
