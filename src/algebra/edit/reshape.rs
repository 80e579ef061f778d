//! Splitting and merging axes, and reshaping.

use std::ops::Range;

use crate::algebra::edit::axes::{index_map, whole};
use crate::algebra::layout::{DerivedAxis, Layout, LayoutBuilder, Subaxis};
use crate::algebra::radix::{IndexOrder, product};
use crate::algebra::regroup::take;
use crate::error::{EditFault, LayoutError, Site};

impl Layout {
    /// Splits an axis into several, major to minor; the product of `sizes` is its extent.
    ///
    /// Law: merging them again is the identity.
    ///
    /// # Errors
    /// [`Edit`](LayoutError::Edit).
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
            let fault = EditFault::SplitSizes { axis: at, extent, sizes: sizes.to_vec() };
            return Err(LayoutError::Edit(fault));
        }
        let shape = self.shape();
        let (before, after) = (&shape[..at], &shape[at + 1..]);
        self.reshape(&[before, sizes, after].concat())
    }

    /// Merges axis `at` with the following ones, `count` in all, into one.
    ///
    /// Law: splitting it again is the identity.
    ///
    /// # Errors
    /// [`Edit`](LayoutError::Edit).
    pub fn merge_axes(&self, at: usize, count: usize) -> Result<Layout, LayoutError> {
        let rank = self.rank();
        let end = at.checked_add(count).filter(|end| *end <= rank && count > 0);
        let Some(end) = end else {
            return Err(LayoutError::Edit(EditFault::MergeBeyond { axis: at, count, rank }));
        };
        let shape = self.shape();
        let merged = product(shape[at..end].iter().copied());
        let merged = merged.ok_or(LayoutError::too_large(Site::Axis(at), "the merged extent"))?;
        self.reshape(&[&shape[..at], &[merged], &shape[end..]].concat())
    }

    /// Gives the tensor another shape of as many elements, in row-major order.
    ///
    /// Law: reshaping back is the identity; the n-th element stays the n-th and in its place.
    ///
    /// # Errors
    /// [`Edit`](LayoutError::Edit) for another number of elements.
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
            let (from, to) = (self.shape(), shape.to_vec());
            return Err(LayoutError::Edit(EditFault::ReshapeElements { from, to }));
        }
        if self.elements() == 0 {
            return self.without_elements(shape);
        }
        self.compose(&self.regrouping(shape)?)
    }

    /// Merges all axes into one, which counts the elements in the given order.
    ///
    /// # Errors
    /// [`TooLarge`](LayoutError::TooLarge).
    pub fn flattened(&self, order: IndexOrder) -> Result<Layout, LayoutError> {
        self.permute(&order.slowest_first(self.rank()))?.reshape(&[self.elements()])
    }

    /// The index map from `shape` to the shape of `self`: the shortest runs of axes with equal
    /// products on both sides are each regrouped through their linear index.
    fn regrouping(&self, shape: &[u64]) -> Result<Layout, LayoutError> {
        let old = self.shape();
        let mut map = index_map(self.rank());
        let (mut from, mut to) = (0, 0);
        while from < old.len() || to < shape.len() {
            let (from_end, to_end) = run(&old, from, shape, to);
            match (&old[from..from_end], &shape[to..to_end]) {
                ([], new) => map = new.iter().fold(map, |map, n| map.axis(*n, [])),
                ([extent], [_]) => map = map.axis(*extent, [whole(*extent, from)]),
                // Entries of unit axes are 0 without being fed.
                (units, []) if units.iter().all(|extent| *extent == 1) => {}
                (_, new) => map = regroup(map, &old, from..from_end, new)?,
            }
            (from, to) = (from_end, to_end);
        }
        map.build()
    }

    /// A layout of `shape`, which is without elements too, with the slots of `self` as padding.
    fn without_elements(&self, shape: &[u64]) -> Result<Layout, LayoutError> {
        let mut builder = self.to_builder();
        let subaxes = std::mem::take(&mut builder.axes).into_iter().flat_map(|axis| axis.subaxes);
        let slots =
            crate::algebra::Axis { extent: 1, subaxes: subaxes.map(|s| s.shifted(1)).collect() };
        for derived in &mut builder.derived {
            derived.axis = derived.axis.with(|subaxis| subaxis.shifted(1));
        }
        builder.derived.insert(0, DerivedAxis { start: 0, axis: slots });
        let axis = |extent: &u64| [Subaxis::feed((*extent).max(1), 0, 0)];
        shape.iter().fold(builder, |builder, extent| builder.axis(*extent, axis(extent))).build()
    }
}

/// Adds axes of new extents that count what some old axes count: with digits of those where the
/// extents divide, otherwise through the linear index of all of them.
fn regroup(
    map: LayoutBuilder,
    old: &[u64],
    axes: Range<usize>,
    new: &[u64],
) -> Result<LayoutBuilder, LayoutError> {
    let weights = IndexOrder::RowMajor.weights(new)?;
    let entries: Vec<Subaxis> = axes.map(|axis| whole(old[axis], axis)).collect();
    let digits = |(extent, weight): (&u64, &u64)| {
        let mut digits = Vec::with_capacity(entries.len());
        take(&entries, *weight, *extent, &mut digits).map(|()| (*extent, digits))
    };
    if let Some(axes) = new.iter().zip(&weights).map(digits).collect::<Option<Vec<_>>>() {
        return Ok(axes.into_iter().fold(map, |map, (extent, digits)| map.axis(extent, digits)));
    }
    let too_large = LayoutError::too_large(Site::Layout, "the number of elements");
    let slots = product(new.iter().copied()).ok_or(too_large)?;
    let number = map.derived.len();
    let fed = new.iter().zip(weights);
    let map = fed.fold(map, |map, (extent, weight)| {
        map.axis(*extent, [Subaxis::feed(*extent, number, weight)])
    });
    Ok(map.derived(0, slots, entries))
}

/// The ends of the shortest runs of both shapes that have equal products; a unit axis on its own
/// side is a run.
fn run(old: &[u64], from: usize, new: &[u64], to: usize) -> (usize, usize) {
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
