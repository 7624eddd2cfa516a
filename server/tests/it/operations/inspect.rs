//! The command `inspect`.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use bookends_server::InspectError;
use proptest::prelude::*;
use serde_json::{Value, json};
use testdb::TestDb;
use uuid::Uuid;

use crate::support::orders::{all, argument};
use crate::support::program::fails;
use crate::support::station::{self, SMALL, Station};

fn inspect(text: &str, is_json: bool) -> Result<String, InspectError> {
    bookends_server::inspect(station::application().declaration(), text, is_json)
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(&inspect(text, true).unwrap()).unwrap()
}

#[track_caller]
fn check(text: &str, expected: Value) {
    assert_eq!(json_of(text), expected, "{text}");
}

#[test]
fn the_published_cursors_of_the_paginator_are_shown_with_their_direction() {
    let kind = "cursor of django-universal-paginator";
    let integer = |value: i32| json!({ "type": "integer", "value": value });
    check("nBgo", json!({ "kind": kind, "direction": "next", "values": [integer(10)] }));
    check("bCABL", json!({ "kind": kind, "direction": "back", "values": [integer(331)] }));
    let instant = json!({ "type": "instant", "value": "2021-10-25T22:00:00Z" });
    check("nHAAAADF6GpIgBgc", json!({ "kind": kind, "direction": "next", "values": [instant, integer(7)] }));
    // Its 1 January 1970.
    let date = json!({ "type": "date", "value": "1970-01-01" });
    check("nHwAlPYs", json!({ "kind": kind, "direction": "next", "values": [date] }));
}

#[test]
fn a_ulid_is_shown_with_its_time_and_its_random_bits() {
    let expected = json!({
        "kind": "ULID",
        "ulid": "01FTSHW520PTFDGBTZ14VZG8Y8",
        "uuid": "017eb31e-1440-b69e-d82f-5f0937f823c8",
        "time": "2022-02-01T02:30:00.000Z",
        "random": { "bits": 80, "hex": "b69ed82f5f0937f823c8" },
    });
    check("01FTSHW520PTFDGBTZ14VZG8Y8", expected.clone());
    check("oiftshw52optfdgbtzi4vzg8y8", expected);
    assert_eq!(json_of("7ZZZZZZZZZZZZZZZZZZZZZZZZZ")["time"], "+10889-08-02T05:31:50.655Z");
}

/// The vectors of RFC 9562, appendices A and B.
#[test]
fn a_uuid_of_each_version_is_shown_with_its_parts() {
    let check = |uuid: &str, version: i32, parts: Value| {
        let mut found = json_of(uuid);
        let found = found.as_object_mut().unwrap();
        assert_eq!(found.remove("kind"), Some(json!("UUID")));
        assert_eq!(found.remove("uuid"), Some(json!(uuid.to_lowercase())));
        assert_eq!(found.remove("ulid"), Some(json!(keyset::ulid::encode(uuid.parse().unwrap()))));
        assert_eq!(found.remove("variant"), Some(json!("RFC 9562")));
        assert_eq!(found.remove("version"), Some(json!(version)));
        assert_eq!(Value::Object(found.clone()), parts, "{uuid}");
    };
    let bits = |bits: i32, hex: &str| json!({ "bits": bits, "hex": hex });
    let gregorian =
        json!({ "time": "2022-02-22T19:22:22.000000000Z", "sequence": 0x33c8, "node": "9f:6b:de:ce:d8:46" });
    check("C232AB00-9414-11EC-B3C8-9F6BDECED846", 1, gregorian.clone());
    check("1EC9414C-232A-6B00-B3C8-9F6BDECED846", 6, gregorian);
    check("5df41881-3aed-3515-88a7-2f4a814cf09e", 3, json!({ "md5": bits(122, "177d06204ebb54548a72f4a814cf09e") }));
    check("919108f7-52d1-4320-9bac-f847db4148a8", 4, json!({ "random": bits(122, "2464423dd4b44c81bacf847db4148a8") }));
    check("2ed6657d-e927-568b-95e1-2665a8aea6a2", 5, json!({ "sha1": bits(122, "0bb5995f7a49da2d5e12665a8aea6a2") }));
    let random = bits(74, "330d8c4dc0c0c07398f");
    check("017F22E2-79B0-7CC3-98C4-DC0C0C07398F", 7, json!({ "time": "2022-02-22T19:22:22.000Z", "random": random }));
    check("0124E9AD-2EE2-2E00-8EC9-32D5F69181C0", 2, json!({ "dce": bits(122, "00493a6b4bb8b800ec932d5f69181c0") }));
    check("2489E9AD-2EE2-8E00-8EC9-32D5F69181C0", 8, json!({ "custom": bits(122, "09227a6b4bb8b800ec932d5f69181c0") }));
}

