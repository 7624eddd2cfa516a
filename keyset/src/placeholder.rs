//! Values of a statement that are known when it is read.

use sea_orm::{DbErr, Statement, Value};

use crate::mark;

/// What tells it from the marks of a page.
const KIND: char = 'l';

/// Stands for a value in a query, such as one that depends on who asks. So queries that differ in this value alone are equal, and share
/// a [text](crate::StatementCache). A statement with placeholders cannot be read before [`Self::bind`] replaced them.
///
/// ```
/// # use keyset::Placeholder;
/// # use sea_orm::{ColumnTrait, DbBackend, EntityTrait, QueryFilter, QueryTrait, tests_cfg::cake};
/// let named = cake::Entity::find().filter(cake::Column::Name.eq(Placeholder(3).value()));
/// let mut statement = named.build(DbBackend::Sqlite);
/// Placeholder::bind(&mut statement, |number| (number == 3).then(|| "Sponge".into())).unwrap();
/// assert!(statement.to_string().ends_with("= 'Sponge'"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placeholder(pub usize);

impl Placeholder {
    /// The placeholder, in place of a value.
    pub fn value(self) -> Value {
        mark::write(KIND, self.0)
    }

    /// Replaces all placeholders of a statement by the values for their numbers.
    ///
    /// # Errors
    ///
    /// [`DbErr::Query`] if a number has no value: such a statement must not be read.
    pub fn bind(statement: &mut Statement, mut value: impl FnMut(usize) -> Option<Value>) -> Result<(), DbErr> {
        for parameter in statement.values.iter_mut().flat_map(|values| &mut values.0) {
            if let Some((KIND, number)) = mark::read(parameter) {
                let missing =
                    || DbErr::Query(sea_orm::RuntimeErr::Internal(format!("no value for placeholder {number}")));
                *parameter = value(number).ok_or_else(missing)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::DbBackend;

    use super::*;

    #[test]
    fn a_statement_without_all_of_its_values_is_refused() {
        let values = [Placeholder(0).value(), 7.into(), Placeholder(1).value(), Placeholder(0).value()];
        let statement = Statement::from_sql_and_values(DbBackend::Sqlite, "SELECT ?, ?, ?, ?", values);
        let mut bound = statement.clone();
        Placeholder::bind(&mut bound, |number| Some(Value::from([5, 6][number]))).unwrap();
        assert_eq!(bound.values.unwrap().0, [5, 7, 6, 5].map(Value::from));
        Placeholder::bind(&mut statement.clone(), |number| (number == 0).then(|| 5.into())).unwrap_err();
    }
}
