//! The cost of an access of a GPU's threads to memory: one layout gives the lane that holds each element,
//! another gives its place in memory.
//!
//! ```text
//! holders ((8_LANE:1), (4_LANE:8, 8:1))    a lane holds 8 halves of a row
//! memory  (8,32):(64,1)                    8 rows, 128 bytes apart
//!
//! bytes of lanes 0 to 7     0 128 256 .. 896     all in the same 4 banks: 8 wavefronts
//! with S<3,3,3>             0 144 288 .. 1008    1 wavefront
//! ```
//!
//! Law: the counts are those of a simulation, lane by lane and byte by byte.
//! Source: banks and words as in NVIDIA's CUDA C++ Programming Guide, "Shared Memory". Requests of 8 and 16
//! bytes per lane are counted as served by half and quarter warps; this is a common description of the
//! hardware, not a documented guarantee. [`Gpu`] and [`Instruction`] name those of AMD, by what was measured.

#![forbid(unsafe_code)]
// `println!` and `eprintln!` panic where the output is closed or the disk is full.
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod banks;
mod change;
mod gpu;
mod requests;

pub use banks::{Access, Request};
pub use change::{AddressChange, ChangedAccess};
pub use gpu::{Gpu, Instruction};

use tensor_layout::{Layout, LayoutError};

/// Counts the cost for the holders of a tensor to read or write it in memory, each element once.
///
/// `memory` lands in `Addr` alone, in elements of `element_bits`; address 0 is in bank 0 and begins a line of 128 bytes.
/// `holders` lands in `LANE`, the lanes of a warp, in `Addr`, the registers of a lane, and in any other
/// levels, each unit of which is a warp. Registers are accessed in vectors as long as memory allows, up to 16
/// bytes; a vector of all lanes of a warp is one request. Each copy of the holders accesses memory. Holders of an even part of
/// the shape, such as an atom, are repeated over all of it.
/// Cost: O(elements x copies), up to 2^20.
///
/// # Errors
/// [`LayoutError`]: levels of the memory, more lanes than a warp has, elements that are not whole bytes, too many
/// elements; stores that were never measured ([`Instruction`]); errors of the algebra.
///
/// # Example
/// ```
/// use tensor_layout::{Layout, LayoutText};
/// use tensor_layout_access as access;
/// let cute = |text: &str| LayoutText::parse(text).unwrap().lower().unwrap();
/// let column: Layout = "((32_LANE))".parse()?;
/// let load = access::Instruction::load(access::Gpu::Nvidia);
/// assert_eq!(access::access(&cute("32:32"), &column, 32, load)?.wavefronts, 32); // one bank
/// assert_eq!(access::access(&cute("32:33"), &column, 32, load)?.wavefronts, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn access(
    memory: &Layout,
    holders: &Layout,
    element_bits: u64,
    instruction: Instruction,
) -> Result<Access, LayoutError> {
    Ok(requests::Requests::new(memory, holders, element_bits, instruction)?.access())
}

/// The cheapest swizzles of memory for one or several accesses, the best first; only the unchanged layout, if no
/// swizzle is better.
///
/// An access is its holders and its instruction, as for [`access`]. Tries all `S<B,M,S>` with up to 5 bits that keep the
/// vectors of all accesses whole, and adds the wavefronts of the accesses.
/// Cost: that of [`access`] for each of a few hundred swizzles.
///
/// # Errors
/// As [`access`].
///
/// # Example
/// ```
/// use tensor_layout::{Layout, LayoutText};
/// use tensor_layout_access as access;
/// let memory = LayoutText::parse("(8,32):(64,1)")?.lower()?;
/// let holders: Layout = "((8_LANE:1), (4_LANE:8, 8:1))".parse()?;
/// let best = access::swizzles(&memory, &[(&holders, access::Instruction::default())], 16)?;
/// assert_eq!(best[0].change.map(|change| change.to_string()).as_deref(), Some("S<3,3,3>"));
/// assert_eq!(best[0].accesses[0].conflicts(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn swizzles(
    memory: &Layout,
    accesses: &[(&Layout, Instruction)],
    element_bits: u64,
) -> Result<Vec<ChangedAccess>, LayoutError> {
    change::best(memory, accesses, element_bits, change::swizzles)
}

/// The cheapest paddings of memory for one or several accesses, those that take the least memory first; only the unchanged layout, if no
/// padding is better.
///
/// A padding leaves some vectors free after every 2^k elements; all paddings shorter than a row of the banks
/// (128 bytes, or 256 where there are 64) are tried.
/// Cost: that of [`access`] for each of a few hundred paddings.
///
/// # Errors
/// As [`access`].
///
/// # Example
/// ```
/// use tensor_layout::notation::CuteLayout;
/// use tensor_layout::{Layout, LayoutText};
/// use tensor_layout_access as access;
/// let memory = LayoutText::parse("(8,32):(64,1)")?.lower()?;
/// let holders: Layout = "((8_LANE:1), (4_LANE:8, 8:1))".parse()?;
/// let best = access::paddings(&memory, &[(&holders, access::Instruction::default())], 16)?;
/// assert_eq!(best[0].change.map(|change| change.to_string()).as_deref(), Some("[64:+8]"));
/// assert_eq!(CuteLayout::of(&best[0].memory)?.to_string(), "(8,32):(72,1)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn paddings(
    memory: &Layout,
    accesses: &[(&Layout, Instruction)],
    element_bits: u64,
) -> Result<Vec<ChangedAccess>, LayoutError> {
    change::best(memory, accesses, element_bits, change::paddings)
}
