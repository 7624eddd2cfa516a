//! The arguments of root fields, and those of lists besides those of a page.
//!
//! A list that is ordered and filtered by clients has the arguments `(OrderBy<CitySortField>, Matching<CityFilter>)`.
//! [`sort::by_columns`](crate::sort::by_columns) and [`filter::matching`](crate::filter::matching) apply them.

use keyset::Kind;

use crate::Result;
use crate::arguments::Arguments;
use crate::filter::{Filter, Matching};
use crate::input::InputFields;
use crate::sort::{OrderBy, Sort, SortField};

/// The arguments of a field: one of those below, a tuple of two to four, or a type of your own.
pub trait FieldArgs: Sized + Send + Sync {
    /// Describes them.
    fn describe(arguments: &mut InputFields<'_>);

    /// Reads them.
    ///
    /// # Errors
    ///
    /// As [`Arguments::get`].
    fn read(arguments: &Arguments<'_>) -> Result<Self>;
}

/// No arguments, or no more than those of a page.
impl FieldArgs for () {
    fn describe(_: &mut InputFields<'_>) {}

    fn read(_: &Arguments<'_>) -> Result<Self> {
        Ok(())
    }
}

impl<F: SortField> FieldArgs for OrderBy<F> {
    /// # Panics
    ///
    /// Panics if a field of the order has a type that rows cannot be ordered by.
    fn describe(arguments: &mut InputFields<'_>) {
        for item in F::items() {
            let sort = item.value.sort();
            let name = sort.name();
            assert!(
                sort.kind() != Kind::Unsupported,
                "rows cannot be ordered by `{name}`: leave {} out of {}",
                item.name,
                F::type_name()
            );
        }
        let description =
            "Sorts the list by these criteria. A cursor is valid only in the sort order that it was created for.";
        arguments.field::<Option<Vec<Sort<F>>>>("orderBy", description);
    }

    fn read(arguments: &Arguments<'_>) -> Result<Self> {
        arguments.get("orderBy").map(Self)
    }
}

impl<F: Filter> FieldArgs for Matching<F> {
    fn describe(arguments: &mut InputFields<'_>) {
        arguments.field::<Option<Box<F>>>("where", "Returns only objects that match this filter.");
    }

    fn read(arguments: &Arguments<'_>) -> Result<Self> {
        arguments.get("where").map(Self)
    }
}

macro_rules! tuple {
    ($($args:ident),+) => {
        impl<$($args: FieldArgs),+> FieldArgs for ($($args,)+) {
            fn describe(arguments: &mut InputFields<'_>) {
                $($args::describe(arguments);)+
            }

            fn read(arguments: &Arguments<'_>) -> Result<Self> {
                Ok(($($args::read(arguments)?,)+))
            }
        }
    };
}

tuple!(A, B);
tuple!(A, B, C);
tuple!(A, B, C, D);
