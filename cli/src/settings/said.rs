//! What the settings say of a table, for those who say it in another language.

use super::{Guard, Rule, Settings};

/// What the fields of a schema do not show.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// Whether no field that follows is a condition.
    pub is_unfiltered: bool,
    /// Whether lists have no aggregates.
    pub is_without_aggregates: bool,
    /// The size of a page, and the largest one.
    pub page_sizes: [Option<u32>; 2],
    /// Orders that no index holds, by columns.
    pub sorts: Vec<Vec<String>>,
    /// Which rows show.
    pub rule: Option<Rule>,
    /// Who may read fields, by the names of these or of their columns, and whether they are null to others.
    pub guards: Vec<(String, Guard, bool)>,
}

impl Settings {
    /// What they say of a table. It is checked already.
    pub(crate) fn said(&self, table: &str) -> Said {
        let Some(settings) = self.of(table) else { return Said::default() };
        let guards = settings.field.iter().filter_map(|(name, field)| {
            let field = field.get_ref();
            let guard = Guard::parse(field.guard.as_ref()?.get_ref()).ok()?;
            Some((name.clone(), guard, field.or_null))
        });
        Said {
            is_unfiltered: settings.filters == Some(false),
            is_without_aggregates: settings.aggregates == Some(false),
            page_sizes: settings.page_sizes(),
            sorts: settings.sorts.iter().map(|columns| columns.get_ref().clone()).collect(),
            rule: settings.rule.as_ref().and_then(|rule| Rule::parse(rule.get_ref()).ok()),
            guards: guards.collect(),
        }
    }
}
