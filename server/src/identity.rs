//! The name of an application.

/// The name and the version of an application, as its logs, its metrics and its database connections have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The name, also of the program: lower case, without spaces.
    pub name: &'static str,
    /// The version of the application.
    pub version: &'static str,
}

/// That of this library.
impl Default for Identity {
    fn default() -> Self {
        Self { name: "bookends", version: env!("CARGO_PKG_VERSION") }
    }
}
