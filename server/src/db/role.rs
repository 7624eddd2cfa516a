//! The role and the claims that a transaction on PostgreSQL has, for row-level security.

use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};

use super::pool::quote;
use crate::claims::Claims;
use crate::config;

/// The longest name of a role, in bytes: PostgreSQL would cut a longer one.
const MAX_NAME: usize = 63;

/// How the statements that take it on begin.
const SET_ROLE: &str = "SET LOCAL ROLE \"";

/// A role with claims, which transactions take on for themselves. It ends with each of them, so a connection never keeps it. Cheap
/// to clone. [`Debug`](fmt::Debug) shows neither.
#[derive(Clone, PartialEq, Eq)]
pub struct Role(Arc<Settings>);

/// The statements that take it on. One word leads to them: each request has room for a role.
#[derive(PartialEq, Eq)]
struct Settings(Box<str>);

/// A statement as traces may have it: without a role and its claims.
pub fn hidden(sql: &str) -> &str {
    // Settings come first. To search each statement for them would take longer than all else that counts it.
    if !sql.starts_with("SET ") && !sql.starts_with("BEGIN") {
        return sql;
    }
    sql.split_once(SET_ROLE).map_or(sql, |(before, _)| before.trim_end())
}

/// Which role a request has.
#[derive(Clone, Debug)]
pub struct Roles {
    claim: Arc<str>,
    anonymous: Arc<str>,
}

/// Why a text is no name of a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a name of at most 63 bytes, which is not `none`")]
pub struct InvalidRole;

impl Role {
    /// The role of this name, with these claims as JSON.
    ///
    /// # Errors
    ///
    /// [`InvalidRole`], also for `none`: PostgreSQL would take it for the role that has logged in.
    pub fn new(name: &str, claims: &str) -> Result<Self, InvalidRole> {
        let is_name = !name.is_empty() && name.len() <= MAX_NAME && !name.contains('\0');
        if !is_name || name.eq_ignore_ascii_case("none") {
            return Err(InvalidRole);
        }
        let mut settings = String::from(SET_ROLE);
        settings.push_str(&name.replace('"', "\"\""));
        settings.push_str("\"; SET LOCAL request.jwt.claims = ");
        quote(&mut settings, claims).map_err(|_| InvalidRole)?;
        settings.push_str("; ");
        Ok(Self(Arc::new(Settings(settings.into()))))
    }

    /// The statements that take it on, for the beginning of a message.
    pub fn settings(&self) -> &str {
        &self.0.0
    }
}

impl Roles {
    /// As the settings have it, if they have it.
    pub fn of(settings: &config::Roles) -> Option<Self> {
        let (claim, anonymous) =
            (settings.database_role_claim.as_deref()?, settings.database_anonymous_role.as_deref());
        // The command line requires both. No role has an empty name.
        Some(Self { claim: claim.into(), anonymous: anonymous.unwrap_or_default().into() })
    }

    /// The role of a request with these claims: the one that they name, or that of requests without a token.
    ///
    /// # Errors
    ///
    /// [`InvalidRole`] if the claim is no text, or no name of a role.
    pub fn of_claims(&self, claims: Option<&Claims>) -> Result<Role, InvalidRole> {
        let Some(claims) = claims else {
            return Role::new(&self.anonymous, &json!({ &*self.claim: &*self.anonymous }).to_string());
        };
        let name = match claims.get(&self.claim) {
            Some(Value::String(name)) => name,
            Some(_) => return Err(InvalidRole),
            None => &*self.anonymous,
        };
        Role::new(name, &Value::Object(claims.object().clone()).to_string())
    }
}

impl fmt::Debug for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Role(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_a_quoted_name_and_its_claims_a_literal() {
        let role = Role::new(r#"a"; RESET ROLE; --"#, r#"{"sub":"o'brien\\"}"#).unwrap();
        let settings =
            r#"SET LOCAL ROLE "a""; RESET ROLE; --"; SET LOCAL request.jwt.claims = E'{"sub":"o''brien\\\\"}'; "#;
        assert_eq!(role.settings(), settings);
        assert_eq!(format!("{role:?}"), "Role(…)");
        assert_eq!(hidden(&format!("SET LOCAL lock_timeout = 1; {settings}")), "SET LOCAL lock_timeout = 1;");
        assert_eq!(hidden("SELECT 1"), "SELECT 1");
        for name in ["", "none", "NONE", "a\0", &"a".repeat(64)] {
            assert_eq!(Role::new(name, "{}"), Err(InvalidRole), "{name}");
        }
        let long = Role::new(&"a".repeat(63), "{}");
        assert!(long.is_ok() && Role::new("nobody", "a\0").is_err());
    }

    #[test]
    fn a_request_has_the_role_of_its_claim_or_that_of_nobody() {
        let roles =
            config::Roles { database_role_claim: Some("role".into()), database_anonymous_role: Some("nobody".into()) };
        let roles = Roles::of(&roles).unwrap();
        let of = |claims: Value| {
            let Value::Object(claims) = claims else { panic!() };
            roles.of_claims(Some(&Claims::new(claims)))
        };
        assert_eq!(roles.of_claims(None), Role::new("nobody", r#"{"role":"nobody"}"#));
        assert_eq!(of(json!({ "role": "ann" })), Role::new("ann", r#"{"role":"ann"}"#));
        assert_eq!(of(json!({ "sub": "ann" })), Role::new("nobody", r#"{"sub":"ann"}"#));
        for wrong in [json!(1), json!(null), json!(["a"]), json!(""), json!("none")] {
            assert_eq!(of(json!({ "role": wrong })), Err(InvalidRole));
        }
    }
}
