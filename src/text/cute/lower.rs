//! CuTe layouts: modes are axes, read colexicographically.

use itertools::Itertools;

use super::tree::MAX_COORDINATES;
use super::{CuteLayout, CuteMap, CuteMode, CuteStride, CuteTiler};
use crate::algebra::{Axis, IndexOrder, Layout, Replica, Subaxis, product};
use crate::error::{LayoutError, ParseError, Site, fault};
use crate::level::Level;
use crate::swizzle::CuteSwizzle;
use crate::text::kind::{Notation, NotationText, WrittenLayout};
use crate::text::xla::{XlaDtype, XlaParser};

impl CuteLayout {
    /// Returns the layout that the text describes: one axis per top-level mode; within a mode the first leaf
    /// runs fastest. Places are in `Addr`, or in `i0`, `i1`, .. for strides such as `1@0`; elements may share
    /// them. A swizzle is an [XOR](crate::algebra::Combine::Xor).
    ///
    /// # Errors
    /// `Invalid`, `TooLarge`; `OutsideDomain` where a smaller layout maps the addresses.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::notation::CuteLayout;
    /// let layout = "((2,2),3):((24,2),8)".parse::<CuteLayout>()?.lower()?;
    /// assert_eq!(layout.locate(&[3, 1])?.to_string(), "Addr=34"); // 24 + 2 + 8
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lower(&self) -> Result<Layout, ParseError> {
        self.to_layout().map_err(|error| self.refuse(error))
    }

    pub(in crate::text) fn to_layout(&self) -> Result<Layout, LayoutError> {
        let plain = plain(self.axes())?;
        let Some((map, offset)) = &self.outer else { return Ok(plain) };
        let from = plain.with_offset(Level::ADDR, *offset)?;
        match map {
            CuteMap::Swizzle(swizzle) if swizzle.bits == 0 => Ok(from),
            CuteMap::Swizzle(swizzle) => swizzle.apply_to(&from),
            CuteMap::Layout(mode) => {
                let outer = self::plain(mode.axes())?;
                outer.as_function(IndexOrder::Colexicographic).compose_axes(&from)
            }
        }
    }
}

impl CuteTiler {
    /// The layouts of the modes, from the first on; `None` for a mode that is left whole.
    ///
    /// # Errors
    /// As [`CuteLayout::lower`].
    pub fn lower(&self) -> Result<Vec<Option<Layout>>, ParseError> {
        let lower = |mode: &Option<CuteLayout>| mode.as_ref().map(CuteLayout::lower).transpose();
        self.modes.iter().map(lower).collect()
    }
}

fn plain(modes: &[CuteMode]) -> Result<Layout, LayoutError> {
    let mut builder = Layout::builder();
    for (number, mode) in modes.iter().enumerate() {
        let leaves = mode.leaves();
        let too_large = || LayoutError::too_large(Site::Axis(number), "the product of the extents");
        let extent = product(leaves.iter().map(|(extent, _)| *extent));
        let land = |(extent, stride): &(u64, CuteStride)| {
            let level = stride.coordinate.map_or(Level::ADDR, Level::axis);
            Subaxis::land(*extent, level, stride.step)
        };
        builder = builder.axis(extent.ok_or_else(too_large)?, leaves.iter().rev().map(land));
    }
    builder.build()
}

