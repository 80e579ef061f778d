//! The least sum of costs: a choice for each variable, where choices cost something alone and by twos.
//!
//! ```text
//!            own 0 3           own 2 0 5
//!          a [x x]  ---------  b [x x x]        an edge has a cost for each two choices
//!             \      0 7 1       /
//!              \     7 0 1      /
//!               \              /
//!                c [x x x x] -          a, b, c: least cost, with its choices
//!
//! reduce      choices that another one beats leave; so do variables with one choice or few neighbours
//! eliminate   a variable becomes a table of its neighbours: exact, while the tables are small
//! bound       costs move along edges to a constant, which no solution is below
//! improve     a region is solved exactly, the others keep their choices
//! solve       all of these in order; decisions close the gap between bound and solution
//! ```

mod bound;
mod eliminate;
mod improve;
mod network;
mod order;
mod problem;
mod reduce;
mod solve;

pub use problem::{Edge, FORBIDDEN, Problem, ProblemError};
pub use solve::{Limits, Solution};
