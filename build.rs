//! Lists the files of the pages in `web`, which the program contains.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

#[expect(clippy::disallowed_methods, reason = "cargo says so where the files belong")]
fn main() -> io::Result<()> {
    let (root, out) =
        (PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()));
    for page in ["graphiql", "shelf"] {
        let folder = root.join("web").join(page).join("dist");
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
        fs::write(out.join(format!("{page}.rs")), format!("&[{}]\n", list.join(",\n")))?;
    }
    Ok(())
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
