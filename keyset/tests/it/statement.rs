//! The SQL is pinned as text, for every relevant case on both databases.
//!
//! A change here is a change of cost. Parameters are shown as literals.

use keyset::bracket::bracket;
use keyset::{Args, Direction, Key, Kind, Limits, Lists, Nulls, Order, Page, Sort};
use sea_orm::sea_query::{Asterisk, Value};
use sea_orm::{Condition, DbBackend, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select, prelude::*};

use testdb::{Statements, TestDb};

use crate::atlas::{self, City, Column, Criterion};

fn text(query: Select<City>, criteria: &[Criterion], args: Args, backend: DbBackend) -> String {
    let page = Page::new(&args, &atlas::order(criteria), Limits::default()).unwrap();
    broken(&bracket(query.as_query(), &page, backend).unwrap().to_string())
}

/// Breaks a statement into lines.
fn broken(statement: &str) -> String {
    let breaks = ["\"r\" ORDER BY", "\"r\") ORDER BY", "\"r\" LIMIT", "\"r\") LIMIT", " UNION ALL", " WHERE"];
    breaks.iter().fold(statement.to_owned(), |text, end| {
        let (before, word) = end.split_once(' ').unwrap_or_default();
        text.replace(end, &format!("{before}\n{word}"))
    })
}

fn ids() -> Select<City> {
    City::find().select_only().column(Column::Id)
}

/// The cursor of a key under these criteria.
fn cursor(criteria: &[Criterion], values: Vec<Value>) -> String {
    let order = atlas::order(criteria);
    let key = Key::new(&order, values).unwrap();
    order.seal(&key).unwrap().into()
}

fn first() -> Args {
    Args { first: Some(2), ..Args::default() }
}

fn first_after(cursor: String) -> Args {
    Args { after: Some(cursor), ..first() }
}

