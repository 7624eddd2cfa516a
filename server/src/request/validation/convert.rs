//! The document that the library executes, from the syntax tree that was validated. So a text is parsed once, and by the
//! grammar of the specification: the library's own parser refuses white space inside a type, for example.

use std::collections::HashMap;

use apollo_compiler::ast::{self, Argument, Definition, DirectiveList, Selection as Selected, Type as Declared};
use apollo_compiler::parser::SourceSpan;
use apollo_compiler::{Name as Word, Node};
use async_graphql::parser::types::{
    BaseType, Directive, DocumentOperations, ExecutableDocument, Field, FragmentDefinition, FragmentSpread,
    InlineFragment, OperationDefinition, OperationType, Selection, SelectionSet, Type, TypeCondition,
    VariableDefinition,
};
use async_graphql::{Name, Pos, Positioned};
use async_graphql_value::{ConstValue, Value};

use super::positions::Positions;

/// A number that neither 64 bits nor a double can hold, and its position.
#[derive(Clone, Debug, PartialEq)]
pub struct TooLarge {
    pub number: String,
    pub pos: Pos,
}

/// Converts a document. Of several definitions with one name, the last one stays: validation reports them.
///
/// # Errors
///
/// [`TooLarge`].
pub fn convert(document: &ast::Document, text: &str) -> Result<ExecutableDocument, TooLarge> {
    let mut reader = Converter { positions: Positions::of(text), too_large: None };
    let (mut anonymous, mut named, mut fragments) = (None, HashMap::new(), HashMap::new());
    for definition in &document.definitions {
        match definition {
            Definition::OperationDefinition(operation) => {
                let converted = reader.operation(operation);
                match &operation.name {
                    Some(name) => _ = named.insert(Name::new(name), converted),
                    None => anonymous = Some(converted),
                }
            }
            Definition::FragmentDefinition(fragment) => {
                fragments.insert(Name::new(&fragment.name), reader.fragment(fragment));
            }
            // Validation refuses the definition of a type.
            _ => {}
        }
    }
    let operations = match anonymous {
        Some(operation) if named.is_empty() => DocumentOperations::Single(operation),
        _ => DocumentOperations::Multiple(named),
    };
    reader.too_large.map_or(Ok(ExecutableDocument { operations, fragments }), Err)
}

struct Converter<'a> {
    positions: Positions<'a>,
    too_large: Option<TooLarge>,
}

impl Converter<'_> {
    fn at(&mut self, place: Option<SourceSpan>) -> Pos {
        place.map(|place| self.positions.at(place.offset())).unwrap_or_default()
    }

    fn name(&mut self, name: &Word) -> Positioned<Name> {
        Positioned::new(Name::new(name), self.at(name.location()))
    }

    fn operation(&mut self, operation: &Node<ast::OperationDefinition>) -> Positioned<OperationDefinition> {
        let pos = self.at(operation.location());
        let variables = operation.variables.iter();
        let converted = OperationDefinition {
            ty: match operation.operation_type {
                ast::OperationType::Query => OperationType::Query,
                ast::OperationType::Mutation => OperationType::Mutation,
                ast::OperationType::Subscription => OperationType::Subscription,
            },
            variable_definitions: variables.map(|variable| self.variable(variable)).collect(),
            directives: self.directives(&operation.directives),
            selection_set: self.selections(&operation.selection_set, pos),
        };
        Positioned::new(converted, pos)
    }

    fn fragment(&mut self, fragment: &Node<ast::FragmentDefinition>) -> Positioned<FragmentDefinition> {
        let pos = self.at(fragment.location());
        let converted = FragmentDefinition {
            type_condition: self.condition(&fragment.type_condition),
            directives: self.directives(&fragment.directives),
            selection_set: self.selections(&fragment.selection_set, pos),
        };
        Positioned::new(converted, pos)
    }

    fn condition(&mut self, on: &Word) -> Positioned<TypeCondition> {
        let on = self.name(on);
        Positioned::new(TypeCondition { on: on.clone() }, on.pos)
    }

    fn variable(&mut self, variable: &Node<ast::VariableDefinition>) -> Positioned<VariableDefinition> {
        let pos = self.at(variable.location());
        let name = self.name(&variable.name);
        let var_type = Positioned::new(type_of(&variable.ty), self.at(variable.ty.location()));
        let default_value = variable.default_value.as_ref().map(|default| {
            let Positioned { pos, node } = self.value(default);
            // Validation refuses a variable in a default.
            Positioned::new(node.into_const().unwrap_or(ConstValue::Null), pos)
        });
        let directives = self.directives(&variable.directives);
        Positioned::new(VariableDefinition { name, var_type, directives, default_value }, pos)
    }

    fn directives(&mut self, directives: &DirectiveList) -> Vec<Positioned<Directive>> {
        let convert = |directive: &Node<ast::Directive>| {
            let pos = self.at(directive.location());
            let name = self.name(&directive.name);
            Positioned::new(Directive { name, arguments: self.arguments(&directive.arguments) }, pos)
        };
        directives.iter().map(convert).collect()
    }

    fn arguments(&mut self, arguments: &[Node<Argument>]) -> Vec<(Positioned<Name>, Positioned<Value>)> {
        arguments.iter().map(|argument| (self.name(&argument.name), self.value(&argument.value))).collect()
    }

    fn selections(&mut self, selections: &[Selected], pos: Pos) -> Positioned<SelectionSet> {
        let items = selections.iter().map(|selection| self.selection(selection)).collect();
        Positioned::new(SelectionSet { items }, pos)
    }

    fn selection(&mut self, selection: &Selected) -> Positioned<Selection> {
        let pos = self.at(selection.location());
        let converted = match selection {
            Selected::Field(field) => {
                let alias = field.alias.as_ref().map(|alias| self.name(alias));
                let converted = Field {
                    alias,
                    name: self.name(&field.name),
                    arguments: self.arguments(&field.arguments),
                    directives: self.directives(&field.directives),
                    selection_set: self.selections(&field.selection_set, pos),
                };
                Selection::Field(Positioned::new(converted, pos))
            }
            Selected::FragmentSpread(spread) => {
                let fragment_name = self.name(&spread.fragment_name);
                let converted = FragmentSpread { fragment_name, directives: self.directives(&spread.directives) };
                Selection::FragmentSpread(Positioned::new(converted, pos))
            }
            Selected::InlineFragment(inline) => {
                let converted = InlineFragment {
                    type_condition: inline.type_condition.as_ref().map(|on| self.condition(on)),
                    directives: self.directives(&inline.directives),
                    selection_set: self.selections(&inline.selection_set, pos),
                };
                Selection::InlineFragment(Positioned::new(converted, pos))
            }
        };
        Positioned::new(converted, pos)
    }

    fn value(&mut self, value: &Node<ast::Value>) -> Positioned<Value> {
        let pos = self.at(value.location());
        Positioned::new(self.bare(value, pos), pos)
    }

    fn bare(&mut self, value: &ast::Value, pos: Pos) -> Value {
        match value {
            ast::Value::Null => Value::Null,
            ast::Value::Enum(name) => Value::Enum(Name::new(name)),
            ast::Value::Variable(name) => Value::Variable(Name::new(name)),
            ast::Value::String(text) => Value::String(text.clone()),
            ast::Value::Boolean(value) => Value::Boolean(*value),
            ast::Value::Int(number) => self.number(number.as_str(), pos),
            ast::Value::Float(number) => self.number(number.as_str(), pos),
            ast::Value::List(items) => Value::List(items.iter().map(|item| self.bare(item, pos)).collect()),
            ast::Value::Object(fields) => {
                Value::Object(fields.iter().map(|(name, value)| (Name::new(name), self.bare(value, pos))).collect())
            }
        }
    }

    fn number(&mut self, number: &str, pos: Pos) -> Value {
        if let Ok(number) = number.parse() {
            return Value::Number(number);
        }
        self.too_large.get_or_insert_with(|| TooLarge { number: number.to_owned(), pos });
        Value::Null
    }
}

