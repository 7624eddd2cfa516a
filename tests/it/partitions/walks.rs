//! Every list, walked both ways.

use crate::walk;

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
    let Some(shop) = layout.shop(walk::PLAN).await else { return };
    walk::check_ratings_and_orders(&shop).await;
    walk::check_lists_of_a_book(&shop).await;
    walk::check_nested(&shop).await;
}
