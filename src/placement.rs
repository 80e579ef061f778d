//! A layout on a machine: extents checked, absent levels replicated, footprint known.

mod build;
mod equality;
mod fit;
mod groups;
#[cfg(feature = "serde")]
mod written;

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use itertools::Itertools;

pub use self::build::PlacementBuilder;
pub(crate) use self::build::check_units;
pub use self::fit::Fit;
use crate::algebra::{Layout, NestedDecoder};
use crate::error::{LayoutError, Site};
use crate::level::Level;
use crate::location::{Found, Location};
use crate::machine::{Machine, Memory, WORD_BITS};
use crate::number::to_index;

/// A layout on a machine, or on none.
///
/// Every level of the machine has a coordinate. A level that the layout does not use is
/// replicated; a level that it uses in part has holes. Without a machine only the levels that the layout
/// names have a coordinate and a size.
///
/// ```
/// use tensor_layout::{Layout, Level, Machine, Placement};
/// let layout: Layout = "((12:8), (8:1))".parse()?;
/// let machine: Machine = "PE=4".parse()?;
/// let placement = Placement::of(layout).on(&machine).build()?;
/// assert_eq!(placement.copies(), 4);
/// assert_eq!(placement.replicated(), [Level::PE]);
/// assert_eq!(placement.locate(&[1, 2])?.to_string(), "PE=0,Addr=10");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A placement is a value: two are equal if they have the same layout, written in the same way, and the
/// same base, machine, memory and lanes.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The layout as given, with the base.
    layout: Layout,
    /// The layout, simplified once, with its absent levels as replicas, and each memory that a group of units
    /// shares named by its first unit: the basis of all answers.
    with_copies: Layout,
    machine: Option<Machine>,
    memory: Option<(String, Memory)>,
    element_bits: Option<u64>,
    lanes: Option<u64>,
    columns: Vec<Level>,
    /// The error if elements share a place, decided at the first question that needs it.
    pub(crate) injective: OnceLock<Result<(), LayoutError>>,
    /// The quick way from places to elements, if there is one, made at the first of them.
    decoder: OnceLock<Option<PlaceDecoder>>,
}

/// The quick way from a place that has a coordinate for each level of a placement to its element.
#[derive(Clone, Debug)]
struct PlaceDecoder {
    of_layout: NestedDecoder,
    /// The end of the coordinates of each level.
    ends: Vec<u64>,
}

impl PlaceDecoder {
    fn new(placement: &Placement) -> Option<PlaceDecoder> {
        let shares = placement.memory.as_ref().is_some_and(|(_, memory)| memory.group > 1);
        let of_layout = NestedDecoder::new(&placement.with_copies).filter(|_| !shares)?;
        let ends = of_layout.levels().map(|level| placement.end(level)).collect();
        Some(PlaceDecoder { of_layout, ends })
    }

    /// `None` for a place with other levels.
    fn element(&self, place: &Location) -> Option<Found> {
        let coordinates = Some(place.iter()).filter(|all| all.len() == self.ends.len())?;
        let found = self.of_layout.element(place)?;
        let is_outside = coordinates.zip(&self.ends).any(|((_, at), end)| at >= *end);
        Some(if is_outside { Found::Outside } else { inside(found) })
    }
}

/// Inside the machine, there are holes where the layout does not reach.
fn inside(found: Found) -> Found {
    if found == Found::Outside { Found::Hole } else { found }
}

impl PartialEq for Placement {
    fn eq(&self, other: &Placement) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for Placement {}

impl PartialOrd for Placement {
    fn partial_cmp(&self, other: &Placement) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Placement {
    /// An arbitrary order, by layout first, for sorted maps and lists.
    fn cmp(&self, other: &Placement) -> Ordering {
        self.parts().cmp(&other.parts())
    }
}

impl Hash for Placement {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

impl Placement {
    /// The fields that determine all others.
    fn parts(&self) -> impl Ord + Hash {
        (&self.layout, self.machine(), self.memory(), self.lanes)
    }

    /// Returns an error if elements share places; decided once.
    ///
    /// # Errors
    /// `Collision`, `NotDecided`.
    pub fn check_injective(&self) -> Result<(), LayoutError> {
        self.injective.get_or_init(|| self.layout.check_injective()).clone()
    }

