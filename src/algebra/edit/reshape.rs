//! Splitting and merging axes, and reshaping.

use std::ops::Range;

use itertools::Itertools;

use crate::algebra::edit::axes::{index_map, whole};
use crate::algebra::layout::{Axis, DerivedAxis, Layout, LinearFunction, Subaxis};
use crate::algebra::radix::{IndexOrder, product};
use crate::error::{LayoutError, Site, fault};

impl LinearFunction<'_> {
    /// Merges all axes into one, which counts the elements in the given order.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn flattened(&self) -> Result<Layout, LayoutError> {
        self.layout
            .permute(&self.order.slowest_first(self.layout.rank()))?
            .reshape(&[self.layout.elements()])
    }
}

impl Layout {
    /// Splits an axis into several, major to minor; the product of `sizes` is its extent.
    ///
    /// Law: merging them again is the identity.
    ///
    /// # Errors
    /// `Argument` if the axis does not exist, or its extent is not the product of `sizes`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let layout: Layout = "((4_PE, 3:8), (8:1))".parse()?;
    /// let split = layout.split_axis(0, &[2, 6])?;
    /// assert_eq!(split, "((2_PE:2), (2_PE:1, 3:8), (8:1))".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn split_axis(&self, at: usize, sizes: &[u64]) -> Result<Layout, LayoutError> {
        let extent = self.check_axis(at)?;
        if product(sizes.iter().copied()) != Some(extent) {
            let sizes = match sizes {
                [] => "1, the product of no sizes".into(),
                _ => sizes.iter().join(" x "),
            };
            return Err(fault!(
                Argument,
                "cannot edit the layout: axis {axis} has extent {extent}, which is not {sizes}",
                [axis = at, extent, sizes]
            ));
        }
        let shape = self.shape();
        let (before, after) = (&shape[..at], &shape[at + 1..]);
        self.reshape(&[before, sizes, after].concat())
    }

    /// Merges `count` axes, from axis `at` on, into one.
    ///
    /// Law: splitting it again is the identity.
    ///
    /// # Errors
    /// `Argument` if `count` is 0 or the axes end beyond the rank; `TooLarge` if the merged extent does not fit
    /// in 64 bits.
    pub fn merge_axes(&self, at: usize, count: usize) -> Result<Layout, LayoutError> {
        let rank = self.rank();
        let end = at.checked_add(count).filter(|end| *end <= rank && count > 0);
        let Some(end) = end else {
            let why = match count {
                0 => "at least 1 is needed".into(),
                _ => format!("the layout has rank {rank}"),
            };
            return Err(fault!(
                Argument,
                "cannot edit the layout: cannot merge {count} axes from axis {axis} on: {why}",
                [count, axis = at, why]
            ));
        };
        let shape = self.shape();
        let merged = product(shape[at..end].iter().copied());
        let merged =
            merged.ok_or_else(|| LayoutError::too_large(Site::Axis(at), "the merged extent"))?;
        self.reshape(&[&shape[..at], &[merged], &shape[end..]].concat())
    }

    /// Reshapes the tensor, in row-major order, to a shape with the same number of elements.
    ///
    /// Law: reshaping back is the identity; the n-th element remains the n-th and stays in its place.
    ///
    /// # Errors
    /// `Argument` for a different number of elements.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let layout: Layout = "((4_PE, 3:8), (8:1))".parse()?;
    /// assert_eq!(layout.reshape(&[96])?, "((4_PE, 3:8, 8:1))".parse()?);
    /// let rows: Layout = "(3:5, 5:1)".parse()?;
    /// assert_eq!(rows.reshape(&[5, 3])?.locate(&[4, 2])?.to_string(), "Addr=14");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reshape(&self, shape: &[u64]) -> Result<Layout, LayoutError> {
        if product(shape.iter().copied()) != Some(self.elements()) {
            let (from, to) = (self.shape().iter().join(","), shape.iter().join(","));
            return Err(fault!(
                Argument,
                "cannot edit the layout: ({from}) and ({to}) have different numbers of elements",
                [from, to]
            ));
        }
        if self.elements() == 0 {
            return self.without_elements(shape);
        }
        match self.regrouped_to(shape, runs(&self.shape(), shape)) {
            Some(reshaped) => Ok(reshaped),
            None => self.compose(&self.regrouping(shape)?),
        }
    }

    /// Returns the index map from `shape` to the shape of `self`: the shortest runs of axes with equal
    /// products on both sides are each regrouped through their linear index.
    fn regrouping(&self, shape: &[u64]) -> Result<Layout, LayoutError> {
        let old = self.shape();
        let mut map = index_map(self.rank());
        for (from, to) in runs(&old, shape) {
            match (&old[from.clone()], &shape[to]) {
                ([], new) => map = new.iter().fold(map, |map, n| map.axis(*n, [])),
                ([extent], [_]) => map = map.axis(*extent, [whole(*extent, from.start)]),
                // Entries of unit axes are 0 without being fed.
                (units, []) if units.iter().all(|extent| *extent == 1) => {}
                (_, new) => {
                    let number = map.derived.len();
                    let weights = IndexOrder::RowMajor.weights(new)?;
                    for (extent, weight) in new.iter().zip(weights) {
                        map = map.axis(*extent, [Subaxis::feed(*extent, number, weight)]);
                    }
                    let entries = from.map(|axis| whole(old[axis], axis));
                    let too_large =
                        || LayoutError::too_large(Site::Layout, "the number of elements");
                    let slots = product(new.iter().copied()).ok_or_else(too_large)?;
                    map = map.derived(0, slots, entries);
                }
            }
        }
        map.build()
    }

    /// Returns a layout of `shape`, which is also without elements, with the slots of `self` as padding.
    ///
    /// Only digits that land are slots. Those that feed are left out: without elements they never do, and
    /// the product of their sizes may not fit.
    pub(crate) fn without_elements(&self, shape: &[u64]) -> Result<Layout, LayoutError> {
        let mut builder = self.to_builder();
        builder.axes.clear();
        let slots = Axis { extent: 1, subaxes: self.axes.iter().flat_map(Axis::landing).collect() };
        for derived in &mut builder.derived {
            derived.axis = derived.axis.with(|subaxis| subaxis.shifted(1));
        }
        builder.derived.insert(0, DerivedAxis::sum(0, slots));
        let axis = |extent: &u64| [Subaxis::feed((*extent).max(1), 0, 0)];
        shape.iter().fold(builder, |builder, extent| builder.axis(*extent, axis(extent))).build()
    }
}

