//! The least sum of costs: a choice for each variable, where choices cost something alone and by twos, and where those
//! alive at one time fit in a memory.
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
//! tree        decisions between a choice and the others close a gap
//! solve       these in order; guesses just above the bound, and larger regions
//! rows        usages of memories: a sum for each time that matters, and the room that is left of the limit
//! price       units of room have prices: the bound counts what the limits cost
//! limited     the course where limits bind: prices, then regions, and bounds of parts
//! ```

mod bound;
mod control;
mod eliminate;
mod excerpt;
mod improve;
mod iopddl;
mod limited;
mod memory;
mod network;
mod order;
mod price;
mod problem;
mod reduce;
mod rows;
mod solve;
mod tree;

pub use control::{Limits, Progress};
pub use memory::{Memory, Use};
pub use problem::{Edge, FORBIDDEN, Problem};
pub use solve::{Outcome, Solution};
