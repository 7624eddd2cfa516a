//! The program as a process, as far as it needs no tables.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of its own, which is the working directory.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("bookends_cli_{}_{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn program(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bookends"));
        command.env_clear().env("LISTEN", "127.0.0.1:0").env("DATABASE_WAIT", "0").current_dir(&self.0).args(arguments);
        command
    }

    fn files(&self) -> usize {
        std::fs::read_dir(&self.0).unwrap().count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// One line on stderr, and a status that is not zero.
#[track_caller]
fn fails(command: &mut Command, text: &str) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let line = String::from_utf8(stderr).unwrap();
    assert!(!status.success() && stdout.is_empty(), "{line}");
    assert!(line.starts_with("bookends: ") && line.lines().count() == 1 && line.contains(text), "{line}");
    assert!(!line.contains("secret"), "{line}");
}

#[track_caller]
fn succeeds(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

#[test]
fn help_is_short_and_begins_with_the_one_command() {
    let folder = Folder::new();
    for arguments in [&["--help"][..], &["-h"], &["help"]] {
        let help = succeeds(&mut folder.program(arguments));
        assert!(help.contains("Usage: bookends [DATABASE]\n"), "{help}");
        assert!(help.lines().count() < 30, "{help}");
        for name in ["serve", "sdl", "check", "advise", "init", "eject", "health", "inspect", "completions"] {
            assert!(help.lines().any(|line| line.trim_start().starts_with(name)), "{name}: {help}");
        }
    }
    let help = succeeds(&mut folder.program(&["serve", "--help"]));
    for setting in
        ["--listen", "--max-requests", "--jwt-jwks-url", "--write\n", "--settings ", "[DATABASE]", "--database-url "]
    {
        assert!(help.contains(setting), "{setting}: {help}");
    }
    assert!(!help.contains("--sample") && !help.contains("bookends.db"), "{help}");
    assert!(succeeds(&mut folder.program(&["--version"])).starts_with("bookends "));
}

#[test]
fn a_file_that_is_missing_is_not_created() {
    let folder = Folder::new();
    for arguments in [
        &["none.db"][..],
        &["serve", "none.db"],
        &["none.db", "--write"],
        &["check", "none.db"],
        &["sdl", "sqlite://none.db?mode=rwc"],
        &["advise", "none.db"],
        &["init", "none.db"],
        &["eject", "folder", "none.db"],
        &["--database-url", "sqlite://none.db"],
    ] {
        fails(&mut folder.program(arguments), "there is no file `none.db`");
    }
    fails(folder.program(&[]).env("DATABASE_URL", "none.db"), "there is no file `none.db`");
    assert_eq!(folder.files(), 0);
}

#[test]
fn a_database_is_named_once() {
    let folder = Folder::new();
    fails(&mut folder.program(&[]), "name a database");
    fails(&mut folder.program(&["check"]), "name a database");
    fails(&mut folder.program(&["a.db", "--database-url", "sqlite://b.db"]), "named twice");
    fails(folder.program(&["a.db"]).env("DATABASE_URL", "sqlite://b.db"), "there is no file `a.db`");
    fails(&mut folder.program(&["mysql://localhost/a"]), "`postgres://` or `sqlite://`");
    fails(&mut folder.program(&["postgres://localhost:1/a"]), "cannot open");
    std::fs::write(folder.0.join("a.db"), "").unwrap();
    fails(&mut folder.program(&["a.db", "--settings", "none.toml"]), "there is no file of settings `none.toml`");
    assert_eq!(folder.files(), 1);
}

#[test]
fn a_password_on_the_command_line_is_refused() {
    let folder = Folder::new();
    for arguments in [
        &["postgres://user:secret@localhost/a"][..],
        &["check", "postgres://localhost/a?password=secret"],
        &["--database-url", "postgres://user:secret@localhost/a"],
    ] {
        fails(&mut folder.program(arguments), "set DATABASE_URL or DATABASE_URL_FILE instead");
    }
    fails(folder.program(&[]).env("DATABASE_URL", "postgres://user:secret@localhost:1/a"), "cannot open");
}

#[test]
fn what_needs_no_database_works_without_one() {
    let folder = Folder::new();
    let id = succeeds(&mut folder.program(&["inspect", "01a21ae7-343a-76c4-a8b0-89b681a7cc7a"]));
    assert!(id.contains("2026-11-27"), "{id}");
    assert!(succeeds(&mut folder.program(&["completions", "bash"])).contains("bookends"));
    fails(&mut folder.program(&["health", "--listen", "127.0.0.1:1"]), "no response");
}

/// Opening it read-only changes neither its bytes nor its folder.
#[test]
fn a_file_without_tables_stays_as_it_is() {
    let folder = Folder::new();
    let file = folder.0.join("empty.db");
    std::fs::write(&file, "").unwrap();
    let before = std::fs::metadata(&file).unwrap().modified().unwrap();
    assert!(!folder.program(&["check", "empty.db"]).output().unwrap().status.success());
    assert_eq!((folder.files(), std::fs::metadata(&file).unwrap().len()), (1, 0));
    assert_eq!(std::fs::metadata(&file).unwrap().modified().unwrap(), before);
}
