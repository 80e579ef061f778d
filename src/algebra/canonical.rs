//! One form for all layouts that are the same map.

use std::borrow::Cow;

use crate::algebra::coordinates::PlaceSet;
use crate::algebra::layout::{Axis, Layout, Subaxis};
use crate::algebra::steps::merged_digits;
use crate::error::LayoutError;

/// The canonical form of a layout: where it is [unique](Canonical::is_unique), layouts of the same map have
/// equal forms, however they were written.
///
/// Axes keep only the digits that real elements need: digits that are always 0 are dropped, the major-most is
/// cut at the extent, and neighbours that step evenly are merged. The coordinates of all slots form one set
/// per level, and so do those of the copies. The form of a layout without elements has only slots.
///
/// Law: `canonical(canonical(x)) == canonical(x)`; it keeps the map and the used levels; equal forms
/// are the same map. Where both forms are [unique](Canonical::is_unique), two layouts are the same
/// map if and only if their forms, and hashes, are equal; elsewhere [`Layout::same_map`] decides.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Canonical {
    /// Without copies; without elements, its axes have no digits.
    layout: Layout,
    copies: PlaceSet,
    slots: PlaceSet,
}

impl Layout {
    /// Returns the canonical form.
    ///
    /// Cost: O(subaxes log subaxes) where strides nest; else the coordinates of a level are listed.
    /// If derived axes remain, add the cost of [`without_padding`](Layout::without_padding).
    ///
    /// # Errors
    /// As [`simplified`](Layout::simplified).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let canonical = |text: &str| text.parse::<Layout>().unwrap().canonical().unwrap();
    /// assert_eq!(canonical("(3)/((2:2, 2:1))"), canonical("(3)/((4:1))"));
    /// assert_eq!(canonical("((1:7, 6:1))"), canonical("((2:3, 3:1))"));
    /// assert_ne!(canonical("((6:1))"), canonical("((6:1, 1_PE))")); // PE is used
    /// ```
    pub fn canonical(&self) -> Result<Canonical, LayoutError> {
        let layout = match self.derived.is_empty() {
            true => Cow::Borrowed(self),
            false => Cow::Owned(self.plainest()),
        };
        let is_empty = layout.elements() == 0;
        let copies = if is_empty { PlaceSet::default() } else { PlaceSet::of_copies(&layout) };
        let slots = PlaceSet::of_slots(&layout);
        let form = match layout.derived.is_empty() || is_empty {
            true => {
                let digits = layout.axes.iter().zip(layout.axes_of_elements());
                let axes = digits.map(|(of, subaxes)| Axis { extent: of.extent, subaxes });
                layout.with_plain_axes(axes.collect())
            }
            false => layout.into_owned(),
        };
        Ok(Canonical { layout: form.with_replicas_where(|_| false), copies, slots })
    }

    /// Returns, per axis, the merged digits that real values need, major to minor; none without elements.
    pub(crate) fn axes_of_elements(&self) -> Vec<Vec<Subaxis>> {
        let empty = self.elements() == 0;
        let digits = |axis: &Axis| match empty {
            true => Vec::new(),
            false => merged_digits(axis, axis.extent - 1),
        };
        self.axes.iter().map(digits).collect()
    }
}

impl Canonical {
    /// Returns whether this is the only form of the map: no derived axes remain, and in every level the
    /// coordinates of slots and copies nest or could be listed (a set that does not nest is listed if it
    /// spans at most 2^18 steps of its common divisor, or has at most 2^16 sums).
    #[must_use]
    pub fn is_unique(&self) -> bool {
        self.layout.derived.is_empty() && !self.slots.is_tangled() && !self.copies.is_tangled()
    }

    /// Returns whether derived axes remain, in which case different forms may be the same map.
    #[must_use]
    pub fn has_derived_axes(&self) -> bool {
        !self.layout.derived.is_empty()
    }
}
