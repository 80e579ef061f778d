//! CuTe layouts: `((2,2),3):((24,2),8)`, alone or after a swizzle.

use std::fmt;

use itertools::Itertools;
use tensor_layout_words::product;

use crate::error::{LayoutError, ParseError};
use crate::swizzle::CuteSwizzle;
use crate::text::written::NotCompared;

/// The number of coordinates a text may map to.
pub(crate) const MAX_COORDINATES: usize = 64;

/// A CuTe layout: a shape and a stride of the same form, alone or after a map of its addresses.
///
/// Reads what CuTe, pycute, the CuTe DSL and C++ compilers print, including types; a shape alone is
/// contiguous, with the first mode the fastest. `smem_ptr[16b](unset)` means that a swizzle counts bytes; it
/// is not printed, since swizzles count elements here. Strides such as `1@0` make it a map to coordinates.
/// Law: `parse(print(x)) == x`.
///
/// ```
/// use tensor_layout::notation::CuteLayout;
/// let layout: CuteLayout = "((_2, 2), 3) : ((24, 2), 8)".parse()?;
/// assert_eq!(layout.to_string(), "((2,2),3):((24,2),8)");
/// let swizzled: CuteLayout = "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)".parse()?;
/// assert_eq!(swizzled.to_string(), "S<3,3,3> o 0 o (8,64):(64,1)");
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CuteLayout {
    /// Extents and strides, leaf by leaf.
    pub mode: CuteMode,
    /// The map of the addresses, and the offset that is added to an address before it.
    pub outer: Option<(CuteMap, u64)>,
    pub(crate) source: NotCompared<Box<str>>,
}

/// A map of addresses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CuteMap {
    /// `S<B,M,S>`
    Swizzle(CuteSwizzle),
    /// Another layout: the address is the number of its element, the first mode the fastest.
    Layout(CuteMode),
}

/// A mode: a leaf, or a tuple of modes, the first the fastest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CuteMode {
    /// `extent:stride`
    Leaf(u64, CuteStride),
    /// `(..):(..)`
    Tuple(Vec<CuteMode>),
}

/// The distance between the elements of a mode: `2`, or `2@0` if the layout maps to coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CuteStride {
    /// The distance, in elements or in steps of the coordinate.
    pub step: u64,
    /// The coordinate that the distance is measured in; `None` for addresses.
    pub coordinate: Option<usize>,
}

impl CuteStride {
    /// The stride of what follows `count` elements evenly.
    fn goes_on(self, count: u64) -> Option<CuteStride> {
        Some(CuteStride { step: self.step.checked_mul(count)?, ..self })
    }
}

impl From<u64> for CuteStride {
    fn from(step: u64) -> CuteStride {
        CuteStride { step, coordinate: None }
    }
}

impl fmt::Display for CuteStride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.step)?;
        self.coordinate.map_or(Ok(()), |coordinate| write!(f, "@{coordinate}"))
    }
}

impl CuteLayout {
    /// A layout from its modes.
    #[must_use]
    pub fn new(mode: CuteMode) -> CuteLayout {
        CuteLayout { mode, outer: None, source: NotCompared::default() }
    }

    /// The layout with an offset added to its addresses, and then a map of them.
    #[must_use]
    pub(crate) fn behind(self, map: CuteMap, offset: u64) -> CuteLayout {
        CuteLayout { outer: Some((map, offset)), ..self }
    }

    /// The modes that are axes: the members of the tuple, or the only leaf.
    #[must_use]
    pub fn axes(&self) -> &[CuteMode] {
        self.mode.axes()
    }

    /// The layout with the leaves of each mode in the tuples of one of `modes`, merged where they step evenly
    /// within one of its leaves; unchanged where the numbers of modes differ or leaves do not divide each other.
    ///
    /// Law: as a function of its modes it stays the same. Strides of `modes` have no meaning.
    ///
    /// ```
    /// use tensor_layout::notation::CuteLayout;
    /// let flat: CuteLayout = "((8,4,2),3):((1,8,32),64)".parse()?;
    /// let like: CuteLayout = "((8,(8,1)),3)".parse()?;
    /// assert_eq!(flat.nested_as(like.axes()).to_string(), "((8,(8,1)),3):((1,(8,0)),64)");
    /// # Ok::<(), tensor_layout::ParseError>(())
    /// ```
    #[must_use]
    pub fn nested_as(self, modes: &[CuteMode]) -> CuteLayout {
        match self.mode.nested_as(modes) {
            Some(mode) => CuteLayout { mode, ..self },
            None => self,
        }
    }

