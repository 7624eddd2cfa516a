//! Types of the schema that no macro writes: a macro knows concrete types alone.

use async_graphql::OutputType;
use async_graphql::indexmap::IndexMap;
use async_graphql::registry::{
    __DirectiveLocation, CacheControl, Deprecation, MetaDirective, MetaDirectiveInvocation, MetaField, MetaInputValue,
    MetaType, MetaTypeId, Registry,
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
    /// Describes a field without arguments.
    pub fn field<T: OutputType>(&mut self, name: &str, description: &str) -> &mut Self {
        let ty = T::create_type_info(self.registry);
        self.field_of(name, description, ty, IndexMap::new())
    }

    /// Describes a field of a registered type.
    pub fn field_of(
        &mut self,
        name: &str,
        description: &str,
        ty: String,
        args: IndexMap<String, MetaInputValue>,
    ) -> &mut Self {
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

    /// Describes a field of a nullable type that is null only beside an error: `@semanticNonNull`.
    pub fn null_beside_error(
        &mut self,
        name: &str,
        description: &str,
        ty: String,
        args: IndexMap<String, MetaInputValue>,
    ) -> &mut Self {
        define_semantic_non_null(self.registry);
        self.field_of(name, description, ty, args);
        if let Some(field) = self.fields.get_mut(name) {
            let invocation = MetaDirectiveInvocation { name: SEMANTIC_NON_NULL.to_owned(), args: IndexMap::new() };
            field.directive_invocations.push(invocation);
        }
        self
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

/// Registers an object.
pub fn object<T: OutputType>(
    registry: &mut Registry,
    description: &str,
    describe: impl Fn(&mut ObjectFields<'_>),
) -> String {
    registry.create_output_type::<T, _>(MetaTypeId::Object, |registry| {
        let mut fields = ObjectFields { registry, fields: IndexMap::new() };
        describe(&mut fields);
        MetaType::Object {
            name: T::type_name().into_owned(),
            description: described(description),
            fields: fields.fields,
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
            rust_typename: Some(std::any::type_name::<T>()),
            directive_invocations: Vec::new(),
            requires_scopes: Vec::new(),
        }
    })
}

/// Registers an interface of these types.
pub fn interface<T: OutputType>(
    registry: &mut Registry,
    description: &str,
    types: impl Fn(&mut Registry) -> Vec<String>,
    describe: impl Fn(&mut ObjectFields<'_>),
) -> String {
    registry.create_output_type::<T, _>(MetaTypeId::Interface, |registry| {
        let possible_types = types(registry).into_iter().map(|name| name.trim_end_matches('!').to_owned()).collect();
        let mut fields = ObjectFields { registry, fields: IndexMap::new() };
        describe(&mut fields);
        MetaType::Interface {
            name: T::type_name().into_owned(),
            description: described(description),
            fields: fields.fields,
            possible_types,
            extends: false,
            inaccessible: false,
            tags: Vec::new(),
            keys: None,
            visible: None,
            rust_typename: Some(std::any::type_name::<T>()),
            directive_invocations: Vec::new(),
            requires_scopes: Vec::new(),
        }
    })
}
