//! A layout on a machine: extents checked, absent levels replicated, footprint known.

mod shared;

use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use self::shared::{Group, Stored};
use crate::algebra::{Copies, Difference, Found, Layout};
use crate::error::{LayoutError, Site};
use crate::level::Level;
use crate::location::Location;
use crate::machine::{Machine, Memory, WORD_BITS};

/// A layout on a machine, or on none.
///
/// Every level of the machine has a coordinate. A level that the layout does not use is
/// replicated; a level that it uses in part has holes. Without a machine only what the layout
/// names has a coordinate and a size.
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
/// A placement is a value: two are equal if their layouts, written alike and with their bases,
/// their machines, memories and lanes are.
#[derive(Clone, Debug)]
pub struct Placement {
    /// As given, with the base.
    layout: Layout,
    /// The same, simplified once, its absent levels written as replicas.
    spread: Layout,
    machine: Option<Machine>,
    memory: Option<(String, Memory)>,
    lanes: Option<u64>,
    columns: Vec<Level>,
    /// Whether no two elements share a place: decided when it is first asked for.
    injective: OnceLock<Result<(), LayoutError>>,
}

impl PartialEq for Placement {
    fn eq(&self, other: &Placement) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for Placement {}

impl Hash for Placement {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

/// How much of a memory, or of the units of a level, a placement takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The memory or the level.
    pub name: String,
    /// The long words per unit that the layout needs, or 1 + its greatest coordinate.
    pub needed: u64,
    /// The long words that the memory holds, or the units that the level has.
    pub capacity: u64,
}

impl Fit {
    /// Whether it fits.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.needed <= self.capacity
    }
}

