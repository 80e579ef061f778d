//! The thread-value layouts of matrix instructions, as their sources write them.
//!
//! ```text
//! 16x8x8  32_LANE  ((4,8),(2,2)):((32,1),(16,8))  ((4,8),2):((16,1),8)  ((4,8),(2,2)):((32,1),(16,8))
//!     SM75_16x8x8_F32F16F16F32_TN SM80_16x8x8_F16F16F16F16_TN ..
//!
//! MxNxK, the lanes of the threads, thread and value to the place in A, B and C, column by column; then the names
//! ```
//!
//! Instructions that come in many widths are in `families`. Of an AMX tile, which has rows of 64 bytes, B has pairs or quads
//! of rows side by side.
//!
//! Sources: NVIDIA/cutlass at 7107b05, `include/cute/atom/mma_traits.hpp`, `mma_traits_sm61.hpp`, `_sm70`, `_sm75`, `_sm80`, `_sm89`, `_sm90` and
//! `_sm120`, the traits of the instructions named; intel/sycl-tla, `mma_traits_xe_legacy.hpp`; AMX: Intel, *Architecture
//! Instruction Set Extensions*, the operation of TDPBF16PS and TDPBSSD; simdgroup: ml-explore/mlx, `steel/gemm/mma.h`.

/// The layouts of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Atoms {
    /// M, N and K.
    pub(super) shape: [u64; 3],
    /// The lane of each thread.
    pub(super) threads: &'static str,
    /// Thread and value to the place in A, B and C, column by column.
    pub(super) places: [&'static str; 3],
}

/// The instructions by name.
pub(super) fn instructions() -> impl Iterator<Item = (&'static str, Atoms)> + Clone {
    include_str!("atoms.txt").split("\n\n").filter_map(group).flatten()
}

/// The names of one group.
fn group(text: &'static str) -> Option<impl Iterator<Item = (&'static str, Atoms)> + Clone> {
    let mut words = text.split_whitespace();
    let mut sizes = words.next()?.split('x').map_while(|size| size.parse().ok());
    let shape = [sizes.next()?, sizes.next()?, sizes.next()?];
    let threads = words.next()?;
    let atoms = Atoms { shape, threads, places: [words.next()?, words.next()?, words.next()?] };
    Some(words.map(move |name| (name, atoms)))
}
