//! The least sum of costs: a choice for each variable, where choices cost something alone and by twos.
//!
//! ```text
//! a  own 0 3        b  own 2 0 5
//!        x x -------       x x x        the edge has a cost for each choice of a and each of b
//!          \               /
//!           \             /
//!         c  own 1 1 0 4                eliminated: for each choice of a and each of b, the best choice of c;
//!                x x x x                the two edges become costs of the edge between a and b
//!
//! reduce      choices that another one beats leave; so do variables with one choice or few neighbours
//! eliminate   a variable becomes a table of its neighbours: exact, while the tables are small
//! bound       costs move along edges to a constant, which no solution is below; choices far above it leave
//! improve     regions are solved exactly while the others keep their choices
//! solve       these in order; guesses just above the bound, larger regions and decisions close the gap
//! ```

mod bound;
mod eliminate;
mod improve;
mod network;
mod order;
mod problem;
mod reduce;
mod solve;

pub use problem::{Edge, FORBIDDEN, Problem};
pub use solve::{Limits, Solution};
