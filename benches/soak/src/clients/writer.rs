//! Clients that write, each to ratings of its own.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use fastrand::Rng;

use super::client::{Client, Reply};
use super::world::{World, address};
use crate::tally::Kind;

/// The codes of a write that is not acknowledged because no server can be written.
const OUTAGE: [&str; 3] = ["UNAVAILABLE", "OUTCOME_UNKNOWN", "READ_ONLY"];

/// The pause between two writes.
const PAUSE: Duration = Duration::from_millis(2);

/// Writes until the end.
pub async fn write(world: Arc<World>, number: usize) {
    let mut client = Client::new(address(4), world.addresses[number % 2]);
    let mut random = Rng::with_seed(number as u64);
    // Its ratings: their global ids and UUIDs.
    let mut own: Vec<[String; 2]> = Vec::new();
    for turn in 0.. {
        if world.ends() {
            return;
        }
        let stars = random.i64(1..=5);
        match random.u8(0..10) {
            0 | 1 => add_book(&world, &mut client, format!("soak {number} {turn}")).await,
            2 | 3 if !own.is_empty() => change(&world, &mut client, &mut own, &mut random, stars).await,
            4 if own.len() > 100 => delete(&world, &mut client, &mut own, &mut random).await,
            _ => {
                let book = &world.books[random.usize(0..world.books.len())];
                if let Some(added) = rate(&world, &mut client, book, stars).await {
                    own.push(added);
                }
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn add_book(world: &World, client: &mut Client, name: String) {
    let input = format!("addBook(input: {{ name: {name:?}, year: 2000 }}) {{ bookEdge {{ node {{ id }} }} }}");
    let Some(reply) = done(world, client, &input).await else { return };
    let id = reply.data["addBook"]["bookEdge"]["node"]["id"].as_str().unwrap_or_default().to_owned();
    let mut model = world.model();
    model.books.insert(name);
    model.newest = reply.position.map(|position| (id, position));
}

async fn rate(world: &World, client: &mut Client, book: &str, stars: i64) -> Option<[String; 2]> {
    let input =
        format!("rateBook(input: {{ bookId: {book:?}, rating: {stars} }}) {{ ratingEdge {{ node {{ id uuid }} }} }}");
    let reply = done(world, client, &input).await?;
    let [id, uuid] = ["id", "uuid"]
        .map(|field| reply.data["rateBook"]["ratingEdge"]["node"][field].as_str().unwrap_or_default().to_owned());
    let mut model = world.model();
    model.ratings.insert(uuid.clone(), stars);
    model.announced.insert(uuid.clone());
    Some([id, uuid])
}

async fn change(world: &World, client: &mut Client, own: &mut Vec<[String; 2]>, random: &mut Rng, stars: i64) {
    let at = random.usize(0..own.len());
    let [id, uuid] = own[at].clone();
    let input = format!("changeRating(input: {{ id: {id:?}, rating: {stars} }}) {{ clientMutationId }}");
    // Until it is acknowledged, neither value is.
    world.model().ratings.remove(&uuid);
    if done(world, client, &input).await.is_some() {
        world.model().ratings.insert(uuid, stars);
    } else {
        own.swap_remove(at);
    }
}

async fn delete(world: &World, client: &mut Client, own: &mut Vec<[String; 2]>, random: &mut Rng) {
    let [id, uuid] = own.swap_remove(random.usize(0..own.len()));
    world.model().ratings.remove(&uuid);
    let input = format!("deleteRating(input: {{ id: {id:?} }}) {{ deletedId }}");
    if done(world, client, &input).await.is_some() {
        world.model().deleted.insert(uuid);
    }
}

/// The reply to an acknowledged mutation. Others are counted.
async fn done(world: &World, client: &mut Client, input: &str) -> Option<Reply> {
    let was_headless = world.is_headless.load(SeqCst);
    let begun = Instant::now();
    let reply = client.write(&format!("mutation {{ {input} }}")).await;
    match reply {
        Ok(reply) => {
            world.tally.took(Kind::Write, reply.time);
            world.model().acknowledge(client.to, begun);
            if reply.position.is_none() {
                world.tally.failed(Kind::Write, "an acknowledged write has no position".into());
            }
            Some(reply)
        }
        Err(why) => {
            let is_expected = was_headless || world.is_headless.load(SeqCst);
            if is_expected && OUTAGE.contains(&why.as_str()) {
                world.tally.expected(Kind::Write, why);
            } else {
                world.tally.failed(Kind::Write, why);
            }
            None
        }
    }
}
