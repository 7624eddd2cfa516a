//! Simpler documents than one: without a selection, an argument, or a level.

use crate::documents::Document;

/// A selection, and what it selects.
#[derive(Clone, Debug)]
struct Node {
    head: String,
    inner: Vec<Node>,
}

/// Documents with less in them, the smallest first.
pub fn simpler(document: &Document) -> Vec<Document> {
    let text = inlined(document);
    if !document.variables.is_empty() || document.text.starts_with("query") {
        return vec![Document { text, ..Document::default() }];
    }
    let Some((nodes, "")) = parse(text.trim_start_matches(['{', ' '])) else { return Vec::new() };
    let mut found: Vec<String> = Vec::new();
    without(&nodes, &mut |nodes| found.push(format!("{{ {} }}", print(nodes))));
    found.sort_by_key(String::len);
    found.into_iter().map(|text| Document { text, ..Document::default() }).collect()
}

/// The text with the values of its variables, and without fragments of their own names.
fn inlined(document: &Document) -> String {
    let mut text = document.text.clone();
    if document.operation.is_some() {
        // The operation that is asked for is the last one.
        text = text.split_once("query This ").map_or(text.clone(), |(_, this)| {
            if this.starts_with('(') { format!("query {this}") } else { this.to_owned() }
        });
    }
    let mut values: Vec<(String, String)> =
        document.variables.iter().map(|(name, value)| (format!("${name}"), value.to_string())).collect();
    if let Some(definitions) = text.strip_prefix("query (").and_then(|rest| rest.split_once(") {")) {
        for definition in definitions.0.split(", $") {
            let (variable, default) =
                definition.trim_start_matches('$').split_once(" = ").unwrap_or((definition, "null"));
            let name = format!("${}", variable.trim_start_matches('$').split(':').next().unwrap_or_default());
            if !values.iter().any(|(known, _)| *known == name) {
                values.push((name, default.to_owned()));
            }
        }
        text = format!("{{{}", definitions.1);
    }
    values.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    for (name, value) in values {
        text = text.replace(&name, &value);
    }
    while let Some((before, fragment)) = text.rsplit_once(" fragment ") {
        let name = fragment.split(' ').next().unwrap_or_default();
        let selection = fragment.trim_start_matches(name).trim_start_matches(" on");
        text = before.replacen(&format!("...{name}"), &format!("... on{selection}"), 1);
    }
    text
}

/// The selections up to the end of the one that they are in, and the rest.
fn parse(mut text: &str) -> Option<(Vec<Node>, &str)> {
    let mut nodes: Vec<Node> = Vec::new();
    loop {
        text = text.trim_start();
        if let Some(rest) = text.strip_prefix('}') {
            return Some((nodes, rest));
        }
        if let Some(rest) = text.strip_prefix('{') {
            let (inner, rest) = parse(rest)?;
            nodes.last_mut()?.inner = inner;
            text = rest;
            continue;
        }
        let (mut depth, mut quoted, mut previous) = (0, false, ' ');
        let end = text.find(|letter: char| {
            let ends = depth == 0 && !quoted && matches!(letter, ' ' | '}');
            match letter {
                '"' if previous != '\\' => quoted = !quoted,
                '(' if !quoted => depth += 1,
                ')' if !quoted => depth -= 1,
                _ => {}
            }
            previous = if previous == '\\' { ' ' } else { letter };
            ends
        })?;
        let (word, rest) = text.split_at(end);
        match nodes.last_mut() {
            Some(last)
                if word.starts_with('@')
                    || last.head.ends_with(':')
                    || last.head.ends_with("...")
                    || last.head.ends_with(" on") =>
            {
                last.head += &format!(" {word}");
            }
            _ => nodes.push(Node { head: word.to_owned(), inner: Vec::new() }),
        }
        text = rest;
    }
}

fn print(nodes: &[Node]) -> String {
    let one = |node: &Node| match node.inner[..] {
        [] => node.head.clone(),
        _ => format!("{} {{ {} }}", node.head, print(&node.inner)),
    };
    nodes.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Calls for each way to have less in these selections.
fn without(nodes: &[Node], found: &mut dyn FnMut(&[Node])) {
    for (place, node) in nodes.iter().enumerate() {
        let with = |nodes: &[Node], part: &[Node]| [&nodes[..place], part, &nodes[place + 1..]].concat();
        if nodes.len() > 1 {
            found(&with(nodes, &[]));
        }
        if node.head.starts_with("... on") {
            found(&with(nodes, &node.inner));
        }
        for head in shorter(&node.head) {
            found(&with(nodes, &[Node { head, inner: node.inner.clone() }]));
        }
        without(&node.inner, &mut |inner| {
            found(&with(nodes, &[Node { head: node.head.clone(), inner: inner.to_vec() }]));
        });
    }
}

/// A field without a directive, or without an argument.
fn shorter(head: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Some((field, _)) = head.rsplit_once(" @") {
        found.push(field.to_owned());
    }
    let Some((name, arguments)) = head.split_once('(').filter(|_| !head.contains('@')) else { return found };
    let arguments = arguments.trim_end_matches(')');
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for letter in arguments.chars() {
        depth += i32::from(matches!(letter, '{' | '[')) - i32::from(matches!(letter, '}' | ']'));
        if depth == 0 && letter == ',' {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(letter);
        }
    }
    for place in 0..parts.len() {
        let rest: Vec<&str> =
            parts.iter().enumerate().filter(|(at, _)| *at != place).map(|(_, part)| part.trim()).collect();
        found.push(if rest.is_empty() { name.to_owned() } else { format!("{name}({})", rest.join(", ")) });
    }
    found
}
