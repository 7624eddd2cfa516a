//! Names of the schema, from names of tables and columns.

/// The words of a name in any style: `film_actor`, `FilmActor`, `filmActor`.
fn words(name: &str) -> Vec<String> {
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

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// In camel case: `river_id` is `riverId`.
pub(crate) fn camel(name: &str) -> String {
    let mut words = words(name).into_iter();
    let first = words.next().unwrap_or_default();
    words.fold(first, |camel, word| camel + &capitalized(&word))
}

/// In Pascal case: `film_actor` is `FilmActor`.
pub(crate) fn pascal(name: &str) -> String {
    words(name).iter().map(|word| capitalized(word)).collect()
}

/// As an item of an enum: `riverId` is `RIVER_ID`. What no name can have is `_`, as is a digit at its beginning.
pub(crate) fn screaming(name: &str) -> String {
    let name = words(name).join("_").to_uppercase();
    let name: String = name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    if name.starts_with(|letter: char| letter.is_ascii_digit()) || name.is_empty() { format!("_{name}") } else { name }
}

/// The plural of a noun of English, by its ending.
pub(crate) fn plural(name: &str) -> String {
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    match name.strip_suffix('y') {
        Some(stem) if !ends(&["ay", "ey", "iy", "oy", "uy"]) => format!("{stem}ies"),
        _ if ends(&["s", "x", "z", "ch", "sh"]) => format!("{name}es"),
        _ => format!("{name}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_from_columns_and_tables() {
        assert_eq!(["river_id", "name", "MediaTypeId", "A_b__c"].map(camel), ["riverId", "name", "mediaTypeId", "aBC"]);
        assert_eq!(["film_actor", "PlaylistTrack", "city"].map(pascal), ["FilmActor", "PlaylistTrack", "City"]);
        assert_eq!(["riverId", "name", "NC-17", "3d"].map(screaming), ["RIVER_ID", "NAME", "NC_17", "_3D"]);
        let plurals = ["city", "day", "address", "box", "film", "branch"].map(plural);
        assert_eq!(plurals, ["cities", "days", "addresses", "boxes", "films", "branches"]);
    }
}
