//! The JSON of a response, written field by field.

use async_graphql::{PathSegment, Pos, Variables};
use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use sea_orm::DbErr;
use serde::Serialize;

use super::Run;
use crate::error::code;
use crate::{Error, Reader};

/// The text so far, and the errors beside it.
pub struct Writer<'a> {
    pub json: Vec<u8>,
    pub errors: Vec<Failure>,
    pub variables: &'a Variables,
    reader: &'a Reader,
    is_event: bool,
}

/// A value that was read and written, and its errors.
#[derive(Clone)]
pub struct Shown {
    pub json: Vec<u8>,
    pub errors: Vec<Failure>,
    pub written: Written,
}

/// An error at its place in the response.
#[derive(Clone)]
pub struct Failure {
    pub error: Error,
    /// The field in the document.
    pub position: Pos,
    /// The path to it, the innermost segment first.
    pub path: Vec<PathSegment>,
}

/// A value that cannot be null has failed: the nearest object around it that can be null is.
#[derive(Clone, Copy)]
pub struct Null;

/// Whether a value was written.
pub type Written = Result<(), Null>;

impl<'a> Writer<'a> {
    pub fn new(run: &Run<'a>) -> Self {
        Self::with_room(run, 1024)
    }

    /// With room for this many bytes.
    pub fn with_room(run: &Run<'a>, bytes: usize) -> Self {
        let Run { reader, variables, is_event, .. } = *run;
        Self { json: Vec::with_capacity(bytes), errors: Vec::new(), variables, reader, is_event }
    }

    /// Writes a value that is no object.
    pub fn value(&mut self, value: &(impl Serialize + ?Sized)) {
        write(value, &mut self.json);
    }

    /// What was written: a value, or why there is none.
    pub fn finish(self, written: Written) -> Shown {
        Shown { json: self.json, errors: self.errors, written }
    }

    /// Writes a value that was written apart.
    pub fn append(&mut self, Shown { json, errors, written }: Shown) -> Written {
        self.json.extend(json);
        self.errors.extend(errors);
        written
    }

    /// Begins the next member of an object, or the next element of a list.
    pub fn separate(&mut self) {
        if !matches!(self.json.last(), Some(b'{' | b'[')) {
            self.json.push(b',');
        }
    }

    /// Writes what stands under this segment of the path.
    pub fn within(
        &mut self,
        segment: impl FnOnce() -> PathSegment,
        write: impl FnOnce(&mut Self) -> Written,
    ) -> Written {
        let before = self.errors.len();
        let written = write(self);
        if let Some(errors) = self.errors.get_mut(before..).filter(|errors| !errors.is_empty()) {
            let segment = segment();
            for error in errors {
                error.path.push(segment.clone());
            }
        }
        written
    }

    /// Writes a list.
    pub fn list<T>(
        &mut self,
        items: impl Iterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Written,
    ) -> Written {
        self.json.push(b'[');
        for (index, item) in items.enumerate() {
            self.separate();
            self.within(|| PathSegment::Index(index), |writer| write(writer, item))?;
        }
        self.json.push(b']');
        Ok(())
    }

    /// Writes a value that can be null.
    pub fn nullable(&mut self, write: impl FnOnce(&mut Self) -> Written) {
        let begin = self.json.len();
        if write(self).is_err() {
            self.json.truncate(begin);
            self.json.extend_from_slice(b"null");
        }
    }

    /// Records an error of the field at this position.
    pub fn fail(&mut self, error: Error, position: Pos) -> Null {
        self.errors.push(Failure { error, position, path: Vec::new() });
        Null
    }

    /// The error that a client reads where a value could not be computed from its row.
    pub fn failure(&self, error: DbErr) -> Error {
        self.reader.error(error)
    }

    /// Records that the object that the field at this position refers to does not exist, or does not show.
    pub fn fail_missing(&mut self, object: &str, can_hide: bool, position: Pos) -> Null {
        let object = object.to_lowercase();
        let error = if can_hide || self.reader.hides_rows() {
            Error::client(code::NOT_FOUND, format!("there is no such {object}, or it does not show to you"))
        } else if self.is_event {
            Error::client(code::GONE, format!("the {object} was deleted before it was read"))
        } else {
            Error::broken_reference(&object)
        };
        self.fail(error, position)
    }
}

/// Writes bytes in base64url as JSON: none of its characters is escaped.
pub fn write_base64url(bytes: &[u8], json: &mut Vec<u8>) {
    write_in(&BASE64_URL_SAFE_NO_PAD, (4 * bytes.len()).div_ceil(3), bytes, json);
}

/// Writes bytes in base64 with padding as JSON.
pub fn write_base64(bytes: &[u8], json: &mut Vec<u8>) {
    write_in(&BASE64_STANDARD, 4 * bytes.len().div_ceil(3), bytes, json);
}

fn write_in(alphabet: &impl Engine, length: usize, bytes: &[u8], json: &mut Vec<u8>) {
    json.push(b'"');
    let begin = json.len();
    json.resize(begin + length, 0);
    // There is room for it.
    let _ = alphabet.encode_slice(bytes, &mut json[begin..]);
    json.push(b'"');
}

/// Writes a value as JSON.
pub fn write(value: &(impl Serialize + ?Sized), json: &mut Vec<u8>) {
    // Writing into memory does not fail; a map with keys that are no texts is no leaf.
    if serde_json::to_writer(&mut *json, value).is_err() {
        json.extend_from_slice(b"null");
    }
}
