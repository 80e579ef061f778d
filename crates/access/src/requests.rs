//! The requests of an access: which bytes each lane takes, vector by vector.

use itertools::Itertools;

use crate::banks::{Access, Request, WORD, in_phases, wavefronts};
use crate::gpu::{Gpu, Instruction, Service};
use tensor_layout::algebra::Indexes;
use tensor_layout::error::{Site, fault};
use tensor_layout::{Found, Layout, LayoutError, Level, Location, Placement};
use tensor_layout_words::{product, to_index, to_u64};

/// The most registers, over all lanes of all warps, that are visited.
const MOST: u64 = 1 << 20;

/// The longest vector, in bits.
const LONGEST: u64 = 128;

/// The addresses of the registers of every warp.
#[derive(Debug)]
pub(super) struct Requests {
    warps: Vec<Warp>,
    element_bytes: u64,
    instruction: Instruction,
    service: Service,
    /// The number of elements of a vector.
    vector: u64,
    /// How often the holders stand beside each other in memory, per axis.
    repeats: Vec<u64>,
}

#[derive(Debug)]
struct Warp {
    at: Location,
    /// The address in elements of every register, for each lane; `None` for padding.
    lanes: Vec<Vec<Option<u64>>>,
}

impl Requests {
    pub(super) fn new(
        memory: &Layout,
        holders: &Layout,
        element_bits: u64,
        instruction: Instruction,
    ) -> Result<Requests, LayoutError> {
        if !element_bits.is_power_of_two() || !(8..=LONGEST).contains(&element_bits) {
            return Err(fault!(
                Argument,
                "an element must have 8, 16, 32, 64 or 128 bits, not {bits}",
                [bits = element_bits]
            ));
        }
        let repeats = repeats(memory, holders)?;
        check_lanes(holders.extent(Level::LANE), instruction.gpu)?;
        let warps = warps(memory, holders, &repeats)?;
        let element_bytes = element_bits / 8;
        // A swizzle permutes addresses below a power of two.
        let room = memory.extent(Level::ADDR).checked_next_power_of_two();
        if room.and_then(|room| room.checked_mul(element_bytes)).is_none() {
            return Err(LayoutError::too_large(Site::Layout, "a byte address"));
        }
        let vector = widest(&warps, LONGEST / element_bits);
        let service = instruction
            .service(vector * element_bytes)
            .ok_or_else(|| no_stores(instruction.gpu))?;
        let requests = Requests { warps, element_bytes, instruction, service, vector, repeats };
        requests.check_stores()?;
        Ok(requests)
    }

    /// Rejects stores of AMD that write a word twice in a phase: how long they take is not public.
    fn check_stores(&self) -> Result<(), LayoutError> {
        if !self.instruction.is_store || self.instruction.gpu == Gpu::Nvidia {
            return Ok(());
        }
        let all = self.vectors().flat_map(|(_, _, lanes)| in_phases(self.service, &lanes));
        let word = |at: &u64| at / WORD;
        match all.map(|phase| phase.iter().map(word).duplicates().next()).find_map(|word| word) {
            None => Ok(()),
            Some(word) => Err(fault!(
                Argument,
                "two lanes store to the 4 bytes at {at} together, and how {gpu} serves that is not public",
                [at = word * WORD, gpu = self.instruction.gpu.name()]
            )
            .with_help("give lanes vectors of at least 4 bytes, and store each element once")),
        }
    }

    /// The number of elements that a change of addresses keeps together: a vector, and for stores of AMD a word.
    pub(super) fn whole(&self) -> u64 {
        match self.instruction.is_store && self.instruction.gpu != Gpu::Nvidia {
            true => self.vector.max(WORD / self.element_bytes),
            false => self.vector,
        }
    }

    /// The number of elements between those that are in the same bank.
    pub(super) fn bank_row(&self) -> u64 {
        self.service.banks * WORD / self.element_bytes
    }

