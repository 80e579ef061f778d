//! Matrix instructions: which lane holds an element of an operand, and in which register.
//!
//! ```text
//! C of SM80_16x8x16   ((4,8),(2,2)):((32,1),(16,8))     thread, value -> place in 16 x 8, column by column
//! its left inverse    place -> thread, value
//! split at row 16     ((2_V:2, 8_T:4), (4_T:1, 2_V:1))  the layout: element -> thread, value
//! ```

mod copies;
mod families;
mod lower;
mod printed;
mod sparse;
mod table;
mod tree;

pub use tree::Atom;
