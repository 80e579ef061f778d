//! `tensor-layout` tells you where every element of a tensor lives: on which units of a machine, and
//! at which address.
//!
//! A layout is read from the text of a deep-learning compiler, lowered into one algebra of axes,
//! and asked: the place of an index, the index at a place, whole address tables, padding, holes,
//! copies. Every answer is exact, or a refusal with its reason.
//!
//! ```
//! use tensor_layout::{Found, Layout, Machine, Placement};
//!
//! let layout: Layout = "((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))".parse()?;
//! let placement = Placement::of(layout).on(&Machine::mn_core()).build()?;
//! let place = placement.locate(&[100, 37])?;
//! assert_eq!(place.to_string(), "L2B=1,L1B=4,MAB=1,PE=1,Addr=33");
//! assert_eq!(placement.element(&place)?, Found::Element(vec![100, 37]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! * A [`PadLayout`](notation::PadLayout) is a text as it was written, with spans and round trip; it means a [`Layout`].
//! * A [`Layout`] is a value: each tensor axis is split into subaxes, major to minor; each
//!   [`Subaxis`](algebra::Subaxis) lands in a [`Level`] with a stride, or feeds a derived axis. Values beyond the
//!   extent of an axis are padding. A [`Replica`](algebra::Replica) is a subaxis without a source: copies.
//! * A [`Level`] is the name of a coordinate: units of hardware (`L2B`, `L1B`, `MAB`, `PE`, any
//!   other name), the address `Addr` in 64-bit long words, the lane `W` in a long word, the step
//!   `Time`. A [`Location`] has one coordinate per level.
//! * A [`Machine`] is a tree of levels with sizes and memories.
//! * A [`Placement`] is a layout on a machine: checked against it, absent levels replicated. It
//!   answers [`locate`](Placement::locate), [`element`](Placement::element),
//!   [`table`](Placement::table), [`unit`](Placement::unit) and [`report`](Placement::report); compiled
//!   into a [`Program`](program::Program) it fills whole tables and moves data at memory speed.
//! * Text of any notation is a [`LayoutText`]; [`XlaShape`](xla::XlaShape), [`CuteLayout`](notation::CuteLayout) and [`Strided`](notation::Strided) lower to the
//!   same [`Layout`]. Two layouts are compared ([`Layout::same_map`]), composed
//!   ([`Layout::compose`]) and edited ([`Layout::reshape`] and others).
//! * A [`Sharding`](sharding::Sharding) spreads a tensor over devices; with the layout of its shards it is one layout.
//! * A [`Relayout`](relayout::Relayout) pairs two placements of a tensor: exact [`Traffic`](relayout::Traffic) per level, and the moves;
//!   [`Candidates`](candidates::Candidates) are layouts to choose from.
//! * [`ParseError`] refuses a text and draws the caret; [`LayoutError`] refuses a meaning.
//!
//! The [`guide`] has a tutorial, the notation, the algebra with its laws, and the design.
//!
//! # Packages beside this one
//!
//! `tensor-layout-cli` is the `tensor-layout` command, `tensor-layout-hlo` reads compiler dumps and finds the layouts in any
//! text, `tensor-layout-picture` draws, and `tensor-layout-vectors` reads and writes the test vectors of MN-Core 2. Each uses
//! this library as any other user does.
//!
//! # Features
//!
//! None is on by default.
//!
//! | feature | what it adds |
//! |---|---|
//! | `serde` | `Serialize` and `Deserialize` of layouts, as text where they have one, and of what a plan keeps: levels, places, sums, costs, traffic, transfers |
//! | `simd` | the vectors of the processor: tables for AVX2 where it is there, transposed tensors packed by shuffles |
//! | `rayon` | tables filled by all cores: `Program::par_fill_packed` and others |
//! | `arrow`, `parquet` | `Table::write_arrow`, `Table::write_parquet` |
//! | `toml` | `Machine::from_toml`: machines from TOML files |
//!
//! # Scope
//!
//! Dense tensors, layouts known at run time, extents and addresses up to 64 bits, swizzles included.

#![forbid(unsafe_code)]
// `println!` and `eprintln!` panic where the output is closed or the disk is full.
#![warn(clippy::print_stderr, clippy::print_stdout)]

pub mod access;
pub mod algebra;
#[cfg(test)]
mod budget;
pub mod candidates;
pub mod einsum;
pub mod error;
pub mod image;
#[doc(hidden)]
pub mod internals;
mod level;
mod location;
mod lower;
pub mod machine;
pub mod notation;
mod number;
pub mod placement;
pub mod program;
pub mod relayout;
pub mod report;
pub mod route;
pub mod rows;
pub mod sharding;
mod words;
pub mod xla;

// Text alone: programs do not carry it.
#[cfg(doc)]
pub mod guide;

pub use algebra::Layout;
pub use error::{LayoutError, ParseError};
pub use level::Level;
pub use location::{Found, Location};
pub use lower::LayoutText;
pub use machine::Machine;
pub use placement::Placement;
