//! Tables, and how a schema of GraphQL calls what they have.

/// The kinds of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of types")]
pub enum Kind {
    SmallInt,
    Int,
    BigInt,
    Bool,
    Text,
    Double,
    Decimal,
    Date,
    Time,
    /// A date and a time without a zone.
    Local,
    Instant,
    Uuid,
    Bytes,
    /// An enum of PostgreSQL.
    Enum,
    Json,
    /// An array of integers, of PostgreSQL.
    Ints,
    /// An array of texts, of PostgreSQL.
    Texts,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::Int,
        Self::Text,
        Self::SmallInt,
        Self::BigInt,
        Self::Bool,
        Self::Double,
        Self::Decimal,
        Self::Date,
        Self::Time,
        Self::Local,
        Self::Instant,
        Self::Uuid,
        Self::Bytes,
        Self::Json,
        Self::Enum,
        Self::Ints,
        Self::Texts,
    ];

    /// Those of a database.
    pub fn of_database(is_sqlite: bool) -> &'static [Self] {
        if is_sqlite { &Self::ALL[..14] } else { &Self::ALL }
    }

    /// Whether it has sums and averages.
    pub fn is_number(self) -> bool {
        matches!(self, Self::SmallInt | Self::Int | Self::BigInt | Self::Double | Self::Decimal)
    }

    /// Whether its values are arrays.
    pub fn is_list(self) -> bool {
        matches!(self, Self::Ints | Self::Texts)
    }

    /// Whether it has filters by order.
    pub fn is_ordered(self) -> bool {
        !matches!(self, Self::Uuid | Self::Bytes | Self::Enum | Self::Json) && !self.is_list()
    }

    /// Whether lists can be sorted by it.
    pub fn is_sortable(self) -> bool {
        self != Self::Json && !self.is_list()
    }

    /// Whether it can be a column of a key.
    pub fn is_of_keys(self) -> bool {
        !matches!(self, Self::Bool | Self::Double | Self::Decimal | Self::Enum | Self::Json) && !self.is_list()
    }

    /// Its type in the schema.
    pub fn graphql(self) -> &'static str {
        match self {
            Self::SmallInt | Self::Int => "Int",
            Self::BigInt => "BigInt",
            Self::Bool => "Boolean",
            Self::Text => "String",
            Self::Double => "Float",
            Self::Decimal => "Decimal",
            Self::Date => "Date",
            Self::Time => "Time",
            Self::Local => "LocalDateTime",
            Self::Instant => "DateTime",
            Self::Uuid => "UUID",
            Self::Bytes => "Bytes",
            Self::Enum => "Mood",
            Self::Json => "JSON",
            Self::Ints => "[Int!]",
            Self::Texts => "[String!]",
        }
    }
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name, which is that of its field.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
    /// Whether it can be NULL.
    pub nullable: bool,
}

/// What becomes of a row when the row that it refers to is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDelete {
    /// The other row cannot be deleted.
    Restrict,
    /// It is deleted, too.
    Cascade,
    /// It refers to none.
    SetNull,
}

/// A foreign key: these columns refer to the key of another table.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The columns, in the order of the key.
    pub columns: Vec<usize>,
    /// The table that they refer to.
    pub to: usize,
    /// The field with the object.
    pub field: String,
    /// The list on the other side.
    pub list: String,
    /// Whether a constraint says that no two rows refer to the same one.
    pub unique: bool,
    /// What becomes of its row.
    pub on_delete: OnDelete,
}

/// Where the rows of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In a table.
    Table,
    /// On PostgreSQL, in partitions by the hash of the key.
    Partitions,
    /// In another table, of which this is a view with the key that the settings name.
    View,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name, and that of the object with an id.
    pub name: String,
    /// All of its columns.
    pub columns: Vec<Column>,
    /// The columns of the primary key.
    pub key: Vec<usize>,
    /// Its foreign keys.
    pub references: Vec<Reference>,
    /// The columns of its indexes.
    pub indexes: Vec<Vec<usize>>,
    /// The orders that are offered whether an index holds them or not, by columns.
    pub sorts: Vec<Vec<usize>>,
    /// The column that must have the value of the viewer's claim, if rows are hidden.
    pub rule: Option<usize>,
    /// Whether its lists have the argument `asOf`: its key is a UUID.
    pub as_of: bool,
    /// Whether the database keeps the number of its rows.
    pub counted: bool,
    /// Where its rows are.
    pub storage: Storage,
    /// The column that only viewers with the claim [`GUARDED_FOR`] read.
    pub guard: Option<usize>,
}

