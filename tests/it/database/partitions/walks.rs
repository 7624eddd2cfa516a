//! Every list, walked both ways.

use crate::api::walks::{self, Sizes};

use super::layout::Layout;

#[tokio::test]
async fn c1_c2_lists_of_hash_partitions_are_walked_both_ways() {
    check(Layout::Hash).await;
}

#[tokio::test]
async fn c1_c2_lists_of_range_partitions_are_walked_both_ways() {
    check(Layout::Range).await;
}

async fn check(layout: Layout) {
    let Some(shop) = layout.shop(walks::PLAN).await else { return };
    walks::check_ratings_and_orders(&shop, Sizes::Few).await;
    walks::check_lists_of_a_book(&shop, Sizes::Few).await;
    walks::check_nested(&shop).await;
}