#[test]
fn the_first_page_has_no_witness() {
    let order = [];
    let sql = text(ids(), &order, first(), DbBackend::Postgres);
    insta::assert_snapshot!(sql, @r#"SELECT "city"."id" FROM "city" ORDER BY "city"."id" ASC LIMIT 3"#);
}

#[test]
fn a_page_after_a_key_has_one() {
    let order = [];
    let sql = text(ids(), &order, first_after(cursor(&order, vec![7.into()])), DbBackend::Postgres);
    insta::assert_snapshot!(sql, @r#"
    SELECT * FROM (SELECT "city"."id", 0 AS "keyset_segment" FROM "city"
    WHERE "city"."id" <= 7 ORDER BY "city"."id" DESC LIMIT 1) AS "r"
    UNION ALL (SELECT * FROM (SELECT "city"."id", 1 AS "keyset_segment" FROM "city"
    WHERE "city"."id" > 7 ORDER BY "city"."id" ASC LIMIT 3) AS "r")
    ORDER BY "id" ASC LIMIT 4
    "#);
}

#[test]
fn a_page_before_a_key_runs_backwards() {
    let order = [];
    let sql = text(
        ids(),
        &order,
        Args { last: Some(2), before: Some(cursor(&order, vec![7.into()])), ..Args::default() },
        DbBackend::Postgres,
    );
    insta::assert_snapshot!(sql, @r#"
    SELECT * FROM (SELECT "city"."id", 0 AS "keyset_segment" FROM "city"
    WHERE "city"."id" >= 7 ORDER BY "city"."id" ASC LIMIT 1) AS "r"
    UNION ALL (SELECT * FROM (SELECT "city"."id", 1 AS "keyset_segment" FROM "city"
    WHERE "city"."id" < 7 ORDER BY "city"."id" DESC LIMIT 3) AS "r")
    ORDER BY "id" DESC LIMIT 4
    "#);
}

#[test]
fn sorts_that_run_one_way_are_one_row_value() {
    let order = [(Column::Rank, Direction::Desc, Nulls::Last)];
    let sql = text(ids(), &order, first_after(cursor(&order, vec![1_i16.into(), 7.into()])), DbBackend::Postgres);
    insta::assert_snapshot!(sql, @r#"
    SELECT * FROM (SELECT "city"."id", "city"."rank" AS "keyset_0", 0 AS "keyset_segment" FROM "city"
    WHERE ("city"."rank", "city"."id") >= (1, 7) ORDER BY "city"."rank" ASC, "city"."id" ASC LIMIT 1) AS "r"
    UNION ALL (SELECT * FROM (SELECT "city"."id", "city"."rank" AS "keyset_0", 1 AS "keyset_segment" FROM "city"
    WHERE ("city"."rank", "city"."id") <= (1, 7) AND ("city"."rank", "city"."id") <> (1, 7) ORDER BY "city"."rank" DESC, "city"."id" DESC LIMIT 3) AS "r")
    ORDER BY "keyset_0" DESC, "id" DESC LIMIT 4
    "#);
}

#[test]
fn sqlite_does_not_seek_a_row_value_that_ends_in_its_rowid() {
    let order = [(Column::Rank, Direction::Desc, Nulls::Last)];
    let sql = text(ids(), &order, first_after(cursor(&order, vec![1_i16.into(), 7.into()])), DbBackend::Sqlite);
    insta::assert_snapshot!(sql, @r#"
    SELECT * FROM (SELECT * FROM (SELECT "city"."id", "city"."rank" AS "keyset_0", 0 AS "keyset_segment" FROM "city"
    WHERE "city"."rank" = 1 AND "city"."id" >= 7 ORDER BY "city"."id" ASC LIMIT 1) AS "r"
    UNION ALL SELECT * FROM (SELECT "city"."id", "city"."rank" AS "keyset_0", 0 AS "keyset_segment" FROM "city"
    WHERE "city"."rank" > 1 ORDER BY "city"."rank" ASC, "city"."id" ASC LIMIT 1) AS "r"
    LIMIT 1) AS "r"
    UNION ALL SELECT * FROM (SELECT "city"."id", "city"."rank" AS "keyset_0", 1 AS "keyset_segment" FROM "city"
    WHERE "city"."rank" = 1 AND "city"."id" < 7 ORDER BY "city"."id" DESC LIMIT 3) AS "r"
    UNION ALL SELECT * FROM (SELECT "city"."id", "city"."rank" AS "keyset_0", 2 AS "keyset_segment" FROM "city"
    WHERE "city"."rank" < 1 ORDER BY "city"."rank" DESC, "city"."id" DESC LIMIT 3) AS "r"
    ORDER BY "keyset_0" DESC, "id" DESC LIMIT 4
    "#);
}

#[test]
fn sorts_that_run_both_ways_are_two_ranges() {
    let order = [(Column::Rank, Direction::Desc, Nulls::Last), (Column::Id, Direction::Asc, Nulls::Last)];
    let sql = text(ids(), &order, first_after(cursor(&order, vec![1_i16.into(), 7.into()])), DbBackend::Postgres);
    insta::assert_snapshot!(sql, @r#"
    SELECT * FROM (SELECT * FROM (SELECT "city"."id", "city"."rank" AS "keyset_0", 0 AS "keyset_segment" FROM "city"
    WHERE "city"."rank" IN (1, 1) AND "city"."id" <= 7 ORDER BY "city"."rank" ASC, "city"."id" DESC LIMIT 1) AS "r"
    UNION ALL (SELECT * FROM (SELECT "city"."id", "city"."rank" AS "keyset_0", 0 AS "keyset_segment" FROM "city"
    WHERE "city"."rank" > 1 ORDER BY "city"."rank" ASC, "city"."id" DESC LIMIT 1) AS "r")
    LIMIT 1) AS "r"
    UNION ALL (SELECT * FROM (SELECT "city"."id", "city"."rank" AS "keyset_0", 1 AS "keyset_segment" FROM "city"
    WHERE "city"."rank" IN (1, 1) AND "city"."id" > 7 ORDER BY "city"."rank" DESC, "city"."id" ASC LIMIT 3) AS "r")
    UNION ALL (SELECT * FROM (SELECT "city"."id", "city"."rank" AS "keyset_0", 2 AS "keyset_segment" FROM "city"
    WHERE "city"."rank" < 1 ORDER BY "city"."rank" DESC, "city"."id" ASC LIMIT 3) AS "r")
    ORDER BY "keyset_0" DESC, "id" ASC LIMIT 4
    "#);
}

#[test]
fn mysql_is_not_supported() {
    let page = Page::new(&first(), &atlas::order(&[]), Limits::default()).unwrap();
    let refused = bracket(ids().as_query(), &page, DbBackend::MySql).unwrap_err();
    assert!(matches!(refused, DbErr::BackendNotSupported { .. }), "{refused}");
}

#[test]
fn nulls_are_a_range_of_their_own() {
    let order = [(Column::People, Direction::Asc, Nulls::Last)];
    let sql = text(ids(), &order, first_after(cursor(&order, vec![5_i64.into(), 7.into()])), DbBackend::Postgres);
    insta::assert_snapshot!(sql, @r#"
    SELECT * FROM (SELECT "city"."id", "city"."people" AS "keyset_0", 0 AS "keyset_segment" FROM "city"
    WHERE ("city"."people", "city"."id") <= (5, 7) ORDER BY "city"."people" DESC, "city"."id" DESC LIMIT 1) AS "r"
    UNION ALL (SELECT * FROM (SELECT "city"."id", "city"."people" AS "keyset_0", 1 AS "keyset_segment" FROM "city"
    WHERE ("city"."people", "city"."id") >= (5, 7) AND ("city"."people", "city"."id") <> (5, 7) ORDER BY "city"."people" ASC, "city"."id" ASC LIMIT 3) AS "r")
    UNION ALL (SELECT * FROM (SELECT "city"."id", "city"."people" AS "keyset_0", 2 AS "keyset_segment" FROM "city"
    WHERE "city"."people" IS NULL ORDER BY "city"."people" ASC, "city"."id" ASC LIMIT 3) AS "r")
    ORDER BY "keyset_0" ASC, "id" ASC LIMIT 4
    "#);
}

#[test]
fn nulls_first_on_the_first_page_cost_no_index() {
    let order = [(Column::People, Direction::Asc, Nulls::First)];
    let sql = text(ids(), &order, first(), DbBackend::Postgres);
    insta::assert_snapshot!(sql, @r#"
    SELECT * FROM (SELECT "city"."id", "city"."people" AS "keyset_0", 1 AS "keyset_segment" FROM "city"
    WHERE "city"."people" IS NULL ORDER BY "city"."people" ASC, "city"."id" ASC LIMIT 3) AS "r"
    UNION ALL (SELECT * FROM (SELECT "city"."id", "city"."people" AS "keyset_0", 2 AS "keyset_segment" FROM "city"
    WHERE "city"."people" IS NOT NULL ORDER BY "city"."people" ASC, "city"."id" ASC LIMIT 3) AS "r")
    ORDER BY "keyset_0" ASC NULLS FIRST, "id" ASC LIMIT 3
    "#);
}

#[test]
fn nulls_last_on_the_first_page_cost_no_index() {
    let order = [(Column::People, Direction::Asc, Nulls::Last)];
    let sql = text(ids(), &order, first(), DbBackend::Sqlite);
    insta::assert_snapshot!(sql, @r#"
    SELECT * FROM (SELECT "city"."id", "city"."people" AS "keyset_0", 1 AS "keyset_segment" FROM "city"
    WHERE "city"."people" IS NOT NULL ORDER BY "city"."people" ASC, "city"."id" ASC LIMIT 3) AS "r"
    UNION ALL SELECT * FROM (SELECT "city"."id", "city"."people" AS "keyset_0", 2 AS "keyset_segment" FROM "city"
    WHERE "city"."people" IS NULL ORDER BY "city"."id" ASC LIMIT 3) AS "r"
    ORDER BY "keyset_0" ASC NULLS LAST, "id" ASC LIMIT 3
    "#);
}

#[test]
fn beyond_a_null_come_the_values() {
    let order = [(Column::People, Direction::Desc, Nulls::First)];
    let sql = text(ids(), &order, first_after(cursor(&order, vec![Value::BigInt(None), 7.into()])), DbBackend::Sqlite);
    insta::assert_snapshot!(sql, @r#"
    SELECT * FROM (SELECT "city"."id", "city"."people" AS "keyset_0", 0 AS "keyset_segment" FROM "city"
    WHERE "city"."people" IS NULL AND "city"."id" >= 7 ORDER BY "city"."id" ASC LIMIT 1) AS "r"
    UNION ALL SELECT * FROM (SELECT "city"."id", "city"."people" AS "keyset_0", 1 AS "keyset_segment" FROM "city"
    WHERE "city"."people" IS NULL AND "city"."id" < 7 ORDER BY "city"."id" DESC LIMIT 3) AS "r"
    UNION ALL SELECT * FROM (SELECT "city"."id", "city"."people" AS "keyset_0", 2 AS "keyset_segment" FROM "city"
    WHERE "city"."people" IS NOT NULL ORDER BY "city"."people" DESC, "city"."id" DESC LIMIT 3) AS "r"
    ORDER BY "keyset_0" DESC NULLS FIRST, "id" DESC LIMIT 4
    "#);
}

#[test]
fn a_null_that_is_not_the_first_sort_is_placed_by_the_index() {
    let order = [(Column::Rank, Direction::Asc, Nulls::Last), (Column::People, Direction::Asc, Nulls::Last)];
    let sql = text(
        ids(),
        &order,
        first_after(cursor(&order, vec![1_i16.into(), 5_i64.into(), 7.into()])),
        DbBackend::Postgres,
    );
    insta::assert_snapshot!(sql, @r#"
    SELECT * FROM (SELECT * FROM (SELECT "city"."id", "city"."rank" AS "keyset_0", "city"."people" AS "keyset_1", 0 AS "keyset_segment" FROM "city"
    WHERE "city"."rank" = 1 AND ("city"."people", "city"."id") <= (5, 7) ORDER BY "city"."people" DESC, "city"."id" DESC LIMIT 1) AS "r"
    UNION ALL (SELECT * FROM (SELECT "city"."id", "city"."rank" AS "keyset_0", "city"."people" AS "keyset_1", 0 AS "keyset_segment" FROM "city"
    WHERE "city"."rank" < 1 ORDER BY "city"."rank" DESC, "city"."people" DESC, "city"."id" DESC LIMIT 1) AS "r")
    LIMIT 1) AS "r"
    UNION ALL (SELECT * FROM (SELECT "city"."id", "city"."rank" AS "keyset_0", "city"."people" AS "keyset_1", 1 AS "keyset_segment" FROM "city"
    WHERE "city"."rank" = 1 AND ("city"."people", "city"."id") >= (5, 7) AND ("city"."people", "city"."id") <> (5, 7) ORDER BY "city"."people" ASC, "city"."id" ASC LIMIT 3) AS "r")
    UNION ALL (SELECT * FROM (SELECT "city"."id", "city"."rank" AS "keyset_0", "city"."people" AS "keyset_1", 2 AS "keyset_segment" FROM "city"
    WHERE "city"."rank" IN (1, 1) AND "city"."people" IS NULL ORDER BY "city"."rank" ASC, "city"."people" ASC, "city"."id" ASC LIMIT 3) AS "r")
    UNION ALL (SELECT * FROM (SELECT "city"."id", "city"."rank" AS "keyset_0", "city"."people" AS "keyset_1", 3 AS "keyset_segment" FROM "city"
    WHERE "city"."rank" > 1 ORDER BY "city"."rank" ASC, "city"."people" ASC, "city"."id" ASC LIMIT 3) AS "r")
    ORDER BY "keyset_0" ASC, "keyset_1" ASC, "id" ASC LIMIT 4
    "#);
}

#[test]
fn the_far_cursor_is_a_flag_and_never_a_filter() {
    let order = [(Column::Rank, Direction::Asc, Nulls::Last)];
    let sql = text(
        ids(),
        &order,
        Args {
            before: Some(cursor(&order, vec![2_i16.into(), 9.into()])),
            ..first_after(cursor(&order, vec![1_i16.into(), 7.into()]))
        },
        DbBackend::Sqlite,
    );
    insta::assert_snapshot!(sql, @r#"
    SELECT * FROM (SELECT * FROM (SELECT "city"."id", "city"."rank" AS "keyset_0", 0 AS "keyset_segment", (CASE WHEN (("city"."rank" = 2 AND "city"."id" < 9) OR "city"."rank" < 2) THEN 1 ELSE 0 END) AS "keyset_inside" FROM "city"
    WHERE "city"."rank" = 1 AND "city"."id" <= 7 ORDER BY "city"."id" DESC LIMIT 1) AS "r"
    UNION ALL SELECT * FROM (SELECT "city"."id", "city"."rank" AS "keyset_0", 0 AS "keyset_segment", (CASE WHEN (("city"."rank" = 2 AND "city"."id" < 9) OR "city"."rank" < 2) THEN 1 ELSE 0 END) AS "keyset_inside" FROM "city"
    WHERE "city"."rank" < 1 ORDER BY "city"."rank" DESC, "city"."id" DESC LIMIT 1) AS "r"
    LIMIT 1) AS "r"
    UNION ALL SELECT * FROM (SELECT "city"."id", "city"."rank" AS "keyset_0", 1 AS "keyset_segment", (CASE WHEN (("city"."rank" = 2 AND "city"."id" < 9) OR "city"."rank" < 2) THEN 1 ELSE 0 END) AS "keyset_inside" FROM "city"
    WHERE "city"."rank" = 1 AND "city"."id" > 7 ORDER BY "city"."id" ASC LIMIT 3) AS "r"
    UNION ALL SELECT * FROM (SELECT "city"."id", "city"."rank" AS "keyset_0", 2 AS "keyset_segment", (CASE WHEN (("city"."rank" = 2 AND "city"."id" < 9) OR "city"."rank" < 2) THEN 1 ELSE 0 END) AS "keyset_inside" FROM "city"
    WHERE "city"."rank" > 1 ORDER BY "city"."rank" ASC, "city"."id" ASC LIMIT 3) AS "r"
    ORDER BY "keyset_0" ASC, "id" ASC LIMIT 4
    "#);
}

/// Its own column is selected for a key whose name the result has for something else, or may have.
#[test]
fn a_key_is_read_from_a_selected_column_of_its_name_alone() {
    let column = |query: Select<City>| {
        let sql = text(query, &[], first(), DbBackend::Postgres);
        if sql.contains("keyset_0") { "keyset_0" } else { "id" }
    };
    assert_eq!(column(ids()), "id");
    assert_eq!(column(ids().column_as(Column::Rank, "people").column(Column::River)), "id");
    for query in [
        City::find().select_only().column(Column::Rank),
        City::find().select_only().column_as(Column::Rank, "id"),
        City::find().select_only().column_as(Column::Id, "of_city"),
        ids().column_as(Column::Rank, "id"),
        ids().column_as(Column::Rank, "ID"),
        City::find().select_only().column_as(Column::Id, "ID"),
        ids().expr(Expr::cust("1")),
        ids().expr(Expr::col(Asterisk)),
    ] {
        assert_eq!(column(query.clone()), "keyset_0", "{}", query.build(DbBackend::Postgres));
    }
}

#[test]
fn the_callers_or_is_parenthesised() {
    let order = [];
    let sql = text(
        ids().filter(Condition::any().add(Column::Rank.eq(1)).add(Column::River.eq("elbe"))),
        &order,
        first_after(cursor(&order, vec![7.into()])),
        DbBackend::Postgres,
    );
    insta::assert_snapshot!(sql, @r#"
    SELECT * FROM (SELECT "city"."id", 0 AS "keyset_segment" FROM "city"
    WHERE ("city"."rank" = 1 OR "city"."river" = 'elbe') AND "city"."id" <= 7 ORDER BY "city"."id" DESC LIMIT 1) AS "r"
    UNION ALL (SELECT * FROM (SELECT "city"."id", 1 AS "keyset_segment" FROM "city"
    WHERE ("city"."rank" = 1 OR "city"."river" = 'elbe') AND "city"."id" > 7 ORDER BY "city"."id" ASC LIMIT 3) AS "r")
    ORDER BY "id" ASC LIMIT 4
    "#);
}

/// The statements that are more than one bracket, on the database of the test run.
#[tokio::test]
async fn many_brackets_and_counts_are_these_statements() {
    let test = TestDb::new().await;
    let mut db = test.connect().await;
    atlas::create(&db, &atlas::cities()).await;
    let statements = Statements::record(&mut db);
    let page = Page::new(&first(), &atlas::order(&[]), Limits::default()).unwrap();
    let of_ranks = || Lists::per_parent(ids(), Column::Rank, [1, 2]);

    keyset::fetch_into::<Id, _, _>(&db, of_ranks(), &page).await.unwrap();
    let slice = keyset::fetch_into::<Id, _, _>(&db, ids(), &page).await.unwrap();
    keyset::page_cursors(&db, ids(), &page, &slice, keyset::Reach { pages: 1, ..keyset::Reach::default() })
        .await
        .unwrap();
    let owed = Sort::expression("people owed", Expr::cust("0 - people"), Kind::BigInt).computed();
    let computed = Page::new(&first(), &Order::of::<City>([owed]).unwrap(), Limits::default()).unwrap();
    keyset::fetch_into::<Id, _, _>(&db, ids(), &computed).await.unwrap();
    keyset::count_up_to(&db, ids(), 2).await.unwrap();
    keyset::count_up_to(&db, of_ranks(), 2).await.unwrap();
    keyset::count(&db, of_ranks()).await.unwrap();

    let sql: Vec<String> = statements.take().iter().map(|statement| broken(&statement.sql)).collect();
    let name = if test.url.starts_with("sqlite") { "larger_statements_sqlite" } else { "larger_statements_postgres" };
    insta::assert_snapshot!(name, sql.join("\n\n"));
}

#[derive(sea_orm::FromQueryResult)]
struct Id {
    #[expect(dead_code, reason = "what the statement selects")]
    id: i32,
}
