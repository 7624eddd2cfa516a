//! A schema over a database of `../shared/data`, compared with plain SQL.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use async_graphql::futures_util::FutureExt as _;
use async_graphql::parser::parse_query;
use async_graphql::{Data, EmptyMutation, EmptySubscription, MergedObject, Schema, ServerError, Variables};
use bookends_graphql::{Declaration, DeclaredQuery, Declaring, Error, ObjectType, Plans, Reader};
use keyset::{Column, Kind};
use sea_orm::{ConnectionTrait as _, DatabaseConnection, DbBackend, Statement, Value};
use serde_json::Value as Json;
use testdb::TestDb;

#[derive(Default, MergedObject)]
pub struct Query(DeclaredQuery);

/// The rows of a page.
const PAGE: usize = 97;

/// The rows of a table that is not read whole each time: without an index, each page of it is a scan.
const LARGE: usize = 4000;

pub struct Served {
    schema: Schema<Query, EmptyMutation, EmptySubscription>,
    pub declaration: Arc<Declaration>,
    reader: Reader,
    /// Whether the catalogue declares its objects.
    pub is_discovered: bool,
    db: DatabaseConnection,
    _database: TestDb,
}

impl Served {
    /// The tables over the database of this name; `None` if the folder is absent.
    pub async fn new(name: &str, tables: Declaring) -> Option<Self> {
        let served = Self::discovered(name, async |_: &DatabaseConnection| tables).await?;
        served.index_links().await;
        Some(Self { is_discovered: false, ..served })
    }

