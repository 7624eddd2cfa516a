//! Introspection: what it costs, and whether it is enabled.
//!
//! The selections of `__schema` and `__type` return what the schema has, and types refer to each other: a field of 200
//! characters can have millions of objects. So its response is counted before it is computed. As everywhere, each field
//! of an object costs 1.
//!
//! Pages such as GraphiQL ask for the [whole](WHOLE) schema. One operation may do so whatever its other fields may cost at most,
//! however large the schema is.

use std::sync::{Arc, OnceLock};

use apollo_compiler::Schema;
use apollo_compiler::ast::{FieldDefinition, InputValueDefinition, Type};
use apollo_compiler::collections::HashMap;
use apollo_compiler::schema::{DirectiveDefinition, ExtendedType, Implementers, Name as Word};
use apollo_compiler::validation::Valid;
use async_graphql::parser::parse_query;
use async_graphql::parser::types::{ExecutableDocument, Field, OperationType, Selection, SelectionSet};
use async_graphql::{Name, Pos, Positioned, Value, Variables};
use async_graphql_value::Value as Written;

use super::response_key::times;
use super::visit::{Fragment, Visitor, walk};
use crate::config::Limits;

const SCHEMA: &str = "__schema";
const TYPE: &str = "__type";

/// All that introspection tells of a schema, in the form in which clients ask for it, with types as deep as they ask.
const WHOLE: &str = "{
    __schema {
        description
        queryType { name kind } mutationType { name kind } subscriptionType { name kind }
        types {
            kind name description specifiedByURL isOneOf
            fields(includeDeprecated: true) {
                name description isDeprecated deprecationReason
                args(includeDeprecated: true) { ...Input }
                type { ...Type }
            }
            inputFields(includeDeprecated: true) { ...Input }
            interfaces { ...Type }
            enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
            possibleTypes { ...Type }
        }
        directives { name description isRepeatable locations args(includeDeprecated: true) { ...Input } }
    }
}
fragment Input on __InputValue { name description type { ...Type } defaultValue isDeprecated deprecationReason }
fragment Type on __Type {
    kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType {
        kind name ofType { kind name ofType { kind name ofType { kind name } } }
    } } } } } }
}";

/// Counts what introspection returns. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Introspection {
    schema: Arc<Valid<Schema>>,
    implementers: Arc<HashMap<Word, Implementers>>,
    /// What [`WHOLE`] costs.
    whole: Arc<OnceLock<usize>>,
}

impl Introspection {
    /// The introspection of a schema.
    pub fn new(schema: Arc<Valid<Schema>>) -> Self {
        let implementers = Arc::new(schema.implementers_map());
        Self { schema, implementers, whole: Arc::default() }
    }

    /// What the introspection of the whole schema costs.
    pub fn whole(&self) -> usize {
        *self.whole.get_or_init(|| {
            let Ok(document) = parse_query(WHOLE) else { return 0 };
            let sets = document.operations.iter().flat_map(|(_, operation)| &operation.node.selection_set.node.items);
            let fields =
                sets.filter_map(|item| if let Selection::Field(field) = &item.node { Some(field) } else { None });
            fields.map(|field| self.count(&document, &Variables::default(), &field.node, usize::MAX)).sum()
        })
    }

    /// The number of fields that a field of introspection returns, of all objects, with itself. One with a long response key
    /// counts several times. The count ends at a maximum.
    pub fn count(&self, document: &ExecutableDocument, variables: &Variables, field: &Field, max: usize) -> usize {
        let root = match field.name.node.as_str() {
            SCHEMA => Some(Described::Schema),
            _ => type_name(field, variables).and_then(|name| self.named(name)),
        };
        let mut count = Count { introspection: self, document, left: max };
        count.add(times(field));
        if let Some(root) = root {
            count.selected(root, &field.selection_set.node);
        }
        max - count.left
    }

    /// The name of the type that the operations of a kind begin at; empty if there is none.
    pub fn root(&self, kind: OperationType) -> &str {
        let definition = &self.schema.schema_definition;
        let root = match kind {
            OperationType::Query => &definition.query,
            OperationType::Mutation => &definition.mutation,
            OperationType::Subscription => &definition.subscription,
        };
        root.as_ref().map_or("", |root| root.as_str())
    }

    /// The name of the type of a field, without lists; empty if there is no such field.
    pub fn type_of(&self, on: &str, field: &str) -> &str {
        self.schema.type_field(on, field).map_or("", |field| field.ty.inner_named_type().as_str())
    }

