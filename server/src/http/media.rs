//! Media types: of the body of a request, and of its response (GraphQL over HTTP, sections 5 and 6).

use axum::http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use mediatype::names::{_STAR, APPLICATION, CHARSET, HTML, JSON, TEXT};
use mediatype::{MediaType, MediaTypeList, Name, ReadParams};

/// The media type of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Media {
    /// `application/graphql-response+json`: the status says whether the request was executed.
    GraphQL,
    /// `application/json`, for older clients: the status of a request that could be read is 200, whatever its result.
    Json,
}

impl Media {
    /// The media type that the client prefers; `None` if it accepts neither. A client without `Accept` is an older one.
    pub fn accepted(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(ACCEPT).iter();
        // What nearly all clients say takes no parsing.
        match (values.next().map(HeaderValue::as_bytes), values.next()) {
            (None | Some(b"application/json" | b"*/*"), None) => return Some(Self::Json),
            (Some(b"application/graphql-response+json"), None) => return Some(Self::GraphQL),
            _ => {}
        }
        let ranges = ranges(headers);
        let [json, graphql] =
            [Self::Json, Self::GraphQL].map(|media| Preference::of(|range| media.precision(range), &ranges));
        // On a tie, only a client that names the newer media type gets it.
        let wins_tie = graphql.quality > 0.0 && graphql.precision == Precision::Exact;
        if graphql.quality > json.quality || (graphql.quality >= json.quality && wins_tie) {
            return Some(Self::GraphQL);
        }
        (json.quality > 0.0).then_some(Self::Json)
    }

    /// The value of `Content-Type`.
    pub fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::GraphQL => "application/graphql-response+json; charset=utf-8",
            Self::Json => "application/json; charset=utf-8",
        })
    }

    fn precision(self, range: &MediaType<'_>) -> Option<Precision> {
        precision(
            range,
            APPLICATION,
            match self {
                Self::GraphQL => range.subty == GRAPHQL_RESPONSE && range.suffix == Some(JSON),
                Self::Json => range.subty == JSON && range.suffix.is_none(),
            },
        )
    }
}

/// Whether the client asks for an event stream: it names `text/event-stream`, and neither media type of a single response
/// before or beside it. Some clients name all of them for operations that have one response.
pub fn prefers_events(headers: &HeaderMap) -> bool {
    // Most requests do not name it at all, and are not parsed twice.
    let is_mentioned = |accept: &HeaderValue| {
        let name = EVENT_STREAM.as_str().as_bytes();
        accept.as_bytes().windows(name.len()).any(|text| text.eq_ignore_ascii_case(name))
    };
    if !headers.get_all(ACCEPT).iter().any(is_mentioned) {
        return false;
    }
    let ranges = ranges(headers);
    let events = Preference::of(|range| precision(range, TEXT, range.subty == EVENT_STREAM), &ranges);
    let is_beaten = |media: Media| {
        let other = Preference::of(|range| media.precision(range), &ranges);
        if other.precision == Precision::Exact {
            other.quality >= events.quality
        } else {
            other.quality > events.quality
        }
    };
    let is_named = events.precision == Precision::Exact && events.quality > 0.0;
    is_named && ![Media::Json, Media::GraphQL].into_iter().any(is_beaten)
}

/// Whether the client prefers a page over both media types: a browser does that opens a URL.
pub fn prefers_page(headers: &HeaderMap) -> bool {
    let ranges = ranges(headers);
    let page = Preference::of(|range| precision(range, TEXT, range.subty == HTML), &ranges);
    let is_less = |media: Media| Preference::of(|range| media.precision(range), &ranges).quality < page.quality;
    page.precision == Precision::Exact && [Media::Json, Media::GraphQL].into_iter().all(is_less)
}

/// What the client accepts.
fn ranges(headers: &HeaderMap) -> Vec<MediaType<'_>> {
    let accept = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accept.flat_map(MediaTypeList::new).filter_map(Result::ok).collect()
}

const GRAPHQL_RESPONSE: Name<'static> = Name::new_unchecked("graphql-response");
const EVENT_STREAM: Name<'static> = Name::new_unchecked("event-stream");

/// Whether the body is JSON in UTF-8. Forms and plain text are rejected: a browser sends them for a page of another site
/// without a preflight request.
pub fn is_json(headers: &HeaderMap) -> bool {
    let Some(text) = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()) else { return false };
    // What nearly all clients say takes no parsing.
    if text == "application/json" {
        return true;
    }
    let Ok(media_type) = MediaType::parse(text) else { return false };
    let is_json = media_type.ty == APPLICATION && media_type.subty == JSON && media_type.suffix.is_none();
    let is_utf8 = |charset: &str| ["utf-8", "utf8", "us-ascii"].iter().any(|utf8| charset.eq_ignore_ascii_case(utf8));
    let mut charsets = media_type.params().filter(|(name, _)| *name == CHARSET);
    is_json && charsets.all(|(_, charset)| is_utf8(&charset.unquoted_str()))
}

