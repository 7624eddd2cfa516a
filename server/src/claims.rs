//! What a token, or a trusted proxy, says of who asks.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value};
use tokio::time::Instant;

/// The claims of a request: the JSON object of its verified token, or what the headers of a trusted proxy say. Cheap to clone.
///
/// [`Debug`](fmt::Debug) shows their names, and no value.
#[derive(Clone)]
pub struct Claims(Arc<Inner>);

struct Inner {
    object: Map<String, Value>,
    end: Option<End>,
}

/// When claims end, by both clocks: that of the system can be set, and the other one stops while the machine sleeps.
#[derive(Clone, Copy)]
struct End {
    time: SystemTime,
    /// `None` for a time that no timer reaches.
    instant: Option<Instant>,
}

impl Claims {
    /// These claims, which end when their `exp` says so. Whoever calls this has verified them.
    pub fn new(object: Map<String, Value>) -> Self {
        Self::with_skew(object, Duration::ZERO)
    }

    /// The same, which end so much later.
    pub(crate) fn with_skew(object: Map<String, Value>, skew: Duration) -> Self {
        let end = expires(&object).and_then(|expires| expires.checked_add(skew)).map(|time| {
            let left = time.duration_since(SystemTime::now()).unwrap_or_default();
            End { time, instant: Instant::now().checked_add(left) }
        });
        Self(Arc::new(Inner { object, end }))
    }

    /// A claim by its name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.object.get(name)
    }

    /// A claim that is a text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// Who asks: the claim `sub`.
    pub fn subject(&self) -> Option<&str> {
        self.text("sub")
    }

    /// When the token expires: the claim `exp`, without the clock skew that is allowed.
    pub fn expires(&self) -> Option<SystemTime> {
        expires(&self.0.object)
    }

    /// All of them.
    pub fn object(&self) -> &Map<String, Value> {
        &self.0.object
    }

    /// Whether the token allows this scope: it is a word of `scope`, or of `scp`, or an element of a list there.
    pub fn has_scope(&self, scope: &str) -> bool {
        let has = |name| match self.get(name) {
            Some(Value::String(words)) => words.split(' ').any(|word| word == scope),
            Some(Value::Array(words)) => words.iter().any(|word| word == scope),
            _ => false,
        };
        has("scope") || has("scp")
    }

    /// Whether they have ended.
    pub(crate) fn have_ended(&self) -> bool {
        self.0.end.is_some_and(|end| {
            end.time <= SystemTime::now() || end.instant.is_some_and(|instant| instant <= Instant::now())
        })
    }

    /// When they end, for a timer.
    pub(crate) fn end(&self) -> Option<Instant> {
        self.0.end?.instant
    }
}

/// The time in `exp`: seconds since 1970, which may have a fraction.
fn expires(object: &Map<String, Value>) -> Option<SystemTime> {
    let seconds = object.get("exp")?.as_f64()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::try_from_secs_f64(seconds).ok()?)
}

impl fmt::Debug for Claims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Claims")?;
        f.debug_set().entries(self.0.object.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn claims(object: Value) -> Claims {
        let Value::Object(object) = object else { panic!("{object} is no object") };
        Claims::new(object)
    }

    #[test]
    fn claims_are_found_and_not_shown() {
        let claims = claims(json!({ "sub": "ann", "tenant": 7, "roles": ["a"] }));
        assert_eq!(
            (claims.subject(), claims.get("tenant"), claims.text("tenant")),
            (Some("ann"), Some(&json!(7)), None)
        );
        assert_eq!(format!("{claims:?}"), r#"Claims{"roles", "sub", "tenant"}"#);
    }

    #[test]
    fn a_scope_is_a_word_or_an_element() {
        let has = |object| claims(object).has_scope("write");
        for object in
            [json!({ "scope": "read write" }), json!({ "scp": ["write"] }), json!({ "scope": 1, "scp": "write" })]
        {
            assert!(has(object.clone()), "{object}");
        }
        for object in [json!({}), json!({ "scope": "writer" }), json!({ "scp": [["write"]] }), json!({ "scope": null })]
        {
            assert!(!has(object.clone()), "{object}");
        }
    }

    #[test]
    fn claims_end_with_their_token() {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        assert!(claims(json!({ "exp": now - 1 })).have_ended());
        assert!(claims(json!({ "exp": 0.5 })).have_ended());
        for object in [json!({ "exp": now + 60 }), json!({ "exp": 1e300 }), json!({ "exp": "0" }), json!({})] {
            assert!(!claims(object.clone()).have_ended(), "{object}");
        }
        assert!(claims(json!({ "exp": now + 60 })).end().is_some());
    }
}
