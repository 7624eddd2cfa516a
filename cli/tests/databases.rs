//! Chinook and Sakila without a line of code: their catalogues declare what is walked, filtered and compared with SQL.

#[path = "../../graphql/tests/databases/aggregates.rs"]
mod aggregates;
#[path = "../../graphql/tests/databases/pairs.rs"]
mod pairs;
#[path = "../../graphql/tests/databases/random.rs"]
mod random;
#[path = "../../graphql/tests/databases/served.rs"]
#[allow(dead_code, reason = "the tests of declared objects need more")]
mod served;

use std::sync::Arc;

use bookends::catalog::Catalog;
use bookends::discover::declared;
use bookends::settings::Settings;
use keyset::Indexes;
use sea_orm::DatabaseConnection;
use served::Served;

/// What the catalogue of a database declares.
async fn discovered(name: &str, settings: &str) -> Option<Served> {
    let discover = async |db: &DatabaseConnection| {
        let catalog = Catalog::read(db, false).await.unwrap();
        let indexes = Arc::new(Indexes::read(db).await.unwrap());
        let settings = Settings::parse("bookends.toml", settings).unwrap();
        let declared = declared(&catalog, &indexes, &settings, false).unwrap();
        declared.tables
    };
    Box::pin(Served::discovered(name, discover)).await
}

async fn chinook() -> Option<Served> {
    discovered("chinook", "").await
}

async fn sakila() -> Option<Served> {
    discovered("sakila", "").await
}

#[tokio::test]
async fn c1_discovered_lists_are_walked_both_ways_in_every_offered_order() {
    for (database, least) in [(chinook().await, 10), (sakila().await, 15)] {
        let Some(database) = database else { return };
        let walked = Box::pin(database.walk_all()).await;
        assert!(walked >= least, "{walked} orders");
    }
}

#[tokio::test]
async fn l1_every_discovered_column_has_the_text_of_the_database() {
    for (database, least) in [(chinook().await, 64), (sakila().await, 86)] {
        let Some(database) = database else { return };
        let compared = Box::pin(database.compare_columns()).await;
        assert!(compared >= least, "{compared} columns");
    }
}

#[tokio::test]
async fn l2_l4_every_discovered_relation_is_read_both_ways() {
    for (database, expected) in [(chinook().await, 11), (sakila().await, 21)] {
        let Some(database) = database else { return };
        assert_eq!(Box::pin(database.compare_relations()).await, expected);
    }
}

#[tokio::test]
async fn l3_l6_discovered_many_to_many_lists_have_every_edge() {
    for (database, expected) in [(chinook().await, 2), (sakila().await, 4)] {
        let Some(database) = database else { return };
        assert_eq!(Box::pin(database.compare_pairs()).await, expected);
    }
}

#[tokio::test]
async fn l5_random_filters_of_discovered_objects_equal_sql() {
    for database in [chinook().await, sakila().await] {
        let Some(database) = database else { return };
        let telling = Box::pin(database.compare_random_filters(100)).await;
        assert!(telling > 20, "{telling} filters found a part of the rows");
    }
}

#[tokio::test]
async fn aggregates_of_discovered_objects_equal_sql() {
    for database in [chinook().await, sakila().await] {
        let Some(database) = database else { return };
        assert!(Box::pin(database.compare_aggregates()).await > 400);
    }
}
