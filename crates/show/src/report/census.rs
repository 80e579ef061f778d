//! The numbers of elements and of padding that the units of a machine hold, by counting digits.

use std::collections::HashMap;

use tensor_layout::algebra::{LayoutBuilder, Subaxis};
use tensor_layout::error::{ErrorKind, LayoutError, Site};
use tensor_layout::{Layout, Level, Location, Placement};
use tensor_layout_words::product;

/// The number of subtrees that are visited to find the fullest and the emptiest unit.
const MOST_SUBTREES: u64 = 1 << 13;

/// The contents of the memories of a subtree, all copies counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Census {
    /// The number of units.
    pub units: u64,
    /// The number of places that hold an element.
    pub elements: u64,
    /// The number of slots that hold none.
    pub padding: u64,
    /// The number of places within the footprint that no slot takes; `None` if slots share places, or if that
    /// is not known.
    pub holes: Option<u64>,
}

/// A unit, and the number of elements it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitCount {
    /// The unit.
    pub unit: Location,
    /// The number of its places that hold an element.
    pub elements: u64,
}

impl Census {
    /// Counts the contents of the units with the given coordinates: one unit, a subtree, or all for the
    /// empty place.
    ///
    /// A memory that a group of units shares counts once, named by any of them.
    /// Law: the elements and the padding of all units add up to those of the placement.
    /// Cost: O(subaxes), for any number of elements.
    ///
    /// # Errors
    /// `NotDecided` where several digits give a coordinate, and there are too many of them.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Placement;
    /// use tensor_layout_show::report::Census;
    /// let placement = Placement::of("(10,7)/((3:7, 4_PE), (7:1))".parse()?).build()?;
    /// let third = Census::of(&placement, &"PE=3".parse()?)?;
    /// assert_eq!((third.elements, third.padding, third.holes), (14, 7, Some(0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(placement: &Placement, at: &Location) -> Result<Census, LayoutError> {
        let counter = UnitCounter::new(placement)?;
        counter.count(&counter.subtree(at)?)
    }
}

/// The unit with the most elements and the unit with the fewest (the first on a tie), among those with
/// the given coordinates; `None` if there are more than 2^13 subtrees to visit.
///
/// # Errors
/// As [`Census::of`].
///
/// # Example
/// ```
/// use tensor_layout::Placement;
/// use tensor_layout_show::report::extreme_units;
/// let placement = Placement::of("(10,7)/((3:7, 4_PE), (7:1))".parse()?).build()?;
/// let (fullest, emptiest) = extreme_units(&placement, &Default::default())?.unwrap();
/// assert_eq!((fullest.unit.to_string(), fullest.elements), ("PE=0".into(), 21));
/// assert_eq!((emptiest.unit.to_string(), emptiest.elements), ("PE=2".into(), 14));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn extreme_units(
    placement: &Placement,
    at: &Location,
) -> Result<Option<(UnitCount, UnitCount)>, LayoutError> {
    let counter = UnitCounter::new(placement)?;
    let levels: Vec<Level> =
        counter.levels.iter().copied().filter(|level| at.get(*level).is_none()).collect();
    let mut search = Extremes { counter: &counter, known: HashMap::new(), left: MOST_SUBTREES };
    search.of(&counter.subtree(at)?, &levels)
}

/// The elements or the slots of a subtree, as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum SubtreeContents {
    Nothing,
    /// A box of digits.
    Layout(Layout),
    /// Digits that do not line up with the units: counted by equations.
    Uneven,
}

/// A subtree of the machine.
#[derive(Clone, Debug)]
struct Subtree {
    at: Location,
    elements: SubtreeContents,
    slots: SubtreeContents,
}

/// Counts in subtrees of a placement.
#[derive(Debug)]
struct UnitCounter<'a> {
    placement: &'a Placement,
    /// The levels of units, from the root down.
    levels: Vec<Level>,
    slots: Layout,
    /// True if no two slots share a place.
    is_injective: bool,
}

