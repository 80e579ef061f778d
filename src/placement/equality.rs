//! Equality of placements: what the memories of a machine hold.

use super::Placement;
use super::shared::{Group, Stored};
use crate::algebra::Difference;
use crate::error::LayoutError;

impl Placement {
    /// Whether a plain copy of every unit's memory turns one placement into the other: every
    /// element has the same places, copies on absent levels included. `None` means yes.
    ///
    /// In a memory that units share, their places count as one.
    ///
    /// # Errors
    /// As [`Layout::same_up_to_padding`](crate::Layout::same_up_to_padding).
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
    /// As [`Layout::same_map`](crate::Layout::same_map); [`NotDecided`](LayoutError::NotDecided) where copies come together
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
    /// As [`Layout::serves`](crate::Layout::serves); [`NotDecided`](LayoutError::NotDecided) where copies come together
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
            Some(group) => Stored::new(&self.with_copies, group),
            None => Ok(Stored::alone(&self.with_copies)),
        }
    }

    /// The units that share a memory, where it is not that of one unit.
    fn group(&self) -> Option<Group> {
        self.memory.as_ref().and_then(|(_, memory)| memory.shared())
    }
}

/// A question that shared memories leave open.
fn not_decided(question: &'static str) -> LayoutError {
    LayoutError::NotDecided { question, budget: 0 }
}
