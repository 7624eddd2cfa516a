//! Queries to begin with.

use super::declaration::Declaration;
use super::field::FieldKind;
use super::object::ObjectType;
use super::root::RootKind;

/// The most fields of an object in a query.
const FIELDS: usize = 6;

impl Declaration {
    /// A query of the first page of each list of all objects, with their plain fields.
    pub fn examples(&self) -> Vec<String> {
        let list = |root: &super::root::RootField| {
            let RootKind::List { index, .. } = root.kind else { return None };
            Some(format!(
                "# The first page of `{name}`. `endCursor` is the `after` of the next one.\nquery {{\n  {name}(first: 10) {{\n    \
                 totalCount\n    edges {{\n      cursor\n      node {{\n{fields}      }}\n    }}\n    pageInfo {{\n      \
                 hasPreviousPage\n      hasNextPage\n      endCursor\n    }}\n  }}\n}}\n",
                name = root.name,
                fields = plain_fields(self.object(index)),
            ))
        };
        self.roots().iter().filter_map(list).collect()
    }
}

/// A line for each of the first fields that have no selection and no arguments.
fn plain_fields(object: &ObjectType) -> String {
    let is_plain = |kind: &FieldKind| !matches!(kind, FieldKind::One(_) | FieldKind::List(_) | FieldKind::Resolved(_));
    let plain = object.fields.iter().filter(|field| is_plain(&field.kind));
    let mut names: Vec<&str> = plain.take(FIELDS).map(|field| field.name.as_str()).collect();
    if names.is_empty() {
        names.push("__typename");
    }
    format!("        {}\n", names.join("\n        "))
}
