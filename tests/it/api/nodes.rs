//! Objects by the spellings of their keys.

use serde_json::Value;

use crate::support::shop::{SMALL, Shop};

#[tokio::test]
async fn f2_each_type_is_found_by_each_spelling_of_its_key() {
    let shop = Shop::new(SMALL).await;
    let [book, rating, order] = shop.first_of_each().await;
    for (field, id) in [("book", book), ("rating", rating), ("order", order)] {
        let by = async |argument: &str, text: &str| {
            let query = format!("{{ {field}({argument}: \"{text}\") {{ __typename id uuid ulid createdAt }} }}");
            shop.data(&query).await[field].take()
        };
        let found = by("id", &id).await;
        let [key, text] = ["uuid", "ulid"].map(|spelling| found[spelling].as_str().unwrap());
        assert_eq!(found["id"], id.as_str());
        assert_eq!(entity::ulid::decode(text), Ok(key.parse().unwrap()));
        for text in [key, text, &key.replace('-', ""), &text.to_lowercase()] {
            assert_eq!(by("uuid", text).await, found, "{text}");
        }
        assert_eq!(by("uuid", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ").await, Value::Null);
    }
}

#[tokio::test]
async fn f3_one_object_is_named_once_and_by_a_key_of_its_type() {
    let shop = Shop::new(SMALL).await;
    let [book, rating, order] = shop.first_of_each().await;
    for (field, foreign) in [("book", &rating), ("rating", &order), ("order", &book)] {
        let ulid = "01FTSHW520PTFDGBTZ14VZG8Y8";
        for arguments in [String::new(), format!("(id: \"{foreign}\", uuid: \"{ulid}\")"), "(id: null)".to_owned()] {
            assert_eq!(shop.code(&format!("{{ {field}{arguments} {{ id }} }}")).await, "BAD_USER_INPUT", "{arguments}");
        }
        assert_eq!(shop.code(&format!("{{ {field}(id: \"{foreign}\") {{ id }} }}")).await, "ID_INVALID");
        // Beyond 128 bits, it would be read as another ULID.
        for uuid in ["8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "?", foreign] {
            assert_eq!(shop.code(&format!("{{ {field}(uuid: \"{uuid}\") {{ id }} }}")).await, "ID_INVALID", "{uuid}");
        }
    }
}
