//! `tensor-layout` computes where every element of a tensor lives: on which units of a machine, and
//! at which address.
//!
//! It reads the texts of compilers and libraries: PadLayouts of MN-Core, XLA shapes, shardings, CuTe, Triton,
//! strides. Each becomes a [`Layout`], a value that you query and edit. Every answer is exact, or an error
//! that states its reason. The sections below go from a text to a table to the cost of changing the layout;
//! the [tutorial](guide::tutorial) builds up the notation, and the [`guide`] has the rest.
//!
//! # From a text to a place
//!
//! A 12 x 8 matrix on four processing elements (PE): `4_PE` splits the rows into four blocks, one for each
//! PE; `3:8` puts the three rows of a block 8 addresses apart.
//!
//! ```
//! use tensor_layout::{Found, Layout};
//!
//! let layout: Layout = "((4_PE, 3:8), (8:1))".parse()?;
//! assert_eq!(layout.locate(&[5, 1])?.to_string(), "PE=1,Addr=17");
//! assert_eq!(layout.element(&"PE=1,Addr=17".parse()?)?, Found::Element(vec![5, 1]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # On a machine
//!
//! A [`Machine`] is a tree of levels with memories. A [`Placement`] puts a layout on it: the layout is checked
//! against the sizes, and a level that the layout does not use holds copies.
//!
//! ```
//! use tensor_layout::{Level, Machine, Placement};
//!
//! let machine: Machine = "L2B=2,PE=4".parse()?;
//! let placement = Placement::of("((4_PE, 3:8), (8:1))".parse()?).on(&machine).build()?;
//! assert_eq!((placement.copies(), placement.replicated()), (2, vec![Level::L2B]));
//! assert_eq!(placement.locate(&[5, 1])?.to_string(), "L2B=0,PE=1,Addr=17"); // the first copy
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # From a layout to a table
//!
//! [`Placement::table`] streams the rows of one unit, a subtree or all units, sorted by place; `tensor-layout-rows`
//! writes them to files. A compiled [`Program`](program::Program) fills whole tables in the caller's memory, at memory speed.
//!
//! ```
//! use std::ops::ControlFlow;
//! use tensor_layout::Placement;
//!
//! let placement = Placement::of("((4_PE, 3:8), (2:1))".parse()?).build()?;
//! let mut rows = Vec::new();
//! let _ = placement.table().at(&"PE=2".parse()?)?.for_each(|row| {
//!     rows.push((row.place.to_vec(), row.index.map(<[u64]>::to_vec))); // PE and Addr, then i0 and i1
//!     ControlFlow::<()>::Continue(())
//! })?;
//! assert_eq!(rows[2], (vec![2, 8], Some(vec![7, 0])));
//!
//! let mut packed = vec![0_u32; 12 * 2]; // unit x addresses + address, row-major over the elements
//! placement.program()?.fill_packed(&mut packed)?;
//! assert_eq!(packed[6 * 2 + 1], 2 * 18 + 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # From one layout to another
//!
//! A [`Relayout`](relayout::Relayout) counts what has to move, level by level, for tensors of any size.
//!
//! ```
//! use tensor_layout::{Level, Machine, Placement};
//! use tensor_layout::relayout::{Distance, Relayout};
//!
//! let machine: Machine = "PE=4".parse()?;
//! let rows = Placement::of("((4_PE, 3:8), (8:1))".parse()?).on(&machine).build()?;
//! let columns = Placement::of("((12:2), (4_PE, 2:1))".parse()?).on(&machine).build()?;
//! let traffic = Relayout::new(&rows, &columns)?.traffic()?;
//! assert_eq!(traffic.count(Distance::InPlace), 4);
//! assert_eq!(traffic.count(Distance::Level(Level::PE)), 72); // three quarters change their PE
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # When there is no answer
//!
//! Nothing panics. A [`ParseError`] points into the text, and a [`LayoutError`] has a kind and the numbers; both name
//! a remedy where one is known.
//!
//! ```
//! use tensor_layout::Layout;
//!
//! let error = "((2_PE, 6:4), (2_PE, 4:1))".parse::<Layout>().unwrap_err();
//! assert_eq!(error.to_string(), "\
//! level `PE` occurs more than once, and this one lacks a stride
//!  --> 1:3
//!   | ((2_PE, 6:4), (2_PE, 4:1))
//!   |   ^^^^         ----
//!   = help: give every `PE` its stride, such as `2_PE:2` here and `2_PE:1` there");
//! ```
//!
//! # Concepts
//!
//! * A [`Layout`] splits each axis of a tensor into subaxes, major to minor. Each [`Subaxis`](algebra::Subaxis) lands
//!   in a [`Level`] with a stride, or feeds a derived axis. Values beyond the extent of an axis are padding. A
//!   [`Replica`](algebra::Replica) makes copies.
//! * A [`Level`] is the name of a coordinate: a kind of unit (`L2B`, `L1B`, `MAB`, `PE`, any other name), the
//!   address `Addr` in 64-bit long words, the lane `W` in a long word, or the step `Time`. A [`Location`] has
//!   one coordinate per level.
//! * A [`LayoutText`] is text in any of the notations. A [`PadLayout`](notation::PadLayout), an
//!   [`XlaShape`](xla::XlaShape), a [`CuteLayout`](notation::CuteLayout) and a [`Strided`](notation::Strided)
//!   keep the text as written, with spans, and lower to the same [`Layout`].
//! * Layouts are compared ([`Layout::same_map`]), composed ([`Layout::compose`]) and edited ([`Layout::reshape`] and
//!   others). A [`Sharding`](sharding::Sharding) spreads a tensor over devices; with the layout of its shards it
//!   is one layout.
//! * For planners: exact [`Traffic`](relayout::Traffic) between placements, and [`Candidates`](candidates::Candidates),
//!   the layouts to choose from.
//!
//! # Packages beside this one
//!
//! `tensor-layout-cli` is the `tensor-layout` command, `tensor-layout-hlo` reads compiler dumps and finds the layouts in any
//! text, `tensor-layout-show` draws and writes pages and reports, `tensor-layout-plan` plans the layouts of a program and checks
//! pinned ones, `tensor-layout-access` counts the bank conflicts of a GPU, `tensor-layout-code` writes layouts as C, Rust,
//! Python, MLIR or isl code, `tensor-layout-npy` reads and writes NumPy's files, `tensor-layout-rows` writes tables as CSV, JSON
//! lines, Arrow and Parquet, and `tensor-layout-vectors` the test vectors of MN-Core 2. Each uses this library as any other user
//! does; so do `tensor-layout-capi`, the interface for C and C++, and the Python package. `tensor-layout-words` has helpers that
//! all of them need and that know nothing of layouts; `tensor-layout-grammar` reads the grammars of notations while the library is
//! compiled.
//!
//! # Features
//!
//! `text` is on by default; without it (`default-features = false`), the library builds 12 other crates instead of 25.
//!
//! | feature | what it adds |
//! |---|---|
//! | `text` | layouts from text and back: [`LayoutText`], [`notation`], [`xla`], [`sharding`]; and the modules that read layouts from texts: [`route`], prices of relayouts |
//! | `serde` | `Serialize` and `Deserialize` of layouts, as text if they have one, of placements, machines and cost models, and of the parts of a plan: levels, places, sums, costs, traffic, transfers |
//! | `simd` | vector instructions: tables for AVX2 where the processor has it, transposed tensors packed by shuffles |
//! | `rayon` | tables filled by all cores: `Program::par_fill_packed` and others |
//! | `toml` | `Machine::from_toml`: machines from TOML files |
//!
//! # Scope
//!
//! Dense tensors, layouts known at run time, extents and addresses up to 64 bits, swizzles included.

