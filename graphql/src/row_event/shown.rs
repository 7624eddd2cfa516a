//! What is shown of an event, for all subscribers that ask for the same.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_graphql::Variables;

use super::EventRow;

/// The number of responses that are kept. Subscribers hear of an event at about the same time; one that is further behind reads for
/// itself.
const KEPT: usize = 8;

/// What one field of a document showed last.
#[derive(Default)]
pub struct LastShown(Mutex<VecDeque<Shown>>);

struct Shown {
    /// The row of the event, which all of its subscribers share.
    row: EventRow,
    variables: Variables,
    json: Arc<[u8]>,
}

impl LastShown {
    /// What was shown of this event to a subscriber with these variables.
    pub fn get(&self, row: &EventRow, variables: &Variables) -> Option<Arc<[u8]>> {
        let shown = self.shown();
        shown.iter().find(|shown| shown.is_of(row, variables)).map(|shown| Arc::clone(&shown.json))
    }

    /// Keeps what was shown. Of subscribers who read at the same time, the first one's.
    pub fn put(&self, row: &EventRow, variables: &Variables, json: &[u8]) {
        let mut shown = self.shown();
        if shown.iter().any(|shown| shown.is_of(row, variables)) {
            return;
        }
        if shown.len() == KEPT {
            shown.pop_back();
        }
        shown.push_front(Shown { row: Arc::clone(row), variables: variables.clone(), json: json.into() });
    }

    fn shown(&self) -> MutexGuard<'_, VecDeque<Shown>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shown {
    fn is_of(&self, row: &EventRow, variables: &Variables) -> bool {
        Arc::ptr_eq(&self.row, row) && self.variables == *variables
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::Value;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_is_shown_again_to_those_with_the_same_variables() {
        let row = || EventRow::from([Value::from(7)]);
        let variables = |first: i32| Variables::from_json(json!({ "first": first }));
        let (shown, event) = (LastShown::default(), row());
        shown.put(&event, &variables(1), b"1");
        assert_eq!(shown.get(&event, &variables(1)).as_deref(), Some(&b"1"[..]));
        assert_eq!(shown.get(&event, &variables(2)), None);
        shown.put(&event, &variables(1), b"1");
        assert_eq!(shown.shown().len(), 1);
        // Another event with an equal row shows what is there at its time.
        assert_eq!(shown.get(&row(), &variables(1)), None);
        for _ in 0..KEPT {
            shown.put(&row(), &variables(1), b"2");
        }
        assert_eq!(shown.get(&event, &variables(1)), None);
        assert_eq!(shown.shown().len(), KEPT);
    }
}