    /// The requests after a change of every address that keeps their vectors whole.
    pub(super) fn mapped(&self, change: impl Fn(u64) -> u64) -> Requests {
        let lane =
            |lane: &Vec<Option<u64>>| lane.iter().map(|address| address.map(&change)).collect();
        let warp = |warp: &Warp| Warp {
            at: warp.at.clone(),
            lanes: warp.lanes.iter().map(lane).collect(),
        };
        let warps = self.warps.iter().map(warp).collect();
        Requests { warps, repeats: self.repeats.clone(), ..*self }
    }

    /// The number of elements of memory from address 0 to the last one that a lane takes: all elements are taken.
    pub(super) fn extent(&self) -> u64 {
        let lanes = self.warps.iter().flat_map(|warp| &warp.lanes);
        lanes.flatten().flatten().max().map_or(0, |last| last + 1)
    }

    pub(super) fn access(&self) -> Access {
        let requests =
            self.vectors().map(|(warp, vector, lanes)| self.request(warp, vector, &lanes));
        let bytes = self.vector * self.element_bytes;
        Access::of(self.instruction, self.repeats.clone(), bytes, requests)
    }

    /// The vectors of all warps that some lane accesses: the warp, the number of the vector, and the byte address of each
    /// lane that takes part.
    fn vectors(&self) -> impl Iterator<Item = (&Warp, u64, Vec<Option<u64>>)> {
        self.warps.iter().flat_map(move |warp| {
            let registers = warp.lanes.first().map_or(0, Vec::len);
            let lanes = move |register: usize| {
                let at = |lane: &Vec<Option<u64>>| {
                    Some(lane.get(register)?.as_ref()? * self.element_bytes)
                };
                warp.lanes.iter().map(at).collect_vec()
            };
            let vectors = (0..registers).step_by(to_index(self.vector)).zip(0..);
            vectors
                .map(move |(register, vector)| (warp, vector, lanes(register)))
                .filter(|(_, _, lanes)| lanes.iter().any(Option::is_some))
        })
    }

    /// One vector of all lanes.
    fn request(&self, warp: &Warp, vector: u64, lanes: &[Option<u64>]) -> Request {
        let bytes = self.vector * self.element_bytes;
        let (wavefronts, ideal_wavefronts) = wavefronts(self.service, lanes, bytes);
        let addresses = lanes.iter().copied().flatten().collect();
        Request { warp: warp.at.clone(), vector, addresses, wavefronts, ideal_wavefronts }
    }
}

/// The addresses of all registers of all warps; those of each repeat of the holders follow each other.
fn warps(memory: &Layout, holders: &Layout, repeats: &[u64]) -> Result<Vec<Warp>, LayoutError> {
    let is_warp = |level: &Level| ![Level::ADDR, Level::LANE].contains(level);
    let levels = holders.used_levels().iter().copied().filter(is_warp).collect_vec();
    let sizes = levels.iter().map(|level| holders.extent(*level)).collect_vec();
    let (lanes, registers) = (holders.extent(Level::LANE), holders.extent(Level::ADDR));
    let own = sizes.iter().copied().chain([lanes, registers]);
    let all = product(own.chain(repeats.iter().copied())).unwrap_or(u64::MAX);
    if all > MOST {
        return Err(fault!(
            Limit,
            "the holders have {elements} elements, copies and padding included, of \
             which at most {most} are counted; take a slice",
            [elements = all, most = MOST]
        ));
    }
    let (placed, shape) = (Placement::of(holders.clone()).build()?, holders.shape());
    let address = |repeat: &[u64], place: &Location| -> Result<Option<u64>, LayoutError> {
        let Found::Element(index) = placed.element(place)? else { return Ok(None) };
        let first = repeat.iter().zip(&shape).map(|(repeat, extent)| repeat * extent);
        let index = first.zip(index).map(|(first, at)| first + at).collect_vec();
        Ok(memory.locate(&index)?.get(Level::ADDR))
    };
    let registers = Indexes::new(repeats.to_vec()).cartesian_product(0..registers).collect_vec();
    let warp = |unit: Vec<u64>| {
        let at: Location = levels.iter().copied().zip(unit).collect();
        let lane = |number| {
            let register = |(repeat, register): &(Vec<u64>, u64)| {
                let own = [(Level::LANE, number), (Level::ADDR, *register)];
                address(repeat, &at.iter().chain(own).collect())
            };
            registers.iter().map(register).collect::<Result<Vec<_>, _>>()
        };
        let lanes = (0..lanes).map(lane).collect::<Result<_, _>>()?;
        Ok(Warp { at, lanes })
    };
    Indexes::new(sizes).map(warp).collect()
}

