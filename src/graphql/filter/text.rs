//! Conditions on a text.

use async_graphql::InputObject;
use sea_orm::sea_query::{ExprTrait, Func};
use sea_orm::{ColumnTrait, Condition, DbBackend};

use super::{Comparison, Scope};
use crate::graphql::code::Code;
use crate::graphql::error::{Error, Result};

/// Conditions on a text: all that are given must hold. Case and diacritics matter; texts are compared by code point.
#[derive(Clone, Debug, Default, InputObject)]
#[graphql(name = "StringFilter")]
pub struct TextFilter {
    #[graphql(flatten)]
    comparison: Comparison<String>,
    /// Begins with this.
    starts_with: Option<String>,
    /// Has this in it.
    contains: Option<String>,
}

impl TextFilter {
    /// The rows whose column passes. An index on the column finds those that begin with a text.
    pub fn on(&self, column: impl ColumnTrait, scope: &mut Scope) -> Result<Condition> {
        let own = [&self.starts_with, &self.contains].into_iter().flatten();
        // PostgreSQL has no such text, and takes none.
        if self.comparison.values().chain(own).any(|text| text.contains('\0')) {
            return Err(Error::client(Code::BadUserInput, "a text holds no NUL character"));
        }
        let mut all = self.comparison.on(column, scope)?;
        if let Some(prefix) = self.starts_with.as_deref().filter(|prefix| !prefix.is_empty()) {
            scope.count(1)?;
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

/// The first text that is greater than all that begin with this one, by code point; none where there is none.
fn successor(prefix: &str) -> Option<String> {
    let mut text: Vec<char> = prefix.chars().collect();
    while let Some(last) = text.pop() {
        // The range of characters steps over what is none.
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
