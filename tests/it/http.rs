//! The pages of the shop.

mod shelf;
mod tabs;
