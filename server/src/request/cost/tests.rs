//! Fields of one name in several types, each with its own cost.

use std::sync::Arc;

use async_graphql::parser::parse_query;
use async_graphql::{EmptyMutation, EmptySubscription, MergedObject};
use bookends_graphql::{Declaration, DeclaredQuery, Declaring, ObjectType};
use sea_orm::tests_cfg::{cake, fruit, vendor};

use super::*;
use crate::request::Validator;

#[derive(Default, MergedObject)]
struct Query(DeclaredQuery);

/// `entries` is a list of the query, a list of a shelf, an object of an entry, and a number of a page.
fn declaration() -> Arc<Declaration> {
    let mut shelf = ObjectType::of::<cake::Entity>("Shelf");
    shelf.id(1);
    shelf.list("entries", "Entry", fruit::Column::CakeId);
    let mut entry = ObjectType::of::<fruit::Entity>("Entry");
    entry.id(2);
    entry.to_one("entries", "Shelf", &[fruit::Column::CakeId.into()]);
    entry.column(fruit::Column::Name).rename("totalCount");
    let mut page = ObjectType::of::<vendor::Entity>("Page");
    page.id(3);
    page.column(vendor::Column::Name).rename("entries");
    let mut declaring = Declaring::new("Query");
    declaring.object(shelf).object(entry).object(page).nodes();
    for (list, object) in [("shelves", "Shelf"), ("entries", "Entry"), ("pages", "Page")] {
        declaring.list(list, object);
    }
    declaring.check().unwrap()
}

#[test]
fn a_field_costs_what_its_type_declares() {
    let (declaration, limits) = (declaration(), Limits::DEFAULT);
    let sdl = declaration.schema(Query::default(), EmptyMutation, EmptySubscription).finish().sdl();
    let validator = Validator::new(&sdl, Arc::clone(&declaration), &[], limits);
    let declared = DeclaredCosts::new(declaration.costs(), validator.introspection(), Tables::default());
    for (query, expected) in [
        ("{ shelves(first: 10) { nodes { entries(first: 5) { nodes { id } } } } }", 2 * 50 + 1 + 10 * (2 + 5 * 2)),
        ("{ entries(first: 10) { nodes { entries { id } } } }", 2 * 50 + 1 + 10 * 3),
        ("{ pages(first: 10) { nodes { entries } } }", 50 + 1 + 10 * 2),
        // A count of the list is none of its objects, and the other way round.
        ("{ entries(first: 10, where: {}) { nodes { totalCount } } }", 50 + 1 + 10 * 2),
        ("{ entries(first: 0, where: {}) { totalCount } }", 50 + 1 + 1 + 1_000),
        ("{ node(id: \"x\") { ... on Entry { entries { id } } } }", 50 + 1 + 1 + 50 + 2),
        ("{ node(id: \"x\") { ... on Page { entries } } }", 50 + 1 + 1 + 1),
        (
            "{ node(id: \"x\") { ...F } } fragment F on Shelf { ... { entries(first: 5) { nodes { id } } } }",
            2 * 50 + 4 + 10,
        ),
        ("fragment F on Page { entries } { pages(first: 2) { nodes { ...F ... on Node { ...F } } } }", 50 + 1 + 2 * 6),
    ] {
        let document = parse_query(query).unwrap();
        assert_eq!(compute(&document, &Variables::default(), &declared, limits).total, expected, "{query}");
    }
}
