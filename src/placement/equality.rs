//! Equality of placements: of the contents of the memories of a machine.

use super::Placement;
use crate::algebra::Difference;
use crate::error::LayoutError;
use crate::level::Level;

impl Placement {
    /// Finds a difference between the places of the elements, including copies on absent levels; `None` if a
    /// plain copy of every unit's memory turns one placement into the other.
    ///
    /// A memory that a group of units shares counts once, named by its first unit.
    ///
    /// # Errors
    /// `NotComparable` for memories of different groups of units, and for lanes of different widths; also the
    /// errors of [`Layout::same_up_to_padding`](crate::Layout::same_up_to_padding).
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
        self.check_alike(other)?;
        self.with_copies.same_up_to_padding(&other.with_copies)
    }

    /// Finds a difference between the contents of the machine; `None` if every place holds the same index,
    /// padding or hole.
    ///
    /// Levels that a layout does not use are copies, and a memory that a group of units shares counts once.
    ///
    /// # Errors
    /// `NotComparable` for different memories; also the errors of [`copyable`](Placement::copyable) and
    /// [`Layout::same_map`](crate::Layout::same_map).
    pub fn same_map(&self, other: &Placement) -> Result<Option<Difference>, LayoutError> {
        self.check_memory(other)?;
        self.check_alike(other)?;
        self.with_copies.same_map(&other.with_copies)
    }

    /// Finds an element that lacks a place that it has in `other`, or a difference in shape; `None` if there
    /// is neither.
    ///
    /// # Errors
    /// `NotComparable` for different memories; also the errors of [`copyable`](Placement::copyable) and
    /// [`Layout::serves`](crate::Layout::serves).
    pub fn serves(&self, other: &Placement) -> Result<Option<Difference>, LayoutError> {
        self.check_memory(other)?;
        self.check_alike(other)?;
        self.with_copies.serves(&other.with_copies)
    }

    /// Places in two different memories differ; an unspecified memory matches any.
    fn check_memory(&self, other: &Placement) -> Result<(), LayoutError> {
        let [from, to] = [self, other].map(|side| side.memory().map(|(name, _)| name.to_owned()));
        match from.is_some() && to.is_some() && from != to {
            true => Err(LayoutError::differ("memories", from, to)),
            false => Ok(()),
        }
    }

    /// Checks that lanes have equal widths, because lanes of different widths hold different bits.
    pub(crate) fn check_lanes(&self, other: &Placement) -> Result<(), LayoutError> {
        match (self.lanes(), other.lanes()) {
            (from, to) if from == to => Ok(()),
            (from, to) => Err(LayoutError::differ("numbers of lanes", from, to)),
        }
    }

    /// Checks that memories are at the same nodes and lanes have equal widths; others hold different bits. An
    /// unspecified width matches any.
    fn check_alike(&self, other: &Placement) -> Result<(), LayoutError> {
        if self.group() != other.group() {
            let [from, to] = [self, other].map(|side| Some(side.one_per()));
            return Err(LayoutError::differ("memories", from, to));
        }
        // Without a level for lanes, a long word holds its element in every lane.
        match self.lanes().is_some() && other.lanes().is_some() {
            true => self.check_lanes(other),
            false => Ok(()),
        }
    }

    fn one_per(&self) -> String {
        match self.group() {
            Some((owner, group)) => format!("one for every {group} units of {owner}"),
            None => "one for every unit".into(),
        }
    }

    /// The groups that share a memory, unless each unit has its own.
    fn group(&self) -> Option<(Level, u64)> {
        let memory = self.memory.as_ref().map(|(_, memory)| (memory.owner, memory.group));
        memory.filter(|(_, group)| *group > 1)
    }
}
