//! Expanding a unit axis over a level, and tiling an axis.

use crate::algebra::builder::LayoutBuilder;
use crate::algebra::layout::{Axis, DerivedAxis, Layout, Replica, Subaxis, Target};
use crate::error::{LayoutError, Site, fault};
use crate::level::Level;

impl Layout {
    /// Expands an axis of extent 1 to `size` along `level`, as its innermost coordinate.
    ///
    /// The axis becomes `size_level:1`; the other strides, the offset and the span in the level are
    /// multiplied by `size`.
    /// Law: the slice of the result at index k of the axis has the coordinate
    /// `size x old + k` in `level`, and the old coordinates elsewhere.
    ///
    /// # Errors
    /// `Argument` if the axis does not exist, its extent is not 1, or `size` is 0; `TooLarge`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Layout, Level};
    /// let input: Layout = "((2_Time:1), (), (16:1))".parse()?;
    /// let output = input.expand(1, 6, Level::TIME)?;
    /// assert_eq!(output, "((2_Time:6), (6_Time:1), (16:1))".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn expand(&self, at: usize, size: u64, level: Level) -> Result<Layout, LayoutError> {
        let extent = self.check_axis(at)?;
        if extent != 1 || size == 0 {
            return Err(fault!(
                Argument,
                "cannot edit the layout: axis {axis} of extent {extent} cannot be \
                 expanded to {size}: only an axis of extent 1 can, to at least 1",
                [axis = at, extent, size]
            ));
        }
        let mut expanded = self.spread_out(level, size)?;
        let digit = Subaxis::land(size, level, 1);
        // The digits that the axis had are 0 for its one element, so they can lead.
        expanded.axes[at].subaxes.push(digit);
        expanded.axes[at].extent = size;
        expanded.to_builder().build()
    }

    /// Tiles an axis: `times` copies of the tensor one after the other, [`span`](Layout::span) -
    /// [`offset`](Layout::offset) apart in `level`.
    ///
    /// Law: `tile.locate(k x extent + i)` is `locate(i)` moved by `k x (span - offset)` in `level`.
    ///
    /// # Errors
    /// `Argument` if the axis does not exist or `times` is 0; `TooLarge`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Layout, Level};
    /// let layout: Layout = "(3:1)".parse()?;
    /// assert_eq!(layout.tile(0, 2, Level::ADDR)?, "((2:3, 3:1))".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tile(&self, at: usize, times: u64, level: Level) -> Result<Layout, LayoutError> {
        let extent = self.check_axis(at)?;
        if times == 0 {
            return Err(fault!(
                Argument,
                "cannot edit the layout: axis {axis} cannot be tiled 0 times",
                [axis = at]
            ));
        }
        let far = self.span(level) - self.offset(level);
        let too_large = |what| LayoutError::too_large(Site::Axis(at), what);
        let tiled = extent.checked_mul(times).ok_or_else(|| too_large("the tiled extent"))?;
        let end = far.checked_mul(times - 1).and_then(|more| self.span(level).checked_add(more));
        let end = end.ok_or_else(|| too_large("a coordinate"))?;
        let mut builder = self.in_blocks(at, times, level, far).span(level, end);
        builder.axes[at].extent = tiled;
        Ok(builder.build()?.into_simplified())
    }

    /// Turns one axis into blocks of the old one, `far` apart in `level`; the caller sets the extent.
    pub(super) fn in_blocks(
        &self,
        at: usize,
        blocks: u64,
        level: Level,
        far: u64,
    ) -> LayoutBuilder {
        let mut builder = self.to_builder();
        let extent = self.axes[at].extent;
        // The axis as it was, fed by the index within one block.
        let shift = |subaxis: &Subaxis| subaxis.shifted(1);
        builder.axes.iter_mut().for_each(|axis| *axis = axis.with(shift));
        builder.derived.iter_mut().for_each(|derived| *derived = derived.with(shift));
        let digits = vec![Subaxis::land(blocks, level, far), Subaxis::feed(extent.max(1), 0, 1)];
        let whole = Axis { extent, subaxes: digits };
        let axis = std::mem::replace(&mut builder.axes[at], whole);
        builder.derived.insert(0, DerivedAxis::sum(0, axis));
        builder
    }

    /// Multiplies every coordinate in `level` by `factor`.
    pub(crate) fn spread_out(&self, level: Level, factor: u64) -> Result<Layout, LayoutError> {
        let too_large = || LayoutError::too_large(Site::Layout, "a coordinate");
        let times = |step: u64| step.checked_mul(factor).ok_or_else(too_large);
        // A digit of size 1 never steps, so its stride may stay.
        let stride_of = |size: u64, stride: u64| if size > 1 { times(stride) } else { Ok(stride) };
        let mut spread = self.clone();
        for Subaxis { size, target } in spread.subaxes_mut() {
            if let Target::Land { level: of, stride } = target
                && *of == level
            {
                *stride = stride_of(*size, *stride)?;
            }
        }
        for Replica { size, level: of, stride } in &mut spread.replicas {
            if *of == level {
                *stride = stride_of(*size, *stride)?;
            }
        }
        for (_, at) in
            spread.offsets.iter_mut().chain(&mut spread.spans).filter(|(of, _)| *of == level)
        {
            *at = times(*at)?;
        }
        Ok(spread)
    }
}
