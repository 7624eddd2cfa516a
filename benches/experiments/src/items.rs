//! A list of items in four orders: by a unique column, amid ties, in mixed directions, and with NULLs.

use keyset::{Key, Order, Page, Sort};
use sea_orm::EntityTrait;
use sea_orm::entity::prelude::*;

use crate::{Bench, Database, Error};

/// The rows of a page.
pub const SIZE: u32 = 10;

pub mod item {
    //! The items.

    use sea_orm::entity::prelude::*;

    /// An item.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "item")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i64,
        pub kind: i64,
        pub score: Option<i64>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// An order of the items, for the engine and in SQL.
pub struct List {
    pub title: &'static str,
    columns: Vec<Column>,
    pub order: Order,
}

#[derive(Clone, Copy)]
struct Column {
    name: &'static str,
    is_descending: bool,
    is_nullable: bool,
}

const fn column(name: &'static str, is_descending: bool) -> Column {
    Column { name, is_descending, is_nullable: false }
}

/// The orders, of which an index holds each.
pub fn lists() -> Result<[List; 4], Error> {
    use item::Column::{Id, Kind, Score};
    let list = |title, columns: &[Column], sorts: Vec<Sort>| {
        Ok::<_, Error>(List { title, columns: columns.to_vec(), order: Order::of::<item::Entity>(sorts)? })
    };
    let score = Column { is_nullable: true, ..column("score", true) };
    Ok([
        list(
            "by kind DESC, id DESC: ties of a fifth of the rows",
            &[column("kind", true), column("id", true)],
            vec![Sort::desc(Kind)],
        )?,
        list("by id DESC: unique", &[column("id", true)], vec![Sort::desc(Id)])?,
        list(
            "by kind DESC, id ASC: mixed directions",
            &[column("kind", true), column("id", false)],
            vec![Sort::desc(Kind), Sort::asc(Id)],
        )?,
        list("by score DESC, id DESC: a fifth is NULL", &[score, column("id", true)], vec![Sort::desc(Score)])?,
    ])
}

/// Creates the items: a page more than [`Bench::rows`], so that there is a page after that many.
pub async fn fill(bench: &Bench) -> Result<(), Error> {
    for database in &bench.databases {
        let numbers = database.numbers(1, bench.rows + u64::from(SIZE));
        for sql in [
            "CREATE TABLE item (id bigint NOT NULL PRIMARY KEY, kind bigint NOT NULL, score bigint)",
            &format!(
                "INSERT INTO item SELECT n, n * 7 % 5, CASE WHEN n % 5 > 0 THEN n * 3 % 25 / 5 END FROM {numbers}"
            ),
            "CREATE INDEX item_by_kind ON item (kind, id)",
            "CREATE INDEX item_by_kind_against_id ON item (kind, id DESC)",
            "CREATE INDEX item_by_score ON item (score, id)",
        ] {
            database.run(sql).await?;
        }
        // The bracket reads NULLs and values apart, so either index serves it. On PostgreSQL, all others need this one.
        let sql = "CREATE INDEX item_by_score_nulls_last ON item (score DESC NULLS LAST, id DESC)";
        if let Some(sql) = database.choose(None, Some(sql)) {
            database.run(sql).await?;
        }
        database.settle().await?;
    }
    Ok(())
}

impl List {
    /// The clause after `ORDER BY`.
    pub fn order_by(&self) -> String {
        let sorts = self.columns.iter().map(|column| {
            let direction = if column.is_descending { "DESC" } else { "ASC" };
            let nulls = if column.is_nullable { " NULLS LAST" } else { "" };
            format!("{} {direction}{nulls}", column.name)
        });
        sorts.collect::<Vec<_>>().join(", ")
    }

    /// The page that skips so many rows.
    pub fn offset(&self, depth: u64) -> String {
        format!("SELECT id, kind, score FROM item ORDER BY {} LIMIT {SIZE} OFFSET {depth}", self.order_by())
    }

