//! Names of the schema, from names of tables and columns.

use std::borrow::Cow;

/// The words of a name in any style and script: `film_actor`, `FilmActor`, `filmActor`, `Größe`.
fn words(name: &str) -> Vec<String> {
    let name = if name.is_ascii() { Cow::Borrowed(name) } else { Cow::Owned(deunicode::deunicode(name)) };
    let mut words: Vec<String> = Vec::new();
    let mut is_new = true;
    let mut was_small = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            is_new = true;
            continue;
        }
        if is_new || was_small && letter.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
        is_new = false;
        was_small = letter.is_lowercase() || letter.is_numeric();
    }
    words
}

/// No name begins with a digit, or is empty.
fn named(name: String) -> String {
    if name.starts_with(|letter: char| letter.is_ascii_digit()) || name.is_empty() { format!("_{name}") } else { name }
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// In camel case: `river_id` is `riverId`.
pub(crate) fn camel(name: &str) -> String {
    let mut words = words(name).into_iter();
    let first = words.next().unwrap_or_default();
    named(words.fold(first, |camel, word| camel + &capitalized(&word)))
}

/// As words of a sentence: `FilmActor` is `film actor`.
pub(crate) fn noun(name: &str) -> String {
    words(name).join(" ")
}

/// In Pascal case: `film_actor` is `FilmActor`.
pub fn pascal(name: &str) -> String {
    named(words(name).iter().map(|word| capitalized(word)).collect())
}

/// As an item of an enum: `riverId` is `RIVER_ID`.
pub fn screaming(name: &str) -> String {
    named(words(name).join("_").to_uppercase())
}

/// Whether a name is this item of an enum: the same as [`screaming`], without a text of its own for the names that nearly all have.
pub fn is_screaming(name: &str, item: &str) -> bool {
    let is_plain = name.bytes().all(|letter| letter.is_ascii_alphanumeric());
    if !is_plain || !name.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        return screaming(name) == item;
    }
    let (mut item, mut was_small) = (item.bytes(), false);
    name.bytes().all(|letter| {
        let begins = std::mem::replace(&mut was_small, !letter.is_ascii_uppercase()) && letter.is_ascii_uppercase();
        (!begins || item.next() == Some(b'_')) && item.next() == Some(letter.to_ascii_uppercase())
    }) && item.next().is_none()
}

/// The type of the rows of a table: `film_actors` is `FilmActor`.
pub fn type_name(table: &str) -> String {
    capitalized_first(&singular(&camel(table)))
}

/// The list of the rows of a table: `film_actor` is `filmActors`.
pub(crate) fn list_name(table: &str) -> String {
    plural(&camel(table))
}

fn capitalized_first(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// The last word of a name in camel case, and what is before it.
fn last_word(name: &str) -> (&str, &str) {
    name.split_at(name.rfind(|letter: char| letter.is_ascii_uppercase()).unwrap_or(0))
}

/// The plural of a name whose last word is a noun of English. It always differs from the singular: `staff` is `staffs`.
pub(crate) fn plural(name: &str) -> String {
    let (before, noun) = last_word(name);
    let plural = pluralizer::pluralize(noun, 2, false);
    let ends = |endings: &[&str]| endings.iter().any(|ending| noun.ends_with(ending));
    let ending = match plural == pluralizer::pluralize(noun, 1, false) {
        false => "",
        true if ends(&["s", "x", "z", "ch", "sh"]) => "es",
        true => "s",
    };
    format!("{before}{plural}{ending}")
}

/// The singular of a name whose last word is a noun of English.
pub(crate) fn singular(name: &str) -> String {
    let (before, noun) = last_word(name);
    format!("{before}{}", pluralizer::pluralize(noun, 1, false))
}

/// The first name that is free: this one, or with the least number from 2 on.
pub fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number: u32| format!("{name}{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_one_of_graphql() {
        let names = ["größe", "order", "a\"b c", "__type", "", "2nd", "имя", "名前", "!"].map(camel);
        assert_eq!(names, ["grosse", "order", "aBC", "type", "_", "_2nd", "imia", "mingQian", "_"]);
        assert_eq!(free_name("a", |name| ["a", "a2"].contains(&name)), "a3");
    }

    #[test]
    fn an_item_is_found_without_its_text() {
        let names = ["name", "riverId", "aBC", "ID", "a2B", "x1", "größe", "a_b", "2nd", "_", ""];
        for name in names {
            let item = screaming(name);
            assert!(is_screaming(name, &item), "{name} {item}");
            for other in [&item[..item.len() - 1], &format!("{item}A"), &item.to_lowercase()] {
                assert_eq!(is_screaming(name, other), item == *other, "{name} {other}");
            }
            assert!(names.iter().all(|other| is_screaming(other, &item) == (screaming(other) == item)), "{name}");
        }
    }

    #[test]
    fn names_follow_from_columns_and_tables() {
        assert_eq!(["river_id", "name", "MediaTypeId", "A_b__c"].map(camel), ["riverId", "name", "mediaTypeId", "aBC"]);
        assert_eq!(["film_actor", "PlaylistTrack", "city"].map(pascal), ["FilmActor", "PlaylistTrack", "City"]);
        assert_eq!(["riverId", "name", "NC-17", "3d"].map(screaming), ["RIVER_ID", "NAME", "NC_17", "_3D"]);
        let plurals = ["city", "day", "address", "box", "film", "branch", "bookShelf", "staff"].map(plural);
        assert_eq!(plurals, ["cities", "days", "addresses", "boxes", "films", "branches", "bookShelves", "staffs"]);
        let tables = ["films", "film_actors", "Address", "news", "people", "OrderDetails", "status"].map(type_name);
        assert_eq!(tables, ["Film", "FilmActor", "Address", "News", "Person", "OrderDetail", "Status"]);
    }
}
