//! The rules for values and variables that `apollo-compiler` does not check, or not completely: a field of an input
//! occurs once (section 5.6.3), and every variable is allowed in its position (section 5.8.5), also inside of a list or
//! of an input.

use std::collections::HashSet;

use apollo_compiler::ast::{Directive, Type, Value, VariableDefinition};
use apollo_compiler::executable::{Operation, Selection, SelectionSet};
use apollo_compiler::parser::SourceSpan;
use apollo_compiler::schema::{ExtendedType, InputValueDefinition};
use apollo_compiler::{ExecutableDocument, Name, Node, Schema};

use super::Findings;
use crate::request::coercion::ONE_OF;

/// Checks the values of a document that is valid otherwise.
pub fn check(schema: &Schema, document: &ExecutableDocument, found: &mut Findings) {
    for operation in document.operations.iter() {
        let mut check = Check { schema, document, operation, fragments: HashSet::new(), found };
        for variable in &operation.variables {
            if let Some(default) = &variable.default_value {
                check.value(default, Some(&variable.ty), false);
            }
        }
        check.directives(&operation.directives);
        check.selections(&operation.selection_set);
    }
}

struct Check<'a, 'f> {
    schema: &'a Schema,
    document: &'a ExecutableDocument,
    operation: &'a Operation,
    /// The fragments that were checked for this operation.
    fragments: HashSet<&'a Name>,
    found: &'f mut Findings,
}

impl<'a> Check<'a, '_> {
    fn selections(&mut self, set: &'a SelectionSet) {
        for selection in &set.selections {
            match selection {
                Selection::Field(field) => {
                    self.directives(&field.directives);
                    for argument in &field.arguments {
                        let known = field.definition.argument_by_name(&argument.name);
                        self.given(&argument.value, known.map(|known| &**known));
                    }
                    self.selections(&field.selection_set);
                }
                Selection::InlineFragment(inline) => {
                    self.directives(&inline.directives);
                    self.selections(&inline.selection_set);
                }
                Selection::FragmentSpread(spread) => {
                    self.directives(&spread.directives);
                    let fragment = self.document.fragments.get(&spread.fragment_name);
                    if let Some(fragment) = fragment.filter(|_| self.fragments.insert(&spread.fragment_name)) {
                        self.directives(&fragment.directives);
                        self.selections(&fragment.selection_set);
                    }
                }
            }
        }
    }

    fn directives(&mut self, directives: &[Node<Directive>]) {
        for directive in directives {
            let definition = self.schema.directive_definitions.get(&directive.name);
            for argument in &directive.arguments {
                let known = definition.and_then(|definition| definition.argument_by_name(&argument.name));
                self.given(&argument.value, known.map(|known| &**known));
            }
        }
    }

    /// Checks what an argument or the field of an input is given.
    fn given(&mut self, value: &Node<Value>, known: Option<&InputValueDefinition>) {
        self.value(value, known.map(|known| &*known.ty), known.is_some_and(|known| known.default_value.is_some()));
    }

    /// Checks a value in a position of this type, if it has one: the parts of a custom scalar have none.
    fn value(&mut self, value: &Node<Value>, wanted: Option<&Type>, has_default: bool) {
        match &**value {
            Value::Variable(name) => self.variable(value.location(), name, wanted, has_default),
            Value::List(items) => {
                // A list in the position of a scalar has items of its type.
                let wanted = wanted.map(|wanted| if wanted.is_list() { wanted.item_type() } else { wanted });
                for item in items {
                    self.value(item, wanted, false);
                }
            }
            Value::Object(fields) => {
                let known = wanted.and_then(|wanted| match self.schema.types.get(wanted.inner_named_type()) {
                    Some(ExtendedType::InputObject(known)) => Some(known),
                    _ => None,
                });
                let is_one_of = known.is_some_and(|known| known.directives.has(ONE_OF));
                let mut names = HashSet::new();
                for (name, value) in fields {
                    if !names.insert(name) {
                        self.found.add(name.location(), || format!("the field `{name}` is provided multiple times"));
                    }
                    let field = known.and_then(|known| known.fields.get(name));
                    self.given(value, field.map(|field| &***field));
                }
                if is_one_of && !matches!(fields.as_slice(), [(_, value)] if self.is_never_null(value)) {
                    let text = "an input with `@oneOf` must have exactly one field, which is not null";
                    self.found.add(value.location(), || text.to_owned());
                }
            }
            _ => {}
        }
    }

    /// Whether a value is not null, whatever the variables; a default does not count, as in graphql-js.
    fn is_never_null(&self, value: &Value) -> bool {
        match value {
            Value::Null => false,
            Value::Variable(name) => {
                let variable = self.operation.variables.iter().find(|variable| variable.name == *name);
                variable.is_none_or(|variable| variable.ty.is_non_null())
            }
            _ => true,
        }
    }

    fn variable(&mut self, place: Option<SourceSpan>, name: &Name, wanted: Option<&Type>, has_default: bool) {
        let Some(variable) = self.operation.variables.iter().find(|variable| variable.name == *name) else {
            return self.found.add(place, || format!("variable `${name}` is not defined"));
        };
        if let Some(wanted) = wanted.filter(|wanted| !is_allowed(variable, wanted, has_default)) {
            let ty = &variable.ty;
            let text = || format!("variable `${name}` of type `{ty}` cannot be used in a position of type `{wanted}`");
            self.found.add(place, text);
        }
    }
}

