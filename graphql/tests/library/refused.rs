//! Declarations that cannot be served: all their faults are told at once.

use async_graphql::{EmptyMutation, EmptySubscription, InputObject, MergedObject, SimpleObject};
use bookends_graphql::{DeclaredQuery, Declaring, ObjectType};

mod note {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "note")]
    pub struct Model {
        #[sea_orm(primary_key)]
        pub id: i32,
        pub tags: Json,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

#[test]
fn all_faults_of_a_declaration_are_listed() {
    let mut notes = ObjectType::of::<note::Entity>("Note");
    notes.id(1);
    notes.column(note::Column::Id).rename("id");
    notes.to_one("author", "Author", &[note::Column::Id.into()]);
    notes.list("replies", "Reply", note::Column::Id);
    let mut others = ObjectType::of::<note::Entity>("Note");
    others.id(1);
    let mut declaring = Declaring::new("Query");
    declaring.object(notes).object(others).list("letters", "Letter");
    declaring.list("letters", "Note");
    let error = declaring.check().unwrap_err();
    let expected = [
        "two objects have the name `Note`",
        "`Note` refers to `Author`, which is not declared",
        "`Note` has two fields `id`",
        "`Note.replies` lists `Reply`, which is not declared",
        "`Note` has the tag of another object in its ids",
        "the field `letters` returns `Letter`, which is not declared",
        "the query has two fields `letters`",
    ];
    for fault in expected {
        assert!(error.faults().contains(&fault.to_owned()), "{fault}: {error}");
    }
    assert_eq!(error.faults().len(), expected.len(), "{error}");
}

#[test]
fn a_field_that_follows_from_an_entity_is_changed_where_the_object_is() {
    let mut declaring = Declaring::new("Query");
    let notes = declaring.entity::<note::Entity>();
    notes.change("rowId", |id| {
        id.rename("number").describe("The number.").unsorted();
    });
    notes.change("tags", |tags| {
        tags.hide();
    });
    let schema = declaring.check().unwrap().schema(Query::default(), EmptyMutation, EmptySubscription).finish();
    let sdl = schema.sdl();
    let note = sdl.split_once("type Note implements Node {").unwrap().1.split_once('}').unwrap().0;
    assert!(note.contains("number: Int!") && !note.contains("tags") && !note.contains("rowId"), "{note}");
    assert!(sdl.contains("number: IntFilter") && !sdl.contains("NoteSortField") && !sdl.contains("tags:"), "{sdl}");

    let mut declaring = Declaring::new("Query");
    declaring.entity::<note::Entity>().change("tag", |_| {});
    assert_eq!(declaring.check().unwrap_err().faults(), ["`Note` has no field `tag` to change"]);
}

#[derive(InputObject, SimpleObject)]
#[graphql(name = "Author", input_name = "AuthorInput")]
struct Author {
    name: String,
}

#[derive(Default, MergedObject)]
struct Query(DeclaredQuery);

#[test]
#[should_panic(expected = "expected a scalar or an enum as a computed value, not `Author!`")]
fn a_computed_object_is_refused() {
    let mut notes = ObjectType::of::<note::Entity>("Note");
    notes.computed::<note::Entity, _>("author", |_| Author { name: String::new() });
    let mut declaring = Declaring::new("Query");
    declaring.object(notes).list("notes", "Note");
    let declaration = declaring.check().unwrap();
    let _ = declaration.schema(Query::default(), EmptyMutation, EmptySubscription);
}
