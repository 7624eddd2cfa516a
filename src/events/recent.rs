//! The ids of recent events, to send none twice.

use std::collections::BTreeSet;

use uuid::Uuid;

/// The number of recent ids that are kept, to send no event twice.
pub const MAX_RECENT: usize = 10_000;

/// The largest ids, at most [`MAX_RECENT`].
#[derive(Default)]
pub struct Recent(BTreeSet<Uuid>);

impl Recent {
    /// Adds an id. Returns whether it is new.
    pub fn insert(&mut self, id: Uuid) -> bool {
        let is_new = self.0.insert(id);
        if self.0.len() > MAX_RECENT {
            self.0.pop_first();
        }
        is_new
    }

    /// Whether the id is among them.
    pub fn contains(&self, id: Uuid) -> bool {
        self.0.contains(&id)
    }

    /// The smallest id of a full set. Smaller ids may or may not have been sent.
    pub fn horizon(&self) -> Option<Uuid> {
        self.0.first().copied().filter(|_| self.0.len() == MAX_RECENT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_ids_are_kept() {
        let id = |n: usize| Uuid::from_u128(n as u128);
        let mut recent = Recent::default();
        for n in (0..MAX_RECENT).rev() {
            assert_eq!(recent.horizon(), None);
            assert!(recent.insert(id(n)));
        }
        assert_eq!(recent.horizon(), Some(id(0)));
        assert!(!recent.insert(id(5)));
        assert!(recent.insert(id(MAX_RECENT)) && recent.insert(id(MAX_RECENT + 1)));
        assert_eq!(recent.horizon(), Some(id(2)));
        assert!(!recent.contains(id(1)) && recent.contains(id(2)) && recent.contains(id(MAX_RECENT + 1)));
    }
}
