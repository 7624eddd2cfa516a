//! Gives the schema to cynic.

fn main() {
    cynic_codegen::register_schema("bookends").from_sdl_file("../../schema.graphql").unwrap().as_default().unwrap();
}
