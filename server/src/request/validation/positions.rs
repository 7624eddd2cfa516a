//! Lines and columns of a text.

use async_graphql::Pos;

/// Finds the line and column of offsets. The search continues from the last offset: in the order of the text, all of
/// them together cost one pass.
#[derive(Debug)]
pub struct Positions<'a> {
    text: &'a str,
    offset: usize,
    pos: Pos,
}

impl<'a> Positions<'a> {
    pub fn of(text: &'a str) -> Self {
        Self { text, offset: 0, pos: Pos { line: 1, column: 1 } }
    }

    /// The position of the character at an offset in bytes. A column is one character.
    pub fn at(&mut self, offset: usize) -> Pos {
        if offset < self.offset {
            *self = Self::of(self.text);
        }
        let passed = self.text.get(self.offset..offset).unwrap_or_default();
        let mut rest = passed.chars().peekable();
        while let Some(character) = rest.next() {
            // A pair of carriage return and line feed ends one line.
            let ends_line = character == '\n' || character == '\r' && rest.peek() != Some(&'\n');
            if ends_line {
                self.pos = Pos { line: self.pos.line + 1, column: 1 };
            } else if character != '\r' {
                self.pos.column += 1;
            }
        }
        self.offset += passed.len();
        self.pos
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_a_line_and_a_column_in_characters() {
        let text = "é{\r\n  a\rb\n\nc";
        let expected = [("é", 1, 1), ("{", 1, 2), ("a", 2, 3), ("b", 3, 1), ("c", 5, 1)];
        let mut positions = Positions::of(text);
        for (found, line, column) in expected.into_iter().chain(expected.into_iter().rev()) {
            assert_eq!(positions.at(text.find(found).unwrap()), Pos { line, column }, "{found}");
        }
        assert_eq!(positions.at(text.len()), Pos { line: 5, column: 2 });
    }
}