#[test]
fn a_uuid_without_a_version_says_so() {
    let version = |uuid: &str| json_of(uuid)["version"].take();
    assert_eq!(version("00000000-0000-0000-0000-000000000000"), "nil: all bits are 0");
    assert_eq!(version("ffffffff-ffff-ffff-ffff-ffffffffffff"), "max: all bits are 1");
    // Published as a ULID.
    let ulid = "017eb31e-1440-b69e-d82f-5f0937f823c8";
    assert_eq!(version(ulid), "none: only UUIDs of the variant of RFC 9562 have one");
    let random = json!({ "bits": 80, "hex": "b69ed82f5f0937f823c8" });
    assert_eq!(json_of(ulid)["asUlid"], json!({ "time": "2022-02-01T02:30:00.000Z", "random": random }));
}

/// Random bits of a ULID can be such a version with the variant of RFC 9562.
#[test]
fn a_uuid_of_a_reserved_version_has_no_custom_bits() {
    for version in [0, 9, 10, 11, 12, 13, 14, 15] {
        let found = json_of(&format!("017eb31e-1440-{version:x}69e-982f-5f0937f823c8"));
        assert_eq!(found["version"], version);
        assert_eq!(found["reserved"], json!({ "bits": 122, "hex": "005facc785101a7982f5f0937f823c8" }));
        assert_eq!(found["asUlid"]["time"], "2022-02-01T02:30:00.000Z");
        assert!(found.get("custom").is_none());
    }
}

#[tokio::test]
async fn a_global_id_is_shown_with_its_type_and_its_key() {
    let station = Station::new(SMALL).await;
    for (id, name) in station.first_of_each().await.iter().zip(["Sensor", "Reading", "Repair"]) {
        let found = json_of(id);
        assert_eq!([&found["kind"], &found["type"]], ["global id", name]);
        assert_eq!((&found["key"]["version"], &found["key"]["variant"]), (&json!(7), &json!("RFC 9562")));
        let node = station
            .data(&format!("{{ node(id: \"{id}\") {{ ... on {name} {{ uuid: rowId time: createdAt }} }} }}"))
            .await;
        for part in ["uuid", "time"] {
            assert_eq!(found["key"][part], node["node"][part]);
        }
        // Its ULID spells the same UUIDv7.
        let mut spelt = json_of(found["key"]["ulid"].as_str().unwrap());
        assert_eq!(spelt.as_object_mut().unwrap().remove("kind"), Some(json!("ULID")));
        assert_eq!(spelt, found["key"]);
    }
}

#[tokio::test]
async fn a_cursor_of_every_list_is_shown_with_its_order_and_values() {
    let station = Station::new(SMALL).await;
    for list in ["sensors", "readings", "repairs"] {
        for sorts in all(list) {
            let page = format!("{list}(first: 1, {})", argument(&sorts));
            let data = station.data(&format!("{{ {page} {{ edges {{ cursor node {{ rowId }} }} }} }}")).await;
            let edge = &data[list]["edges"][0];
            let cursor = edge["cursor"].as_str().unwrap();
            let found = json_of(cursor);
            assert_eq!([&found["kind"], &found["version"]], [&json!("cursor"), &json!(1)]);
            let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).unwrap();
            assert_eq!(found["fingerprint"], format!("{:02x}{:02x}", bytes[1], bytes[2]));
            // None of them has the fingerprint of another.
            let orders = found["orders"].as_array().unwrap();
            assert_eq!(orders.len(), 1, "{page}: {found}");
            assert!(orders[0]["list"].as_str().unwrap().starts_with(list), "{page}: {found}");
            // The argument that it names gives the same cursor.
            let named = orders[0]["list"].as_str().unwrap().replace(')', ", first: 1)");
            let named = if named == list { format!("{list}(first: 1)") } else { named };
            let again = station.data(&format!("{{ {named} {{ edges {{ cursor }} }} }}")).await;
            assert_eq!(again[list]["edges"][0]["cursor"], cursor, "{named}");
            let key = found["values"].as_array().unwrap().last().unwrap();
            assert_eq!((&key["type"], &key["uuid"]), (&json!("UUID"), &edge["node"]["rowId"]));
        }
    }
}

