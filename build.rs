//! Has the server compiled anew when its page was built: a folder that was not there is nothing that cargo looks at.
//! What the page is for, `src/server/page.rs` says.

use std::path::Path;

fn main() {
    let bundle = "web/dist";
    println!("cargo::rerun-if-changed={}", if Path::new(bundle).exists() { bundle } else { "web" });
}
