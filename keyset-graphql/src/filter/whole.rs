//! A filter from the conditions on one object.

use std::borrow::Cow;

use async_graphql::registry::Registry;
use async_graphql::{InputObjectType, InputType, InputValueError, InputValueResult, Value};
use sea_orm::Condition;

use super::{Filter, Logic, Scope};
use crate::{Result, input};

/// The conditions that an input object holds: derive `InputObject`, then say which rows fulfil them.
pub trait Conditions: InputObjectType {
    /// The rows that fulfil all given conditions.
    ///
    /// # Errors
    ///
    /// As [`Filter::condition`].
    fn conditions(&self, scope: &mut Scope) -> Result<Condition>;
}

/// Conditions with `and`, `or` and `not`: a whole [`Filter`]. `CityFilter` for `CityConditions`.
#[derive(Clone, Debug)]
pub struct Where<C> {
    conditions: C,
    logic: Logic<Self>,
}

impl<C: Conditions> Filter for Where<C> {
    fn logic(&self) -> &Logic<Self> {
        &self.logic
    }

    fn fields(&self, scope: &mut Scope) -> Result<Condition> {
        self.conditions.conditions(scope)
    }
}

impl<C: Conditions> InputType for Where<C> {
    type RawValueType = Self;

    fn type_name() -> Cow<'static, str> {
        let conditions = C::type_name();
        format!("{}Filter", conditions.strip_suffix("Conditions").unwrap_or(&conditions)).into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        input::register::<Self>(
            registry,
            "Conditions on an object. All given conditions must match. A null condition is ignored.",
            |fields| {
                fields.flatten::<C>().flatten::<Logic<Self>>();
            },
        )
    }

    fn parse(value: Option<Value>) -> InputValueResult<Self> {
        let fields = Value::Object(input::object(value)?);
        Ok(Self {
            conditions: C::parse(Some(fields.clone())).map_err(InputValueError::propagate)?,
            logic: Logic::parse(Some(fields)).map_err(InputValueError::propagate)?,
        })
    }

    fn to_value(&self) -> Value {
        match (self.conditions.to_value(), self.logic.to_value()) {
            (Value::Object(conditions), Value::Object(logic)) => {
                Value::Object(conditions.into_iter().chain(logic).collect())
            }
            (value, _) => value,
        }
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }
}

impl<C: Conditions> InputObjectType for Where<C> {}
