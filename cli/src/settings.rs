//! The settings file, `bookends.toml`: what differs from what follows from the catalogue.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::num::NonZeroU32;
use std::path::Path;

use bookends_graphql::{Declaring, WriteKind};
use serde::Deserialize;
use toml::Spanned;

use crate::catalog::{Catalog, FoundTable};

mod change;
mod expression;
mod said;

pub use expression::Viewer;
pub(crate) use expression::{Guard, Rule, Test};

/// The settings of a file, which are checked against a catalogue before they change it.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    file: File,
    /// The text, for the lines of faults.
    text: String,
    /// The name of the file, for the same.
    name: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    table: BTreeMap<String, Spanned<TableSettings>>,
}

/// What is said of a table.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct TableSettings {
    /// Leaves it out.
    #[serde(default)]
    hide: bool,
    /// The name of its type.
    name: Option<Spanned<String>>,
    /// The name of the list of all its rows in the query.
    list: Option<Spanned<String>>,
    /// The name of the row with an id in the query.
    object: Option<Spanned<String>>,
    description: Option<String>,
    /// The columns by which rows are told apart, where the database has no constraint that says so.
    key: Option<Spanned<Vec<String>>>,
    /// Orders that no index holds, by columns.
    #[serde(default)]
    sorts: Vec<Spanned<Vec<String>>>,
    /// Whether lists have the argument `where`.
    filters: Option<bool>,
    aggregates: Option<bool>,
    /// How many rows a page has without `first` and `last`.
    page_size: Option<Spanned<NonZeroU32>>,
    /// How many it has at most.
    max_page_size: Option<NonZeroU32>,
    /// Which rows show: `tenant_id = claim("tenant")`.
    rule: Option<Spanned<String>>,
    /// What `--write` offers.
    write: Option<Writes>,
    #[serde(default)]
    field: BTreeMap<String, Spanned<FieldSettings>>,
}

impl TableSettings {
    /// The size of a page, and the largest one.
    fn page_sizes(&self) -> [Option<u32>; 2] {
        [self.page_size.as_ref().map(|size| *size.get_ref()), self.max_page_size].map(|size| size.map(NonZeroU32::get))
    }
}

/// All writes or none, or some of them.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Writes {
    All(bool),
    Some(Vec<Write>),
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Write {
    Create,
    Update,
    Delete,
}

/// What is said of a field: that of a column, by the name of the column, or any other, by its name in the schema.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FieldSettings {
    #[serde(default)]
    hide: bool,
    name: Option<Spanned<String>>,
    description: Option<String>,
    /// Whether lists are sorted by it.
    sort: Option<bool>,
    /// Whether lists are filtered by it.
    filter: Option<bool>,
    /// Who may read it: `claim("role") = "admin"`.
    guard: Option<Spanned<String>>,
    /// Whether it is null to others, in place of an error.
    #[serde(default)]
    or_null: bool,
}

/// A fault of a settings file, with its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct Fault {
    file: String,
    line: usize,
    message: String,
}

/// The settings file is unfit.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// It cannot be read.
    #[error("cannot read the settings file {}: {error}", .file.display())]
    Read {
        /// The file.
        file: std::path::PathBuf,
        /// The error of the system.
        error: std::io::Error,
    },
    /// All of its faults.
    #[error("the settings file has faults:\n{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Faults(Vec<Fault>),
}

impl Settings {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// [`SettingsError`].
    pub fn read(file: &Path) -> Result<Self, SettingsError> {
        let text =
            std::fs::read_to_string(file).map_err(|error| SettingsError::Read { file: file.to_owned(), error })?;
        Self::parse(&file.display().to_string(), &text).map_err(|fault| SettingsError::Faults(vec![fault]))
    }

    /// Reads the text of a file of this name.
    ///
    /// # Errors
    ///
    /// [`Fault`] if it is no TOML, or has an unknown key.
    pub fn parse(name: &str, text: &str) -> Result<Self, Fault> {
        let file = toml::from_str(text).map_err(|error| Fault {
            file: name.to_owned(),
            line: line(text, error.span().map_or(0, |span| span.start)),
            message: error.message().replace('\n', " "),
        })?;
        Ok(Self { file, text: text.to_owned(), name: name.to_owned() })
    }

    /// Changes a catalogue, in which it has no faults: hides tables, and gives keys to views.
    pub fn apply(&self, catalog: &mut Catalog) {
        for table in &mut catalog.tables {
            let Some(key) = self.of(&table.name).and_then(|settings| settings.key.as_ref()) else { continue };
            table.key = key.get_ref().clone();
            for column in table.columns.iter_mut().filter(|column| key.get_ref().contains(&column.definition.name)) {
                column.definition.is_nullable = false;
            }
        }
        catalog.tables.retain(|table| !self.of(&table.name).is_some_and(|settings| settings.hide));
    }

    /// The types that it names, by their tables.
    pub fn types(&self) -> HashMap<String, String> {
        let named =
            self.file.table.iter().filter_map(|(table, settings)| {
                Some((table.clone(), settings.get_ref().name.as_ref()?.get_ref().clone()))
            });
        named.collect()
    }

    /// What `--write` offers for the rows of a table.
    pub fn writes(&self, table: &str) -> Vec<WriteKind> {
        let all = [Write::Create, Write::Update, Write::Delete];
        let some = match self.of(table).and_then(|settings| settings.write.as_ref()) {
            None | Some(Writes::All(true)) => &all[..],
            Some(Writes::All(false)) => &[],
            Some(Writes::Some(some)) => some,
        };
        let kind = |write: &Write| match write {
            Write::Create => WriteKind::Create,
            Write::Update => WriteKind::Update,
            Write::Delete => WriteKind::Delete,
        };
        some.iter().map(kind).collect()
    }

