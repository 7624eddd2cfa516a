//! The two applications as data: their tables, and the statements over them. Both have lists of parents and of their children.

/// An application.
#[derive(Debug)]
pub struct Schema {
    pub parents: Object,
    pub children: Object,
    /// The field of a child with its parent, and the column.
    pub parent: &'static str,
    pub reference: &'static str,
    /// The number of a child, which is sorted by, and its index.
    pub number: &'static str,
    index: &'static str,
    /// Whether the number can be NULL.
    pub has_nulls: bool,
    pub keys: Keys,
    /// Whether the servers answer its mutations.
    pub is_written: bool,
}

/// A table, the list of its rows, and what their global ids begin with.
#[derive(Debug)]
pub struct Object {
    pub table: &'static str,
    pub list: &'static str,
    pub tag: &'static [u8],
}

/// The type of all keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    Uuid,
    Integer,
}

/// The book shop.
pub static SHOP: Schema = Schema {
    parents: Object { table: "book", list: "books", tag: &[1] },
    children: Object { table: "book_rating", list: "ratings", tag: &[2] },
    parent: "book",
    reference: "book_id",
    number: "rating",
    index: "book_rating_by_rating",
    has_nulls: false,
    keys: Keys::Uuid,
    is_written: true,
};

/// `examples/your-own-tables`. Its tags follow from the names of the types.
pub static RIVERS: Schema = Schema {
    parents: Object { table: "river", list: "rivers", tag: &[0xec, 0x9c] },
    children: Object { table: "city", list: "cities", tag: &[0x96, 0xb4] },
    parent: "river",
    reference: "river_id",
    number: "people",
    index: "city_people",
    has_nulls: true,
    keys: Keys::Integer,
    is_written: false,
};

const UNION: &str = " UNION ALL ";

/// Children of each parent in [`Kind::Nested`](crate::page::Kind).
pub const EACH: usize = 5;

impl Schema {
    /// Children with their parents, by id: the row at or before the key `$1`, and the rows after it.
    pub fn by_id(&self, size: usize) -> String {
        let table = self.children.table;
        let ranges = [self.range(table, 0, "id <= $1", "id DESC", 1), self.range(table, 1, "id > $1", "id", size + 1)];
        self.with_parents(&ranges, "r.id")
    }

    /// The same by `number DESC, id DESC`, after the key `$1, $2`. Rows without the number are last. SQLite does not seek
    /// a row value whose last column is an integer primary key.
    pub fn ties(&self, size: usize, seeks_row_values: bool) -> String {
        let (number, mut table) = (self.number, self.children.table.to_owned());
        let (before, mut after) = if seeks_row_values {
            (vec![format!("({number}, id) >= ($1, $2)")], vec![format!("({number}, id) < ($1, $2)")])
        } else {
            // It expects few rows between the ties, and would go through the table.
            table += &format!(" INDEXED BY {}", self.index);
            let tied = |than| format!("{number} = $1 AND id {than} $2");
            (vec![tied(">="), format!("{number} > $1")], vec![tied("<"), format!("{number} < $1")])
        };
        if self.has_nulls {
            after.push(format!("{number} IS NULL"));
        }
        let before = before.iter().map(|range| self.range(&table, 0, range, &format!("{number}, id"), 1));
        let before = before.collect::<Vec<_>>().join(UNION);
        let order = format!("{number} DESC, id DESC");
        let after = (1..).zip(&after).map(|(segment, range)| self.range(&table, segment, range, &order, size + 1));
        let ranges: Vec<_> =
            [format!("SELECT * FROM (SELECT * FROM ({before}) w LIMIT 1) w")].into_iter().chain(after).collect();
        self.with_parents(&ranges, &format!("r.{number} DESC, r.id DESC"))
    }

    /// Children in a range of an index.
    fn range(&self, table: &str, segment: usize, range: &str, order: &str, limit: usize) -> String {
        let Self { reference, number, .. } = self;
        format!(
            "SELECT * FROM (SELECT {segment} AS segment, id, {number}, {reference} FROM {table}
                WHERE {range} ORDER BY {order} LIMIT {limit}) r"
        )
    }

    fn with_parents(&self, ranges: &[String], order: &str) -> String {
        let Self { parents, reference, number, .. } = self;
        format!(
            "SELECT r.segment, r.id, r.{number}, b.name FROM ({}) r
            LEFT JOIN {} b ON b.id = r.{reference} ORDER BY r.segment, {order}",
            ranges.join(UNION),
            parents.table
        )
    }

    /// Parents by id: the row at or before the key `$1`, and the rows after it.
    pub fn parents(&self, size: usize) -> String {
        let Object { table, .. } = self.parents;
        format!(
            "SELECT * FROM (SELECT 0 AS segment, id, name FROM {table} WHERE id <= $1 ORDER BY id DESC LIMIT 1) w
            {UNION} SELECT * FROM (SELECT 1, id, name FROM {table} WHERE id > $1 ORDER BY id LIMIT {}) p",
            size + 1
        )
    }

    /// The first children of the parent with this key, and one more.
    pub fn of_parent(&self, key: &str) -> String {
        let Self { children: Object { table, .. }, reference, number, .. } = self;
        format!("SELECT id, {number} FROM {table} WHERE {reference} = {key} ORDER BY id LIMIT {}", EACH + 1)
    }
}
