//! The codes of errors.

use async_graphql::{ServerError, Value};

/// Declares each code: its text and its meaning.
macro_rules! codes {
    ($( $code:ident = $text:literal: $meaning:literal; )+) => {
        /// The machine-readable reason in an error's `extensions.code`. Every error has one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code {
            $( #[doc = $meaning] $code, )+
        }

        impl Code {
            /// Every code with its text and its meaning, as the documentation lists them.
            pub const ALL: &[(Self, &str, &str)] = &[$( (Self::$code, $text, $meaning), )+];

            /// The text in `extensions.code`.
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
    RequestMalformed = "REQUEST_MALFORMED": "the body or the URL is not a GraphQL request, or it is a batch";
    BodyTooLarge = "BODY_TOO_LARGE": "the body of the request exceeds `MAX_BODY_SIZE`";
    BodyTooSlow = "BODY_TOO_SLOW": "the body of the request was not received within `READ_TIMEOUT`";
    MediaTypeUnsupported = "MEDIA_TYPE_UNSUPPORTED": "the body of the request is not `application/json`, or it is compressed";
    NotAcceptable = "NOT_ACCEPTABLE": "the client accepts none of the media types of a response";
    MethodNotAllowed = "METHOD_NOT_ALLOWED": "a mutation by GET, or a method other than GET and POST";
    PersistedQueryNotFound = "PERSISTED_QUERY_NOT_FOUND": "no document with this id or hash is known";
    PersistedQueryMismatch = "PERSISTED_QUERY_MISMATCH": "the text of the document does not match the hash that came with it";
    DocumentNotTrusted = "DOCUMENT_NOT_TRUSTED": "`DOCUMENTS_ONLY` is `true`, and the document is not one of `DOCUMENTS`";
    ParseFailed = "GRAPHQL_PARSE_FAILED": "the document is not valid GraphQL syntax";
    ValidationFailed = "GRAPHQL_VALIDATION_FAILED": "the document does not fit the schema";
    TooComplex = "QUERY_TOO_COMPLEX": "the request costs more than `MAX_COMPLEXITY`, or has more than `MAX_TOKENS` tokens or 5,000 fields and fragments";
    TooDeep = "QUERY_TOO_DEEP": "the request is deeper than `MAX_DEPTH`, than 32 levels including fragments, or than 128 levels of lists and inputs";
    IntrospectionDisabled = "INTROSPECTION_DISABLED": "the document selects `__schema` or `__type`, and `INTROSPECTION` is `false`";
    PositionMalformed = "POSITION_MALFORMED": "the position of the request is not three hexadecimal numbers of up to eight digits with a `/` between them";
    BadUserInput = "BAD_USER_INPUT": "a value that an argument or a variable cannot have";
    PageInvalid = "PAGE_INVALID": "a page size or an `offset` out of bounds, or arguments of a page that contradict each other";
    CursorInvalid = "CURSOR_INVALID": "a damaged cursor, or one that this server did not write";
    CursorOfOtherOrder = "CURSOR_OF_OTHER_ORDER": "a valid cursor of a list in another order";
    OrderNotOffered = "ORDER_NOT_OFFERED": "an order without an index";
    FilterTooLarge = "FILTER_TOO_LARGE": "a filter with more than 500 conditions and values, or more than 10 levels";
    IdInvalid = "ID_INVALID": "a malformed id, or the id of an object of another type";
    Gone = "GONE": "an object that an event refers to was deleted before it was read";
    NotFound = "NOT_FOUND": "no object has the id to change or to refer to, or the list does not have the object of `around`";
    InUse = "IN_USE": "the book has ratings or orders, and `cascade` is not set";
    Conflict = "CONFLICT": "other transactions prevented every attempt of a write";
    Unauthenticated = "UNAUTHENTICATED": "the mutation lacks the write token of the server, or has another one";
    Forbidden = "FORBIDDEN": "writes are disabled: the server has no write token";
    OriginForbidden = "ORIGIN_FORBIDDEN": "a WebSocket or a preflight request from a page of an origin that `CORS_ORIGINS` does not allow";
    HeaderForbidden = "HEADER_FORBIDDEN": "a preflight request for a header that pages of other origins may not send";
    HostMalformed = "HOST_MALFORMED": "a request of HTTP/1.1 without `Host`, or one with several, or with one that is no host";
    HandshakeMalformed = "HANDSHAKE_MALFORMED": "a WebSocket handshake that is not version 13 of the protocol";
    Unavailable = "UNAVAILABLE": "the database does not answer";
    OutcomeUnknown = "OUTCOME_UNKNOWN": "the connection was lost during a commit";
    StorageFull = "STORAGE_FULL": "the disk of the database is full, or a limit on its size is reached";
    ReadOnly = "READ_ONLY": "a mutation or a subscription on a read-only database, such as a replica";
    StorageFailed = "STORAGE_FAILED": "the disk of the database fails, or its files are damaged, deleted or replaced";
    OutOfRange = "OUT_OF_RANGE": "a number that does not fit into `Int` (32 bits) or into the database";
    SubscriptionsDisabled = "SUBSCRIPTIONS_DISABLED": "a subscription on a server behind a pooler, without `DATABASE_LISTEN_URL`";
    SubscriptionLagged = "SUBSCRIPTION_LAGGED": "the subscription lost events and ends";
    WebSocketRequired = "WEBSOCKET_REQUIRED": "a subscription that was sent neither over a WebSocket nor for an event stream";
    TooManyOperations = "TOO_MANY_OPERATIONS": "more than 100 concurrent operations on one WebSocket, or more than 1 MiB of them";
    UrlTooLong = "URL_TOO_LONG": "the URL exceeds 16 KiB";
    TimedOut = "TIMEOUT": "the request exceeded `REQUEST_TIMEOUT`; a mutation may still take effect";
    Overloaded = "OVERLOADED": "the server, or the share of this client, is at `MAX_REQUESTS`, `MAX_WEBSOCKETS` or `MAX_BUFFERED`";
    RateLimited = "RATE_LIMITED": "the client has spent its `CLIENT_BUDGET`, or sent too many wrong write tokens; `extensions.retryAfter` says after how many seconds to try again";
    AnswerDropped = "ANSWER_DROPPED": "the response exceeded the memory budget `MAX_BUFFERED`; a mutation may have taken effect";
    Internal = "INTERNAL": "a fault of the server; its log has the cause under `extensions.errorId`";
}

impl From<Code> for &'static str {
    fn from(code: Code) -> Self {
        code.as_str()
    }
}

impl Code {
    /// The code of an error, if it has one.
    pub fn of(error: &ServerError) -> Option<Self> {
        let Value::String(found) = error.extensions.as_ref()?.get("code")? else { return None };
        Self::ALL.iter().find(|(_, text, _)| text == found).map(|(code, ..)| *code)
    }

    /// Codes as the log shows them, each once: a response can hold thousands of errors.
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
