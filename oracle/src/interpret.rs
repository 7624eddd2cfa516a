//! The interpreter: a document over plain rows, slow and obvious.

use std::collections::HashMap;
use std::rc::Rc;

use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, Field, OperationDefinition, Selection, SelectionSet,
};
use async_graphql::{Name, Positioned, Value};
use async_graphql_value::Value as Written;
use chrono::{DateTime, Utc};

use crate::aggregate::aggregate;
use crate::book::Book;
use crate::datum::Datum;
use crate::documents::Document;
use crate::page::{Listed, Position, order};
use crate::schema::{GUARDED_FOR, Reference, Relation, Schema, Table};

/// A row.
pub type Row = Vec<Datum>;

/// The rows of each table.
pub type Rows = Vec<Vec<Row>>;

/// A response, in which ids and cursors are what they tell.
#[derive(Clone, Debug)]
pub enum Out {
    /// A value.
    Plain(Value),
    /// The global id of the row of a table with this key.
    Id(usize, Row),
    /// The cursor of a position.
    Cursor(Position),
    /// A number that the database rounds: an average, or a sum of doubles.
    Rounded(f64),
    /// An estimate above this number.
    MoreThan(usize),
    /// One of these values of an enum.
    OneOf(&'static [&'static str]),
    /// A list.
    List(Vec<Out>),
    /// An object, with its members in the order of the document.
    Object(Vec<(String, Out)>),
}

/// The code of an error.
pub type Code = &'static str;

/// A response: its data, and the paths and the codes of its errors.
#[derive(Clone, Debug)]
pub struct Response {
    /// The data.
    pub data: Out,
    /// The errors, in the order of the alphabet.
    pub errors: Vec<(String, String)>,
}

