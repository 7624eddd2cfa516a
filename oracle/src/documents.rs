//! Random documents over tables.

use std::collections::HashMap;

use async_graphql::{Name, Value};

use crate::book::Book;
use crate::dice::Dice;
use crate::page::{Position, item, key};
use crate::schema::{Kind, OnDelete, Reference, Relation, Schema, Table};
use crate::tables::{TEXTS, values};

/// A document, and the values of its variables.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Its text.
    pub text: String,
    /// The values.
    pub variables: HashMap<Name, Value>,
    /// The operation that is asked for, if there are several.
    pub operation: Option<String>,
}

/// The deepest list.
const LEVELS: usize = 6;
/// What is neither an id nor a cursor.
const WRONG: [&str; 2] = ["AQ", "!"];
/// The most fields.
const FIELDS: usize = 40;

struct Writing<'a> {
    schema: &'a Schema,
    book: &'a Book,
    dice: &'a mut Dice,
    fields: usize,
    /// The conditions on related objects in one filter.
    related: usize,
    /// Whether values in a filter can be variables: the filter is none itself.
    nests: bool,
    declared: Vec<String>,
    variables: HashMap<Name, Value>,
    fragments: Vec<String>,
    is_sqlite: bool,
}

/// A random document. Its ids and cursors are those of the book.
pub fn document(dice: &mut Dice, schema: &Schema, book: &Book, is_sqlite: bool) -> Document {
    let mut writing = Writing {
        schema,
        book,
        dice,
        fields: 0,
        related: 0,
        nests: false,
        declared: vec![],
        variables: HashMap::new(),
        fragments: vec![],
        is_sqlite,
    };
    let mut roots = Vec::new();
    for _ in 0..=writing.dice.roll(2) {
        roots.push(writing.root());
    }
    let Writing { mut declared, mut variables, fragments, .. } = writing;
    let selection = format!("{{ {} }}{}", roots.join(" "), fragments.concat());
    // Some were written into what was left out.
    declared.retain(|variable| {
        let name = variable.split(':').next().unwrap_or_default();
        let is_used = selection
            .match_indices(name)
            .any(|(at, _)| !selection[at + name.len()..].starts_with(|letter: char| letter.is_ascii_digit()));
        if !is_used {
            variables.remove(&name[1..]);
        }
        is_used
    });
    let declared = if declared.is_empty() { String::new() } else { format!("({}) ", declared.join(", ")) };
    if dice.once_in(12) {
        let other = format!("query Other {{ {} {{ totalCount }} }} ", schema.tables[0].list());
        return Document {
            text: format!("{other}query This {declared}{selection}"),
            variables,
            operation: Some("This".into()),
        };
    }
    let declared = if declared.is_empty() { declared } else { format!("query {declared}") };
    Document { text: declared + &selection, variables, operation: None }
}

/// The list of all rows of a table with their ids and cursors, in each of its orders.
pub fn lists(schema: &Schema, table: usize) -> Vec<Document> {
    let of = &schema.tables[table];
    let mut orders = vec![Vec::new()];
    for columns in &of.sorts {
        let mut ways = vec![Vec::new()];
        for column in columns {
            let item = item(of, *column);
            let each =
                ["ASC", "DESC"].into_iter().flat_map(|direction| ["FIRST", "LAST"].map(|nulls| (direction, nulls)));
            let each: Vec<String> = each
                .map(|(direction, nulls)| format!("{{field: {item}, direction: {direction}, nulls: {nulls}}}"))
                .collect();
            let longer = |way: &Vec<String>| {
                each.iter().map(|one| [&way[..], std::slice::from_ref(one)].concat()).collect::<Vec<_>>()
            };
            ways = ways.iter().flat_map(longer).collect();
        }
        orders.extend(ways);
    }
    let text = |order: &Vec<String>| {
        let order = if order.is_empty() { String::new() } else { format!(", orderBy: [{}]", order.join(", ")) };
        format!("{{ {}(first: 100{order}) {{ edges {{ cursor node {{ id }} }} }} }}", of.list())
    };
    orders.iter().map(|order| Document { text: text(order), ..Document::default() }).collect()
}