/// Rejects holders with more lanes than a warp has.
fn check_lanes(lanes: u64, gpu: Gpu) -> Result<(), LayoutError> {
    let most = gpu.lanes();
    if lanes <= most {
        return Ok(());
    }
    let error = fault!(
        Limit,
        "level `LANE` has {lanes} lanes, but a warp of {gpu} has {most}",
        [lanes, gpu = gpu.name(), most]
    );
    Err(error.with_help(match lanes {
        64 => {
            "64 lanes are a wave of AMD, whose banks depend on the GPU: name it, gfx942 or gfx950"
        }
        _ => "name the other levels of the holders WARP and BLOCK",
    }))
}

/// The error for stores that were never measured.
fn no_stores(gpu: Gpu) -> LayoutError {
    fault!(
        Argument,
        "there is no public measurement of the stores of {gpu} to shared memory, only of loads",
        [gpu = gpu.name()]
    )
}

/// How often the holders fit into the memory along each axis.
fn repeats(memory: &Layout, holders: &Layout) -> Result<Vec<u64>, LayoutError> {
    if let Some(level) = memory.used_levels().iter().copied().find(|level| *level != Level::ADDR) {
        return Err(fault!(
            Argument,
            "the memory layout names level `{level}`; an access reads one memory, \
             whose only level is `Addr`",
            [level]
        ));
    }
    let (memory, holders) = (memory.shape(), holders.shape());
    let fits = |(memory, holders): (&u64, &u64)| match holders {
        0 => (*memory == 0).then_some(1),
        _ => memory.is_multiple_of(*holders).then(|| memory / holders),
    };
    let repeats: Option<Vec<u64>> = memory.iter().zip(&holders).map(fits).collect();
    repeats.filter(|repeats| repeats.len() == memory.len() && memory.len() == holders.len()).ok_or_else(|| {
        fault!(
            Shape,
            "the memory layout has the shape {memory:?}, but the holders have {holders:?}, which is \
             neither that nor an even part of it",
            [memory, holders]
        )
    })
}

/// The length of the longest vectors (a power of two, at most `most` elements) into which all registers can
/// be cut so that every vector is contiguous and aligned in memory.
fn widest(warps: &[Warp], most: u64) -> u64 {
    let registers = warps.iter().flat_map(|warp| &warp.lanes).map(|lane| to_u64(lane.len())).max();
    let lanes = || warps.iter().flat_map(|warp| &warp.lanes);
    let fits = |vector: &u64| {
        registers.unwrap_or(0).is_multiple_of(*vector)
            && lanes()
                .all(|lane| lane.chunks(to_index(*vector)).all(|part| is_vector(part, *vector)))
    };
    (0..=most.ilog2()).rev().map(|bit| 1 << bit).find(fits).unwrap_or(1)
}

/// Returns whether registers are one aligned piece of memory, or padding as a whole.
fn is_vector(part: &[Option<u64>], vector: u64) -> bool {
    match part.first() {
        Some(Some(first)) => {
            first.is_multiple_of(vector)
                && part.iter().zip(0..).all(|(at, step)| *at == Some(first + step))
        }
        _ => part.iter().all(Option::is_none),
    }
}
