//! The ids of recent events, to send none twice.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::event::Event;

/// The number of recent ids that are kept, to send no event twice.
pub const MAX_RECENT: usize = 10_000;

/// The largest ids with the kinds of their events, at most [`MAX_RECENT`].
#[derive(Default)]
pub struct Recent(BTreeSet<(Uuid, usize)>);

impl Recent {
    /// Adds the id of an event. Returns whether it is new. An event without one is.
    pub fn is_new(&mut self, event: &Event) -> bool {
        event.key.is_none_or(|id| self.insert((id, event.of)))
    }

    fn insert(&mut self, id: (Uuid, usize)) -> bool {
        let is_new = self.0.insert(id);
        if self.0.len() > MAX_RECENT {
            self.0.pop_first();
        }
        is_new
    }

    /// Whether the id of the event is among them.
    pub fn contains(&self, event: &Event) -> bool {
        event.key.is_some_and(|id| self.0.contains(&(id, event.of)))
    }

    /// The smallest id of a full set. Smaller ids may or may not have been sent.
    pub fn horizon(&self) -> Option<Uuid> {
        self.0.first().map(|(id, _)| *id).filter(|_| self.0.len() == MAX_RECENT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_ids_are_kept() {
        let id = |n: usize| (Uuid::from_u128(n as u128), 0);
        let mut recent = Recent::default();
        for n in (0..MAX_RECENT).rev() {
            assert_eq!(recent.horizon(), None);
            assert!(recent.insert(id(n)));
        }
        assert_eq!(recent.horizon(), Some(id(0).0));
        assert!(!recent.insert(id(5)));
        assert!(recent.insert(id(MAX_RECENT)) && recent.insert(id(MAX_RECENT + 1)));
        assert_eq!(recent.horizon(), Some(id(2).0));
        assert!(!recent.0.contains(&id(1)) && recent.0.contains(&id(2)) && recent.0.contains(&id(MAX_RECENT + 1)));
    }
}