impl Placement {
    /// Whether the layout fits: for the chosen memory, or every memory that its units have to
    /// themselves, and for the levels that are too small.
    ///
    /// Only a placement built with [`oversized`](PlacementBuilder::oversized) can exceed anything.
    ///
    /// ```
    /// use tensor_layout::{Layout, Machine, Placement};
    /// let layout: Layout = "((4608:1))".parse()?;
    /// let on = Placement::of(layout).on(&Machine::mn_core_2());
    /// let placement = on.oversized().build()?;
    /// let fit = &placement.fits()[0];
    /// assert_eq!((&*fit.name, fit.needed, fit.capacity, fit.fits()), ("LM0", 4608, 2048, false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn fits(&self) -> Vec<Fit> {
        let Some(machine) = &self.machine else { return Vec::new() };
        let depth = |level: Level| machine.levels().position(|(of, _)| of == level);
        let used = self.layout.used_levels().iter();
        let lowest = used.filter_map(|level| depth(*level)).max();
        let own = |memory: &Memory| memory.group == 1 && depth(memory.owner) >= lowest;
        let memories: Vec<(&str, Memory)> = match self.memory() {
            Some(chosen) => vec![chosen],
            None => machine.memories().filter(|(_, memory)| own(memory)).collect(),
        };
        let memories = memories.into_iter().filter_map(|(name, memory)| {
            let (name, needed) = (name.to_owned(), self.footprint_words());
            memory.capacity.map(|capacity| Fit { name, needed, capacity })
        });
        let levels = machine.levels().map(|(level, capacity)| {
            let (name, needed) = (level.to_string(), self.layout.extent(level));
            Fit { name, needed, capacity }
        });
        levels.filter(|level| !level.fits()).chain(memories).collect()
    }

    /// The width of an element in bits, where it was given and divides the long word.
    #[must_use]
    pub fn element_bits(&self) -> Option<u64> {
        let word = self.machine.as_ref().map_or(WORD_BITS, Machine::word_bits);
        self.lanes
            .filter(|lanes| *lanes > 0 && word.is_multiple_of(*lanes))
            .map(|lanes| word / lanes)
    }

    /// Starts the placement of a layout.
    #[must_use]
    pub fn of(layout: Layout) -> PlacementBuilder {
        PlacementBuilder {
            layout,
            machine: None,
            memory: None,
            element_bits: None,
            base: 0,
            shared_places: false,
            oversized: false,
        }
    }

    /// All that the rest follows from.
    fn parts(&self) -> impl Eq + Hash {
        (&self.layout, self.machine(), self.memory(), self.lanes)
    }

    /// Refuses a placement in which elements share places; decided once.
    ///
    /// # Errors
    /// As [`Layout::check_injective`].
    pub fn check_injective(&self) -> Result<(), LayoutError> {
        self.injective.get_or_init(|| self.layout.check_injective()).clone()
    }

    /// The layout, moved by the base.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The layout with every replicated level written as a sized replica.
    #[must_use]
    pub fn spread(&self) -> &Layout {
        &self.spread
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

    /// How many elements a long word holds, where the width of both is known.
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

    /// How many places each element has.
    #[must_use]
    pub fn copies(&self) -> u64 {
        self.spread.copies()
    }

    /// The levels in which copies lie apart.
    #[must_use]
    pub fn replicated(&self) -> Vec<Level> {
        let replicas = self.spread.replicas().iter().map(|replica| replica.level);
        self.columns.iter().copied().filter(|c| replicas.clone().any(|r| r == *c)).collect()
    }

    /// The long words that each unit needs: 1 + the greatest address, padding and base included.
    #[must_use]
    pub fn footprint_words(&self) -> u64 {
        self.layout.extent(Level::ADDR)
    }

    /// How many coordinates the machine gives `level`: units, long words of the chosen memory, or
    /// lanes of a long word.
    #[must_use]
    pub fn size(&self, level: Level) -> Option<u64> {
        match level {
            Level::ADDR => self.memory.as_ref().and_then(|(_, memory)| memory.capacity),
            Level::W => self.lanes,
            _ => self.machine.as_ref().and_then(|machine| machine.size(level)),
        }
    }

    /// How many coordinates tables and pictures show in `level`: those of the machine or, for
    /// addresses and where the machine gives none, those of the layout.
    #[must_use]
    pub fn coordinates(&self, level: Level) -> u64 {
        let size = self.size(level).filter(|_| level != Level::ADDR);
        size.unwrap_or_else(|| self.spread.span(level))
    }

    /// Whether a coordinate is beyond [`size`](Placement::size) or, where the machine gives none,
    /// beyond the extent of the layout.
    fn is_outside(&self, level: Level, at: u64) -> bool {
        let used = self.spread.used_levels().contains(&level);
        let size = self.size(level).or_else(|| used.then(|| self.spread.span(level)));
        size.is_some_and(|size| at >= size)
    }

    /// Finds where the element at `index` lives: its first copy, in all [`columns`](Self::columns).
    ///
    /// # Errors
    /// As [`Layout::locate`].
    pub fn locate(&self, index: &[u64]) -> Result<Location, LayoutError> {
        self.spread.locate(index)
    }

    /// Finds every place where the element at `index` lives.
    ///
    /// # Errors
    /// As [`Layout::locate`].
    pub fn locate_all(&self, index: &[u64]) -> Result<Copies<'_>, LayoutError> {
        self.spread.locate_all(index)
    }

    /// Finds what lives at a place; replicated levels may be left out.
    ///
    /// A place is outside if a coordinate is not below [`size`](Placement::size) or, where the
    /// machine gives none, below the extent of the layout. In a memory that units share, the place
    /// is the same for all of them.
    ///
    /// # Errors
    /// [`LevelUnknown`](LayoutError::LevelUnknown) for a level that the machine lacks;
    /// [`LevelMissing`](LayoutError::LevelMissing) for a used level left out;
    /// [`NotDecided`](LayoutError::NotDecided) as [`Layout::element`].
    pub fn element(&self, place: &Location) -> Result<Found, LayoutError> {
        self.check_injective()?;
        let mut full = place.clone();
        for (level, at) in place.iter() {
            self.check_known(level, Site::Layout)?;
            if self.is_outside(level, at) {
                return Ok(Found::Outside);
            }
        }
        let absent =
            self.spread.used_levels().iter().filter(|l| !self.layout.used_levels().contains(l));
        let replicated = self.replicated();
        for level in absent.chain(&replicated).filter(|l| place.get(**l).is_none()) {
            full.set(*level, 0);
        }
        let mut found = Found::Hole;
        for place in self.shared(full)? {
            match self.spread.element(&place)? {
                Found::Element(index) => return Ok(Found::Element(index)),
                Found::Padding => found = Found::Padding,
                Found::Hole | Found::Outside => {}
            }
        }
        Ok(found)
    }

    /// Whether a plain copy of every unit's memory turns one placement into the other: every
    /// element has the same places, copies on absent levels included. `None` means yes.
    ///
    /// In a memory that units share, their places count as one.
    ///
    /// # Errors
    /// As [`Layout::same_up_to_padding`].
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Layout, Machine, Placement};
    /// let on = |text: &str| {
    ///     let layout: Layout = text.parse().unwrap();
    ///     Placement::of(layout).on(&"PE=4".parse().unwrap()).build().unwrap()
    /// };
    /// // Four copies by absence and by a sized replica are the same bytes.
    /// assert_eq!(on("((12:1))").copyable(&on("((12:1); B@[4_PE:1])"))?, None);
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    pub fn copyable(&self, other: &Placement) -> Result<Option<Difference>, LayoutError> {
        let owner = self.group().or(other.group()).map(|group| group.owner);
        self.as_stored()?.difference(&other.as_stored()?, owner)
    }

    /// Whether every place of the machine holds the same: index, padding or hole. `None` means yes.
    ///
    /// Levels that a layout does not use are copies, and a memory that units share counts once.
    ///
    /// # Errors
    /// As [`Layout::same_map`]; [`NotDecided`](LayoutError::NotDecided) where copies come together
    /// in a shared memory and only padding could differ.
    pub fn same_map(&self, other: &Placement) -> Result<Option<Difference>, LayoutError> {
        let (mine, theirs) = (self.as_stored()?, other.as_stored()?);
        match (mine.plain(), theirs.plain()) {
            (Some(mine), Some(theirs)) => mine.same_map(theirs),
            _ => match self.copyable(other)? {
                None => Err(not_decided("whether the padding of two layouts is the same")),
                difference => Ok(difference),
            },
        }
    }

    /// Whether the places of every element contain those that it has in `other`. `None` means yes.
    ///
    /// # Errors
    /// As [`Layout::serves`]; [`NotDecided`](LayoutError::NotDecided) where copies come together
    /// in a shared memory and the places differ.
    pub fn serves(&self, other: &Placement) -> Result<Option<Difference>, LayoutError> {
        let (mine, theirs) = (self.as_stored()?, other.as_stored()?);
        match (mine.plain(), theirs.plain()) {
            (Some(mine), Some(theirs)) => mine.serves(theirs),
            _ => match self.copyable(other)? {
                None => Ok(None),
                Some(_) => Err(not_decided("whether one layout serves for the other")),
            },
        }
    }

    /// The places as the memory has them.
    pub(crate) fn as_stored(&self) -> Result<Stored, LayoutError> {
        match self.group() {
            Some(group) => Stored::new(&self.spread, group),
            None => Ok(Stored::alone(&self.spread)),
        }
    }

    /// The units that share a memory, where it is not that of one unit.
    fn group(&self) -> Option<Group> {
        self.memory.as_ref().and_then(|(_, memory)| memory.shared())
    }

    /// The names of a place in a memory that units share; else the place itself.
    pub(crate) fn shared(&self, place: Location) -> Result<Vec<Location>, LayoutError> {
        let Some((_, Memory { owner, group, .. })) = self.memory else { return Ok(vec![place]) };
        let at = place.get(owner).ok_or(LayoutError::LevelMissing { level: owner })?;
        let first = at - at % group;
        // Units beyond the layout hold nothing.
        let last = first.saturating_add(group).min(self.spread.extent(owner)).max(at + 1);
        let name = |at| {
            let mut place = place.clone();
            place.set(owner, at);
            place
        };
        Ok((first..last).map(name).collect())
    }

    /// A level is known if it is not hardware, or the machine has it, or there is no machine.
    fn check_known(&self, level: Level, site: Site) -> Result<(), LayoutError> {
        check_known(self.machine.as_ref(), level, site)
    }
}

