//! Lists the files of the shelf.

#[path = "server/build/files.rs"]
mod files;

fn main() -> std::io::Result<()> {
    files::list("web/shelf/dist", "shelf")
}