    fn named(&self, name: &str) -> Option<Described<'_>> {
        self.schema.types.get(name).map(Described::Type)
    }

    fn reference<'a>(&'a self, ty: &'a Type) -> Option<Described<'a>> {
        match ty {
            Type::Named(name) => self.named(name),
            ty => Some(Described::Wrapper(ty)),
        }
    }

    /// The objects that a field returns.
    fn objects<'a>(&'a self, of: Described<'a>, field: &str) -> Vec<Described<'a>> {
        let (schema, one) = (&self.schema, |object: Option<Described<'a>>| object.into_iter().collect());
        match (of, field) {
            (Described::Schema, "types") => schema.types.values().map(Described::Type).collect(),
            (Described::Schema, "directives") => {
                schema.directive_definitions.values().map(|directive| Described::Directive(directive)).collect()
            }
            (Described::Schema, root) => {
                let definition = &schema.schema_definition;
                let root = match root {
                    "queryType" => &definition.query,
                    "mutationType" => &definition.mutation,
                    "subscriptionType" => &definition.subscription,
                    _ => &None,
                };
                one(root.as_ref().and_then(|root| self.named(root)))
            }
            (Described::Type(ty), field) => self.list_of_type(ty, field),
            (Described::Wrapper(Type::NonNullNamed(name)), "ofType") => one(self.named(name)),
            (Described::Wrapper(Type::NonNullList(item)), "ofType") => vec![Described::List(item)],
            (Described::Wrapper(Type::List(item)), "ofType") => one(self.reference(item)),
            (Described::List(item), "ofType") => one(self.reference(item)),
            (Described::Field(field), "args") => inputs(&field.arguments),
            (Described::Directive(directive), "args") => inputs(&directive.arguments),
            (Described::Field(field), "type") => one(self.reference(&field.ty)),
            (Described::Input(input), "type") => one(self.reference(&input.ty)),
            _ => Vec::new(),
        }
    }

    fn list_of_type<'a>(&'a self, ty: &'a ExtendedType, field: &str) -> Vec<Described<'a>> {
        match (ty, field) {
            (ExtendedType::Object(ty), "fields") => ty.fields.values().map(|field| Described::Field(field)).collect(),
            (ExtendedType::Interface(ty), "fields") => {
                ty.fields.values().map(|field| Described::Field(field)).collect()
            }
            (ExtendedType::Object(ty), "interfaces") => {
                ty.implements_interfaces.iter().filter_map(|name| self.named(name)).collect()
            }
            (ExtendedType::Interface(ty), "interfaces") => {
                ty.implements_interfaces.iter().filter_map(|name| self.named(name)).collect()
            }
            (ExtendedType::Interface(ty), "possibleTypes") => {
                let objects = self.implementers.get(&ty.name).into_iter().flat_map(|known| &known.objects);
                objects.filter_map(|name| self.named(name)).collect()
            }
            (ExtendedType::Union(ty), "possibleTypes") => {
                ty.members.iter().filter_map(|name| self.named(name)).collect()
            }
            (ExtendedType::Enum(ty), "enumValues") => ty.values.iter().map(|_| Described::EnumValue).collect(),
            (ExtendedType::InputObject(ty), "inputFields") => {
                ty.fields.values().map(|field| Described::Input(field)).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Whether a field is introspection.
pub fn is(field: &Field) -> bool {
    [SCHEMA, TYPE].contains(&field.name.node.as_str())
}

/// The first field of introspection in a document.
pub fn first(document: &ExecutableDocument) -> Option<Pos> {
    let mut found = First(None);
    for (_, operation) in document.operations.iter() {
        // Deeper selections have been refused already.
        let _ = walk(document, &operation.node.selection_set.node, Limits::MAX_LEVELS + 1, &mut found);
    }
    found.0
}

struct First(Option<Pos>);

impl<'a> Visitor<'a> for First {
    fn enter_field(&mut self, field: &'a Positioned<Field>) {
        if is(&field.node) {
            self.0.get_or_insert(field.pos);
        }
    }

    fn enter_fragment(&mut self, _: Fragment<'a>) -> bool {
        self.0.is_none()
    }
}

/// What an object of introspection describes.
#[derive(Clone, Copy)]
enum Described<'a> {
    Schema,
    Type(&'a ExtendedType),
    /// A list, or a type without null.
    Wrapper(&'a Type),
    /// A list of these items.
    List(&'a Type),
    Field(&'a FieldDefinition),
    Input(&'a InputValueDefinition),
    EnumValue,
    Directive(&'a DirectiveDefinition),
}

fn inputs(inputs: &[apollo_compiler::Node<InputValueDefinition>]) -> Vec<Described<'_>> {
    inputs.iter().map(|input| Described::Input(input)).collect()
}

/// The argument `name`.
fn type_name<'a>(field: &'a Field, variables: &'a Variables) -> Option<&'a str> {
    match &field.get_argument("name")?.node {
        Written::String(name) => Some(name),
        Written::Variable(variable) => match variables.get(variable)? {
            Value::String(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

struct Count<'a> {
    introspection: &'a Introspection,
    document: &'a ExecutableDocument,
    left: usize,
}

impl Count<'_> {
    fn add(&mut self, count: usize) {
        self.left = self.left.saturating_sub(count);
    }

    /// Counts what is selected of an object. Fragments count, too, so that the work is bounded.
    fn selected(&mut self, of: Described<'_>, set: &SelectionSet) {
        for item in &set.items {
            if self.left == 0 {
                return;
            }
            self.add(if let Selection::Field(field) = &item.node { times(&field.node) } else { 1 });
            match &item.node {
                Selection::Field(field) if field.node.selection_set.node.items.is_empty() => {}
                Selection::Field(field) => {
                    for object in self.introspection.objects(of, &field.node.name.node) {
                        self.selected(object, &field.node.selection_set.node);
                    }
                }
                Selection::InlineFragment(inline) => self.selected(of, &inline.node.selection_set.node),
                Selection::FragmentSpread(spread) => {
                    let name: &Name = &spread.node.fragment_name.node;
                    if let Some(fragment) = self.document.fragments.get(name) {
                        self.selected(of, &fragment.node.selection_set.node);
                    }
                }
            }
        }
    }
}