pub(crate) fn check_known(
    machine: Option<&Machine>,
    level: Level,
    site: Site,
) -> Result<(), LayoutError> {
    match machine {
        Some(machine) if level.is_unit() && machine.size(level).is_none() => {
            Err(LayoutError::LevelUnknown {
                level,
                machine: machine.described(),
                known: machine.level_names(),
                site,
            })
        }
        _ => Ok(()),
    }
}

/// A question that shared memories leave open.
fn not_decided(question: &'static str) -> LayoutError {
    LayoutError::NotDecided { question, budget: 0 }
}

/// Collects what a [`Placement`] needs; [`build`](PlacementBuilder::build) checks it.
#[derive(Clone, Debug)]
pub struct PlacementBuilder {
    layout: Layout,
    machine: Option<Machine>,
    memory: Option<String>,
    element_bits: Option<u64>,
    base: u64,
    shared_places: bool,
    oversized: bool,
}

impl PlacementBuilder {
    /// Accepts a layout that exceeds the sizes of levels or the capacity of the memory, so that
    /// [`Placement::fits`] can tell by how much.
    #[must_use]
    pub fn oversized(mut self) -> Self {
        self.oversized = true;
        self
    }

    /// Accepts a layout in which elements share places: a function, as CuTe and NumPy have them.
    ///
    /// It can be located, tabled and reported, on no machine; asking for the element at a place is
    /// refused where elements do share places.
    #[must_use]
    pub fn shared_places(mut self) -> Self {
        self.shared_places = true;
        self
    }

