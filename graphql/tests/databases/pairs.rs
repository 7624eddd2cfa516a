//! Many-to-many lists, compared with SQL.

use std::collections::BTreeMap;

use bookends_graphql::{Criterion, Pairs, SortDirection};
use keyset::Column;
use serde_json::Value as Json;

use crate::served::{Served, as_text, check, sql_order};

/// The objects whose lists are walked in every order.
const WALKED: usize = 3;

impl Served {
    /// Reads each many-to-many list: every edge of every object, and the lists of some objects in every order, both ways. Returns
    /// the number of lists.
    pub async fn compare_pairs(&self) -> usize {
        let pairs = self.declaration.pairs();
        for pairs in &pairs {
            self.compare_edges(pairs).await;
            let of = self.expected(pairs.of, "1 = 1", "1").await;
            for id in of.iter().take(WALKED) {
                for item in pairs.junction.sort_items() {
                    for criterion in [Criterion::asc(&item), Criterion::desc(&item)] {
                        self.walk_pairs(pairs, id, &criterion).await;
                    }
                }
            }
        }
        pairs.len()
    }

    /// The columns of the junction that are on the edges, with their fields.
    fn on_edges<'a>(pairs: &Pairs<'a>) -> Vec<(&'a Column, String)> {
        let junction = pairs.junction;
        let is_end = |column: &&Column| pairs.columns.contains(column) || pairs.node_columns.contains(column);
        let own = junction.table().columns().iter().filter(|column| !is_end(column));
        own.map(|column| (column, junction.field_of(column.name()).unwrap())).collect()
    }

    async fn compare_edges(&self, pairs: &Pairs<'_>) {
        let own = Self::on_edges(pairs);
        let columns = pairs.columns.iter().chain(pairs.node_columns).chain(own.iter().map(|(column, _)| *column));
        let texts: Vec<String> = columns.map(as_text).collect();
        let sql = format!("SELECT {} FROM {}", texts.join(", "), pairs.junction.table().name());
        let mut expected = BTreeMap::new();
        for row in self.rows(&sql, texts.len()).await {
            let (of, rest) = row.split_at(pairs.columns.len());
            let (node, own) = rest.split_at(pairs.node_columns.len());
            expected.insert((self.id(pairs.of, of), self.id(pairs.node, node)), own.to_vec());
        }
        let fields: Vec<&str> = own.iter().map(|(_, field)| field.as_str()).collect();
        let list = format!("{}(first: 100)", pairs.field);
        let selected = format!(
            "id {list} {{ totalCount nodes {{ id }} edges {{ {} node {{ id }} }} pageInfo {{ hasNextPage }} }}",
            fields.join(" ")
        );
        let mut found = 0;
        for object in self.pages(&self.list(pairs.of), &selected, usize::MAX).await {
            let (list, id) = (&object[&pairs.field], object["id"].as_str().unwrap());
            let edges = list["edges"].as_array().unwrap();
            let total = usize::try_from(list["totalCount"].as_u64().unwrap()).unwrap();
            assert_eq!((edges.len(), &list["pageInfo"]["hasNextPage"]), (total.min(100), &Json::from(total > 100)));
            for (edge, node) in edges.iter().zip(list["nodes"].as_array().unwrap()) {
                assert_eq!(edge["node"], *node);
                let texts = &expected[&(id.to_owned(), node["id"].as_str().unwrap().to_owned())];
                for ((column, field), text) in own.iter().zip(texts) {
                    check(column, &edge[field], text.as_deref());
                }
            }
            found += total;
        }
        assert_eq!(found, expected.len(), "{}.{}", pairs.of.name(), pairs.field);
    }

    /// Walks the list of an object by a criterion.
    async fn walk_pairs(&self, pairs: &Pairs<'_>, id: &str, criterion: &Criterion) {
        let (junction, node) = (pairs.junction, pairs.node);
        let order = match junction.order(std::slice::from_ref(criterion)) {
            // No index of the junction holds it.
            Err(_) if self.is_discovered => return,
            order => order.unwrap().to_string(),
        };
        let direction = if criterion.direction == SortDirection::Asc { "ASC" } else { "DESC" };
        let keys = pairs.node_columns.iter().map(|column| format!("{column:?} {direction}"));
        let order = std::iter::once(order.split(", ").next().unwrap().to_owned()).chain(keys);
        let order = sql_order(&order.collect::<Vec<_>>().join(", "));
        let of: Vec<Column> = pairs.columns.to_vec();
        let texts: Vec<String> = of.iter().chain(pairs.node_columns).map(as_text).collect();
        let sql = format!("SELECT {} FROM {} ORDER BY {order}", texts.join(", "), self.from(junction, &order));
        let rows = self.rows(&sql, texts.len()).await.into_iter();
        let mut expected: Vec<String> = rows
            .filter(|row| self.id(pairs.of, &row[..of.len()]) == id)
            .map(|row| self.id(node, &row[of.len()..]))
            .collect();
        let arguments = format!("orderBy: [{}]", criterion.to_value());
        for forward in [true, false] {
            assert_eq!(self.walk_of(pairs, id, &arguments, forward).await, expected, "{} {order}", pairs.field);
            expected.reverse();
        }
    }

    async fn walk_of(&self, pairs: &Pairs<'_>, id: &str, arguments: &str, forward: bool) -> Vec<String> {
        let (mut cursor, mut ids) = (String::new(), Vec::new());
        loop {
            let page = if forward { "first: 97, after" } else { "last: 97, before" };
            let list = format!("list: {}({page}: {cursor:?}, {arguments})", pairs.field);
            let selected = "edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage }";
            let query =
                format!("{{ node(id: {id:?}) {{ ... on {} {{ {list} {{ {selected} }} }} }} }}", pairs.of.name());
            let list = &self.data(&query).await["node"]["list"];
            let mut edges = list["edges"].as_array().unwrap().clone();
            if !forward {
                edges.reverse();
            }
            ids.extend(edges.iter().map(|edge| edge["node"]["id"].as_str().unwrap().to_owned()));
            if list["pageInfo"][if forward { "hasNextPage" } else { "hasPreviousPage" }] == false {
                return ids;
            }
            edges.last().unwrap()["cursor"].as_str().unwrap().clone_into(&mut cursor);
        }
    }
}
