//! Two placements of one tensor that can be compared.

use std::fmt;

use itertools::Itertools;

use super::between::between;
use super::refuse::{differ, uneven_copies};
use crate::algebra::{Layout, product};
use crate::error::{Incomparable, LayoutError, Site};
use crate::level::Level;
use crate::location::Location;
use crate::machine::{Machine, Memory};
use crate::placement::Placement;

/// How far an element comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Distance {
    /// The same unit, address and lane.
    InPlace,
    /// The same unit and memory.
    Address,
    /// A unit that owns or shares both memories, where they are two.
    Memory,
    /// Another unit: the outermost level at which the paths part.
    Level(Level),
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distance::InPlace => f.write_str("in place"),
            Distance::Address => f.write_str("address"),
            Distance::Memory => f.write_str("memory"),
            Distance::Level(level) => level.fmt(f),
        }
    }
}

/// A tensor that is in one layout and is wanted in another, on one machine.
///
/// Every level of the machine has a coordinate on both sides; a layout without `Time`, where the
/// other has it, is in place in every slice.
///
/// ```
/// use tensor_layout::{Level, Machine, Placement};
/// use tensor_layout::relayout::{Distance, Relayout};
/// let machine: Machine = "PE=4".parse()?;
/// let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build();
/// let relayout = Relayout::new(&on("((4_PE, 3:8), (8:1))")?, &on("((12:2), (4_PE, 2:1))")?)?;
/// let traffic = relayout.traffic()?;
/// assert_eq!(traffic.count(Distance::Level(Level::PE)), 72); // of 96 elements
/// assert_eq!(traffic.count(Distance::InPlace), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Relayout {
    pub(super) source: Layout,
    pub(super) target: Layout,
    /// `Time` if used, then the units from the root down.
    pub(super) units: Vec<Level>,
    /// `Addr`, and `W` if used.
    pub(super) inner: Vec<Level>,
    /// Lanes of a long word, where the type of the elements is known.
    pub(super) known_lanes: Option<u64>,
    /// What is known of both memories, where they are two.
    pub(super) memories: Option<Memories>,
    /// How many units one step of a coordinate is, where units share memories.
    steps: Vec<(Level, u64)>,
    /// Where `Time` stands, if either side uses it.
    pub(super) time: Option<TimeOrder>,
    /// How many time slices there are, whether or not an element is in them.
    pub(super) slices: u64,
    /// The levels as callers know them.
    names: Vec<Level>,
}

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Source,
    Target,
}

impl Side {
    /// What is this side's.
    pub(super) fn of<T>(self, (source, target): &(T, T)) -> &T {
        match self {
            Side::Source => source,
            Side::Target => target,
        }
    }
}

/// Two memories of one machine.
#[derive(Clone, Debug)]
pub(super) struct Memories {
    /// The levels that tell the memories of each side apart.
    pub(super) paths: (Vec<Level>, Vec<Level>),
    /// The owner of the higher memory.
    pub(super) owner: Level,
}

/// Where `Time` stands among the levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimeOrder {
    /// Above all units: an element that is wanted in another slice is as far as it gets.
    #[default]
    Outermost,
    /// Below all units: an element that a unit holds in one slice and wants in another is near.
    Innermost,
    /// Nowhere: a unit holds what it holds in some slice, and slices do not multiply what moves.
    Aside,
}

impl Relayout {
    /// Pairs a source with a destination, in the same memory or in two memories of one machine.
    ///
    /// # Errors
    /// [`NotComparable`](LayoutError::NotComparable) for different shapes or machines, a memory on
    /// one side only, memories shared by groups that do not nest, or no machine, or lanes of
    /// different widths; [`Relayout`](LayoutError::Relayout) for copies that do not line up with the
    /// units that share a memory; [`TooLarge`](LayoutError::TooLarge) where copies over time do not
    /// fit in 64 bits.
    pub fn new(source: &Placement, destination: &Placement) -> Result<Relayout, LayoutError> {
        check(source, destination)?;
        let slices = [source, destination].map(|side| side.with_copies().extent(Level::TIME));
        let slices = slices.into_iter().fold(1, u64::max);
        let (mut a, mut b) = (stored(source)?, stored(destination)?);
        let columns = source.columns().iter().copied();
        let mut units: Vec<Level> = columns.filter(|level| level.is_unit()).collect();
        let mut memories = None;
        let shared = source.memory().filter(|(_, memory)| memory.group > 1);
        let mut steps: Vec<(Level, u64)> =
            shared.map(|(_, memory)| (memory.owner, memory.group)).into_iter().collect();
        if let (Some(machine), Some((from, m)), Some((to, n))) =
            (source.machine(), source.memory(), destination.memory())
            && from != to
        {
            if a.elements() == 0 {
                // Without elements nothing moves, however copies would lie.
                [&mut a, &mut b].into_iter().for_each(|layout| layout.replicas.clear());
            }
            let common = between(machine, (&a, m), (&b, n))?;
            units = common.paths.1.clone();
            memories = Some(Memories { paths: common.paths, owner: common.owner });
            steps = common.steps;
            (a, b) = (common.source, common.target);
        }
        let uses =
            |level: Level| a.used_levels().contains(&level) || b.used_levels().contains(&level);
        let time = [Level::TIME].into_iter().filter(|level| uses(*level));
        let lane = [Level::W].into_iter().filter(|level| uses(*level) && memories.is_none());
        let address = [Level::ADDR].into_iter().filter(|_| memories.is_none());
        let timeless =
            |layout: &Layout| uses(Level::TIME) && !layout.used_levels().contains(&Level::TIME);
        let (a_timeless, b_timeless) = (timeless(&a), timeless(&b));
        let relayout = Relayout {
            time: uses(Level::TIME).then_some(TimeOrder::Outermost),
            units: time.chain(units).collect(),
            known_lanes: source.lanes().filter(|_| uses(Level::W)),
            inner: address.chain(lane).collect(),
            source: in_every_slice(a, a_timeless, slices)?,
            target: in_every_slice(b, b_timeless, slices)?,
            slices,
            memories,
            steps,
            names: Vec::new(),
        };
        Ok(relayout.named())
    }

