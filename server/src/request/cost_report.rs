//! The cost of a request in its response, if the client asks for it.

use async_graphql::{Request, Response, ServerError, Value, value};

use super::message::shorten;

/// The member of a request's `extensions` that asks for its cost, and the value that it has for that. Over a WebSocket,
/// where an operation has no headers, it is the only way.
const EXTENSION: (&str, &str) = ("cost", "report");

/// The cost of a request, and the maximum.
#[derive(Clone, Copy, Debug)]
pub struct CostReport {
    pub requested: usize,
    pub maximum: usize,
}

impl CostReport {
    /// Whether the extensions of a request ask for its cost.
    pub fn is_wanted(request: &Request) -> bool {
        let (name, value) = EXTENSION;
        request.extensions.get(name).is_some_and(|found| *found == Value::from(value))
    }

    /// Adds the cost to a response, as `extensions.cost`.
    pub fn add_to(self, response: &mut Response) {
        let Self { requested, maximum } = self;
        response.extensions.insert("cost".into(), value!({ "requested": requested, "maximum": maximum }));
    }
}

/// Why a request is not executed; and its cost, if it is wanted and known.
#[derive(Debug)]
pub struct Refused {
    pub errors: Vec<ServerError>,
    pub report: Option<CostReport>,
}

impl From<Vec<ServerError>> for Refused {
    fn from(errors: Vec<ServerError>) -> Self {
        Self { errors, report: None }
    }
}

impl From<Refused> for Response {
    fn from(Refused { mut errors, report }: Refused) -> Self {
        errors.iter_mut().for_each(shorten);
        let mut response = Self::from_errors(errors);
        if let Some(report) = report {
            report.add_to(&mut response);
        }
        response
    }
}
