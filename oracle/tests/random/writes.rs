//! Random mutations from several clients at once: what they are answered, what rows and events there are, is that of one after the other.

use std::time::Duration;

use bookends_server::async_graphql::{Response, Value};
use futures_util::future::{OptionFuture, join, join_all};
use futures_util::stream::{BoxStream, StreamExt};
use oracle::book::Book;
use oracle::datum::Datum;
use oracle::dice::Dice;
use oracle::documents::{Document, document};
use oracle::interpret::{Out, Rows};
use oracle::schema::{Kind, OnDelete, Schema, Storage};
use oracle::tables;
use oracle::writes::{Verb, Write, write};

use crate::hear::hear;
use crate::world::{Place, World, errors};

/// What was written.
#[derive(Debug, Default)]
pub struct Told {
    pub writes: usize,
    /// The batches that were answered in another order than that in which they were sent.
    pub reordered: usize,
    pub events: usize,
    /// The documents that were asked while rows were written.
    pub beside: usize,
}

const VERBS: [Verb; 3] = [Verb::Create, Verb::Update, Verb::Delete];

/// Tables that everybody reads and writes, whose keys are given, and whose rows do not go with others.
fn schema(dice: &mut Dice, is_sqlite: bool) -> Schema {
    loop {
        let mut schema = tables::schema(dice, is_sqlite);
        schema.tables.truncate(4);
        let is_generated = |kind: Kind| matches!(kind, Kind::SmallInt | Kind::Int | Kind::Uuid);
        let has_keys =
            schema.tables.iter().all(|table| table.key.len() > 1 || !is_generated(table.columns[table.key[0]].kind));
        for table in &mut schema.tables {
            (table.rule, table.guard) = (None, None);
            if table.storage == Storage::View {
                table.storage = Storage::Table;
            }
            table.references.iter_mut().for_each(|of| of.on_delete = OnDelete::Restrict);
        }
        if has_keys {
            return schema;
        }
    }
}

struct Writing {
    world: World,
    book: Book,
    heard: Vec<BoxStream<'static, Response>>,
}

impl Writing {
    async fn new(dice: &mut Dice) -> Self {
        let test = testdb::TestDb::new().await;
        let schema = schema(dice, test.url.starts_with("sqlite"));
        let rows = tables::rows(dice, &schema);
        let mut world = World::over(test, schema, rows, Datum::Text("a".into()), Place::Written).await.unwrap();
        let (book, mut heard) = (world.harvest(0).await, Vec::new());
        for table in &world.schema.tables {
            let name = &table.name;
            for (word, selected) in [("Created", "node { id }"), ("Updated", "node { id }"), ("Deleted", "deletedId")] {
                let query = format!("subscription {{ {name}{word} {{ {selected} }} }}");
                heard.push(hear(&world.api, query.into()).await);
            }
        }
        Self { world, book, heard }
    }

    /// Makes these writes at once, and asks a document beside them: it sees the rows after some of them, in their order.
    async fn batch(&mut self, writes: &[Write], document: Option<&Document>, told: &mut Told) {
        let before = self.world.rows.clone();
        let reading = document.map(|document| self.world.ask(document));
        let writing = join_all(writes.iter().map(|write| self.world.ask(&write.document)));
        let (responses, read) = join(writing, OptionFuture::from(reading)).await;
        self.world.read().await;
        let mut events: Vec<Vec<String>> = vec![Vec::new(); self.heard.len()];
        for (write, _) in
            writes.iter().zip(&responses).filter(|(write, response)| write.is_heard() && response.errors.is_empty())
        {
            let event = tokio::time::timeout(Duration::from_mins(1), self.heard[stream(write)].next()).await;
            let event = event.unwrap_or_else(|_| panic!("no event of {write:?}")).unwrap();
            events[stream(write)].extend(ids(&event.data));
        }
        let orders = permutations(writes.len());
        let found = orders.iter().find_map(|order| self.explain(writes, order, &before, &responses, &events));
        let Some((book, order)) = found else {
            let shown: Vec<_> = responses.iter().map(|it| format!("{} {:?}", it.data, it.errors)).collect();
            let after = &self.world.rows;
            panic!("no order explains {writes:#?}\n{shown:#?}\n{events:?}\nbefore: {before:?}\nafter: {after:?}");
        };
        if let (Some(document), Some(read)) = (document, read) {
            let mut rows = before.clone();
            let mut found = self.world.matches(document, &read, &rows, &self.book);
            for number in &order {
                writes[*number].apply(&self.world.schema, &mut rows);
                found = found.or_else(|_| self.world.matches(document, &read, &rows, &self.book));
            }
            if let Err(difference) = found {
                panic!("{difference}\nbeside {writes:#?}\n{}\nbefore: {before:?}", document.text);
            }
            told.beside += 1;
        }
        self.book = book;
        told.writes += writes.len();
        told.reordered += usize::from(order.windows(2).any(|pair| pair[0] > pair[1]));
        told.events += events.iter().map(Vec::len).sum::<usize>();
    }

