//! Arrays in PostgreSQL's binary format.

use keyset::{StoredRows, StoredValue};
use sea_orm::sqlx::error::BoxDynError;

use super::rows::Read;

/// What is left of an array of one dimension.
#[derive(Default)]
pub struct Array<'a> {
    /// The number of all of its values.
    pub length: u32,
    bytes: &'a [u8],
}

impl<'a> Array<'a> {
    /// Reads what is before the values: the number of dimensions, whether there are NULLs, the type, and of each dimension the number of
    /// values and the first index.
    pub fn of(mut bytes: &'a [u8]) -> Result<Self, BoxDynError> {
        let [dimensions, _, _] = [number(&mut bytes)?, number(&mut bytes)?, number(&mut bytes)?];
        let length = match dimensions {
            0 => 0,
            1 => number(&mut bytes)?,
            _ => return Err("an array of several dimensions".into()),
        };
        if dimensions == 1 {
            number(&mut bytes)?;
        }
        Ok(Self { length: length.try_into()?, bytes })
    }

    /// Adds the next value.
    pub fn read_next(&mut self, read: Read, found: &mut StoredRows) -> Result<(), BoxDynError> {
        let Ok(length) = usize::try_from(number(&mut self.bytes)?) else {
            found.push(StoredValue::Null);
            return Ok(());
        };
        let (value, rest) = self.bytes.split_at_checked(length).ok_or(TOO_SHORT)?;
        self.bytes = rest;
        read(value, found)
    }
}

const TOO_SHORT: &str = "an array that is too short";

fn number(bytes: &mut &[u8]) -> Result<i32, BoxDynError> {
    let (number, rest) = bytes.split_first_chunk().ok_or(TOO_SHORT)?;
    *bytes = rest;
    Ok(i32::from_be_bytes(*number))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use keyset::{Columns, StoredRows};
    use tokio_postgres::types::Type;

    use super::*;
    use crate::db::pool::prepared::rows::reader_of_array;

    fn array(numbers: &[i32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
    }

    #[test]
    fn values_and_nulls_are_read_in_turn() {
        let bytes = array(&[1, 1, 23, 3, 1, 4, 7, -1, 4, -8]);
        let (mut found, mut array) = (StoredRows::new(Arc::new(Columns::new(["a"]))), Array::of(&bytes).unwrap());
        assert_eq!(array.length, 3);
        for _ in 0..3 {
            array.read_next(reader_of_array(&Type::INT4_ARRAY), &mut found).unwrap();
        }
        assert!(array.read_next(reader_of_array(&Type::INT4_ARRAY), &mut found).is_err());
        let found: Vec<_> = found.records().iter().map(|record| format!("{record:?}")).collect();
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn what_is_no_array_of_one_dimension_is_an_error() {
        for bytes in [array(&[1, 0]), array(&[2, 0, 23, 1, 1, 1, 1]), array(&[1, 0, 23, -1, 1]), array(&[1, 0, 23, 1])]
        {
            assert!(Array::of(&bytes).is_err(), "{bytes:?}");
        }
        let cut = array(&[1, 0, 23, 1, 1, 4]);
        let mut found = StoredRows::new(Arc::new(Columns::new(["a"])));
        assert!(Array::of(&cut).unwrap().read_next(reader_of_array(&Type::INT4_ARRAY), &mut found).is_err());
        assert_eq!(Array::of(&array(&[0, 0, 23])).unwrap().length, 0);
    }
}
