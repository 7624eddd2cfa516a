//! Statistics of tables.

use keyset::Statistics;
use sea_orm::ConnectionTrait;
use testdb::TestDb;

use crate::atlas::{self, City, Column};

/// Rows beyond those of the atlas.
const MANY: i32 = 3_000;

#[tokio::test]
async fn an_index_says_how_many_rows_it_reads() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    atlas::create(&db, &atlas::cities()).await;
    let none = Statistics::default();
    assert_eq!((none.rows(City), none.indexed(&Column::Rank)), (0, None));

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
    assert_eq!(statistics.rows(City), rows);

    let id = statistics.indexed(&Column::Id).unwrap();
    assert_eq!((id.per_value, id.range), (1, rows / 3));
    assert_eq!(statistics.indexed(&Column::Rank).unwrap().per_value, rows.div_ceil(3));
    // It has more values than are counted.
    assert_eq!(statistics.indexed(&Column::River).unwrap().per_value, rows.div_ceil(1_000));
    for column in [Column::People, Column::Age] {
        assert_eq!(statistics.indexed(&column), None, "{column:?} has no index that serves every row");
    }
}

/// What was filled and never analysed is about as large as it is.
#[tokio::test]
async fn a_table_without_statistics_of_its_own_is_not_empty() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    atlas::create(&db, &atlas::cities()).await;
    let rows = Statistics::read(&db).await.unwrap().rows(City);
    assert!((12..=1_000).contains(&rows), "{rows}");
}
