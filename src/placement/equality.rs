//! Equality of placements: what the memories of a machine hold.

use super::Placement;
use super::shared::{SharingGroup, Stored};
use crate::algebra::Difference;
use crate::error::{Incomparable, LayoutError};
use crate::level::Level;
use crate::location::Location;

impl Placement {
    /// Whether a plain copy of every unit's memory turns one placement into the other: every
    /// element has the same places, copies on absent levels included. `None` means yes.
    ///
    /// In a memory that units share, their places count as one, named by the first of them.
    ///
    /// # Errors
    /// [`NotComparable`](LayoutError::NotComparable) for memories that units share differently, and
    /// lanes of different widths; as [`Layout::same_up_to_padding`](crate::Layout::same_up_to_padding).
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
        let (mine, theirs) = self.both_stored(other)?;
        let owner = self.group().map(|group| group.owner);
        Ok(self.in_units(mine.difference(&theirs, owner)?))
    }

    /// Whether every place of the machine holds the same: index, padding or hole. `None` means yes.
    ///
    /// Levels that a layout does not use are copies, and a memory that units share counts once.
    ///
    /// # Errors
    /// [`NotComparable`](LayoutError::NotComparable) for different memories;
    /// [`NotDecided`](LayoutError::NotDecided) where copies come together in a shared memory and only padding could
    /// differ; as [`copyable`](Placement::copyable) and [`Layout::same_map`](crate::Layout::same_map).
    pub fn same_map(&self, other: &Placement) -> Result<Option<Difference>, LayoutError> {
        self.check_memory(other)?;
        let (mine, theirs) = self.both_stored(other)?;
        match (mine.plain(), theirs.plain()) {
            (Some(mine), Some(theirs)) => Ok(self.in_units(mine.same_map(theirs)?)),
            _ => match self.copyable(other)? {
                None => Err(not_decided("whether the padding of two layouts is the same")),
                difference => Ok(difference),
            },
        }
    }

    /// Whether the places of every element contain those that it has in `other`. `None` means yes.
    ///
    /// # Errors
    /// [`NotComparable`](LayoutError::NotComparable) for different memories;
    /// [`NotDecided`](LayoutError::NotDecided) where copies come together in a shared memory and the places differ; as
    /// [`copyable`](Placement::copyable) and [`Layout::serves`](crate::Layout::serves).
    pub fn serves(&self, other: &Placement) -> Result<Option<Difference>, LayoutError> {
        self.check_memory(other)?;
        let (mine, theirs) = self.both_stored(other)?;
        match (mine.plain(), theirs.plain()) {
            (Some(mine), Some(theirs)) => Ok(self.in_units(mine.serves(theirs)?)),
            _ => match self.copyable(other)? {
                None => Ok(None),
                Some(_) => Err(not_decided("whether one layout serves for the other")),
            },
        }
    }

    /// Places in two memories are not the same; where one was not said, it is any.
    fn check_memory(&self, other: &Placement) -> Result<(), LayoutError> {
        let [from, to] = [self, other].map(|side| side.memory().map(|(name, _)| name.to_owned()));
        match from.is_some() && to.is_some() && from != to {
            true => Err(LayoutError::NotComparable(Incomparable::Memories { from, to })),
            false => Ok(()),
        }
    }

    /// Lanes of different widths are different bits.
    pub(crate) fn check_lanes(&self, other: &Placement) -> Result<(), LayoutError> {
        match (self.lanes(), other.lanes()) {
            (from, to) if from == to => Ok(()),
            (from, to) => Err(LayoutError::NotComparable(Incomparable::Lanes { from, to })),
        }
    }

    fn both_stored(&self, other: &Placement) -> Result<(Stored, Stored), LayoutError> {
        if self.group() != other.group() {
            let [from, to] = [self, other].map(|side| Some(side.sharing()));
            return Err(LayoutError::NotComparable(Incomparable::Memories { from, to }));
        }
        let uses_lanes = |side: &Placement| side.layout().used_levels().contains(&Level::W);
        if uses_lanes(self) || uses_lanes(other) {
            self.check_lanes(other)?;
        }
        Ok((self.as_stored()?, other.as_stored()?))
    }

    fn sharing(&self) -> String {
        match self.group() {
            Some(SharingGroup { owner, size }) => format!("one for every {size} units of {owner}"),
            None => "one for every unit".into(),
        }
    }

    /// Memories that units share are numbered in between; a witness names the first unit of each.
    fn in_units(&self, difference: Option<Difference>) -> Option<Difference> {
        let group = self.group();
        let unit = |mut place: Location| {
            group.into_iter().for_each(|group| group.name(&mut place));
            place
        };
        let units = |places: Vec<Location>| places.into_iter().map(unit).collect();
        Some(match difference? {
            Difference::Element { index, first, second } => {
                Difference::Element { index, first: units(first), second: units(second) }
            }
            Difference::Place { place, first, second } => {
                Difference::Place { place: unit(place), first, second }
            }
            other => other,
        })
    }

    /// The places as the memory has them.
    pub(crate) fn as_stored(&self) -> Result<Stored, LayoutError> {
        match self.group() {
            Some(group) => Stored::new(&self.with_copies, group),
            None => Ok(Stored::alone(&self.with_copies)),
        }
    }

    /// The units that share a memory, where it is not that of one unit.
    fn group(&self) -> Option<SharingGroup> {
        self.memory.as_ref().and_then(|(_, memory)| memory.shared())
    }
}

/// A question that shared memories leave open.
fn not_decided(question: &'static str) -> LayoutError {
    LayoutError::NotDecided { question, budget: 0 }
}
