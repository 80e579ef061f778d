//! Layouts as functions of the linear index, whose results have the same modes as in CuTe.
//!
//! ```text
//! (2,2):(1,2) times 2:1   ((2,2),2):((1,2),4)   tile and copies are a mode each
//! 10:1 divided by 4:1     (4,3):(1,4)           the last tile extends beyond the last element
//! inverse of (4,2):(2,1)  (2,4):(4,1)           a mode per digit
//! ```

use std::collections::BTreeMap;

use itertools::Itertools;

use crate::algebra::divide::Arrangement;
use crate::algebra::edit::axes::{index_map, whole};
use crate::algebra::layout::{Axis, Layout, LinearFunction, Subaxis, Target};
use crate::algebra::radix::{IndexOrder, product};
use crate::error::{LayoutError, fault};
use crate::level::Level;

impl LinearFunction<'_> {
    /// Divides the linear index into tiles: CuTe's `logical_divide` and its variants, by a layout.
    ///
    /// If the layout is not a whole number of tiles, its major digit continues beyond the last element, as in
    /// CuTe: indexes beyond the layout have addresses that a kernel has to mask. A tile may also land in
    /// `i0`, `i1`, .., the axes of the layout; it is then not flattened.
    /// Law: element (t, r) is element `tile(t) + rest(r)` of the linear index, if that exists.
    ///
    /// # Errors
    /// As [`divide_axes`](LinearFunction::divide_axes).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::algebra::{Arrangement, IndexOrder::Colexicographic};
    /// use tensor_layout::notation::CuteLayout;
    /// let cute = |text: &str| tensor_layout::LayoutText::parse(text).unwrap().lower().unwrap();
    /// let rows = cute("10:1");
    /// let tiles = rows.as_function(Colexicographic).divide(&cute("4:1"), Arrangement::Logical)?;
    /// assert_eq!(CuteLayout::of(&tiles)?.to_string(), "(4,3):(1,4)");
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    pub fn divide(&self, tile: &Layout, arrangement: Arrangement) -> Result<Layout, LayoutError> {
        if tile.used.iter().any(|level| level.axis_number().is_some()) {
            let divided = self.divide_axes(tile, Arrangement::Flat)?;
            return self.grouped(divided, tile.rank(), arrangement);
        }
        let modes = self.majors(tile);
        let tile = tile.as_function(self.order).flattened()?;
        let (flat, rest) = self.in_whole_tiles(&tile)?;
        let divided = flat
            .as_function(self.order)
            .compose_axes(&tile.concatenate(&rest)?)?
            .with_merged_digits();
        let tiles = divided.axes().last().map_or(Vec::new(), |axis| axis.sizes().collect());
        Ok(self.spread(divided, [modes, tiles], arrangement))
    }

    /// The extents of the digits that number the tiles of [`divide`](LinearFunction::divide), minor to major.
    pub(crate) fn tiles(&self, tile: &Layout) -> Result<Vec<u64>, LayoutError> {
        let (_, rest) = self.in_whole_tiles(&tile.as_function(self.order).flattened()?)?;
        let sizes = |axis: &Axis| axis.sizes().rev().filter(|size| *size > 1).collect();
        Ok(rest.axes().first().map_or(Vec::new(), sizes))
    }

    /// The layout as one axis of whole tiles, and the map from the number of a tile to its first element.
    fn in_whole_tiles(&self, tile: &Layout) -> Result<(Layout, Layout), LayoutError> {
        let flat = whole_tiles(self.flattened()?, 0, tile)?;
        let rest = flat.tiles(&stepping(tile)?)?;
        Ok((flat, rest))
    }

    /// Divides mode by mode: mode k into tiles of `modes[k]`. A mode without a tile is unchanged: it counts
    /// as a single tile in the arrangement [`Logical`](Arrangement::Logical), and as tiles of one element in
    /// the others.
    ///
    /// Source: CuTe, `python/pycute/layout.py`, `hier_unzip`.
    ///
    /// # Errors
    /// `Argument` for more tiles than modes; also the errors of [`divide_axes`](LinearFunction::divide_axes).
    pub fn divide_modes(
        &self,
        modes: &[Option<Layout>],
        arrangement: Arrangement,
    ) -> Result<Layout, LayoutError> {
        let tiles = match arrangement {
            Arrangement::Logical => self.whole_modes(modes, modes.len(), |extent| extent)?,
            _ => self.whole_modes(modes, modes.len(), |_| 1)?,
        };
        let whole = |layout, (k, tile)| whole_tiles(layout, k, tile);
        let layout = tiles.iter().enumerate().try_fold(self.layout.clone(), whole)?;
        let tiler = LinearFunction::by_modes(self.order, &tiles)?;
        // The axes of all arrangements but the first have one order.
        let divided = layout.as_function(self.order).divide_axes(&tiler, arrangement)?;
        match arrangement {
            Arrangement::Logical => (0..tiler.rank()).try_fold(divided, |layout, mode| {
                layout.as_function(self.order).merge_axes(mode, 2)
            }),
            _ => self.grouped(divided, tiler.rank(), arrangement),
        }
    }

    /// Returns the index map of a tiler: [`LinearFunction::by_modes`] of the given layouts, with the other modes
    /// whole.
    ///
    /// # Errors
    /// As [`divide_modes`](LinearFunction::divide_modes).
    pub fn tiler(&self, modes: &[Option<Layout>]) -> Result<Layout, LayoutError> {
        LinearFunction::by_modes(
            self.order,
            &self.whole_modes(modes, modes.len(), |extent| extent)?,
        )
    }

    /// Composes mode by mode: mode k with `modes[k]`; modes without a layout are unchanged.
    ///
    /// # Errors
    /// `Argument` for more layouts than modes; also the errors of [`Layout::compose`].
    pub fn compose_modes(&self, modes: &[Option<Layout>]) -> Result<Layout, LayoutError> {
        let modes = self.whole_modes(modes, self.layout.rank(), |extent| extent)?;
        self.layout.compose(&LinearFunction::by_modes(self.order, &modes)?)
    }

    /// Multiplies by a pattern of copies: CuTe's `logical_product` and its variants, with `self` as one mode.
    ///
    /// # Errors
    /// As [`Layout::product`].
    pub fn product(
        &self,
        pattern: &Layout,
        arrangement: Arrangement,
    ) -> Result<Layout, LayoutError> {
        let modes = [self.majors(self.layout), self.majors(pattern)];
        let (tile, pattern) = (self.flattened()?, pattern.as_function(self.order).flattened()?);
        let product = tile.concatenate(&copies(&tile, &pattern)?)?;
        Ok(self.spread(product, modes, arrangement))
    }

    /// Multiplies mode by mode: mode k by `modes[k]`, with copies in what that mode alone leaves free. Modes
    /// without a pattern are unchanged, as in [`divide_modes`](LinearFunction::divide_modes).
    ///
    /// Copies of different modes may overlap; those of [`repeated`](LinearFunction::repeated) do not.
    /// Law: element ((t0, c0), (t1, c1), ..) is at `tile(t0, t1, ..) + copies0(c0) + copies1(c1) + ..`.
    /// Source: CuTe, `python/pycute/layout.py`, `logical_product` by a tuple.
    ///
    /// # Errors
    /// `Argument` for more patterns than modes; also the errors of [`Layout::product`].
    pub fn product_modes(
        &self,
        modes: &[Option<Layout>],
        arrangement: Arrangement,
    ) -> Result<Layout, LayoutError> {
        self.check_modes(modes)?;
        let patterns = modes.iter().enumerate().filter_map(|(k, mode)| Some((k, mode.as_ref()?)));
        let product = patterns.clone().try_fold(self.layout.clone(), |product, (k, pattern)| {
            let pattern = pattern.as_function(self.order).flattened()?;
            product.concatenate(&copies(&self.mode(k)?, &pattern)?)
        })?;
        let copies: BTreeMap<usize, usize> =
            patterns.map(|(k, _)| k).zip(self.layout.rank()..).collect();
        match arrangement {
            Arrangement::Logical => self.mode_beside_copies(&product, &copies),
            _ => {
                let tiled = self.modes_before_copies(&product, &copies, modes.len())?;
                self.grouped(tiled, modes.len(), arrangement)
            }
        }
    }

    /// Merges each mode with the axis of its copies, if it has any, into one mode.
    fn mode_beside_copies(
        &self,
        product: &Layout,
        copies: &BTreeMap<usize, usize>,
    ) -> Result<Layout, LayoutError> {
        let rank = self.layout.rank();
        let order = (0..rank).flat_map(|k| std::iter::once(k).chain(copies.get(&k).copied()));
        let beside = product.permute(&order.collect::<Vec<_>>())?;
        (0..rank).try_fold(beside, |layout, k| {
            layout.as_function(self.order).merge_axes(k, 1 + usize::from(copies.contains_key(&k)))
        })
    }

    /// Orders the axes: the first `count` modes, one element for those without copies, then the rest.
    fn modes_before_copies(
        &self,
        product: &Layout,
        copies: &BTreeMap<usize, usize>,
        count: usize,
    ) -> Result<Layout, LayoutError> {
        let rank = self.layout.rank();
        let rest = (0..count).map(|k| copies.get(&k).copied().unwrap_or(k)).chain(count..rank);
        let tiles = (0..count).filter(|k| copies.contains_key(k));
        let ordered = product.permute(&tiles.chain(rest).collect::<Vec<_>>())?;
        let mut lone = (0..count).filter(|k| !copies.contains_key(k));
        lone.try_fold(ordered, |layout, k| layout.insert_axis(k))
    }

    /// The layout of one mode, with the others at 0. The digits of the others are dropped: as padding
    /// they would prevent a complement.
    pub(crate) fn mode(&self, at: usize) -> Result<Layout, LayoutError> {
        let extent = self.layout.axes().get(at).map_or(0, |axis| axis.extent);
        let map = index_map(self.layout.rank()).axis(extent, [whole(extent, at)]);
        self.layout.compose(&map.build()?)?.without_padding()
    }

    /// Returns the longest right inverse, one mode per digit; see [`contiguous_inverse`](LinearFunction::contiguous_inverse).
    ///
    /// # Errors
    /// As [`contiguous_inverse`](LinearFunction::contiguous_inverse).
    pub fn right_inverse(&self) -> Result<Layout, LayoutError> {
        Ok(self.by_digits(self.contiguous_inverse()?))
    }

    /// Returns the left inverse, one mode per digit; see [`linear_left_inverse`](LinearFunction::linear_left_inverse).
    ///
    /// # Errors
    /// As [`linear_left_inverse`](LinearFunction::linear_left_inverse).
    pub fn left_inverse(&self) -> Result<Layout, LayoutError> {
        Ok(self.by_digits(self.linear_left_inverse()?))
    }

    /// Returns the layout of what is left free in a space, one mode per digit; see [`Layout::complement`]. As
    /// in CuTe, digits of stride 0 are ignored.
    ///
    /// # Errors
    /// As [`Layout::complement`].
    pub fn complement(&self, space: &[(Level, u64)]) -> Result<Layout, LayoutError> {
        Ok(self.by_digits(stepping(self.layout)?.complement(space)?))
    }

    /// Composes with `inner`, a mode per digit; see [`compose_axes`](LinearFunction::compose_axes), which keeps the axes of `inner`.
    ///
    /// # Errors
    /// As [`compose_axes`](LinearFunction::compose_axes).
    pub fn compose(&self, inner: &Layout) -> Result<Layout, LayoutError> {
        let composed = self.compose_axes(inner)?;
        Ok(self.by_digits(composed.without_padding()?))
    }

    /// Groups the first `tiles` axes, and the others, into the modes of an arrangement.
    fn grouped(
        &self,
        layout: Layout,
        tiles: usize,
        arrangement: Arrangement,
    ) -> Result<Layout, LayoutError> {
        let tiled = match arrangement {
            Arrangement::Flat => return Ok(layout),
            _ => self.one_mode(layout, 0, tiles)?,
        };
        let rest = tiled.rank() - 1;
        if arrangement == Arrangement::Tiled { Ok(tiled) } else { self.one_mode(tiled, 1, rest) }
    }

    /// Merges `count` axes into one mode; for 0 axes, inserts a mode of one element.
    fn one_mode(&self, layout: Layout, at: usize, count: usize) -> Result<Layout, LayoutError> {
        match count {
            0 => layout.insert_axis(at),
            _ => layout.as_function(self.order).merge_axes(at, count),
        }
    }

    /// Splits the axes of tile and rest into the modes of an arrangement. An axis that is not one mode is
    /// split into the given modes, major to minor, or into one per digit if only one mode is given.
    fn spread(&self, layout: Layout, modes: [Vec<u64>; 2], arrangement: Arrangement) -> Layout {
        let axes = match arrangement {
            Arrangement::Logical | Arrangement::Zipped => 2..2,
            Arrangement::Tiled => 1..2,
            Arrangement::Flat => 0..2,
        };
        let modes = modes.into_iter().enumerate().skip(axes.start).take(axes.len());
        // From the last one on, so that the first keeps its number.
        modes.rev().fold(layout, |layout, (at, modes)| {
            let split = match modes.len() > 1 {
                true => self.split(&layout, at, &modes),
                false => self.split_digits(&layout, at),
            };
            split.unwrap_or(layout)
        })
    }

    /// Returns the extents of the modes, major to minor.
    fn majors(&self, layout: &Layout) -> Vec<u64> {
        let axes = self.order.slowest_first(layout.rank()).into_iter();
        axes.map(|axis| layout.axes[axis].extent).collect()
    }

    fn check_modes(&self, modes: &[Option<Layout>]) -> Result<(), LayoutError> {
        let (modes, rank) = (modes.len(), self.layout.rank());
        match modes > rank {
            true => Err(fault!(
                Argument,
                "cannot edit the layout: the tiler has {modes} modes, but the layout has \
                 rank {rank}",
                [modes, rank]
            )),
            false => Ok(()),
        }
    }

    /// Returns a layout for each of the first `count` modes: the given one, or one of neighbouring elements.
    fn whole_modes(
        &self,
        modes: &[Option<Layout>],
        count: usize,
        neighbours: fn(u64) -> u64,
    ) -> Result<Vec<Layout>, LayoutError> {
        self.check_modes(modes)?;
        let given = modes.iter().chain(std::iter::repeat(&None));
        let modes = given.zip(self.layout.shape()).take(count).map(|(mode, extent)| match mode {
            Some(mode) => Ok(mode.clone()),
            None => identity(neighbours(extent)),
        });
        modes.collect()
    }

    /// Splits a layout of one axis into an axis per digit, as CuTe writes its results.
    fn by_digits(&self, layout: Layout) -> Layout {
        match layout.rank() {
            1 => self.split_digits(&layout, 0).unwrap_or(layout),
            _ => layout,
        }
    }

    /// Splits an axis into its digits; `None` if it is padded.
    fn split_digits(&self, layout: &Layout, at: usize) -> Option<Layout> {
        self.split(layout, at, &layout.axes.get(at)?.sizes().collect_vec())
    }

    /// Splits an axis into modes, given major to minor; `None` if the axis is padded.
    fn split(&self, layout: &Layout, at: usize, modes: &[u64]) -> Option<Layout> {
        let split = layout.split_axis(at, modes).ok()?;
        let mut order: Vec<usize> = (0..split.rank()).collect();
        let axes = order.get_mut(at..at + modes.len()).filter(|axes| !axes.is_empty())?;
        if self.order == IndexOrder::Colexicographic {
            axes.reverse();
        }
        split.permute(&order).ok()
    }
}

