//! Events as text, for NOTIFY.
//!
//! The text contains the whole row: receivers need not read it, and cannot find it deleted. Of a row that is too large for
//! PostgreSQL it contains the key. Servers of different versions may share a database, so the format must stay compatible. A text
//! that cannot be read is ignored.

use bookends_graphql::{EventRow, WriteKind};
use keyset::Column;
use sea_orm::Value;
use serde_json::{Map, Value as Json};

use super::event::{Event, EventType};
use super::json;

/// The member with the name of the event.
const EVENT: &str = "event";

/// The member with what the row referred to before it was changed.
const BEFORE: &str = "before";

/// The most bytes that PostgreSQL passes on.
const MAX_BYTES: usize = 7_999;

/// The text of an event of this kind.
pub fn write(of: &EventType, event: &Event) -> String {
    let text = members(of, event, |column| of.tells(column));
    if text.len() <= MAX_BYTES {
        return text;
    }
    let text = members(of, event, |column| is_key(of, column));
    let needs_row = of.is_ruled && of.kind == WriteKind::Delete;
    if text.len() <= MAX_BYTES && !needs_row {
        return text;
    }
    if needs_row || of.is_ruled && event.before.is_some() {
        // Without the rows, nobody can say who may hear of them.
        return Json::Object([(EVENT.to_owned(), of.name.clone().into())].into_iter().collect()).to_string();
    }
    members(of, &Event { before: None, ..event.clone() }, |column| is_key(of, column))
}

fn is_key(of: &EventType, column: &Column) -> bool {
    of.table.key().any(|key| key == column)
}

fn members(of: &EventType, event: &Event, is_written: impl Fn(&Column) -> bool) -> String {
    let mut members = Map::new();
    members.insert(EVENT.into(), of.name.clone().into());
    let values = |row: &EventRow, is_written: &dyn Fn(&Column) -> bool| {
        let columns = of.table.columns().iter().zip(row.iter()).filter(|(column, _)| is_written(column));
        columns.map(|(column, value)| (column.name().to_owned(), json::write(value))).collect::<Map<_, _>>()
    };
    members.extend(values(&event.row, &is_written));
    if let Some(before) = &event.before {
        members.insert(BEFORE.into(), values(before, &|column| of.telling().contains(column)).into());
    }
    Json::Object(members).to_string()
}

/// What a text announces.
#[derive(Debug)]
pub enum Announced<'a> {
    /// This event.
    Event(Event),
    /// An event of this kind about the row with this key, and what the row referred to before.
    Key(&'a EventType, Vec<Value>, Option<EventRow>),
    /// An event of this kind about rows that are too large to tell who may hear of it.
    TooLarge(&'a EventType),
}

/// Why a text is no event.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoEvent {
    /// It is no object with the name of an event.
    #[error("expected an object with the name of an event")]
    Malformed,
    /// A column is missing, or has a value of another type.
    #[error("expected the row of the event")]
    Row,
}

/// What a text announces. Any client of the database can send one, so its types are checked.
///
/// # Errors
///
/// [`NoEvent`].
pub fn read<'a>(types: &'a [EventType], text: &str) -> Result<Announced<'a>, NoEvent> {
    let members: Map<String, Json> = serde_json::from_str(text).map_err(|_| NoEvent::Malformed)?;
    let name = members.get(EVENT).and_then(Json::as_str);
    let of = types.iter().find(|of| Some(of.name.as_str()) == name).ok_or(NoEvent::Malformed)?;
    let value = |column: &Column| match members.get(column.name()) {
        Some(json) => json::read(column.kind(), json),
        None if of.kind == WriteKind::Delete && !is_key(of, column) => Some(column.kind().null()),
        // An older version has no such column.
        None => column.is_nullable().then(|| column.kind().null()),
    };
    if of.is_ruled && members.len() == 1 {
        return Ok(Announced::TooLarge(of));
    }
    let before = before(of, &members)?;
    let mut others = of.table.columns().iter().filter(|column| !is_key(of, column)).peekable();
    if of.kind != WriteKind::Delete
        && others.peek().is_some()
        && others.all(|column| !members.contains_key(column.name()))
    {
        let key = of.table.key().map(value).collect::<Option<_>>().ok_or(NoEvent::Row)?;
        return Ok(Announced::Key(of, key, before));
    }
    let values = of.table.columns().iter().map(value).collect::<Option<_>>().ok_or(NoEvent::Row)?;
    Ok(Announced::Event(Event { before, ..of.event(values) }))
}