fn type_of(declared: &Declared) -> Type {
    let (base, nullable) = match declared {
        Declared::Named(name) => (BaseType::Named(Name::new(name)), true),
        Declared::NonNullNamed(name) => (BaseType::Named(Name::new(name)), false),
        Declared::List(item) => (BaseType::List(Box::new(type_of(item))), true),
        Declared::NonNullList(item) => (BaseType::List(Box::new(type_of(item))), false),
    };
    Type { base, nullable }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A document as JSON. The syntax tree has no position for a selection set and for a type condition.
    fn json(document: &ExecutableDocument) -> serde_json::Value {
        fn strip(value: &mut serde_json::Value) {
            if let Some(fields) = value.as_object_mut() {
                for (name, value) in fields {
                    if name == "selection_set" || name == "type_condition" {
                        value.as_object_mut().map(|positioned| positioned.remove("pos"));
                    }
                    strip(value);
                }
            } else if let Some(items) = value.as_array_mut() {
                items.iter_mut().for_each(strip);
            }
        }
        let mut json = serde_json::to_value(document).unwrap();
        strip(&mut json);
        json
    }

    #[test]
    fn a_document_is_what_the_library_parses() {
        for text in [
            "{ a }",
            "query A { a } mutation B { b } subscription C { c }",
            "query($a: [Int!]! = [1, -2], $b: I = { c: 1.5e3, d: [\"é\\n\", E, true, null] }) @d(x: 1) { a(b: $b) }",
            "# é\n{ e: a(b: {c: [$x, {d: $y}]}) @skip(if: $z) { ... @include(if: true) { b } ...F ... on T { c } } }
             fragment F on T @d { \r\n e: a(b: \"é\") c }",
            "{ a(b: \"\"\"\n  block\n    text\n  \"\"\", c: \"\\u00e9\\\"\") , b: c }",
            "\u{feff}{a(b:12345678901234567890,c:-0,d:1e3){b}}",
        ] {
            let parsed = ast::Document::parse(text, "").unwrap_or_else(|errors| panic!("{text}: {}", errors.errors));
            let expected = async_graphql::parser::parse_query(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let converted = convert(&parsed, text).unwrap();
            assert_eq!(json(&converted), json(&expected), "{text}");
        }
    }

    #[test]
    fn a_document_is_read_that_the_library_cannot_parse() {
        let text = "query($a: [ ID ! ] !) { node(id: \"\\u{1F600} \\uD83D\\uDE00 \") { id } }";
        let document = convert(&ast::Document::parse(text, "").unwrap(), text).unwrap();
        let (_, operation) = document.operations.iter().next().unwrap();
        assert_eq!(operation.node.variable_definitions[0].node.var_type.node.to_string(), "[ID!]!");
        let Selection::Field(field) = &operation.node.selection_set.node.items[0].node else { panic!("{document:?}") };
        assert_eq!(field.node.arguments[0].1.node, Value::String("😀 😀 ".into()));
    }

    #[test]
    fn a_number_that_is_too_large_is_found() {
        let text = "{ a(b: [1e400]) }";
        let found = convert(&ast::Document::parse(text, "").unwrap(), text).unwrap_err();
        assert_eq!(found, TooLarge { number: "1e400".into(), pos: Pos { line: 1, column: 8 } });
    }
}
