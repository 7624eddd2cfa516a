//! The root fields for writing: declared ones, and the deletion of a book with all that it has.

use async_graphql::{Context, MergedObject, Object};
use bookends_server::mutation::{Payload, perform};
use bookends_server::{Cost, Decimal, DeclaredMutation, Declaring, FieldCost, ShownPayload, WriteField};
use entity::{book_order, book_rating};
use sea_orm::prelude::Decimal as Number;

mod book;
mod title;

use book::{DeleteBookInput, DeletedBook};
use title::title;

/// The years that a book can be of.
const YEARS: std::ops::RangeInclusive<i32> = -9999..=9999;

const ORDER_BY: &str = "The sort order of the cursors in the payload. Pass the `orderBy` of the client's list. By default, the oldest is first.";
const AVERAGE: &str = "The rated book, with its updated average.";
const REVENUE: &str = "The ordered book, with its updated revenue.";

/// The root of all mutations. Each field is one transaction. If it fails, it is null. If its input is invalid, it returns one
/// error for each invalid field, and `extensions.field` names the field.
#[derive(Default, MergedObject)]
pub struct Mutation(DeclaredMutation, Own);

/// Declares the mutations of single objects. Those of ratings and orders lock their book first, as triggers and foreign keys do
/// later: they cannot deadlock with a deletion of the book.
pub fn declare(shop: &mut Declaring) {
    let of_book = |write: &mut WriteField| {
        write.prepare("name", |name: String| title(&name)).check("year", year);
    };
    let limits = "1 to 100 characters, at most 300 bytes in UTF-8. It must contain a visible character, and no control\ncharacters. \
                  The server removes white space around it, and normalizes it to NFC.";
    let add = shop.create("Book").rename("addBook").describe("Adds a book.").describe_field("orderBy", ORDER_BY);
    add.describe_field("name", format!("The title: {limits}"));
    of_book(add.describe_field(
        "year",
        "The year of publication, from -9999 to 9999. Years before the common era are negative.",
    ));
    let update = shop.update("Book").describe("Changes the title or the year of publication of a book.");
    update.describe_field(
        "name",
        "The new title, with the limits of `AddBookInput`. If null, the title does not change.",
    );
    of_book(
        update.describe_field(
            "year",
            "The new year of publication, from -9999 to 9999. If null, the year does not change.",
        ),
    );

    let rate = shop.create("Rating").rename("rateBook").describe("Adds a rating to a book.").check("rating", stars);
    rate.with_parent("book").describe_field("book", AVERAGE).describe_field("orderBy", ORDER_BY);
    let change = shop.update("Rating").rename("changeRating").describe("Changes the number of stars of a rating.");
    change
        .without("bookId")
        .require("rating")
        .check("rating", stars)
        .with_parent("book")
        .describe_field("book", AVERAGE);
    shop.delete("Rating").describe("Deletes a rating.").with_parent("book").describe_field("book", AVERAGE);

    let place = shop.create("Order").rename("placeOrder").describe("Places an order for a book.");
    place
        .prepare("totalPrice", price)
        .describe_field("totalPrice", "The total price, from 0.00 to 99999999.99, in whole cents.");
    place.with_parent("book").describe_field("book", REVENUE).describe_field("orderBy", ORDER_BY);
    let cancel = shop.delete("Order").rename("cancelOrder").describe("Cancels an order, and deletes it.");
    cancel.with_parent("book").describe_field("book", REVENUE);
}

/// Declares the subscriptions.
pub fn declare_events(shop: &mut Declaring) {
    let added = shop.created("Rating").rename("ratingAdded").event("RatingAdded");
    added.describe("Each new rating, as an edge of `ratings`.");
    let placed = shop.created("Order").rename("orderPlaced").event("OrderPlaced");
    placed.describe("Each new order, as an edge of `orders`.");
}

/// The prices of the fields below.
pub fn costs() -> [FieldCost; 1] {
    [FieldCost::new("Mutation", "deleteBook", Cost::Write)]
}

#[derive(Default)]
pub struct Own;

#[Object]
impl Own {
    /// Deletes a book. If the book has ratings or orders, `cascade` must be true.
    async fn delete_book(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The input.")] input: DeleteBookInput,
    ) -> Option<ShownPayload<Payload<DeletedBook>>> {
        perform(context, input).await
    }
}

fn year(year: i32) -> Result<(), String> {
    if YEARS.contains(&year) {
        return Ok(());
    }
    Err(format!("the year must be {} to {}, not {year}", YEARS.start(), YEARS.end()))
}

fn stars(stars: i32) -> Result<(), String> {
    let is_within = i16::try_from(stars).is_ok_and(|stars| book_rating::STARS.contains(&stars));
    if is_within { Ok(()) } else { Err(format!("the rating must be 1 to 5 stars, not {stars}")) }
}

/// A price in whole cents. PostgreSQL would round other prices, and SQLite would not.
fn price(Decimal(price): Decimal) -> Result<Decimal, String> {
    // Removes trailing zeros and the sign of a zero.
    let price = if price.is_zero() { Number::ZERO } else { price.normalize() };
    if book_order::can_cost(price) {
        return Ok(Decimal(price));
    }
    Err(format!("the price must be 0.00 to {} in whole cents, not {price}", Number::new(book_order::DEAREST, 2)))
}
