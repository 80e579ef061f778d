//! Expanding a unit axis over a level, tiling an axis, and splitting elements into bytes.

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

const BITS_OF_BYTE: u64 = 8;

impl Layout {
    /// Returns the layout of the bytes; `Addr` of `self` counts elements of `element_bits` bits each.
    ///
    /// In the result, `Addr` counts bytes, and a new last axis counts the bytes within an element. If an
    /// element is not a whole number of bytes, the last axis counts its bits, lowest first, and the
    /// coordinate in the level `Bit` is the number of the bit within its byte, from 0 to 7.
    /// Law: byte k of element i is at `bytes x locate(i) + k`; bit k of it is bit
    /// `element_bits x locate(i) + k`, counted from the lowest bit of byte 0.
    /// Cost: O(subaxes).
    ///
    /// # Errors
    /// `Argument` for 0 bits, `TooLarge`; where an element is not a whole number of bytes, also `Uneven` for
    /// copies whose steps do not line up with bytes, and `Argument` for a layout that already uses `Bit`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::xla::XlaShape;
    /// let lowered = |text: &str| text.parse::<XlaShape>().unwrap().lower().unwrap();
    /// let bytes = lowered("bf16[4,2]{0,1}").in_bytes(16)?;
    /// assert_eq!(bytes, "((4:2), (2:8), (2:1))".parse()?);
    /// let bits = lowered("s4[6]{0:E(4)}").in_bytes(4)?;
    /// assert_eq!(bits.locate(&[3, 1])?.to_string(), "Bit=5,Addr=1");
    /// let split = "((2_PE, 3:1))".parse::<tensor_layout::Layout>()?.in_bytes(4)?;
    /// assert_eq!(split.locate(&[4, 1])?.to_string(), "PE=1,Bit=5,Addr=0");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_bytes(&self, element_bits: u64) -> Result<Layout, LayoutError> {
        if element_bits.is_multiple_of(BITS_OF_BYTE) {
            return self.in_parts(element_bits / BITS_OF_BYTE);
        }
        let (bits, level) = (self.in_parts(element_bits)?, Level::literal("Bit"));
        if self.uses(level) {
            return Err(fault!(
                Argument,
                "cannot edit the layout: level `{level}` is needed for the bits of a \
                 byte, but the layout already uses it; rename it",
                [level]
            ));
        }
        bits.split_level(Level::ADDR, BITS_OF_BYTE, Level::ADDR, level)
    }

    /// Returns the layout of the parts of every element, which follow each other in `Addr`: a last axis.
    pub(crate) fn in_parts(&self, parts: u64) -> Result<Layout, LayoutError> {
        let at = self.rank();
        self.insert_axis(at)?.expand(at, parts, Level::ADDR)
    }
}
