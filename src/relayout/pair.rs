//! Two placements of one tensor that can be compared.

use std::fmt;

use itertools::Itertools;

use super::between::between;
use crate::algebra::{Layout, product};
use crate::error::{LayoutError, Site};
use crate::level::Level;
use crate::machine::Machine;
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
    /// The names of both memories, where they are two.
    pub(super) memories: Option<(String, String)>,
    /// The levels as callers know them.
    names: Vec<Level>,
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
    /// different widths; [`TooLarge`](LayoutError::TooLarge) where copies over time do not fit in
    /// 64 bits.
    pub fn new(source: &Placement, destination: &Placement) -> Result<Relayout, LayoutError> {
        check(source, destination)?;
        let (mut a, mut b) = (stored(source)?, stored(destination)?);
        let columns = source.columns().iter().copied();
        let mut units: Vec<Level> = columns.filter(|level| level.is_unit()).collect();
        let mut memories = None;
        if let (Some(machine), Some((from, m)), Some((to, n))) =
            (source.machine(), source.memory(), destination.memory())
            && from != to
        {
            let common = between(machine, (&a, m), (&b, n))?;
            (a, b, units) = (common.source, common.target, common.units);
            memories = Some((from.to_owned(), to.to_owned()));
        }
        let uses =
            |level: Level| a.used_levels().contains(&level) || b.used_levels().contains(&level);
        let time = [Level::TIME].into_iter().filter(|level| uses(*level));
        let lane = [Level::W].into_iter().filter(|level| uses(*level) && memories.is_none());
        let address = [Level::ADDR].into_iter().filter(|_| memories.is_none());
        let slices = a.extent(Level::TIME).max(b.extent(Level::TIME));
        let timeless =
            |layout: &Layout| uses(Level::TIME) && !layout.used_levels().contains(&Level::TIME);
        let relayout = Relayout {
            units: time.chain(units).collect(),
            known_lanes: source.lanes().filter(|_| uses(Level::W)),
            inner: address.chain(lane).collect(),
            source: in_every_slice(&a, timeless(&a), slices)?,
            target: in_every_slice(&b, timeless(&b), slices)?,
            memories,
            names: Vec::new(),
        };
        Ok(relayout.named())
    }

    /// A relayout of which only the levels are asked.
    pub(super) fn of_units(source: Layout, target: Layout, units: Vec<Level>) -> Relayout {
        let (inner, names) = (Vec::new(), Vec::new());
        let relayout =
            Relayout { source, target, units, inner, known_lanes: None, memories: None, names };
        relayout.named()
    }

    fn named(mut self) -> Relayout {
        self.names = self.units.iter().copied().filter(|of| *of != Level::IN_GROUP).collect();
        self
    }

    /// Puts `Time` elsewhere among the levels, or sets it aside.
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
        let Some(at) = self.units.iter().position(|level| *level == Level::TIME) else {
            return Ok(self);
        };
        self.units.remove(at);
        match order {
            TimeOrder::Outermost => self.units.insert(0, Level::TIME),
            TimeOrder::Innermost => self.units.push(Level::TIME),
            TimeOrder::Aside => {
                for layout in [&mut self.source, &mut self.target] {
                    layout.replicas.retain(|replica| replica.level != Level::TIME);
                }
            }
        }
        Ok(self.named())
    }

    /// The number of elements.
    #[must_use]
    pub fn elements(&self) -> u64 {
        self.target.elements()
    }

    /// How many places each element has in the destination, over all time slices.
    #[must_use]
    pub fn copies(&self) -> u64 {
        self.target.copies()
    }

    /// The levels that paths go through, from the outermost to the innermost.
    #[must_use]
    pub fn levels(&self) -> &[Level] {
        &self.names
    }

    /// The level that callers know a level of the path by.
    pub(super) fn name(&self, depth: usize) -> Level {
        let above = self.units[..=depth].iter().rev().find(|level| **level != Level::IN_GROUP);
        above.copied().unwrap_or(self.units[depth])
    }
}

pub(super) fn stored(placement: &Placement) -> Result<Layout, LayoutError> {
    let question = "how many elements move between memories with uneven copies";
    let stored = placement.as_stored()?;
    let layout = placement.layout();
    if stored.plain().is_none() && layout.elements() == 0 {
        // Without elements nothing moves, however its copies would lie.
        let used = layout.used_levels().iter();
        let shape = layout.without_padding()?.to_builder();
        return used.fold(shape, |shape, level| shape.used(*level)).build();
    }
    stored.plain().cloned().ok_or(LayoutError::NotDecided { question, budget: 0 })
}

/// A layout that does not use time, where time counts, has a copy in every slice.
pub(super) fn in_every_slice(
    layout: &Layout,
    timeless: bool,
    slices: u64,
) -> Result<Layout, LayoutError> {
    let layout = layout.simplified()?;
    if !timeless {
        return Ok(layout);
    }
    let places = product([layout.slots(), slices]);
    places.ok_or(LayoutError::too_large(Site::Layout, "the number of copies"))?;
    layout.to_builder().replica(slices, Level::TIME, 1).build()
}

pub(super) fn differ(
    what: &'static str,
    source_has: String,
    destination_has: String,
) -> LayoutError {
    LayoutError::NotComparable { what, source_has, destination_has }
}

fn check(source: &Placement, destination: &Placement) -> Result<(), LayoutError> {
    let (a, b) = (source.layout().shape(), destination.layout().shape());
    if a != b {
        return Err(differ("shapes", format!("{a:?}"), format!("{b:?}")));
    }
    let unless_same = |what, a: Option<String>, b: Option<String>, same: bool| {
        let name = |name: Option<String>| name.unwrap_or_else(|| "none".to_owned());
        if same { Ok(()) } else { Err(differ(what, name(a), name(b))) }
    };
    let machine = |placement: &Placement| placement.machine().map(Machine::described);
    let parts = |placement: &Placement| {
        placement
            .machine()
            .map(|m| (m.levels().collect_vec(), m.memories().map(|m| m.1).collect_vec()))
    };
    let same = source.machine().is_some() && parts(source) == parts(destination);
    unless_same("machines", machine(source), machine(destination), same)?;
    let memory = |placement: &Placement| placement.memory().map(|(name, _)| name.to_owned());
    let (a, b) = (memory(source), memory(destination));
    let same = a.is_some() == b.is_some();
    unless_same("memories", a, b, same)?;
    let lanes = |placement: &Placement| placement.lanes().map(|lanes| lanes.to_string());
    let (a, b) = (lanes(source), lanes(destination));
    let same = a == b;
    unless_same("numbers of lanes", a, b, same)
}
