//! What is said to those who may not write, and to those who ask for what cannot be: by every mutation, in the same
//! words on both databases.

use std::collections::BTreeMap;

use bookends_server::request::{Incoming, Permission};
use serde_json::Value;

use crate::support::shop::{SMALL, Shop};

/// Inputs in which all is wrong that can be, by the mutation that they are sent to, and what is to be said of them.
/// `$book` and `$rating` are the ids of objects that there are.
fn wrong() -> Vec<(&'static str, &'static str, String)> {
    let too_long = "é".repeat(101);
    let wrong = [
        ("addBook", "a title, a year and an order", r#"name: " ", year: 10000, orderBy: [{ field: RELEVANCE }]"#),
        (
            "addBook",
            "an order that no index holds",
            r#"name: "x", year: 1, orderBy: [{ field: NAME }, { field: YEAR }]"#,
        ),
        ("addBook", "an order by nothing there is", r#"name: "x", year: 1, orderBy: [{ field: PRICE }]"#),
        ("updateBook", "an id, a title and a year", r#"id: $rating, name: "$too_long", year: -10000"#),
        ("deleteBook", "an id of a rating", "id: $rating, cascade: true"),
        ("deleteBook", "no id", r#"id: """#),
        ("rateBook", "an id and stars", "bookId: $rating, rating: 6"),
        ("rateBook", "an order by nothing there is", "bookId: $book, rating: 5, orderBy: { field: NAME }"),
        ("rateBook", "no direction", "bookId: $book, rating: 5, orderBy: { field: RATING, direction: UP }"),
        ("changeRating", "an id and stars", "id: $book, rating: 0"),
        ("deleteRating", "an id of a book", "id: $book"),
        ("placeOrder", "an id and a price", r#"bookId: "?", totalPrice: "0.001""#),
        ("placeOrder", "an order by nothing there is", "bookId: $book, totalPrice: 1, orderBy: [{ field: RATING }]"),
        ("cancelOrder", "an id of a rating", "id: $rating"),
    ];
    wrong.map(|(mutation, what, input)| (mutation, what, input.replace("$too_long", &too_long))).into()
}

/// The names of all mutations.
async fn mutations(shop: &Shop) -> Vec<String> {
    let fields = shop.data("{ __schema { mutationType { fields { name } } } }").await;
    let fields = fields["__schema"]["mutationType"]["fields"].as_array().unwrap().clone();
    fields.iter().map(|field| field["name"].as_str().unwrap().to_owned()).collect()
}

/// Those inputs, with ids in them.
async fn requests(shop: &Shop) -> Vec<(&'static str, &'static str, String)> {
    let [book, rating, _] = shop.first_of_each().await.map(|id| format!("{id:?}"));
    let request = |(mutation, what, input): (&'static str, _, String)| {
        let input = input.replace("$book", &book).replace("$rating", &rating);
        (mutation, what, format!("mutation {{ {mutation}(input: {{ {input} }}) {{ clientMutationId }} }}"))
    };
    wrong().into_iter().map(request).collect()
}

async fn counts(shop: &Shop) -> Value {
    shop.data("{ books { totalCount } ratings { totalCount } orders { totalCount } }").await
}

#[tokio::test]
async fn every_mutation_reports_all_errors_of_its_input() {
    let shop = Shop::new(SMALL).await;
    let (before, mut answers) = (counts(&shop).await, BTreeMap::<_, BTreeMap<_, _>>::new());
    for (mutation, what, request) in requests(&shop).await {
        answers.entry(mutation).or_default().insert(what, shop.execute(&request, Value::Null).await);
    }
    for mutation in mutations(&shop).await {
        assert!(answers.contains_key(mutation.as_str()), "nothing wrong is asked of {mutation}");
    }
    insta::assert_json_snapshot!("validation", answers);
    assert_eq!(counts(&shop).await, before, "nothing of it was done");
}

/// Whoever may not write is told that alone: not what is wrong with the input or a variable, nor whether an object exists.
#[tokio::test]
async fn every_mutation_without_permission_names_what_is_missing() {
    let shop = Shop::new(SMALL).await;
    let [book, rating, order] = shop.first_of_each().await.map(|id| format!("{id:?}"));
    let right = [
        ("addBook", r#"name: "x", year: 0"#.to_owned()),
        ("updateBook", format!("id: {book}, year: 0")),
        ("rateBook", format!("bookId: {book}, rating: 1")),
        ("changeRating", format!("id: {rating}, rating: 1")),
        ("deleteRating", format!("id: {rating}")),
        ("placeOrder", format!("bookId: {book}, totalPrice: 1")),
        ("cancelOrder", format!("id: {order}")),
        ("deleteBook", format!("id: {book}, cascade: true")),
    ];
    assert_eq!(mutations(&shop).await, right.each_ref().map(|(mutation, _)| *mutation));
    let request = |(mutation, input): &(&'static str, String)| {
        (*mutation, format!("mutation {{ {mutation}(input: {{ {input} }}) {{ clientMutationId }} }}"))
    };
    let right: Vec<_> = right.iter().map(request).collect();
    // What cannot be read is refused before anybody asks who sent it: it is the same for all.
    let mut wrong = requests(&shop).await;
    wrong.retain(|(_, what, _)| !["an order by nothing there is", "no direction"].contains(what));

    let unread = "mutation($input: AddBookInput!) { addBook(input: $input) { clientMutationId } }".to_owned();
    let all: Vec<_> =
        right.iter().map(|(_, request)| request).chain(wrong.iter().map(|(.., request)| request)).collect();
    let all = || all.iter().copied().chain([&unread]);

    let before = shop.data("{ books { nodes { name year averageRating totalRevenue } } }").await;
    let (counted, mut answers) = (counts(&shop).await, BTreeMap::new());
    for (who, permission) in [
        ("nobody may", Some(Permission::Forbidden)),
        ("who has the token may", Some(Permission::NoToken)),
        ("who has the other token may", Some(Permission::WrongToken)),
        ("nobody knows who may", None),
    ] {
        for mutation in all() {
            let request = Incoming::from(mutation.as_str());
            let request = if let Some(permission) = permission { request.permitted(permission) } else { request };
            let answer = serde_json::to_value(shop.api.execute(request).await).unwrap();
            assert_eq!(answers.entry(who).or_insert_with(|| answer.clone()), &answer, "{who}: {mutation}");
        }
    }
    insta::assert_json_snapshot!("permission", answers);
    assert_eq!(shop.data("{ books { nodes { name year averageRating totalRevenue } } }").await, before);
    assert_eq!(counts(&shop).await, counted, "nothing was written");
}

#[tokio::test]
async fn no_message_repeats_a_long_key_or_a_long_search() {
    let (shop, long) = (Shop::new(SMALL).await, "n".repeat(1000));
    for query in
        [format!("{{ book(uuid: {long:?}) {{ id }} }}"), format!("{{ books(search: {long:?}) {{ totalCount }} }}")]
    {
        let answer = shop.execute(&query, Value::Null).await;
        let message = answer["errors"][0]["message"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert!(!message.contains(&"n".repeat(101)), "{message}");
    }
}