/// What the row referred to before it was changed.
fn before(of: &EventType, members: &Map<String, Json>) -> Result<Option<EventRow>, NoEvent> {
    let Some(Json::Object(before)) = members.get(BEFORE) else { return Ok(None) };
    let value = |column: &Column| match before.get(column.name()) {
        Some(json) => json::read(column.kind(), json),
        None => Some(column.kind().null()),
    };
    let before = of.table.columns().iter().map(value).collect::<Option<Vec<_>>>().ok_or(NoEvent::Row)?;
    Ok(Some(before.into()))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the derived relations bring a `paginate` that nobody calls")]
mod tests {
    use std::sync::Arc;

    use bookends_graphql::{Declaration, Declaring};
    use sea_orm::prelude::Decimal;
    use uuid::Uuid;

    use super::*;

    mod book {
        use sea_orm::entity::prelude::*;

        #[sea_orm::model]
        #[derive(Clone, Debug, DeriveEntityModel)]
        #[sea_orm(table_name = "book")]
        pub struct Model {
            #[sea_orm(primary_key, auto_increment = false)]
            pub id: Uuid,
        }

        impl ActiveModelBehavior for ActiveModel {}
    }

    mod rating {
        use sea_orm::entity::prelude::*;

        #[sea_orm::model]
        #[derive(Clone, Debug, DeriveEntityModel)]
        #[sea_orm(table_name = "rating")]
        pub struct Model {
            #[sea_orm(primary_key, auto_increment = false)]
            pub id: Uuid,
            pub rating: i16,
            pub book_id: Uuid,
            pub text: Option<String>,
            #[sea_orm(column_type = "Decimal(Some((9, 2)))", nullable)]
            pub price: Option<Decimal>,
            #[sea_orm(belongs_to, from = "book_id", to = "id")]
            pub book: BelongsTo<super::book::Entity>,
        }

        impl ActiveModelBehavior for ActiveModel {}
    }

    fn declaration() -> Arc<Declaration> {
        let mut tables = Declaring::new("Query");
        tables.entity::<book::Entity>();
        tables.entity::<rating::Entity>();
        tables.created("Rating").event("RatingAdded");
        tables.deleted("Rating");
        tables.updated("Rating");
        tables.check().unwrap()
    }

    fn rated(text: Option<String>) -> Vec<Value> {
        let (id, book) = (Uuid::from_u128(7 << 76), Uuid::from_u128(2));
        vec![id.into(), 5_i16.into(), book.into(), text.into(), Decimal::new(1250, 2).into()]
    }

    fn json(text: &str) -> Json {
        text.parse().unwrap()
    }

    const IDS: &str = r#""id":"00000000-0000-7000-0000-000000000000","book_id":"00000000-0000-0000-0000-000000000002""#;

    /// Frozen: servers of other versions read it.
    #[test]
    fn an_event_survives_a_round_trip() {
        let types = EventType::all(&declaration());
        let older = format!(r#"{{"event":"RatingAdded",{IDS},"rating":5,"price":"12.50"}}"#);
        let text = older.replace('}', r#","text":null}"#);
        assert_eq!(json(&write(&types[0], &types[0].event(rated(None)))), json(&text));
        let newer = text.replacen('{', r#"{"more":[1],"#, 1);
        for text in [text, older, newer] {
            let Announced::Event(event) = read(&types, &text).unwrap() else { panic!("{text} has no row") };
            assert_eq!(event.row[..], rated(None), "{text}");
            assert_eq!(event.key, Some(Uuid::from_u128(7 << 76)));
        }
    }

    #[test]
    fn an_event_of_a_deleted_row_has_its_key_and_what_it_refers_to() {
        let types = EventType::all(&declaration());
        let text = write(&types[1], &types[1].event(rated(Some("x".repeat(8000)))));
        assert_eq!(json(&text), json(&format!(r#"{{"event":"RatingDeleted",{IDS}}}"#)));
        let Announced::Event(event) = read(&types, &text).unwrap() else { panic!("{text} has no row") };
        let (whole, nulls) = (rated(None), [Value::SmallInt(None), Value::String(None), Value::Decimal(None)]);
        let [rating, words, price] = nulls;
        assert_eq!(event.row[..], [whole[0].clone(), rating, whole[2].clone(), words, price]);
        assert_eq!(event.key, None, "a row can be deleted again");
    }

    #[test]
    fn a_row_that_has_moved_says_where_it_was() {
        let types = EventType::all(&declaration());
        let mut elsewhere = rated(Some("old".into()));
        elsewhere[2] = Uuid::from_u128(3).into();
        let event = types[2].after(&types[2].event(elsewhere), types[2].event(rated(None)));
        let before = r#""before":{"book_id":"00000000-0000-0000-0000-000000000003","id":"00000000-0000-7000-0000-000000000000"}"#;
        let text = write(&types[2], &event);
        assert!(text.contains(before), "{text}");
        let Announced::Event(read) = read(&types, &text).unwrap() else { panic!("{text} has no row") };
        assert_eq!((&read.row, &read.before), (&event.row, &event.before));
        let text =
            write(&types[2], &types[2].after(&types[2].event(rated(Some("old".into()))), types[2].event(rated(None))));
        assert!(!text.contains("before"), "{text}");
    }

    #[test]
    fn a_large_row_is_announced_by_its_key() {
        let types = EventType::all(&declaration());
        let text = write(&types[0], &types[0].event(rated(Some("x".repeat(8000)))));
        assert_eq!(text, r#"{"event":"RatingAdded","id":"00000000-0000-7000-0000-000000000000"}"#);
        let Announced::Key(of, key, None) = read(&types, &text).unwrap() else { panic!("{text} has a row") };
        assert_eq!((of.name.as_str(), &key[..]), ("RatingAdded", &rated(None)[..1]));

        let (mut elsewhere, long) = (rated(None), "x".repeat(8000));
        elsewhere[2] = Uuid::from_u128(3).into();
        let moved = types[2].after(&types[2].event(elsewhere), types[2].event(rated(Some(long))));
        let text = write(&types[2], &moved);
        let Announced::Key(_, _, before) = read(&types, &text).unwrap() else { panic!("{text} has a row") };
        assert_eq!(before, moved.before);
    }

    #[test]
    fn a_large_row_under_a_rule_is_announced_as_too_large_where_its_viewers_are_not_known_without_it() {
        let mut tables = Declaring::new("Query");
        tables.entity::<book::Entity>();
        tables.entity::<rating::Entity>().only(bookends_graphql::never());
        tables.created("Rating");
        tables.updated("Rating");
        tables.deleted("Rating");
        let types = EventType::all(&tables.check().unwrap());
        let long = || rated(Some("x".repeat(8000)));
        let moved = types[1].after(&types[1].event(long()), types[1].event(rated(None)));
        for (of, event) in [(&types[1], &moved), (&types[2], &types[2].event(long()))] {
            let text = write(of, event);
            assert_eq!(text, format!(r#"{{"event":"{}"}}"#, of.name));
            assert!(matches!(read(&types, &text), Ok(Announced::TooLarge(read)) if read.number == of.number), "{text}");
        }
        let created = write(&types[0], &types[0].event(long()));
        assert!(matches!(read(&types, &created), Ok(Announced::Key(..))), "{created}");
        let whole = write(&types[2], &types[2].event(rated(Some("y".into()))));
        let Ok(Announced::Event(event)) = read(&types, &whole) else { panic!("{whole} has no row") };
        assert_eq!(event.row[..], rated(Some("y".into())), "its rule reads all columns");
    }

    #[test]
    fn another_text_is_rejected() {
        let types = EventType::all(&declaration());
        for text in ["", "{}", "null", "[]", "hello", r#"{"event":"BookBurnt"}"#, r#"{"event":"RatingAdded","id":1}"#] {
            assert!(read(&types, text).is_err(), "{text}");
        }
        let text = format!(r#"{{"event":"RatingAdded",{IDS},"rating":"5"}}"#);
        assert_eq!(read(&types, &text).unwrap_err(), NoEvent::Row);
    }
}
