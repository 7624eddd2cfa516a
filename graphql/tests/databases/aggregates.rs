//! Aggregates of lists, compared with SQL.

use bookends_graphql::ObjectType;
use keyset::{Aggregate, Column};
use serde_json::Value as Json;

use crate::served::{Served, check};

impl Served {
    /// Compares the aggregates of each column: of all rows, of those of a filter, and of the lists of each parent. Returns their
    /// number.
    pub async fn compare_aggregates(&self) -> usize {
        let mut compared = 0;
        for object in self.declaration.object_types() {
            let list = self.list(object);
            let table = object.table().name();
            let key = object.table().key().next().unwrap();
            let field = object.field_of(key.name()).unwrap();
            let tests = self.conditions(object, key, &format!("{key:?}")).await;
            let (filter, condition) = &tests[3];
            for (arguments, from) in [
                (String::new(), table.to_owned()),
                (format!("(where: {{ {field}: {{ {filter} }} }})"), format!("{table} WHERE {condition}")),
            ] {
                let data = self.data(&format!("{{ {list}{arguments} {} }}", selected(object))).await;
                compared += self.compare(object, &data[&list]["aggregates"], &from).await;
            }
        }
        for link in self.declaration.links() {
            let (list, column) = (self.list(link.to), &link.columns[0]);
            let key = link.to.field_of(link.to.table().key().next().unwrap().name()).unwrap();
            let query = format!("{{ {list}(first: 3) {{ nodes {{ {key} {} {} }} }} }}", link.back, selected(link.from));
            for node in self.data(&query).await[&list]["nodes"].as_array().unwrap() {
                let from = format!("{} WHERE {column:?} = {}", link.from.table().name(), node[&key]);
                compared += self.compare(link.from, &node[&link.back]["aggregates"], &from).await;
            }
        }
        compared
    }

    async fn compare(&self, object: &ObjectType, shown: &Json, from: &str) -> usize {
        let wanted = wanted(object);
        let texts = wanted.iter().map(|(aggregate, column, _)| {
            let function = if *aggregate == Aggregate::Average { "avg".into() } else { name(*aggregate) };
            format!("CAST({function}({column:?}) AS text)")
        });
        let sql = format!("SELECT {} FROM {from}", texts.collect::<Vec<_>>().join(", "));
        let row = self.rows(&sql, wanted.len()).await.remove(0);
        for ((aggregate, column, field), text) in wanted.iter().zip(&row) {
            let shown = &shown[name(*aggregate)][field];
            let number = |text: &str| text.parse::<f64>().unwrap();
            match (aggregate, text) {
                (Aggregate::Sum | Aggregate::Average, Some(text)) => {
                    let shown = shown.as_str().map_or_else(|| shown.as_f64().unwrap(), number);
                    let expected = number(text);
                    assert!((shown - expected).abs() <= expected.abs() * 1e-9, "{column:?} {shown} {text}");
                }
                (_, text) => check(column, shown, text.as_deref()),
            }
        }
        wanted.len()
    }
}

fn name(aggregate: Aggregate) -> String {
    format!("{aggregate:?}").to_lowercase()
}

/// The aggregates that an object offers.
fn wanted(object: &ObjectType) -> Vec<(Aggregate, &Column, String)> {
    let columns = object.table().columns().iter();
    let each = columns.flat_map(|column| Aggregate::ALL.map(|aggregate| (aggregate, column)));
    let offered = each.filter(|(aggregate, column)| aggregate.kind(column.kind()).is_some());
    offered.map(|(aggregate, column)| (aggregate, column, object.field_of(column.name()).unwrap())).collect()
}

fn selected(object: &ObjectType) -> String {
    let wanted = wanted(object);
    let of = |aggregate: Aggregate| {
        let fields = wanted.iter().filter(|(of, ..)| *of == aggregate).map(|(.., field)| field.as_str());
        format!("{} {{ {} }}", name(aggregate), fields.collect::<Vec<_>>().join(" "))
    };
    format!("{{ aggregates {{ {} }} }}", Aggregate::ALL.map(of).join(" "))
}
