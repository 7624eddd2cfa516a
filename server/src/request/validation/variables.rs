//! Variables whose declared type does not exist: what follows from that at the places where they are used is not reported.

use std::collections::HashSet;

use apollo_compiler::parser::SourceSpan;

/// An error, and its place in the text.
pub type Found = (Option<SourceSpan>, String);

/// The variables of a text whose declarations are wrong, by their errors.
pub struct WronglyTyped<'a> {
    text: &'a str,
    names: HashSet<&'a str>,
}

impl<'a> WronglyTyped<'a> {
    pub fn new(text: &'a str, found: &[Found]) -> Self {
        let is_of_declaration = |message: &str| {
            message.starts_with("cannot find type") || message.ends_with("variable must be of an input type")
        };
        let declarations = found.iter().filter(|(_, message)| is_of_declaration(message));
        let names = declarations.filter_map(|(place, _)| variable(text.get((*place)?.offset()..)?)).collect();
        Self { text, names }
    }

    /// Whether an error says that one of them does not fit where it is used.
    pub fn explains(&self, (place, message): &Found) -> bool {
        let used = match message.strip_prefix("variable `") {
            Some(rest) if message.contains("cannot be used for") => variable(rest),
            None if message.ends_with("found a variable") => {
                place.and_then(|place| variable(self.text.get(place.offset()..)?))
            }
            _ => None,
        };
        used.is_some_and(|name| self.names.contains(name))
    }
}

/// The name of the variable that a text begins with.
fn variable(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('$')?;
    let end = rest.find(|character: char| !(character.is_ascii_alphanumeric() || character == '_'));
    Some(&rest[..end.unwrap_or(rest.len())])
}
