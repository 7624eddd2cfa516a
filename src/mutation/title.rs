//! Titles of books, as they are stored.

use unicode_normalization::UnicodeNormalization;

use bookends_server::is_invisible;

/// The longest title, in characters and in bytes of UTF-8.
const MAX_CHARACTERS: usize = 100;
const MAX_BYTES: usize = 300;

/// A title as it is stored. Composed letters are one character on both databases, so a search on both finds them.
///
/// # Errors
///
/// What is expected.
pub fn title(text: &str) -> Result<String, String> {
    let title: String = text.trim().nfc().collect();
    let is_seen = |letter: char| !letter.is_whitespace() && !is_invisible(letter);
    let problem = if title.chars().nth(MAX_CHARACTERS).is_some() {
        format!("the title must have at most {MAX_CHARACTERS} characters, not {}", title.chars().count())
    } else if title.len() > MAX_BYTES {
        format!("the title must have at most {MAX_BYTES} bytes in UTF-8, not {}", title.len())
    } else if title.contains(is_unfit) {
        "the title must not contain control characters".into()
    } else if !title.contains(is_seen) {
        "the title must contain a visible character".into()
    } else {
        return Ok(title);
    };
    Err(problem)
}

/// Whether a character controls the layout of the text around it, ends a line, or is reserved. Marks such as U+200F are
/// fit: titles in Arabic and Hebrew need them.
fn is_unfit(letter: char) -> bool {
    let is_no_character = matches!(letter, '\u{fdd0}'..='\u{fdef}') || u32::from(letter) & 0xfffe == 0xfffe;
    letter.is_control()
        || is_no_character
        || matches!(letter, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fff9}'..='\u{fffd}')
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