impl Writing<'_> {
    /// Whether to do what is rare.
    fn rarely(&mut self) -> bool {
        self.dice.once_in(8)
    }

    /// A value as it is in the document: itself, or a variable.
    fn value(&mut self, value: Value, ty: &str) -> String {
        if !self.dice.once_in(5) {
            return value.to_string();
        }
        self.variable(value, ty)
    }

    fn variable(&mut self, value: Value, ty: &str) -> String {
        let name = format!("v{}", self.declared.len());
        let mut default = String::new();
        if self.rarely() {
            // Where a value is given, the default does not count.
            let is_given = self.dice.roll(2) == 0;
            let other = match &value {
                Value::Boolean(it) => Value::Boolean(!it),
                Value::Number(it) => Value::Number((it.as_i64().unwrap_or_default() / 2 + 1).into()),
                it => it.clone(),
            };
            default = format!(" = {}", if is_given { &other } else { &value });
            if is_given {
                self.variables.insert(Name::new(&name), value);
            }
        } else if !ty.ends_with('!') && self.dice.once_in(30) {
            if self.dice.roll(2) == 0 {
                self.variables.insert(Name::new(&name), Value::Null);
            }
        } else {
            self.variables.insert(Name::new(&name), value);
        }
        self.declared.push(format!("${name}: {ty}{default}"));
        format!("${name}")
    }

    fn root(&mut self) -> String {
        let table = self.dice.roll(self.schema.tables.len());
        let of = &self.schema.tables[table];
        let id = self.id(table);
        match (self.dice.roll(8), id) {
            (6, Some(id)) => {
                let id = self.value(id.into(), "ID!");
                let name = if self.dice.roll(2) == 0 { of.name.clone() } else { "node".into() };
                let selection = self.row(table, 0);
                let selection =
                    if name == "node" { format!("id ... on {} {{ {selection} }}", of.type_name()) } else { selection };
                format!("{}(id: {id}) {{ {selection} }}", self.named(&name))
            }
            (7, Some(id)) => {
                let mut ids = vec![Value::from(id)];
                let other = self.dice.roll(self.schema.tables.len());
                ids.extend(self.id(other).map(Value::from));
                let ids = self.value(Value::List(ids), "[ID!]!");
                let selection = self.row(table, 0);
                format!(
                    "{}(ids: {ids}) {{ __typename id ... on {} {{ {selection} }} }}",
                    self.named("nodes"),
                    of.type_name()
                )
            }
            _ => self.list(&of.list(), table, &Relation::Many(table, &NOTHING), 0),
        }
    }

    /// A field with this name, and mostly with an alias: two of one key would have to be the same.
    fn named(&mut self, name: &str) -> String {
        self.fields += 1;
        format!("f{}: {name}", self.fields)
    }

    fn directive(&mut self) -> String {
        if !self.dice.once_in(12) {
            return String::new();
        }
        let is = self.dice.roll(2) == 1;
        let is = self.value(Value::Boolean(is), "Boolean!");
        format!(" @{}(if: {is})", self.dice.pick(&["include", "skip"]))
    }

    /// The id of a row of a table, and at times another text.
    fn id(&mut self, table: usize) -> Option<String> {
        if self.dice.once_in(60) {
            return Some((*self.dice.pick(&WRONG)).to_owned());
        }
        let table = if self.dice.once_in(60) { self.dice.roll(self.schema.tables.len()) } else { table };
        let ids = self.book.ids(table);
        if ids.is_empty() { None } else { Some((*self.dice.pick(&ids)).clone()) }
    }

    /// Some fields of a row.
    fn row(&mut self, table: usize, level: usize) -> String {
        let of = &self.schema.tables[table];
        let mut fields = Vec::new();
        for _ in 0..=self.dice.roll(3) {
            let columns = of.columns.len();
            let relations = self.schema.relations(table);
            let may_nest = level < LEVELS && self.fields < FIELDS && !relations.is_empty();
            let directive = self.directive();
            fields.push(if may_nest && self.dice.roll(5) > 1 {
                let (name, relation) = self.dice.pick(&relations);
                match relation {
                    Relation::One(_) | Relation::Only(..) => {
                        let name = self.named(name);
                        format!("{name}{directive} {{ {} }}", self.row(relation.node(), level + 1))
                    }
                    Relation::Many(table, _) | Relation::Far(table, ..) => self.list(name, *table, relation, level + 1),
                }
            } else {
                match self.dice.roll(columns + 2) {
                    0 => format!("id{directive}"),
                    column if column <= columns => format!("{}{directive}", of.field(column - 1)),
                    _ => "__typename".into(),
                }
            });
        }
        let text = fields.join(" ");
        match self.dice.roll(10) {
            8 => format!("... on {} {{ {text} }} __typename", of.type_name()),
            9 => {
                let name = format!("F{}", self.fragments.len());
                let directive = self.directive();
                self.fragments.push(format!(" fragment {name} on {} {{ {text} }}", of.type_name()));
                format!("id ...{name}{directive}")
            }
            _ => text,
        }
    }

    /// A list of rows of a table.
    fn list(&mut self, name: &str, table: usize, relation: &Relation<'_>, level: usize) -> String {
        let name = self.named(name);
        let node = if let Relation::Far(_, _, far) = relation { far.to } else { table };
        let by = if let Relation::Many(_, by) | Relation::Far(_, by, _) = relation { Some(*by) } else { None };
        let arguments = self.arguments(table, by, level);
        let arguments = if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(", ")) };
        let mut parts = Vec::new();
        for _ in 0..=self.dice.roll(4) {
            let directive = self.directive();
            parts.push(match self.dice.roll(9) {
                0 | 1 => format!("nodes{directive} {{ {} }}", self.row(node, level)),
                2 | 3 => {
                    let of = &self.schema.tables[table];
                    let mut more = String::new();
                    if let Relation::Far(_, near, far) = relation {
                        let on_edge = |column: &usize| !near.columns.contains(column) && !far.columns.contains(column);
                        let fields: Vec<String> = (0..of.columns.len()).filter(on_edge).map(|column| of.field(column)).collect();
                        more = fields.join(" ");
                    }
                    format!("edges{directive} {{ cursor {more} node {{ {} }} }}", self.row(node, level))
                }
                4 | 5 => "pageInfo { hasPreviousPage hasNextPage startCursor endCursor }".into(),
                6 => {
                    let bound = *self.dice.pick(&[7, 0, 1, 12]);
                    let bound = self.value(Value::Number(bound.into()), "Int");
                    format!("totalCount{directive} approximateCount(upTo: {bound}) {{ value relation }}")
                }
                7 => self.aggregates(table),
                _ => "pageCursors { around { page cursor isCurrent } first { page cursor isCurrent } previous { page cursor } \
                    next { page } last { page cursor } }"
                    .into(),
            });
        }
        // Fields of one key are merged: those of the same nodes would need the same arguments.
        let mut seen: Vec<String> = Vec::new();
        for part in parts {
            let part = if part.starts_with("nodes") || part.starts_with("edges") || part.starts_with("totalCount") {
                self.fields += 1;
                if part.starts_with("totalCount") { part } else { format!("n{}: {part}", self.fields) }
            } else {
                part
            };
            if !(part.starts_with("totalCount") && seen.iter().any(|known| known.starts_with("totalCount"))) {
                seen.push(part);
            }
        }
        let one = format!("{name}{arguments} {{ {} }}", seen.join(" "));
        if self.dice.once_in(12) {
            // Two fields of one key are one.
            return format!(
                "{one} {name}{arguments} {{ {} }}",
                self.dice.pick(&["totalCount", "pageInfo { endCursor }"])
            );
        }
        one
    }

    fn aggregates(&mut self, table: usize) -> String {
        let of = &self.schema.tables[table];
        let mut parts = Vec::new();
        for (name, fits) in [
            ("sum", Kind::is_number as fn(Kind) -> bool),
            ("average", Kind::is_number),
            ("min", has_least),
            ("max", has_least),
        ] {
            let columns: Vec<String> =
                (0..of.columns.len()).filter(|it| fits(of.columns[*it].kind)).map(|it| of.field(it)).collect();
            if !columns.is_empty() && self.dice.roll(2) == 1 {
                parts.push(format!("{name} {{ {} }}", self.dice.pick(&columns)));
            }
        }
        if parts.is_empty() {
            "__typename @skip(if: true) totalCount".into()
        } else {
            format!("aggregates {{ {} }}", parts.join(" "))
        }
    }

    /// Adds the arguments that say which rows a list has.
    fn filters(&mut self, table: usize, given: &mut Vec<String>) {
        let of = &self.schema.tables[table];
        if self.dice.roll(3) == 1 {
            self.related = 0;
            self.nests = self.dice.roll(3) > 0;
            let filter = self.filter(table, 0);
            let ty = format!("{}Filter", of.type_name());
            let filter = if self.nests { filter.to_string() } else { self.variable(filter, &ty) };
            given.push(format!("where: {filter}"));
        }
        if of.as_of && self.dice.roll(2) == 1 {
            let instant = *self.dice.pick(&[
                "2024-06-10T02:35:21.392Z",
                "2024-06-10T02:35:21.391Z",
                "1969-12-31T23:59:59.999Z",
                "2400-01-01T00:00:00Z",
            ]);
            let instant = self.value(instant.into(), "DateTime");
            given.push(format!("asOf: {instant}"));
        }
    }

    fn arguments(&mut self, table: usize, by: Option<&Reference>, level: usize) -> Vec<String> {
        let of = &self.schema.tables[table];
        let mut given = Vec::new();
        let use_of = self.dice.roll(8);
        let key = key(of, by);
        let mut criteria: Vec<(usize, bool, bool)> = Vec::new();
        let is_offered = |it: &Position| {
            let columns: Vec<usize> = it.criteria(&of.key).iter().map(|(column, ..)| *column).collect();
            by.is_none() || columns.is_empty() || columns == of.key || of.sorts.contains(&columns)
        };
        let cursors = self.book.cursors(|it| it.ends_with(table, of, &key) && is_offered(it));
        let cursor = if (1..=4).contains(&use_of) && !cursors.is_empty() {
            Some((*self.dice.pick(&cursors)).clone())
        } else {
            None
        };
        if let Some(position) =
            cursor.as_ref().and_then(|cursor| self.book.position(cursor)).filter(|_| !self.dice.once_in(20))
        {
            criteria = position.criteria(&of.key);
        } else if of.key.len() == 1 && self.rarely() {
            criteria = vec![(of.key[0], true, false)];
        } else if !of.sorts.is_empty() && self.dice.roll(2) == 1 {
            let columns = self.dice.pick(&of.sorts);
            criteria = columns.iter().map(|column| (*column, self.dice.roll(2) == 1, self.dice.roll(3) == 1)).collect();
        } else if by.is_none() && !of.indexes.is_empty() && self.dice.roll(3) == 1 {
            // An index holds an order and its reverse, and not always those of each parent.
            let (index, descends) = (self.dice.pick(&of.indexes), self.dice.roll(2) == 1);
            let columns = index.iter().filter(|column| !of.key.contains(column));
            if columns.clone().all(|column| !of.columns[*column].nullable) {
                criteria = columns.map(|column| (*column, descends, false)).collect();
            }
        }
        if !criteria.is_empty() {
            let orders = self.value(order_by(of, &criteria), &format!("[{}Sort!]", of.type_name()));
            given.push(format!("orderBy: {orders}"));
        }
        self.filters(table, &mut given);
        let size = if self.dice.once_in(40) {
            *self.dice.pick(&[100, 101, -1])
        } else {
            self.dice.roll(6).try_into().unwrap_or(0)
        };
        let size = self.value(Value::Number(i64::into(size)), "Int");
        if self.dice.once_in(60) {
            given.extend(["first: 1".to_owned(), "last: 1".to_owned()]);
            return given;
        }
        let is_last = match self.dice.roll(4) {
            0 => false,
            1 => {
                given.push(format!("last: {size}"));
                true
            }
            _ => {
                given.push(format!("first: {size}"));
                false
            }
        };
        // Another position in the same order.
        let alike: Vec<String> = cursors
            .into_iter()
            .filter(|it| self.book.position(it).is_some_and(|it| it.criteria(&of.key) == criteria))
            .cloned()
            .collect();
        if self.dice.once_in(60) && (1..=4).contains(&use_of) {
            given.push("offset: 1".to_owned());
        }
        match use_of {
            1..=4 => {
                let names = [&["after"][..], &["after"], &["before"], &["after", "before"]][use_of - 1];
                for (place, name) in names.iter().enumerate() {
                    let Some(cursor) = cursor.clone() else { break };
                    let mut text = if place == 0 || alike.is_empty() { cursor } else { self.dice.pick(&alike).clone() };
                    if self.dice.once_in(60) {
                        (*self.dice.pick(&WRONG)).clone_into(&mut text);
                    }
                    let text = self.value(text.into(), "String");
                    given.push(format!("{name}: {text}"));
                }
            }
            5 => {
                let offset = self.dice.roll(9);
                let offset = self.value(Value::Number(offset.into()), "Int");
                given.push(format!("offset: {offset}"));
            }
            6 if !is_last && (level == 0 || self.rarely()) => {
                if let Some(id) = self.id(table) {
                    let id = self.value(id.into(), "ID");
                    given.push(format!("around: {id}"));
                }
            }
            _ => {}
        }
        given
    }

    /// A filter of rows of a table.
    fn filter(&mut self, table: usize, level: usize) -> Value {
        let of = &self.schema.tables[table];
        let relations = self.schema.relations(table);
        let mut fields = Vec::new();
        for _ in 0..=self.dice.roll(2) {
            let choice = if level < 4 { self.dice.roll(8) } else { self.dice.roll(4) };
            fields.push(match choice {
                0..=2 => {
                    let column = self.dice.roll(of.columns.len());
                    (of.field(column), self.scalar(of.columns[column].kind, of.columns[column].nullable))
                }
                3 => {
                    let ids: Vec<Value> =
                        (0..=self.dice.roll(2)).filter_map(|_| self.id(table)).map(Value::from).collect();
                    let Some(id) = ids.first().cloned() else { continue };
                    let conditions =
                        [("eq", id.clone()), ("ne", id), ("in", Value::List(ids.clone())), ("notIn", Value::List(ids))];
                    let (name, value) = self.dice.pick(&conditions).clone();
                    ("id".into(), object([(name.to_owned(), value)]))
                }
                4 => ("not".into(), self.filter(table, level + 1)),
                5 => {
                    let name = *self.dice.pick(&["or", "and"]);
                    let filters = (0..self.dice.roll(3)).map(|_| self.filter(table, level + 1)).collect();
                    (name.into(), Value::List(filters))
                }
                _ if relations.is_empty() || self.related > 5 => continue,
                _ => {
                    self.related += 1;
                    let (name, relation) = self.dice.pick(&relations).clone();
                    match relation {
                        Relation::One(_) | Relation::Only(..) => (name, self.filter(relation.node(), level + 1)),
                        Relation::Many(table, _) | Relation::Far(table, ..) => {
                            let condition = *self.dice.pick(&["some", "every", "none", "count"]);
                            let value = match condition {
                                "count" => {
                                    let name = *self.dice.pick(&["eq", "ne", "lt", "lte", "gt", "gte"]);
                                    object([(name.to_owned(), Value::Number(self.dice.roll(5).into()))])
                                }
                                _ => self.filter(table, level + 1),
                            };
                            (name, object([(condition.to_owned(), value)]))
                        }
                    }
                }
            });
        }
        object(fields)
    }

    fn scalar(&mut self, kind: Kind, nullable: bool) -> Value {
        let known = values(kind);
        let one = self.dice.pick(&known).show(kind);
        let other = self.dice.pick(&known).show(kind);
        let mut names = match kind {
            Kind::Json if self.is_sqlite => vec!["eq", "ne", "hasKey"],
            Kind::Json => vec!["eq", "ne", "hasKey", "contains"],
            _ if kind.is_list() => vec!["contains", "containedBy", "overlaps", "isEmpty"],
            _ => vec!["eq", "ne", "in", "notIn"],
        };
        if kind.is_ordered() {
            names.extend(["lt", "lte", "gt", "gte"]);
        }
        if kind == Kind::Text {
            names.extend(["startsWith", "contains", "startsWith", "contains"]);
        }
        if nullable {
            names.push("isNull");
        }
        let name = *self.dice.pick(&names);
        let value = match name {
            "in" | "notIn" if self.rarely() => Value::List(vec![]),
            "in" | "notIn" => Value::List(vec![one, other]),
            "isNull" | "isEmpty" => Value::Boolean(self.dice.roll(2) == 0),
            "hasKey" => (*self.dice.pick(&["a", "b", "c d"])).into(),
            // Their items are never null.
            "contains" | "containedBy" | "overlaps" if kind.is_list() => {
                let item = |dice: &mut Dice| match kind {
                    Kind::Ints => Value::Number((1 + dice.roll(3)).into()),
                    _ => (*dice.pick(&TEXTS)).into(),
                };
                Value::List((0..self.dice.roll(4)).map(|_| item(self.dice)).collect())
            }
            _ => one,
        };
        let value = if self.nests && self.dice.once_in(4) {
            let ty = kind.graphql();
            let ty = match name {
                "in" | "notIn" => format!("[{ty}!]"),
                "isNull" | "isEmpty" => "Boolean".to_owned(),
                "hasKey" => "String".to_owned(),
                _ => ty.to_owned(),
            };
            // It is printed as it is.
            Value::Enum(Name::new(self.variable(value, &ty)))
        } else {
            value
        };
        object([(name.to_owned(), value)])
    }
}

