//! Characters without a shape of their own.

/// Whether a character is ignored where text is shown, by Unicode's property `Default_Ignorable_Code_Point`.
pub fn is_invisible(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use icu_properties::CodePointSetData;
    use icu_properties::props::DefaultIgnorableCodePoint;

    use super::is_invisible;

    #[test]
    fn the_invisible_characters_are_those_of_unicode() {
        let all = CodePointSetData::new::<DefaultIgnorableCodePoint>();
        for letter in '\0'..=char::MAX {
            assert_eq!(is_invisible(letter), all.contains(letter), "{letter:?}");
        }
    }
}