    /// The same with the tables that are found in it.
    pub async fn discovered(name: &str, discover: impl AsyncFnOnce(&DatabaseConnection) -> Declaring) -> Option<Self> {
        let database = TestDb::new().await;
        let is_sqlite = database.url.starts_with("sqlite");
        let kind = if is_sqlite { "sqlite" } else { "postgres" };
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
        let file = folder.join(format!("{name}.{kind}.sql"));
        let Ok(sql) = std::fs::read_to_string(&file) else {
            eprintln!("skipped: {} is absent", file.display());
            return None;
        };
        let db = database.connect().await;
        if is_sqlite {
            db.execute_unprepared(&sql).await.unwrap();
        } else {
            let mut psql = Command::new("psql");
            psql.args(["-qX", "-v", "ON_ERROR_STOP=1", "-f"]).arg(&file).arg(&database.url);
            let output = psql.output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let tables = discover(&db).await;
        Some(Self { is_discovered: true, ..Self::over(database, db, tables) })
    }

    /// Without an index on what refers to a row, each condition on its list is a scan.
    pub async fn index_links(&self) {
        for link in self.declaration.links() {
            let columns: Vec<&str> = link.columns.iter().map(Column::name).collect();
            let (table, columns) = (link.from.table().name(), columns.join(", "));
            let index = format!("CREATE INDEX {table}_{} ON {table} ({columns})", link.field);
            self.db.execute_unprepared(&index).await.unwrap();
        }
    }

    /// The tables, which these statements make in a database of their own. What stands between `‹` and `›` is for PostgreSQL, and
    /// what stands between `«` and `»` for SQLite.
    pub async fn made(sql: &str, tables: Declaring) -> Self {
        let database = TestDb::new().await;
        let db = database.connect().await;
        let (mine, other) = if database.url.starts_with("sqlite") {
            (['«', '»'], ['‹', '›'])
        } else {
            (['‹', '›'], ['«', '»'])
        };
        let mut sql = sql.replace(mine, "");
        while let Some((before, rest)) = sql.split_once(other[0]) {
            sql = format!("{before}{}", rest.split_once(other[1]).unwrap().1);
        }
        db.execute_unprepared(&sql).await.unwrap();
        Self::over(database, db, tables)
    }

    /// The tables of a database.
    pub fn over(database: TestDb, db: DatabaseConnection, tables: Declaring) -> Self {
        let declaration = tables.check().unwrap();
        let schema = declaration.schema(Query::default(), EmptyMutation, EmptySubscription);
        let reader = Reader::new(db.clone()).on_failure(|error| {
            eprintln!("{error}");
            Error::internal(&error)
        });
        let schema = schema.data(reader.clone()).limit_depth(15).finish();
        Self { schema, declaration, reader, is_discovered: false, db, _database: database }
    }

    pub fn sdl(&self) -> String {
        self.schema.sdl()
    }

    /// Creates each index that is advised. Returns their number.
    pub async fn follow_advice(&self) -> usize {
        let advice = self.declaration.index_advice(&self.db).await.unwrap();
        for lack in &advice {
            self.db.execute_unprepared(&lack.index.as_ref().unwrap().to_string()).await.unwrap();
        }
        let left = self.declaration.index_advice(&self.db).await.unwrap();
        assert!(left.is_empty(), "{left:?}");
        advice.len()
    }

    pub async fn data(&self, query: &str) -> Json {
        let (data, errors) = self.response(query).await;
        assert_eq!(errors, Vec::<String>::new(), "{query}");
        data
    }

    /// The data, and for each error its code and its path.
    pub async fn response(&self, query: &str) -> (Json, Vec<String>) {
        let response = self.schema.execute(query).await;
        let error = |error: &ServerError| {
            let error = serde_json::to_value(error).unwrap();
            let path =
                error["path"].as_array().into_iter().flatten().map(|segment| segment.to_string().replace('"', ""));
            let path: Vec<String> = path.collect();
            format!("{} {}", error["extensions"]["code"].as_str().unwrap_or("?"), path.join("."))
        };
        let errors = response.errors.iter().map(error).collect();
        (response.data.into_json().unwrap(), errors)
    }

    /// The data of a response, as the text of a server.
    pub async fn text(&self, query: &str) -> String {
        self.planned(&self.plans(query), Json::Null).await
    }

    /// The plans of a query, which a server keeps.
    pub fn plans(&self, query: &str) -> Plans {
        Plans::of(parse_query(query).unwrap(), Arc::clone(&self.declaration))
    }

    /// The data of a response with these variables, as the text of a server.
    pub async fn planned(&self, plans: &Plans, variables: Json) -> String {
        let (_, operation) = plans.document().operations.iter().next().unwrap();
        let (resolve, variables) = (|_| self.schema.execute("{ __typename }").boxed(), Variables::from_json(variables));
        let response = plans.query(operation).execute(&self.reader, &variables, &Data::default(), &resolve).await;
        assert!(response.errors.is_empty(), "{:?}", response.errors);
        let mut text = Vec::new();
        bookends_graphql::json::write(&response.data, &mut text);
        String::from_utf8(text).unwrap()
    }

    /// The numbers that a statement returns.
    pub async fn numbers(&self, sql: &str) -> Vec<i64> {
        let rows = self.rows(sql, 1).await;
        rows.into_iter().map(|row| row[0].as_ref().unwrap().parse().unwrap()).collect()
    }

    pub fn is_sqlite(&self) -> bool {
        self.db.get_database_backend() == DbBackend::Sqlite
    }

    pub fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    /// The rows of a statement, as texts.
    pub async fn rows(&self, sql: &str, columns: usize) -> Vec<Vec<Option<String>>> {
        let statement = Statement::from_string(self.db.get_database_backend(), sql);
        let rows = self.db.query_all_raw(statement).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        let text = |row: &sea_orm::QueryResult| (0..columns).map(|at| row.try_get_by_index(at).unwrap()).collect();
        rows.iter().map(text).collect()
    }

    /// The key of a row in the texts of its columns.
    pub fn id(&self, object: &ObjectType, texts: &[Option<String>]) -> String {
        let value = |(column, text): (&Column, &Option<String>)| -> Value {
            let text = text.clone().unwrap();
            match column.kind() {
                Kind::SmallInt => text.parse::<i16>().unwrap().into(),
                Kind::Int => text.parse::<i32>().unwrap().into(),
                Kind::BigInt => text.parse::<i64>().unwrap().into(),
                Kind::Text => text.into(),
                kind => panic!("a key of the kind {kind:?}"),
            }
        };
        let key: Vec<Value> = object.table().key().zip(texts).map(value).collect();
        self.declaration.id(object.name(), &key).unwrap().to_string()
    }

    /// The ids of all rows, as SQL has them in this order.
    pub async fn expected(&self, object: &ObjectType, condition: &str, order: &str) -> Vec<String> {
        let keys: Vec<String> = object.table().key().map(as_text).collect();
        let (keys_of, from) = (keys.join(", "), self.from(object, order));
        let sql = format!("SELECT {keys_of} FROM {from} WHERE {condition} ORDER BY {order}");
        self.rows(&sql, keys.len()).await.iter().map(|row| self.id(object, row)).collect()
    }

    /// The table of an object, with the tables of the related objects that an order has.
    pub fn from(&self, object: &ObjectType, order: &str) -> String {
        let table = object.table().name();
        let mut from = table.to_owned();
        for link in self.declaration.links().iter().filter(|link| link.from.name() == object.name()) {
            let name = format!("{}_of_{table}", link.field);
            if order.contains(&name) {
                let key = link.to.table().key().map(Column::name);
                let on = link.columns.iter().zip(key).map(|(from, to)| format!("{from:?} = {name}.{to}"));
                let on = on.collect::<Vec<_>>().join(" AND ");
                from = format!("{from} LEFT JOIN {} AS {name} ON {on}", link.to.table().name());
            }
        }
        from
    }

    /// The root list of an object.
    pub fn list(&self, object: &ObjectType) -> String {
        self.declaration.list_of(object.name()).unwrap()
    }

    /// The ids of a list, page by page. `list` is the field with its arguments.
    pub async fn walk(&self, list: &str, forward: bool) -> Vec<String> {
        let (name, arguments) =
            list.split_once('(').map_or((list, ""), |(name, rest)| (name, rest.trim_end_matches(')')));
        let (mut cursor, mut ids) = (String::new(), Vec::new());
        loop {
            let page = if forward {
                format!("first: {PAGE}, after: {cursor:?}")
            } else {
                format!("last: {PAGE}, before: {cursor:?}")
            };
            let query = format!(
                "{{ {name}({page}, {arguments}) {{ edges {{ cursor node {{ id }} }} pageInfo {{ hasNextPage hasPreviousPage }} }} }}"
            );
            let data = self.data(&query).await;
            let found = &data[name];
            let mut edges = found["edges"].as_array().unwrap().clone();
            let [next, previous] =
                ["hasNextPage", "hasPreviousPage"].map(|flag| found["pageInfo"][flag].as_bool().unwrap());
            // On the side that it came from, there are rows exactly if it came from a cursor.
            let (more, back) = if forward { (next, previous) } else { (previous, next) };
            assert_eq!(back, !cursor.is_empty(), "{query}");
            if !forward {
                edges.reverse();
            }
            ids.extend(edges.iter().map(|edge| edge["node"]["id"].as_str().unwrap().to_owned()));
            if !more {
                break;
            }
            edges.last().unwrap()["cursor"].as_str().unwrap().clone_into(&mut cursor);
        }
        ids
    }

    /// Walks each list both ways in each offered order. Returns the number of orders.
    pub async fn walk_all(&self) -> usize {
        let mut orders = 0;
        for object in self.declaration.object_types() {
            let list = self.list(object);
            let of_list = |offered: &str| offered == list || offered.starts_with(&format!("{list}("));
            let rows = self.expected(object, "1 = 1", "1").await.len();
            let most = if rows > LARGE { 2 } else { usize::MAX };
            for offered in self.declaration.offered().into_iter().filter(|offered| of_list(&offered.list)).take(most) {
                let order = sql_order(&offered.order.to_string());
                let mut expected = self.expected(object, "1 = 1", &order).await;
                assert_eq!(self.walk(&offered.list, true).await, expected, "{}", offered.list);
                expected.reverse();
                assert_eq!(self.walk(&offered.list, false).await, expected, "{} backward", offered.list);
                orders += 1;
            }
        }
        orders
    }

    /// Compares each column of each row with the text that the database has. Returns the number of columns.
    pub async fn compare_columns(&self) -> usize {
        let mut compared = 0;
        for object in self.declaration.object_types() {
            let columns = shown(object);
            let fields: Vec<String> = columns.iter().map(|column| object.field_of(column.name()).unwrap()).collect();
            let texts: Vec<String> = columns.iter().map(|column| as_text(column)).collect();
            let table = object.table().name();
            let keys: Vec<String> = object.table().key().map(|column| format!("{table}.{}", column.name())).collect();
            let sql =
                format!("SELECT {} FROM {} ORDER BY {}", texts.join(", "), object.table().name(), keys.join(", "));
            let expected = self.rows(&sql, columns.len()).await;
            let list = self.list(object);
            let nodes = self.pages(&list, &fields.join(" "), usize::MAX).await;
            assert_eq!(nodes.len(), expected.len(), "{list}");
            for (node, texts) in nodes.iter().zip(&expected) {
                for ((column, field), text) in columns.iter().zip(&fields).zip(texts) {
                    check(column, &node[field], text.as_deref());
                }
            }
            compared += columns.len();
        }
        compared
    }

    /// Reads each foreign key both ways, and compares it with SQL. Returns the number of foreign keys.
    pub async fn compare_relations(&self) -> usize {
        let mut relations = 0;
        for link in self.declaration.links() {
            let (from, to) = (link.from, link.to);
            let keys: Vec<String> = from.table().key().map(as_text).collect();
            let columns: Vec<String> = keys.iter().cloned().chain(link.columns.iter().map(as_text)).collect();
            let sql = format!("SELECT {} FROM {}", columns.join(", "), from.table().name());
            let rows = self.rows(&sql, columns.len()).await;
            let key_of = |row: &Vec<Option<String>>| {
                let key = &row[keys.len()..];
                key.iter().all(Option::is_some).then(|| self.id(to, key))
            };
            let expected: BTreeSet<(String, Option<String>)> =
                rows.iter().map(|row| (self.id(from, &row[..keys.len()]), key_of(row))).collect();
            let (list, field) = (self.list(from), &link.field);
            let mut found = BTreeSet::new();
            for page in self.pages(&list, &format!("id {field} {{ id }}"), LARGE).await {
                found.insert((page["id"].as_str().unwrap().to_owned(), page[field]["id"].as_str().map(str::to_owned)));
            }
            assert!(found.is_subset(&expected), "{list}.{field}");
            assert!(found.len() >= expected.len().min(LARGE), "{list}.{field}: {} rows", found.len());

            let (list, field) = (self.list(to), &link.back);
            let mut back = BTreeSet::new();
            let selected = format!("id {field}(first: 100) {{ totalCount nodes {{ id }} pageInfo {{ hasNextPage }} }}");
            for page in self.pages(&list, &selected, LARGE).await {
                let (children, id) = (&page[field], page["id"].as_str().unwrap());
                let nodes = children["nodes"].as_array().unwrap();
                let total = usize::try_from(children["totalCount"].as_u64().unwrap()).unwrap();
                assert_eq!(
                    total,
                    expected.iter().filter(|(_, to)| to.as_deref() == Some(id)).count(),
                    "{list}.{field}"
                );
                assert_eq!(
                    (nodes.len(), &children["pageInfo"]["hasNextPage"]),
                    (total.min(100), &Json::from(total > 100))
                );
                back.extend(nodes.iter().map(|node| (node["id"].as_str().unwrap().to_owned(), Some(id.to_owned()))));
            }
            assert!(back.is_subset(&expected), "{list}.{field}");
            relations += 1;
        }
        relations
    }

    /// What is selected of the objects of a list, to the end of the page that reaches `most` of them.
    pub async fn pages(&self, list: &str, selected: &str, most: usize) -> Vec<Json> {
        let (mut cursor, mut nodes) = (String::new(), Vec::new());
        loop {
            let query = format!(
                "{{ {list}(first: {PAGE}, after: {cursor:?}) {{ nodes {{ {selected} }} pageInfo {{ hasNextPage endCursor }} }} }}"
            );
            let data = self.data(&query).await;
            nodes.extend(data[list]["nodes"].as_array().unwrap().iter().cloned());
            if data[list]["pageInfo"]["hasNextPage"] == false || nodes.len() >= most {
                return nodes;
            }
            data[list]["pageInfo"]["endCursor"].as_str().unwrap().clone_into(&mut cursor);
        }
    }

    /// Compares each operator on each column, and its negation, with SQL. Returns the number of filters.
    pub async fn compare_filters(&self) -> usize {
        let mut filters = 0;
        for object in self.declaration.object_types() {
            let list = self.list(object);
            let all = self.expected(object, "1 = 1", "1").await.len();
            for column in shown(object) {
                let field = object.field_of(column.name()).unwrap();
                for (filter, condition) in self.conditions(object, column, &format!("{column:?}")).await {
                    let expected = self.expected(object, &condition, "1").await;
                    let count = async |filter: String| {
                        let data = self.data(&format!("{{ {list}(where: {filter}) {{ totalCount }} }}")).await;
                        usize::try_from(data[&list]["totalCount"].as_u64().unwrap()).unwrap()
                    };
                    let filter = format!("{{ {field}: {{ {filter} }} }}");
                    assert_eq!(count(filter.clone()).await, expected.len(), "{list} {filter}");
                    let not = format!("{{ not: {filter} }}");
                    assert_eq!(count(not.clone()).await, all - expected.len(), "{list} {not}");
                    if expected.len() <= LARGE {
                        let found: BTreeSet<String> =
                            self.walk(&format!("{list}(where: {filter})"), true).await.into_iter().collect();
                        assert_eq!(found, expected.into_iter().collect(), "{list} {filter}");
                    }
                    filters += 1;
                }
            }
        }
        filters
    }

    /// Conditions on a column: as a filter has them, and as SQL does, where the column has this name.
    pub async fn conditions(&self, object: &ObjectType, column: &Column, name: &str) -> Vec<(String, String)> {
        let (own, table) = (column.name(), object.table().name());
        // A value in the middle.
        let sql = format!("SELECT {} FROM {table} WHERE {own} IS NOT NULL ORDER BY {table}.{own}", as_text(column));
        let values = self.rows(&sql, 1).await;
        let Some(Some(text)) = values.get(values.len() / 2).and_then(|row| row.first().cloned()) else {
            return Vec::new();
        };
        let literal = format!("'{}'", text.replace('\'', "''"));
        let is_number = matches!(column.kind(), Kind::SmallInt | Kind::Int | Kind::BigInt | Kind::Decimal);
        let literal = if is_number { text.clone() } else { literal };
        let given = match column.kind() {
            Kind::Bytes => return Vec::new(),
            Kind::Array(_) => return self.list_conditions(name, text.split(['{', '[', '"', ',', ']', '}']).max()),
            Kind::SmallInt | Kind::Int => text,
            Kind::Bool => matches!(text.as_str(), "true" | "1").to_string(),
            Kind::Enum => text.replace('-', "_"),
            Kind::DateTime => format!("{:?}", text.replace(' ', "T")),
            _ => format!("{text:?}"),
        };
        let mut conditions = vec![
            (format!("eq: {given}"), format!("{name} = {literal}")),
            (format!("in: [{given}, {given}]"), format!("{name} = {literal}")),
            (format!("ne: {given}"), format!("({name} <> {literal} OR {name} IS NULL)")),
            (format!("lt: {given}"), format!("{name} < {literal}")),
            (format!("lte: {given}"), format!("{name} <= {literal}")),
            (format!("gt: {given}"), format!("{name} > {literal}")),
            (format!("gte: {given}"), format!("{name} >= {literal}")),
        ];
        if column.kind() == Kind::Enum {
            conditions.truncate(3);
        }
        if column.is_nullable() {
            conditions.push(("isNull: true".into(), format!("{name} IS NULL")));
            conditions.push(("isNull: false".into(), format!("{name} IS NOT NULL")));
        }
        conditions
    }
}

impl Served {
    /// Conditions on a list of texts with this one.
    fn list_conditions(&self, name: &str, item: Option<&str>) -> Vec<(String, String)> {
        let (given, items) = (format!("[{item:?}]").replace("Some(", "").replace(')', ""), item.unwrap());
        let (all, only, any, empty) = if self.is_sqlite() {
            let of = |condition: &str| format!("EXISTS (SELECT 1 FROM json_each({name}) WHERE {condition} '{items}')");
            let has = of("value =");
            let only = format!("{name} IS NOT NULL AND NOT {}", of("value <>"));
            (has.clone(), only, has, format!("json_array_length({name}) = 0"))
        } else {
            let of = |operator: &str| format!("{name} {operator} ARRAY['{items}']");
            (of("@>"), of("<@"), of("&&"), format!("cardinality({name}) = 0"))
        };
        vec![
            (format!("contains: {given}"), all),
            (format!("containedBy: {given}"), only),
            (format!("overlaps: {given}"), any),
            ("isEmpty: true".into(), empty),
            ("isNull: true".into(), format!("{name} IS NULL")),
        ]
    }
}

/// The columns that an object shows.
pub fn shown(object: &ObjectType) -> Vec<&Column> {
    object.table().columns().iter().filter(|column| object.field_of(column.name()).is_some()).collect()
}

/// An order with the placement of NULLs spelt out.
pub fn sql_order(order: &str) -> String {
    let spelt = |sort: &str| {
        if sort.contains("NULLS") { sort.to_owned() } else { format!("{sort} NULLS LAST") }
    };
    order.split(", ").map(spelt).collect::<Vec<_>>().join(", ")
}

/// A column as text.
pub fn as_text(column: &Column) -> String {
    let name = format!("{column:?}");
    match column.kind() {
        // Bytes need not be text.
        Kind::Bytes => format!("CASE WHEN {name} IS NULL THEN NULL ELSE 'bytes' END"),
        _ => format!("CAST({name} AS text)"),
    }
}

/// Checks a value in a response against its text in the database.
pub fn check(column: &Column, shown: &Json, text: Option<&str>) {
    let Some(text) = text else {
        assert_eq!(*shown, Json::Null, "{column:?}");
        return;
    };
    let number = |text: &str| text.parse::<f64>().unwrap();
    match (column.kind(), shown) {
        (Kind::Bool, Json::Bool(shown)) => assert_eq!(*shown, matches!(text, "true" | "1"), "{column:?}"),
        (Kind::Enum, Json::String(shown)) => assert_eq!(*shown, text.replace('-', "_"), "{column:?}"),
        (Kind::Bytes, Json::String(shown)) => assert!(!shown.is_empty(), "{column:?}"),
        (Kind::Array(_), Json::Array(shown)) => {
            let items: Vec<&str> = shown.iter().map(|item| item.as_str().unwrap()).collect();
            let text = text.replace(['{', '[', '"', ']', '}'], "").replace(", ", ",");
            assert_eq!(items.join(","), text, "{column:?}");
        }
        (Kind::SmallInt | Kind::Int, Json::Number(shown)) => assert_eq!(shown.to_string(), text, "{column:?}"),
        (Kind::Decimal, Json::String(shown)) => {
            assert!((number(shown) - number(text)).abs() < f64::EPSILON, "{column:?}: {shown} {text}");
        }
        (Kind::DateTime, Json::String(shown)) => assert_eq!(*shown, text.replace(' ', "T"), "{column:?}"),
        (_, Json::String(shown)) => assert_eq!(shown, text, "{column:?}"),
        (_, shown) => panic!("{column:?}: {shown} {text}"),
    }
}
