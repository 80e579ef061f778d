//! Two placements of one tensor that can be compared.

use std::fmt;
use std::sync::Arc;

use itertools::Itertools;

use super::nodes::{NodeLayout, Paths, Tree, paired};
use crate::algebra::{Layout, product};
use crate::error::{LayoutError, Site};
use crate::level::Level;
use crate::location::Location;
use crate::machine::Machine;
use crate::placement::Placement;

/// The distance that an element moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Distance {
    /// Nothing changes: unit, address and lane are those of the source.
    InPlace,
    /// Another address or lane in the same memory of the same unit.
    Address,
    /// Another memory of the same unit.
    Memory,
    /// The outermost level whose border is crossed: the element enters another unit of that level or, between
    /// a memory and one lower in the tree, enters or leaves a unit.
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

/// A tensor that is stored in one layout and needed in another, on one machine.
///
/// Every level of the machine has a coordinate on both sides; if only one layout has `Time`, the other is in
/// place in every slice.
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
    pub(super) source: Arc<Layout>,
    pub(super) target: Arc<Layout>,
    /// The nodes of both sides, without `Time`.
    pub(super) paths: Paths,
    /// The nodes of the lower memory from the root down, with `Time` in its place.
    pub(super) units: Vec<Level>,
    /// The position of `Time` among the levels, if either side uses it.
    pub(super) time: Option<TimeOrder>,
    /// The number of time slices, whether or not an element is in them.
    pub(super) slices: u64,
    /// Lanes of a long word, where the type of the elements is known.
    pub(super) known_lanes: Option<u64>,
    /// The lanes of both sides where they differ: values are cast on the way.
    pub(super) cast: Option<(u64, u64)>,
    /// The width of the narrower elements, if it is known.
    pub(super) element_bits: Option<u64>,
}

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    Source,
    Target,
}

impl Role {
    /// Returns the entry of this side.
    pub(super) fn of<T>(self, (source, target): &(T, T)) -> &T {
        match self {
            Role::Source => source,
            Role::Target => target,
        }
    }
}

/// The position of `Time` among the levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TimeOrder {
    /// Above all units: no move is farther than one to another slice.
    #[default]
    Outermost,
    /// Below all units that both memories are in: a move to another slice within one of these units is nearer
    /// than one to another unit.
    Innermost,
    /// Ignored: a unit counts as holding all that it holds in any slice, and traffic is not multiplied by
    /// the number of slices.
    Aside,
}

impl Relayout {
    /// Pairs a source with a destination, in the same memory or in two memories of one machine.
    ///
    /// # Errors
    /// `NotComparable` for different shapes or machines, an element width on one side only, no machine, a
    /// memory on one side only, or memories of groups of units that do not nest; `Uneven` for copies that do
    /// not line up with the groups of the other memory; `TooLarge` where copies over time do not fit in 64
    /// bits.
    pub fn new(source: &Placement, destination: &Placement) -> Result<Relayout, LayoutError> {
        check(source, destination)?;
        let (from, to, mut paths) =
            paired(&Tree::of(source), &NodeLayout::by(source)?, &NodeLayout::by(destination)?)?;
        let names = source.memory().zip(destination.memory()).filter(|((a, _), (b, _))| a != b);
        paths.memories = names.map(|((a, _), (b, _))| (a.to_owned(), b.to_owned()));
        let uses = |level| from.uses(level) || to.uses(level);
        let slices = [source, destination].map(|side| side.with_copies().extent(Level::TIME));
        let slices = slices.into_iter().max().filter(|_| uses(Level::TIME));
        let known_lanes = source.lanes().filter(|_| uses(Level::W));
        let cast = source.lanes().zip(destination.lanes()).filter(|(from, to)| from != to);
        let element_bits = source.element_bits().min(destination.element_bits());
        Ok(Relayout { known_lanes, cast, element_bits, ..Relayout::of(from, to, paths, slices)? })
    }

    /// The pair of two layouts in levels that both have; if time counts, with its slices.
    pub(super) fn of(
        source: Arc<Layout>,
        target: Arc<Layout>,
        paths: Paths,
        slices: Option<u64>,
    ) -> Result<Relayout, LayoutError> {
        let relayout = Relayout {
            source: in_every_slice(source, slices)?,
            target: in_every_slice(target, slices)?,
            units: Vec::new(),
            paths,
            time: None,
            slices: slices.unwrap_or(1),
            known_lanes: None,
            cast: None,
            element_bits: None,
        };
        Ok(relayout.timed(slices.map(|_| TimeOrder::Outermost)))
    }

    /// Lists the levels of the path, with `Time` at its position if it counts.
    fn timed(mut self, time: Option<TimeOrder>) -> Relayout {
        self.time = time;
        self.units = self.paths.longer().to_vec();
        self.units.retain(|level| time.is_none() || *level != Level::TIME);
        match time {
            Some(TimeOrder::Outermost) => self.units.insert(0, Level::TIME),
            Some(TimeOrder::Innermost) => self.units.insert(self.paths.common(), Level::TIME),
            Some(TimeOrder::Aside) | None => {}
        }
        self
    }

