//! Types of Rust that stand for declared objects, where hand-written code names them: payloads, events and resolvers.

use keyset::Modelled;
use sea_orm::EntityTrait;

/// A type that stands for a declared object. Its values do not matter. Implement it for the entity, or, if that is in another
/// crate, for an empty enum.
///
/// ```
/// # use sea_orm::tests_cfg::cake;
/// enum Cake {}
///
/// impl bookends_graphql::RowObject for Cake {
///     type Entity = cake::Entity;
///     const NAME: &str = "Cake";
/// }
/// ```
pub trait RowObject: Sized + Send + Sync + 'static {
    /// The table.
    type Entity: Modelled;

    /// The name of the type in the schema.
    const NAME: &'static str;
}

/// A row of an object's table.
pub type Model<T> = <<T as RowObject>::Entity as EntityTrait>::Model;
