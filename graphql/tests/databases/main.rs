//! Databases that others made, in `../shared/data` beside the repository: where the folder is absent, the tests say so and pass.
//! Tables with every kind of column and of key.

mod aggregates;
mod chinook;
mod pairs;
mod random;
mod sakila;
mod served;

mod keys;
mod kinds;
mod prices;
mod structures;
mod unheld;

use bookends_graphql::Declaring;
use served::Served;

/// The tables of Chinook. All that is declared follows from their entities.
async fn chinook() -> Option<Served> {
    let mut tables = Declaring::new("Query");
    tables.entity::<chinook::album::Entity>();
    tables.entity::<chinook::artist::Entity>();
    tables.entity::<chinook::customer::Entity>();
    tables.entity::<chinook::employee::Entity>();
    tables.entity::<chinook::genre::Entity>();
    tables.entity::<chinook::invoice::Entity>();
    tables.entity::<chinook::invoice_line::Entity>();
    tables.entity::<chinook::media_type::Entity>();
    tables.entity::<chinook::playlist::Entity>();
    tables.entity::<chinook::playlist_track::Entity>();
    tables.entity::<chinook::track::Entity>();
    Served::new("chinook", tables).await
}

#[tokio::test]
async fn c1_lists_of_chinook_are_walked_both_ways_in_every_offered_order() {
    let Some(chinook) = chinook().await else { return };
    let walked = chinook.walk_all().await;
    assert!(walked > 300, "{walked} orders");
}

#[tokio::test]
async fn l1_every_column_of_chinook_has_the_text_of_the_database() {
    let Some(chinook) = chinook().await else { return };
    let compared = chinook.compare_columns().await;
    assert_eq!(compared, 64);
}

#[tokio::test]
async fn l2_l4_every_relation_of_chinook_is_read_both_ways() {
    let Some(chinook) = chinook().await else { return };
    let relations = chinook.compare_relations().await;
    assert_eq!(relations, 11);
}

#[tokio::test]
async fn l5_a_filter_and_its_negation_find_every_row_of_chinook_once() {
    let Some(chinook) = chinook().await else { return };
    let filters = chinook.compare_filters().await;
    assert!(filters > 300, "{filters} filters");
}

#[tokio::test]
async fn l3_l6_many_to_many_lists_of_chinook_have_every_edge_in_every_order() {
    let Some(chinook) = chinook().await else { return };
    assert_eq!(chinook.compare_pairs().await, 2);
}

#[tokio::test]
async fn aggregates_of_chinook_equal_sql() {
    let Some(chinook) = chinook().await else { return };
    assert!(chinook.compare_aggregates().await > 500);
}

#[tokio::test]
async fn l5_random_filters_of_chinook_and_their_negations_equal_sql() {
    let Some(chinook) = chinook().await else { return };
    let telling = chinook.compare_random_filters(1000).await;
    assert!(telling > 300, "{telling} filters found a part of the rows");
}

#[tokio::test]
async fn l7_no_order_of_chinook_lacks_an_index_once_all_advice_is_followed() {
    let Some(chinook) = chinook().await else { return };
    assert!(chinook.follow_advice().await > 50);
}

#[tokio::test]
async fn the_schema_of_chinook_follows_from_its_entities() {
    if let Some(chinook) = chinook().await {
        insta::assert_snapshot!(chinook.sdl());
    }
}

/// The tables of Sakila. All that is declared follows from their entities.
async fn sakila() -> Option<Served> {
    let mut tables = Declaring::new("Query");
    tables.entity::<sakila::actor::Entity>();
    tables.entity::<sakila::address::Entity>();
    tables.entity::<sakila::category::Entity>();
    tables.entity::<sakila::city::Entity>();
    tables.entity::<sakila::country::Entity>();
    tables.entity::<sakila::customer::Entity>();
    tables.entity::<sakila::film::Entity>();
    tables.entity::<sakila::film_actor::Entity>();
    tables.entity::<sakila::film_category::Entity>();
    tables.entity::<sakila::inventory::Entity>();
    tables.entity::<sakila::language::Entity>();
    tables.entity::<sakila::payment::Entity>();
    tables.entity::<sakila::rental::Entity>();
    tables.entity::<sakila::staff::Entity>();
    tables.entity::<sakila::store::Entity>();
    Served::new("sakila", tables).await
}

#[tokio::test]
async fn c1_lists_of_sakila_are_walked_both_ways() {
    let Some(sakila) = sakila().await else { return };
    let walked = sakila.walk_all().await;
    assert!(walked > 150, "{walked} orders");
}

#[tokio::test]
async fn l1_every_column_of_sakila_has_the_text_of_the_database() {
    let Some(sakila) = sakila().await else { return };
    assert_eq!(sakila.compare_columns().await, 86);
}

#[tokio::test]
async fn l4_every_relation_of_sakila_is_read_both_ways() {
    let Some(sakila) = sakila().await else { return };
    // The key of a manager is unique: it has one object on the other side.
    assert_eq!(sakila.compare_relations().await, 21);
    let managers = sakila
        .pages("staffs", "rowIdOf: staffId storeByManagerStaff { storeId managerStaff { staffId } }", usize::MAX)
        .await;
    assert!(managers.len() > 1, "{managers:?}");
    for staff in managers {
        let store = &staff["storeByManagerStaff"];
        assert!(store.is_null() || store["managerStaff"]["staffId"] == staff["rowIdOf"], "{staff}");
    }
}

#[tokio::test]
async fn l5_a_filter_and_its_negation_find_every_row_of_sakila_once() {
    let Some(sakila) = sakila().await else { return };
    let filters = sakila.compare_filters().await;
    assert!(filters > 300, "{filters} filters");
}

#[tokio::test]
async fn l3_l6_many_to_many_lists_of_sakila_have_every_edge_in_every_order() {
    let Some(sakila) = sakila().await else { return };
    assert_eq!(sakila.compare_pairs().await, 4);
}

#[tokio::test]
async fn aggregates_of_sakila_equal_sql() {
    let Some(sakila) = sakila().await else { return };
    assert!(sakila.compare_aggregates().await > 500);
}

#[tokio::test]
async fn l5_random_filters_of_sakila_and_their_negations_equal_sql() {
    let Some(sakila) = sakila().await else { return };
    let telling = sakila.compare_random_filters(1000).await;
    assert!(telling > 300, "{telling} filters found a part of the rows");
}

#[tokio::test]
async fn l7_no_order_of_sakila_lacks_an_index_once_all_advice_is_followed() {
    let Some(sakila) = sakila().await else { return };
    assert!(sakila.follow_advice().await > 50);
}
