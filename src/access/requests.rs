//! The requests of an access: which bytes each lane takes, vector by vector.

use itertools::Itertools;

use super::banks::{Access, Request, wavefronts};
use crate::algebra::{Decoder, Indexes, Layout, product};
use crate::error::{LayoutError, Site, fault};
use crate::level::Level;
use crate::location::{Found, Location};
use crate::number::to_index;

/// The most registers, over all lanes of all warps, that are visited.
const MOST: u64 = 1 << 20;

/// The longest vector, in bits.
const LONGEST: u64 = 128;

/// The addresses of the registers of every warp.
#[derive(Debug)]
pub(super) struct Requests {
    warps: Vec<Warp>,
    element_bytes: u64,
    /// The number of elements of a vector.
    pub(super) vector: u64,
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
    ) -> Result<Requests, LayoutError> {
        if !element_bits.is_power_of_two() || !(8..=LONGEST).contains(&element_bits) {
            return Err(fault!(
                Argument,
                "an element must have 8, 16, 32, 64 or 128 bits, not {bits}",
                [bits = element_bits]
            ));
        }
        check(memory, holders)?;
        let lanes = holders.extent(Level::LANE);
        if lanes > 32 {
            return Err(fault!(
                Limit,
                "level `LANE` has {lanes} lanes, but a warp has 32",
                [lanes]
            )
            .with_help(match lanes {
                64 => {
                    "64 lanes are a wave of AMD: which of them are served together depends on the \
                     instruction and the generation, so that their accesses are not counted"
                }
                _ => "name the other levels of the holders WARP and BLOCK",
            }));
        }
        let levels =
            holders.levels_beside_addr().filter(|level| *level != Level::LANE).collect_vec();
        let sizes: Vec<u64> = levels.iter().map(|level| holders.extent(*level)).collect();
        let registers = holders.extent(Level::ADDR);
        let all = product(sizes.iter().copied().chain([lanes, registers])).unwrap_or(u64::MAX);
        if all > MOST {
            return Err(fault!(
                Limit,
                "the holders have {elements} elements, copies and padding included, of \
                 which at most {most} are counted; take a slice",
                [elements = all, most = MOST]
            ));
        }
        let decoder = Decoder::new(holders);
        let address = |place: &Location| -> Result<Option<u64>, LayoutError> {
            match decoder.element(place)? {
                Found::Element(index) => Ok(memory.locate(&index)?.get(Level::ADDR)),
                _ => Ok(None),
            }
        };
        let mut warps = Vec::new();
        for unit in Indexes::new(sizes) {
            let at: Location = levels.iter().copied().zip(unit).collect();
            let lanes = (0..lanes).map(|number| {
                let registers = (0..registers).map(|register| {
                    let place = at.iter().chain([(Level::LANE, number), (Level::ADDR, register)]);
                    address(&place.collect())
                });
                registers.collect::<Result<Vec<_>, _>>()
            });
            let lanes = lanes.collect::<Result<Vec<_>, _>>()?;
            warps.push(Warp { at, lanes });
        }
        let element_bytes = element_bits / 8;
        // A swizzle permutes addresses below a power of two.
        let room = memory.extent(Level::ADDR).checked_next_power_of_two();
        if room.and_then(|room| room.checked_mul(element_bytes)).is_none() {
            return Err(LayoutError::too_large(Site::Layout, "a byte address"));
        }
        let vector = widest(&warps, registers, LONGEST / element_bits);
        Ok(Requests { warps, element_bytes, vector })
    }

    /// The requests after a change of every address that keeps their vectors whole.
    pub(super) fn mapped(&self, change: impl Fn(u64) -> u64) -> Requests {
        let lane =
            |lane: &Vec<Option<u64>>| lane.iter().map(|address| address.map(&change)).collect();
        let warp = |warp: &Warp| Warp {
            at: warp.at.clone(),
            lanes: warp.lanes.iter().map(lane).collect(),
        };
        Requests { warps: self.warps.iter().map(warp).collect(), ..*self }
    }

    /// The number of elements of memory from address 0 to the last one that a lane takes: all elements are taken.
    pub(super) fn extent(&self) -> u64 {
        let lanes = self.warps.iter().flat_map(|warp| &warp.lanes);
        lanes.flatten().flatten().max().map_or(0, |last| last + 1)
    }

    pub(super) fn access(&self) -> Access {
        let bytes = self.vector * self.element_bytes;
        let requests = self.warps.iter().flat_map(|warp| {
            let registers = warp.lanes.first().map_or(0, Vec::len);
            let vectors = registers / to_index(self.vector);
            (0..vectors).filter_map(move |vector| self.request(warp, vector, bytes))
        });
        Access::of(bytes, requests)
    }

    /// One vector of all lanes; `None` if no lane takes part.
    fn request(&self, warp: &Warp, vector: usize, bytes: u64) -> Option<Request> {
        let register = vector * to_index(self.vector);
        let address =
            |lane: &Vec<Option<u64>>| Some(lane.get(register)?.as_ref()? * self.element_bytes);
        let lanes = warp.lanes.iter().map(address).collect_vec();
        let addresses = lanes.iter().copied().flatten().collect_vec();
        let (wavefronts, ideal_wavefronts) = wavefronts(&lanes, bytes);
        let vector = crate::number::to_u64(vector);
        let request =
            Request { warp: warp.at.clone(), vector, addresses, wavefronts, ideal_wavefronts };
        (!request.addresses.is_empty()).then_some(request)
    }
}

fn check(memory: &Layout, holders: &Layout) -> Result<(), LayoutError> {
    if let Some(level) = memory.levels_beside_addr().next() {
        return Err(fault!(
            Argument,
            "the memory layout names level `{level}`; an access reads one memory, \
             whose only level is `Addr`",
            [level]
        ));
    }
    if memory.shape() != holders.shape() {
        let (memory, holders) = (memory.shape(), holders.shape());
        return Err(fault!(
            Shape,
            "the memory layout has the shape {memory:?}, but the holders have {holders:?}",
            [memory, holders]
        ));
    }
    Ok(())
}

/// The length of the longest vectors (a power of two, at most `most` elements) into which all registers can
/// be cut so that every vector is contiguous and aligned in memory.
fn widest(warps: &[Warp], registers: u64, most: u64) -> u64 {
    let lanes = || warps.iter().flat_map(|warp| &warp.lanes);
    let fits = |vector: &u64| {
        registers.is_multiple_of(*vector)
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
