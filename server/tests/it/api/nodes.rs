//! `node`.

use serde_json::{Value, json};

use crate::support::station::{self, SMALL, Station};

#[tokio::test]
async fn f2_an_id_refetches_the_same_object() {
    let station = Station::new(SMALL).await;
    let readings =
        station.data("{ readings(first: 3) { nodes { id value createdAt sensor { id name year createdAt } } } }").await;
    for reading in readings["readings"]["nodes"].as_array().unwrap() {
        let query = format!(
            "{{ node(id: {}) {{ id ... on Reading {{ value createdAt sensor {{ id name year createdAt }} }} }} }}",
            reading["id"]
        );
        assert_eq!(station.data(&query).await["node"], *reading);

        let sensor = &reading["sensor"];
        let query =
            format!("{{ node(id: {}) {{ __typename id ... on Sensor {{ name year createdAt }} }} }}", sensor["id"]);
        let mut expected = sensor.clone();
        expected["__typename"] = json!("Sensor");
        assert_eq!(station.data(&query).await["node"], expected);
    }
}

#[tokio::test]
async fn f3_unknown_is_null_and_malformed_an_error() {
    let station = Station::new(SMALL).await;
    let id = station::unknown("Reading");
    let unknown = station.data(&format!("{{ node(id: {id:?}) {{ id }} }}")).await;
    assert_eq!(unknown["node"], Value::Null);
    // The last letter holds four bits that are no part of the bytes.
    let spare = format!("{}B", &id[..id.len() - 1]);
    for id in ["", "7", &spare, "CQAAAAAAAAAAAAAAAAAAAAc"] {
        assert_eq!(station.code(&format!("{{ node(id: \"{id}\") {{ id }} }}")).await, "ID_INVALID", "{id}");
    }
}

#[tokio::test]
async fn f2_an_id_filter_takes_what_node_takes_for_the_type() {
    let station = Station::new(SMALL).await;
    let ids = station.first_of_each().await;
    for (list, id) in ["sensors", "readings", "repairs"].into_iter().zip(&ids) {
        let query =
            |condition: String| format!("{{ {list}(where: {{ id: {{ {condition} }} }}) {{ nodes {{ id }} }} }}");
        for condition in [format!("eq: \"{id}\""), format!("in: [\"{id}\"]")] {
            assert_eq!(station.data(&query(condition)).await[list]["nodes"], json!([{ "id": id }]));
        }
        for foreign in ids.iter().filter(|other| *other != id) {
            for operator in ["eq", "ne", "in", "notIn"] {
                assert_eq!(
                    station.code(&query(format!("{operator}: \"{foreign}\""))).await,
                    "ID_INVALID",
                    "{operator}"
                );
            }
        }
    }
}
