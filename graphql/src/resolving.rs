//! What fields that an application resolves reach: the connection, the data and the arguments.

use std::any::{Any, TypeId, type_name};
use std::fmt;

use async_graphql::context::QueryEnv;
use async_graphql::{Data, InputType, SchemaEnv};
use sea_orm::DbErr;

use crate::arguments::Arguments;
use crate::plan::Run;
use crate::{Error, Reader, Result};

/// What a request carries, by type: what resolvers of async-graphql find in their context, and resolved fields of objects by
/// [`Resolving::data`].
pub trait RequestData: Sync {
    /// The value of this type.
    fn get(&self, of: TypeId) -> Option<&(dyn Any + Send + Sync)>;
}

impl RequestData for Data {
    fn get(&self, of: TypeId) -> Option<&(dyn Any + Send + Sync)> {
        (**self).get(&of).map(|value| &**value)
    }
}

impl RequestData for (QueryEnv, SchemaEnv) {
    fn get(&self, of: TypeId) -> Option<&(dyn Any + Send + Sync)> {
        let (query, schema) = self;
        let data: [&Data; 3] = [&query.query_data, &query.session_data, &schema.data];
        data.into_iter().find_map(|data| RequestData::get(data, of))
    }
}

/// What a resolver can use beside its rows.
#[derive(Clone, Copy)]
pub struct Resolving<'a> {
    pub(crate) run: &'a Run<'a>,
    pub(crate) arguments: Arguments<'a>,
}

impl<'a> Resolving<'a> {
    /// The connection of the request. A query reads by it the same state of the database as the rest of its response.
    pub fn reader(&self) -> &'a Reader {
        self.run.reader
    }

    /// The value of this type in the data of the request, if there is one: what a resolver of async-graphql finds in its context.
    pub fn data_opt<D: Any + Send + Sync>(&self) -> Option<&'a D> {
        self.run.data.get(TypeId::of::<D>()).and_then(|data| (data as &dyn Any).downcast_ref())
    }

    /// The value of this type in the data of the request.
    ///
    /// # Errors
    ///
    /// `INTERNAL` if there is none.
    pub fn data<D: Any + Send + Sync>(&self) -> Result<&'a D> {
        let missing = || DbErr::Custom(format!("the data of the request have no `{}`", type_name::<D>()));
        self.data_opt().ok_or_else(|| Error::internal(&missing()))
    }

    /// The value of an argument: see [`Field::argument`](crate::Field::argument).
    ///
    /// # Errors
    ///
    /// [`BAD_USER_INPUT`](crate::error::code::BAD_USER_INPUT) if it does not have this type.
    pub fn argument<T: InputType>(&self, name: &str) -> Result<T> {
        self.arguments.get(name)
    }
}

impl fmt::Debug for Resolving<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolving").finish_non_exhaustive()
    }
}
