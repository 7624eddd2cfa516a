//! What can be said of all that follows from the table of an object, and what followed.

use super::field::{Field, FieldKind};
use super::object::ObjectType;

impl ObjectType {
    /// Gives the first number from 2 on to each name that is taken: of fields that follow from foreign keys, of fields of the query, and
    /// of what ids begin with. Otherwise a field of an entity whose name is taken is left out.
    pub fn numbered(&mut self) -> &mut Self {
        self.is_numbered = true;
        self
    }

    /// Offers sorts of its lists by these fields of its columns alone.
    ///
    /// ```
    /// # use sea_orm::tests_cfg::cake;
    /// let mut tables = bookends_graphql::Declaring::new("Query");
    /// tables.entity::<cake::Entity>().sorted_by(&["name"]);
    /// # tables.check().unwrap();
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if a field is none of a column.
    pub fn sorted_by(&mut self, fields: &[&str]) -> &mut Self {
        for name in fields {
            let is_column = self.field(name).is_some_and(|field| field.own_column().is_some());
            assert!(is_column, "`{}.{name}` is no field of a column", self.name);
        }
        let columns = self.fields.iter_mut().filter(|field| matches!(field.kind, FieldKind::Column(_)));
        columns.for_each(|field| field.sorts &= fields.contains(&field.name.as_str()));
        self
    }

    /// Says that no two rows have the same values in these columns together: an object that they refer to then has one object of this
    /// kind, and no list. An order by them needs no key after them, unless one can be NULL. Of one column, and of the primary key, the
    /// entity says it.
    pub fn unique(&mut self, columns: &[&str]) -> &mut Self {
        self.table.unique(columns);
        for key in &mut self.foreign_keys {
            let of_key = key.columns.iter().all(|column| columns.contains(&column.name()));
            key.is_unique |= of_key && key.columns.len() == columns.len();
        }
        self
    }

    /// What was said of it.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Its fields, in the order of the schema.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Which of its names were taken: a sentence for each.
    pub fn renamed(&self) -> &[String] {
        &self.renamed
    }
}

impl Field {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What was said of it.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Whether the schema leaves it out.
    pub fn is_hidden(&self) -> bool {
        self.is_hidden
    }

    /// Whether lists are sorted by it, or by fields of the object that it refers to.
    pub fn is_sorted(&self) -> bool {
        self.sorts || !self.related_sorts.is_empty()
    }

    /// Whether lists are filtered by it.
    pub fn is_filtered(&self) -> bool {
        self.filters
    }

    /// The name of the column that it is.
    pub fn column_name(&self) -> Option<&str> {
        self.own_column().map(keyset::Column::name)
    }
}

#[cfg(test)]
mod tests {
    use keyset::{Column, Table};
    use sea_orm::tests_cfg::{cake, fruit};

    use super::super::foreign_key::ForeignKey;
    use crate::{Declaring, Field, ObjectType};

    fn fruits(change: impl FnOnce(&mut ObjectType)) -> Vec<String> {
        let mut tables = Declaring::new("Query");
        tables.entity_named::<cake::Entity>("Pastry");
        let columns: Vec<Column> = [fruit::Column::Name, fruit::Column::CakeId].map(Column::from).into();
        let to = vec!["name".to_owned(), "id".to_owned()];
        let key = ForeignKey { columns, table: "cake".into(), to, is_unique: false };
        change(tables.table(ObjectType::from_table("Fruit", Table::of::<fruit::Entity>(), vec![key])));
        let declaration = tables.check().unwrap();
        declaration.object_named("Pastry").unwrap().field_names().map(str::to_owned).collect()
    }

    #[test]
    fn columns_that_are_unique_together_refer_back_as_one_object() {
        let unique = |columns: &'static [&'static str]| fruits(|fruit| _ = fruit.unique(columns));
        assert_eq!(unique(&["name"]), ["id", "rowId", "name", "fruits"]);
        assert_eq!(unique(&["cake_id", "name"]), ["id", "rowId", "name", "fruit"]);
    }

    #[test]
    fn only_some_fields_are_sorted_by() {
        let mut object = ObjectType::from_entity::<fruit::Entity>();
        object.sorted_by(&["name"]);
        let sorted: Vec<&str> = object.fields().iter().filter(|field| field.is_sorted()).map(Field::name).collect();
        assert_eq!(sorted, ["name"]);
    }
}
