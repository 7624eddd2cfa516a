//! The headers of requests and responses that no standard names.

use axum::http::HeaderName;

/// The header with the request id.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The header that asks for the cost of a request, with the value `report`. No standard names one. Hot Chocolate has
/// this name and this value, and Shopify reports the cost in `extensions.cost`, as this server does.
pub const GRAPHQL_COST: HeaderName = HeaderName::from_static("graphql-cost");

/// The header of the position after a mutation, in its response and in requests that must show it. No standard names one.
pub const GRAPHQL_POSITION: HeaderName = HeaderName::from_static("graphql-position");
