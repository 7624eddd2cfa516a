//! The codes of errors.

use std::sync::{PoisonError, RwLock};

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
    BodyMalformed = "BODY_MALFORMED": "the request body is not JSON";
    RequestMalformed = "REQUEST_MALFORMED": "the body or the URL is not a GraphQL request, or is a batch";
    BodyTooLarge = "BODY_TOO_LARGE": "the request body exceeds `MAX_BODY_SIZE`";
    BodyTooSlow = "BODY_TOO_SLOW": "the request body was not received within `READ_TIMEOUT`";
    MediaTypeUnsupported = "MEDIA_TYPE_UNSUPPORTED": "the request body is not `application/json`, or is compressed";
    NotAcceptable = "NOT_ACCEPTABLE": "the client accepts none of the media types of responses";
    MethodNotAllowed = "METHOD_NOT_ALLOWED": "the method is neither GET nor POST, or a mutation was sent by GET";
    PersistedQueryNotFound = "PERSISTED_QUERY_NOT_FOUND": "the server has no document with this id or hash";
    PersistedQueryMismatch = "PERSISTED_QUERY_MISMATCH": "the document does not match its hash";
    DocumentNotTrusted = "DOCUMENT_NOT_TRUSTED": "the document is not in `DOCUMENTS`, and `DOCUMENTS_ONLY` is `true`";
    ParseFailed = "GRAPHQL_PARSE_FAILED": "the document has a syntax error";
    ValidationFailed = "GRAPHQL_VALIDATION_FAILED": "the document is not valid under the schema";
    TooComplex = "QUERY_TOO_COMPLEX": "the request exceeds `MAX_COMPLEXITY`, `MAX_TOKENS`, or a fixed limit on fields, values, filters or names. The message states the limit";
    TooDeep = "QUERY_TOO_DEEP": "the request exceeds `MAX_DEPTH`, 32 levels of fields and fragments, or 128 levels of selections and values";
    IntrospectionDisabled = "INTROSPECTION_DISABLED": "the document selects `__schema` or `__type`, and `INTROSPECTION` is `false`";
    PositionMalformed = "POSITION_MALFORMED": "the header `Graphql-Position`, or `extensions.position`, is malformed";
    BadUserInput = "BAD_USER_INPUT": "the value of an argument or a variable is invalid";
    PageInvalid = "PAGE_INVALID": "a page size or an `offset` is out of range, or the arguments of a page contradict each other";
    CursorInvalid = "CURSOR_INVALID": "a cursor is malformed or damaged";
    CursorOfOtherOrder = "CURSOR_OF_OTHER_ORDER": "a cursor belongs to another sort order";
    OrderNotOffered = "ORDER_NOT_OFFERED": "no index supports the sort order";
    FilterTooLarge = "FILTER_TOO_LARGE": "a filter has more than 500 conditions and values, or more than 10 levels";
    IdInvalid = "ID_INVALID": "an id, a UUID or a ULID is malformed, or an id belongs to an object of another type";
    Gone = "GONE": "an object that the object of an event refers to was deleted before the server read it";
    NotFound = "NOT_FOUND": "no object has the id in the input, or the list does not contain the object of `around`";
    InUse = "IN_USE": "other objects refer to the object";
    AlreadyExists = "ALREADY_EXISTS": "another object has a value that must be unique";
    Conflict = "CONFLICT": "every attempt to write conflicted with another transaction";
    Unauthenticated = "UNAUTHENTICATED": "the token is missing, wrong, invalid or expired";
    Forbidden = "FORBIDDEN": "not permitted: without a write token, to a token that is only for reading, by a rule or a guard, or by the database to its role";
    OriginForbidden = "ORIGIN_FORBIDDEN": "`CORS_ORIGINS` does not allow the origin of a WebSocket or of a preflight request";
    HeaderForbidden = "HEADER_FORBIDDEN": "a preflight request names a header that other origins may not send";
    HostMalformed = "HOST_MALFORMED": "the header `Host` is missing, repeated or malformed";
    HandshakeMalformed = "HANDSHAKE_MALFORMED": "the WebSocket handshake is malformed, or is not of version 13";
    Unavailable = "UNAVAILABLE": "the database does not answer, or the keys at `JWT_JWKS_URL` cannot be fetched";
    OutcomeUnknown = "OUTCOME_UNKNOWN": "the connection to the database was lost during the commit";
    StorageFull = "STORAGE_FULL": "the disk of the database is full, or its size limit is reached";
    ReadOnly = "READ_ONLY": "a mutation or a subscription was sent to a read-only database, such as a replica";
    StorageFailed = "STORAGE_FAILED": "the disk of the database fails, or its files were damaged, deleted or replaced";
    OutOfRange = "OUT_OF_RANGE": "a value does not fit into the type of its field, such as a number into `Int` (32 bits), or into the database";
    SubscriptionsDisabled = "SUBSCRIPTIONS_DISABLED": "the server is behind a pooler, and `DATABASE_LISTEN_URL` is not set";
    SchemaChanged = "SCHEMA_CHANGED": "the database lacks a table or a column of the schema, because it has changed. Try again, with the new schema";
    Unsupported = "UNSUPPORTED": "the database cannot run this: Citus refuses some statements on distributed tables. The message has its reason";
    SubscriptionLagged = "SUBSCRIPTION_LAGGED": "the subscription ended, because it lost events, or because the schema has changed";
    WebSocketRequired = "WEBSOCKET_REQUIRED": "a subscription was sent neither over a WebSocket nor for an event stream";
    TooManyOperations = "TOO_MANY_OPERATIONS": "a WebSocket has more than 100 concurrent operations, or their `subscribe` messages exceed 1 MiB";
    UrlTooLong = "URL_TOO_LONG": "the URL exceeds 16 KiB";
    TimedOut = "TIMEOUT": "the request exceeded `REQUEST_TIMEOUT`. A mutation may still take effect";
    Overloaded = "OVERLOADED": "the limit `MAX_REQUESTS`, `MAX_WEBSOCKETS` or `MAX_BUFFERED` is reached, or this client has reached its share of it";
    RateLimited = "RATE_LIMITED": "the client exceeded `CLIENT_BUDGET`, or sent too many wrong tokens. Retry after `extensions.retryAfter` seconds";
    AnswerDropped = "ANSWER_DROPPED": "the server dropped the response: the memory budget `MAX_BUFFERED`, or the client's share of it, is exhausted. A mutation may have taken effect";
    Internal = "INTERNAL": "the server failed. Its log has the cause under `extensions.errorId`";
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
}

/// The codes of the applications in this process: names of labels, which clients cannot add to.
static OWN: RwLock<Vec<&'static str>> = RwLock::new(Vec::new());

/// Knows a code of an application from now on.
pub fn know(code: &'static str) {
    let mut own = OWN.write().unwrap_or_else(PoisonError::into_inner);
    if !own.contains(&code) {
        own.push(code);
    }
}

/// The text of the code of an error, if it is one of the server or of an application.
pub fn code_of(error: &ServerError) -> Option<&'static str> {
    let Value::String(found) = error.extensions.as_ref()?.get("code")? else { return None };
    let built_in = Code::of(error).map(Code::as_str);
    let own = || OWN.read().unwrap_or_else(PoisonError::into_inner).iter().find(|code| *code == found).copied();
    built_in.or_else(own)
}

/// Codes as the log shows them, each once: a response can hold thousands of errors.
pub fn listed(codes: impl Iterator<Item = &'static str>) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    for code in codes {
        if !distinct.contains(&code) {
            distinct.push(code);
        }
    }
    distinct.join(",")
}
