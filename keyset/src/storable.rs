//! Whether a database can store the keys of a page.

use sea_orm::DbBackend;

use crate::dialect::Dialect;
use crate::{CursorError, Key, Page, PageError};

impl Page {
    /// The same page on this database. [`fetch`](crate::fetch) checks the same, and fails with an error of the database.
    ///
    /// ```
    /// # use sea_orm::{DbBackend, tests_cfg::cake};
    /// use keyset::{Key, Kind, Order, Page, Sort};
    /// use sea_orm::sea_query::Expr;
    ///
    /// let order = Order::of::<cake::Entity>([Sort::expression("weight", Expr::cust("1.5"), Kind::Double)])?;
    /// let page = Page::first(&order, 20).after(Key::new(&order, vec![f64::NAN.into(), 7.into()])?)?;
    /// let refused = page.on(DbBackend::Sqlite).unwrap_err();
    /// assert_eq!(refused.to_string(), "`after`: the database cannot store the cursor's value 0");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CursorError::NotStored`] for a key with a value that the database cannot store. No row has such a key.
    pub fn on(self, backend: DbBackend) -> Result<Self, PageError> {
        if let Ok(dialect) = Dialect::of_backend(backend) {
            self.check(dialect)?;
        }
        Ok(self)
    }

    pub(crate) fn check(&self, dialect: Dialect) -> Result<(), PageError> {
        for (argument, key) in [("after", &self.after), ("before", &self.before)] {
            let values = key.iter().flat_map(Key::values);
            if let Some((position, _)) = values.enumerate().find(|(_, value)| !dialect.stores(value)) {
                return Err(PageError::Cursor { argument, error: CursorError::NotStored(position) });
            }
        }
        Ok(())
    }
}
