//! The responses, written row by row.

use crate::page::{Key, Page};
use crate::schema::{EACH, Schema};

/// Writes a page of children with their parents.
pub struct Children {
    page: Page,
    size: usize,
    json: Vec<u8>,
    rows: usize,
    ends: Option<[(Option<i32>, Key); 2]>,
    previous: bool,
}

impl Children {
    pub fn new(page: Page, size: usize) -> Self {
        let mut json = Vec::with_capacity(256 + 180 * size);
        begin(page.schema.children.list, b"edges", &mut json);
        Self { page, size, json, rows: 0, ends: None, previous: false }
    }

    /// There is a row before the page.
    pub fn witness(&mut self) {
        self.previous = true;
    }

    /// The next row from the cursor on; one more than the page has says that there is a next page.
    pub fn row(&mut self, id: Key, number: Option<i32>, parent: &str) {
        self.rows += 1;
        if self.rows > self.size {
            return;
        }
        let Schema { children, number: field, parent: one, .. } = self.page.schema;
        let json = &mut self.json;
        if self.rows > 1 {
            json.push(b',');
        }
        self.ends = Some([self.ends.map_or((number, id), |[first, _]| first), (number, id)]);
        json.extend_from_slice(b"{\"cursor\":");
        self.page.cursor(number, id, json);
        json.extend_from_slice(b",\"node\":{\"id\":");
        children.id(id, json);
        member(field, json);
        value(&number, json);
        member(one, json);
        json.extend_from_slice(b"{\"name\":");
        value(&parent, json);
        json.extend_from_slice(b"}}}");
    }

    pub fn finish(mut self) -> Vec<u8> {
        page_info(&self.page, self.previous, self.rows > self.size, self.ends, &mut self.json);
        self.json
    }
}

/// Writes a page of parents with their first children.
pub struct Parents {
    page: Page,
    size: usize,
    json: Vec<u8>,
    parents: usize,
    children: usize,
    ends: Option<[Key; 2]>,
    previous: bool,
}

impl Parents {
    pub fn new(page: Page, size: usize) -> Self {
        let mut json = Vec::with_capacity(256 + 512 * size);
        begin(page.schema.parents.list, b"nodes", &mut json);
        Self { page, size, json, parents: 0, children: 0, ends: None, previous: false }
    }

    /// There is a parent before the page.
    pub fn witness(&mut self) {
        self.previous = true;
    }

    /// Whether the next parent is on the page.
    pub fn wants(&self) -> bool {
        self.parents < self.size
    }

    /// The next parent. Its children follow.
    pub fn parent(&mut self, id: Key, name: &str) {
        self.end_parent();
        self.parents += 1;
        if self.parents > self.size {
            return;
        }
        let Schema { parents, children, .. } = self.page.schema;
        let json = &mut self.json;
        if self.parents > 1 {
            json.push(b',');
        }
        self.ends = Some([self.ends.map_or(id, |[first, _]| first), id]);
        json.extend_from_slice(b"{\"id\":");
        parents.id(id, json);
        json.extend_from_slice(b",\"name\":");
        value(&name, json);
        member(children.list, json);
        json.extend_from_slice(b"{\"nodes\":[");
    }

    /// The next child of the last parent; one more than are shown says that there is a next page.
    pub fn child(&mut self, id: Key, number: Option<i32>) {
        if self.parents > self.size {
            return;
        }
        self.children += 1;
        if self.children > EACH {
            return;
        }
        let Schema { children, number: field, .. } = self.page.schema;
        let json = &mut self.json;
        if self.children > 1 {
            json.push(b',');
        }
        json.extend_from_slice(b"{\"id\":");
        children.id(id, json);
        member(field, json);
        value(&number, json);
        json.push(b'}');
    }

    /// Whether this was the last parent.
    pub fn is_last(&self, id: Key) -> bool {
        self.ends.is_some_and(|[_, last]| last == id)
    }

    fn end_parent(&mut self) {
        if self.parents == 0 || self.parents > self.size {
            return;
        }
        self.json.extend_from_slice(b"],\"pageInfo\":{\"hasPreviousPage\":false,\"hasNextPage\":");
        flag(self.children > EACH, &mut self.json);
        self.json.extend_from_slice(b"}}}");
        self.children = 0;
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.end_parent();
        let ends = self.ends.map(|ends| ends.map(|id| (None, id)));
        page_info(&self.page, self.previous, self.parents > self.size, ends, &mut self.json);
        self.json
    }
}

fn begin(list: &str, rows: &[u8], json: &mut Vec<u8>) {
    json.extend_from_slice(b"{\"data\":{\"");
    json.extend_from_slice(list.as_bytes());
    json.extend_from_slice(b"\":{\"");
    json.extend_from_slice(rows);
    json.extend_from_slice(b"\":[");
}

/// Ends the rows, and writes what the page lies between.
fn page_info(page: &Page, previous: bool, next: bool, ends: Option<[(Option<i32>, Key); 2]>, json: &mut Vec<u8>) {
    json.extend_from_slice(b"],\"pageInfo\":{\"hasPreviousPage\":");
    flag(previous, json);
    member("hasNextPage", json);
    flag(next, json);
    for (place, name) in ["startCursor", "endCursor"].into_iter().enumerate() {
        member(name, json);
        match ends {
            Some(ends) => page.cursor(ends[place].0, ends[place].1, json),
            None => json.extend_from_slice(b"null"),
        }
    }
    json.extend_from_slice(b"}}}}");
}

pub(crate) fn member(name: &str, json: &mut Vec<u8>) {
    json.extend_from_slice(b",\"");
    json.extend_from_slice(name.as_bytes());
    json.extend_from_slice(b"\":");
}

fn flag(flag: bool, json: &mut Vec<u8>) {
    json.extend_from_slice(if flag { b"true" } else { b"false" });
}

pub(crate) fn value(value: &impl serde::Serialize, json: &mut Vec<u8>) {
    serde_json::to_writer(json, value).expect("a value is written to memory");
}
