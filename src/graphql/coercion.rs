//! Inputs, checked against their types before anything is done with them.
//!
//! GraphQL wants every variable coerced before execution begins (specification, section 6.1.2). The library leaves it
//! to the arguments that use them: a variable that is missing, or that nothing uses, can hold anything; and where one
//! of several mutations cannot read its argument, those before it have been done, and the answer says nothing of them.

use std::collections::HashSet;

use async_graphql::parser::types::{
    BaseType, ExecutableDocument, Field, FieldDefinition, OperationDefinition, OperationType, Selection,
};
use async_graphql::{Pos, Positioned, ServerError, Value, Variables};
use async_graphql_value::Value as Written;

use super::code::Code;
use super::error::Error;

mod input_types;

pub use input_types::InputTypes;
use input_types::Problem;

/// The most errors that are told of one request.
pub const MOST_ERRORS: usize = 20;

impl InputTypes {
    /// What is wrong with the variables of an operation, each with the place of its declaration.
    pub fn check_variables(&self, operation: &OperationDefinition, variables: &Variables) -> Vec<ServerError> {
        let mut errors = Vec::new();
        for Positioned { node: definition, .. } in &operation.variable_definitions {
            let Positioned { node: name, pos } = &definition.name;
            let declared = &definition.var_type.node;
            let problems = match variables.get(name) {
                None if declared.nullable => continue,
                None => vec![Problem { field: None, text: "it is missing".into() }],
                Some(value) => self.problems(value, declared),
            };
            let message = |text| format!("the variable `${name}` is no `{declared}`: {text}");
            errors.extend(problems.into_iter().map(|problem| error(*pos, problem.field, message(problem.text))));
        }
        errors.truncate(MOST_ERRORS);
        errors
    }

    /// What is wrong with the arguments of an operation's fields, each with the place of its field.
    pub fn check_arguments(
        &self,
        document: &ExecutableDocument,
        operation: &OperationDefinition,
        variables: &Variables,
    ) -> Vec<ServerError> {
        let root = match operation.ty {
            OperationType::Query => "Query",
            OperationType::Mutation => "Mutation",
            OperationType::Subscription => "Subscription",
        };
        let (mut errors, mut walked) = (Vec::new(), HashSet::new());
        // Selections, each with the type that it is of; those of a fragment once.
        let mut sets = vec![(root, &operation.selection_set.node)];
        while let Some((object, set)) = sets.pop() {
            for item in &set.items {
                match &item.node {
                    Selection::Field(field) => {
                        let Some(known) = self.field(object, &field.node.name.node) else { continue };
                        errors.extend(self.of_arguments(known, field, variables));
                        sets.push((innermost(&known.ty.node.base), &field.node.selection_set.node));
                    }
                    Selection::InlineFragment(inline) => {
                        let condition = inline.node.type_condition.as_ref();
                        let on = condition.map_or(object, |condition| condition.node.on.node.as_str());
                        sets.push((on, &inline.node.selection_set.node));
                    }
                    Selection::FragmentSpread(spread) => {
                        let name = &spread.node.fragment_name.node;
                        // Validation says of one that is missing that it is.
                        if let Some(found) = document.fragments.get(name).filter(|_| walked.insert(name)) {
                            let on = found.node.type_condition.node.on.node.as_str();
                            sets.push((on, &found.node.selection_set.node));
                        }
                    }
                }
                if errors.len() >= MOST_ERRORS {
                    errors.truncate(MOST_ERRORS);
                    return errors;
                }
            }
        }
        errors
    }

    fn of_arguments(
        &self,
        known: &FieldDefinition,
        field: &Positioned<Field>,
        variables: &Variables,
    ) -> Vec<ServerError> {
        let mut errors = Vec::new();
        for Positioned { node: argument, .. } in &known.arguments {
            let (name, wanted) = (&argument.name.node, &argument.ty.node);
            // One that is missing, validation names.
            let Some(given) = field.node.get_argument(name) else { continue };
            let problems = match &given.node {
                // By itself it has been checked; but it can be null where the argument cannot.
                Written::Variable(variable) => match variables.get(variable) {
                    Some(Value::Null) => self.problems(&Value::Null, wanted),
                    _ => Vec::new(),
                },
                written => constant(written, variables).map_or_else(Vec::new, |value| self.problems(&value, wanted)),
            };
            let message = |text| format!("`{name}` is no `{wanted}`: {text}");
            errors.extend(problems.into_iter().map(|problem| error(field.pos, problem.field, message(problem.text))));
        }
        errors
    }
}