    /// The first rows that a condition leaves, in the order.
    pub fn filtered(&self, condition: &str, limit: u32) -> String {
        format!("SELECT id, kind, score FROM item WHERE {condition} ORDER BY {} LIMIT {limit}", self.order_by())
    }

    /// The values of the row after so many.
    pub async fn values(&self, database: &Database, depth: u64) -> Result<Vec<Option<i64>>, Error> {
        let row = database.row(self.offset(depth)).await?;
        Ok(self.columns.iter().map(|column| row.try_get("", column.name)).collect::<Result<_, _>>()?)
    }

    /// The page of the engine after so many rows.
    pub async fn page(&self, database: &Database, depth: u64) -> Result<Page, Error> {
        let page = Page::first(&self.order, SIZE);
        match depth.checked_sub(1) {
            Some(before) => Ok(page.after(self.key(&self.values(database, before).await?)?)?),
            None => Ok(page),
        }
    }

    /// The values as a key of the engine.
    pub fn key(&self, values: &[Option<i64>]) -> Result<Key, Error> {
        Ok(Key::new(&self.order, values.iter().map(|value| Value::from(*value)).collect())?)
    }

    /// The condition that most programs send: beyond by the first column, or equal by it and beyond by the next.
    pub fn or_predicate(&self, values: &[Option<i64>]) -> String {
        let mut equal = String::new();
        let mut terms = Vec::new();
        for (column, value) in self.columns.iter().zip(values) {
            terms.push(format!("({equal}{})", column.beyond(*value)));
            equal = format!("{equal}{} AND ", column.equal(*value));
        }
        terms.join(" OR ")
    }

    /// The comparison of row values, strict or not, forward or back; none for mixed directions and for NULLs.
    pub fn row_value(&self, values: &[Option<i64>], forward: &str, backward: &str) -> Option<String> {
        let descending = self.columns[0].is_descending;
        let is_comparable = self.columns.iter().all(|one| one.is_descending == descending && !one.is_nullable);
        let values: Option<Vec<String>> = values.iter().map(|value| value.map(|value| value.to_string())).collect();
        let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        let operator = if descending { forward } else { backward };
        let compared = format!("({}) {operator} ({})", names.join(", "), values?.join(", "));
        is_comparable.then_some(compared)
    }
}

impl Column {
    fn equal(self, value: Option<i64>) -> String {
        value.map_or_else(|| format!("{} IS NULL", self.name), |value| format!("{} = {value}", self.name))
    }

    /// NULLs are last.
    fn beyond(self, value: Option<i64>) -> String {
        let (name, operator) = (self.name, if self.is_descending { '<' } else { '>' });
        match value {
            None => "1 = 0".to_owned(),
            Some(value) if self.is_nullable => format!("({name} {operator} {value} OR {name} IS NULL)"),
            Some(value) => format!("{name} {operator} {value}"),
        }
    }
}

/// The query of the engine.
pub fn query() -> Select<item::Entity> {
    item::Entity::find()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_predicates_follow_the_order() {
        let [ties, unique, mixed, nulls] = lists().unwrap();
        assert_eq!(ties.or_predicate(&[Some(3), Some(7)]), "(kind < 3) OR (kind = 3 AND id < 7)");
        assert_eq!(ties.row_value(&[Some(3), Some(7)], "<", ">").unwrap(), "(kind, id) < (3, 7)");
        assert_eq!(unique.or_predicate(&[Some(7)]), "(id < 7)");
        assert_eq!(mixed.or_predicate(&[Some(3), Some(7)]), "(kind < 3) OR (kind = 3 AND id > 7)");
        assert_eq!(mixed.row_value(&[Some(3), Some(7)], "<", ">"), None);
        assert_eq!(nulls.or_predicate(&[Some(3), Some(7)]), "((score < 3 OR score IS NULL)) OR (score = 3 AND id < 7)");
        assert_eq!(nulls.or_predicate(&[None, Some(7)]), "(1 = 0) OR (score IS NULL AND id < 7)");
        assert_eq!(nulls.order_by(), "score DESC NULLS LAST, id DESC");
    }
}
