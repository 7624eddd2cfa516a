//! The schema of the application: what follows from its entities and its mutations.

use async_graphql::{EmptyMutation, EmptySubscription};
use bookends_server::app::OwnCommand;

use crate::app::app;

#[derive(clap::Args)]
struct NoArguments {}

#[test]
fn the_schema_follows_from_entities_and_mutations() {
    let sdl = app().check().unwrap().sdl();
    let mutations = sdl.split("\n\n").filter(|part| {
        ["type Mutation ", "type Subscription ", "Input {", "Payload {"].iter().any(|kind| part.contains(kind))
            && !part.contains("Filter")
    });
    insta::assert_snapshot!(mutations.collect::<Vec<_>>().join("\n\n"));
}

#[test]
fn faults_of_mutations_are_listed_together() {
    let mut tables = bookends_server::Declaring::new("Query");
    tables.entity::<crate::app::river::Entity>();
    tables.entity::<crate::app::city::Entity>();
    tables.entity::<crate::app::bridge::Entity>();
    tables.create("City").check("population", |_: i32| Ok(())).with_parent("name");
    tables.create("City").describe_field("lake", "A lake.");
    tables.created("City");
    tables.updated("City").rename("cityCreated").event("CityCreated");
    tables.updated("City");
    tables.update("Bridge").rename("moveBridge").describe("Moves it.").with_parent("bridge");
    let faults = bookends_server::App::new("rivers", "1.2.3", tables).check().unwrap_err().to_string();
    for fault in [
        "two mutations have the name `createCity`",
        "`createCity` names `population`, which its input does not have",
        "`City.name` is no object with a global id: `createCity` cannot lock it",
        "`createCity` describes `lake`, which neither its input nor its payload has",
        "two subscriptions have the name `cityCreated`",
        "two events have the name `CityCreated`",
        "`cityUpdated` tells the same of `City` as another subscription",
        "`Bridge.bridge` is no object with a global id: `moveBridge` cannot lock it",
    ] {
        assert!(faults.contains(fault), "{faults}");
    }
    let changed = app().migration("m1", "SELECT 1").migration("m2", "SELECT 1").migration("m1", "SELECT 1");
    let serve = OwnCommand::new(clap::Command::new("serve"), |_, _: NoArguments| async { Ok(()) });
    let faults = changed.command(serve).check().unwrap_err().to_string();
    let unordered = "the migration `m1` comes after `m2`: expected names in alphabetical order";
    for fault in ["two migrations have the name `m1`", unordered, "have the name `serve`"] {
        assert!(faults.contains(fault), "{faults}");
    }
    let mut tables = bookends_server::Declaring::new("Query");
    tables.delete("Lake");
    tables.deleted("Pond");
    let faults = bookends_server::App::new("rivers", "1.2.3", tables).check().unwrap_err().to_string();
    for fault in ["`deleteLake` writes `Lake`, which is not", "`pondDeleted` tells of `Pond`, which is not declared"] {
        assert!(faults.contains(fault), "{faults}");
    }
}

#[derive(Default)]
struct Hello;

#[async_graphql::Object]
impl Hello {
    async fn hello(&self) -> &str {
        "hello"
    }
}

#[test]
fn declared_fields_that_the_root_types_lack_are_faults() {
    let roots = app().roots::<Hello, EmptyMutation, EmptySubscription>();
    let faults = roots.check().unwrap_err().to_string();
    for (field, merged) in
        [("rivers", "DeclaredQuery"), ("foundCity", "DeclaredMutation"), ("cityDeleted", "DeclaredSubscription")]
    {
        let fault = format!("the schema has no field `{field}`: merge `{merged}` into its root type");
        assert!(faults.contains(&fault), "{faults}");
    }
}