fn error(pos: Pos, field: Option<String>, message: String) -> ServerError {
    let error = Error::client(Code::BadUserInput, message);
    let error = if let Some(field) = field { error.of_field(field) } else { error };
    ServerError { locations: vec![pos], ..error.of_request() }
}

/// A value with its variables in it; none where it is a variable that is absent.
fn constant(value: &Written, variables: &Variables) -> Option<Value> {
    Some(match value {
        Written::Variable(name) => variables.get(name)?.clone(),
        Written::List(items) => {
            Value::List(items.iter().map(|item| constant(item, variables).unwrap_or_default()).collect())
        }
        Written::Object(fields) => {
            let fields = fields.iter().filter_map(|(name, value)| Some((name.clone(), constant(value, variables)?)));
            Value::Object(fields.collect())
        }
        value => value.clone().into_const()?,
    })
}

/// The name of a type, without its lists.
fn innermost(base: &BaseType) -> &str {
    match base {
        BaseType::Named(name) => name,
        BaseType::List(item) => innermost(&item.base),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = "enum E { A B } input I { n: Int! e: E list: [Int!] d: Int! = 1 } scalar S";

    #[track_caller]
    fn check(declared: &str, value: serde_json::Value, expected: Result<(), &str>) {
        let document = async_graphql::parser::parse_query(format!("query($x: {declared}) {{ __typename }}")).unwrap();
        let (_, operation) = document.operations.iter().next().unwrap();
        let variables = Variables::from_json(serde_json::json!({ "x": value }));
        let found = InputTypes::of(SCHEMA).check_variables(&operation.node, &variables);
        let found: Vec<&str> = found.iter().map(|error| error.message.split_once(": ").unwrap().1).collect();
        assert_eq!(found, expected.err().into_iter().collect::<Vec<_>>(), "{declared}");
    }

    #[test]
    fn values_fit_their_types() {
        use serde_json::json;
        check("Int", json!(1), Ok(()));
        check("Int!", json!(null), Err("it is null"));
        check("Int", json!(2_147_483_648_i64), Err("it is 2147483648"));
        check("Int", json!(1.5), Err("it is 1.5"));
        check("Float", json!(1), Ok(()));
        check("ID", json!(1), Ok(()));
        check("ID", json!(1.5), Err("it is 1.5"));
        check("String", json!(1), Err("it is 1"));
        check("Boolean", json!("true"), Err("it is \"true\""));
        check("[Int]", json!(1), Ok(()));
        check("[[Int!]]", json!([[1], null]), Ok(()));
        check("[Int!]", json!([1, null]), Err("it is null"));
        check("E", json!("B"), Ok(()));
        check("E", json!("C"), Err("it is \"C\", and none of A, B"));
        check("S", json!({ "a": [1] }), Ok(()));
        check("I", json!({ "n": 1, "e": "A", "list": 7 }), Ok(()));
        check("I", json!({ "n": 1, "e": 1 }), Err("`e`: it is 1, and none of A, B"));
        check("I", json!({ "e": "A" }), Err("`n` is missing"));
        check("I", json!({ "n": 1, "x": 1 }), Err("it has no field `x`"));
        check("I", json!([]), Err("it is a list"));
        check("String", json!(0.5), Err("it is 0.5"));
        check("Int", json!("x".repeat(100)), Err(&format!("it is \"{}…", "x".repeat(39))));
    }

    #[test]
    fn a_variable_that_is_needed_is_there() {
        let document = async_graphql::parser::parse_query("query($a: Int!, $c: Int) { x }").unwrap();
        let (_, operation) = document.operations.iter().next().unwrap();
        let errors = InputTypes::of(SCHEMA).check_variables(&operation.node, &Variables::default());
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].message, "the variable `$a` is no `Int!`: it is missing");
    }

    #[test]
    fn all_fields_of_an_input_that_are_wrong_are_named() {
        let schema = "type Mutation { f(input: I!): Int } input I { n: Int! e: Int d: Decimal } scalar Decimal";
        let query = "mutation($e: Int) { f(input: { n: 3000000000, e: $e, d: \"x\", y: 1 }) }";
        let document = async_graphql::parser::parse_query(query).unwrap();
        let (_, operation) = document.operations.iter().next().unwrap();
        let errors = InputTypes::of(schema).check_arguments(&document, &operation.node, &Variables::default());
        let field = |error: &ServerError| error.extensions.as_ref().unwrap().get("field").unwrap().to_string();
        assert_eq!(errors.iter().map(field).collect::<Vec<_>>(), ["\"y\"", "\"n\"", "\"d\""]);
    }
}
