//! The layout of the elements alone.

use std::collections::BTreeMap;

use crate::algebra::coordinates::PlaceSet;
use crate::algebra::groups::Groups;
use crate::algebra::layout::{Axis, Combine, DerivedAxis, Layout, Subaxis, Target};
use crate::algebra::steps::{Component, merged_digits};
use crate::error::{ErrorKind, LayoutError};
use crate::level::Level;

impl Layout {
    /// Drops every slot that no element needs.
    ///
    /// Digits are cut to the values that elements have and merged where they step evenly; derived axes
    /// become plain subaxes wherever the places of the elements are a sum of digits of the index; spans
    /// are dropped.
    /// Law: every element has the same places. If no derived axis remains, results are equal if and only if
    /// the layouts are the same up to padding (and copies nest). None remains if some layout without derived
    /// axes has these places, except for an XOR over more than 2^16 elements that flips bits of an axis by
    /// other bits of the same axis.
    /// Cost: O(subaxes squared), regardless of the extents.
    ///
    /// # Errors
    /// As [`simplified`](Layout::simplified); `NotDecided` where steps through several derived axes may cancel,
    /// and there are more than 2^16 indexes to enumerate.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Layout, LayoutText};
    /// let padded: Layout = "(10,7)/((5:7, 4_PE), (7:1))".parse()?;
    /// assert_eq!(padded.without_padding()?, "(10,7)/((3:7, 4_PE), (7:1))".parse()?);
    /// // Every second of (4,3):(3,1), CuTe's order: 2 at 6, then 3 at 1.
    /// let every_second = LayoutText::parse("(3:1, 4:3)")?.lower()?.compose(&"((6:2))".parse()?)?;
    /// assert_eq!(every_second.without_padding()?, "((3:1, 2:6))".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn without_padding(&self) -> Result<Layout, LayoutError> {
        let layout = self.simplified();
        if layout.elements() == 0 {
            return layout.shape_alone();
        }
        let greatest = layout.greatest_values();
        let mut axes: Vec<Vec<Subaxis>> =
            layout.axes.iter().zip(&greatest).map(|(a, top)| merged_digits(a, *top)).collect();
        let (mut kept, mut origin) = (Vec::new(), Vec::new());
        for (own, derived) in layout.components() {
            match Component::new(&layout, &own, &derived, &greatest).plain()? {
                None => kept.extend(derived),
                Some(plain) => {
                    origin.extend(plain.origin);
                    own.iter().zip(plain.axes).for_each(|(axis, digits)| axes[*axis] = digits);
                }
            }
        }
        kept.sort_unstable();
        layout.of_elements(axes, &kept, &origin, &greatest)
    }

    /// Drops padding like [`without_padding`](Layout::without_padding), or returns the layout unchanged if
    /// that is not decided.
    pub(crate) fn without_padding_if_decided(self) -> Result<Layout, LayoutError> {
        match self.without_padding() {
            Err(error) if error.kind() == ErrorKind::NotDecided => Ok(self),
            other => other,
        }
    }

    /// Drops padding if derived axes are left or there are no elements; returns the layout unchanged if that
    /// is not decided.
    pub(crate) fn of_elements_if_decided(self) -> Result<Layout, LayoutError> {
        match self.derived.is_empty() && self.elements() > 0 {
            true => Ok(self),
            false => self.without_padding_if_decided(),
        }
    }

    /// Builds the layout from new axes and the derived axes in `kept`, cut to the values that elements have.
    fn of_elements(
        &self,
        axes: Vec<Vec<Subaxis>>,
        kept: &[usize],
        origin: &[(Level, u64)],
        greatest: &[u64],
    ) -> Result<Layout, LayoutError> {
        let renumbered = |subaxis: &Subaxis| match subaxis.target {
            Target::Feed { derived, weight } => {
                let number = kept.binary_search(&derived).unwrap_or(derived);
                // The major-most digit may have been cut to the values that elements have.
                let size = match self.derived[derived].combine {
                    Combine::Sum => subaxis.size,
                    Combine::Xor => subaxis.size.next_power_of_two(),
                };
                Subaxis::feed(size, number, weight)
            }
            Target::Land { .. } => *subaxis,
        };
        let mut builder = self.without_axes().without_spans();
        if let Some(merged) = PlaceSet::of_copies(self).as_replicas() {
            builder.replicas = merged;
        }
        for (extent, subaxes) in self.shape().into_iter().zip(axes) {
            builder = builder.axis(extent, subaxes.iter().map(renumbered));
        }
        for derived in kept {
            let of @ DerivedAxis { axis, .. } = &self.derived[*derived];
            let top = match of.combine {
                Combine::Sum => greatest[self.rank() + derived],
                Combine::Xor => (greatest[self.rank() + derived] + 1).next_power_of_two() - 1,
            };
            let subaxes = merged_digits(axis, top).iter().map(renumbered).collect();
            let axis = Axis { extent: top + 1, subaxes };
            builder = builder.derived_axis(DerivedAxis { axis, ..*of });
        }
        origin.iter().fold(builder, |builder, (level, at)| builder.offset(*level, *at)).build()
    }

    /// Returns a layout of this shape, without elements and thus without places; with a derived axis only if
    /// the product of the extents other than 0 does not fit.
    fn shape_alone(&self) -> Result<Layout, LayoutError> {
        let digits = |extent: u64| (extent > 1).then(|| Subaxis::land(extent, Level::ADDR, 0));
        let shape = self.shape();
        let axes = shape.iter().fold(Layout::builder(), |layout, n| layout.axis(*n, digits(*n)));
        match axes.build() {
            Err(error) if error.kind() == ErrorKind::TooLarge => {
                Layout::builder().axis(0, []).build()?.without_elements(&shape)
            }
            built => built,
        }
    }

    /// Groups the axes that derived axes connect: (tensor axes, derived axes) of every group that has derived
    /// ones. A group that no tensor axis feeds has none.
    pub(crate) fn components(&self) -> Vec<(Vec<usize>, Vec<usize>)> {
        let mut groups = Groups::new(self.rank() + self.derived.len());
        for (node, axis) in self.nodes().enumerate() {
            for derived in axis.subaxes.iter().filter_map(Subaxis::feeds) {
                groups.join(node, self.rank() + derived);
            }
        }
        let mut components: BTreeMap<usize, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for derived in 0..self.derived.len() {
            components.entry(groups.of(self.rank() + derived)).or_default().1.push(derived);
        }
        for axis in 0..self.rank() {
            if let Some((axes, _)) = components.get_mut(&groups.of(axis)) {
                axes.push(axis);
            }
        }
        components.into_values().collect()
    }
}
