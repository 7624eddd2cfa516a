//! The files of a project.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::changes::Changes;
use super::ddl::Ddl;
use super::idents::{literal, package, raw};
use super::table::Ejected;
use super::{declared, entity, types};
use crate::discover::Discovered;

/// What is written.
#[derive(Debug)]
pub struct Project<'p> {
    pub discovered: &'p Discovered,
    pub tables: &'p [Ejected<'p>],
    pub changes: &'p [Changes],
    /// The schema as text.
    pub schema: String,
    pub ddl: Ddl,
    pub folder: &'p Path,
    /// The checkout that it depends on.
    pub checkout: Option<&'p Path>,
    pub is_postgres: bool,
}

impl Project<'_> {
    /// All files: their names and their texts.
    pub fn files(&self) -> Vec<(PathBuf, String)> {
        let enums = types::enums(self.tables);
        let mut files = vec![
            ("Cargo.toml", self.filled(include_str!("template/Cargo.toml"))),
            ("Dockerfile", self.filled(include_str!("template/Dockerfile"))),
            ("README.md", self.filled(include_str!("template/README.md"))),
            (".dockerignore", "target\n".to_owned()),
            (".gitignore", "/target\n".to_owned()),
            ("baseline.sql", BASELINE.to_owned()),
            ("schema.graphql", format!("{}\n", self.schema.trim_end())),
            ("src/entity.rs", self.modules(!enums.is_empty())),
            ("src/lib.rs", self.filled(include_str!("template/lib.rs"))),
            ("src/main.rs", self.filled(include_str!("template/main.rs"))),
            ("src/schema.sql", self.ddl.statements.clone()),
            ("src/tables.rs", declared::file(self.tables, self.changes)),
            ("tests/schema.rs", self.filled(include_str!("template/schema_test.rs"))),
        ];
        if self.asks_who() {
            files.push(("src/viewer.rs", include_str!("template/viewer.rs").to_owned()));
        }
        if !enums.is_empty() {
            files.push(("src/entity/enums.rs", types::file(&enums)));
        }
        let mut files: Vec<_> = files.into_iter().map(|(name, text)| (PathBuf::from(name), text)).collect();
        for table in self.tables {
            let name = PathBuf::from(format!("src/entity/{}.rs", table.module));
            files.push((name, entity::file(table, self.tables, &enums, &self.ddl.defaults)));
        }
        files
    }

    /// What the project does not have.
    pub fn notes(&self) -> Vec<String> {
        let missing = self.ddl.missing.iter().map(|missing| format!("`src/schema.sql` does not create {missing}"));
        let keys = self.tables.iter().filter_map(|table| {
            let key: Vec<&str> = table.object.table().key().map(keyset::Column::name).collect();
            let is_other = key != table.key();
            is_other.then(|| {
                format!(
                    "the key of `{}` is ({}) in the database, and ({}) in the entity: global ids and cursors of it are others",
                    table.object.name(),
                    key.join(", "),
                    table.key().join(", ")
                )
            })
        });
        missing.chain(keys).collect()
    }

    /// Whether rules or guards depend on who asks.
    fn asks_who(&self) -> bool {
        self.discovered.settings.asks_who()
    }

    /// The file that names the modules of the entities.
    fn modules(&self, has_enums: bool) -> String {
        let mut modules: Vec<String> = self.tables.iter().map(|table| raw(&table.module)).collect();
        modules.extend(has_enums.then(|| "enums".to_owned()));
        modules.sort_unstable();
        let modules: String = modules.iter().map(|module| format!("pub mod {module};\n")).collect();
        format!("//! The tables of the database.\n\n{modules}")
    }

    /// A template with what it says of this project.
    fn filled(&self, template: &str) -> String {
        let folder = self.folder.canonicalize().unwrap_or_else(|_| self.folder.to_owned());
        let package = package(&folder.file_name().unwrap_or_default().to_string_lossy());
        let server = match self.checkout {
            Some(checkout) => format!("{{ path = {} }}", literal(&checkout.join("server").to_string_lossy())),
            None => literal("0.2"),
        };
        let about = "A Relay API over the tables of a database.";
        let asks_who = |text: &str| if self.asks_who() { text.to_owned() } else { String::new() };
        let database = if self.is_postgres { "PostgreSQL" } else { "SQLite" };
        let said = [
            ("{package}", package.as_str()),
            ("{server}", &server),
            ("{about}", about),
            ("{about_text}", &literal(about)),
            ("{guide}", &literal(&self.discovered.guide)),
            ("{viewer_mod}", &asks_who("pub mod viewer;\n")),
            ("{viewer_use}", &asks_who("use bookends_server::app::Asking;\n\nuse crate::viewer::Viewer;\n")),
            ("{viewer_call}", &asks_who("\n        .viewer(|asking: Asking<'_>| Ok(Viewer(asking.claims.cloned())))")),
            ("{viewer_row}", &asks_who(", and to whom (`src/viewer.rs`)")),
            ("{list}", self.discovered.declaration.root_fields()[0].first().unwrap_or(&"__typename")),
            ("{test_url}", self.test_url()),
            ("{url}", if self.is_postgres { "postgres://…" } else { "'sqlite://FILE.db'" }),
            ("{database}", database),
            (
                "{baseline}",
                if self.is_postgres {
                    "psql -f baseline.sql \"$DATABASE_URL\""
                } else {
                    "sqlite3 FILE.db <baseline.sql"
                },
            ),
            ("{test}", if self.is_postgres { "TEST_DATABASE_URL=postgres://…/empty cargo test" } else { "cargo test" }),
            ("{notes}", &self.notes().iter().map(|note| format!("- {note}.\n")).collect::<String>()),
        ];
        said.iter().fold(template.to_owned(), |text, (name, value)| text.replace(name, value))
    }

    /// The statement of the test that names its database.
    fn test_url(&self) -> &'static str {
        if self.is_postgres {
            "    // An empty database of PostgreSQL.
    let Ok(url) = std::env::var(\"TEST_DATABASE_URL\") else { return eprintln!(\"skipped: set TEST_DATABASE_URL\") };
    let url = url.as_str();"
        } else {
            "    let url = \"sqlite::memory:\";"
        }
    }
}

/// What says that a database has the first migration.
const BASELINE: &str = "\
-- Says that this database has the schema of `src/schema.sql` already.
CREATE TABLE IF NOT EXISTS seaql_migrations (version varchar NOT NULL PRIMARY KEY, applied_at bigint NOT NULL);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m0001_schema', 0);
";

/// Formats the code of a project, if `rustfmt` is installed.
pub fn format(folder: &Path) {
    let files = ["src/main.rs", "src/lib.rs", "tests/schema.rs"].map(|file| folder.join(file));
    let mut rustfmt = Command::new("rustfmt");
    let done =
        rustfmt.args(["--edition", "2024", "--quiet"]).args(files).stdout(Stdio::null()).stderr(Stdio::null()).status();
    // Without it, the code is as it was written.
    drop(done);
}