/// The claim of those who read guarded columns.
pub const GUARDED_FOR: &str = "a";

impl Table {
    /// A table of these columns without anything else.
    pub fn new(name: &str, columns: Vec<Column>, key: Vec<usize>) -> Self {
        let (references, indexes, sorts) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            name: name.into(),
            columns,
            key,
            references,
            indexes,
            sorts,
            rule: None,
            as_of: false,
            counted: false,
            storage: Storage::Table,
            guard: None,
        }
    }

    /// The table that has its rows.
    pub fn stored(&self) -> String {
        if self.storage == Storage::View { format!("{}_rows", self.name) } else { self.name.clone() }
    }

    /// The name of its type.
    pub fn type_name(&self) -> String {
        let (first, rest) = self.name.split_at(1);
        first.to_uppercase() + rest
    }

    /// The name of the list of all its rows.
    pub fn list(&self) -> String {
        format!("{}s", self.name)
    }

    /// The field of a column.
    pub fn field(&self, column: usize) -> String {
        let name = &self.columns[column].name;
        let mut parts = name.split('_');
        let first = parts.next().unwrap_or_default().to_owned();
        let rest: String = parts.map(|part| part[..1].to_uppercase() + &part[1..]).collect();
        if name == "id" { "rowId".into() } else { first + &rest }
    }

    /// The column of a field.
    pub fn column(&self, field: &str) -> Option<usize> {
        (0..self.columns.len()).find(|column| self.field(*column) == field)
    }

    /// Whether no two rows have the same value of a column.
    pub fn tells_apart(&self, column: usize) -> bool {
        let is_unique = self.references.iter().any(|of| of.unique && of.columns == [column]);
        self.key == [column] || is_unique && !self.columns[column].nullable
    }

    /// The two references that make it a junction: together they are its key.
    pub fn junction(&self) -> Option<[&Reference; 2]> {
        let [one, other] = self
            .references
            .iter()
            .filter(|of| of.columns.iter().all(|it| self.key.contains(it)))
            .collect::<Vec<_>>()[..]
        else {
            return None;
        };
        let is_key = one.columns.len() + other.columns.len() == self.key.len();
        (is_key && !one.columns.iter().any(|column| other.columns.contains(column))).then_some([one, other])
    }
}

/// The tables of a database.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    /// All of them.
    pub tables: Vec<Table>,
}

/// What a field of an object is, beside its columns.
#[derive(Clone, Copy, Debug)]
pub enum Relation<'s> {
    /// The object that a reference of its own refers to.
    One(&'s Reference),
    /// The rows of a table that refer to it.
    Many(usize, &'s Reference),
    /// The only row of a table that can refer to it.
    Only(usize, &'s Reference),
    /// The far ends of the rows of a junction that refer to it.
    Far(usize, &'s Reference, &'s Reference),
}

impl Relation<'_> {
    /// The table of the nodes.
    pub fn node(&self) -> usize {
        match self {
            Self::One(of) | Self::Far(_, _, of) => of.to,
            Self::Many(table, _) | Self::Only(table, _) => *table,
        }
    }
}

impl Schema {
    /// The relations of a table, by their fields.
    pub fn relations(&self, table: usize) -> Vec<(String, Relation<'_>)> {
        let own = self.tables[table].references.iter().map(|of| (of.field.clone(), Relation::One(of)));
        let mut found: Vec<_> = own.collect();
        for (index, other) in self.tables.iter().enumerate() {
            for of in other.references.iter().filter(|of| of.to == table) {
                // A key that refers to another one tells its rows apart.
                let is_key = of.unique
                    || of.columns.len() == other.key.len()
                        && of.columns.iter().all(|column| other.key.contains(column));
                found.push(if is_key {
                    (of.list.replacen('s', "", 1), Relation::Only(index, of))
                } else {
                    (of.list.clone(), Relation::Many(index, of))
                });
            }
        }
        for (index, other) in self.tables.iter().enumerate() {
            let Some([one, two]) = other.junction() else { continue };
            for (near, far) in [(one, two), (two, one)] {
                if near.to == table {
                    found.push((format!("{}s", far.field), Relation::Far(index, near, far)));
                }
            }
        }
        found
    }

    /// The relation of a field.
    pub fn relation(&self, table: usize, field: &str) -> Option<Relation<'_>> {
        self.relations(table).into_iter().find(|(name, _)| name == field).map(|(_, relation)| relation)
    }
}