    /// Places the layout on a machine.
    #[must_use]
    pub fn on(mut self, machine: &Machine) -> Self {
        self.machine = Some(machine.clone());
        self
    }

    /// Chooses a memory of the machine, by name.
    #[must_use]
    pub fn memory(mut self, name: &str) -> Self {
        self.memory = Some(name.into());
        self
    }

    /// Sets the width of an element, so that lanes are known.
    #[must_use]
    pub fn element_bits(mut self, bits: u64) -> Self {
        self.element_bits = Some(bits);
        self
    }

    /// Sets the address of the first long word.
    #[must_use]
    pub fn base(mut self, base: u64) -> Self {
        self.base = base;
        self
    }

    /// Checks the layout against the machine, padding slots included.
    ///
    /// Without a machine, levels and memory are not checked: nothing is known of them.
    ///
    /// # Errors
    /// [`Collision`](LayoutError::Collision), [`ReplicaOverlap`](LayoutError::ReplicaOverlap),
    /// [`NotDecided`](LayoutError::NotDecided), [`LevelUnknown`](LayoutError::LevelUnknown),
    /// [`LevelTooSmall`](LayoutError::LevelTooSmall),
    /// [`CapacityExceeded`](LayoutError::CapacityExceeded),
    /// [`LaneBeyond`](LayoutError::LaneBeyond), [`MemoryUnknown`](LayoutError::MemoryUnknown),
    /// [`BelowMemory`](LayoutError::BelowMemory), [`TooLarge`](LayoutError::TooLarge).
    pub fn build(self) -> Result<Placement, LayoutError> {
        let PlacementBuilder { layout, machine, memory, element_bits, base, .. } = self;
        let (shared_places, oversized) = (self.shared_places, self.oversized);
        let injective = OnceLock::new();
        if !shared_places || machine.is_some() {
            layout.check_injective()?;
            // Moving all addresses brings no two elements together.
            let _ = injective.set(Ok(()));
        }
        let layout = layout.with_offset(Level::ADDR, base)?;
        let word_bits = machine.as_ref().map_or(WORD_BITS, Machine::word_bits);
        let lanes = element_bits.map(|bits| check_lanes(&layout, word_bits, bits)).transpose()?;
        let Some(machine) = machine else {
            let columns = layout.columns();
            let spread = layout.simplified()?;
            let (machine, memory) = (None, None);
            return Ok(Placement { layout, spread, machine, memory, lanes, columns, injective });
        };
        let memory = match memory {
            Some(name) => machine.memory(&name).map(|memory| Some((name, memory)))?,
            None => None,
        };
        let fit = Check { layout: &layout, machine: &machine, memory: memory.as_ref() };
        fit.check_levels()?;
        if !oversized {
            fit.check_sizes()?;
            fit.check_capacity()?;
        }
        fit.check_shared()?;
        let spread = fit.spread(lanes)?.into_simplified()?;
        let columns = fit.columns(&spread);
        let machine = Some(machine);
        Ok(Placement { layout, spread, machine, memory, lanes, columns, injective })
    }
}

