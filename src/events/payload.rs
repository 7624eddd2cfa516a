//! Events as text, for NOTIFY.
//!
//! The text contains the whole row: receivers need not read it, and cannot find it deleted. Servers of different versions
//! may share a database, so the format must stay compatible. A text that cannot be read is ignored.

use ::entity::{book_order, book_rating};
use sea_orm::DbErr;
use sea_orm::prelude::{Decimal, Uuid};
use serde::{Deserialize, Serialize};

use super::event::Event;

#[derive(Serialize, Deserialize)]
#[serde(tag = "event")]
enum Payload {
    RatingAdded {
        id: Uuid,
        rating: i16,
        book_id: Uuid,
    },
    OrderPlaced {
        id: Uuid,
        /// As text, with all its digits.
        total_price: Decimal,
        book_id: Uuid,
    },
}

/// The text of an event.
///
/// # Errors
///
/// [`DbErr::Json`]; never, because the values are plain.
pub fn write(event: &Event) -> Result<String, DbErr> {
    let payload = match *event {
        Event::RatingAdded(book_rating::Model { id, rating, book_id }) => Payload::RatingAdded { id, rating, book_id },
        Event::OrderPlaced(book_order::Model { id, total_price, book_id }) => {
            Payload::OrderPlaced { id, total_price, book_id }
        }
    };
    serde_json::to_string(&payload).map_err(|error| DbErr::Json(error.to_string()))
}

/// The event in a text. Any client of the database can send one, so it is validated.
///
/// # Errors
///
/// [`serde_json::Error`] if the text is not an event, or its row violates a constraint.
pub fn read(text: &str) -> Result<Event, serde_json::Error> {
    let payload = serde_json::from_str(text)?;
    let (id, is_valid) = match &payload {
        Payload::RatingAdded { id, rating, .. } => (id, book_rating::STARS.contains(rating)),
        Payload::OrderPlaced { id, total_price, .. } => (id, book_order::can_cost(*total_price)),
    };
    if !is_valid || id.get_version_num() != 7 {
        return Err(serde::de::Error::custom("the row is invalid"));
    }
    Ok(match payload {
        Payload::RatingAdded { id, rating, book_id } => Event::RatingAdded(book_rating::Model { id, rating, book_id }),
        Payload::OrderPlaced { id, total_price, book_id } => {
            Event::OrderPlaced(book_order::Model { id, total_price, book_id })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frozen: servers of other versions read it.
    #[test]
    fn an_event_survives_a_round_trip() {
        let (id, book_id) = (Uuid::from_u128(7 << 76), Uuid::from_u128(2));
        let rating = Event::RatingAdded(book_rating::Model { id, rating: 5, book_id });
        let order = Event::OrderPlaced(book_order::Model { id, total_price: Decimal::new(1250, 2), book_id });
        let ids = r#""id":"00000000-0000-7000-0000-000000000000""#;
        let book = r#""book_id":"00000000-0000-0000-0000-000000000002""#;
        for (event, text) in [
            (rating, format!(r#"{{"event":"RatingAdded",{ids},"rating":5,{book}}}"#)),
            (order, format!(r#"{{"event":"OrderPlaced",{ids},"total_price":"12.50",{book}}}"#)),
        ] {
            assert_eq!(write(&event).unwrap(), text);
            assert_eq!(read(&text).unwrap(), event);
            let newer = text.replacen('{', r#"{"more":[1],"#, 1);
            assert_eq!(read(&newer).unwrap(), event, "members of a newer version are ignored");
        }
    }

    #[test]
    fn another_text_is_rejected() {
        for text in ["", "{}", "null", "[]", "hello", r#"{"event":"BookBurnt"}"#, r#"{"event":"RatingAdded","id":1}"#] {
            assert!(read(text).is_err(), "{text}");
        }
        let rating = |id: &str, stars: i32| {
            format!(r#"{{"event":"RatingAdded","id":"{id}","rating":{stars},"book_id":"{id}"}}"#)
        };
        assert!(read(&rating("00000000-0000-7000-0000-000000000000", 5)).is_ok());
        assert!(read(&rating("00000000-0000-7000-0000-000000000000", 99)).is_err());
        assert!(read(&rating("ffffffff-ffff-ffff-ffff-ffffffffffff", 5)).is_err());
    }
}
