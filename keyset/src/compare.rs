//! Keys that are compared here, as the databases compare them.
//!
//! A database sorts the rows of a page again, which its branches have put in order: the union of the branches has no order. On
//! SQLite that takes two fifths of the instructions of a page. PostgreSQL sorts the nested lists of all parents together. Which
//! rows a page has does not depend on it, because every limit on them within the statement has an order. So the few rows are put in
//! order here, where every database compares the keys alike: integers, bytes, UUIDs, and texts by code point.
//!
//! A column of SQLite can hold values of any storage class. They are in the order of the classes: numbers, texts, blobs.

use std::cmp::Ordering;

use sea_orm::Value;

use crate::{Direction, Key, Nulls, Order, Sort};

impl Order {
    /// Whether [`Self::compare`] is the order of the database. Only the database and its user know the collation of texts.
    pub(crate) fn is_compared_here(&self) -> bool {
        self.sorts().iter().all(Sort::is_compared_here)
    }

    /// Which of two keys comes first.
    pub(crate) fn compare(&self, one: &Key, other: &Key) -> Ordering {
        for (sort, (one, other)) in self.sorts().iter().zip(one.values().iter().zip(other.values())) {
            let compared = sort.compare(one, other);
            if compared.is_ne() {
                return compared;
            }
        }
        Ordering::Equal
    }
}

impl Sort {
    fn compare(&self, one: &Value, other: &Value) -> Ordering {
        match (comparable(one), comparable(other)) {
            (Some(one), Some(other)) if self.direction == Direction::Asc => one.compare(&other),
            (Some(one), Some(other)) => other.compare(&one),
            // NULL is before values where NULLs are first.
            (one, other) if self.nulls == Nulls::First => one.is_some().cmp(&other.is_some()),
            (one, other) => one.is_none().cmp(&other.is_none()),
        }
    }
}

/// A value of a kind that is compared here, or of another storage class.
enum Comparable<'a> {
    Integer(i64),
    Real(f64),
    /// The bytes of UTF-8 are in the order of the code points.
    Text(&'a str),
    /// UUIDs, too.
    Bytes(&'a [u8]),
}

impl Comparable<'_> {
    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => one.cmp(other),
            (Self::Real(one), Self::Real(other)) => one.partial_cmp(other).unwrap_or(Ordering::Equal),
            (Self::Integer(one), Self::Real(other)) => integer_with_real(*one, *other),
            (Self::Real(one), Self::Integer(other)) => integer_with_real(*other, *one).reverse(),
            (Self::Text(one), Self::Text(other)) => one.cmp(other),
            (Self::Bytes(one), Self::Bytes(other)) => one.cmp(other),
            (one, other) => one.class().cmp(&other.class()),
        }
    }

    /// The place of its storage class.
    fn class(&self) -> u8 {
        match self {
            Self::Integer(_) | Self::Real(_) => 0,
            Self::Text(_) => 1,
            Self::Bytes(_) => 2,
        }
    }
}

/// Compares two numbers without rounding the integer.
#[expect(clippy::cast_possible_truncation, reason = "a larger number is still larger than any integer")]
fn integer_with_real(integer: i64, real: f64) -> Ordering {
    let whole = i128::from(integer).cmp(&(real as i128));
    whole.then_with(|| 0.0.partial_cmp(&real.fract()).unwrap_or(Ordering::Equal))
}