/// The first landing that takes the coordinate of `level` to `size` or beyond, and how far all of
/// them take it.
fn beyond(layout: &Layout, level: Level, size: u64) -> Option<(Site, u64)> {
    let reach = layout.extent(level) - 1;
    let mut at = layout.offset(level);
    let mut site = Site::Layout;
    for landing in layout.landings_in(level).filter(|_| reach >= size) {
        at += (landing.size - 1) * landing.stride;
        site = landing.site;
        if at >= size {
            break;
        }
    }
    (reach >= size).then_some((site, reach))
}

/// The number of elements in a long word, which the layout must keep within.
fn check_lanes(layout: &Layout, word_bits: u64, element_bits: u64) -> Result<u64, LayoutError> {
    let lanes = word_bits.checked_div(element_bits).unwrap_or(0);
    beyond(layout, Level::W, lanes).map_or(Ok(lanes), |(site, reach)| {
        Err(LayoutError::LaneBeyond { word_bits, element_bits, lanes, reach, site })
    })
}

/// The checks of a layout on a machine.
struct Check<'a> {
    layout: &'a Layout,
    machine: &'a Machine,
    memory: Option<&'a (String, Memory)>,
}

impl Memory {
    /// The group that shares it, if more than one unit does.
    fn shared(&self) -> Option<Group> {
        (self.group > 1).then_some(Group { owner: self.owner, size: self.group })
    }
}