/// Removes the digits of stride 0, so that each place occurs once.
fn stepping(layout: &Layout) -> Result<Layout, LayoutError> {
    let mut builder = layout.to_builder();
    for axis in builder.axes.iter_mut().filter(|axis| axis.extent == axis.slots()) {
        let stays = |digit: &&mut Subaxis| matches!(digit.target, Target::Land { stride: 0, .. });
        axis.subaxes.iter_mut().filter(stays).for_each(|digit| digit.size = 1);
        axis.extent = axis.slots();
    }
    builder.build()
}

/// Returns the layout that numbers the copies of a product. The free places that they leave are not part of a
/// linear function.
fn copies(tile: &Layout, pattern: &Layout) -> Result<Layout, LayoutError> {
    stepping(tile)?.copies_at(pattern)?.without_padding()
}

/// Returns the layout of one axis whose places are its indexes.
fn identity(extent: u64) -> Result<Layout, LayoutError> {
    Layout::builder().axis(extent, [Subaxis::land(extent.max(1), Level::ADDR, 1)]).build()
}

/// Lengthens an axis to whole tiles; an axis that cannot be lengthened stays as it is.
fn whole_tiles(layout: Layout, axis: usize, tile: &Layout) -> Result<Layout, LayoutError> {
    let extent = layout.axes[axis].extent;
    let filled = product(tile.complement_space()?.into_iter().map(|(_, size)| size));
    match filled.and_then(|filled| extent.checked_next_multiple_of(filled)) {
        Some(whole) if whole > extent => going_on(layout, axis, whole),
        _ => Ok(layout),
    }
}

/// Lengthens an axis to `extent`: its major digit continues with its step. Unchanged if that digit feeds.
fn going_on(layout: Layout, axis: usize, extent: u64) -> Result<Layout, LayoutError> {
    let mut builder = layout.to_builder();
    let longer = &mut builder.axes[axis];
    let slots = longer.slots();
    let moves = |subaxis: &&mut Subaxis| subaxis.size > 1;
    match longer.subaxes.iter_mut().find(moves) {
        _ if extent <= slots => {}
        Some(major) if matches!(major.target, Target::Land { .. }) => {
            major.size = extent.div_ceil(slots / major.size);
        }
        // One element, repeated `extent` times.
        None => longer.subaxes = vec![Subaxis::land(extent, Level::ADDR, 0)],
        // A digit that feeds does not determine the next address.
        Some(_) => return Ok(layout),
    }
    longer.extent = extent;
    builder.build()
}
