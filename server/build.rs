//! Lists the files of GraphiQL.

#[path = "build/files.rs"]
mod files;

fn main() -> std::io::Result<()> {
    files::list("graphiql", "graphiql")
}
