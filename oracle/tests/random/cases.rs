//! Faults that random cases have found.

use crate::world::case;

/// A filter on what refers to a row by its own key was answered from the key of the row, which can have none.
#[tokio::test]
async fn l5_a_row_without_what_refers_to_it_matches_no_condition_on_its_key() {
    case(
        r#"oak(id BigInt) key(id)
        fir(oak_id BigInt, a Double) key(oak_id) refers(oak_id oak oak firs)
        oak ["0"]
        oak ["1"]
        fir ["1", 0.5]
        who "a"
        { oaks(where: { fir: { oakId: { ne: "5" } } }) { nodes { rowId } } }
        { oaks(where: { fir: {} }) { nodes { rowId } } }
        { oaks(where: { not: { fir: { oakId: { in: ["0", "1"] } } } }) { nodes { rowId } } }"#,
    )
    .await;
}
