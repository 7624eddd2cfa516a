//! The API: a request in, a response out, in which every error has a code.

use std::sync::Arc;

use async_graphql::futures_util::stream::{self, BoxStream, StreamExt};
use async_graphql::{BatchRequest, BatchResponse, Data, Executor, Request, Response, ServerError};

use super::error::{Code, Error};
use super::{Schema, builder, limits};
use crate::config::Limits;
use crate::db::Db;

/// The schema over a database, ready to execute. Cheap to clone.
#[derive(Clone)]
pub struct Api {
    schema: Schema,
    limits: Limits,
}

impl Api {
    /// The API over a database, within these limits.
    pub fn new(db: Db, limits: Limits) -> Self {
        Self { schema: builder().data(db).data(limits).finish(), limits }
    }

    /// Answers a request. Whatever is wrong with it is said in the response.
    pub async fn execute(&self, request: impl Into<Request>) -> Response {
        let mut request: Request = request.into();
        let variables = std::mem::take(&mut request.variables);
        let checked = match request.parsed_query() {
            Ok(document) => limits::check(document, &variables, self.limits).map_err(Error::of_request),
            Err(error) => Err(parse_failed(error)),
        };
        if let Err(error) = checked {
            return Response::from_errors(vec![error]);
        }
        let mut response = self.schema.execute(request.variables(variables)).await;
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

impl Executor for Api {
    async fn execute(&self, request: Request) -> Response {
        Self::execute(self, request).await
    }

    /// Several requests in one would have the limits of one each.
    async fn execute_batch(&self, batch: BatchRequest) -> BatchResponse {
        BatchResponse::Single(match batch {
            BatchRequest::Single(request) => Self::execute(self, request).await,
            BatchRequest::Batch(_) => {
                let error = Error::client(Code::BadUserInput, "one request at a time: batches are not accepted");
                Response::from_errors(vec![error.of_request()])
            }
        })
    }

    fn execute_stream(&self, request: Request, _: Option<Arc<Data>>) -> BoxStream<'static, Response> {
        let api = self.clone();
        stream::once(async move { Self::execute(&api, request).await }).boxed()
    }
}
