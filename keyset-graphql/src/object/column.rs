//! Fields that are columns: their types in the schema, and their values as JSON.

use std::sync::Arc;

use async_graphql::OutputType;
use keyset::{ColumnSet, EntityRow, Kind, Modelled, StoredValue};
use sea_orm::{ColumnTrait, DbErr, IdenStatic as _, Value};
use serde::Serialize;

use super::Leaf;
use crate::plan::writer::write;
use crate::registry::ObjectFields;
use crate::{BigInt, DateTime};

/// Registers a field with this name and description.
type Register = fn(&mut ObjectFields<'_>, &'static str, &'static str);

/// How the value of a column is described, and how it is written.
///
/// # Panics
///
/// Panics for a column whose type has none in GraphQL.
pub fn field<E: Modelled>(column: E::Column) -> (Register, Leaf<E>) {
    let (number, def) = (EntityRow::<E>::number_of(column), column.def());
    let (kind, is_nullable) = (Kind::of(def.get_column_type()), def.is_null());
    let register = match kind {
        Kind::Bool => of::<bool>(is_nullable),
        Kind::SmallInt | Kind::Int => of::<i32>(is_nullable),
        Kind::BigInt => of::<BigInt>(is_nullable),
        Kind::Float | Kind::Double => of::<f64>(is_nullable),
        Kind::Text => of::<String>(is_nullable),
        Kind::DateTimeUtc => of::<DateTime>(is_nullable),
        _ => {
            let table = E::default().table_name().to_owned();
            panic!("the column `{table}.{}` has no type in GraphQL: use `Fields::computed`", column.as_str())
        }
    };
    let leaf = move |_: &_, row: &EntityRow<E>, json: &mut Vec<u8>| match row.get(number) {
        StoredValue::Null if is_nullable => {
            json.extend_from_slice(b"null");
            Ok(())
        }
        StoredValue::Text(text) if kind == Kind::Text => {
            write(&text, json);
            Ok(())
        }
        _ => write_value(&row.value(number, kind)?, json),
    };
    (register, Leaf { columns: ColumnSet::of(number), write: Arc::new(leaf) })
}

fn of<L: OutputType>(is_nullable: bool) -> Register {
    if is_nullable { register::<Option<L>> } else { register::<L> }
}

fn register<L: OutputType>(fields: &mut ObjectFields<'_>, name: &'static str, description: &'static str) {
    fields.field::<L>(name, description);
}

/// Writes a value that is not null.
fn write_value(value: &Value, json: &mut Vec<u8>) -> Result<(), DbErr> {
    fn some(value: Option<&impl Serialize>, json: &mut Vec<u8>) -> Option<()> {
        write(value?, json);
        Some(())
    }

    let written = match value {
        Value::Bool(v) => some(v.as_ref(), json),
        Value::SmallInt(v) => some(v.as_ref(), json),
        Value::Int(v) => some(v.as_ref(), json),
        Value::BigInt(v) => some(v.map(BigInt).as_ref(), json),
        Value::Float(v) => some(v.as_ref(), json),
        Value::Double(v) => some(v.as_ref(), json),
        Value::String(v) => some(v.as_ref(), json),
        Value::ChronoDateTimeUtc(v) => some(v.map(DateTime).as_ref(), json),
        _ => None,
    };
    written.ok_or_else(|| DbErr::Type(format!("expected a value, not {value:?}")))
}

#[cfg(test)]
mod tests {
    use keyset::{Columns, Models, StoredRows};
    use sea_orm::Iterable as _;
    use sea_orm::entity::prelude::*;

    use super::*;

    mod value {
        use sea_orm::entity::prelude::*;

        #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
        #[sea_orm(table_name = "value")]
        pub struct Model {
            #[sea_orm(primary_key)]
            pub id: i32,
            pub is_new: bool,
            pub small: i16,
            pub large: i64,
            pub single: f32,
            pub double: f64,
            pub name: String,
            pub at: DateTimeUtc,
            pub note: Option<String>,
            pub price: Decimal,
        }

        #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
        pub enum Relation {}

        impl ActiveModelBehavior for ActiveModel {}
    }

    use value::Column;

    const COLUMNS: [Column; 9] = [
        Column::Id,
        Column::IsNew,
        Column::Small,
        Column::Large,
        Column::Single,
        Column::Double,
        Column::Name,
        Column::At,
        Column::Note,
    ];

    fn json(row: &EntityRow<value::Entity>, column: Column) -> Result<String, DbErr> {
        let (mut json, models) = (Vec::new(), Models::default());
        (field::<value::Entity>(column).1.write)(&models, row, &mut json)?;
        Ok(String::from_utf8(json).unwrap())
    }

    #[test]
    fn a_column_is_written_as_its_model_would_be() {
        let model = value::Model {
            id: 7,
            is_new: true,
            small: -3,
            large: 9_007_199_254_740_993,
            single: 0.1,
            double: 0.1,
            name: "\"\u{e9}\n".to_owned(),
            at: DateTimeUtc::from_timestamp_millis(1_500).unwrap(),
            note: None,
            price: Decimal::ONE,
        };
        let row = Models::default().row_of(model);
        let written = COLUMNS.map(|column| json(&row, column).unwrap());
        let expected = [
            "7",
            "true",
            "-3",
            "\"9007199254740993\"",
            "0.1",
            "0.1",
            "\"\\\"\u{e9}\\n\"",
            "\"1970-01-01T00:00:01.500Z\"",
            "null",
        ];
        assert_eq!(written, expected);
    }

    /// A row in which each column has this value.
    fn row_of(value: StoredValue<'_>) -> EntityRow<value::Entity> {
        let names = Columns::new(Column::iter().map(|column| column.as_str().to_owned()));
        let mut rows = StoredRows::new(names.into());
        Column::iter().for_each(|_| rows.push(value));
        Models::default().reader().row(&rows.records()[0]).unwrap().unwrap()
    }

    #[test]
    fn a_value_of_another_type_is_an_error() {
        let row = row_of(StoredValue::Blob(&[1]));
        for column in COLUMNS {
            assert!(json(&row, column).is_err(), "{}", column.as_str());
        }
    }

    #[test]
    fn null_is_an_error_where_the_schema_has_none() {
        let row = row_of(StoredValue::Null);
        for column in COLUMNS {
            assert_eq!(json(&row, column).is_err(), column.as_str() != "note", "{}", column.as_str());
        }
    }

    #[test]
    #[should_panic(expected = "the column `value.price` has no type in GraphQL")]
    fn a_decimal_has_no_type_in_graphql() {
        field::<value::Entity>(Column::Price);
    }
}
