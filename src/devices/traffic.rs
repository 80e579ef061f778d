//! Traffic between shardings, part by part, for device numbers that are not a sum of digits.
//!
//! ```text
//! source       |--- device 1 ---|--- device 0 ---|
//! destination  |- 0 -|- 2 -|- 1 -|- 3 -| ..
//! parts        |--- --|--- -|-- |-- ...            in each, both sides have the same devices throughout
//! ```

use std::collections::HashMap;

use itertools::Itertools;

use crate::algebra::{Layout, product};
use crate::error::{LayoutError, Site};
use crate::level::Level;
use crate::machine::Machine;
use crate::number::to_u64;
use crate::placement::Placement;
use crate::relayout::{Distance, LevelTraffic, NO_TRAFFIC, Relayout, Traffic, fit};
use crate::text::sharding::{DeviceShards, Pieces};

/// The most devices, and parts of each, that are compared.
const MOST_COMPARED: u64 = 1 << 24;

/// A box of the tensor: begin and length in every dimension.
pub(super) type DevicePart = Vec<(u64, u64)>;

/// The first index of a part in the shards of the source and of the destination, and its lengths.
type Corners = (Vec<u64>, Vec<u64>, Vec<u64>);

/// The counts of a level over the parts seen so far.
#[derive(Clone, Copy, Default)]
struct LevelTally {
    /// (element, unit) pairs of the destination.
    held: u128,
    /// Those that the source has as well.
    both: u128,
    /// Destination copies with a source copy in their unit.
    matched: u128,
    /// Elements that leave the unit of the source.
    leaving: u128,
    /// Set when the source has some element in several units.
    open: bool,
}

impl DeviceShards {
    /// Counts exactly what moves to another sharding of the tensor.
    ///
    /// Law: where both have layouts, the counts are those of [`Relayout::traffic`].
    /// Cost: O(parts x copies x levels), where a part is a box on which neither sharding changes
    /// devices; within a device, that of `Relayout::traffic` per part.
    ///
    /// # Errors
    /// `NotComparable` for other extents or levels; `NotDecided` for more than 2^24 devices of parts.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::relayout::Distance;
    /// use tensor_layout::sharding::ShardedShape;
    /// let shards = |text: &str| text.parse::<ShardedShape>()?.by_device(None);
    /// let reversed = shards("f32[6], sharding={devices=[3]2,1,0}")?;
    /// let traffic = reversed.traffic(&shards("f32[6], sharding={devices=[3]<=[3]}")?)?;
    /// assert_eq!(traffic.count(Distance::InPlace), 2);
    /// assert_eq!(traffic.levels[0].into, 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn traffic(&self, destination: &DeviceShards) -> Result<Traffic, LayoutError> {
        let [from, to] = [self, destination].map(|side| side.extents.clone());
        if from != to {
            return Err(LayoutError::differ("shapes", from, to));
        }
        self.check_levels(destination)?;
        let below = self.units_below();
        let mut tallies = vec![LevelTally::default(); below.len()];
        let mut in_place =
            InPlaceCopies { pair: (self, destination), known: HashMap::new(), count: 0 };
        for part in self.parts(destination)? {
            let start = part.iter().map(|(start, _)| *start).collect_vec();
            let (from, at) = self.find(&start)?;
            let (to, wanted) = destination.find(&start)?;
            let [from, to] = [from, to].map(|devices| devices.into_iter().sorted().collect_vec());
            let volume = part.iter().map(|(_, length)| u128::from(*length)).product();
            for (tally, below) in tallies.iter_mut().zip(&below) {
                tally.add(&from, &to, *below, volume);
            }
            let both = to.iter().filter(|device| from.binary_search(device).is_ok()).count();
            let lengths = part.iter().map(|(_, length)| *length).collect_vec();
            in_place.add(both, (at, wanted, lengths))?;
        }
        let elements = product(self.extents.iter().copied());
        let elements = elements
            .ok_or_else(|| LayoutError::too_large(Site::Layout, "the number of elements"))?;
        self.answer(elements, destination.copies(), &tallies, in_place.count)
    }

    /// Checks that both have the same levels.
    pub(super) fn check_levels(&self, other: &DeviceShards) -> Result<(), LayoutError> {
        let [from, to] = [self, other].map(|side| side.levels().collect_vec());
        if from == to { Ok(()) } else { Err(LayoutError::differ("levels", from, to)) }
    }

    /// The boxes on which neither side changes devices.
    pub(super) fn parts(&self, other: &DeviceShards) -> Result<Vec<DevicePart>, LayoutError> {
        let mut parts = self.copies().saturating_add(other.copies());
        let mut dims = Vec::new();
        for (ours, theirs) in self.pieces.iter().zip(&other.pieces) {
            parts = parts.saturating_mul(ours.count().saturating_add(theirs.count()));
            if parts > MOST_COMPARED {
                let question = "comparing two shardings part by part";
                return Err(LayoutError::not_decided(question, MOST_COMPARED));
            }
            dims.push(segments(ours, theirs));
        }
        let parts = dims.into_iter().fold(vec![DevicePart::new()], |parts, dim| {
            let pairs = parts.into_iter().cartesian_product(dim);
            pairs.map(|(part, segment)| [part, vec![segment]].concat()).collect()
        });
        Ok(parts)
    }

    fn answer(
        &self,
        elements: u64,
        copies: u64,
        tallies: &[LevelTally],
        in_place: u128,
    ) -> Result<Traffic, LayoutError> {
        let (mut by_distance, mut levels) = (Vec::new(), Vec::new());
        let mut before = u128::from(elements) * u128::from(copies);
        let mut units = 1_u64;
        for ((level, size), tally) in self.levels().zip(tallies) {
            by_distance.push((Distance::Level(level), fit(before - tally.matched)?));
            before = tally.matched;
            let out_of = (!tally.open).then(|| fit(tally.leaving)).transpose()?;
            let into = fit(tally.held - tally.both)?;
            // Every device may hold something.
            units = units.saturating_mul(size);
            let [receivers, senders] = [units; 2];
            // Of how many copies each element has in it, only the most is known.
            let copies = units.min(copies);
            let counts = LevelTraffic { level, into, out_of, receivers, senders, ..NO_TRAFFIC };
            levels.push(LevelTraffic { copies, ..counts });
        }
        by_distance.push((Distance::Address, fit(before - in_place)?));
        by_distance.push((Distance::InPlace, fit(in_place)?));
        by_distance.reverse();
        levels.reverse();
        Ok(Traffic { elements, copies, by_distance, levels })
    }
}