    /// The layout, moved by the base.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The layout with every replicated level written as a sized replica; a memory that a group of units
    /// shares has the coordinate of its first unit.
    #[must_use]
    pub fn with_copies(&self) -> &Layout {
        &self.with_copies
    }

    /// The machine, if there is one.
    #[must_use]
    pub fn machine(&self) -> Option<&Machine> {
        self.machine.as_ref()
    }

    /// The memory with its name, if one was chosen.
    #[must_use]
    pub fn memory(&self) -> Option<(&str, Memory)> {
        self.memory.as_ref().map(|(name, memory)| (name.as_str(), *memory))
    }

    /// The width of a long word in bits: that of the machine, or 64 without a machine.
    #[must_use]
    pub fn word_bits(&self) -> u64 {
        self.machine.as_ref().map_or(WORD_BITS, Machine::word_bits)
    }

    /// The width of an element in bits, if it was given and divides the long word.
    #[must_use]
    pub fn element_bits(&self) -> Option<u64> {
        self.element_bits.filter(|bits| self.word_bits().is_multiple_of(*bits))
    }

    /// The width of an element in bits, if it was given.
    pub(crate) fn given_bits(&self) -> Option<u64> {
        self.element_bits
    }

    /// The number of elements a long word holds, where the width of both is known.
    #[must_use]
    pub fn lanes(&self) -> Option<u64> {
        self.lanes
    }

    /// The levels that have a coordinate: `Time` if used; the levels of the machine from the root
    /// down, or those that the layout names; `Addr`; `W` if used or replicated.
    #[must_use]
    pub fn columns(&self) -> &[Level] {
        &self.columns
    }

    /// The number of places each element has.
    #[must_use]
    pub fn copies(&self) -> u64 {
        self.with_copies.copies()
    }

    /// The levels in which copies differ, including levels of a single unit, where copies would differ if
    /// there were more units.
    #[must_use]
    pub fn replicated(&self) -> Vec<Level> {
        let replicas = self.with_copies.replicas().iter();
        let copied: BTreeSet<Level> = replicas.map(|replica| replica.level).collect();
        self.columns.iter().copied().filter(|level| copied.contains(level)).collect()
    }

    /// The long words that each unit needs: 1 + the greatest address, padding, span and base included; 0 for a tensor
    /// without elements.
    #[must_use]
    pub fn footprint_words(&self) -> u64 {
        if self.layout.elements() == 0 { 0 } else { self.layout.span(Level::ADDR) }
    }

    /// The number of coordinates that the machine has in `level`: units, long words of the chosen memory, or
    /// lanes of a long word.
    #[must_use]
    pub fn size(&self, level: Level) -> Option<u64> {
        match level {
            Level::ADDR => self.memory.as_ref().and_then(|(_, memory)| memory.capacity),
            Level::W => self.lanes,
            _ => self.machine.as_ref().and_then(|machine| machine.size(level)),
        }
    }

    /// The number of coordinates that tables and pictures show in `level`: those of the machine or, for
    /// addresses and for levels where the machine has fewer or gives no size, those of the layout.
    #[must_use]
    pub fn coordinates(&self, level: Level) -> u64 {
        match level {
            Level::ADDR => self.with_copies.span(level),
            _ => self.end(level),
        }
    }

    /// The [`coordinates`](Placement::coordinates) that name a unit or, for a memory that a group of units
    /// shares, the first unit of a group.
    pub fn units_named(&self, level: Level) -> impl Iterator<Item = u64> + use<> {
        let step = to_index(self.units_per_memory(level));
        (0..self.coordinates(level)).step_by(step)
    }

    /// Returns whether a coordinate is beyond [`size`](Placement::size) and, in a level that the layout uses,
    /// also beyond the span of the layout, which exceeds the size only in an oversized placement.
    fn is_outside(&self, level: Level, at: u64) -> bool {
        let is_open = self.size(level).is_none() && !self.with_copies.uses(level);
        !is_open && at >= self.end(level)
    }

    /// The first level in which a place is [outside](Found::Outside), and the number of coordinates there.
    ///
    /// ```
    /// use tensor_layout::{Layout, Level, Placement};
    /// let placement = Placement::of("((4_PE, 3:1))".parse()?).build()?;
    /// assert_eq!(placement.beyond(&"PE=9,Addr=0".parse()?), Some((Level::PE, 4)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn beyond(&self, place: &Location) -> Option<(Level, u64)> {
        let mut outside = place.iter().filter(|(level, at)| self.is_outside(*level, *at));
        outside.next().map(|(level, _)| (level, self.end(level)))
    }

