//! Coercion of variables and arguments before execution.
//!
//! The specification coerces every variable before execution begins (section 6.1.2). The library coerces where an
//! argument uses it: where one of several mutations cannot read its argument, those before it have been committed, and
//! the response does not mention them.
//!
//! `apollo-compiler` coerces variables, too, but reports only the first error, without the field of the input, accepts
//! everything as a custom scalar, refuses ids above 63 bits, and needs the variables as JSON of its own.

use std::collections::HashSet;

use apollo_compiler::ast::FieldDefinition;
use async_graphql::parser::types::{
    Directive, ExecutableDocument, Field, OperationDefinition, OperationType, Selection, SelectionSet,
};
use async_graphql::{Name, Pos, Positioned, ServerError, Value, Variables};
use async_graphql_value::Value as Written;
use bookends_graphql::{constant, has_variable};

use super::code::Code;
use super::error::Error;
use super::visit::{Fragment, Visitor, walk};
use crate::config::Limits;

mod input_types;

pub use input_types::{InputTypes, MAX_ERRORS, ONE_OF, Scalar};
use input_types::{Problem, Wanted};

impl InputTypes {
    /// Checks the variables of an operation, and then the arguments that use them. `nests` says whether the document
    /// [nests variables](nests_variables).
    ///
    /// # Errors
    ///
    /// [`Code::BadUserInput`] for each wrong variable; if there is none, for each wrong argument.
    pub fn check(
        &self,
        document: &ExecutableDocument,
        nests: bool,
        operation: &OperationDefinition,
        variables: &Variables,
    ) -> Result<(), Vec<ServerError>> {
        let mut errors = self.check_variables(operation, variables);
        // An argument that is a variable of its type can be wrong only by null.
        let may_be_wrong = || nests || variables.values().any(|value| *value == Value::Null);
        if errors.is_empty() && may_be_wrong() {
            errors = self.check_arguments(document, operation, variables);
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// The errors in the variables of an operation, each at the position of its declaration.
    fn check_variables(&self, operation: &OperationDefinition, variables: &Variables) -> Vec<ServerError> {
        let mut errors = Vec::new();
        for Positioned { node: definition, .. } in &operation.variable_definitions {
            let Positioned { node: name, pos } = &definition.name;
            let declared = &definition.var_type.node;
            let problems = match variables.get(name) {
                None if declared.nullable => continue,
                None => vec![Problem { field: None, text: "is missing".into() }],
                Some(value) => self.problems(value, Wanted::Written(declared)),
            };
            let message = |text| format!("variable `${name}` of type `{declared}` {text}");
            errors.extend(problems.into_iter().map(|problem| error(*pos, problem.field, message(problem.text))));
        }
        errors.truncate(MAX_ERRORS);
        errors
    }

    /// The errors in the arguments without variables, each at the position of its field.
    pub fn check_literals(&self, document: &ExecutableDocument) -> Vec<ServerError> {
        let mut check = Arguments::new(self, None);
        for (_, operation) in document.operations.iter() {
            check.operation(document, &operation.node);
        }
        check.errors.truncate(MAX_ERRORS);
        check.errors
    }

    /// The errors in the arguments with variables of an operation's fields, each at the position of its field.
    fn check_arguments(
        &self,
        document: &ExecutableDocument,
        operation: &OperationDefinition,
        variables: &Variables,
    ) -> Vec<ServerError> {
        if operation.variable_definitions.is_empty() {
            return Vec::new();
        }
        let mut check = Arguments::new(self, Some(variables));
        check.operation(document, operation);
        check.errors.truncate(MAX_ERRORS);
        check.errors
    }

    /// The errors in the arguments of a field: in those with variables if there are some, otherwise in the others.
    fn check_field(
        &self,
        known: &FieldDefinition,
        field: &Positioned<Field>,
        variables: Option<&Variables>,
    ) -> Vec<ServerError> {
        let (mut errors, none) = (Vec::new(), Variables::default());
        for argument in &known.arguments {
            let (name, wanted) = (&argument.name, Wanted::Declared(&argument.ty));
            // Validation reports a missing argument.
            let Some(given) = field.node.get_argument(name) else { continue };
            if has_variable(&given.node) != variables.is_some() {
                continue;
            }
            let variables = variables.unwrap_or(&none);
            let problems = match &given.node {
                // The variable has been checked, but it can be null where the argument cannot.
                Written::Variable(variable) => match variables.get(variable) {
                    Some(Value::Null) => self.problems(&Value::Null, wanted),
                    _ => Vec::new(),
                },
                written => constant(written, variables).map_or_else(Vec::new, |value| self.problems(&value, wanted)),
            };
            let message = |text| format!("argument `{name}` of type `{wanted}` {text}");
            errors.extend(problems.into_iter().map(|problem| error(field.pos, problem.field, message(problem.text))));
        }
        errors
    }
}

/// Whether an argument of a document has a variable within a list or an object.
pub fn nests_variables(document: &ExecutableDocument) -> bool {
    fn nests(set: &SelectionSet) -> bool {
        set.items.iter().any(|item| match &item.node {
            Selection::Field(field) => {
                let mut arguments = field.node.arguments.iter().map(|(_, value)| &value.node);
                let is_nested = |value: &Written| !matches!(value, Written::Variable(_)) && has_variable(value);
                arguments.any(is_nested) || nests(&field.node.selection_set.node)
            }
            Selection::InlineFragment(inline) => nests(&inline.node.selection_set.node),
            Selection::FragmentSpread(_) => false,
        })
    }

    document.operations.iter().any(|(_, operation)| nests(&operation.node.selection_set.node))
        || document.fragments.values().any(|fragment| nests(&fragment.node.selection_set.node))
}

/// Checks the arguments of every field, those of a fragment once.
struct Arguments<'a> {
    types: &'a InputTypes,
    variables: Option<&'a Variables>,
    /// The types of the selections that the walk is in, the innermost last. Validation reports an unknown field.
    objects: Vec<Option<&'a str>>,
    fragments: HashSet<&'a Name>,
    errors: Vec<ServerError>,
}

impl<'a> Arguments<'a> {
    fn new(types: &'a InputTypes, variables: Option<&'a Variables>) -> Self {
        Self { types, variables, objects: Vec::new(), fragments: HashSet::new(), errors: Vec::new() }
    }

