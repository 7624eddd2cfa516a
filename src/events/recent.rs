//! The ids of what has been sent lately, so that nothing is sent twice.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::RECENT;

/// The newest ids by their own order, [`RECENT`] of them at most.
#[derive(Default)]
pub struct Recent(BTreeSet<Uuid>);

impl Recent {
    /// Takes an id; whether it is new.
    pub fn insert(&mut self, id: Uuid) -> bool {
        let is_new = self.0.insert(id);
        if self.0.len() > RECENT {
            self.0.pop_first();
        }
        is_new
    }

    /// Whether the id was taken, and has not been displaced by newer ones.
    pub fn contains(&self, id: Uuid) -> bool {
        self.0.contains(&id)
    }

    /// The oldest of a full set: of those before it nobody knows whether they have been sent.
    pub fn horizon(&self) -> Option<Uuid> {
        self.0.first().copied().filter(|_| self.0.len() == RECENT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_ids_are_kept_in_whatever_order_they_came() {
        let id = |n: usize| Uuid::from_u128(n as u128);
        let mut recent = Recent::default();
        for n in (0..RECENT).rev() {
            assert_eq!(recent.horizon(), None);
            assert!(recent.insert(id(n)));
        }
        assert_eq!(recent.horizon(), Some(id(0)));
        assert!(!recent.insert(id(5)));
        assert!(recent.insert(id(RECENT)) && recent.insert(id(RECENT + 1)));
        assert_eq!(recent.horizon(), Some(id(2)));
        assert!(!recent.contains(id(1)) && recent.contains(id(2)) && recent.contains(id(RECENT + 1)));
    }
}
