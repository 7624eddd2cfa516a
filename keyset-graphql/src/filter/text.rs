//! Conditions on a text.

use async_graphql::InputObject;
use sea_orm::sea_query::{ExprTrait, Func};
use sea_orm::{ColumnTrait, Condition, DbBackend};

use super::{Comparison, Scope};
use crate::error::code;
use crate::{Error, Result};

/// Conditions on a text. All given conditions must match. A null condition is ignored. Texts are compared by code point: case and diacritics matter.
#[derive(Clone, Debug, InputObject)]
#[graphql(name = "StringFilter")]
pub struct TextFilter {
    #[graphql(flatten)]
    comparison: Comparison<String>,
    /// Starts with this text.
    starts_with: Option<String>,
    /// Contains this text.
    contains: Option<String>,
}

impl TextFilter {
    /// The rows whose column matches. `startsWith` is a range of an index on the column.
    ///
    /// # Errors
    ///
    /// [`BAD_USER_INPUT`](code::BAD_USER_INPUT) for a text with a NUL character;
    /// [`FILTER_TOO_LARGE`](code::FILTER_TOO_LARGE).
    pub fn on(&self, column: impl ColumnTrait, scope: &mut Scope) -> Result<Condition> {
        let own = [&self.starts_with, &self.contains].into_iter().flatten();
        // PostgreSQL accepts no such text.
        if self.comparison.values().chain(own).any(|text| text.contains('\0')) {
            return Err(Error::client(code::BAD_USER_INPUT, "the text must not contain a NUL character"));
        }
        let mut all = self.comparison.on(column, scope)?;
        if let Some(prefix) = self.starts_with.as_deref().filter(|prefix| !prefix.is_empty()) {
            scope.count(1)?;
            scope.bounds(&column);
            all = all.add(column.gte(prefix)).add_option(successor(prefix).map(|end| column.lt(end)));
        }
        if let Some(part) = &self.contains {
            scope.count(1)?;
            let place = if scope.backend == DbBackend::Sqlite { "instr" } else { "strpos" };
            all = all.add(Func::cust(place).arg(column.into_expr()).arg(part).gt(0));
        }
        Ok(all)
    }
}

/// The first text, by code point, that is greater than every text with this prefix, if there is one.
fn successor(prefix: &str) -> Option<String> {
    let mut text: Vec<char> = prefix.chars().collect();
    while let Some(last) = text.pop() {
        // A range of `char` skips the surrogates.
        if let Some(next) = (last..=char::MAX).nth(1) {
            text.push(next);
            return Some(text.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::successor;

    #[test]
    fn a_prefix_ends_before_its_successor() {
        assert_eq!(successor("ab").as_deref(), Some("ac"));
        assert_eq!(successor("a\u{d7ff}").as_deref(), Some("a\u{e000}"));
        assert_eq!(successor("a\u{10ffff}").as_deref(), Some("b"));
        assert_eq!(successor("\u{10ffff}"), None);
    }
}
