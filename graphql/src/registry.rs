//! Types of the schema that no macro writes: those of declared objects are data.

use async_graphql::OutputType;
use async_graphql::indexmap::IndexMap;
use async_graphql::registry::{
    __DirectiveLocation, CacheControl, Deprecation, MetaDirective, MetaDirectiveInvocation, MetaEnumValue, MetaField,
    MetaType, Registry,
};

use crate::input::{InputFields, described};

/// The directive of fields that are null only beside an error.
const SEMANTIC_NON_NULL: &str = "semanticNonNull";

/// The fields of an object, as the schema describes them.
pub struct ObjectFields<'a> {
    pub registry: &'a mut Registry,
    fields: IndexMap<String, MetaField>,
}

impl ObjectFields<'_> {
    /// Describes a field of a type of Rust without arguments.
    pub fn field<T: OutputType>(&mut self, name: &str, description: &str) -> &mut Self {
        let ty = T::create_type_info(self.registry);
        self.plain(name, description, ty)
    }

    /// Describes a field of a registered type without arguments.
    pub fn plain(&mut self, name: &str, description: &str, ty: String) -> &mut Self {
        self.with_arguments(name, description, ty, |_| {})
    }

    /// Describes a field of a registered type with arguments.
    pub fn with_arguments(
        &mut self,
        name: &str,
        description: &str,
        ty: String,
        describe: impl FnOnce(&mut InputFields<'_>),
    ) -> &mut Self {
        let mut arguments = InputFields::new(self.registry);
        describe(&mut arguments);
        let args = arguments.finish();
        let field = MetaField {
            name: name.to_owned(),
            description: described(description),
            args,
            ty,
            deprecation: Deprecation::NoDeprecated,
            cache_control: CacheControl::default(),
            external: false,
            requires: None,
            provides: None,
            visible: None,
            shareable: false,
            inaccessible: false,
            tags: Vec::new(),
            override_from: None,
            compute_complexity: None,
            directive_invocations: Vec::new(),
            requires_scopes: Vec::new(),
        };
        self.fields.insert(name.to_owned(), field);
        self
    }

    /// Says that the field that was described last, which can be null, is null only beside an error: `@semanticNonNull`.
    pub fn null_beside_error(&mut self) {
        define_semantic_non_null(self.registry);
        if let Some((_, field)) = self.fields.last_mut() {
            let invocation = MetaDirectiveInvocation { name: SEMANTIC_NON_NULL.to_owned(), args: IndexMap::new() };
            field.directive_invocations.push(invocation);
        }
    }
}

/// Defines `@semanticNonNull` as Relay and Apollo read it.
fn define_semantic_non_null(registry: &mut Registry) {
    let mut arguments = InputFields::new(registry);
    arguments.field_with_default("levels", "The list levels to which this applies. 0 is the field itself.", &vec![0]);
    let args = arguments.finish();
    registry.add_directive(MetaDirective {
        name: SEMANTIC_NON_NULL.to_owned(),
        description: Some("The field is null only if it has an error.".to_owned()),
        locations: vec![__DirectiveLocation::FIELD_DEFINITION],
        args,
        is_repeatable: false,
        visible: None,
        composable: None,
    });
}

/// Registers a type once, and returns its name as one that is not null. A type can refer to itself.
fn define(registry: &mut Registry, name: &str, make: impl FnOnce(&mut Registry) -> MetaType) -> String {
    if !registry.types.contains_key(name) {
        registry.types.insert(name.to_owned(), object_of(name, "", IndexMap::new()));
        let ty = make(registry);
        registry.types.insert(name.to_owned(), ty);
    }
    format!("{name}!")
}

/// Registers an object.
pub fn object(
    registry: &mut Registry,
    name: &str,
    description: &str,
    describe: impl FnOnce(&mut ObjectFields<'_>),
) -> String {
    define(registry, name, |registry| {
        let mut fields = ObjectFields { registry, fields: IndexMap::new() };
        describe(&mut fields);
        let fields = fields.fields;
        object_of(name, description, fields)
    })
}

fn object_of(name: &str, description: &str, fields: IndexMap<String, MetaField>) -> MetaType {
    MetaType::Object {
        name: name.to_owned(),
        description: described(description),
        fields,
        cache_control: CacheControl::default(),
        extends: false,
        shareable: false,
        resolvable: true,
        keys: None,
        visible: None,
        inaccessible: false,
        interface_object: false,
        tags: Vec::new(),
        is_subscription: false,
        rust_typename: None,
        directive_invocations: Vec::new(),
        requires_scopes: Vec::new(),
    }
}

/// Registers an interface of objects of these names.
pub fn interface(
    registry: &mut Registry,
    name: &str,
    description: &str,
    types: impl IntoIterator<Item = String>,
    describe: impl FnOnce(&mut ObjectFields<'_>),
) -> String {
    let possible_types = types.into_iter().inspect(|object| registry.add_implements(object, name)).collect();
    define(registry, name, |registry| {
        let mut fields = ObjectFields { registry, fields: IndexMap::new() };
        describe(&mut fields);
        MetaType::Interface {
            name: name.to_owned(),
            description: described(description),
            fields: fields.fields,
            possible_types,
            extends: false,
            inaccessible: false,
            tags: Vec::new(),
            keys: None,
            visible: None,
            rust_typename: None,
            directive_invocations: Vec::new(),
            requires_scopes: Vec::new(),
        }
    })
}

/// Registers an enum of these items, each with its description.
pub fn enumeration(
    registry: &mut Registry,
    name: &str,
    description: &str,
    items: impl IntoIterator<Item = (String, String)>,
) -> String {
    let item = |(name, description): (String, String)| {
        let item = MetaEnumValue {
            name: name.clone(),
            description: described(&description),
            deprecation: Deprecation::NoDeprecated,
            visible: None,
            inaccessible: false,
            tags: Vec::new(),
            directive_invocations: Vec::new(),
        };
        (name, item)
    };
    let enum_values = items.into_iter().map(item).collect();
    define(registry, name, |_| MetaType::Enum {
        name: name.to_owned(),
        description: described(description),
        enum_values,
        visible: None,
        inaccessible: false,
        tags: Vec::new(),
        rust_typename: None,
        directive_invocations: Vec::new(),
        requires_scopes: Vec::new(),
    })
}

/// Registers an input object.
pub fn input(
    registry: &mut Registry,
    name: &str,
    description: &str,
    describe: impl FnOnce(&mut InputFields<'_>),
) -> String {
    define(registry, name, |registry| {
        let mut fields = InputFields::new(registry);
        describe(&mut fields);
        MetaType::InputObject {
            name: name.to_owned(),
            description: described(description),
            input_fields: fields.finish(),
            visible: None,
            inaccessible: false,
            tags: Vec::new(),
            rust_typename: None,
            oneof: false,
            directive_invocations: Vec::new(),
        }
    })
}