impl CuteLayout {
    /// Writes the layout as a CuTe layout: a mode per axis, its leaves minor to major.
    ///
    /// CuTe cannot express padding: from a layout with padding, only the layout of the elements is written
    /// ([`without_padding`](Layout::without_padding)). An XOR that is a swizzle is written as one:
    /// `S<3,3,3> o 0 o (8,64):(64,1)`, an offset with the swizzle that moves nothing: `S<0,4,3> o 8 o 4:1`;
    /// a map to `i0`, `i1`, .. has strides such as `1@0`.
    /// Law: every element of the result has the place that it has here. Copies that coincide count once.
    ///
    /// # Errors
    /// `Inexpressible`: levels other than `Addr` or coordinates, distinct copies, an offset after a swizzle,
    /// and derived axes that no plain subaxes replace; also the errors of
    /// [`without_padding`](Layout::without_padding).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// use tensor_layout::notation::CuteLayout;
    /// let layout: Layout = "((2:2, 2:24), (3:8))".parse()?;
    /// assert_eq!(CuteLayout::of(&layout)?.to_string(), "((2,2),3):((24,2),8)");
    /// let padded: Layout = "(3)/((2:2, 2:1))".parse()?;
    /// assert_eq!(CuteLayout::of(&padded)?.to_string(), "3:1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(of: &Layout) -> Result<CuteLayout, LayoutError> {
        let inexpressible = |reason| Notation::Cute.cannot_express(reason);
        let exact = of.simplified();
        let layout = if exact.has_plain_slots() { exact } else { of.without_padding()? };
        // A layout with an offset may still be a swizzle of a layout with an offset and fewer leaves.
        let has_leaves = |axis: &Axis| axis.subaxes.len() > 1;
        let may_be_swizzled =
            layout.offset(Level::ADDR) > 0 && layout.axes().iter().any(has_leaves);
        let is_plain = layout.derived_axes().is_empty() && !may_be_swizzled;
        let swizzled = if is_plain { None } else { of.simplified().unswizzled() };
        if let Some((swizzle, inner)) = swizzled {
            let offset = inner.offset(Level::ADDR);
            let (inner, _) = inner.to_origin();
            return Ok(CuteLayout::of(&inner)?.behind(CuteMap::Swizzle(swizzle), offset));
        }
        let (layout, offset) = match layout.maps_to_coordinates() {
            true => (layout, 0),
            false => {
                let (moved, offset) = layout.to_origin();
                moved.check_linear().map_err(inexpressible)?;
                (moved, offset)
            }
        };
        layout.check_plain_axes().map_err(inexpressible)?;
        // An axis that is still padded here cannot be cut to its elements.
        if let Some((axis, padded)) =
            layout.axes().iter().enumerate().find(|(_, a)| a.extent != a.slots())
        {
            let (extent, slots) = (padded.extent, padded.slots());
            return Err(inexpressible(match extent {
                0 => fault!(Inexpressible, "axis {axis} has extent 0", [axis]),
                _ => fault!(
                    Inexpressible,
                    "axis {axis} is padded from {extent} to {slots}",
                    [axis, extent, slots]
                ),
            }));
        }
        let mut modes = layout.axes().iter().map(mode).collect_vec();
        // One plain mode needs no bracket: `6:3`.
        let single = matches!(modes[..], [CuteMode::Leaf(..)]);
        let plain = CuteLayout::new(if single { modes.remove(0) } else { CuteMode::Tuple(modes) });
        Ok(match offset {
            0 => plain,
            _ => plain.behind(CuteMap::Swizzle(CuteSwizzle::IDENTITY), offset),
        })
    }
}

impl Layout {
    /// The swizzle, and the plain layout whose addresses it maps; `None` if the layout is not such a pair.
    ///
    /// A swizzle is its own inverse: applying it to swizzled addresses gives the plain ones.
    fn unswizzled(&self) -> Option<(CuteSwizzle, Layout)> {
        let is_linear = self.has_xor() && self.used_levels() == [Level::ADDR];
        if !is_linear || self.replicas().iter().any(Replica::is_apart) {
            return None;
        }
        let bits = u64::BITS - (self.extent(Level::ADDR) - 1).leading_zeros();
        let shifts = |size: u32| {
            (size..=bits.saturating_sub(size)).flat_map(|s| [s.cast_signed(), -s.cast_signed()])
        };
        // The sizes that are in use come first, so that a text round-trips.
        let all = [3_u32, 2, 1, 4, 5].into_iter().flat_map(|size| {
            shifts(size).flat_map(move |shift| {
                (0..bits).filter_map(move |base| CuteSwizzle::new(size, base, shift).ok())
            })
        });
        let inside = |swizzle: &CuteSwizzle| swizzle.base + swizzle.shift.unsigned_abs() < bits;
        let plain = all.filter(inside).filter_map(|swizzle| {
            let inner = swizzle.apply_to(self).ok()?.without_padding().ok()?;
            inner.derived_axes().is_empty().then_some((swizzle, inner))
        });
        let digits = |layout: &Layout| layout.axes().iter().map(|a| a.subaxes.len()).sum::<usize>();
        plain.min_by_key(|(_, inner)| digits(inner))
    }

    /// Returns whether every slot holds an element that plain subaxes place, and no element is left out.
    fn has_plain_slots(&self) -> bool {
        self.derived_axes().is_empty() && self.axes().iter().all(|axis| axis.extent == axis.slots())
    }