    /// Changes the position of `Time` among the levels. With [`TimeOrder::Aside`] there are no
    /// [`transfers`](Relayout::transfers).
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
    /// let aside = relayout.with_time(TimeOrder::Aside);
    /// assert_eq!(aside.traffic_down_to(Level::PE)?[0].into, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_time(self, order: TimeOrder) -> Relayout {
        let time = self.time.map(|_| order);
        self.timed(time)
    }

    /// The number of elements.
    #[must_use]
    pub fn elements(&self) -> u64 {
        self.target.elements()
    }

    /// The number of places each element has in the destination, over all time slices; with time aside, in
    /// one slice.
    #[must_use]
    pub fn copies(&self) -> u64 {
        let counts = |level: Level| level != Level::TIME || self.time != Some(TimeOrder::Aside);
        let replicas = self.target.replicas().iter().filter(|replica| counts(replica.level));
        replicas.map(|replica| replica.size).product()
    }

    /// The levels that paths go through, from the outermost to the innermost: down to the lower of the two
    /// memories, with the [groups](crate::machine::Memory::node) to which either is attached.
    #[must_use]
    pub fn levels(&self) -> &[Level] {
        &self.units
    }

    pub(super) fn layout(&self, side: Role) -> &Layout {
        match side {
            Role::Source => &self.source,
            Role::Target => &self.target,
        }
    }

    /// Returns whether source and destination are two memories.
    pub(super) fn is_between_memories(&self) -> bool {
        self.paths.memories.is_some()
    }

    /// Returns whether the elements have different widths, so that values are cast. What stays in its unit then
    /// counts as moved to another address, since lanes regroup.
    #[must_use]
    pub fn is_cast(&self) -> bool {
        self.cast.is_some()
    }

    /// The width of an element; of a cast, that of the narrower ones, which move. `None` if it is not known.
    #[must_use]
    pub fn element_bits(&self) -> Option<u64> {
        self.element_bits
    }

    /// Checks that values are not cast: no run of addresses would hold them on both sides.
    ///
    /// # Errors
    /// `NotComparable` for different widths.
    pub fn check_uncast(&self) -> Result<(), LayoutError> {
        match self.cast {
            Some((from, to)) => Err(LayoutError::differ("numbers of lanes", Some(from), Some(to))),
            None => Ok(()),
        }
    }

    /// The levels of a place within its memory, `Addr` and `W`, as far as they are used; none between two
    /// memories, or where values are cast.
    pub(super) fn inner(&self) -> impl Iterator<Item = Level> {
        let uses = |level| self.source.uses(level) || self.target.uses(level);
        let inner = [Level::ADDR, Level::W].into_iter().filter(move |level| uses(*level));
        inner.filter(|_| !self.is_between_memories() && !self.is_cast())
    }

    /// Returns whether the memory of one side is inside units of a level of the path.
    pub(super) fn is_inside(&self, side: Role, level: Level) -> bool {
        level == Level::TIME || side.of(&self.paths.sides).contains(&level)
    }

    /// The memory of one side that a path leads to; that of a group by its first unit.
    pub(super) fn memory_at(
        &self,
        side: Role,
        path: impl Iterator<Item = (Level, u64)>,
    ) -> Location {
        let mut memory = Location::default();
        for (level, at) in path.filter(|(level, _)| self.is_inside(side, *level)) {
            let (level, at) = self.in_units((level, at));
            memory.add(level, at);
        }
        memory
    }

    /// A level that callers know, and a coordinate or a stride in its units: groups are known by
    /// their first units.
    pub(super) fn in_units(&self, at: (Level, u64)) -> (Level, u64) {
        self.paths.in_units(at)
    }

    /// The number of levels of the path down to `level`. Where a path ends at groups of units, the level of
    /// the units names the groups.
    pub(super) fn depth_of(&self, level: Level) -> Result<usize, LayoutError> {
        let at = self.units.iter().position(|of| *of == level);
        let group = || self.units.iter().rposition(|of| self.in_units((*of, 0)).0 == level);
        at.or_else(group).map(|at| at + 1).ok_or_else(|| self.not_on_paths(level))
    }

    pub(super) fn not_on_paths(&self, level: Level) -> LayoutError {
        let known = self.units.iter().copied().filter(|of| *of != level).collect_vec();
        LayoutError::not_on_paths(level, &known)
    }
}

/// Adds a copy in every slice to a layout that does not use time, if time counts.
fn in_every_slice(layout: Arc<Layout>, slices: Option<u64>) -> Result<Arc<Layout>, LayoutError> {
    let is_plain = layout.derived_axes().is_empty();
    // Digits of a part are plain where only padding keeps them from it.
    let simple = || layout.simplified().of_elements_if_decided().map(Arc::new);
    let layout = if is_plain { layout } else { simple()? };
    let Some(slices) = slices.filter(|_| !layout.uses(Level::TIME)) else { return Ok(layout) };
    let places = product([layout.slots(), slices]);
    places.ok_or_else(|| LayoutError::too_large(Site::Layout, "the number of copies"))?;
    layout.to_builder().replica(slices, Level::TIME, 1).build().map(Arc::new)
}

fn check(source: &Placement, destination: &Placement) -> Result<(), LayoutError> {
    let sides = [source, destination];
    let [from, to] = sides.map(|side| side.layout().shape());
    if from != to {
        return Err(LayoutError::differ("shapes", from, to));
    }
    let [a, b] = sides.map(Placement::machine);
    if !a.zip(b).is_some_and(|(a, b)| alike(a, b)) {
        let [from, to] = [a, b].map(|machine| machine.map(Machine::described));
        return Err(LayoutError::differ("machines", from, to));
    }
    let [from, to] = sides.map(|side| side.memory().map(|(name, _)| name.to_owned()));
    if from.is_some() != to.is_some() {
        return Err(LayoutError::differ("memories", from, to));
    }
    match (source.lanes(), destination.lanes()) {
        (Some(_), Some(_)) => Ok(()),
        _ => source.check_lanes(destination),
    }
}

/// Returns whether two machines have the same levels and memories; their names may differ.
fn alike(a: &Machine, b: &Machine) -> bool {
    let memories = |machine: &Machine| machine.memories().map(|(_, memory)| memory).collect_vec();
    a.levels().eq(b.levels()) && memories(a) == memories(b)
}
