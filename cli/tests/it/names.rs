//! Names that are odd, taken or reserved.

use serde_json::json;

use crate::made::Made;

const ODD: &str = r#"
    CREATE TABLE "order" (id integer PRIMARY KEY, "select" integer, "a b" integer, "a-b" integer, "aB" integer, "2nd" integer, "say ""x""" integer);
    CREATE TABLE "Größe" (id integer PRIMARY KEY, "имя" integer, "名前" integer, "__typename" integer, "!" integer);
    CREATE TABLE "__x" (id integer PRIMARY KEY, type integer);
    CREATE TABLE language (id integer PRIMARY KEY);
    CREATE TABLE film (id integer PRIMARY KEY, language integer, language_id integer REFERENCES "language" (id));
    CREATE TABLE films (id integer PRIMARY KEY);
    CREATE TABLE film_edge (id integer PRIMARY KEY);
    CREATE TABLE node (id integer PRIMARY KEY);
    CREATE TABLE "Query" (id integer PRIMARY KEY);
    CREATE TABLE date (id integer PRIMARY KEY);
    CREATE TABLE series (id integer PRIMARY KEY);
    CREATE TABLE bare (id integer);
    INSERT INTO "order" VALUES (1, 2, 3, 4, 5, 6, 7);
    INSERT INTO "Größe" VALUES (1, 2, 3, 4, 5);
    INSERT INTO language VALUES (7);
    INSERT INTO film VALUES (1, 8, 7);
    INSERT INTO "Query" VALUES (1);"#;

#[tokio::test]
async fn every_name_is_served_or_reported() {
    let made = Made::new(ODD).await;
    let served = made.serve(false).await;
    for line in [
        "the type `Film` is taken: that of the table `films` is `Film2`",
        "the type `Node` is taken: that of the table `node` is `Node2`",
        "the type `Query` is taken: that of the table `Query` is `Query2`",
        "the type `Date` is taken: that of the table `date` is `Date2`",
        "`Film.language` is taken: the field is `language2`",
        "the table `bare`: no unique constraint has columns that are never NULL",
        "`Order.aB` is taken: the field of order.a-b is `aB2`",
        "the field `node` of the query is taken",
        "the field `films` of the query is taken: that of `Film2` is `films2`",
    ] {
        served.says(line);
    }
    let orders = served.data("{ orders { nodes { rowId select aB aB2 aB3 _2nd sayX } } }").await;
    let node = json!({ "rowId": 1, "select": 2, "aB": 3, "aB2": 4, "aB3": 5, "_2nd": 6, "sayX": 7 });
    assert_eq!(orders["orders"]["nodes"][0], node);
    let sizes = served.data("{ grosses { nodes { imia mingQian typename _ } } }").await;
    assert_eq!(sizes["grosses"]["nodes"][0], json!({ "imia": 2, "mingQian": 3, "typename": 4, "_": 5 }));
    let films = served.data("{ films { nodes { id language language2 { rowId films { totalCount } } } } }").await;
    let film = &films["films"]["nodes"][0];
    assert_eq!((&film["language"], &film["language2"]["rowId"]), (&json!(8), &json!(7)));
    let node = served.data(&format!("{{ node(id: {}) {{ __typename }} }}", film["id"])).await;
    assert_eq!(node["node"]["__typename"], "Film");
    assert_eq!(served.data("{ queries { totalCount } xes { totalCount } }").await["queries"]["totalCount"], 1);
}