/// `None` for NULL.
fn comparable(value: &Value) -> Option<Comparable<'_>> {
    match value {
        Value::SmallInt(value) => value.map(|value| Comparable::Integer(value.into())),
        Value::Int(value) => value.map(|value| Comparable::Integer(value.into())),
        Value::BigInt(value) => value.map(Comparable::Integer),
        Value::Double(value) => value.map(Comparable::Real),
        Value::Uuid(value) => value.as_ref().map(|value| Comparable::Bytes(value.as_bytes())),
        Value::Bytes(value) => value.as_deref().map(Comparable::Bytes),
        Value::String(value) => value.as_deref().map(Comparable::Text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::prelude::Uuid;
    use sea_orm::sea_query::Expr;
    use sea_orm::tests_cfg::fruit;

    use super::*;
    use crate::Kind;

    fn order(sort: Sort) -> Order {
        Order::of::<fruit::Entity>([sort]).unwrap()
    }

    fn sort(kind: Kind) -> Sort {
        Sort::expression("value", Expr::cust("value"), kind)
    }

    /// The first values of keys, in the order of these sorts.
    fn sorted(sort: Sort, values: &[Value]) -> Vec<Value> {
        let order = order(sort);
        let mut keys: Vec<_> =
            values.iter().map(|value| Key::new(&order, vec![value.clone(), 7.into()]).unwrap()).collect();
        keys.sort_by(|one, other| order.compare(one, other));
        keys.iter().map(|key| key.values()[0].clone()).collect()
    }

    #[test]
    fn values_are_in_order_and_nulls_at_their_end() {
        let [low, high, null] = [(-3).into(), 7.into(), Value::Int(None)];
        let values = [high.clone(), null.clone(), low.clone()];
        let sorted = |sort| sorted(sort, &values);
        assert_eq!(sorted(sort(Kind::Int)), [low.clone(), high.clone(), null.clone()]);
        assert_eq!(sorted(sort(Kind::Int).nulls(Nulls::First)), [null.clone(), low.clone(), high.clone()]);
        assert_eq!(sorted(sort(Kind::Int).reversed()), [null.clone(), high.clone(), low.clone()]);
        assert_eq!(sorted(sort(Kind::Int).direction(Direction::Desc)), [high, low, null]);
    }

    #[test]
    fn uuids_are_in_the_order_of_their_bytes() {
        let ids = [0, 1, u128::MAX >> 1, 1 << 127, u128::MAX].map(|id| Value::from(Uuid::from_u128(id)));
        let mut shuffled = ids.clone();
        shuffled.reverse();
        assert_eq!(sorted(sort(Kind::Uuid), &shuffled), ids);
    }

    /// SQLite says so: `SELECT … ORDER BY value`.
    #[test]
    fn values_of_other_storage_classes_are_in_the_order_of_the_classes() {
        let numbers: [Value; 8] = [
            f64::NEG_INFINITY.into(),
            (-1.5).into(),
            (-1_i64).into(),
            0.5.into(),
            1_i64.into(),
            1.5.into(),
            i64::MAX.into(),
            1e19.into(),
        ];
        let rest: [Value; 4] = ["".into(), "7".into(), vec![0_u8].into(), vec![0_u8, 0].into()];
        let values: Vec<Value> = numbers.into_iter().chain(rest).collect();
        let sort = sort(Kind::Int);
        for (place, one) in values.iter().enumerate() {
            for (other_place, other) in values.iter().enumerate() {
                assert_eq!(sort.compare(one, other), place.cmp(&other_place), "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn the_last_sort_decides_between_equal_values() {
        let order = order(sort(Kind::SmallInt));
        let key = |value: i16, id: i32| Key::new(&order, vec![value.into(), id.into()]).unwrap();
        assert_eq!(order.compare(&key(1, 2), &key(1, 3)), Ordering::Less);
        assert_eq!(order.compare(&key(2, 2), &key(1, 3)), Ordering::Greater);
        assert_eq!(order.compare(&key(1, 2), &key(1, 2)), Ordering::Equal);
    }

    #[test]
    fn the_order_of_texts_is_that_of_the_database_unless_it_is_by_code_point() {
        let orders =
            [sort(Kind::Int), sort(Kind::Bytes), sort(Kind::Text), sort(Kind::Text).by_code_point()].map(order);
        assert_eq!(orders.each_ref().map(Order::is_compared_here), [true, true, false, true]);
    }

    #[test]
    fn texts_are_in_the_order_of_their_code_points() {
        let texts = ["", "B", "Ba", "a", "é", "\u{fb00}", "\u{1f600}"].map(Value::from);
        let mut shuffled = texts.clone();
        shuffled.reverse();
        let by_code_point = || sort(Kind::Text).by_code_point();
        assert_eq!(sorted(by_code_point(), &shuffled), texts);
        assert_eq!(sorted(by_code_point().direction(Direction::Desc), &texts), shuffled);
    }
}
