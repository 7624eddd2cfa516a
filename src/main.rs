//! The program `bookshop`.

use std::process::ExitCode;

// The feature `mimalloc` of the library would be that of tests and benches, too, which have allocators of their own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    bookshop::app().main()
}
