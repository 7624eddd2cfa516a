//! The cost of a selection, in its parts.

/// The cost of a selection.
#[derive(Clone, Copy, Default)]
pub struct SelectionCost {
    /// Once, for all objects.
    pub once: usize,
    /// For each object.
    pub each: usize,
    /// The depth, in fields.
    pub depth: usize,
    /// The maximum number of statements.
    pub statements: usize,
    /// How many of them read the rows of the list that is selected from, beside its page.
    pub counts: usize,
    /// What these cost if they read rows.
    pub counting: usize,
    /// Whether the page is selected.
    pub page: bool,
    /// How many pages of keys are read around it.
    pub around: usize,
    /// The part of `each` that filters cost.
    pub filters: usize,
    /// Whether the number of a page is selected.
    pub numbers: bool,
    /// The part of `each` that introspection costs.
    pub introspection: usize,
}

impl SelectionCost {
    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self {
            once: self.once.saturating_add(other.once),
            each: self.each.saturating_add(other.each),
            depth: self.depth.max(other.depth),
            statements: self.statements.saturating_add(other.statements),
            counts: self.counts.saturating_add(other.counts),
            counting: self.counting.saturating_add(other.counting),
            page: self.page || other.page,
            around: self.around.saturating_add(other.around),
            filters: self.filters.saturating_add(other.filters),
            numbers: self.numbers || other.numbers,
            introspection: self.introspection.saturating_add(other.introspection),
        }
    }
}
