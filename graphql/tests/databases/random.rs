//! Random filters over columns and relations, with their negations, compared with SQL.

use bookends_graphql::ObjectType;

use crate::served::{Served, shown};

/// The table of the row in the SQL of a condition, until it is known.
const ROW: char = '\u{1}';

/// A filter, and the same condition in SQL.
type Both = (String, String);

/// Numbers that are the same in each run (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides).unwrap()).unwrap()
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.roll(items.len())]
    }
}

/// A relation of an object: its field, the other object, and what equals what. Of a list, the objects of it.
struct Way<'a> {
    from: &'a str,
    field: String,
    to: &'a ObjectType,
    on: Vec<(String, String)>,
    is_list: bool,
}

impl Served {
    /// Compares random filters of lists, and their negations, with SQL. Returns how many found some rows and not all of them.
    pub async fn compare_random_filters(&self, filters: usize) -> usize {
        let objects: Vec<&ObjectType> = self.declaration.object_types().collect();
        let mut known = Vec::new();
        for object in &objects {
            let mut of_object = Vec::new();
            for column in shown(object) {
                let field = object.field_of(column.name()).unwrap();
                let tests = self.conditions(object, column, &format!("{ROW}.{}", column.name())).await;
                of_object.extend(tests.into_iter().map(|(test, sql)| (format!("{field}: {{ {test} }}"), sql)));
            }
            known.push(of_object);
        }
        let random = Random { objects: &objects, known, ways: self.ways() };
        let (mut dice, mut telling) = (Dice(0x9e37_79b9_7f4a_7c15), 0);
        for _ in 0..filters {
            let object = *dice.pick(&objects);
            let (filter, sql) = random.filter(&mut dice, object, 3);
            let (list, table) = (self.list(object), object.table().name());
            let sql = sql.replace(ROW, table);
            let count = format!("SELECT CAST(COUNT(*) AS text) FROM {table}");
            let of_sql =
                async |sql: String| -> usize { self.rows(&sql, 1).await[0][0].as_ref().unwrap().parse().unwrap() };
            let (all, expected) = (of_sql(count.clone()).await, of_sql(format!("{count} WHERE {sql}")).await);
            let query = format!(
                "{{ is: {list}(where: {filter}, first: 100) {{ totalCount nodes {{ id }} }} isNot: {list}(where: {{ not: {filter} }}) {{ totalCount }} }}"
            );
            let found = self.data(&query).await;
            assert_eq!(found["is"]["totalCount"], expected, "{list} {filter}\n{sql}");
            assert_eq!(found["isNot"]["totalCount"], all - expected, "{list} not {filter}\n{sql}");
            let keys: Vec<String> = object.table().key().map(|column| format!("{column:?}")).collect();
            let ids = self.expected(object, &sql, &format!("{} LIMIT 100", keys.join(", "))).await;
            let nodes = found["is"]["nodes"].as_array().unwrap();
            let nodes: Vec<&str> = nodes.iter().map(|node| node["id"].as_str().unwrap()).collect();
            assert_eq!(nodes, ids, "{list} {filter}");
            telling += usize::from(expected > 0 && expected < all);
        }
        telling
    }

    fn ways(&self) -> Vec<Way<'_>> {
        let mut ways = Vec::new();
        for link in self.declaration.links() {
            let on: Vec<(String, String)> = link
                .columns
                .iter()
                .zip(link.to.table().key())
                .map(|(from, to)| (from.name().to_owned(), to.name().to_owned()))
                .collect();
            let back = on.iter().map(|(from, to)| (to.clone(), from.clone())).collect();
            ways.push(Way { from: link.from.name(), field: link.field.clone(), to: link.to, on, is_list: false });
            ways.push(Way { from: link.to.name(), field: link.back.clone(), to: link.from, on: back, is_list: true });
        }
        for pairs in self.declaration.pairs() {
            let on = pairs.of.table().key().zip(pairs.columns);
            let on = on.map(|(from, to)| (from.name().to_owned(), to.name().to_owned())).collect();
            ways.push(Way { from: pairs.of.name(), field: pairs.field, to: pairs.junction, on, is_list: true });
        }
        ways
    }
}

struct Random<'a> {
    objects: &'a [&'a ObjectType],
    /// The conditions on the columns of each object.
    known: Vec<Vec<Both>>,
    ways: Vec<Way<'a>>,
}

impl Random<'_> {
    fn filter(&self, dice: &mut Dice, object: &ObjectType, levels: usize) -> Both {
        let number = self.objects.iter().position(|known| known.name() == object.name()).unwrap();
        let ways: Vec<&Way<'_>> = self.ways.iter().filter(|way| way.from == object.name()).collect();
        match dice.roll(if levels == 0 { 2 } else { 7 }) {
            2 | 3 => {
                let [one, other] = [(); 2].map(|()| self.filter(dice, object, levels - 1));
                let (name, sql) = *dice.pick(&[("and", "AND"), ("or", "OR")]);
                (format!("{{ {name}: [{}, {}] }}", one.0, other.0), format!("(({}) {sql} ({}))", one.1, other.1))
            }
            4 => {
                let (filter, sql) = self.filter(dice, object, levels - 1);
                (format!("{{ not: {filter} }}"), format!("(({sql}) IS NOT TRUE)"))
            }
            5 | 6 if !ways.is_empty() => {
                let way = *dice.pick(&ways);
                self.related(dice, way, levels)
            }
            _ => {
                let (filter, sql) = dice.pick(&self.known[number]);
                (format!("{{ {filter} }}"), sql.clone())
            }
        }
    }

    fn related(&self, dice: &mut Dice, way: &Way<'_>, levels: usize) -> Both {
        let name = format!("t{levels}");
        let on = way.on.iter().map(|(from, to)| format!("{ROW}.{from} = {name}.{to}"));
        let rows = format!("FROM {} AS {name} WHERE {}", way.to.table().name(), on.collect::<Vec<_>>().join(" AND "));
        if way.is_list && dice.roll(3) == 0 {
            let (operator, sql) =
                *dice.pick(&[("eq", "="), ("ne", "<>"), ("gte", ">="), ("lt", "<"), ("gt", ">"), ("lte", "<=")]);
            let number = dice.roll(20);
            let filter = format!("{{ {}: {{ count: {{ {operator}: {number} }} }} }}", way.field);
            return (filter, format!("(SELECT COUNT(*) {rows}) {sql} {number}"));
        }
        let (filter, sql) = self.filter(dice, way.to, levels - 1);
        let sql = sql.replace(ROW, &name);
        if !way.is_list {
            return (format!("{{ {}: {filter} }}", way.field), format!("EXISTS (SELECT 1 {rows} AND ({sql}))"));
        }
        let (quantifier, sql) = match dice.roll(3) {
            0 => ("some", format!("EXISTS (SELECT 1 {rows} AND ({sql}))")),
            1 => ("none", format!("NOT EXISTS (SELECT 1 {rows} AND ({sql}))")),
            _ => ("every", format!("NOT EXISTS (SELECT 1 {rows} AND (({sql}) IS NOT TRUE))")),
        };
        (format!("{{ {}: {{ {quantifier}: {filter} }} }}", way.field), sql)
    }
}
