//! The program `bookends`.

use std::process::ExitCode;

// The feature `mimalloc` of the library would be that of its tests, too, which have allocators of their own.
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    bookends::main()
}
