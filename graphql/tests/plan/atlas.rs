//! Rivers and cities in a schema, and requests to it.
#![allow(clippy::unused_async, reason = "async-graphql requires resolvers to be async")]

use async_graphql::futures_util::FutureExt;
use async_graphql::futures_util::stream::{self, Stream, StreamExt};
use async_graphql::parser::parse_query;
use async_graphql::parser::types::OperationType;
use async_graphql::{Context, Data, ID, MergedObject, Object as GraphQl, Request, Response, Schema, Value, Variables};
use bookends_graphql::{
    ByKey, ByKeys, Connection, ContextExt, DeclaredQuery, Edge, Execution, FoundEdge, Node, NodeList, Object, Plans,
    Reader, Result, json,
};
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, Schema as Tables};
use testdb::{Statements, TestDb};

use crate::service::Service;
use crate::tables::{city, declaration, land, river};

/// Atlantis is on a river that does not exist.
const ROWS: &str = "
    INSERT INTO river (id, name, into_id) VALUES (1, 'Danube', NULL), (2, 'Inn', 1), (3, 'Elbe', NULL);
    INSERT INTO city (id, name, people, river_id, twin_id) VALUES
        (1, 'Vienna', 2006, 1, NULL), (2, 'Passau', 53, 2, 1), (3, 'Budapest', 1686, 1, 1),
        (4, 'Dresden', 566, 3, 6), (5, 'Innsbruck', 131, 2, NULL), (6, 'Atlantis', NULL, 9, NULL);
    INSERT INTO land (code, name) VALUES ('AT', 'Austria')
";

#[derive(Default, MergedObject)]
pub struct Query(DeclaredQuery, Resolved);

/// Fields with resolvers of their own.
#[derive(Default)]
pub struct Resolved;

#[GraphQl]
impl Resolved {
    async fn node_of(&self, id: ID) -> Option<Node> {
        Some(Node(id))
    }

    async fn nodes_of(&self, ids: Vec<ID>) -> NodeList {
        NodeList(ids)
    }

    async fn cities_of(&self, ids: Vec<i32>) -> ByKeys<city::Entity> {
        ByKeys(ids.into_iter().map(ByKey::new).collect())
    }

    async fn edge_of(&self, id: i32, cursor: Option<String>) -> FoundEdge<city::Entity> {
        match cursor {
            Some(cursor) => FoundEdge::with_cursor(ByKey::new(id), cursor),
            None => FoundEdge::of_key(ByKey::new(id)),
        }
    }

    /// As a search service answers: keys, each with a cursor of its own if there are prefixes for them.
    async fn search(
        &self,
        ids: Vec<i32>,
        cursor: Option<String>,
        total: Option<u64>,
    ) -> Option<Connection<city::Entity>> {
        let keys = ids.iter().map(|id| ByKey::new(*id));
        let found = match cursor {
            Some(cursor) => Connection::with_cursors(keys.zip(ids.iter().map(|id| format!("{cursor}{id}")))),
            None => Connection::of_keys(keys),
        };
        let found = found.has_previous_page(true).has_next_page(false);
        Some(if let Some(total) = total { found.total_count(total) } else { found })
    }

    async fn city_of(&self, id: i32) -> Option<ByKey<city::Entity>> {
        Some(ByKey::new(id))
    }
}

pub struct Mutation;

#[GraphQl]
impl Mutation {
    /// Returns a city as a mutation does that has its row.
    async fn visit(&self, context: &Context<'_>, id: i32) -> Option<Visited> {
        let found = keyset::find_models(context.reader(), &city::Entity::find_by_id(id)).await;
        found.ok()?.pop().map(Visited)
    }
}

/// The payload of a mutation.
pub struct Visited(city::Model);

impl Visited {
    fn into_edge(self) -> Result<Edge<city::Entity>> {
        Edge::of_row(&keyset::Order::of::<city::Entity>([])?, self.0)
    }
}

#[GraphQl]
impl Visited {
    async fn city(&self) -> Object<city::Entity> {
        Object::new(self.0.clone())
    }

    async fn edge(&self) -> Result<Edge<city::Entity>> {
        Self(self.0.clone()).into_edge()
    }
}

pub struct Subscription;

#[async_graphql::Subscription]
impl Subscription {
    /// Hears of a city whose row is known.
    async fn visited(
        &self,
        context: &Context<'_>,
        id: i32,
    ) -> Result<impl Stream<Item = Result<Edge<city::Entity>>> + use<>> {
        let visited = Mutation.visit(context, id).await;
        let edges: Vec<_> = visited.into_iter().flatten().map(Visited::into_edge).collect();
        Ok(stream::iter(edges))
    }
}

/// The schema over a database of its own.
pub struct Atlas {
    schema: Schema<Query, Mutation, Subscription>,
    reader: Reader,
    statements: Statements,
    pub service: Service,
    _database: TestDb,
}

