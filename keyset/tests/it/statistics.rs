//! Statistics of tables.

use keyset::{Placement, Statistics};
use sea_orm::{ConnectionTrait, DbBackend};
use testdb::TestDb;

use crate::atlas::{self, Column};

/// Rows beyond those of the atlas.
const MANY: i32 = 3_000;

#[tokio::test]
async fn an_index_says_how_many_rows_it_reads() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    atlas::create(&db, &atlas::cities()).await;
    let none = Statistics::default();
    assert_eq!((none.rows("city"), none.indexed(Column::Rank)), (0, None));

    for sql in [
        "CREATE INDEX city_by_rank ON city (rank, id)",
        "CREATE INDEX city_by_river ON city (river)",
        "CREATE INDEX city_by_people ON city (people) WHERE people > 0",
        "CREATE INDEX city_by_sum ON city ((age + rank))",
        &format!(
            "WITH RECURSIVE n(n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM n WHERE n < {}) INSERT INTO city (id, river, rank) \
             SELECT n, 'river ' || n, n % 3 FROM n",
            99 + MANY
        ),
        "ANALYZE",
    ] {
        db.execute_unprepared(sql).await.unwrap();
    }
    let statistics = Statistics::read(&db).await.unwrap();
    let rows = u64::try_from(MANY + 12).unwrap();
    assert_eq!(statistics.rows("city"), rows);

    let id = statistics.indexed(Column::Id).unwrap();
    assert_eq!((id.per_value, id.range), (1, rows / 3));
    // That of the most frequent value.
    let per_value = statistics.indexed(Column::Rank).unwrap().per_value;
    assert!((rows.div_ceil(3)..=rows.div_ceil(3) + 12).contains(&per_value), "{per_value}");
    // It has more values than are counted. The most frequent one of the atlas has six rows.
    let per_value = statistics.indexed(Column::River).unwrap().per_value;
    assert!((rows.div_ceil(1_000)..=6).contains(&per_value), "{per_value}");
    for column in [Column::People, Column::Age] {
        assert_eq!(statistics.indexed(column), None, "{column:?} has no index that serves every row");
    }
}

#[tokio::test]
async fn the_most_frequent_value_decides() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    atlas::create(&db, &atlas::cities()).await;
    for sql in [
        "CREATE INDEX city_by_rank ON city (rank, id)",
        "WITH RECURSIVE n(n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM n WHERE n < 2099) INSERT INTO city (id, river, rank) \
         SELECT n, 'river', CASE WHEN n % 10 = 0 THEN n ELSE 0 END FROM n",
        "ANALYZE",
    ] {
        db.execute_unprepared(sql).await.unwrap();
    }
    let per_value = Statistics::read(&db).await.unwrap().indexed(Column::Rank).unwrap().per_value;
    assert!((1_780..=1_820).contains(&per_value), "{per_value}");
}

/// What was filled and never analysed is about as large as it is.
#[tokio::test]
async fn a_table_without_statistics_of_its_own_is_not_empty() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    atlas::create(&db, &atlas::cities()).await;
    let rows = Statistics::read(&db).await.unwrap().rows("city");
    assert!((12..=1_000).contains(&rows), "{rows}");
}

/// Autovacuum analyses partitions, and never the whole.
#[tokio::test]
async fn a_partitioned_table_has_the_rows_of_its_partitions() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    if db.get_database_backend() != DbBackend::Postgres {
        return;
    }
    atlas::create(&db, &atlas::cities()).await;
    for sql in [
        "ALTER TABLE city RENAME TO plain",
        "CREATE TABLE city (LIKE plain) PARTITION BY LIST (rank)",
        "CREATE TABLE of_0 PARTITION OF city FOR VALUES IN (0)",
        "CREATE TABLE of_others PARTITION OF city FOR VALUES IN (1, 2) PARTITION BY HASH (id)",
        "CREATE TABLE of_others_0 PARTITION OF of_others FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
        "CREATE TABLE of_others_1 PARTITION OF of_others FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
        "CREATE INDEX city_by_rank ON city (rank, id)",
        "INSERT INTO city (id, river, rank) SELECT n, 'river', n % 3 FROM generate_series(1, 3000) AS n",
        "ANALYZE of_0",
        "ANALYZE of_others_0",
        "ANALYZE of_others_1",
    ] {
        db.execute_unprepared(sql).await.unwrap();
    }
    let statistics = Statistics::read(&db).await.unwrap();
    assert_eq!(statistics.rows("city"), 3_000);
    assert_eq!(statistics.indexed(Column::Rank).unwrap().per_value, 1_000);
}

/// Row values are not sought there.
#[tokio::test]
async fn a_table_on_another_server_is_noticed() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    atlas::create(&db, &atlas::cities()).await;
    assert_eq!(Statistics::read(&db).await.unwrap().placement(["city"]), Placement::Here);
    if db.get_database_backend() != DbBackend::Postgres {
        return;
    }
    for sql in [
        "ALTER TABLE city RENAME TO plain",
        "CREATE TABLE city (LIKE plain) PARTITION BY LIST (rank)",
        "CREATE FOREIGN DATA WRAPPER without_handler",
        "CREATE SERVER elsewhere FOREIGN DATA WRAPPER without_handler",
        "CREATE FOREIGN TABLE of_0 PARTITION OF city FOR VALUES IN (0) SERVER elsewhere",
    ] {
        db.execute_unprepared(sql).await.unwrap();
    }
    assert_eq!(Statistics::read(&db).await.unwrap().placement(["city"]), Placement::Foreign);
    db.execute_unprepared("DROP TABLE city").await.unwrap();
    assert_eq!(Statistics::read(&db).await.unwrap().placement(["city"]), Placement::Here);
    db.execute_unprepared("CREATE FOREIGN TABLE city (id int) SERVER elsewhere").await.unwrap();
    assert_eq!(Statistics::read(&db).await.unwrap().placement(["city"]), Placement::Foreign);
}
