//! Lists the files of a page, which the program contains.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Writes an array of the files in this folder of the package, with their names, to `NAME.rs`.
#[expect(clippy::disallowed_methods, reason = "cargo says so where the files belong")]
pub fn list(folder: &str, name: &str) -> io::Result<()> {
    let place = |variable: &str| PathBuf::from(env::var_os(variable).unwrap_or_default());
    let (folder, out) = (place("CARGO_MANIFEST_DIR").join(folder), place("OUT_DIR"));
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    find(&folder, &mut files)?;
    let list: Vec<String> = files
        .iter()
        .map(|file| {
            let name = file.strip_prefix(&folder).unwrap_or(file).display().to_string().replace('\\', "/");
            format!("({name:?}, include_bytes!({:?}))", file.display().to_string())
        })
        .collect();
    fs::write(out.join(format!("{name}.rs")), format!("&[{}]\n", list.join(",\n")))
}

/// The files in a folder and in those below it.
fn find(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(())
}