/// Whether it has a least and a greatest value.
fn has_least(kind: Kind) -> bool {
    kind.is_ordered() && kind != Kind::Bool
}

/// A reference without columns: the list of all rows has no parent.
const NOTHING: Reference = Reference {
    columns: Vec::new(),
    to: 0,
    field: String::new(),
    list: String::new(),
    unique: false,
    on_delete: OnDelete::Restrict,
};

/// The argument of an order by these columns: whether each descends, and whether its NULLs are first.
pub(crate) fn order_by(of: &Table, criteria: &[(usize, bool, bool)]) -> Value {
    let criterion = |(column, descends, nulls_first): &(usize, bool, bool)| {
        let field = Some(("field", item(of, *column)));
        let direction = descends.then(|| ("direction", "DESC".to_owned()));
        let nulls = nulls_first.then(|| ("nulls", "FIRST".to_owned()));
        let parts = [field, direction, nulls].into_iter().flatten();
        Value::Object(parts.map(|(name, value)| (Name::new(name), Value::Enum(Name::new(value)))).collect())
    };
    Value::List(criteria.iter().map(criterion).collect())
}

fn object(fields: impl IntoIterator<Item = (String, Value)>) -> Value {
    Value::Object(fields.into_iter().map(|(name, value)| (Name::new(name), value)).collect())
}