/// Iterates over the shortest runs of axes of both shapes with equal products; a unit axis without a
/// counterpart is a run.
fn runs<'a>(
    old: &'a [u64],
    new: &'a [u64],
) -> impl Iterator<Item = (Range<usize>, Range<usize>)> + 'a {
    let (mut from, mut to) = (0, 0);
    std::iter::from_fn(move || {
        if from == old.len() && to == new.len() {
            return None;
        }
        let (from_start, to_start) = (from, to);
        (from, to) = run_ends(old, from, new, to);
        Some((from_start..from, to_start..to))
    })
}

fn run_ends(old: &[u64], from: usize, new: &[u64], to: usize) -> (usize, usize) {
    let (mut from_end, mut to_end) = (from, to);
    let (mut left, mut right) = (1_u64, 1_u64);
    loop {
        // Both products divide the number of elements, which fits.
        if left <= right && from_end < old.len() && (left < right || from_end == from) {
            left *= old[from_end];
            from_end += 1;
        } else if to_end < new.len() && (right < left || to_end == to) {
            right *= new[to_end];
            to_end += 1;
        } else {
            return (from_end, to_end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All shapes with this number of elements and up to three axes.
    fn shapes(elements: u64) -> impl Iterator<Item = Vec<u64>> {
        let divisors = move |n: u64| (1..=n).filter(move |d| n.is_multiple_of(*d));
        let of_three = divisors(elements)
            .flat_map(move |first| divisors(elements / first).map(move |second| (first, second)));
        of_three
            .flat_map(move |(a, b)| [vec![a, b, elements / a / b], vec![a * b, elements / a / b]])
    }

    #[test]
    fn reshapes_where_digits_divide_are_written_as_the_general_way_writes_them() {
        let mut regrouped = 0;
        for text in [
            "((4_PE, 6:1), (3_MAB, 2:6))",
            "((2_PE, 12:1), (6:12, 2_MAB))",
            "((3_PE:4, 2_PE:2, 4:1, 2_PE:1), (12:4))",
            "((), (24:1), (1_PE, 6:24), ())",
            "(20,6)/((4_PE, 6:1), (6:24))",
            "((4_PE, 2:1), (4:2), (2:8); B@[3_MAB:1])",
        ] {
            let layout: Layout = text.parse().unwrap();
            for shape in shapes(layout.elements()) {
                let Some(fast) = layout.regrouped_to(&shape, runs(&layout.shape(), &shape)) else {
                    continue;
                };
                let map = layout.regrouping(&shape).unwrap();
                let general = layout.compose_derived(IndexOrder::RowMajor, &map, false);
                assert_eq!(fast, general.unwrap(), "{text} as {shape:?}");
                regrouped += 1;
            }
        }
        assert!(regrouped > 100, "{regrouped}");
    }
}
