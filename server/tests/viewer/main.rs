//! The law of the viewer: a response for a viewer equals the response of a database from which all rows that the viewer may not see
//! were deleted. It is tested with random rules, viewers and documents, over the example `projects` and over Sakila.

#[path = "../../examples/projects/tables.rs"]
#[allow(dead_code, missing_docs, clippy::disallowed_methods, reason = "the entities of an example")]
mod projects;
#[path = "../../../graphql/tests/databases/sakila.rs"]
#[allow(dead_code, missing_docs, reason = "the entities of another test")]
mod sakila;

mod documents;
mod fields;
mod hear;
mod own;
mod rows;
mod rules;
mod served;
mod tenants;
mod world;
mod writes;

use bookends_server::keyset::Kept;
use bookends_server::{Declaring, ObjectType};
use rules::Rules;
use world::World;

/// The random choices of rules for one database, and of documents for each of them.
const WORLDS: u64 = 25;
const DOCUMENTS: usize = 100;

/// Adds the object of an entity, with what rules say of it.
macro_rules! entities {
    ($tables:ident, $rules:ident, [$($entity:path),* $(,)?]) => {
        $({
            let object: &mut ObjectType = $tables.entity::<$entity>();
            $rules.declare(object);
        })*
    };
}

fn projects(rules: &Rules) -> Declaring {
    use projects::{account, comment, member, project, task, tenant};
    let mut tables = Declaring::new("Query");
    entities!(
        tables,
        rules,
        [tenant::Entity, account::Entity, project::Entity, member::Entity, task::Entity, comment::Entity]
    );
    for object in ["Task", "Comment"] {
        tables.change(object, |object| {
            object.as_of().created_at("createdAt");
        });
    }
    tables.change("Project", |project| {
        project.change("tasks", |tasks| {
            tasks.kept(Kept::by_parent(rows::stats::Column::ProjectId, rows::stats::Column::Tasks));
        });
    });
    tables
}

fn sakila(rules: &Rules) -> Declaring {
    use sakila::{
        actor, address, category, city, country, customer, film, film_actor, film_category, inventory, language,
        payment, rental, staff, store,
    };
    let mut tables = Declaring::new("Query");
    entities!(
        tables,
        rules,
        [
            actor::Entity,
            address::Entity,
            category::Entity,
            city::Entity,
            country::Entity,
            customer::Entity,
            film::Entity,
            film_actor::Entity,
            film_category::Entity,
            inventory::Entity,
            language::Entity,
            payment::Entity,
            rental::Entity,
            staff::Entity,
            store::Entity,
        ]
    );
    tables
}

#[tokio::test]
async fn m1_responses_over_projects_are_those_of_a_database_without_the_hidden_rows() {
    let world = World::new(projects).await.keeping(rows::KEPT);
    rows::fill(&world).await;
    let told = world.obeys(WORLDS, DOCUMENTS).await;
    assert!(told.different > 500, "few responses depended on the rules: {told:?}");
    assert!(told.failed < told.compared / 3, "many documents had errors: {told:?}");
}

fn written(rules: &Rules) -> Declaring {
    let mut tables = projects(rules);
    writes::declare(&mut tables);
    tables
}

#[tokio::test]
async fn m1_m6_mutations_and_events_are_those_of_a_database_without_the_hidden_rows() {
    let (mut done, mut events) = (0, 0);
    for seed in 0..12 {
        let (of_viewer, heard) = writes::obey(written, seed, 50).await;
        (done, events) = (done + of_viewer, events + heard);
    }
    assert!(done > 100 && events > 150, "{done} mutations, {events} events");
}

#[tokio::test]
async fn m1_responses_over_sakila_are_those_of_a_database_without_the_hidden_rows() {
    let world = World::new(sakila).await;
    if !world.load("sakila").await {
        return;
    }
    let told = world.obeys(WORLDS, DOCUMENTS).await;
    assert!(told.different > 500, "few responses depended on the rules: {told:?}");
    assert!(told.failed < told.compared / 3, "many documents had errors: {told:?}");
}
