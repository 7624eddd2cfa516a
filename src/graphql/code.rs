//! The codes of errors.

use async_graphql::{ServerError, Value};

/// Each code, as it is written in an error, with its meaning.
macro_rules! codes {
    ($( $code:ident = $text:literal: $meaning:literal; )+) => {
        /// The machine-readable reason in an error's `extensions.code`. Every error has one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code {
            $( #[doc = $meaning] $code, )+
        }

        impl Code {
            /// Every code, as it is written in an error, with its meaning: what docs/operations.md lists.
            pub const ALL: &[(Self, &str, &str)] = &[$( (Self::$code, $text, $meaning), )+];

            /// As it is written in an error.
            pub fn as_str(self) -> &'static str {
                match self {
                    $( Self::$code => $text, )+
                }
            }
        }
    };
}

codes! {
    BodyMalformed = "BODY_MALFORMED": "the body of the request is not JSON";
    RequestMalformed = "REQUEST_MALFORMED": "the body or the URL is not a GraphQL request, or a batch of them";
    BodyTooLarge = "BODY_TOO_LARGE": "the body of the request is too long";
    BodyTooSlow = "BODY_TOO_SLOW": "the body of the request took longer to come than `READ_TIMEOUT`";
    MediaTypeUnsupported = "MEDIA_TYPE_UNSUPPORTED": "the body of the request is not `application/json`";
    NotAcceptable = "NOT_ACCEPTABLE": "the client accepts no media type that an answer has";
    MethodNotAllowed = "METHOD_NOT_ALLOWED": "a mutation by GET, or another method than GET and POST";
    PersistedQueryNotFound = "PERSISTED_QUERY_NOT_FOUND": "no query with this hash is known: send it once with its text";
    PersistedQueryMismatch = "PERSISTED_QUERY_MISMATCH": "the text of a query does not have the hash that came with it";
    ParseFailed = "GRAPHQL_PARSE_FAILED": "the request is not GraphQL";
    ValidationFailed = "GRAPHQL_VALIDATION_FAILED": "the request does not fit the schema";
    TooComplex = "QUERY_TOO_COMPLEX": "the request costs more than `MAX_COMPLEXITY`, or has more than 5,000 fields and fragments";
    TooDeep = "QUERY_TOO_DEEP": "the request is nested deeper than `MAX_DEPTH`, or than 32 levels with its fragments, or 128 brackets";
    BadUserInput = "BAD_USER_INPUT": "an argument that the field cannot take";
    PageInvalid = "PAGE_INVALID": "`first` with `last`, or a size out of bounds";
    CursorInvalid = "CURSOR_INVALID": "a cursor that this server did not write, or damaged on the way";
    CursorOfOtherOrder = "CURSOR_OF_OTHER_ORDER": "a good cursor, but of a list in another order";
    OrderNotOffered = "ORDER_NOT_OFFERED": "an order that no index holds";
    FilterTooLarge = "FILTER_TOO_LARGE": "a filter with more than 500 conditions and values, or 10 levels";
    IdInvalid = "ID_INVALID": "not an id, or that of an object of another type";
    Gone = "GONE": "an object was deleted while the answer was put together: ask again";
    NotFound = "NOT_FOUND": "no object with the id that is to be changed, or referred to";
    InUse = "IN_USE": "a book that has ratings or orders, and is to be deleted without them";
    Conflict = "CONFLICT": "other writes were in the way each time it was tried: try again";
    Unauthenticated = "UNAUTHENTICATED": "writing takes the server's token, and the request has not brought it";
    Forbidden = "FORBIDDEN": "a server without a token is written to from its own machine alone";
    OriginForbidden = "ORIGIN_FORBIDDEN": "a WebSocket for a page of another site, which `CORS_ORIGINS` does not name";
    HandshakeMalformed = "HANDSHAKE_MALFORMED": "a request for a WebSocket that is none of its protocol, version 13";
    Unavailable = "UNAVAILABLE": "the database does not answer: try again";
    OutcomeUnknown = "OUTCOME_UNKNOWN": "the database went away while it committed: look whether it has been done";
    OutOfRange = "OUT_OF_RANGE": "a number that GraphQL's `Int` of 32 bits cannot hold, or a sum that the database cannot";
    SubscriptionLagged = "SUBSCRIPTION_LAGGED": "events were lost to this subscription, which ends: list again, then subscribe";
    WebSocketRequired = "WEBSOCKET_REQUIRED": "a subscription that did not come by a WebSocket";
    TooManyOperations = "TOO_MANY_OPERATIONS": "more than 100 operations at a time on one WebSocket, or more than 1 MiB of them";
    UrlTooLong = "URL_TOO_LONG": "the URL of the request is longer than 16 KiB: send it as a body, by POST";
    TimedOut = "TIMEOUT": "the answer takes longer than `REQUEST_TIMEOUT`; a mutation may take effect all the same";
    Overloaded = "OVERLOADED": "the server has as much to do, or to hold, as `MAX_REQUESTS`, `MAX_WEBSOCKETS` and `MAX_BUFFERED` let it: try again";
    AnswerDropped = "ANSWER_DROPPED": "the answer found no room beside those that wait to be taken (`MAX_BUFFERED`); a mutation may have taken effect all the same";
    Internal = "INTERNAL": "the server's own fault; its log says more, under the id in `extensions.errorId`";
}

impl Code {
    /// The code of an error; none where it has none.
    pub fn of(error: &ServerError) -> Option<Self> {
        let Value::String(found) = error.extensions.as_ref()?.get("code")? else { return None };
        Self::ALL.iter().find(|(_, text, _)| text == found).map(|(code, ..)| *code)
    }

    /// Codes as the log shows them, each once: there can be thousands of errors.
    pub fn listed(codes: impl Iterator<Item = Self>) -> String {
        let mut distinct: Vec<&str> = Vec::new();
        for code in codes.map(Self::as_str) {
            if !distinct.contains(&code) {
                distinct.push(code);
            }
        }
        distinct.join(",")
    }
}
