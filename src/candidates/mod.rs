//! The layouts that a planner may choose from.
//!
//! ```text
//! shape [6, 8] on L2B=3,PE=2       one of its candidates
//!
//! L2B, 3 units -> axis 0, major    ((3_L2B, 2:4), (4:1, 2_PE))
//! PE, 2 units  -> axis 1, minor           |        |
//! axis 0 outside axis 1 in Addr        2 words   4 words, innermost
//! ```
//!
//! Each level splits axes, holds copies or is left out; then the axes that still have words nest in the
//! address. The walk makes one choice at a time and immediately abandons a choice that cannot lead to a
//! candidate.
//!
//! # The space
//!
//! 1. *Units.* The levels are those of the machine, down to the owner of the memory if one is
//!    chosen, and `W` if an element is narrower than a long word. Where `g` units of the owner share
//!    the memory, every `g`-th of them counts. Levels of a single unit are ignored.
//! 2. *Pieces.* The `n` units of a level are cut into at most [`level_parts`](Candidates::level_parts)
//!    pieces, with sizes of at least 2 whose product is `n`; the first is the outermost. Each piece splits
//!    one axis of extent 2 or more, or holds copies. Two pieces of copies are never neighbours: they would be
//!    one piece. In a memory above the leaves, where an absent level is unit 0, a level splits axes with all
//!    its pieces or is left out. Time slices are cut in the same way, into at most
//!    [`time_axes`](Candidates::time_axes) pieces for as many axes.
//! 3. *Axes.* The digits of an axis are, major to minor: time slices, units of the major side in any
//!    order, words, units of the minor side in any order, and, where the axis is
//!    [`contiguous`](Candidates::contiguous) in `b`, the last `b` of its words. The number of words is the
//!    smallest that covers the extent, in multiples of `b` and, on the innermost axis that has words, of the
//!    [`alignment`](Candidates::alignment).
//! 4. *Address.* Axes with more than one word nest in the address without gaps, in any order or
//!    in row-major order only; a contiguous axis is the innermost.
//! 5. *Nothing idle.* Every digit takes at least two values over the extent, and every time slice
//!    holds an element.
//! 6. *No two names for one layout.* Neighbours in an axis that would make one digit are not cut; an
//!    axis of one word has all its units on the major side, if that side is allowed.
//! 7. *Options.* Levels, sides, orders, padding and footprints that the options exclude are left out.
//!
//! Every layout of this space occurs exactly once, and no two of them put every element in the same places
//! (`tests/candidates.rs` compares with brute force).

mod candidate;
mod options;
mod orders;
mod range;
mod samples;
mod space;
mod state;
mod walk;

pub use candidate::{Candidate, pareto};
pub use options::{Candidates, Orders, Side};
pub use walk::Layouts;