impl<'a> UnitCounter<'a> {
    /// Prepares the counts of a placement.
    fn new(placement: &'a Placement) -> Result<UnitCounter<'a>, LayoutError> {
        let spread = placement.with_copies();
        let columns = placement.columns().iter().copied();
        let levels: Vec<Level> = columns.filter(|level| !level.is_in_unit()).collect();
        let slots = slots_of(spread)?;
        let is_injective = matches!(slots.collision(), Ok(None));
        Ok(UnitCounter { placement, levels, slots, is_injective })
    }

    /// The whole machine as a subtree.
    fn whole(&self) -> Subtree {
        Subtree {
            at: Location::default(),
            elements: SubtreeContents::Layout(self.placement.with_copies().clone()),
            slots: SubtreeContents::Layout(self.slots.clone()),
        }
    }

    /// The subtree of the units with these coordinates.
    fn subtree(&self, at: &Location) -> Result<Subtree, LayoutError> {
        at.iter().try_fold(self.whole(), |of, (level, at)| self.child(&of, level, at))
    }

    /// The part of a subtree with one more coordinate.
    fn child(&self, of: &Subtree, level: Level, at: u64) -> Result<Subtree, LayoutError> {
        let mut child = of.clone();
        // A memory that a group of units shares has the coordinate of the first one.
        let at = at - at % self.placement.units_per_memory(level);
        child.at.set(level, at);
        let place = Location::from_iter([(level, at)]);
        child.elements = of.elements.part(&place)?;
        child.slots = of.slots.part(&place)?;
        Ok(child)
    }

    /// Counts the contents of the units of a subtree.
    fn count(&self, of: &Subtree) -> Result<Census, LayoutError> {
        let elements = of.elements.count(self.placement.with_copies(), &of.at)?;
        let slots = of.slots.count(&self.slots, &of.at)?;
        let free = self.levels.iter().filter(|level| of.at.get(**level).is_none());
        let memories = |level: Level| {
            self.placement.coordinates(level).div_ceil(self.placement.units_per_memory(level))
        };
        let too_large = || LayoutError::too_large(Site::Layout, "the number of units");
        let units = product(free.map(|level| memories(*level))).ok_or_else(too_large)?;
        let spread = self.placement.with_copies();
        let lanes = self.placement.coordinates(Level::W).max(1);
        let places = product([spread.span(Level::ADDR), lanes, units]);
        let holes = places.filter(|_| self.is_injective).and_then(|all| all.checked_sub(slots));
        Ok(Census { units, elements, padding: slots.saturating_sub(elements), holes })
    }
}

impl SubtreeContents {
    fn part(&self, at: &Location) -> Result<SubtreeContents, LayoutError> {
        let SubtreeContents::Layout(layout) = self else { return Ok(self.clone()) };
        match layout.restrict(at) {
            Err(error) if error.kind() == ErrorKind::OutOfRange => Ok(SubtreeContents::Nothing),
            Err(error) if error.kind() == ErrorKind::CannotRestrict => Ok(SubtreeContents::Uneven),
            part => Ok(SubtreeContents::Layout(part?.layout)),
        }
    }

    fn count(&self, whole: &Layout, at: &Location) -> Result<u64, LayoutError> {
        match self {
            SubtreeContents::Nothing => Ok(0),
            SubtreeContents::Layout(layout) => Ok(layout.elements() * layout.copies()),
            SubtreeContents::Uneven => whole.elements_at(at),
        }
    }
}

/// A layout whose elements are the slots of another, an axis for every digit that lands.
pub(super) fn slots_of(layout: &Layout) -> Result<Layout, LayoutError> {
    let digits = layout.nodes().flat_map(|axis| &axis.subaxes).copied();
    let digits = digits.filter(|digit| digit.lands().is_some());
    let copies = layout.replicas().iter();
    let copies = copies.map(|copies| Subaxis::land(copies.size, copies.level, copies.stride));
    let axes = digits.chain(copies);
    let axes = axes.fold(Layout::builder(), |axes, digit| axes.axis(digit.size, [digit]));
    let offsets = |axes: LayoutBuilder, level: &Level| {
        axes.used(*level).offset(*level, layout.offset(*level))
    };
    layout.used_levels().iter().fold(axes, offsets).build()
}

/// The fullest and the emptiest unit; subtrees with the same contents are visited once.
struct Extremes<'a> {
    counter: &'a UnitCounter<'a>,
    known: HashMap<(usize, SubtreeContents), (UnitCount, UnitCount)>,
    left: u64,
}

impl Extremes<'_> {
    fn of(
        &mut self,
        of: &Subtree,
        levels: &[Level],
    ) -> Result<Option<(UnitCount, UnitCount)>, LayoutError> {
        let Some((level, rest)) = levels.split_first() else {
            let elements = of.elements.count(self.counter.placement.with_copies(), &of.at)?;
            let found = UnitCount { unit: of.at.clone(), elements };
            return Ok(Some((found.clone(), found)));
        };
        let key = (levels.len(), of.elements.clone());
        if let Some((most, least)) =
            self.known.get(&key).filter(|_| of.elements != SubtreeContents::Uneven)
        {
            let moved = |found: &UnitCount| {
                let mut unit = found.unit.clone();
                of.at.iter().for_each(|(level, at)| unit.set(level, at));
                UnitCount { unit, elements: found.elements }
            };
            return Ok(Some((moved(most), moved(least))));
        }
        let mut found: Option<(UnitCount, UnitCount)> = None;
        for at in self.counter.placement.units_named(*level) {
            let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
            self.left = left;
            let child = self.counter.child(of, *level, at)?;
            let Some((most, least)) = self.of(&child, rest)? else { return Ok(None) };
            found = Some(match found {
                None => (most, least),
                Some((a, b)) => (
                    if most.elements > a.elements { most } else { a },
                    if least.elements < b.elements { least } else { b },
                ),
            });
        }
        if let Some(found) = &found {
            self.known.insert(key, found.clone());
        }
        Ok(found)
    }
}
