//! Media types: what a request is written in, and what its answer may be written in (GraphQL over HTTP, sections 5 and
//! 6).

use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};

/// What an answer is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Media {
    /// `application/graphql-response+json`: the status says whether the request was executed.
    GraphQL,
    /// `application/json`, for older clients: a request that could be read is answered with 200, whatever came of it.
    Json,
}

impl Media {
    /// What the client likes best; none where it takes neither. One that does not say is an older one.
    pub fn accepted(headers: &HeaderMap) -> Option<Self> {
        let mut ranges = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).peekable();
        if ranges.peek().is_none() {
            return Some(Self::Json);
        }
        let ranges: Vec<Range> = ranges.flat_map(|value| value.split(',')).filter_map(Range::parse).collect();
        let [(json, _), (graphql, precision)] = [Self::Json, Self::GraphQL].map(|media| liking(media, &ranges));
        // Where it likes both alike: one that takes whatever comes expects what was always sent.
        if graphql > json || (graphql == json && graphql > 0 && precision == NAMED) {
            return Some(Self::GraphQL);
        }
        (json > 0).then_some(Self::Json)
    }

    /// As it stands in `Content-Type`.
    pub fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::GraphQL => "application/graphql-response+json; charset=utf-8",
            Self::Json => "application/json; charset=utf-8",
        })
    }

    fn subtype(self) -> &'static str {
        match self {
            Self::GraphQL => "graphql-response+json",
            Self::Json => "json",
        }
    }
}

/// Whether the body is JSON in UTF-8. Nothing else is taken: what a page of another site can have a browser send
/// without asking first (forms and plain text) is none of it.
pub fn is_json(headers: &HeaderMap) -> bool {
    let Some(text) = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()) else { return false };
    let mut parts = text.split(';').map(str::trim);
    let is_json = parts.next().is_some_and(|essence| essence.eq_ignore_ascii_case("application/json"));
    let mut charsets = parts.filter_map(parameter).filter(|(name, _)| name.eq_ignore_ascii_case("charset"));
    let is_utf8 = |charset: &str| ["utf-8", "utf8", "us-ascii"].iter().any(|utf8| charset.eq_ignore_ascii_case(utf8));
    is_json && charsets.all(|(_, charset)| is_utf8(charset.trim_matches('"')))
}

/// The name and the value of a parameter.
fn parameter(text: &str) -> Option<(&str, &str)> {
    text.split_once('=').map(|(name, value)| (name.trim(), value.trim()))
}

/// A media range of an `Accept` header, and how much it is liked, in thousandths.
struct Range<'a> {
    kind: &'a str,
    subtype: &'a str,
    quality: u32,
}

impl<'a> Range<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let (kind, subtype) = parts.next()?.split_once('/')?;
        let quality = parts.filter_map(parameter).find(|(name, _)| name.eq_ignore_ascii_case("q"));
        let quality = quality.map_or(Some(1.0), |(_, quality)| quality.parse::<f32>().ok())?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000")]
        let quality = (quality.clamp(0.0, 1.0) * 1000.0) as u32;
        Some(Self { kind, subtype, quality })
    }

    /// How closely it names this media type; none where it does not.
    fn precision(&self, media: Media) -> Option<u8> {
        if self.kind == "*" && self.subtype == "*" {
            return Some(0);
        }
        let is_application = self.kind.eq_ignore_ascii_case("application");
        match self.subtype {
            "*" if is_application => Some(1),
            subtype if is_application && subtype.eq_ignore_ascii_case(media.subtype()) => Some(NAMED),
            _ => None,
        }
    }
}

/// The precision of a range that names one media type.
const NAMED: u8 = 2;

/// How much a client likes a media type, and how closely it names it: what the closest range says (RFC 9110, section
/// 12.5.1).
fn liking(media: Media, ranges: &[Range]) -> (u32, u8) {
    let named = ranges.iter().filter_map(|range| Some((range.quality, range.precision(media)?)));
    named.max_by_key(|(_, precision)| *precision).unwrap_or_default()
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
    fn h1_the_best_liked_media_type_is_answered_in() {
        assert_eq!(Media::accepted(&HeaderMap::new()), Some(Media::Json));
        for accept in [
            "application/graphql-response+json",
            "Application/GraphQL-Response+JSON; charset=utf-8",
            "application/graphql-response+json, application/json;q=0.9",
            "application/json;q=0.5, application/graphql-response+json",
            "*/*;q=0.1, application/graphql-response+json",
            "application/json;q=0, application/*",
            "application/json, application/graphql-response+json",
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
    fn h5_a_body_is_json_in_utf8() {
        let is_json = |text: &str| is_json(&HeaderMap::from_iter([(CONTENT_TYPE, text.parse().unwrap())]));
        for text in ["application/json", "Application/JSON;charset=UTF-8", "application/json; charset=\"utf-8\"; a=b"] {
            assert!(is_json(text), "{text}");
        }
        for text in ["text/plain", "application/json; charset =utf-16", "application/jsonp", "", "multipart/form-data"]
        {
            assert!(!is_json(text), "{text}");
        }
    }
}
