//! Global ids.

use async_graphql::ID;
use bookends_graphql::Declaration;
use keyset::{Column, Scalar};

use super::part::{Part, Parts};
use super::value;

/// Reads a global id of the schema.
pub fn read(declaration: &Declaration, text: &str) -> Result<Parts, String> {
    let (object, key) = declaration.object_of(&ID::from(text)).map_err(|error| error.message().to_owned())?;
    let columns: Vec<&Column> =
        declaration.object_named(object).map(|it| it.table().key().collect()).unwrap_or_default();
    let scalars = columns.iter().zip(&key).filter_map(|(column, value)| column.kind().scalar(value));
    let found = Parts::default().with("type", object);
    Ok(match &scalars.collect::<Vec<_>>()[..] {
        [Scalar::Uuid(key)] => found.with("key", super::uuid::parts(*key)),
        [only] => found.with("key", value::parts(only)),
        several => {
            let named = columns
                .iter()
                .zip(several)
                .map(|(column, scalar)| Parts::default().with("of", column.name()).and(value::parts(scalar)).into());
            found.with("key", named.collect::<Vec<Part>>())
        }
    })
}