/// The parts of a dimension between the cuts of both sides, as begin and length.
fn segments(ours: &Pieces, theirs: &Pieces) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < ours.extent() {
        let end = ours.end(start).min(theirs.end(start));
        found.push((start, end - start));
        start = end;
    }
    found
}

impl LevelTally {
    /// Adds a part of `volume` elements; devices are in ascending order.
    fn add(&mut self, from: &[u64], to: &[u64], below: u64, volume: u128) {
        let units =
            |devices: &[u64]| devices.iter().map(|device| device / below).dedup().collect_vec();
        let (sources, destinations) = (units(from), units(to));
        let has = |unit: &u64| sources.binary_search(unit).is_ok();
        let count = |units: usize| volume * u128::from(to_u64(units));
        let both = destinations.iter().filter(|unit| has(unit)).count();
        self.held += count(destinations.len());
        self.both += count(both);
        self.matched += count(to.iter().filter(|device| has(&(*device / below))).count());
        self.leaving += if both < destinations.len() { volume } else { 0 };
        self.open |= sources.len() > 1;
    }
}

/// The number of destination copies that are at the same address of the same device.
struct InPlaceCopies<'a> {
    pair: (&'a DeviceShards, &'a DeviceShards),
    /// The count of one device.
    known: HashMap<Corners, u64>,
    count: u128,
}

impl InPlaceCopies<'_> {
    /// Adds a part that `devices` devices hold on both sides.
    fn add(&mut self, devices: usize, part: Corners) -> Result<(), LayoutError> {
        if devices == 0 {
            return Ok(());
        }
        let each = match self.known.get(&part) {
            Some(known) => *known,
            None => self.of_device(&part)?,
        };
        self.known.insert(part, each);
        self.count += u128::from(each) * u128::from(to_u64(devices));
        Ok(())
    }

    fn of_device(&self, (from, to, lengths): &Corners) -> Result<u64, LayoutError> {
        let (source, destination) = (&self.pair.0.shard, &self.pair.1.shard);
        if source == destination && from == to {
            return fit(lengths.iter().map(|length| u128::from(*length)).product());
        }
        let machine = Machine::builder("a device").level(Level::new("Device")?, 1).build()?;
        let place = |layout: Layout| Placement::of(layout).on(&machine).build();
        let source = place(cropped(source, from, lengths)?)?;
        let destination = place(cropped(destination, to, lengths)?)?;
        Ok(Relayout::new(&source, &destination)?.traffic()?.count(Distance::InPlace))
    }
}

/// The part of a shard that begins at `starts`.
pub(super) fn cropped(
    shard: &Layout,
    starts: &[u64],
    lengths: &[u64],
) -> Result<Layout, LayoutError> {
    let mut dims = starts.iter().zip(lengths).enumerate();
    dims.try_fold(shard.clone(), |layout, (axis, (start, length))| {
        layout.slice(axis, *start, start + length, 1)
    })
}
