//! What is read once for all objects that were read together.
//!
//! The objects of a page, or of all pages that one statement read, share a place for what their fields need beside
//! their rows. The first of them whose field is resolved reads it for all of them, and the others wait: one statement,
//! and none where the field is not selected.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use async_graphql::{Context, Pos};
use tokio::sync::OnceCell;

use super::error::{Error, Result};

/// The reading of a value, in a box: lists lie deep in each other, and all that their futures hold lies on the stack.
pub type Reading<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// A value that is read when it is first asked for. A failure, too, is told to all who ask.
#[derive(Debug)]
pub struct Once<T>(OnceCell<Result<T>>);

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self(OnceCell::new())
    }
}

impl<T> Once<T> {
    /// A value that is at hand.
    pub fn new(value: T) -> Self {
        Self(OnceCell::new_with(Some(Ok(value))))
    }

    /// The value, which the first caller reads.
    pub async fn get(&self, read: Reading<'_, T>) -> Result<&T> {
        self.0.get_or_init(|| read).await.as_ref().map_err(Error::clone)
    }
}

/// A value for each place in the request's text where a field is selected: there its arguments are the same for all
/// objects.
#[derive(Debug)]
pub struct PerField<T>(Mutex<HashMap<Pos, Arc<T>>>);

impl<T> Default for PerField<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> PerField<T> {
    /// The value of the field that is being resolved, which the first caller makes.
    pub fn get(&self, context: &Context<'_>, make: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = values.get(&context.item.pos) {
            return Ok(Arc::clone(value));
        }
        let value = Arc::new(make()?);
        values.insert(context.item.pos, Arc::clone(&value));
        Ok(value)
    }
}