/// Whether a variable is allowed in a position. A default, of the variable or of the position, replaces what is absent.
fn is_allowed(variable: &VariableDefinition, wanted: &Type, has_default: bool) -> bool {
    let is_replaced = has_default || variable.default_value.as_ref().is_some_and(|default| !default.is_null());
    if wanted.is_non_null() && !variable.ty.is_non_null() {
        return is_replaced && variable.ty.is_assignable_to(&wanted.clone().nullable());
    }
    variable.ty.is_assignable_to(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = "type Query { f(i: I, l: [Int!], d: Int! = 1, s: S, n: Int!, o: O): Int }
        input I { a: Int b: Int! c: Int! = 1 i: I l: [I!] } scalar S
        directive @oneOf on INPUT_OBJECT input O @oneOf { a: Int b: I }";

    #[track_caller]
    fn check(query: &str, expected: &[&str]) {
        let schema = Schema::parse_and_validate(SCHEMA, "").unwrap();
        let document = ExecutableDocument::parse(&schema, query, "").unwrap();
        let mut found = Findings::default();
        super::check(&schema, &document, &mut found);
        let found: Vec<_> = found.list.into_iter().map(|(_, text)| text).collect();
        assert_eq!(found, expected, "{query}");
    }

    #[test]
    fn a_variable_is_allowed_in_its_position() {
        for allowed in [
            "query($x: Int!) { f(n: $x, i: { a: $x, b: $x, c: $x }) }",
            "query($x: Int) { f(n: 1, d: $x, i: { a: $x, b: 1, c: $x }) }",
            "query($x: Int = 1) { f(n: $x, i: { b: $x }) }",
            "query($x: [I!]) { f(n: 1, i: { b: 1, l: $x, i: { b: 1, l: $x } }) }",
            "query($x: I!) { f(n: 1, i: { b: 1, l: [$x] }) }",
            "query($x: S) { f(n: 1, s: [$x]) a: f(n: 1, s: { x: $x }) }",
        ] {
            check(allowed, &[]);
        }
        let refused = |name: &str, wanted: &str| {
            format!("variable `$x` of type `{name}` cannot be used in a position of type `{wanted}`")
        };
        for (query, name, wanted) in [
            ("query($x: Int) { f(n: 1, i: { b: $x }) }", "Int", "Int!"),
            ("query($x: Int = null) { f(n: $x) }", "Int", "Int!"),
            ("query($x: [Int]) { f(n: 1, l: $x) }", "[Int]", "[Int!]"),
            ("query($x: Int) { f(n: 1, l: [$x]) }", "Int", "Int!"),
            ("query($x: I) { f(n: 1, i: { b: 1, l: [$x] }) }", "I", "I!"),
            ("query($x: Float) { ...F } fragment F on Query { f(n: 1, i: { b: 1, a: $x }) }", "Float", "Int"),
            ("query($x: Int) { f(n: 1, s: [$x]) }", "Int", "S"),
        ] {
            check(query, &[&refused(name, wanted)]);
        }
        check("{ f(n: 1, s: { x: $x }) }", &["variable `$x` is not defined"]);
    }

    #[test]
    fn an_input_of_one_field_has_one() {
        check(
            "query($x: Int!, $o: O) { f(n: 1, o: { a: $x }) b: f(n: 1, o: $o) c: f(n: 1, o: { b: { b: $x } }) }",
            &[],
        );
        for refused in [
            "query($x: Int) { f(n: 1, o: { a: $x }) }",
            "query($x: Int = 1) { f(n: 1, o: { a: $x }) }",
            "query($x: Int!) { f(n: 1, o: { a: $x, b: { b: $x } }) }",
            "query($o: O = {}) { f(n: 1, o: $o) }",
            "query($o: O = { a: null }) { f(n: 1, o: $o) }",
        ] {
            check(refused, &["an input with `@oneOf` must have exactly one field, which is not null"]);
        }
    }

    #[test]
    fn a_field_of_an_input_occurs_once() {
        let repeated = |name: &str| format!("the field `{name}` is provided multiple times");
        check("{ f(n: 1, i: { a: 1, b: 1, a: 2 }) }", &[&repeated("a")]);
        check("query($i: I = { b: 1, b: 1 }) { f(n: 1, i: $i) }", &[&repeated("b")]);
        check("{ f(n: 1, i: { b: 1, i: { b: 1, b: 1 } }) }", &[&repeated("b")]);
    }
}