    /// Wraps `error` in a [`ParseError`] that points at this text.
    pub(crate) fn refuse(&self, error: impl Into<LayoutError>) -> ParseError {
        ParseError::whole(error, &self.source.text(self))
    }
}

impl CuteMode {
    /// A tuple of modes, or the only one; without any, a single element.
    pub(crate) fn joined(mut modes: Vec<CuteMode>) -> CuteMode {
        match modes.len() {
            0 => CuteMode::Leaf(1, 0.into()),
            1 => modes.remove(0),
            _ => CuteMode::Tuple(modes),
        }
    }

    /// The number of elements; `u64::MAX` if it exceeds 64 bits, which is reported elsewhere.
    pub(crate) fn size(&self) -> u64 {
        product(self.leaves().into_iter().map(|(extent, _)| extent)).unwrap_or(u64::MAX)
    }

    /// The members of a tuple, or the leaf alone.
    pub(crate) fn axes(&self) -> &[CuteMode] {
        match self {
            CuteMode::Tuple(modes) => modes,
            CuteMode::Leaf(..) => std::slice::from_ref(self),
        }
    }

    /// The leaves as (extent, stride), the first the fastest.
    #[must_use]
    pub fn leaves(&self) -> Vec<(u64, CuteStride)> {
        match self {
            CuteMode::Leaf(extent, stride) => vec![(*extent, *stride)],
            CuteMode::Tuple(modes) => modes.iter().flat_map(CuteMode::leaves).collect(),
        }
    }

    fn nested_as(&self, modes: &[CuteMode]) -> Option<CuteMode> {
        if self.axes().len() != modes.len() {
            return None;
        }
        let nested = |(own, like): (&CuteMode, &CuteMode)| {
            let own = own.leaves().into_iter().rev().filter(|(extent, _)| *extent != 1);
            let mut slowest_first = own.collect_vec();
            let mode = like.filled(&mut slowest_first)?;
            slowest_first.is_empty().then_some(mode)
        };
        let mut nested: Vec<CuteMode> =
            self.axes().iter().zip(modes).map(nested).collect::<Option<_>>()?;
        let is_single =
            matches!(self, CuteMode::Leaf(..)) && matches!(nested[..], [CuteMode::Leaf(..)]);
        Some(if is_single { nested.remove(0) } else { CuteMode::Tuple(nested) })
    }

    /// A mode of the same tuples, of leaves that are taken from the end, where the fastest is.
    fn filled(&self, leaves: &mut Vec<(u64, CuteStride)>) -> Option<CuteMode> {
        let mut left = match self {
            CuteMode::Leaf(extent, _) => *extent,
            CuteMode::Tuple(modes) => {
                let modes = modes.iter().map(|mode| mode.filled(leaves));
                return Some(CuteMode::Tuple(modes.collect::<Option<_>>()?));
            }
        };
        let mut own: Vec<(u64, CuteStride)> = Vec::new();
        while left > 1 {
            let (extent, stride) = leaves.pop()?;
            let taken = extent.min(left);
            if taken == 0 || !extent.is_multiple_of(taken) || !left.is_multiple_of(taken) {
                return None;
            }
            if extent > taken {
                let step = stride.step.checked_mul(taken)?;
                leaves.push((extent / taken, CuteStride { step, ..stride }));
            }
            left /= taken;
            match own.last_mut() {
                Some((count, first)) if first.goes_on(*count) == Some(stride) => *count *= taken,
                _ => own.push((taken, stride)),
            }
        }
        let own = own.into_iter().map(|(extent, stride)| CuteMode::Leaf(extent, stride));
        Some(CuteMode::joined(own.collect()))
    }

    /// `shape:stride`
    fn written(&self) -> String {
        let shape = self.text(|extent, _| extent.to_string());
        format!("{shape}:{}", self.text(|_, stride| stride.to_string()))
    }

    fn text(&self, leaf: impl Fn(u64, CuteStride) -> String + Copy) -> String {
        match self {
            CuteMode::Leaf(extent, stride) => leaf(*extent, *stride),
            CuteMode::Tuple(modes) => {
                format!("({})", modes.iter().map(|mode| mode.text(leaf)).join(","))
            }
        }
    }
}

impl fmt::Display for CuteMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CuteMap::Swizzle(swizzle) => swizzle.fmt(f),
            CuteMap::Layout(mode) => f.write_str(&mode.written()),
        }
    }
}

impl fmt::Display for CuteLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((map, offset)) = &self.outer {
            write!(f, "{map} o {offset} o ")?;
        }
        f.write_str(&self.mode.written())
    }
}
