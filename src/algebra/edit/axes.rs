//! Permuting axes, inserting and dropping unit axes.

use itertools::Itertools;

use crate::algebra::builder::LayoutBuilder;
use crate::algebra::layout::{Axis, Layout, Replica, Subaxis, Target};
use crate::error::{LayoutError, fault};
use crate::level::Level;

/// Starts an index map into the axes of a layout of this rank.
pub(crate) fn index_map(rank: usize) -> LayoutBuilder {
    (0..rank).fold(Layout::builder(), |map, axis| map.used(Level::axis(axis)))
}

/// Returns the digit that indexes the whole of axis `axis`.
pub(in crate::algebra) fn whole(extent: u64, axis: usize) -> Subaxis {
    Subaxis::land(extent.max(1), Level::axis(axis), 1)
}

impl Layout {
    /// Reorders the axes: axis k of the result is axis `order[k]` of `self`, as in NumPy's transpose.
    ///
    /// Law: permuting back with the inverse order is the identity.
    ///
    /// # Errors
    /// `Argument` if `order` is not a permutation of the axes.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let layout: Layout = "((4_PE, 3:8), (8:1))".parse()?;
    /// assert_eq!(layout.permute(&[1, 0])?, "((8:1), (4_PE, 3:8))".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn permute(&self, order: &[usize]) -> Result<Layout, LayoutError> {
        let sorted = order.iter().copied().sorted_unstable();
        if !sorted.eq(0..self.rank()) {
            let order = match order {
                [] => "an empty order".into(),
                _ => order.iter().join(","),
            };
            let rank = self.rank();
            let axes = match rank {
                0 => "no axes".into(),
                1 => "only axis 0".into(),
                _ => format!("the axes 0 to {}", rank - 1),
            };
            return Err(fault!(
                Argument,
                "cannot edit the layout: {order} does not list each axis exactly once; a \
                 layout of rank {rank} has {axes}",
                [order, rank, axes]
            ));
        }
        let mut permuted = self.clone();
        permuted.axes = order.iter().map(|axis| self.axes[*axis].clone()).collect();
        Ok(permuted)
    }

    /// Inserts an axis of extent 1 before axis `at`, or after the last.
    ///
    /// Law: dropping it again is the identity.
    ///
    /// # Errors
    /// `Argument` if `at` is beyond the rank.
    pub fn insert_axis(&self, at: usize) -> Result<Layout, LayoutError> {
        let rank = self.rank();
        if at > rank {
            return Err(fault!(
                Argument,
                "cannot edit the layout: an axis cannot be inserted at {at}: the layout \
                 has rank {rank}",
                [at, rank]
            ));
        }
        let mut inserted = self.clone();
        inserted.axes.insert(at, Axis::unpadded(Vec::new()));
        Ok(inserted)
    }

    /// Drops an axis of extent 1; its padding slots remain padding.
    ///
    /// # Errors
    /// `Argument` if the axis does not exist or its extent is not 1.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let layout: Layout = "((), (8_L2B:1, 64:1))".parse()?;
    /// assert_eq!(layout.drop_axis(0)?, "((8_L2B:1, 64:1))".parse()?);
    /// assert!(layout.drop_axis(1).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn drop_axis(&self, at: usize) -> Result<Layout, LayoutError> {
        let extent = self.check_axis(at)?;
        if extent != 1 {
            return Err(fault!(
                Argument,
                "cannot edit the layout: axis {axis} has extent {extent}; only an axis \
                 of extent 1 can be dropped",
                [axis = at, extent]
            ));
        }
        self.with_axis_read(at, |map| map)
    }

    /// Composes with the map that reads every axis whole but axis `at`, which `read` adds to the map.
    pub(super) fn with_axis_read(
        &self,
        at: usize,
        read: impl Fn(LayoutBuilder) -> LayoutBuilder,
    ) -> Result<Layout, LayoutError> {
        let extents = self.shape().into_iter().enumerate();
        let map = extents.fold(index_map(self.rank()), |map, (axis, extent)| match axis == at {
            true => read(map),
            false => map.axis(extent, [whole(extent, axis)]),
        });
        self.compose(&map.build()?)
    }

    /// Turns the first axes into copies: every element of the other axes gets the places of all indexes of
    /// the first ones. `None` if they are padded or feed derived axes.
    pub(crate) fn with_leading_copies(&self, count: usize) -> Option<Layout> {
        let mut copied = self.clone();
        for axis in copied.axes.drain(..count) {
            if axis.extent != axis.slots() {
                return None;
            }
            for Subaxis { size, target } in axis.subaxes {
                let Target::Land { level, stride } = target else { return None };
                copied.replicas.push(Replica { size, level, stride });
            }
        }
        Some(copied)
    }

    /// Returns the extent of an axis, or an error if the axis does not exist.
    pub(super) fn check_axis(&self, at: usize) -> Result<u64, LayoutError> {
        let rank = self.rank();
        let missing = || {
            fault!(
                Argument,
                "cannot edit the layout: axis {axis} does not exist: the layout has rank {rank}",
                [axis = at, rank]
            )
        };
        self.axes.get(at).map(|axis| axis.extent).ok_or_else(missing)
    }
}