    /// A relayout of which only the levels are asked.
    pub(super) fn of_units(source: Layout, target: Layout, units: Vec<Level>) -> Relayout {
        let relayout = Relayout {
            slices: source.extent(Level::TIME).max(target.extent(Level::TIME)),
            source,
            target,
            time: units.contains(&Level::TIME).then_some(TimeOrder::Outermost),
            units,
            inner: Vec::new(),
            known_lanes: None,
            memories: None,
            steps: Vec::new(),
            names: Vec::new(),
        };
        relayout.named()
    }

    fn named(mut self) -> Relayout {
        self.names = self.units.iter().copied().filter(|of| *of != Level::IN_GROUP).collect();
        self
    }

    /// Puts `Time` elsewhere among the levels, or sets it aside: then there are no
    /// [`transfers`](Relayout::transfers).
    ///
    /// # Errors
    /// None today; [`TooLarge`](LayoutError::TooLarge) is kept for numbers that do not fit.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Level, Machine, Placement};
    /// use tensor_layout::relayout::{Relayout, TimeOrder};
    /// let machine: Machine = "PE=4".parse()?;
    /// let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build();
    /// // Sixteen slices of what every PE holds anyway.
    /// let (whole, sliced) = (on("((4_PE, 16:1))")?, on("((4_PE, 16_Time))")?);
    /// let relayout = Relayout::new(&sliced, &whole)?;
    /// assert_eq!(relayout.traffic_down_to(Level::PE)?[0].into, 15 * 64);
    /// let aside = relayout.with_time(TimeOrder::Aside)?;
    /// assert_eq!(aside.traffic_down_to(Level::PE)?[0].into, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_time(mut self, order: TimeOrder) -> Result<Relayout, LayoutError> {
        if self.time.is_none() {
            return Ok(self);
        }
        self.time = Some(order);
        self.units.retain(|level| *level != Level::TIME);
        match order {
            TimeOrder::Outermost => self.units.insert(0, Level::TIME),
            TimeOrder::Innermost => self.units.push(Level::TIME),
            TimeOrder::Aside => {}
        }
        Ok(self.named())
    }

    /// The number of elements.
    #[must_use]
    pub fn elements(&self) -> u64 {
        self.target.elements()
    }

    /// How many places each element has in the destination, over all time slices; with time aside,
    /// in how many each slice has it.
    #[must_use]
    pub fn copies(&self) -> u64 {
        let counts = |level: Level| level != Level::TIME || self.time != Some(TimeOrder::Aside);
        let replicas = self.target.replicas().iter().filter(|replica| counts(replica.level));
        replicas.map(|replica| replica.size).product()
    }

    /// The levels that paths go through, from the outermost to the innermost.
    #[must_use]
    pub fn levels(&self) -> &[Level] {
        &self.names
    }

    pub(super) fn layout(&self, side: Side) -> &Layout {
        match side {
            Side::Source => &self.source,
            Side::Target => &self.target,
        }
    }

    /// The levels that tell the memories of one side apart: those that both have, then its own.
    pub(super) fn path(&self, side: Side) -> Vec<Level> {
        let Some(memories) = &self.memories else { return self.units.clone() };
        let more = side.of(&memories.paths).iter().filter(|level| !self.units.contains(level));
        self.units.iter().chain(more).copied().collect()
    }

    /// The memory of one side that a path leads to, by the first of the units that share it.
    pub(super) fn memory_at(
        &self,
        side: Side,
        path: impl Iterator<Item = (Level, u64)>,
    ) -> Location {
        let own = self.memories.as_ref().map_or(&self.units, |memories| side.of(&memories.paths));
        let mut memory = Location::default();
        for (level, at) in path.filter(|(level, _)| *level == Level::TIME || own.contains(level)) {
            let (level, at) = self.in_units((level, at));
            memory.add(level, at);
        }
        memory
    }

    /// A level that callers know, and a coordinate or a stride in its units. Memories that units
    /// share are numbered in between, and callers know each by the first unit.
    pub(super) fn in_units(&self, (level, at): (Level, u64)) -> (Level, u64) {
        let step = self.steps.iter().find(|(of, _)| *of == level).map_or(1, |(_, step)| *step);
        let owner = self.memories.as_ref().map(|memories| memories.owner);
        (owner.filter(|_| level == Level::IN_GROUP).unwrap_or(level), at * step)
    }

    /// The level that callers know a level of the path by.
    pub(super) fn name(&self, depth: usize) -> Level {
        let above = self.units[..=depth].iter().rev().find(|level| **level != Level::IN_GROUP);
        above.copied().unwrap_or(self.units[depth])
    }

    /// How many levels of the path there are down to one that callers name.
    pub(super) fn depth_of(&self, level: Level) -> Result<usize, LayoutError> {
        let at = (0..self.units.len()).rev().find(|at| self.name(*at) == level);
        at.map(|at| at + 1).ok_or(LayoutError::LevelMissing { level })
    }

    /// A number for every level that callers name, innermost first, by how deep it is.
    pub(super) fn per_level(
        &self,
        units: &[Level],
        count: impl Fn(usize) -> Result<u64, LayoutError>,
    ) -> Result<Vec<(Level, u64)>, LayoutError> {
        let mut levels: Vec<(Level, u64)> = Vec::with_capacity(units.len());
        for (depth, level) in (1..).zip(units) {
            let into = count(depth)?;
            match levels.last_mut() {
                // The units below the memories that they share.
                Some((_, last)) if *level == Level::IN_GROUP => *last = into,
                _ => levels.push((*level, into)),
            }
        }
        levels.reverse();
        Ok(levels)
    }
}

