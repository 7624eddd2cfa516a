//! The orders of lists, and what indexes and counters change.

use bookends::advise::advise;
use sea_orm::ConnectionTrait as _;
use serde_json::json;

use crate::made::Made;

const CITIES: &str = "
    CREATE TABLE river (id integer PRIMARY KEY, name varchar(40) NOT NULL UNIQUE);
    CREATE TABLE city (id integer PRIMARY KEY, name varchar(40) NOT NULL, people integer, river_id integer NOT NULL REFERENCES river (id));
    CREATE INDEX by_name ON city (name, id);
    CREATE INDEX by_people ON city (people DESC, name, id);
    CREATE INDEX of_river ON city (river_id);
    INSERT INTO river VALUES (1, 'Rhine'), (2, 'Aare');
    INSERT INTO city VALUES (1, 'Basel', 5, 1), (2, 'Bern', NULL, 2), (3, 'Chur', 7, 1), (4, 'Aarau', 5, 2);";

#[tokio::test]
async fn a_list_offers_what_an_index_holds_in_each_direction() {
    let made = Made::new(CITIES).await;
    let served = made.serve(false).await;
    let names = async |order: &str| {
        let data = served.data(&format!("{{ cities(orderBy: [{order}]) {{ nodes {{ name }} }} }}")).await;
        let nodes = data["cities"]["nodes"].as_array().unwrap().clone();
        nodes.iter().map(|node| node["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names("{ field: NAME }").await, "Aarau Basel Bern Chur");
    assert_eq!(names("{ field: NAME, direction: DESC }").await, "Chur Bern Basel Aarau");
    assert_eq!(names("{ field: PEOPLE, direction: DESC }, { field: NAME }").await, "Chur Aarau Basel Bern");
    assert_eq!(names("{ field: PEOPLE }, { field: NAME, direction: DESC }").await, "Basel Aarau Chur Bern");
    for refused in ["{ field: PEOPLE }", "{ field: PEOPLE }, { field: NAME }"] {
        let query = format!("{{ cities(orderBy: [{refused}]) {{ nodes {{ name }} }} }}");
        assert_eq!(served.code(&query).await, "ORDER_NOT_OFFERED", "{refused}");
        let response = served.respond(query.as_str()).await;
        let message = response["errors"][0]["message"].as_str().unwrap();
        assert!(message.contains("indexes hold NAME; PEOPLE, NAME"), "{message}");
    }
    // Of each river, no index holds the names.
    let nested =
        "{ rivers(orderBy: [{ field: NAME }]) { nodes { cities(orderBy: [{ field: NAME }]) { nodes { name } } } } }";
    assert_eq!(served.code(nested).await, "ORDER_NOT_OFFERED");
    // An index of SQLite ends in the row id.
    assert_eq!(served.sdl.contains("RIVER_ID"), made.is_sqlite());
}

/// Its columns tell rows apart: no key follows them.
#[tokio::test]
async fn a_unique_index_of_several_columns_holds_their_order() {
    let lines = "
        CREATE TABLE bill (id integer PRIMARY KEY);
        CREATE TABLE line (id integer PRIMARY KEY, bill_id integer NOT NULL REFERENCES bill (id), number integer NOT NULL, rival integer,
            UNIQUE (bill_id, number), UNIQUE (rival, number));
        INSERT INTO bill VALUES (1), (2);
        INSERT INTO line VALUES (1, 2, 2, 7), (2, 2, 1, 7), (3, 1, 2, 8), (4, 1, 3, 7);";
    let made = Made::new(lines).await;
    let served = made.serve(false).await;
    let ids = async |query: &str, of: &str| {
        let data = served.data(query).await;
        let nodes = data.pointer(of).unwrap()["nodes"].as_array().unwrap().clone();
        nodes.iter().map(|node| node["rowId"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    let by = |order: &str| format!("{{ lines(orderBy: [{order}]) {{ nodes {{ rowId }} pageInfo {{ endCursor }} }} }}");
    assert_eq!(ids(&by("{ field: BILL_ID }, { field: NUMBER }"), "/lines").await, [3, 4, 2, 1]);
    let back = by("{ field: BILL_ID, direction: DESC }, { field: NUMBER, direction: DESC }");
    assert_eq!(ids(&back, "/lines").await, [1, 2, 4, 3]);
    for refused in ["{ field: BILL_ID }, { field: NUMBER, direction: DESC }", "{ field: NUMBER }"] {
        assert_eq!(served.code(&by(refused)).await, "ORDER_NOT_OFFERED", "{refused}");
    }
    // NULLs are many: with them, the key decides.
    let rival = "{ field: RIVAL, nulls: FIRST }, { field: NUMBER }";
    if made.is_sqlite() {
        assert_eq!(ids(&by(rival), "/lines").await, [2, 1, 4, 3]);
    } else {
        assert!(!served.sdl.contains("RIVAL"), "{}", served.sdl);
    }

    let of_bills = |after: &str| {
        let order = "orderBy: [{ field: NUMBER, direction: DESC }]";
        format!(
            "{{ bills {{ nodes {{ lines({order}, first: 1{after}) {{ nodes {{ rowId }} pageInfo {{ endCursor hasNextPage }} }} }} }} }}"
        )
    };
    let first = served.data(&of_bills("")).await;
    let rows = |page: &serde_json::Value| {
        let row = |bill: &serde_json::Value| bill["lines"]["nodes"][0]["rowId"].clone();
        page["bills"]["nodes"].as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(rows(&first), [4, 1]);
    // The end of the second list is a position in the first, too: between its lines.
    let after = first["bills"]["nodes"][1]["lines"]["pageInfo"]["endCursor"].as_str().unwrap().to_owned();
    assert_eq!(rows(&served.data(&of_bills(&format!(", after: \"{after}\""))).await), [3, 2]);
}

#[tokio::test]
async fn advice_makes_an_order_and_a_count_free() {
    let made = Made::new(CITIES).await;
    made.owner.execute_unprepared("DROP INDEX by_name; CREATE INDEX by_name ON city (name, people)").await.unwrap();
    let application = made.discover(false).await.unwrap().app.check().unwrap();
    let text = advise(&made.db, &application).await.unwrap();
    if !made.is_sqlite() {
        let is_needed = |line: &&str| line.starts_with("CREATE INDEX") && line.contains("\"name\", \"people\"");
        made.owner.execute_unprepared(text.lines().find(is_needed).unwrap()).await.unwrap();
    }
    let served = made.serve(false).await;
    let placed = if made.is_sqlite() { "FIRST" } else { "LAST" };
    let order = format!("[{{ field: NAME }}, {{ field: PEOPLE, nulls: {placed} }}]");
    assert_eq!(
        served.data(&format!("{{ cities(orderBy: {order}) {{ totalCount }} }}")).await["cities"]["totalCount"],
        4
    );

    let counter = bookends::counters::create("city", made.owner.get_database_backend());
    made.owner.execute_unprepared(&counter).await.unwrap();
    let served = made.serve(true).await;
    assert!(!served.sdl.contains("BookendsCount"), "a counter is no object");
    for (change, expected) in [
        ("SELECT 1", 4),
        ("INSERT INTO city VALUES (5, 'Olten', 1, 2), (6, 'Thun', 1, 2)", 6),
        ("DELETE FROM city WHERE id < 4", 3),
        ("UPDATE city SET id = id + 10", 3),
    ] {
        made.owner.execute_unprepared(change).await.unwrap();
        assert_eq!(served.data("{ cities { totalCount } }").await, json!({ "cities": { "totalCount": expected } }));
    }
    // It is what is read.
    made.owner.execute_unprepared("UPDATE bookends_count_city SET rows = rows + 100 WHERE slot = 0").await.unwrap();
    assert_eq!(served.data("{ cities { totalCount } }").await["cities"]["totalCount"], 103);
}

#[tokio::test]
async fn what_no_index_holds_is_priced() {
    let made = Made::new(&CITIES.replace("CREATE INDEX of_river ON city (river_id);", "")).await;
    let served = made.serve(false).await;
    served.data("{ rivers { nodes { cities { nodes { name } } } } }").await;
    let fill = if made.is_sqlite() {
        "WITH RECURSIVE n (n) AS (SELECT 10 UNION ALL SELECT n + 1 FROM n WHERE n < 40000) INSERT INTO city SELECT n, 'x' || n, n, 1 FROM n"
    } else {
        "INSERT INTO city SELECT n, 'x' || n, n, 1 FROM generate_series(10, 40000) AS g (n); ANALYZE"
    };
    let rivers = fill.replace("city SELECT n, 'x' || n, n, 1", "river SELECT n, 'r' || n").replace("40000", "60");
    made.owner.execute_unprepared(fill).await.unwrap();
    made.owner.execute_unprepared(&rivers).await.unwrap();
    let served = made.serve(false).await;
    let nested = "{ rivers(first: 50) { nodes { cities(first: 1) { nodes { name } } } } }";
    assert_eq!(served.code(nested).await, "QUERY_TOO_COMPLEX");
    made.owner.execute_unprepared("CREATE INDEX of_river ON city (river_id, id)").await.unwrap();
    made.serve(false).await.data(nested).await;
}
