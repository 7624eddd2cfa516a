use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use proptest::prelude::*;

use super::*;

fn bytes(scalar: &Scalar) -> Vec<u8> {
    let mut out = Vec::new();
    write(scalar, &mut out).unwrap();
    out
}

#[track_caller]
fn check(scalars: &[Scalar], text: &str) {
    let written: Vec<u8> = scalars.iter().flat_map(bytes).collect();
    assert_eq!(BASE64_URL_SAFE_NO_PAD.encode(&written), text);
    let mut rest = written.as_slice();
    for scalar in scalars {
        assert_eq!(read(&mut rest).as_ref(), Some(scalar));
    }
    assert!(rest.is_empty());
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

#[test]
fn the_published_vectors_hold() {
    check(&[Scalar::Int(10)], "Bgo");
    check(&[Scalar::Int(331)], "CABL");
    check(&[Scalar::DateTimeUtc(at("2021-10-25T22:00:00Z")), Scalar::Int(7)], "HAAAADF6GpIgBgc");
}

/// Frozen: a change here invalidates cursors that clients hold.
#[test]
fn every_tag_has_its_bytes() {
    #[track_caller]
    fn check(scalar: Scalar, expected: &[u8]) {
        assert_eq!(bytes(&scalar), expected);
        assert_eq!(read(&mut &*expected), Some(scalar));
    }
    check(Scalar::Null, &[0]);
    check(Scalar::Bool(true), &[1]);
    check(Scalar::Bool(false), &[2]);
    check(Scalar::Text("ab".into()), &[194, b'a', b'b']);
    check(Scalar::Bytes(vec![7, 8]), &[5, 0, 2, 7, 8]);
    check(Scalar::Int(255), &[6, 255]);
    check(Scalar::Int(256), &[8, 0, 0]);
    check(Scalar::Int(65_791), &[8, 255, 255]);
    check(Scalar::Int(65_792), &[10, 0, 0, 0, 0]);
    check(Scalar::Int(4_295_033_087), &[10, 255, 255, 255, 255]);
    check(Scalar::Int(4_295_033_088), &[12, 0, 0, 0, 0, 0, 0, 0, 0]);
    check(Scalar::Int(-1), &[7, 0]);
    check(Scalar::Int(-256), &[7, 255]);
    check(Scalar::Int(-257), &[9, 0, 0]);
    check(Scalar::Int(-65_793), &[11, 0, 0, 0, 0]);
    check(Scalar::Int(-4_295_033_089), &[13, 0, 0, 0, 0, 0, 0, 0, 0]);
    check(Scalar::Int(100_000_000_000_000_000_000), b"\x0e\x15100000000000000000000");
    check(Scalar::Decimal(12.into()), &[15, 12]);
    check(Scalar::Decimal((-257).into()), &[18, 0, 0]);
    check(Scalar::Decimal(100_000_000_000_000_000_000_i128.into()), b"\x17\x15100000000000000000000");
    check(Scalar::Decimal("-9.99".parse().unwrap()), b"\x19\x05-9.99");
    check(Scalar::Double(1.5), &[24, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0]);
    check(Scalar::DateTime(at("1970-01-01T00:00:01Z").naive_utc()), &[26, 0, 0, 0, 49, 24, 163, 105, 65]);
    check(
        Scalar::DateTime(at("1970-01-01T00:00:01.000002Z").naive_utc()),
        &[27, 0, 0, 0, 49, 24, 163, 105, 65, 0, 0, 0, 2],
    );
    check(Scalar::DateTimeUtc(at("1970-01-01T00:00:01.000002Z")), &[29, 0, 0, 0, 49, 24, 163, 105, 65, 0, 0, 0, 2]);
    check(Scalar::Time("00:01:00".parse().unwrap()), &[30, 0, 0, 60]);
    check(Scalar::Time("00:00:00.000003".parse().unwrap()), &[30, 128, 0, 0, 0, 3]);
    check(Scalar::DateTimeUtc(at("1970-01-01T00:00:01.000000002Z")), &[34, 0, 0, 0, 49, 24, 163, 105, 65, 0, 0, 0, 2]);
    check(
        Scalar::DateTime(at("1970-01-01T00:00:01.000000002Z").naive_utc()),
        &[33, 0, 0, 0, 49, 24, 163, 105, 65, 0, 0, 0, 2],
    );
    check(Scalar::Time("00:00:00.000000003".parse().unwrap()), &[35, 0, 0, 0, 0, 0, 0, 0, 3]);
    check(Scalar::Date("1970-01-01".parse().unwrap()), &[31, 0, 37, 61, 140]);
    check(Scalar::Uuid(Uuid::from_u128(1)), &[32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
}

#[test]
fn text_of_every_length_up_to_the_longest_comes_back() {
    for length in [0, 63, 64, 319, 320, 65_855] {
        let text = Scalar::Text("x".repeat(length));
        assert_eq!(read(&mut bytes(&text).as_slice()), Some(text));
    }
    let refused = write(&Scalar::Text("x".repeat(65_856)), &mut Vec::new());
    assert_eq!(refused, Err(KeyError::TooLong(65_856)));
}

#[test]
fn equal_numbers_have_equal_bytes() {
    assert_eq!(bytes(&Scalar::Double(-0.0)), bytes(&Scalar::Double(0.0)));
    assert_eq!(bytes(&Scalar::Double(-f64::NAN)), bytes(&Scalar::Double(f64::NAN)));
    let decimal = |text: &str| bytes(&Scalar::Decimal(text.parse().unwrap()));
    assert_eq!(decimal("12.30"), decimal("12.3"));
    assert_eq!(decimal("12.00"), decimal("12"));
    assert_eq!(decimal("-0.0"), decimal("0"));
}

#[test]
fn what_no_database_keeps_is_refused() {
    let refused = |scalar| write(&scalar, &mut Vec::new()).unwrap_err();
    assert_eq!(refused(Scalar::Text("a\0b".into())), KeyError::Nul);
    assert_eq!(refused(Scalar::Time("23:59:60".parse().unwrap())), KeyError::LeapSecond);
    assert_eq!(refused(Scalar::Date(NaiveDate::MIN)), KeyError::TooFar);
    assert_eq!(refused(Scalar::DateTime(NaiveDateTime::MIN)), KeyError::TooFar);
}

pub fn scalar() -> impl Strategy<Value = Scalar> {
    let seconds = -JULIAN_SECONDS..8_000_000_000_000_i64;
    let instant =
        (seconds, 0..1_000_000_u32).prop_map(|(s, micros)| DateTime::from_timestamp(s, micros * 1000).unwrap());
    prop_oneof![
        any::<bool>().prop_map(Scalar::Bool),
        any::<i64>().prop_map(|v| Scalar::Int(v.into())),
        any::<i128>().prop_map(Scalar::Int),
        any::<i16>().prop_map(|v| Scalar::Int(v.into())),
        "[^\0]{0,80}".prop_map(Scalar::Text),
        any::<Vec<u8>>().prop_map(Scalar::Bytes),
        (any::<i64>(), 0..28_u32).prop_map(|(v, scale)| Scalar::Decimal(Decimal::new(v, scale).normalize())),
        any::<f64>().prop_map(|v| Scalar::Double(v + 0.0)),
        instant.clone().prop_map(Scalar::DateTimeUtc),
        instant.clone().prop_map(|v| Scalar::DateTime(v.naive_utc())),
        instant.clone().prop_map(|v| Scalar::Time(v.time())),
        instant.prop_map(|v| Scalar::Date(v.date_naive())),
        any::<u128>().prop_map(|v| Scalar::Uuid(Uuid::from_u128(v))),
    ]
}

/// Other programs write decimals with an exponent. A cursor with one does not open: it is not the only text of its key.
#[test]
fn a_decimal_with_an_exponent_is_read() {
    let expected = Scalar::Decimal("0.0000001".parse().unwrap());
    assert_eq!(read(&mut &b"\x19\x041E-7"[..]), Some(expected));
    assert_eq!(read(&mut &b"\x19\x051E+99"[..]), None);
}

proptest! {
    #[test]
    fn every_value_comes_back(scalars in prop::collection::vec(scalar(), 0..6)) {
        let written: Vec<u8> = scalars.iter().flat_map(bytes).collect();
        let mut rest = written.as_slice();
        for scalar in &scalars {
            prop_assert_eq!(read(&mut rest), Some(scalar.clone()));
        }
        prop_assert!(rest.is_empty());
    }

    #[test]
    fn no_bytes_panic(noise in any::<Vec<u8>>()) {
        let mut rest = noise.as_slice();
        while !rest.is_empty() && read(&mut rest).is_some() {}
    }
}
