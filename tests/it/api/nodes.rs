//! `node`.

use serde_json::{Value, json};

use crate::support::shop::{SMALL, Shop};

#[tokio::test]
async fn f2_an_id_refetches_the_same_object() {
    let shop = Shop::new(SMALL).await;
    let ratings =
        shop.data("{ ratings(first: 3) { nodes { id rating createdAt book { id name year createdAt } } } }").await;
    for rating in ratings["ratings"]["nodes"].as_array().unwrap() {
        let query = format!(
            "{{ node(id: {}) {{ id ... on Rating {{ rating createdAt book {{ id name year createdAt }} }} }} }}",
            rating["id"]
        );
        assert_eq!(shop.data(&query).await["node"], *rating);

        let book = &rating["book"];
        let query = format!("{{ node(id: {}) {{ __typename id ... on Book {{ name year createdAt }} }} }}", book["id"]);
        let mut expected = book.clone();
        expected["__typename"] = json!("Book");
        assert_eq!(shop.data(&query).await["node"], expected);
    }
}

#[tokio::test]
async fn f3_unknown_is_null_and_malformed_an_error() {
    let shop = Shop::new(SMALL).await;
    let unknown = shop.data("{ node(id: \"AgAAAAAAAAAAAAAAAAAAAAc\") { id } }").await;
    assert_eq!(unknown["node"], Value::Null);
    for id in ["", "7", "AgAAAAAAAAAAAAAAAAAAAAd", "CQAAAAAAAAAAAAAAAAAAAAc"] {
        assert_eq!(shop.code(&format!("{{ node(id: \"{id}\") {{ id }} }}")).await, "ID_INVALID", "{id}");
    }
}

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

#[tokio::test]
async fn f2_an_id_filter_takes_what_node_takes_for_the_type() {
    let shop = Shop::new(SMALL).await;
    let ids = shop.first_of_each().await;
    for (list, id) in ["books", "ratings", "orders"].into_iter().zip(&ids) {
        let query =
            |condition: String| format!("{{ {list}(where: {{ id: {{ {condition} }} }}) {{ nodes {{ id }} }} }}");
        for condition in [format!("eq: \"{id}\""), format!("in: [\"{id}\"]")] {
            assert_eq!(shop.data(&query(condition)).await[list]["nodes"], json!([{ "id": id }]));
        }
        for foreign in ids.iter().filter(|other| *other != id) {
            for operator in ["eq", "ne", "in", "notIn"] {
                assert_eq!(shop.code(&query(format!("{operator}: \"{foreign}\""))).await, "ID_INVALID", "{operator}");
            }
        }
    }
}