    /// Changes the objects of tables, whose types are these.
    pub fn change(&self, types: &HashMap<String, String>, tables: &mut Declaring) {
        for (table, settings) in &self.file.table {
            if let Some(name) = types.get(table) {
                tables.change(name, |object| change::object(object, settings.get_ref()));
            }
        }
    }

    /// Whether rules or guards depend on who asks.
    pub fn asks_who(&self) -> bool {
        self.file.table.values().any(|table| {
            let table = table.get_ref();
            table.rule.is_some() || table.field.values().any(|field| field.get_ref().guard.is_some())
        })
    }

    /// The same without what it says of fields.
    #[must_use]
    pub fn without_fields(&self) -> Self {
        let mut plain = self.clone();
        for table in plain.file.table.values_mut() {
            table.get_mut().field.clear();
        }
        plain
    }

    fn of(&self, table: &str) -> Option<&TableSettings> {
        self.file.table.get(table).map(Spanned::get_ref)
    }

    /// What does not fit a catalogue.
    pub(crate) fn faults(&self, catalog: &Catalog) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (name, settings) in &self.file.table {
            let Some(table) = catalog.tables.iter().find(|table| table.name == *name) else {
                faults.push(self.fault(settings, format_args!("there is no table `{name}`")));
                continue;
            };
            self.faults_of(table, settings.get_ref(), &mut faults);
        }
        faults.sort_by_key(|fault| fault.line);
        faults
    }

    fn faults_of(&self, table: &FoundTable, settings: &TableSettings, faults: &mut Vec<Fault>) {
        let unknown = |column: &str| format!("the table `{}` has no column `{column}`", table.name);
        let lists = settings.key.iter().chain(&settings.sorts);
        for list in lists {
            if list.get_ref().is_empty() {
                faults.push(self.fault(list, format_args!("expected the names of columns")));
            }
            for column in list.get_ref().iter().filter(|column| table.column(column).is_none()) {
                faults.push(self.fault(list, format_args!("{}", unknown(column))));
            }
        }
        let fields = settings.field.values().filter_map(|field| field.get_ref().name.as_ref());
        let names = [&settings.name, &settings.list, &settings.object].into_iter().flatten().chain(fields);
        for name in names.filter(|name| !is_name(name.get_ref())) {
            faults.push(self.fault(name, format_args!("`{}` is no name of GraphQL", name.get_ref())));
        }
        if let Some(rule) = &settings.rule {
            match Rule::parse(rule.get_ref()) {
                Ok(parsed) => {
                    for column in parsed.columns().filter(|column| table.column(column).is_none()) {
                        faults.push(self.fault(rule, format_args!("{}", unknown(column))));
                    }
                }
                Err(message) => faults.push(self.fault(rule, format_args!("{message}"))),
            }
        }
        if let (Some(size), Some(max)) = (&settings.page_size, &settings.max_page_size)
            && size.get_ref() > max
        {
            faults.push(self.fault(size, format_args!("`page_size` is above `max_page_size`, {max}")));
        }
        for field in settings.field.values() {
            if let Some(guard) = &field.get_ref().guard
                && let Err(message) = Guard::parse(guard.get_ref())
            {
                faults.push(self.fault(guard, format_args!("{message}")));
            }
        }
    }

    /// The faults of fields that the objects of tables, whose types are these, do not have.
    pub fn unknown_fields<'o>(
        &self,
        types: &HashMap<String, String>,
        fields: impl Fn(&str) -> Vec<&'o str>,
        catalog: &Catalog,
    ) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (table, settings) in &self.file.table {
            let Some(name) = types.get(table) else { continue };
            let known = fields(name);
            for (field, of) in &settings.get_ref().field {
                if !is_column(catalog, table, field) && !known.contains(&field.as_str()) {
                    faults.push(
                        self.fault(of, format_args!("`{name}` has no field `{field}`, and `{table}` no such column")),
                    );
                }
            }
        }
        faults
    }

    /// Whether a field that is no column is changed.
    pub fn names_fields(&self, catalog: &Catalog) -> bool {
        self.file
            .table
            .iter()
            .any(|(table, settings)| !settings.get_ref().field.keys().all(|field| is_column(catalog, table, field)))
    }

    fn fault<T>(&self, at: &Spanned<T>, message: fmt::Arguments<'_>) -> Fault {
        Fault { file: self.name.clone(), line: line(&self.text, at.span().start), message: message.to_string() }
    }
}

fn is_column(catalog: &Catalog, table: &str, name: &str) -> bool {
    catalog.tables.iter().any(|found| found.name == table && found.column(name).is_some())
}

/// The line of a place in a text, from 1.
fn line(text: &str, place: usize) -> usize {
    text.bytes().take(place).filter(|byte| *byte == b'\n').count() + 1
}

/// Whether a text is a name of GraphQL that is not reserved.
fn is_name(text: &str) -> bool {
    let is_fit = |letter: char| letter == '_' || letter.is_ascii_alphanumeric();
    !text.starts_with("__")
        && !text.starts_with(|letter: char| letter.is_ascii_digit())
        && !text.is_empty()
        && text.chars().all(is_fit)
}
