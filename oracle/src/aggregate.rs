//! Aggregates of the values that are not NULL.

use async_graphql::Value;

use crate::datum::{Datum, hundredths};
use crate::interpret::Out;
use crate::schema::Kind;

/// The sum, the average, the least or the greatest of values.
pub fn aggregate(name: &str, values: &[&Datum], kind: Kind) -> Out {
    let least = || values.iter().min_by(|one, other| one.compare(other));
    let greatest = || values.iter().max_by(|one, other| one.compare(other));
    let shown = |datum: Option<&&Datum>| Out::Plain(datum.map_or(Value::Null, |datum| datum.show(kind)));
    match name {
        "min" => return shown(least()),
        "max" => return shown(greatest()),
        _ if values.is_empty() => return Out::Plain(Value::Null),
        _ => {}
    }
    let integers: i128 =
        values.iter().map(|datum| if let Datum::Integer(it) = datum { i128::from(*it) } else { 0 }).sum();
    let reals: f64 = values.iter().map(|datum| if let Datum::Real(it) = datum { *it } else { 0.0 }).sum();
    #[expect(clippy::cast_precision_loss, reason = "an average is a double")]
    let (count, whole) = (values.len() as f64, integers as f64);
    let is_average = name == "average";
    match kind {
        Kind::Double if is_average => Out::Rounded(reals / count),
        Kind::Double => Out::Rounded(reals),
        Kind::Decimal if is_average => Out::Rounded(whole / 100.0 / count),
        _ if is_average => Out::Rounded(whole / count),
        Kind::Decimal => Out::Plain(hundredths(integers).into()),
        _ => Out::Plain(integers.to_string().into()),
    }
}
