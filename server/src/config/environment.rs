//! Errors of the command line that name the environment variable whose value is wrong.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, Error};

/// The same error. Where the value of a setting is not among these arguments, its variable is named instead of its flag.
pub fn named(mut error: Error, command: &Command, arguments: &[OsString]) -> Error {
    let name = |setting: &str| variable(command, arguments, setting).unwrap_or_else(|| setting.to_owned());
    for kind in [ContextKind::InvalidArg, ContextKind::PriorArg] {
        let named = match error.get(kind) {
            Some(ContextValue::String(setting)) => ContextValue::String(name(setting)),
            Some(ContextValue::Strings(settings)) => {
                ContextValue::Strings(settings.iter().map(|setting| name(setting)).collect())
            }
            _ => continue,
        };
        error.insert(kind, named);
    }
    error
}

/// The variable of a setting, as clap writes it, if it is set there alone.
fn variable(command: &Command, arguments: &[OsString], setting: &str) -> Option<String> {
    // Its flag and the name of its value, such as `--listen <ADDRESS>`.
    let flag = setting.split([' ', '=', '[']).next()?;
    let argument = all(command).find(|argument| argument.get_long() == flag.strip_prefix("--"))?;
    let is_given = |given: &OsString| {
        let rest = given.as_encoded_bytes().strip_prefix(flag.as_bytes());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"="))
    };
    let variable = argument.get_env()?;
    let is_set = super::is_set(variable) && !arguments.iter().any(is_given);
    is_set.then(|| format!("environment variable {}", variable.display()))
}

/// The arguments of a command and of those below it.
fn all(command: &Command) -> Box<dyn Iterator<Item = &Arg> + '_> {
    Box::new(command.get_arguments().chain(command.get_subcommands().flat_map(all)))
}
