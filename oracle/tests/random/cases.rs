//! Faults that random cases have found.

use oracle::case::Case;
use oracle::documents::Document;

use crate::world::{Place, World, case};

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

/// Every text begins with the empty one, and NULL is no text.
#[tokio::test]
async fn l4_null_does_not_begin_with_the_empty_text() {
    case(
        r#"oak(id Int, a Text?) key(id)
        oak [1, null]
        oak [2, ""]
        who "a"
        { oaks(where: { a: { startsWith: "" } }) { nodes { rowId } totalCount } }
        { oaks(where: { not: { a: { startsWith: "" } } }) { nodes { rowId } totalCount } }"#,
    )
    .await;
}

/// `SeaQuery` panics for a parameter that is an array with a NULL.
#[tokio::test]
async fn g1_an_array_with_a_null_is_written() {
    let Case { schema, rows, who, documents } = Case::parse(
        r#"oak(id Int, a Ints?, b Enum?) key(id)
        oak [1, null, OK]
        who "a"
        { oaks { nodes { rowId a b } } }"#,
    );
    let database = testdb::TestDb::new().await;
    if database.url.starts_with("sqlite") {
        return;
    }
    let mut world = World::over(database, schema, rows, who, Place::Written).await.unwrap();
    for (id, items) in [(2, "[null, 1]"), (3, "[1, null]"), (4, "[null]"), (5, "[]")] {
        let text = format!(
            "mutation {{ createOak(input: {{ rowId: {id}, a: {items}, b: SAD }}) {{ oakEdge {{ node {{ a }} }} }} }}"
        );
        let response = world.ask(&Document { text, ..Document::default() }).await;
        assert_eq!(response.errors, [], "{items}");
        assert_eq!(response.data.to_string(), format!("{{createOak: {{oakEdge: {{node: {{a: {items}}}}}}}}}"));
    }
    let mut book = world.harvest(0).await;
    world.check(&documents[0], &mut book, 0).await;
}

/// `SQLx` keeps prepared statements by their texts: a filter and the list of a parent have to bind a value as one type.
#[tokio::test]
async fn l5_a_filter_and_the_list_of_a_parent_bind_one_type() {
    case(
        r#"elm(id Int, x1_id Int?, c SmallInt) key(id) refers(x1_id elm x1 elmsByX1) index(x1_id id)
        elm [39, null, 1]
        elm [2, 39, 1]
        elm [4, 39, 2]
        who "a"
        { elms(where: { x1Id: { eq: 39 } }, offset: 1) { nodes { rowId } } }
        { elms(where: { x1Id: { eq: 39 } }, offset: 1) { nodes { rowId } } }
        { elms(where: { x1Id: { eq: 39 } }, offset: 1) { nodes { rowId } } }
        { elm(id: "7tYGJw") { elmsByX1(offset: 1) { nodes { rowId } } } }
        { elm(id: "7tYGJw") { elmsByX1(offset: 1) { nodes { rowId } } } }
        { elm(id: "7tYGJw") { elmsByX1(offset: 1) { nodes { rowId } } } }
        { elms(where: { x1Id: { eq: 39 } }, offset: 1) { nodes { rowId } } }"#,
    )
    .await;
}

/// The same of an id: its key has 16 bits, and the number of a filter 32. Each connection has the text of the id first.
#[tokio::test]
async fn l5_a_filter_and_an_id_bind_one_type() {
    let by_id = "{ elms(where: { id: { ne: \"7tYGJA\" } }) { totalCount } }\n".repeat(12);
    case(&format!(
        "elm(k SmallInt, a Int?) key(k)
        elm [36, null]
        elm [1, 2]
        who \"a\"
        {by_id}{{ elms(where: {{ k: {{ ne: 1 }} }}) {{ totalCount }} }}
        {{ elms(where: {{ k: {{ ne: 36 }} }}) {{ totalCount }} }}"
    ))
    .await;
}