impl Check<'_> {
    fn check_levels(&self) -> Result<(), LayoutError> {
        for landing in self.layout.landings() {
            let (level, site) = (landing.level, landing.site);
            check_known(Some(self.machine), level, site)?;
            if let Some((memory, Memory { owner, .. })) = self.memory
                && level.is_unit()
                && self.depth(level) > self.depth(*owner)
            {
                let (memory, owner) = (memory.clone(), *owner);
                return Err(LayoutError::BelowMemory { level, memory, owner, site });
            }
        }
        // Levels that are used although nothing lands in them.
        for level in self.layout.used_levels() {
            check_known(Some(self.machine), *level, Site::Layout)?;
        }
        Ok(())
    }

    fn check_sizes(&self) -> Result<(), LayoutError> {
        for (level, size) in self.machine.levels() {
            if let Some((site, reach)) = beyond(self.layout, level, size) {
                let machine = self.machine.described();
                return Err(LayoutError::LevelTooSmall { level, machine, size, reach, site });
            }
        }
        Ok(())
    }

    fn check_capacity(&self) -> Result<(), LayoutError> {
        let Some((memory, Memory { capacity: Some(capacity), .. })) = self.memory else {
            return Ok(());
        };
        beyond(self.layout, Level::ADDR, *capacity).map_or(Ok(()), |(site, reach)| {
            let (memory, capacity) = (memory.clone(), *capacity);
            Err(LayoutError::CapacityExceeded { memory, capacity, reach, site })
        })
    }

    fn depth(&self, level: Level) -> Option<usize> {
        self.machine.levels().position(|(of, _)| of == level)
    }

    /// Whether the units of a level have the memory to themselves, or nothing is known of it.
    fn is_above_memory(&self, level: Level) -> bool {
        self.memory.is_none_or(|(_, memory)| self.depth(level) <= self.depth(memory.owner))
    }

    /// Whether a memory is chosen that is not at the leaves, where an absent level is unit 0.
    fn is_high_memory(&self) -> bool {
        let leaf = self.machine.levels().last().map(|(level, _)| level);
        self.memory.is_some_and(|(_, memory)| Some(memory.owner) != leaf || memory.group > 1)
    }

    /// Refuses elements that come together because units share the memory.
    fn check_shared(&self) -> Result<(), LayoutError> {
        match self.memory.and_then(|(_, memory)| memory.shared()) {
            Some(group) => {
                let stored = Stored::new(self.layout, group)?;
                stored.collision(group)?.map_or(Ok(()), |found| Err(found.into_refusal()))
            }
            None => Ok(()),
        }
    }

    /// The layout with its absent levels as replicas.
    fn spread(&self, lanes: Option<u64>) -> Result<Layout, LayoutError> {
        let used = |level: &Level| self.layout.used_levels().contains(level);
        let absent = self.machine.levels().filter(|(level, _)| !used(level));
        let absent = absent.filter(|(level, _)| self.is_above_memory(*level));
        let lanes = lanes.filter(|lanes| *lanes > 1 && !used(&Level::W));
        let lanes = lanes.map(|lanes| (Level::W, lanes));
        let mut builder = self.layout.to_builder();
        for (level, size) in absent {
            builder = match self.is_high_memory() {
                true => builder.used(level),
                false => builder.replica(size, level, 1),
            };
        }
        lanes.into_iter().fold(builder, |b, (level, n)| b.replica(n, level, 1)).build()
    }

    fn columns(&self, spread: &Layout) -> Vec<Level> {
        let used = |level: &Level| spread.used_levels().contains(level);
        let units = self.machine.levels().map(|(level, _)| level);
        let units = units.filter(|level| self.is_above_memory(*level));
        let time = [Level::TIME].into_iter().filter(used);
        let lane = [Level::W].into_iter().filter(used);
        time.chain(units).chain([Level::ADDR]).chain(lane).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_placement_is_a_value() {
        let on = |text: &str, machine: &str, base: u64| {
            let layout = text.parse().unwrap();
            Placement::of(layout).on(&machine.parse().unwrap()).base(base).build().unwrap()
        };
        let all = [
            on("((4_PE, 3:1))", "PE=4", 0),
            on("((4_PE, 3:1))", "PE=4", 0),
            on("((4_PE, 3:1))", "PE=4", 1),
            on("((4_PE, 3:1))", "PE=8", 0),
            on("((12:1))", "PE=4", 0),
            on("((12:1))", "MAB=2,PE=4", 0),
            on("((12:1))", "PE=4,MAB=2", 0),
        ];
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len() - 1);
    }

    #[test]
    fn whether_elements_share_places_does_not_depend_on_what_was_allowed() {
        let allowed = |text: &str| Placement::of(text.parse().unwrap()).shared_places().build();
        let apart = allowed("((4_PE, 3:1))").unwrap();
        assert_eq!(apart.element(&"PE=1,Addr=2".parse().unwrap()), Ok(Found::Element(vec![5])));
        let layout = Layout::builder().axis(4, [crate::algebra::Subaxis::land(4, Level::ADDR, 0)]);
        let layout = layout.build().unwrap();
        let shared = Placement::of(layout.clone()).shared_places().build().unwrap();
        let refusal = shared.element(&"Addr=0".parse().unwrap()).unwrap_err();
        assert_eq!(Placement::of(layout).build().unwrap_err(), refusal);
    }
}