/// What the memories of a placement hold.
pub(super) fn stored(placement: &Placement) -> Result<Layout, LayoutError> {
    let shared = placement.memory().filter(|(_, memory)| memory.group > 1);
    let Some((_, Memory { owner, group, .. })) = shared else {
        return Ok(placement.with_copies().clone());
    };
    let stored = placement.as_stored()?;
    if let Some(plain) = stored.plain() {
        return Ok(plain.clone());
    }
    let layout = placement.layout();
    if layout.elements() == 0 {
        // Without elements nothing moves, however its copies would lie.
        let used = layout.used_levels().iter();
        let shape = layout.without_padding()?.to_builder();
        return used.fold(shape, |shape, level| shape.used(*level)).build();
    }
    Err(uneven_copies(owner, group))
}

/// A layout that does not use time, where time counts, has a copy in every slice.
pub(super) fn in_every_slice(
    layout: Layout,
    timeless: bool,
    slices: u64,
) -> Result<Layout, LayoutError> {
    let is_plain = layout.derived_axes().is_empty();
    let layout = if is_plain { layout } else { layout.simplified() };
    if !timeless {
        return Ok(layout);
    }
    let places = product([layout.slots(), slices]);
    places.ok_or(LayoutError::too_large(Site::Layout, "the number of copies"))?;
    layout.to_builder().replica(slices, Level::TIME, 1).build()
}

fn check(source: &Placement, destination: &Placement) -> Result<(), LayoutError> {
    let sides = [source, destination];
    let [from, to] = sides.map(|side| side.layout().shape());
    if from != to {
        return Err(differ(Incomparable::Shapes { from, to }));
    }
    let [a, b] = sides.map(Placement::machine);
    if !a.zip(b).is_some_and(|(a, b)| alike(a, b)) {
        let [from, to] = [a, b].map(|machine| machine.map(Machine::described));
        return Err(differ(Incomparable::Machines { from, to }));
    }
    let [from, to] = sides.map(|side| side.memory().map(|(name, _)| name.to_owned()));
    if from.is_some() != to.is_some() {
        return Err(differ(Incomparable::Memories { from, to }));
    }
    source.check_lanes(destination)
}

/// Whether two machines have the same levels and memories, however they are called.
fn alike(a: &Machine, b: &Machine) -> bool {
    let memories = |machine: &Machine| machine.memories().map(|(_, memory)| memory).collect_vec();
    a.levels().eq(b.levels()) && memories(a) == memories(b)
}
