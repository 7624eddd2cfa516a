//! Lists and writes of Bookends with the client library cynic, over the HTTP client ureq.

use std::iter;

use cynic::{GraphQlError, GraphQlResponse, MutationBuilder, Operation, QueryBuilder};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The types of `schema.graphql`.
#[cynic::schema("bookends")]
pub mod schema {}

// docs:start query
/// One page of all ratings, the highest first. An absent argument is sent as null, which is the same.
#[derive(cynic::QueryVariables, Default)]
pub struct Page {
    pub first: Option<i32>,
    pub after: Option<String>,
    pub last: Option<i32>,
    pub before: Option<String>,
}

#[derive(cynic::QueryFragment)]
#[cynic(graphql_type = "Query", variables = "Page")]
pub struct Ratings {
    #[arguments(first: $first, after: $after, last: $last, before: $before, orderBy: [{ field: RATING, direction: DESC }])]
    pub ratings: Option<RatingConnection>,
}

#[derive(cynic::QueryFragment)]
pub struct RatingConnection {
    pub edges: Vec<RatingEdge>,
    pub page_info: PageInfo,
}
// docs:end

/// What lies around a page.
#[derive(cynic::QueryFragment)]
pub struct PageInfo {
    pub has_previous_page: bool,
    pub has_next_page: bool,
    pub start_cursor: Option<String>,
    pub end_cursor: Option<String>,
}

/// A rating and its place.
#[derive(Clone, Debug, cynic::QueryFragment)]
pub struct RatingEdge {
    pub cursor: String,
    pub node: Rating,
}

#[derive(Clone, Debug, cynic::QueryFragment)]
pub struct Rating {
    pub id: cynic::Id,
    pub rating: i32,
}

#[derive(cynic::Enum, Clone, Copy)]
pub enum RatingSortField {
    CreatedAt,
    Rating,
}

#[derive(cynic::Enum, Clone, Copy)]
pub enum SortDirection {
    Asc,
    Desc,
}

#[derive(cynic::InputObject)]
pub struct RatingSort {
    pub field: RatingSortField,
    pub direction: SortDirection,
}

// docs:start mutation
#[derive(cynic::InputObject)]
pub struct RateBookInput {
    pub book_id: cynic::Id,
    pub rating: i32,
    pub order_by: Option<Vec<RatingSort>>,
}

#[derive(cynic::QueryVariables)]
pub struct Rate {
    pub input: RateBookInput,
}

#[derive(cynic::QueryFragment)]
#[cynic(graphql_type = "Mutation", variables = "Rate")]
pub struct RateBook {
    #[arguments(input: $input)]
    pub rate_book: Option<RateBookPayload>,
}

#[derive(cynic::QueryFragment)]
pub struct RateBookPayload {
    pub rating_edge: RatingEdge,
    /// Null where the new edge comes first.
    pub previous_edge_cursor: Option<String>,
}
// docs:end

/// What prevents a response, or a part of it.
#[derive(Debug)]
pub enum Error {
    Http(ureq::Error),
    Api(Vec<GraphQlError<Code>>),
}

/// The extensions of an error.
#[derive(Debug, Deserialize)]
pub struct Code {
    pub code: String,
}

// docs:start client
/// A server, with its write token.
pub struct Client {
    url: String,
    authorization: String,
    http: ureq::Agent,
}

impl Client {
    pub fn new(url: String, token: &str) -> Self {
        // A response of another status than 200 has errors with codes.
        let http = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        Self { url, authorization: format!("Bearer {token}"), http }
    }

    pub fn run<Data: DeserializeOwned, Variables: Serialize>(
        &self,
        operation: &Operation<Data, Variables>,
    ) -> Result<Data, Error> {
        let request = self.http.post(&self.url).header("Authorization", &self.authorization);
        let mut response = request.send_json(operation).map_err(Error::Http)?;
        let response: GraphQlResponse<Data, Code> = response.body_mut().read_json().map_err(Error::Http)?;
        // A list that fails is null beside its error.
        let errors = response.errors.unwrap_or_default();
        response.data.filter(|_| errors.is_empty()).ok_or(Error::Api(errors))
    }
}
// docs:end

// docs:start walk
impl Client {
    pub fn page(&self, page: Page) -> Result<RatingConnection, Error> {
        let data = self.run(&Ratings::build(page))?;
        Ok(data.ratings.expect("a list is null beside an error only"))
    }

    /// All edges after a cursor, page by page.
    pub fn forward(&self, after: Option<String>) -> impl Iterator<Item = Result<RatingEdge, Error>> {
        let page = |after| Page { first: Some(100), after, ..Page::default() };
        let mut next = Some(page(after));
        let pages = iter::from_fn(move || match self.page(next.take()?) {
            Ok(RatingConnection { edges, page_info }) => {
                next = page_info.end_cursor.filter(|_| page_info.has_next_page).map(|cursor| page(Some(cursor)));
                Some(edges.into_iter().map(Ok).collect())
            }
            Err(error) => Some(vec![Err(error)]),
        });
        pages.flatten()
    }
}
// docs:end

impl Client {
    /// All edges before a cursor, page by page, the nearest first.
    pub fn backward(&self, before: Option<String>) -> impl Iterator<Item = Result<RatingEdge, Error>> {
        let page = |before| Page { last: Some(100), before, ..Page::default() };
        let mut next = Some(page(before));
        let pages = iter::from_fn(move || match self.page(next.take()?) {
            Ok(RatingConnection { edges, page_info }) => {
                next = page_info.start_cursor.filter(|_| page_info.has_previous_page).map(|cursor| page(Some(cursor)));
                Some(edges.into_iter().rev().map(Ok).collect())
            }
            Err(error) => Some(vec![Err(error)]),
        });
        pages.flatten()
    }

    /// Rates a book. The payload says where the new edge is among all ratings, the highest first.
    pub fn rate(&self, book_id: cynic::Id, rating: i32) -> Result<RateBookPayload, Error> {
        let order_by = Some(vec![RatingSort { field: RatingSortField::Rating, direction: SortDirection::Desc }]);
        let input = RateBookInput { book_id, rating, order_by };
        let data = self.run(&RateBook::build(Rate { input }))?;
        Ok(data.rate_book.expect("a mutation is null beside an error only"))
    }
}
