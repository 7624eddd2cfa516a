//! The API: a request in, a response out, in which every error has a code.

use std::sync::Arc;

use async_graphql::futures_util::stream::{BoxStream, StreamExt};
use async_graphql::{Data, Executor, Request, Response, ServerError};

use super::error::Code;
use super::limits::{Meter, check_size};
use super::{Schema, builder};
use crate::config::Limits;
use crate::db::Db;

/// The schema over a database, ready to execute. Cheap to clone.
#[derive(Clone)]
pub struct Api {
    schema: Schema,
    /// The same schema, which executes nothing: see [`Meter`].
    meter: Schema,
    limits: Limits,
}

impl Api {
    /// The API over a database, within these limits.
    pub fn new(db: Db, limits: Limits) -> Self {
        let Limits { max_complexity, max_depth, .. } = limits;
        let schema = builder().data(db).data(limits).limit_complexity(max_complexity).limit_depth(max_depth);
        Self { schema: schema.finish(), meter: builder().extension(Meter(limits)).finish(), limits }
    }

    /// Answers a request. Whatever is wrong with it is said in the response.
    pub async fn execute(&self, request: impl Into<Request>) -> Response {
        let mut request: Request = request.into();
        match request.parsed_query() {
            Ok(document) => {
                if let Err(error) = check_size(document, self.limits) {
                    return Response::from_errors(vec![error.of_request()]);
                }
            }
            Err(error) => return Response::from_errors(vec![parse_failed(error)]),
        }
        let mut again = Request::new(request.query.clone()).variables(request.variables.clone());
        again.operation_name.clone_from(&request.operation_name);

        let mut response = self.schema.execute(request).await;
        if response.errors.iter().any(|error| error.message == TOO_COMPLEX || error.message == TOO_DEEP) {
            return self.meter.execute(again).await;
        }
        for error in response.errors.iter_mut().filter(|error| error.extensions.is_none()) {
            // A field that was called with what it cannot take has a place in the answer; other requests have none.
            let code = if error.path.is_empty() { Code::ValidationFailed } else { Code::BadUserInput };
            set_code(error, code);
        }
        response
    }
}

/// What is wrong, and where, without the line in which it is: that can be the whole request.
fn parse_failed(mut error: ServerError) -> ServerError {
    if let Some((_, expected)) = error.message.rsplit_once("= ") {
        error.message = expected.to_owned();
    }
    set_code(&mut error, Code::ParseFailed);
    error
}

fn set_code(error: &mut ServerError, code: Code) {
    error.extensions.get_or_insert_default().set("code", code.as_str());
}

/// What the library calls a request over its limits.
const TOO_COMPLEX: &str = "Query is too complex.";
const TOO_DEEP: &str = "Query is nested too deep.";

impl Executor for Api {
    async fn execute(&self, request: Request) -> Response {
        Self::execute(self, request).await
    }

    fn execute_stream(&self, request: Request, session: Option<Arc<Data>>) -> BoxStream<'static, Response> {
        Executor::execute_stream(&self.schema, request, session).boxed()
    }
}
