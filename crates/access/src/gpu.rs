//! The shared memory of GPUs: how many banks it has, and which lanes it serves together.
//!
//! ```text
//! loads of 16 bytes, the lanes of each phase
//!
//! nvidia    0-7  8-15  16-23  24-31                                                   32 banks
//! gfx942    0-3 20-23  32-35 52-55  4-7 16-19  36-39 48-51  8-11 28-31  ..            32 banks
//! gfx950    0-3 12-15 20-27  32-35 44-47 52-59  4-11 16-19 28-31  36-43 48-51 60-63   64 banks
//! ```
//!
//! Phases are numbered in binary: each digit is the parity of some bits of the lane, which a mask selects.
//!
//! Sources: NVIDIA, see [`access`](super). AMD's instruction sets do not say which lanes are served together; what is known was
//! measured: nod-ai/amd-shark-ai, `docs/empirical-lds/lds_summary.md` (loads) and `docs/amdgpu_kernel_optimization_guide.md`
//! (stores of gfx942); HazyResearch/HipKittens, `analysis/paper_experiments/phases` (gfx950: loads, stores of 8 bytes);
//! ROCm/rocRoller, `LDSBankModel.cpp` (gfx950: stores have 32 banks). rocRoller counts loads of 4 bytes of gfx950 as two phases over
//! 32 banks, where the measurement found one over 64.

use std::fmt;
use std::str::FromStr;

use tensor_layout::LayoutError;
use tensor_layout::error::fault;

/// A GPU, or a family of GPUs, whose shared memory is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Gpu {
    /// NVIDIA, warps of 32 lanes.
    #[default]
    Nvidia,
    /// AMD CDNA 3 (MI300), waves of 64 lanes.
    Gfx942,
    /// AMD CDNA 4 (MI350), waves of 64 lanes.
    Gfx950,
    /// AMD RDNA 3, waves of 32 lanes.
    Gfx1100,
    /// AMD RDNA 4, waves of 32 lanes.
    Gfx1201,
}

/// An instruction that moves a vector between the registers of each lane and memory.
///
/// ```
/// use tensor_layout_access::{Gpu, Instruction};
/// let store = Instruction::store("gfx950".parse()?);
/// assert_eq!((store.gpu, store.gpu.lanes()), (Gpu::Gfx950, 64));
/// # Ok::<(), tensor_layout::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Instruction {
    /// The GPU.
    pub gpu: Gpu,
    /// True if memory is written.
    pub is_store: bool,
}

/// The banks that serve vectors of a width, and the masks of the digits of a phase's number, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Service {
    pub(super) banks: u64,
    masks: &'static [usize],
}

impl Service {
    const fn new(banks: u64, masks: &'static [usize]) -> Service {
        Service { banks, masks }
    }

    /// The number of the phase that serves a lane.
    pub(super) fn phase(&self, lane: usize) -> usize {
        let digits = self.masks.iter().map(|mask| to_digit((lane & mask).count_ones()));
        digits.rev().fold(0, |phase, digit| 2 * phase + digit)
    }

    /// The number of phases.
    pub(super) fn phases(&self) -> usize {
        1 << self.masks.len()
    }
}

/// The parity of a number of bits.
fn to_digit(ones: u32) -> usize {
    usize::from(!ones.is_multiple_of(2))
}

impl Gpu {
    /// All that are known.
    pub const ALL: [Gpu; 5] = [Gpu::Nvidia, Gpu::Gfx942, Gpu::Gfx950, Gpu::Gfx1100, Gpu::Gfx1201];

    /// The name that [`from_str`](Gpu::from_str) reads: `nvidia`, or AMD's target.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Gpu::Nvidia => "nvidia",
            Gpu::Gfx942 => "gfx942",
            Gpu::Gfx950 => "gfx950",
            Gpu::Gfx1100 => "gfx1100",
            Gpu::Gfx1201 => "gfx1201",
        }
    }

    /// The number of lanes of a warp, which AMD calls a wave.
    #[must_use]
    pub fn lanes(self) -> u64 {
        match self {
            Gpu::Gfx942 | Gpu::Gfx950 => 64,
            Gpu::Nvidia | Gpu::Gfx1100 | Gpu::Gfx1201 => 32,
        }
    }

    /// The bytes that global memory moves together: sectors of NVIDIA, cache lines of AMD.
    #[must_use]
    pub fn transaction_bytes(self) -> u64 {
        if self == Gpu::Nvidia { 32 } else { 128 }
    }
}

impl fmt::Display for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Gpu {
    type Err = LayoutError;

    fn from_str(name: &str) -> Result<Gpu, LayoutError> {
        let lower = name.to_ascii_lowercase();
        if let Some(gpu) = Gpu::ALL.into_iter().find(|gpu| gpu.name() == lower) {
            return Ok(gpu);
        }
        let error = fault!(
            Argument,
            "there is no public measurement of the shared memory of `{name}`",
            [name = name.to_owned()]
        );
        Err(error.with_help(
            "those that are known are nvidia, gfx942 (MI300), gfx950 (MI350), gfx1100 (RDNA 3) and \
             gfx1201 (RDNA 4)",
        ))
    }
}

impl Instruction {
    /// A load.
    #[must_use]
    pub fn load(gpu: Gpu) -> Instruction {
        Instruction { gpu, is_store: false }
    }

    /// A store.
    #[must_use]
    pub fn store(gpu: Gpu) -> Instruction {
        Instruction { gpu, is_store: true }
    }

    /// How vectors of up to 4, 8 or 16 bytes are served; `None` where that was never measured.
    pub(super) fn service(self, vector_bytes: u64) -> Option<Service> {
        let width = match vector_bytes {
            ..=4 => 0,
            8 => 1,
            _ => 2,
        };
        let services = match (self.gpu, self.is_store) {
            (Gpu::Nvidia, _) => [IN_ORDER_32[0], IN_ORDER_32[1], IN_ORDER_32[2]],
            (Gpu::Gfx942, true) | (Gpu::Gfx950, true) => IN_ORDER_64,
            (Gpu::Gfx942, false) => {
                [IN_ORDER_64[0], IN_ORDER_64[1], Service::new(32, &[32, 16 | 4, 8])]
            }
            (Gpu::Gfx950, false) => [
                Service::new(64, &[]),
                Service::new(64, &[32]),
                Service::new(64, &[32, 16 | 8 | 4]),
            ],
            (Gpu::Gfx1100, false) => {
                [IN_ORDER_32[0], IN_ORDER_32[1], Service::new(32, &[16 | 4, 8])]
            }
            (Gpu::Gfx1201, false) => IN_ORDER_32,
            (Gpu::Gfx1100 | Gpu::Gfx1201, true) => return None,
        };
        Some(services[width])
    }
}

/// Lanes in order, as many as 32 banks can serve: of a warp of 32 lanes.
const IN_ORDER_32: [Service; 3] =
    [Service::new(32, &[]), Service::new(32, &[16]), Service::new(32, &[8, 16])];

/// Lanes in order, as many as 32 banks can serve: of a wave of 64 lanes.
const IN_ORDER_64: [Service; 3] =
    [Service::new(32, &[32]), Service::new(32, &[16, 32]), Service::new(32, &[8, 16, 32])];
