//! Mode-by-mode operations on layouts, as in CuTe's tilers and grouped divisions.

use crate::algebra::divide::Arrangement;
use crate::algebra::layout::{Layout, LinearFunction, Subaxis, Target};
use crate::algebra::radix::IndexOrder;
use crate::error::{LayoutError, fault};
use crate::level::Level;

/// The side that runs fastest in [`repeated`](LinearFunction::repeated).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Repeat {
    /// The tile: CuTe's `blocked_product`.
    Blocks,
    /// The pattern: CuTe's `raked_product`.
    Interleaved,
}

impl LinearFunction<'_> {
    /// Repeats a tile as `pattern` arranges the copies, axis by axis: axis k of the result combines axis k
    /// of the tile, which moves within a copy, with axis k of the pattern, which moves from copy to copy.
    ///
    /// With [`Blocks`](Repeat::Blocks) neighbours are in one copy; with [`Interleaved`](Repeat::Interleaved)
    /// they are in different ones. The axes of each are numbered in `order`, and the shorter of the two is
    /// extended with axes of extent 1.
    /// Law: the axes are those of [`product`](Layout::product), merged and permuted.
    /// Source: CuTe, `02_layout_algebra.md`, "Blocked and raked products".
    ///
    /// # Errors
    /// As [`product`](Layout::product) and [`merge_axes`](Layout::merge_axes).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::algebra::{IndexOrder::Colexicographic, Repeat};
    /// use tensor_layout::LayoutText;
    /// use tensor_layout::notation::CuteLayout;
    /// let cute = |text: &str| LayoutText::parse(text).unwrap().lower().unwrap();
    /// let (tile, pattern) = (cute("(2,5):(5,1)"), cute("(3,4):(1,3)"));
    /// let blocks = tile.as_function(Colexicographic).repeated(&pattern, Repeat::Blocks)?;
    /// assert_eq!(CuteLayout::of(&blocks)?.to_string(), "((2,3),(5,4)):((5,10),(1,30))");
    /// let interleaved = tile.as_function(Colexicographic).repeated(&pattern, Repeat::Interleaved)?;
    /// assert_eq!(CuteLayout::of(&interleaved)?.to_string(), "((3,2),(4,5)):((10,5),(30,1))");
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    pub fn repeated(&self, pattern: &Layout, repeat: Repeat) -> Result<Layout, LayoutError> {
        let rank = self.layout.rank().max(pattern.rank());
        let product =
            self.layout.of_rank(rank)?.product(&pattern.of_rank(rank)?, Arrangement::Logical)?;
        // The second of a pair runs fastest where the last axis does.
        let tile_first = (repeat == Repeat::Blocks) == (self.order == IndexOrder::Colexicographic);
        let pair = |axis: usize| {
            if tile_first { [2 * axis, 2 * axis + 1] } else { [2 * axis + 1, 2 * axis] }
        };
        let pairs: Vec<usize> = (0..rank).flat_map(pair).collect();
        let paired = product.permute(&pairs)?;
        (0..rank)
            .try_fold(paired, |layout, axis| layout.as_function(self.order).merge_axes(axis, 2))
    }

    /// Repeats a tile block by block until it fills a shape; the copies are numbered in `order`.
    ///
    /// Law: [`repeated`](LinearFunction::repeated) by the compact pattern of shape / tile copies.
    /// Source: CuTe, `include/cute/layout.hpp`, tile_to_shape.
    ///
    /// # Errors
    /// `Shape`; `Argument` for a shape that whole tiles
    /// do not fill; also the errors of [`repeated`](LinearFunction::repeated).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::algebra::IndexOrder::Colexicographic;
    /// use tensor_layout::LayoutText;
    /// use tensor_layout::notation::CuteLayout;
    /// let atom = LayoutText::parse("S<3,3,3> o 0 o (8,64):(64,1)").unwrap().lower().unwrap();
    /// let tile = atom.as_function(Colexicographic).tiled_to(&[128, 128])?;
    /// assert_eq!(CuteLayout::of(&tile)?.to_string(), "S<3,3,3> o 0 o (128,(64,2)):(64,(1,8192))");
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    pub fn tiled_to(&self, shape: &[u64]) -> Result<Layout, LayoutError> {
        let own = self.layout.shape();
        if shape.len() != own.len() {
            return Err(LayoutError::rank_mismatch(shape.len(), own.len()));
        }
        let mut copies = Vec::new();
        for (axis, (extent, tile)) in shape.iter().zip(&own).enumerate() {
            let count =
                extent.checked_div(*tile).filter(|count| count.checked_mul(*tile) == Some(*extent));
            let partial = || {
                fault!(
                    Argument,
                    "cannot edit the layout: tiles of {tile} do not fill axis {axis} of \
                     extent {extent}; the next extent that they fill is {next}",
                    [
                        tile = *tile,
                        axis,
                        extent = *extent,
                        next = extent.checked_next_multiple_of((*tile).max(1)).unwrap_or(0)
                    ]
                )
            };
            copies.push(count.ok_or_else(partial)?);
        }
        let weights = self.order.weights(&copies)?;
        let mut pattern = Layout::builder();
        for (count, weight) in copies.iter().zip(weights) {
            pattern = pattern.axis(*count, [Subaxis::land((*count).max(1), Level::ADDR, weight)]);
        }
        self.repeated(&pattern.build()?, Repeat::Blocks)
    }

    /// Merges axes as [`merge_axes`](Layout::merge_axes), numbered in a given order: with
    /// [`Colexicographic`](IndexOrder::Colexicographic) the first of them varies fastest, as in a CuTe tuple
    /// of modes.
    pub(crate) fn merge_axes(&self, at: usize, count: usize) -> Result<Layout, LayoutError> {
        let mut axes: Vec<usize> = (0..self.layout.rank()).collect();
        if let Some(merged) = axes.get_mut(at..at.saturating_add(count))
            && self.order == IndexOrder::Colexicographic
        {
            merged.reverse();
        }
        self.layout.permute(&axes)?.merge_axes(at, count)
    }

    /// Builds the index map that applies a separate layout to each axis: `modes[k]`, as a function of its
    /// linear index, lands in `i{k}` instead of `Addr`.
    ///
    /// Law: axis k of the result at x has the coordinate `modes[k](x)` in `i{k}`.
    /// Source: CuTe, `02_layout_algebra.md`, "By-mode composition".
    ///
    /// # Errors
    /// `Argument` for levels other than `Addr`, and for copies in different places.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::algebra::{IndexOrder::Colexicographic, LinearFunction};
    /// use tensor_layout::{Layout, LayoutText};
    /// use tensor_layout::notation::CuteLayout;
    /// let cute = |text: &str| LayoutText::parse(text).unwrap().lower().unwrap();
    /// // CuTe: (12,(4,8)):(59,(13,1)) composed with <3:4, 8:2>.
    /// let tiler = LinearFunction::by_modes(Colexicographic, &[cute("3:4"), cute("8:2")])?;
    /// let composed = cute("(12,(4,8)):(59,(13,1))").compose(&tiler)?;
    /// assert_eq!(CuteLayout::of(&composed)?.to_string(), "(3,(2,4)):(236,(26,1))");
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    pub fn by_modes(order: IndexOrder, modes: &[Layout]) -> Result<Layout, LayoutError> {
        let mut map = Layout::builder();
        for (number, mode) in modes.iter().enumerate() {
            mode.check_no_copies()?;
            if let Some(level) = mode.levels_beside_addr().next() {
                return Err(LayoutError::map_level(level, 0));
            }
            let flat = mode.as_function(order).flattened()?.without_padding()?;
            let shift = map.derived.len();
            let landed = |subaxis: &Subaxis| match subaxis.target {
                Target::Land { stride, .. } => {
                    Subaxis::land(subaxis.size, Level::axis(number), stride)
                }
                Target::Feed { .. } => subaxis.shifted(shift),
            };
            map.axes.extend(flat.axes.iter().map(|axis| axis.with(landed)));
            map.derived.extend(flat.derived.iter().map(|derived| derived.with(landed)));
            map = map.used(Level::axis(number));
            map = map.offset(Level::axis(number), flat.offset(Level::ADDR));
        }
        map.build()
    }
}

impl Layout {
    /// Appends axes of extent 1 up to this rank.
    fn of_rank(&self, rank: usize) -> Result<Layout, LayoutError> {
        (self.rank()..rank).try_fold(self.clone(), |layout, axis| layout.insert_axis(axis))
    }
}
