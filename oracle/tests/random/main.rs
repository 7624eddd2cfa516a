//! Random schemas, rows, documents and writes: the responses are those of the oracle.

mod cases;
#[path = "../../../server/tests/viewer/hear.rs"]
mod hear;
mod world;
mod writes;

use oracle::dice::Dice;
use world::{Place, Told, World};

/// The documents for each schema.
const DOCUMENTS: usize = 40;

/// What the variable of this name says. `SEED` chooses other schemas, `WORLDS` says how many, and `DOCUMENTS` how often each is asked.
#[expect(clippy::disallowed_methods, reason = "a setting of these tests alone")]
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |number| number.parse().unwrap())
}

#[tokio::test]
async fn responses_are_those_of_the_oracle() {
    let (first, worlds) = (number("SEED", 0), number("WORLDS", 25));
    let documents = usize::try_from(number("DOCUMENTS", DOCUMENTS as u64)).unwrap();
    let mut told = Told::default();
    for seed in first..first + worlds {
        let mut world = World::random(&mut Dice::of_seed(seed), Place::Here).await;
        world.compare(seed, documents, &mut told).await;
    }
    println!("{told:?}");
    assert!(told.failed < told.compared / 4, "many documents had errors: {told:?}");
    assert!(told.refused <= told.compared / 1000, "many documents were refused: {told:?}");
    assert_eq!(told.rare(), [""; 0], "what few documents have");
}

#[tokio::test]
async fn writes_at_once_are_those_of_one_after_the_other() {
    let (first, worlds) = (number("SEED", 0), number("WORLDS", 25).div_ceil(4));
    let mut told = writes::Told::default();
    for seed in first..first + worlds {
        writes::obey(seed, 40, &mut told).await;
    }
    println!("{told:?}");
    assert!(told.events > told.writes / 3, "few writes succeeded: {told:?}");
    assert!(told.beside > 0, "no document beside writes: {told:?}");
}

/// On PostgreSQL, where PgBouncer is installed.
#[cfg(unix)]
#[tokio::test]
async fn responses_behind_a_pooler_are_those_of_the_oracle() {
    if testdb::TestDb::new().await.url.starts_with("sqlite") {
        return;
    }
    let mut told = Told::default();
    for seed in 100..104 {
        let mut dice = Dice::of_seed(seed);
        let Some(mut world) = World::of(&mut dice, Place::Pooled).await else { return };
        world.compare(seed, DOCUMENTS, &mut told).await;
    }
}

/// On the Citus cluster that `TEST_CITUS_URL` names.
#[tokio::test]
async fn responses_of_distributed_tables_are_those_of_the_oracle() {
    let (first, worlds) = (number("SEED", 300), number("WORLDS", 25).div_ceil(4));
    let mut told = Told::default();
    for seed in first..first + worlds {
        let mut dice = Dice::of_seed(seed);
        let Some(mut world) = World::of(&mut dice, Place::Distributed).await else { return };
        world.compare(seed, DOCUMENTS, &mut told).await;
    }
    println!("{told:?}");
    let unsupported: usize = told.unsupported.values().sum();
    assert!(unsupported < told.compared / 4, "many documents were refused: {:?}", told.unsupported);
}

mod replicas {
    #![cfg(unix)]
    use super::*;

    #[tokio::test]
    async fn responses_from_a_replica_are_those_of_the_oracle() {
        let Some(primary) = testdb::Cluster::start(&[]) else { return };
        let replica = primary.replica();
        let mut told = Told::default();
        for seed in 200..204 {
            let mut world = World::random(&mut Dice::of_seed(seed), Place::Replicated(&primary, &replica)).await;
            world.until_read_from(&replica).await;
            world.compare(seed, DOCUMENTS, &mut told).await;
        }
    }
}
