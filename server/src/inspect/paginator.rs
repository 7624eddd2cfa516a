//! Cursors of `django-universal-paginator`, the format from which that of Bookends began: a letter for the direction, then
//! values. They have no version and no fingerprint.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::Days;
use keyset::Scalar;

use super::part::{Part, Parts};
use super::value;

/// Reads a cursor of the paginator's version 1.4.0.
pub fn read(text: &str) -> Result<Parts, String> {
    let (direction, rest) = match text.split_at_checked(1) {
        Some(("n", rest)) => ("next", rest),
        Some(("b", rest)) => ("back", rest),
        _ => return Err("expected the letter n or b".into()),
    };
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(rest).map_err(|_| "expected base64url after the letter")?;
    let values =
        keyset::read_values(&bytes).filter(|values| !values.is_empty()).ok_or("expected values in base64url")?;
    let values: Vec<Part> = values.into_iter().map(|scalar| value::parts(&own(scalar)).into()).collect();
    Ok(Parts::default().with("direction", direction).with("values", values))
}

/// The value that the paginator means: `keyset` decodes its dates as the day before.
fn own(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Date(date) => Scalar::Date(date.checked_add_days(Days::new(1)).unwrap_or(date)),
        scalar => scalar,
    }
}
