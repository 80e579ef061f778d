//! Two placements of one tensor that can be compared.

use std::fmt;

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
    /// The same unit.
    Address,
    /// Another unit: the outermost level at which the paths part.
    Level(Level),
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distance::InPlace => f.write_str("in place"),
            Distance::Address => f.write_str("address"),
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
}

impl Relayout {
    /// Pairs a source with a destination.
    ///
    /// # Errors
    /// [`NotComparable`](LayoutError::NotComparable) for different shapes, machines or memories,
    /// or no machine, or lanes of different widths; [`TooLarge`](LayoutError::TooLarge) where
    /// copies over time do not fit in 64 bits.
    pub fn new(source: &Placement, destination: &Placement) -> Result<Relayout, LayoutError> {
        check(source, destination)?;
        let (a, b) = (stored(source)?, stored(destination)?);
        let uses =
            |level: Level| a.used_levels().contains(&level) || b.used_levels().contains(&level);
        let units = source.columns().iter().copied().filter(|level| level.is_unit());
        let time = [Level::TIME].into_iter().filter(|level| uses(*level));
        let lane = [Level::W].into_iter().filter(|level| uses(*level));
        let slices = a.extent(Level::TIME).max(b.extent(Level::TIME));
        Ok(Relayout {
            units: time.chain(units).collect(),
            known_lanes: source.lanes().filter(|_| uses(Level::W)),
            inner: [Level::ADDR].into_iter().chain(lane).collect(),
            source: in_every_slice(&a, uses(Level::TIME), slices)?,
            target: in_every_slice(&b, uses(Level::TIME), slices)?,
        })
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
        &self.units
    }
}

fn stored(placement: &Placement) -> Result<Layout, LayoutError> {
    let question = "how many elements move between memories with uneven copies";
    let stored = placement.as_stored()?;
    stored.plain().cloned().ok_or(LayoutError::NotDecided { question, budget: 0 })
}

/// A layout that does not use time, where time counts, has a copy in every slice.
fn in_every_slice(layout: &Layout, counts: bool, slices: u64) -> Result<Layout, LayoutError> {
    let layout = layout.simplified()?;
    if !counts || layout.used_levels().contains(&Level::TIME) {
        return Ok(layout);
    }
    let places = product([layout.slots(), slices]);
    places.ok_or(LayoutError::too_large(Site::Layout, "the number of copies"))?;
    layout.to_builder().replica(slices, Level::TIME, 1).build()
}

fn check(source: &Placement, destination: &Placement) -> Result<(), LayoutError> {
    let differ = |what, source: String, destination: String| {
        Err(LayoutError::NotComparable { what, source_has: source, destination_has: destination })
    };
    let (a, b) = (source.layout().shape(), destination.layout().shape());
    if a != b {
        return differ("shapes", format!("{a:?}"), format!("{b:?}"));
    }
    let machine = |placement: &Placement| placement.machine().map(Machine::described);
    let levels =
        |placement: &Placement| placement.machine().map(|m| m.levels().collect::<Vec<_>>());
    let none = || "none".to_owned();
    if levels(source) != levels(destination) || source.machine().is_none() {
        let (a, b) = (machine(source), machine(destination));
        return differ("machines", a.unwrap_or_else(none), b.unwrap_or_else(none));
    }
    let memory = |placement: &Placement| placement.memory().map(|(name, _)| name.to_owned());
    if memory(source) != memory(destination) {
        let (a, b) = (memory(source), memory(destination));
        return differ("memories", a.unwrap_or_else(none), b.unwrap_or_else(none));
    }
    let lanes = |placement: &Placement| placement.lanes().map(|lanes| lanes.to_string());
    if lanes(source) != lanes(destination) {
        let (a, b) = (lanes(source), lanes(destination));
        return differ("numbers of lanes", a.unwrap_or_else(none), b.unwrap_or_else(none));
    }
    Ok(())
}