/// A column may have the name that a statement could give to one of a joined table.
#[tokio::test]
async fn l2_l4_relations_are_those_of_columns_of_any_name() {
    let made = Made::new(
        "CREATE TABLE team (id integer PRIMARY KEY, name text NOT NULL);
         CREATE TABLE player (id integer PRIMARY KEY, team_id integer NOT NULL REFERENCES team (id), name text NOT NULL);
         CREATE INDEX player_team ON player (team_id, id);
         CREATE TABLE game (
             id integer PRIMARY KEY, t1_id integer NOT NULL REFERENCES team (id), t2_id integer NOT NULL REFERENCES team (id)
         );
         INSERT INTO team VALUES (1, 'one'), (2, 'two');
         INSERT INTO player VALUES (3, 1, 'of one'), (4, 2, 'of two');
         INSERT INTO game VALUES (5, 1, 2);",
    )
    .await;
    let served = made.serve(false).await;
    let team = "{ rowId name players(first: 1) { nodes { name } } }";
    let selected = format!("t1 {team} t2 {team}");
    let expected = json!({
        "t1": { "rowId": 1, "name": "one", "players": { "nodes": [{ "name": "of one" }] } },
        "t2": { "rowId": 2, "name": "two", "players": { "nodes": [{ "name": "of two" }] } },
    });
    let games = served.data(&format!("{{ games {{ nodes {{ id {selected} }} }} }}")).await["games"]["nodes"][0].clone();
    for selected in [&selected, &format!("t2 {team} t1 {team}")] {
        let query = format!("{{ game(id: {}) {{ {selected} }} games {{ nodes {{ {selected} }} }} }}", games["id"]);
        let data = served.data(&query).await;
        assert_eq!(data["game"], expected, "{query}");
        assert_eq!(data["games"]["nodes"][0], expected, "{query}");
        let alone = format!("{{ game(id: {}) {{ {selected} }} }}", games["id"]);
        assert_eq!(served.data(&alone).await["game"], expected, "{alone}");
    }
}

#[tokio::test]
async fn kinds_domains_views_and_comments_are_discovered() {
    let made = Made::new(
        "‹CREATE DOMAIN grade AS smallint NOT NULL CHECK (VALUE > 0); CREATE DOMAIN good AS grade;
          CREATE TYPE mood AS ENUM ('so-so', 'happy'); CREATE TYPE odd AS ENUM ('a-b', 'a_b');›
         CREATE TABLE thing (
             key ‹bigint GENERATED ALWAYS AS IDENTITY›«INTEGER» PRIMARY KEY,
             price ‹numeric(8, 2)›«DECIMAL(8, 2)», half ‹numeric›«REAL» GENERATED ALWAYS AS (price / 2) STORED,
             at ‹timestamptz›«timestamp_with_timezone_text», flag boolean NOT NULL DEFAULT true
             ‹, grade good, mood mood, odd odd, tags text[], span int4range, code char(2)›);
         ‹COMMENT ON TABLE thing IS 'A thing.'; COMMENT ON COLUMN thing.price IS 'In euros.';
          COMMENT ON COLUMN thing.flag IS E'A \\\\ and \"\"\".\\nNext.'; COMMENT ON COLUMN thing.at IS E'C:\\\\x';›
         CREATE VIEW dear AS SELECT key AS number, price FROM thing WHERE price > 5;
         INSERT INTO thing (price, at, flag ‹, grade, mood, tags›)
             VALUES (9.5, '2026-01-02T03:04:05+00:00', true ‹, 3, 'so-so', '{a,b}'›);",
    )
    .await
    .with_settings("[table.dear]\nkey = [\"number\"]\n");
    let served = made.serve(true).await;
    let things = served.data("{ things { nodes { price half at flag } } dears { nodes { number price } } }").await;
    let half = if made.is_sqlite() { json!(4.75) } else { things["things"]["nodes"][0]["half"].clone() };
    let thing = json!({ "price": "9.50", "half": half, "at": "2026-01-02T03:04:05.000Z", "flag": true });
    assert_eq!(things["things"]["nodes"][0], thing);
    assert!(things["dears"]["nodes"][0]["price"].as_str().unwrap().starts_with("9.5"));
    let input = served.sdl.split_once("input CreateThingInput {").unwrap().1;
    let input = input.split_once('}').unwrap().0;
    assert!(!input.contains("half") && !input.contains("key"), "{input}");
    assert!(!served.sdl.contains("createDear"));
    if made.is_sqlite() {
        return;
    }
    let kinds = served.data("{ things { nodes { key grade mood tags code } } }").await;
    let thing = json!({ "key": "1", "grade": 3, "mood": "SO_SO", "tags": ["a", "b"], "code": null });
    assert_eq!(kinds["things"]["nodes"][0], thing);
    served.says("the column `thing.span`: its type, `int4range`, has none in GraphQL");
    served.says("the column `thing.odd`");
    assert!(served.sdl.contains("\"A thing.\"\ntype Thing ") && served.sdl.contains("\"In euros.\""), "{}", served.sdl);
}
