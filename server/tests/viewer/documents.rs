//! Random queries of any schema of declared objects: every argument of lists, filters, orders, aggregates, page numbers.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use bookends_server::async_graphql::parser::parse_schema;
use bookends_server::async_graphql::parser::types::{
    BaseType, FieldDefinition, InputValueDefinition, Type, TypeKind, TypeSystemDefinition,
};
use serde_json::Value as Json;

use oracle::dice::Dice;

/// The deepest selection.
const LEVELS: usize = 4;

/// The ids and the cursors of a database, which documents name.
#[derive(Debug, Default)]
pub struct Pools {
    /// By types.
    ids: HashMap<String, Vec<String>>,
    /// By types and items of orders.
    cursors: HashMap<(String, String), Vec<String>>,
    texts: Vec<String>,
}

/// A list in an order.
pub struct Harvest {
    pub query: String,
    node: String,
    order: String,
}

impl Pools {
    /// Adds those of the response to a list.
    pub fn add(&mut self, of: &Harvest, response: &Json) {
        match response {
            Json::Object(members) => {
                for (name, value) in members {
                    match (name.as_str(), value) {
                        ("id", Json::String(id)) => self.ids.entry(of.node.clone()).or_default().push(id.clone()),
                        ("cursor", Json::String(cursor)) => {
                            let of = (of.node.clone(), of.order.clone());
                            self.cursors.entry(of).or_default().push(cursor.clone());
                        }
                        (_, Json::String(text)) if text.len() < 30 => self.texts.push(text.clone()),
                        _ => self.add(of, value),
                    }
                }
            }
            Json::Array(items) => items.iter().for_each(|item| self.add(of, item)),
            _ => {}
        }
    }
}

/// The types of a schema.
pub struct Documents {
    types: HashMap<String, TypeKind>,
}

impl Documents {
    pub fn of(sdl: &str) -> Self {
        let document = parse_schema(sdl).unwrap();
        let types = document.definitions.into_iter().filter_map(|definition| match definition {
            TypeSystemDefinition::Type(ty) => Some((ty.node.name.node.to_string(), ty.node.kind)),
            _ => None,
        });
        Self { types: types.collect() }
    }

    fn fields(&self, ty: &str) -> Vec<&FieldDefinition> {
        match self.types.get(ty) {
            Some(TypeKind::Object(object)) => object.fields.iter().map(|field| &field.node).collect(),
            Some(TypeKind::Interface(interface)) => interface.fields.iter().map(|field| &field.node).collect(),
            _ => Vec::new(),
        }
    }

    fn is_leaf(&self, ty: &str) -> bool {
        self.fields(ty).is_empty()
    }

    /// Queries with the ids and the cursors of all lists, in several orders.
    pub fn harvest(&self) -> Vec<Harvest> {
        let mut queries = Vec::new();
        for field in self.fields("Query").into_iter().filter(|field| name_of(&field.ty.node).ends_with("Connection")) {
            let node = name_of(&field.ty.node).trim_end_matches("Connection").to_owned();
            let leaves = self.fields(&node).into_iter().filter(|leaf| self.is_leaf(name_of(&leaf.ty.node)));
            let leaves: Vec<&str> = leaves.map(|leaf| leaf.name.node.as_str()).collect();
            let mut orders = vec![String::new()];
            if let Some(TypeKind::Enum(items)) = self.types.get(&format!("{node}SortField")) {
                orders.extend(items.values.iter().map(|item| item.node.value.node.to_string()));
            }
            for order in orders {
                let (list, leaves) = (field.name.node.as_str(), leaves.join(" "));
                let by = if order.is_empty() { String::new() } else { format!(", orderBy: {{ field: {order} }}") };
                let query = format!("{{ {list}(first: 12{by}) {{ edges {{ cursor node {{ {leaves} }} }} }} }}");
                queries.push(Harvest { query, node: node.clone(), order });
            }
        }
        queries
    }

    /// A random query.
    pub fn random(&self, dice: &mut Dice, pools: &Pools) -> String {
        let about = String::new();
        let mut writing = Writing { documents: self, pools, dice, text: String::from("{"), fields: 0, about };
        writing.selection("Query", 0);
        writing.text + " }"
    }
}

fn name_of(ty: &Type) -> &str {
    match &ty.base {
        BaseType::Named(name) => name.as_str(),
        BaseType::List(of) => name_of(of),
    }
}

