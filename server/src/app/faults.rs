//! What is wrong with an application beside its declaration.

use std::collections::HashSet;

use apollo_compiler::schema::ExtendedType;
use apollo_compiler::{Name, Schema};
use bookends_graphql::{Declaration, EventField};
use clap::CommandFactory;
use keyset::Column;

use super::App;
use crate::config::Cli;
use crate::request::Code;

/// The faults: each is a line.
pub(super) fn of(app: &App, declaration: &Declaration) -> Vec<String> {
    let built_in = Cli::command();
    let built_in = built_in.get_subcommands().map(clap::Command::get_name).chain(["help"]);
    let commands = built_in.chain(app.commands.iter().map(|own| own.command.get_name()));
    let mut faults: Vec<String> =
        declaration.events().iter().filter_map(|event| of_event(event, declaration)).collect();
    let codes = Code::ALL.iter().map(|(_, text, _)| *text).chain(app.codes.iter().map(|code| code.text));
    faults.extend(repeated("codes of errors", codes));
    let unfit = app.codes.iter().filter(|code| Name::new(code.text).is_err());
    faults.extend(unfit.map(|code| format!("the code `{}` is no name of GraphQL", code.text)));
    faults.extend(repeated("commands", commands));
    let migrations = app.migrations.names();
    faults.extend(repeated("migrations", migrations.iter().map(String::as_str)));
    // A version recognises what a newer one has applied by its name.
    let unordered = migrations.windows(2).filter(|pair| pair[0] > pair[1]);
    faults.extend(unordered.map(|pair| {
        format!("the migration `{}` comes after `{}`: expected names in alphabetical order", pair[1], pair[0])
    }));
    faults
}

fn repeated<'a>(kind: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut known = HashSet::new();
    let again = names.filter(|name| !known.insert(*name));
    again.map(|name| format!("two {kind} have the name `{name}`")).collect()
}

fn of_event(event: &EventField, declaration: &Declaration) -> Option<String> {
    let columns = declaration.table(event.object()).columns();
    let name = event.event_name();
    let reserved = columns.iter().map(Column::name).find(|name| ["event", "before"].contains(name))?;
    Some(format!("the table of `{name}` has a column `{reserved}`, which is a member of notifications"))
}

/// The declared fields that the root types of the schema lack.
pub(super) fn has_mutations(definitions: &str) -> bool {
    let schema = Schema::parse(definitions, "schema.graphql").unwrap_or_else(|invalid| invalid.partial);
    schema.schema_definition.mutation.is_some()
}

pub(super) fn of_roots(declaration: &Declaration, definitions: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let schema = Schema::parse(definitions, "schema.graphql").unwrap_or_else(|invalid| {
        faults.extend(invalid.errors.iter().next().map(|error| format!("the schema is not valid: {}", error.error)));
        invalid.partial
    });
    let of = &schema.schema_definition;
    let roots =
        [(&of.query, "DeclaredQuery"), (&of.mutation, "DeclaredMutation"), (&of.subscription, "DeclaredSubscription")];
    for ((root, merged), fields) in roots.into_iter().zip(declaration.root_fields()) {
        let root = root.as_ref().and_then(|root| schema.types.get(&root.name));
        let has = |field: &str| matches!(root, Some(ExtendedType::Object(root)) if root.fields.contains_key(field));
        let missing = fields.into_iter().filter(|field| !has(field));
        faults.extend(
            missing.map(|field| format!("the schema has no field `{field}`: merge `{merged}` into its root type")),
        );
    }
    faults
}
