//! Bookends, a GraphQL server that pages through tables of any size at a constant cost.