impl Atlas {
    pub async fn new() -> Self {
        let database = TestDb::new().await;
        let mut db = database.connect().await;
        let tables = Tables::new(db.get_database_backend());
        let entities = [
            tables.create_table_from_entity(river::Entity),
            tables.create_table_from_entity(city::Entity),
            tables.create_table_from_entity(land::Entity),
        ];
        for table in entities {
            db.execute(&table).await.unwrap();
        }
        db.execute_unprepared(ROWS).await.unwrap();
        let statements = Statements::record(&mut db);
        let reader = Reader::new(db).on_failure(|error: DbErr| panic!("{error}"));
        let schema = declaration().schema(Query::default(), Mutation, Subscription).data(reader.clone()).finish();
        Self { schema, reader, statements, service: Service::default(), _database: database }
    }

    /// The first response to a request with these plans: its data, and its text.
    pub async fn first(&self, plans: &Plans, query: &str, variables: &str) -> (Value, String) {
        let variables = Variables::from_json(serde_json::from_str(variables).unwrap());
        let request = self.request(query, variables).data(self.execution(plans));
        let response = self.schema.execute_stream(request).boxed().next().await.unwrap();
        assert!(response.errors.is_empty(), "{:?}", response.errors);
        let text = text(&response).0;
        (response.data, text)
    }

    fn request(&self, query: &str, variables: Variables) -> Request {
        Request::new(query).variables(variables).data(self.service.clone())
    }

    fn execution(&self, plans: &Plans) -> Execution {
        Execution { reader: self.reader.clone(), plans: plans.clone() }
    }

    /// The response of a server, which executes plans.
    async fn served(&self, plans: &Plans, query: &str, variables: Variables) -> Response {
        let (_, operation) = plans.document().operations.iter().next().unwrap();
        let request = || self.request(query, variables.clone()).data(self.execution(plans));
        if operation.node.ty != OperationType::Query {
            return self.schema.execute(request()).await;
        }
        let resolve = |document| {
            let mut request = request();
            request.set_parsed_query(document);
            self.schema.execute(request).boxed()
        };
        let mut data = Data::default();
        data.insert(self.service.clone());
        plans.query(operation).execute(&self.reader, &variables, &data, &resolve).await
    }

    /// Checks the data of the response, and returns the number of statements that read it.
    #[track_caller]
    pub fn data(&self, query: &str, expected: &str) -> impl Future<Output = usize> {
        self.response(query, plans(query), "{}", expected, "[]")
    }

    /// The same with variables, and with plans that other requests made.
    #[track_caller]
    pub fn with(&self, plans: &Plans, query: &str, variables: &str, expected: &str) -> impl Future<Output = usize> {
        self.response(query, plans.clone(), variables, expected, "[]")
    }

    /// Checks the first response to a subscription.
    pub async fn event(&self, query: &str, data: &str, errors: &str) {
        let request = self.request(query, Variables::default());
        let response = self.schema.execute_stream(request).boxed().next().await.unwrap();
        assert_eq!(text(&response), (compact(data), compact(errors)));
    }

    /// Checks data and errors, of async-graphql alone and of a server.
    #[track_caller]
    pub fn response(
        &self,
        query: &str,
        plans: Plans,
        variables: &str,
        data: &str,
        errors: &str,
    ) -> impl Future<Output = usize> {
        let variables = Variables::from_json(serde_json::from_str(variables).unwrap());
        let complete = with_defaults(&plans, variables.clone());
        let plain = self.request(query, variables);
        let expected = (compact(data), compact(errors));
        let caller = std::panic::Location::caller();
        async move {
            let mut plain = self.schema.execute(plain).await;
            // async-graphql reads a field at each place where it stands.
            plain.errors.dedup_by(|one, other| one.path == other.path);
            assert_eq!(text(&plain), expected, "at {caller}");
            self.statements.take();
            assert_eq!(text(&self.served(&plans, query, complete).await), expected, "at {caller}, with plans");
            self.statements.take().len()
        }
    }
}

/// No plans yet.
pub fn plans(query: &str) -> Plans {
    Plans::of(parse_query(query).unwrap(), declaration())
}

/// Whether async-graphql resolves a field of the first operation.
pub fn is_resolved(plans: &Plans) -> bool {
    plans.query(plans.document().operations.iter().next().unwrap().1).is_resolved(&Variables::default())
}

/// The variables with the defaults of absent ones.
fn with_defaults(plans: &Plans, mut variables: Variables) -> Variables {
    for (_, operation) in plans.document().operations.iter() {
        for definition in &operation.node.variable_definitions {
            if let Some(default) = &definition.node.default_value {
                variables.entry(definition.node.name.node.clone()).or_insert_with(|| default.node.clone());
            }
        }
    }
    variables
}

/// Data and errors as JSON, without the ids of errors.
fn text(response: &Response) -> (String, String) {
    let (mut data, mut errors) = (Vec::new(), response.errors.clone());
    json::write(&response.data, &mut data);
    for extensions in errors.iter_mut().filter_map(|error| error.extensions.as_mut()) {
        extensions.unset("errorId");
    }
    (String::from_utf8(data).unwrap(), serde_json::to_string(&errors).unwrap())
}

/// JSON without spaces, its keys in their order.
fn compact(json: &str) -> String {
    serde_json::to_string(&serde_json::from_str::<Value>(json).unwrap()).unwrap()
}
