//! One request of a warp: words in banks, bytes in sectors.

use std::collections::BTreeSet;

use itertools::Itertools;

use crate::gpu::{Instruction, Service};
use tensor_layout::Location;
use tensor_layout_words::to_u64;

/// The number of bytes that a bank serves at a time.
pub(super) const WORD: u64 = 4;
const SECTOR: u64 = 32;
const LINE: u64 = 128;

/// The cost of an access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Access {
    /// The instruction that each lane executes.
    pub instruction: Instruction,
    /// The number of times that the holders are repeated over the memory, along each axis.
    pub repeats: Vec<u64>,
    /// The number of bytes that a lane accesses at a time.
    pub vector_bytes: u64,
    /// The number of requests: vectors of all lanes of a warp.
    pub requests: u64,
    /// The total number of bytes that the lanes access.
    pub bytes: u64,
    /// The number of times that the banks have to respond, for shared memory.
    pub wavefronts: u64,
    /// The number of wavefronts without conflicts: one for every group of lanes that takes part.
    pub ideal_wavefronts: u64,
    /// The request with the most wavefronts, or the first on a tie.
    pub worst: Option<Request>,
    /// The number of 32-byte sectors that are moved, counted per request, for global memory.
    pub sectors: u64,
    /// The number of 128-byte lines that are touched, counted per request.
    pub lines: u64,
    /// The number of distinct bytes that are used, counted per request.
    pub distinct_bytes: u64,
}

/// A request of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// The warp, by the levels of the holders other than `LANE` and `Addr`.
    pub warp: Location,
    /// The number of the vector among the registers.
    pub vector: u64,
    /// The byte address of each lane that takes part.
    pub addresses: Vec<u64>,
    /// The number of wavefronts it takes.
    pub wavefronts: u64,
    /// The number of wavefronts it would take without conflicts.
    pub ideal_wavefronts: u64,
}

impl Access {
    /// The number of wavefronts above the ideal.
    #[must_use]
    pub fn conflicts(&self) -> u64 {
        self.wavefronts.saturating_sub(self.ideal_wavefronts)
    }

    /// The number of bytes that global memory moves: whole sectors on NVIDIA, whole lines on AMD.
    #[must_use]
    pub fn moved_bytes(&self) -> u64 {
        match self.instruction.gpu.transaction_bytes() {
            SECTOR => SECTOR * self.sectors,
            _ => LINE * self.lines,
        }
    }

    /// The share of the bytes moved from global memory that is used, from 0 to 1.
    #[must_use]
    #[allow(clippy::as_conversions, reason = "a share is a float")]
    pub fn efficiency(&self) -> f64 {
        match self.moved_bytes() {
            0 => 1.0,
            moved => self.distinct_bytes as f64 / moved as f64,
        }
    }

    pub(super) fn of(
        instruction: Instruction,
        repeats: Vec<u64>,
        vector_bytes: u64,
        requests: impl Iterator<Item = Request>,
    ) -> Access {
        let mut access = Access { instruction, repeats, vector_bytes, ..Access::default() };
        requests.for_each(|request| access.add(request));
        access
    }

    fn add(&mut self, request: Request) {
        let bytes = to_u64(request.addresses.len()) * self.vector_bytes;
        let blocks =
            |size: u64| to_u64(blocks_of(&request.addresses, self.vector_bytes, size).len());
        self.requests += 1;
        self.bytes += bytes;
        self.wavefronts += request.wavefronts;
        self.ideal_wavefronts += request.ideal_wavefronts;
        self.sectors += blocks(SECTOR);
        self.lines += blocks(LINE);
        self.distinct_bytes += blocks(1);
        if self.worst.as_ref().is_none_or(|worst| worst.wavefronts < request.wavefronts) {
            self.worst = Some(request);
        }
    }
}

/// The wavefronts of lanes that access `vector_bytes` bytes each, `None` for a lane that does not, and those without
/// conflicts.
///
/// The phases are served one after the other; each takes as many wavefronts as its busiest bank has different
/// words, and at least one unless all of its lanes are idle.
pub(super) fn wavefronts(service: Service, lanes: &[Option<u64>], vector_bytes: u64) -> (u64, u64) {
    let phases = in_phases(service, lanes);
    let ideal = phases.iter().filter(|lanes| !lanes.is_empty()).count();
    let wavefronts = phases.iter().map(|lanes| of_phase(service, lanes, vector_bytes));
    (wavefronts.sum(), to_u64(ideal))
}

/// The addresses of the lanes that take part in each phase.
pub(super) fn in_phases(service: Service, lanes: &[Option<u64>]) -> Vec<Vec<u64>> {
    let mut phases = vec![Vec::new(); service.phases()];
    for (lane, at) in lanes.iter().enumerate() {
        phases[service.phase(lane)].extend(at);
    }
    phases
}

/// The numbers of the blocks of `size` bytes that vectors at these addresses touch.
fn blocks_of<'a>(
    addresses: impl IntoIterator<Item = &'a u64>,
    vector_bytes: u64,
    size: u64,
) -> BTreeSet<u64> {
    let blocks = |at: &u64| at / size..=(at + vector_bytes - 1) / size;
    addresses.into_iter().flat_map(blocks).collect()
}

fn of_phase(service: Service, lanes: &[u64], vector_bytes: u64) -> u64 {
    let words = blocks_of(lanes, vector_bytes, WORD);
    let banks = words.iter().counts_by(|word| word % service.banks);
    banks.into_values().max().map_or(0, to_u64)
}
