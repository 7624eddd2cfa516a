//! {about}

pub mod entity;
mod tables;
{viewer_mod}
use bookends_server::App;
{viewer_use}
/// The application: its objects, and the schema of its database.
pub fn app() -> App {
    App::new("{package}", env!("CARGO_PKG_VERSION"), tables::tables())
        .about({about_text})
        .guide({guide})
        .migration("m0001_schema", include_str!("schema.sql")){viewer_call}
}