#[test]
fn a_cursor_of_another_order_is_shown_without_one() {
    let integer = |value: i32| json!({ "type": "integer", "value": value });
    let values = [integer(331), integer(10)];
    let expected = json!({ "kind": "cursor", "version": 1, "fingerprint": "470f", "orders": [], "values": values });
    check("AUcPCABLBgo", expected);
}

#[test]
fn a_text_of_two_kinds_is_shown_as_both() {
    let text = "bAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let found = json_of(text);
    assert_eq!(found["kind"], "UUID");
    let also = &found["also"][0];
    assert_eq!([&also["kind"], &also["direction"]], ["cursor of django-universal-paginator", "back"]);
    assert_eq!(also["values"][0]["type"], "null");
    assert_eq!(found["also"].as_array().unwrap().len(), 1);
    let table = inspect(text, false).unwrap();
    let sections: Vec<&str> = table.split("\n\n").collect();
    assert_eq!(sections.len(), 2);
    for (section, kind) in sections.iter().zip(["UUID", "cursor of django-universal-paginator"]) {
        let first = section.lines().next().unwrap();
        assert!(first.starts_with("kind ") && first.ends_with(kind), "{table}");
    }
    assert!(json_of("nBgo").get("also").is_none());
}

/// A reader of JSON may take numbers for doubles.
#[test]
fn values_have_their_types_in_json() {
    let shown = |bytes: &[u8]| {
        let found = json_of(&format!("n{}", BASE64_URL_SAFE_NO_PAD.encode(bytes)));
        found["values"].as_array().unwrap().iter().map(|value| value["value"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(shown(&[0, 1, 2, 6, 7]), [json!(null), json!(true), json!(false), json!(7)]);
    let integer = |value: u64| shown(&[&[12][..], &(value - 4_295_033_088).to_be_bytes()].concat());
    assert_eq!(integer((1 << 53) - 1), [json!(9_007_199_254_740_991_u64)]);
    assert_eq!(integer(1 << 53), [json!("9007199254740992")]);
    let double = |value: f64| shown(&[&[24][..], &value.to_be_bytes()].concat());
    assert_eq!([double(1e300), double(2.0), double(f64::NAN)], [["1e300"], ["2.0"], ["NaN"]]);
    let table = inspect("nAAEC", false).unwrap();
    assert_eq!(table.lines().filter(|line| line.contains(".value")).count(), 3, "{table}");
}

#[test]
fn a_table_has_a_line_for_each_part() {
    insta::assert_snapshot!(inspect("nHAAAADF6GpIgBgc", false).unwrap(), @r"
    kind            cursor of django-universal-paginator
    direction       next
    values.1.type   instant
    values.1.value  2021-10-25T22:00:00Z
    values.2.type   integer
    values.2.value  7
    ");
    insta::assert_snapshot!(inspect("AUcPCABLBgo", false).unwrap(), @r"
    kind            cursor
    version         1
    fingerprint     470f
    orders          none
    values.1.type   integer
    values.1.value  331
    values.2.type   integer
    values.2.value  10
    ");
    let key: Uuid = "016f5e67-a0f5-7130-947c-4f8d4ed13aa0".parse().unwrap();
    let id = station::application().declaration().id("Sensor", &[key.into()]).unwrap();
    insta::assert_snapshot!(inspect(&id, false).unwrap(), @r"
    kind             global id
    type             Sensor
    key.uuid         016f5e67-a0f5-7130-947c-4f8d4ed13aa0
    key.ulid         01DXF6F87NE4R98Z2FHN7D2EN0
    key.variant      RFC 9562
    key.version      7
    key.time         2020-01-01T00:00:47.349Z
    key.random.bits  74
    key.random.hex   04c147c4f8d4ed13aa0
    ");
}

/// A text in a cursor changes nothing in the terminal, and neither does an error.
#[test]
fn control_and_format_characters_are_escaped() {
    for (text, escaped) in [("\u{1b}[2J\n", r"\u{1b}[2J\n"), ("\u{202e}\u{2028}e\u{301}", "\\u{202e}\\u{2028}e\u{301}")]
    {
        let tag = 192 + u8::try_from(text.len()).unwrap();
        let cursor = BASE64_URL_SAFE_NO_PAD.encode([&[tag][..], text.as_bytes()].concat());
        assert!(inspect(&format!("n{cursor}"), false).unwrap().ends_with(escaped));
    }
    for text in ["\u{1b}", "\n", "\u{202e}", "\u{2028}", "\u{9b}", "a\u{1b}[2J\nb"] {
        let error = inspect(text, false).unwrap_err().to_string();
        assert!(!error.contains(['\u{1b}', '\n', '\u{202e}', '\u{2028}', '\u{9b}']), "{error:?}");
    }
}

#[tokio::test]
async fn the_command_needs_no_database_and_its_errors_are_one_line() {
    let test = TestDb::new().await;
    let output = station::program("nonsense://").args(["inspect", "nBgo"]).output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim_end(), inspect("nBgo", false).unwrap());
    let output = station::program("nonsense://").args(["inspect", "--json", "nBgo"]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim_end(), inspect("nBgo", true).unwrap());
    for (value, reason) in [
        ("", "the value is none of these: UUID ("),
        ("x", "ULID (a ULID has 26 characters, not 1)"),
        ("8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "the largest ULID is 7ZZZZZZZZZZZZZZZZZZZZZZZZZ"),
        ("AkcPCABLBgo", "the cursor must have version 1, not 2"),
        ("n", "expected values in base64url"),
        ("n?", "expected base64url after the letter"),
        (&"A".repeat(100_000), "a cursor must have at most 512 characters, not 100000"),
    ] {
        fails(station::program(&test.url).args(["inspect", value]), reason);
    }
}

/// Takes the hexadecimal digits of a part.
fn hex(part: &Value) -> u128 {
    u128::from_str_radix(part["hex"].as_str().unwrap(), 16).unwrap()
}

proptest! {
    #[test]
    fn the_parts_of_a_uuid_are_all_of_its_bits(bits in any::<u128>()) {
        let v7 = bits & !(0xf << 76) & !(3 << 62) | 7 << 76 | 2 << 62;
        let found = json_of(&Uuid::from_u128(v7).to_string());
        let time = chrono::DateTime::parse_from_rfc3339(found["time"].as_str().unwrap().trim_start_matches('+'));
        if let Ok(time) = time {
            let millis = u128::try_from(time.timestamp_millis()).unwrap();
            let random = hex(&found["random"]);
            prop_assert_eq!(millis << 80 | 7 << 76 | (random >> 62) << 64 | 2 << 62 | random & ((1 << 62) - 1), v7);
        }
        let v4 = v7 & !(0xf << 76) | 4 << 76;
        let random = hex(&json_of(&Uuid::from_u128(v4).to_string())["random"]);
        let high = random >> 62;
        prop_assert_eq!((high >> 12) << 80 | 4 << 76 | (high & 0xfff) << 64 | 2 << 62 | random & ((1 << 62) - 1), v4);
    }

    #[test]
    fn the_parts_of_a_ulid_are_all_of_its_bits(bits in any::<u128>()) {
        // Version 7 is shown as a UUID.
        let bits = bits & !(1 << 76);
        let found = json_of(&keyset::ulid::encode(Uuid::from_u128(bits)));
        prop_assert_eq!(found["uuid"].as_str().unwrap().parse(), Ok(Uuid::from_u128(bits)));
        prop_assert_eq!(hex(&found["random"]), bits & ((1 << 80) - 1));
    }

    #[test]
    fn every_text_is_shown_or_refused(text in ".*", bytes in any::<Vec<u8>>(), bits in any::<u128>()) {
        let encoded = BASE64_URL_SAFE_NO_PAD.encode(&bytes);
        let cursor = BASE64_URL_SAFE_NO_PAD.encode([&[1, 0, 0], bytes.as_slice()].concat());
        let uuid = Uuid::from_u128(bits).to_string();
        for text in [text, format!("n{encoded}"), format!("b{encoded}"), encoded, cursor, uuid] {
            let (table, json) = (inspect(&text, false), inspect(&text, true));
            prop_assert_eq!(table.is_ok(), json.is_ok());
            match json {
                Ok(json) => prop_assert!(serde_json::from_str::<Value>(&json).is_ok()),
                Err(error) => prop_assert!(!error.to_string().contains(char::is_control)),
            }
        }
    }
}