    fn operation(&mut self, document: &'a ExecutableDocument, operation: &'a OperationDefinition) {
        let root = match operation.ty {
            OperationType::Query => "Query",
            OperationType::Mutation => "Mutation",
            OperationType::Subscription => "Subscription",
        };
        self.objects = vec![Some(root)];
        // Deeper selections have been refused already.
        let _ = walk(document, &operation.selection_set.node, Limits::MAX_LEVELS + 1, self);
    }

    /// A variable of the type `Boolean` with a default can be null in `@skip(if:)`, which the library takes for false.
    fn directives(&mut self, directives: &[Positioned<Directive>]) {
        let variables = self.variables;
        let is_null = |value: &Written| match value {
            Written::Variable(name) => variables.and_then(|variables| variables.get(name)) == Some(&Value::Null),
            _ => false,
        };
        for directive in directives {
            for (name, value) in directive.node.arguments.iter().filter(|(_, value)| is_null(&value.node)) {
                let message = format!("argument `{}` of `@{}` cannot be null", name.node, directive.node.name.node);
                self.errors.push(error(value.pos, None, message));
            }
        }
    }
}

impl<'a> Visitor<'a> for Arguments<'a> {
    fn enter_field(&mut self, field: &'a Positioned<Field>) {
        self.directives(&field.node.directives);
        let object = self.objects.last().copied().flatten();
        let known = object.and_then(|object| self.types.field(object, &field.node.name.node));
        if let Some(known) = known.filter(|_| self.errors.len() < MAX_ERRORS) {
            self.errors.extend(self.types.check_field(known, field, self.variables));
        }
        self.objects.push(known.map(|known| known.ty.inner_named_type().as_str()));
    }

    fn leave_field(&mut self, _: &'a Positioned<Field>) {
        self.objects.pop();
    }

    fn enter_fragment(&mut self, fragment: Fragment<'a>) -> bool {
        self.directives(fragment.directives);
        let is_new = fragment.name.is_none_or(|name| self.fragments.insert(name));
        if is_new {
            let outer = self.objects.last().copied().flatten();
            self.objects.push(fragment.on.map(Name::as_str).or(outer));
        }
        is_new
    }

    fn leave_fragment(&mut self, _: Fragment<'a>) {
        self.objects.pop();
    }
}