    /// Returns whether elements have coordinates `i0`, `i1`, .. alone: each level is stepped in from 0, and
    /// none has copies.
    fn maps_to_coordinates(&self) -> bool {
        let is_landed = |level: &Level| {
            let mut landings = self.landings().filter(|landing| landing.level == *level);
            landings.any(|landing| landing.size > 1)
        };
        let is_written = |coordinate| coordinate < MAX_COORDINATES;
        let coordinates = self.used_levels().iter().filter(|level| **level != Level::ADDR);
        let mut all = coordinates.clone();
        coordinates.count() > 0
            && all.all(|level| level.axis_number().is_some_and(is_written) && is_landed(level))
            && !self.landings().any(|of| of.level == Level::ADDR && of.size > 1 && of.stride > 0)
            && !self.replicas().iter().any(Replica::is_apart)
            && self.used_levels().iter().all(|level| self.offset(*level) == 0)
    }

    /// The reason a notation with one linear address cannot express the layout, if there is one.
    pub(crate) fn check_linear(&self) -> Result<(), LayoutError> {
        if let Some(level) = self.used_levels().iter().find(|level| **level != Level::ADDR) {
            return Err(fault!(
                Inexpressible,
                "it has one linear address, but this layout uses `{level}`",
                [level = *level]
            ));
        }
        if let Some(replica) = self.replicas().iter().find(|replica| replica.is_apart()) {
            return Err(fault!(
                Inexpressible,
                "it cannot express copies, but this layout copies along `{level}`",
                [level = replica.level]
            ));
        }
        match self.offset(Level::ADDR) {
            0 => Ok(()),
            offset => Err(starts_from(Level::ADDR, offset)),
        }
    }
}

/// Its leaves, minor to major; an axis without digits that move is one leaf.
fn mode(axis: &Axis) -> CuteMode {
    let leaves = axis.subaxes.iter().rev().filter(|s| s.size > 1 || axis.subaxes.len() == 1);
    // No axis feeds another one here, and an address is no coordinate.
    let leaf = |subaxis: &Subaxis| {
        let (level, step) = subaxis.landed().unwrap_or((Level::ADDR, 0));
        CuteMode::Leaf(subaxis.size, CuteStride { step, coordinate: level.axis_number() })
    };
    CuteMode::joined(leaves.map(leaf).collect())
}

impl NotationText for CuteLayout {
    fn is_likely(text: &str) -> bool {
        let body = text.split('@').next().unwrap_or(text);
        let first = body.chars().find(|c| c.is_alphanumeric());
        is_composed(text)
            || first.is_none_or(|first| first.is_ascii_digit()) && has_outer_colon(text)
    }

    fn read(text: &str, _: XlaParser) -> Result<CuteLayout, ParseError> {
        text.parse()
    }

    fn write(
        layout: &Layout,
        _: Option<&CuteLayout>,
        _: XlaDtype,
    ) -> Result<WrittenLayout, LayoutError> {
        let text = CuteLayout::of(layout)?;
        Ok(WrittenLayout::new(&text, text.to_layout()?))
    }
}

/// Returns whether a text is a composed CuTe layout, or a CuTe layout spelled as in C++, Python or MLIR.
fn is_composed(text: &str) -> bool {
    const WORDS: &str = "S< Sw< SW_ Swizzle ComposedLayout Layout( Layout< cute:: \
                         !cute. !cute_nvgpu. cute. make_layout( composition( gmem_ptr[ smem_ptr[ rmem_ptr[ ptr[ ArithTuple( \
                         tensor<ptr< ptr< tensor<raw_ptr( raw_ptr( \
                         Layout_K_ Layout_MN_ GMMA:: UMMA:: SM90::GMMA:: tile_to_shape( \
                         smem_sparse tmem_ MMA_Atom TiledMMA Copy_Atom TiledCopy";
    let letters = text.chars().filter(|c| !c.is_whitespace());
    let first: String = letters.skip_while(|c| matches!(c, '(' | ':')).take(16).collect();
    WORDS.split(' ').any(|word| first.starts_with(word))
        || first.starts_with(|c: char| c.is_ascii_digit() || c == '_')
            && text.split_whitespace().any(|word| word == "o")
}

fn has_outer_colon(text: &str) -> bool {
    let mut depth = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        byte == b':' && depth == 0
    })
}

/// A constant that every coordinate starts from.
pub(crate) fn starts_from(level: Level, offset: u64) -> LayoutError {
    fault!(Inexpressible, "every `{level}` starts from {offset}", [level, offset])
}