/// What a selection is of.
enum On<'a> {
    Query,
    Row(usize, &'a Row),
    Connection(Rc<Listed<'a>>),
    Edge(Rc<Listed<'a>>, &'a Row),
    Info(Rc<Listed<'a>>),
    Cursors(Rc<Listed<'a>>),
    /// The page that begins with this row of the list, and its number.
    Page(Rc<Listed<'a>>, usize, usize),
    Aggregates(Rc<Listed<'a>>),
    Aggregate(Rc<Listed<'a>>, String),
    /// A count, and how far it is to count.
    Approximate(usize, usize),
}

/// An interpreter of documents over these rows.
pub struct Oracle<'a> {
    /// The tables.
    pub schema: &'a Schema,
    /// What shows of their rows.
    pub rows: &'a Rows,
    /// The ids and the cursors that responses have shown.
    pub book: &'a Book,
    document: &'a ExecutableDocument,
    variables: HashMap<Name, Value>,
    /// Whether the viewer does not read guarded columns.
    pub(crate) is_refused: bool,
    errors: Vec<(String, String)>,
    /// Whether there is no data: an error in a field that is never null.
    is_null: bool,
}

impl<'a> Oracle<'a> {
    /// Evaluates an operation of a valid document.
    pub fn respond(
        schema: &'a Schema,
        rows: &'a Rows,
        book: &'a Book,
        document: &'a ExecutableDocument,
        asked: &Document,
        who: &Datum,
    ) -> Response {
        let operation: &OperationDefinition = match (&document.operations, &asked.operation) {
            (DocumentOperations::Multiple(several), Some(name)) => &several[name.as_str()].node,
            (operations, _) => &operations.iter().next().expect("an operation").1.node,
        };
        let mut variables = asked.variables.clone();
        for definition in &operation.variable_definitions {
            if let Some(default) = &definition.node.default_value {
                variables.entry(definition.node.name.node.clone()).or_insert_with(|| default.node.clone());
            }
        }
        let is_refused = *who != Datum::Text(GUARDED_FOR.into());
        let mut oracle =
            Self { schema, rows, book, document, variables, is_refused, errors: Vec::new(), is_null: false };
        let data = oracle.object(&On::Query, &[&operation.selection_set.node], "");
        oracle.errors.sort();
        let data = if oracle.is_null { Out::Plain(Value::Null) } else { data };
        Response { data, errors: oracle.errors }
    }

    /// The value of an argument; `None` if it is absent or null.
    fn argument(&self, field: &Field, name: &str) -> Option<Value> {
        self.constant(field.get_argument(name)).filter(|value| *value != Value::Null)
    }

    /// A value with those of its variables. One without a value is null.
    fn constant(&self, value: Option<&Positioned<Written>>) -> Option<Value> {
        let variable = |name: Name| Ok::<_, ()>(self.variables.get(&name).cloned().unwrap_or_default());
        value?.node.clone().into_const_with(variable).ok()
    }

    /// The fields of selections on a type by their response keys: `CollectFields` of the specification.
    fn collect<'d>(&self, sets: &[&'d SelectionSet], on: &On<'_>, fields: &mut Vec<(String, Vec<&'d Field>)>)
    where
        'a: 'd,
    {
        for selection in sets.iter().flat_map(|set| &set.items) {
            let directives = match &selection.node {
                Selection::Field(field) => &field.node.directives,
                Selection::InlineFragment(fragment) => &fragment.node.directives,
                Selection::FragmentSpread(spread) => &spread.node.directives,
            };
            let is_left_out = directives.iter().any(|directive| {
                let is = self.constant(directive.node.get_argument("if")) == Some(Value::Boolean(true));
                is == (directive.node.name.node == "skip")
            });
            if is_left_out {
                continue;
            }
            let (condition, set) = match &selection.node {
                Selection::Field(field) => {
                    let key = field.node.response_key().node.to_string();
                    match fields.iter_mut().find(|(known, _)| *known == key) {
                        Some((_, same)) => same.push(&field.node),
                        None => fields.push((key, vec![&field.node])),
                    }
                    continue;
                }
                Selection::InlineFragment(fragment) => (
                    fragment.node.type_condition.as_ref().map(|on| &on.node.on.node),
                    &fragment.node.selection_set.node,
                ),
                Selection::FragmentSpread(spread) => {
                    let fragment = &self.document.fragments[&spread.node.fragment_name.node].node;
                    (Some(&fragment.type_condition.node.on.node), &fragment.selection_set.node)
                }
            };
            let applies = match (on, condition) {
                (On::Row(table, _), Some(name)) => name == "Node" || *name == self.schema.tables[*table].type_name(),
                _ => true,
            };
            if applies {
                self.collect(&[set], on, fields);
            }
        }
    }

    fn object(&mut self, on: &On<'a>, sets: &[&'a SelectionSet], path: &str) -> Out {
        let mut fields = Vec::new();
        self.collect(sets, on, &mut fields);
        let mut members = Vec::new();
        for (key, same) in fields {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let sets: Vec<&SelectionSet> = same.iter().map(|field| &field.selection_set.node).collect();
            let out = self.field(on, same[0], &sets, &path).unwrap_or_else(|code| {
                self.errors.push((path, code.to_owned()));
                Out::Plain(Value::Null)
            });
            members.push((key, out));
        }
        Out::Object(members)
    }

    fn objects(&mut self, ons: Vec<On<'a>>, sets: &[&'a SelectionSet], path: &str) -> Out {
        let object = |(place, on): (usize, On<'a>)| self.object(&on, sets, &format!("{path}.{place}"));
        Out::List(ons.into_iter().enumerate().map(object).collect())
    }

    fn field(&mut self, on: &On<'a>, field: &'a Field, sets: &[&'a SelectionSet], path: &str) -> Result<Out, Code> {
        let name = field.name.node.as_str();
        let schema = self.schema;
        Ok(match on {
            On::Query => return self.root(field, sets, path),
            On::Row(table, row) => {
                let of = &schema.tables[*table];
                if name == "__typename" {
                    return Ok(Out::Plain(of.type_name().into()));
                }
                if name == "id" {
                    return Ok(Out::Id(*table, key_of(&of.key, row)));
                }
                if let Some(column) = of.column(name) {
                    self.guard(of, column)?;
                    return Ok(Out::Plain(row[column].show(of.columns[column].kind)));
                }
                let relation = schema.relation(*table, name).expect("a relation");
                let rows = self.related(relation, row);
                match relation {
                    Relation::One(_) | Relation::Only(..) => {
                        self.optional(rows.first().map(|row| On::Row(relation.node(), row)), sets, path)
                    }
                    Relation::Many(table, by) => self.list(table, [Some(by), None], rows, field, sets, path)?,
                    Relation::Far(table, by, far) => {
                        self.list(table, [Some(by), Some(far)], rows, field, sets, path)?
                    }
                }
            }
            On::Connection(list) => match name {
                "nodes" => {
                    let nodes = list.page().iter().map(|row| self.node(list, row)).collect();
                    self.objects(nodes, sets, path)
                }
                "edges" => {
                    let edges = list.page().iter().map(|row| On::Edge(Rc::clone(list), row)).collect();
                    self.objects(edges, sets, path)
                }
                "pageInfo" => self.object(&On::Info(Rc::clone(list)), sets, path),
                "pageCursors" => self.object(&On::Cursors(Rc::clone(list)), sets, path),
                "aggregates" => self.object(&On::Aggregates(Rc::clone(list)), sets, path),
                "totalCount" => number(list.rows.len()),
                _ => {
                    let up_to = self.argument(field, "upTo").map_or(1000, |up_to| int(&up_to));
                    let up_to = usize::try_from(up_to).map_err(|_| "BAD_USER_INPUT")?;
                    self.object(&On::Approximate(list.rows.len(), up_to), sets, path)
                }
            },
            On::Approximate(count, up_to) if count > up_to && name == "value" => Out::MoreThan(*up_to),
            // The database keeps the exact number of some.
            On::Approximate(count, up_to) if count > up_to => Out::OneOf(&["AT_LEAST", "ESTIMATE", "EXACT"]),
            On::Approximate(count, _) if name == "value" => number(*count),
            On::Approximate(..) => Out::OneOf(&["EXACT"]),
            On::Edge(list, row) => match name {
                "cursor" => Out::Cursor(list.position(row)),
                "node" => self.object(&self.node(list, row), sets, path),
                // What a junction says of the two.
                _ => return self.field(&On::Row(list.table, row), field, sets, path),
            },
            On::Info(list) => match name {
                "hasNextPage" => Out::Plain(list.has_next.into()),
                "hasPreviousPage" => Out::Plain(list.has_previous.into()),
                "startCursor" => {
                    list.page().first().map_or(Out::Plain(Value::Null), |row| Out::Cursor(list.position(row)))
                }
                _ => list.page().last().map_or(Out::Plain(Value::Null), |row| Out::Cursor(list.position(row))),
            },
            On::Cursors(list) => {
                let pages = list.pages();
                let page =
                    |page: Option<(usize, usize)>| page.map(|(start, number)| On::Page(Rc::clone(list), start, number));
                match name {
                    "around" => {
                        let around = pages.around.iter().filter_map(|it| page(Some(*it))).collect();
                        self.objects(around, sets, path)
                    }
                    "first" => self.object(&On::Page(Rc::clone(list), 0, 1), sets, path),
                    "previous" => self.optional(page(pages.previous), sets, path),
                    "next" => self.optional(page(pages.next), sets, path),
                    _ => self.optional(page(pages.last), sets, path),
                }
            }
            On::Page(list, start, number) => match name {
                "cursor" if *start == 0 => Out::Plain("".into()),
                "cursor" => Out::Cursor(list.position(list.rows[start - 1])),
                "page" => self::number(*number),
                _ => Out::Plain((*start == list.start && !list.page().is_empty()).into()),
            },
            On::Aggregates(list) => self.object(&On::Aggregate(Rc::clone(list), name.to_owned()), sets, path),
            On::Aggregate(list, of) => {
                let table = &schema.tables[list.table];
                let column = table.column(name).unwrap_or_else(|| panic!("{}.{name}", table.name));
                self.guard(table, column)?;
                let values = list.rows.iter().map(|row| &row[column]).filter(|value| !value.is_null());
                aggregate(of, &values.collect::<Vec<_>>(), table.columns[column].kind)
            }
        })
    }

    fn root(&mut self, field: &'a Field, sets: &[&'a SelectionSet], path: &str) -> Result<Out, Code> {
        let name = field.name.node.as_str();
        let id = |value: &Value| match value {
            Value::String(text) => self.book.id(text).cloned(),
            _ => None,
        };
        if name == "__typename" {
            return Ok(Out::Plain("Query".into()));
        }
        if name == "nodes" {
            let Some(Value::List(ids)) = self.argument(field, "ids") else { return Err("BAD_USER_INPUT") };
            let rows = ids.iter().map(|value| id(value).map(|(table, key)| self.row(table, &key)));
            let Some(rows) = rows.collect::<Option<Vec<_>>>() else {
                // The list is never null.
                self.is_null = true;
                return Err("ID_INVALID");
            };
            let rows =
                rows.into_iter().enumerate().map(|(place, on)| self.optional(on, sets, &format!("{path}.{place}")));
            return Ok(Out::List(rows.collect()));
        }
        let tables = &self.schema.tables;
        if let Some(table) = tables.iter().position(|table| table.list() == name) {
            let rows = self.rows[table].iter().collect();
            return self.list(table, [None; 2], rows, field, sets, path);
        }
        let (table, key) = self.argument(field, "id").and_then(|value| id(&value)).ok_or("ID_INVALID")?;
        if name != "node" && tables[table].name != name {
            return Err("ID_INVALID");
        }
        Ok(self.optional(self.row(table, &key), sets, path))
    }

    fn optional(&mut self, on: Option<On<'a>>, sets: &[&'a SelectionSet], path: &str) -> Out {
        on.map_or(Out::Plain(Value::Null), |on| self.object(&on, sets, path))
    }

    fn list(
        &mut self,
        table: usize,
        [by, far]: [Option<&'a Reference>; 2],
        mut rows: Vec<&'a Row>,
        field: &'a Field,
        sets: &[&'a SelectionSet],
        path: &str,
    ) -> Result<Out, Code> {
        let of = &self.schema.tables[table];
        let order = order(of, by, self.argument(field, "orderBy"), |column| self.guard(of, column))?;
        if let Some(condition) = self.argument(field, "where") {
            self.check_filter(table, &condition)?;
            rows.retain(|row| self.matches(table, row, &condition));
        }
        if let Some(Value::String(instant)) = self.argument(field, "asOf") {
            let until = instant.parse::<DateTime<Utc>>().expect("an instant").timestamp_millis();
            let key = self.schema.tables[table].key[0];
            rows.retain(|row| generated(&row[key]) <= until);
        }
        let list = Listed::new(self, table, far, order, rows, |name| self.argument(field, name))?;
        Ok(self.object(&On::Connection(Rc::new(list)), sets, path))
    }

    /// Refuses a column that is guarded.
    pub(crate) fn guard(&self, table: &Table, column: usize) -> Result<(), Code> {
        if self.is_refused && table.guard == Some(column) { Err("FORBIDDEN") } else { Ok(()) }
    }

    fn node(&self, list: &Listed<'a>, row: &'a Row) -> On<'a> {
        match list.far {
            None => On::Row(list.table, row),
            Some(far) => On::Row(far.to, self.referred(far, row).expect("a node")),
        }
    }

    fn row(&self, table: usize, key: &Row) -> Option<On<'a>> {
        let columns = &self.schema.tables[table].key;
        self.rows[table].iter().find(|row| key_of(columns, row) == *key).map(|row| On::Row(table, row))
    }

    /// The row that a reference of this one refers to.
    fn referred(&self, of: &Reference, row: &Row) -> Option<&'a Row> {
        let key = key_of(&of.columns, row);
        let columns = &self.schema.tables[of.to].key;
        if key.iter().any(Datum::is_null) {
            return None;
        }
        self.rows[of.to].iter().find(|row| key_of(columns, row) == key)
    }

    /// The rows to which a relation leads from this one; of a junction, its own.
    pub fn related(&self, relation: Relation<'_>, row: &Row) -> Vec<&'a Row> {
        match relation {
            Relation::One(to) => self.referred(to, row).into_iter().collect(),
            Relation::Only(table, by) | Relation::Many(table, by) => self.referring(table, by, row),
            Relation::Far(table, by, far) => {
                let mut rows = self.referring(table, by, row);
                rows.retain(|row| self.referred(far, row).is_some());
                rows
            }
        }
    }

    /// The rows of a table whose reference refers to this one.
    fn referring(&self, table: usize, by: &Reference, row: &Row) -> Vec<&'a Row> {
        let key = key_of(&self.schema.tables[by.to].key, row);
        self.rows[table].iter().filter(|row| key_of(&by.columns, row) == key).collect()
    }
}

/// When a UUID of version 7 was generated.
fn generated(datum: &Datum) -> i64 {
    let Datum::Text(uuid) = datum else { return i64::MAX };
    i64::from_str_radix(&uuid.replace('-', "")[..12], 16).unwrap_or(i64::MAX)
}

/// The values of some columns.
pub fn key_of(columns: &[usize], row: &Row) -> Row {
    columns.iter().map(|column| row[*column].clone()).collect()
}

/// An integer; of no integer 0.
pub fn int(value: &Value) -> i64 {
    if let Value::Number(number) = value { number.as_i64().unwrap_or_default() } else { 0 }
}

fn number(number: usize) -> Out {
    Out::Plain(Value::Number(number.into()))
}