    /// The end of the coordinates of `level`: of the machine or, if it is oversized or the machine
    /// gives no size, of the layout.
    pub(crate) fn end(&self, level: Level) -> u64 {
        self.size(level).unwrap_or(0).max(self.with_copies.span(level))
    }

    /// Finds the place of the element at `index`: its first copy, in all [`columns`](Self::columns).
    ///
    /// # Errors
    /// As [`Layout::locate`].
    pub fn locate(&self, index: &[u64]) -> Result<Location, LayoutError> {
        self.with_copies.locate(index)
    }

    /// Finds every place of the element at `index`.
    ///
    /// # Errors
    /// As [`Layout::locate`].
    pub fn locate_all<'a>(
        &'a self,
        index: &[u64],
    ) -> Result<impl Iterator<Item = Location> + Clone + use<'a>, LayoutError> {
        self.with_copies.locate_all(index)
    }

    /// Finds the element at a place; levels that only distinguish copies may be left out.
    ///
    /// A place is outside if a coordinate is not below [`size`](Placement::size) or, where the machine
    /// gives none or the layout is oversized, below the span of the layout. Any unit of a group can name the
    /// memory that the group shares.
    ///
    /// # Errors
    /// `Unknown` for a level that the machine lacks; `Missing` for a used level left out; `NotDecided` as
    /// [`Layout::element`].
    pub fn element(&self, place: &Location) -> Result<Found, LayoutError> {
        self.check_injective()?;
        let decoder = self.decoder.get_or_init(|| PlaceDecoder::new(self));
        if let Some(found) = decoder.as_ref().and_then(|decoder| decoder.element(place)) {
            return Ok(found);
        }
        let mut full = place.clone();
        for (level, at) in place.iter() {
            check_known(self.machine(), level, Site::Layout)?;
            if self.is_outside(level, at) {
                return Ok(Found::Outside);
            }
        }
        for level in self.columns.iter().filter(|level| place.get(**level).is_none()) {
            if self.is_replicated(*level) {
                full.set(*level, self.with_copies.offset(*level));
            }
        }
        if let Some((_, memory)) = &self.memory {
            memory.name(&mut full);
        }
        Ok(inside(self.with_copies.element(&full)?))
    }

    /// The number of units of a level that share the memory: 1 except for the owner of a memory of groups.
    #[must_use]
    pub fn units_per_memory(&self, level: Level) -> u64 {
        let memory = self.memory.as_ref().filter(|(_, memory)| memory.owner == level);
        memory.map_or(1, |(_, memory)| memory.group)
    }

    /// Returns whether a level only distinguishes copies, or the layout does not use it.
    fn is_replicated(&self, level: Level) -> bool {
        let is_copy = |site: Site| matches!(site, Site::Replica(_));
        let mut apart = self.with_copies.landings_in(level).filter(|landing| landing.size > 1);
        let is_absent = !self.layout.uses(level);
        let copied = self.with_copies.replicas().iter().any(|replica| replica.level == level);
        is_absent || (copied && apart.all(|landing| is_copy(landing.site)))
    }
}

/// Checks that every level of `place` is one of the columns.
pub(crate) fn check_columns(
    columns: &[Level],
    place: &Location,
    machine: Option<&Machine>,
) -> Result<(), LayoutError> {
    let unknown = place.iter().map(|(level, _)| level).find(|level| !columns.contains(level));
    unknown.map_or(Ok(()), |level| {
        let machine = machine.map_or("table".into(), Machine::described);
        let known = columns.iter().join(", ");
        Err(LayoutError::level_unknown(level, machine, known, Site::Layout))
    })
}

/// A level is known if it is not hardware, if the machine has it, or if no machine is given.
pub(crate) fn check_known(
    machine: Option<&Machine>,
    level: Level,
    site: Site,
) -> Result<(), LayoutError> {
    match machine {
        Some(machine) if level.is_unit() && machine.size(level).is_none() => {
            Err(LayoutError::level_unknown(level, machine.described(), machine.level_names(), site))
        }
        _ => Ok(()),
    }
}