/// Whether a value of this type has others in it that have others in turn.
fn nests(ty: &Type) -> bool {
    matches!(ty.base, BaseType::List(_)) || name_of(ty).ends_with("Filter")
}

struct Writing<'a> {
    documents: &'a Documents,
    pools: &'a Pools,
    dice: &'a mut Dice,
    text: String,
    fields: usize,
    /// The type whose ids stand here.
    about: String,
}

impl Writing<'_> {
    fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Writes some fields of a type, at least one.
    fn selection(&mut self, ty: &str, level: usize) {
        let all = self.documents.fields(ty);
        let may_nest = level < LEVELS && self.fields < 40;
        let (leaves, nested): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|field| self.documents.is_leaf(name_of(&field.ty.node)));
        let nested: Vec<_> = nested.into_iter().filter(|_| may_nest).collect();
        let is_page = ty.ends_with("Connection") || ty.ends_with("Edge") || ty == "PageInfo";
        let mut chosen = BTreeSet::new();
        let count = if is_page { 3 } else { 1 + self.dice.roll(3) };
        for _ in 0..count {
            let from_nested = !nested.is_empty() && (leaves.is_empty() || self.dice.roll(2) == 0);
            let (number, of) = if from_nested { (1, &nested) } else { (0, &leaves) };
            if !of.is_empty() {
                chosen.insert((number, self.dice.roll(of.len())));
            }
        }
        if chosen.is_empty() {
            self.add(" __typename");
        }
        for (number, at) in chosen {
            let field = if number == 1 { nested[at] } else { leaves[at] };
            self.fields += 1;
            let alias = format!(" f{}: ", self.fields);
            self.add(&alias);
            self.field(field, level);
        }
    }

    fn field(&mut self, field: &FieldDefinition, level: usize) {
        self.add(field.name.node.as_str());
        let arguments: Vec<_> = field.arguments.iter().map(|argument| &argument.node).collect();
        name_of(&field.ty.node).trim_end_matches("Connection").clone_into(&mut self.about);
        if self.about == "Node" {
            let mut types: Vec<&String> = self.pools.ids.keys().collect();
            types.sort();
            self.about = types.get(self.dice.roll(types.len().max(1))).map(|ty| (*ty).clone()).unwrap_or_default();
        }
        let given = self.arguments(&arguments);
        if !given.is_empty() {
            let given = format!("({})", given.join(", "));
            self.add(&given);
        }
        let ty = name_of(&field.ty.node).to_owned();
        if self.documents.is_leaf(&ty) {
            return;
        }
        self.add(" {");
        if let Some(TypeKind::Interface(_)) = self.documents.types.get(&ty) {
            let objects = self.documents.types.iter().filter_map(|(name, kind)| match kind {
                TypeKind::Object(object) if object.implements.iter().any(|of| of.node == ty.as_str()) => Some(name),
                _ => None,
            });
            let mut objects: Vec<&String> = objects.collect();
            objects.sort();
            self.add(" __typename id");
            for object in objects {
                let _ = write!(self.text, " ... on {object} {{");
                self.selection(object, level + 2);
                self.add(" }");
            }
        } else {
            self.selection(&ty, level + usize::from(ty.ends_with("Connection")));
        }
        self.add(" }");
    }

    fn arguments(&mut self, arguments: &[&InputValueDefinition]) -> Vec<String> {
        let mut given = Vec::new();
        let has = |name: &str| arguments.iter().any(|argument| argument.name.node == name);
        let mut order = String::new();
        if let Some(by) = arguments.iter().find(|argument| argument.name.node == "orderBy") {
            name_of(&by.ty.node).trim_end_matches("Sort").clone_into(&mut self.about);
        }
        if let (true, Some(TypeKind::Enum(items))) =
            (has("orderBy"), self.documents.types.get(&format!("{}SortField", self.about)))
            && self.dice.roll(2) == 1
        {
            let items: Vec<String> = items.values.iter().map(|item| item.node.value.node.to_string()).collect();
            order.clone_from(self.dice.pick(&items));
            let direction = *self.dice.pick(&["", ", direction: DESC", ", nulls: FIRST"]);
            given.push(format!("orderBy: {{ field: {order}{direction} }}"));
        }
        if has("first") && has("after") {
            let size = self.dice.roll(4);
            let sized = match self.dice.roll(4) {
                0 => vec![],
                1 => vec![format!("last: {size}")],
                _ => vec![format!("first: {size}")],
            };
            given.extend(sized);
            match self.dice.roll(6) {
                1 => given.push(format!("after: {:?}", self.cursor(&order))),
                2 => given.push(format!("before: {:?}", self.cursor(&order))),
                3 => given.extend([
                    format!("after: {:?}", self.cursor(&order)),
                    format!("before: {:?}", self.cursor(&order)),
                ]),
                4 if self.dice.once_in(2) => given.push(format!("offset: {}", self.dice.roll(6))),
                4 if has("around") => given.push(format!("around: {:?}", self.id())),
                _ => {}
            }
        }
        for argument in arguments {
            let name = argument.name.node.as_str();
            if matches!(name, "first" | "last" | "after" | "before" | "offset" | "around" | "orderBy") {
                continue;
            }
            let is_needed = !argument.ty.node.nullable;
            if is_needed || self.dice.roll(3) == 2 {
                given.push(format!("{name}: {}", self.value(&argument.ty.node, 0)));
            }
        }
        given
    }

    fn id(&mut self) -> String {
        let ids = self.pools.ids.get(&self.about);
        ids.map(|ids| self.dice.pick(ids).clone()).unwrap_or_default()
    }

    fn cursor(&mut self, order: &str) -> String {
        let cursors = self.pools.cursors.get(&(self.about.clone(), order.to_owned()));
        cursors.map(|cursors| self.dice.pick(cursors).clone()).unwrap_or_default()
    }

    fn value(&mut self, ty: &Type, level: usize) -> String {
        if let BaseType::List(of) = &ty.base {
            let items = 1 + self.dice.roll(2);
            let items: Vec<String> = (0..items).map(|_| self.value(of, level)).collect();
            return format!("[{}]", items.join(", "));
        }
        let name = name_of(ty).to_owned();
        match self.documents.types.get(&name) {
            Some(TypeKind::Enum(items)) => {
                let items: Vec<&str> = items.values.iter().map(|item| item.node.value.node.as_str()).collect();
                (*self.dice.pick(&items)).to_owned()
            }
            Some(TypeKind::InputObject(input)) => {
                let fields: Vec<&InputValueDefinition> = input.fields.iter().map(|field| &field.node).collect();
                if let Some(about) = name.strip_suffix("Filter").filter(|about| self.pools.ids.contains_key(*about)) {
                    about.clone_into(&mut self.about);
                }
                let mut given: Vec<String> = Vec::new();
                for field in fields.iter().filter(|field| !field.ty.node.nullable && field.default_value.is_none()) {
                    given.push(format!("{}: {}", field.name.node, self.value(&field.ty.node, level + 1)));
                }
                // Filters nest.
                let more: Vec<_> = fields.iter().filter(|field| field.ty.node.nullable).collect();
                let more: Vec<_> = more.into_iter().filter(|field| level < 4 || !nests(&field.ty.node)).collect();
                if given.is_empty() && !more.is_empty() || !more.is_empty() && self.dice.roll(2) == 1 {
                    let field = self.dice.pick(&more);
                    given.push(format!("{}: {}", field.name.node, self.value(&field.ty.node, level + 1)));
                }
                format!("{{ {} }}", given.join(", "))
            }
            _ => self.scalar(&name),
        }
    }

    fn scalar(&mut self, name: &str) -> String {
        let number = self.dice.roll(7);
        match name {
            "Int" => number.to_string(),
            "Float" => format!("{number}.5"),
            "Boolean" => number.is_multiple_of(2).to_string(),
            "ID" => format!("{:?}", self.id()),
            "BigInt" | "Decimal" => format!("\"{number}\""),
            // The rows of `projects` are of this minute.
            "DateTime" if self.dice.roll(2) == 1 => format!("\"2024-06-10T02:35:2{}.4{number}5Z\"", 1 + number % 2),
            "DateTime" => format!("\"200{number}-02-15T00:00:00Z\""),
            "LocalDateTime" => format!("\"200{number}-02-15T00:00:00\""),
            "Date" => format!("\"200{number}-02-15\""),
            "Time" => format!("\"0{number}:00:00\""),
            "UUID" => format!("\"01900000-0bb{number}-7000-8000-00000000000{number}\""),
            "Bytes" => "\"AAAA\"".into(),
            "JSON" => "{}".into(),
            _ if self.pools.texts.is_empty() => "\"a\"".into(),
            _ => format!("{:?}", self.dice.pick(&self.pools.texts)),
        }
    }
}