fn error(pos: Pos, field: Option<String>, message: String) -> ServerError {
    let error = Error::client(Code::BadUserInput, message);
    let error = if let Some(field) = field { error.of_field(field) } else { error };
    ServerError { locations: vec![pos], ..error.of_request() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use apollo_compiler::Schema;
    use apollo_compiler::validation::Valid;

    use super::*;

    const SCALARS: &[Scalar] = &[("Decimal", |value| *value != Value::from("x"))];
    const SCHEMA: &str = "enum E { A B } input I { n: Int! e: E list: [Int!] d: Int! = 1 } scalar S
        input By @oneOf { id: ID uuid: String }";

    fn types(sdl: &str, scalars: &[Scalar], suggests: bool) -> InputTypes {
        // Some of these texts are only a part of a schema.
        let schema = Schema::parse(sdl, "schema.graphql").unwrap_or_else(|error| error.partial);
        InputTypes::new(Arc::new(Valid::assume_valid(schema)), scalars, suggests)
    }

    #[track_caller]
    fn check(declared: &str, value: serde_json::Value, expected: Result<(), &str>) {
        let document = async_graphql::parser::parse_query(format!("query($x: {declared}) {{ __typename }}")).unwrap();
        let (_, operation) = document.operations.iter().next().unwrap();
        let variables = Variables::from_json(serde_json::json!({ "x": value }));
        let found = types(SCHEMA, &[], true).check_variables(&operation.node, &variables);
        let found: Vec<&str> =
            found.iter().map(|error| error.message.split_once("` ").unwrap().1.split_once("` ").unwrap().1).collect();
        assert_eq!(found, expected.err().into_iter().collect::<Vec<_>>(), "{declared}");
    }

    #[test]
    fn values_fit_their_types() {
        use serde_json::json;
        check("Int", json!(1), Ok(()));
        check("Int!", json!(null), Err("cannot be null"));
        check("Int", json!(2_147_483_648_i64), Err("cannot be 2147483648"));
        check("Int", json!(1.5), Err("cannot be 1.5"));
        check("Float", json!(1), Ok(()));
        check("ID", json!(1), Ok(()));
        check("ID", json!(1.5), Err("cannot be 1.5"));
        check("String", json!(1), Err("cannot be 1"));
        check("Boolean", json!("true"), Err("cannot be \"true\""));
        check("[Int]", json!(1), Ok(()));
        check("[[Int!]]", json!([[1], null]), Ok(()));
        check("[Int!]", json!([1, null]), Err("cannot be null"));
        check("E", json!("B"), Ok(()));
        check("E", json!("C"), Err("cannot be \"C\": expected one of A, B"));
        check("S", json!({ "a": [1] }), Ok(()));
        check("I", json!({ "n": 1, "e": "A", "list": 7 }), Ok(()));
        check("I", json!({ "n": 1, "e": 1 }), Err("has an invalid field: `e` cannot be 1: expected one of A, B"));
        check("I", json!({ "e": "A" }), Err("lacks the field `n`"));
        check("I", json!({ "n": 1, "x": 1 }), Err("has no field `x`"));
        check("I", json!({ "n": 1, "lst": [] }), Err("has no field `lst`: did you mean `list`?"));
        check("By", json!({ "id": 1 }), Ok(()));
        for wrong in
            [json!({}), json!({ "id": 1, "uuid": "x" }), json!({ "id": null }), json!({ "id": 1, "uuid": null })]
        {
            check("By", wrong, Err("must have exactly one field, which is not null: `id` or `uuid`"));
        }
        check("I", json!([]), Err("cannot be a list"));
        check("String", json!(0.5), Err("cannot be 0.5"));
        check("Int", json!("x".repeat(100)), Err(&format!("cannot be \"{}…", "x".repeat(39))));
    }

    #[test]
    fn a_variable_that_is_needed_is_there() {
        let document = async_graphql::parser::parse_query("query($a: Int!, $c: Int) { x }").unwrap();
        let (_, operation) = document.operations.iter().next().unwrap();
        let errors = types(SCHEMA, &[], true).check_variables(&operation.node, &Variables::default());
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].message, "variable `$a` of type `Int!` is missing");
    }

    #[test]
    fn only_arguments_that_can_be_wrong_are_looked_at() {
        let types = types("type Query { f(i: I, n: Int!): Int } input I { n: Int! }", &[], false);
        let nested = "query($n: Int) { f(i: { n: $n }, n: 1) }";
        let cases = [
            ("query($n: Int = 1) { f(n: $n) }", false, serde_json::json!({ "n": null }), false),
            ("query($n: Int = 1) { f(n: $n) }", false, serde_json::json!({ "n": 2 }), true),
            (nested, true, serde_json::json!({}), false),
            (nested, true, serde_json::json!({ "n": 2 }), true),
            (
                "query($n: Int) { ... { ...F } } fragment F on Query { f(i: { n: $n }, n: 1) }",
                true,
                serde_json::json!({}),
                false,
            ),
        ];
        for (text, nests, variables, passes) in cases {
            let document = async_graphql::parser::parse_query(text).unwrap();
            assert_eq!(nests_variables(&document), nests, "{text}");
            let (_, operation) = document.operations.iter().next().unwrap();
            let checked = types.check(&document, nests, &operation.node, &Variables::from_json(variables));
            assert_eq!(checked.is_ok(), passes, "{text} {checked:?}");
        }
    }

    #[test]
    fn all_fields_of_an_input_that_are_wrong_are_named() {
        let schema = "type Mutation { f(input: I!): Int } input I { n: Int! e: Int d: Decimal } scalar Decimal";
        let types = types(schema, SCALARS, false);
        let field = |error: &ServerError| error.extensions.as_ref().unwrap().get("field").unwrap().to_string();
        for (e, variables) in [("$e", 0), ("1", 1)] {
            let query = format!("mutation($e: Int) {{ f(input: {{ n: 3000000000, e: {e}, d: \"x\", y: 1 }}) }}");
            let document = async_graphql::parser::parse_query(query).unwrap();
            let (_, operation) = document.operations.iter().next().unwrap();
            let checks = [
                types.check_arguments(&document, &operation.node, &Variables::default()),
                types.check_literals(&document),
            ];
            assert_eq!(checks[variables].iter().map(field).collect::<Vec<_>>(), ["\"y\"", "\"n\"", "\"d\""]);
            assert!(checks[1 - variables].is_empty(), "{checks:?}");
        }
    }
}