/// Whether the body is sent as it is. A compressed one could grow beyond every bound.
pub fn is_uncompressed(headers: &HeaderMap) -> bool {
    headers.get_all(CONTENT_ENCODING).iter().all(|encoding| encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

/// How much a client wants a media type, and how closely it names it.
#[derive(Clone, Copy, Debug)]
struct Preference {
    quality: f32,
    precision: Precision,
}

/// How closely a media range names a media type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Precision {
    /// `*/*`, or nothing.
    Any,
    /// Such as `application/*`.
    Type,
    /// The media type itself.
    Exact,
}

impl Preference {
    /// By the most precise range (RFC 9110, section 12.5.1).
    fn of(precision: impl Fn(&MediaType<'_>) -> Option<Precision>, ranges: &[MediaType<'_>]) -> Self {
        let matching = ranges.iter().filter_map(|range| Some((quality(range)?, precision(range)?)));
        let (quality, precision) = matching.max_by_key(|(_, precision)| *precision).unwrap_or((0.0, Precision::Any));
        Self { quality, precision }
    }
}

/// The parameter `q`; `None` if it is not a number.
fn quality(range: &MediaType<'_>) -> Option<f32> {
    let quality = range.params().find(|(name, _)| *name == "q");
    quality.map_or(Some(1.0), |(_, quality)| quality.as_str().parse().ok()).map(|quality: f32| quality.clamp(0.0, 1.0))
}

fn precision(range: &MediaType<'_>, ty: Name<'_>, is_subtype: bool) -> Option<Precision> {
    if range.ty == _STAR && range.subty == _STAR {
        return Some(Precision::Any);
    }
    if range.ty != ty {
        return None;
    }
    if range.subty == _STAR {
        return Some(Precision::Type);
    }
    is_subtype.then_some(Precision::Exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_accept(accept: &str, expected: Option<Media>) {
        let headers = HeaderMap::from_iter([(ACCEPT, accept.parse().unwrap())]);
        assert_eq!(Media::accepted(&headers), expected, "{accept}");
    }

    #[test]
    fn h1_the_preferred_media_type_is_chosen() {
        assert_eq!(Media::accepted(&HeaderMap::new()), Some(Media::Json));
        for accept in [
            "application/graphql-response+json",
            "Application/GraphQL-Response+JSON; charset=utf-8",
            "application/graphql-response+json, application/json;q=0.9",
            "application/json;q=0.5, application/graphql-response+json",
            "*/*;q=0.1, application/graphql-response+json",
            "application/json;q=0, application/*",
            "application/json, application/graphql-response+json",
            "application/graphql-response+json ; q=0.9, application/json;q=0.8",
            "text/html;x=\"a,b\", application/graphql-response+json",
        ] {
            check_accept(accept, Some(Media::GraphQL));
        }
        for accept in [
            "application/json",
            "*/*",
            "application/*",
            "text/html, */*;q=0.1",
            "application/graphql-response+json;q=0.1, */*",
            "application/graphql-response+json;q=0, application/json;q=0.001",
        ] {
            check_accept(accept, Some(Media::Json));
        }
        for accept in
            ["text/html", "application/json ; q = 0", "", "?", "application/json;q=x", "application/xml, image/*"]
        {
            check_accept(accept, None);
        }
    }

    #[test]
    fn events_are_for_those_who_name_them_first() {
        let prefers = |accept: &str| prefers_events(&HeaderMap::from_iter([(ACCEPT, accept.parse().unwrap())]));
        for accept in [
            "text/event-stream",
            "Text/Event-Stream; charset=utf-8",
            "text/event-stream, multipart/mixed",
            "text/event-stream, */*",
            "text/event-stream, application/json;q=0.9",
        ] {
            assert!(prefers(accept), "{accept}");
        }
        for accept in [
            "",
            "*/*",
            "text/*",
            "text/event-stream;q=0",
            "text/event-stream;q=0.5, application/json",
            "application/graphql-response+json, application/json, text/event-stream, multipart/mixed",
        ] {
            assert!(!prefers(accept), "{accept}");
        }
        assert!(!prefers_events(&HeaderMap::new()));
    }

    #[test]
    fn a_browser_that_opens_a_url_prefers_a_page() {
        let prefers_page = |accept: &str| prefers_page(&HeaderMap::from_iter([(ACCEPT, accept.parse().unwrap())]));
        for accept in [
            "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
            "text/html",
            "application/json;q=0.9, Text/HTML;charset=utf-8",
            "application/json;q=0, text/html;q=0.1",
        ] {
            assert!(prefers_page(accept), "{accept}");
        }
        for accept in [
            "",
            "*/*",
            "text/*",
            "text/html, application/json",
            "text/html, */*",
            "text/html;q=0",
            "text/html;q=0.5, application/graphql-response+json;q=0.6",
            "application/json",
        ] {
            assert!(!prefers_page(accept), "{accept}");
        }
        assert!(!super::prefers_page(&HeaderMap::new()));
    }

    #[test]
    fn h5_a_body_is_json_in_utf8() {
        let is_json = |text: &str| is_json(&HeaderMap::from_iter([(CONTENT_TYPE, text.parse().unwrap())]));
        for text in [
            "application/json",
            "Application/JSON;charset=UTF-8",
            "application/json; charset=\"utf-8\"; a=b",
            "application/json ; charset=utf-8",
            "application/json;",
        ] {
            assert!(is_json(text), "{text}");
        }
        for text in [
            "text/plain",
            "application/json; charset=utf-8; charset=utf-16",
            "application/json+x",
            "application/json; charset =utf-16",
            "application/jsonp",
            "",
            "multipart/form-data",
        ] {
            assert!(!is_json(text), "{text}");
        }
    }
}