    /// What is known after the writes in this order, if it leads to these responses and rows.
    fn explain(
        &self,
        writes: &[Write],
        order: &[usize],
        before: &Rows,
        responses: &[Response],
        events: &[Vec<String>],
    ) -> Option<(Book, Vec<usize>)> {
        let (mut rows, mut book) = (before.clone(), self.book.clone());
        let mut told: Vec<Vec<String>> = vec![Vec::new(); events.len()];
        for number in order {
            let (expected, expected_errors): (Out, _) = writes[*number].apply(&self.world.schema, &mut rows);
            let response = &responses[*number];
            // A constraint of several columns is an error of each.
            let invalid = |_| vec![(String::new(), "BAD_USER_INPUT".to_owned())];
            let mut found = errors(response).unwrap_or_else(invalid);
            found.dedup();
            if found != expected_errors || book.compare(&expected, &response.data, "").is_err() {
                return None;
            }
            if writes[*number].is_heard() && response.errors.is_empty() {
                told[stream(&writes[*number])].extend(ids(&response.data));
            }
        }
        let sorted = |rows: &Rows| {
            let texts = rows.iter().map(|rows| rows.iter().map(|row| format!("{row:?}")).collect::<Vec<_>>());
            texts
                .map(|mut texts| {
                    texts.sort();
                    texts
                })
                .collect::<Vec<_>>()
        };
        (told == events && sorted(&rows) == sorted(&self.world.rows)).then(|| (book, order.to_vec()))
    }
}

/// The number of the subscription to what a write does.
fn stream(write: &Write) -> usize {
    3 * write.table + VERBS.iter().position(|verb| *verb == write.verb).unwrap()
}

/// All texts of members with ids.
fn ids(value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, value)| match value {
                Value::String(id) if name == "id" || name == "deletedId" => vec![id.clone()],
                other => ids(other),
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn permutations(length: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for number in 0..length {
        let with = |order: &Vec<usize>| {
            (0..=order.len())
                .rev()
                .map(|place| {
                    let mut order = order.clone();
                    order.insert(place, number);
                    order
                })
                .collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(with).collect();
    }
    orders
}

/// Makes random batches of writes, and compares what documents then read.
pub async fn obey(seed: u64, batches: usize, told: &mut Told) {
    let mut dice = Dice::of_seed(seed);
    let mut writing = Writing::new(&mut dice).await;
    for _ in 0..batches {
        let clients = 1 + dice.roll(3);
        let mut writes: Vec<Write> = Vec::new();
        for _ in 0..clients {
            let rows = &writing.world.rows;
            let Some(next) = write(&mut dice, &writing.world.schema, rows, &writing.book, clients == 1) else {
                continue;
            };
            // An event of a row that is deleted at once has no node.
            let same = writes.iter().any(|it| {
                it.table == next.table
                    && it.key == next.key
                    && it.key.is_some()
                    && [it.verb, next.verb].contains(&Verb::Delete)
            });
            if !same {
                writes.push(next);
            }
        }
        let World { schema, is_sqlite, .. } = &writing.world;
        let mut next = || document(&mut dice, schema, &writing.book, *is_sqlite);
        let (beside, after) = (next(), next());
        writing.batch(&writes, Some(&beside).filter(|_| writes.len() > 1), told).await;
        writing.world.check(&after, &mut writing.book, seed).await;
    }
}
