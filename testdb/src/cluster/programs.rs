//! PostgreSQL's programs, and the user that runs them.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// A program in a folder, which refuses to run as root.
pub fn unprivileged_command(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder);
    if let Some((user, group)) = unprivileged() {
        command.uid(user).gid(group);
    }
    command
}

/// The programs of the newest version. `None` if PostgreSQL is not installed; says so.
///
/// # Panics
///
/// If it is not installed although `REQUIRE_POSTGRES_PROGRAMS` is set.
pub fn required() -> Option<PathBuf> {
    or_skip(newest(), "there is no initdb in /usr/lib/postgresql")
}

/// What was found. Says why if it was not.
///
/// # Panics
///
/// If it was not found although `REQUIRE_POSTGRES_PROGRAMS` is set.
pub fn or_skip<T>(found: Option<T>, missing: &str) -> Option<T> {
    if found.is_none() {
        #[expect(clippy::disallowed_methods, reason = "a setting of the tests")]
        let required = env::var_os("REQUIRE_POSTGRES_PROGRAMS").is_some();
        assert!(!required, "REQUIRE_POSTGRES_PROGRAMS is set, but {missing}");
        println!("skipped: {missing}");
    }
    found
}

fn newest() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions.flatten().map(|version| version.path()).max_by_key(number)?;
    Some(newest.join("bin")).filter(|programs| programs.join("initdb").exists())
}

/// Makes the user that runs PostgreSQL the owner of a path.
pub fn change_owner(path: &Path) {
    if unprivileged().is_some() {
        let given = Command::new("chown").arg("postgres:").arg(path).status().expect("chown runs");
        assert!(given.success());
    }
}

/// The user and the group that run PostgreSQL if this process is root.
fn unprivileged() -> Option<(u32, u32)> {
    let id = |arguments: &[&str]| {
        let output = Command::new("id").args(arguments).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    };
    (id(&["-u"]) == Some(0)).then(|| Some((id(&["-u", "postgres"])?, id(&["-g", "postgres"])?)))?
}
