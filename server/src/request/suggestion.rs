//! Names of the schema that a client may have meant: clients that may introspect it read one at the end of a message.

use apollo_compiler::schema::ExtendedType;
use apollo_compiler::{Name, Schema};

/// A message of `apollo-compiler` about a name that does not exist, with the one that was meant, if there is one.
pub fn suggested(schema: &Schema, message: String) -> String {
    match meant(schema, &message) {
        Some(name) => format!("{message}{}", did_you_mean(&name)),
        None => message,
    }
}

/// The end of a message.
pub fn did_you_mean(name: &str) -> String {
    format!(": did you mean `{name}`?")
}

/// The name most like another one, if it differs in a third of its letters at most.
pub fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = name.len() / 3;
    let lower = name.to_ascii_lowercase();
    let alike = known.into_iter().filter(|known| known.len().abs_diff(name.len()) <= most);
    let distances = alike.map(|known| (strsim::damerau_levenshtein(&lower, &known.to_ascii_lowercase()), known));
    distances.filter(|(distance, _)| *distance <= most).min().map(|(_, known)| known)
}

fn meant(schema: &Schema, message: &str) -> Option<String> {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let is_about = |subject: &str, predicate: &str| message.starts_with(subject) && message.contains(predicate);
    let found = match quoted.as_slice() {
        [of, name] if is_about("type `", "` does not have a field `") => closest(name, parts(schema, of)),
        [name, of] if is_about("field `", "` does not exist on `") || is_about("value `", "` does not exist on `") => {
            closest(name, parts(schema, of))
        }
        [name, of] if is_about("the argument `", "` is not supported by `") => closest(name, arguments(schema, of)),
        [name] if is_about("cannot find type `", "") => closest(name, types(schema, ExtendedType::is_input_type)),
        [name, ..] if is_about("type condition `", "") => {
            let is_composite = |ty: &ExtendedType| ty.is_object() || ty.is_interface() || ty.is_union();
            closest(name, types(schema, is_composite))
        }
        [name] if is_about("cannot find directive `@", "") => {
            let known = schema.directive_definitions.keys().map(Name::as_str);
            return closest(name.trim_start_matches('@'), known).map(|name| format!("@{name}"));
        }
        _ => None,
    };
    found.map(str::to_owned)
}

/// The fields of a type, or its values.
fn parts<'s>(schema: &'s Schema, of: &str) -> Vec<&'s str> {
    match schema.types.get(of) {
        Some(ExtendedType::Object(ty)) => ty.fields.keys().map(Name::as_str).collect(),
        Some(ExtendedType::Interface(ty)) => ty.fields.keys().map(Name::as_str).collect(),
        Some(ExtendedType::InputObject(ty)) => ty.fields.keys().map(Name::as_str).collect(),
        Some(ExtendedType::Enum(ty)) => ty.values.keys().map(Name::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The arguments of `Type.field`, or of `@directive`.
fn arguments<'s>(schema: &'s Schema, of: &str) -> Vec<&'s str> {
    let arguments = match of.split_once('.') {
        Some((ty, field)) => schema.type_field(ty, field).ok().map(|field| &field.arguments),
        None => schema.directive_definitions.get(of.trim_start_matches('@')).map(|directive| &directive.arguments),
    };
    arguments.into_iter().flatten().map(|argument| argument.name.as_str()).collect()
}

fn types(schema: &Schema, is_wanted: fn(&ExtendedType) -> bool) -> impl Iterator<Item = &str> {
    let wanted = schema.types.iter().filter(move |(name, ty)| is_wanted(ty) && !name.starts_with("__"));
    wanted.map(|(name, _)| name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_differs_in_a_third_of_its_letters_at_most() {
        let known = ["ratings", "rating", "node", "nodes", "id"];
        for (name, expected) in [
            ("rating_", Some("rating")),
            ("Ratings", Some("ratings")),
            ("ratigns", Some("ratings")),
            ("ndoe", Some("node")),
            ("ID", Some("id")),
            ("i", None),
            ("nope", Some("node")),
            ("note", Some("node")),
            ("reviews", None),
            ("", None),
        ] {
            assert_eq!(closest(name, known), expected, "{name}");
        }
        assert_eq!(closest(&"x".repeat(1000), known), None);
    }
}
