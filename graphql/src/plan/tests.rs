//! How much work a request is, counted.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll, Waker};

use async_graphql::futures_util::FutureExt;
use async_graphql::parser::parse_query;
use async_graphql::{Data, EmptyMutation, EmptySubscription, MergedObject, Object as GraphQl, Request, Response};
use keyset::{ReadRows, Record};
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::tests_cfg::cake;
use sea_orm::{DbBackend, DbErr, Statement};

use super::collect::visits;
use super::plans::Plans;
use crate::{ByKey, Declaration, DeclaredQuery, Declaring, Execution, ObjectType, Reader, RowObject};

impl RowObject for cake::Entity {
    type Entity = Self;
    const NAME: &str = "Cake";
}

fn declaration() -> Arc<Declaration> {
    let mut cakes = ObjectType::named::<cake::Entity>();
    cakes.column(cake::Column::Name);
    let mut declaring = Declaring::new("Query");
    declaring.object(cakes).list("cakes", "Cake");
    declaring.check().unwrap()
}

#[derive(Default, MergedObject)]
struct Query(DeclaredQuery, Resolved);

#[derive(Default)]
struct Resolved;

#[GraphQl]
impl Resolved {
    async fn cake(&self) -> ByKey<cake::Entity> {
        ByKey::new(1)
    }
}

/// A database without rows, which answers at once. It counts statements.
#[derive(Clone, Default)]
struct Empty(Arc<AtomicUsize>);

#[async_trait]
impl ReadRows for Empty {
    fn backend(&self) -> DbBackend {
        DbBackend::Sqlite
    }

    async fn read(&self, _: Statement) -> std::result::Result<Vec<Record>, DbErr> {
        self.0.fetch_add(1, Relaxed);
        Ok(Vec::new())
    }
}

/// What a request has done.
#[derive(Debug, Default)]
struct Work {
    /// Statements.
    reads: usize,
    /// The most of them in one poll.
    reads_in_poll: usize,
    /// Selections that planning has visited.
    visits: usize,
}

fn work(reads: &AtomicUsize, response: impl Future<Output = Response>) -> Work {
    let (mut response, mut work) = (pin!(response), Work::default());
    reads.store(0, Relaxed);
    visits::take();
    loop {
        let poll = response.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        let reads = reads.swap(0, Relaxed);
        work.reads += reads;
        work.reads_in_poll = work.reads_in_poll.max(reads);
        if let Poll::Ready(response) = poll {
            assert!(response.errors.is_empty(), "{:?}", response.errors);
            work.visits = visits::take();
            return work;
        }
    }
}

/// The work of a query as a server executes it.
fn of_query(query: &str) -> Work {
    let empty = Empty::default();
    let reader = Reader::new(empty.clone());
    let declaration = declaration();
    let schema = declaration.schema(Query::default(), EmptyMutation, EmptySubscription).finish();
    let plans = Plans::of(parse_query(query).unwrap(), declaration);
    let variables = async_graphql::Variables::default();
    let resolve = |document| {
        let mut request = Request::new("").data(Execution { reader: reader.clone(), plans: plans.clone() });
        request.set_parsed_query(document);
        schema.execute(request).boxed()
    };
    let response = async {
        let (_, operation) = plans.document().operations.iter().next().unwrap();
        plans.query(operation).execute(&reader, &variables, &Data::default(), &resolve).await
    };
    work(&empty.0, response)
}

/// A query of this many fields, whose name follows from the number.
fn query(fields: usize, field: impl Fn(usize) -> String) -> String {
    let fields: Vec<String> = (0..fields).map(|number| format!("f{number}: {}", field(number))).collect();
    format!("{{ {} ...More }} fragment More on Query {{ f0: {} }}", fields.join(" "), field(0))
}

#[test]
fn planning_many_root_fields_is_linear_in_their_number() {
    let fields: [fn(usize) -> String; 2] =
        [|number| format!("cakes(first: {}) {{ nodes {{ name }} }}", number % 50), |_| "cake { name }".to_owned()];
    for field in fields {
        let [one, two, four] = [100, 200, 400].map(|fields| of_query(&query(fields, field)));
        assert_eq!(four.visits - two.visits, 2 * (two.visits - one.visits), "{one:?} {two:?} {four:?}");
        assert!(four.visits < 400 * 20, "{four:?}");
    }
}

#[test]
fn one_poll_reads_few_of_many_root_fields() {
    // async-graphql reads a field at each place where it stands.
    for (field, reads) in [("cakes { nodes { name } }", 400), ("cake { name }", 401)] {
        let work = of_query(&query(400, |_| field.to_owned()));
        assert_eq!(work.reads, reads, "{work:?}");
        assert!(work.reads_in_poll <= 4, "{work:?}");
    }
}