#![forbid(unsafe_code)]
// Some helpers of the algebra have no other callers than what reads or writes texts.
#![cfg_attr(not(feature = "text"), allow(dead_code, unused_imports))]
// `println!` and `eprintln!` panic where the output is closed or the disk is full.
#![warn(clippy::print_stderr, clippy::print_stdout)]

pub mod algebra;
mod assignments;
#[cfg(test)]
mod budget;
pub mod candidates;
#[cfg(feature = "text")]
mod devices;
pub mod einsum;
pub mod error;
pub mod image;
mod level;
mod location;
pub mod machine;
mod number;
pub mod placement;
pub mod program;
pub mod relayout;
#[cfg(feature = "text")]
pub mod route;
pub mod rows;
mod swizzle;
#[cfg(feature = "text")]
mod text;
mod words;

// Documentation only, so it is compiled for rustdoc alone.
#[cfg(doc)]
pub mod guide;

#[cfg(feature = "test-hooks")]
#[doc(hidden)]
pub use algebra::work::steps_of;

pub use algebra::Layout;
pub use error::{LayoutError, ParseError};
pub use level::Level;
pub use location::{Found, Location};
pub use machine::Machine;
pub use placement::Placement;
#[cfg(feature = "text")]
pub use text::{LayoutText, xla};

/// Notations of layouts: each type is a text as written, and `lower` makes it a [`Layout`].
///
/// [`LayoutText`] is any of them; XLA's are in [`xla`], shardings in [`sharding`].
pub mod notation {
    pub use crate::swizzle::CuteSwizzle;
    #[cfg(feature = "text")]
    pub use crate::text::{
        Atom, AxisText, CuteLayout, CuteMap, CuteMode, CuteStride, CuteTiler, Dtype, LinearLayout,
        MemoryText, Notation, PadLayout, ReplicaText, Strided, SubaxisText, TritonLayout,
    };
}

/// Shardings: which part of a tensor each device of a mesh holds.
///
/// ```
/// use tensor_layout::sharding::{Mesh, PartitionSpec};
/// let mesh: Mesh = "x=2,y=4".parse()?;
/// let spec: PartitionSpec = "P('x', None)".parse()?;
/// let sharding = spec.lower(Some(&mesh), 2)?;
/// assert_eq!(sharding.to_hlo().to_string(), "{devices=[2,1,4]<=[8] last_tile_dim_replicate}");
/// assert_eq!(sharding.shard(&[10, 7], 4)?, Some(vec![5..10, 0..7]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "text")]
pub mod sharding {
    pub use crate::devices::DeviceTable;
    pub use crate::text::sharding::{
        DeviceGroups, DeviceShards, DimAxes, Fill, HloSharding, Mesh, MeshAxis, MeshDims,
        PartitionSpec, Placements, SdySharding, ShardedShape, ShardedSizes, Sharding, ShardingText,
        TileDevices, TorchPlacement, behind_mesh, behind_sharding,
    };
}
