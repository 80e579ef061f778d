//! From an XLA shape to its layout: the index map.

use std::borrow::Cow;

use super::{TileDim, XlaArray, XlaDim, XlaDtype, XlaParser, XlaShape, XlaSizes};
use crate::algebra::{Axis, DerivedAxis, Layout, Subaxis};
use crate::error::{LayoutError, ParseError, ParseErrorKind, Site, Span, fault};
use crate::level::Level;
use crate::text::kind::{Notation, NotationText, WrittenLayout};
use crate::text::mlir::{Memref, MemrefKind, is_affine_map};

impl XlaArray {
    /// Returns the layout of the elements: the linear index in elements, as `Addr`.
    ///
    /// The physical order is the reverse of `minor_to_major`. Each tile in turn takes as many of the last
    /// dimensions as it has entries, and replaces each dimension of size d by an outer one of size ceil(d /
    /// t) in place and an inner one of size t at the end; an entry `*` first merges its dimension with the
    /// next more minor one. The result is row-major. A shape with fewer dimensions than a tile has entries is
    /// extended by dimensions of size 1 in front. `L` rounds up the span of `Addr`.
    /// Law: the formula of XLA's documentation, applied tile by tile.
    /// Cost: O(entries of all tiles).
    ///
    /// # Errors
    /// As [`validate`](XlaShape::validate); unbounded dimensions; sizes beyond 64 bits.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::xla::XlaShape;
    /// let shape: XlaShape = "f32[3,5]{1,0:T(2,2)}".parse()?;
    /// let layout = shape.lower()?;
    /// assert_eq!(layout.locate(&[2, 3])?.to_string(), "Addr=17");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Source: openxla/xla, `docs/tiled_layout.md`; `layout_util.cc`,
    /// `LinearIndexForNestedTiling`.
    pub fn lower(&self) -> Result<Layout, ParseError> {
        self.validate()?;
        self.to_layout().map_err(|error| self.refuse(error))
    }

    /// The extents; for bounded dimensions, their bounds.
    ///
    /// # Errors
    /// `Invalid`.
    pub fn extents(&self) -> Result<Vec<u64>, LayoutError> {
        let extent = |(axis, dim): (usize, &XlaDim)| match *dim {
            XlaDim::Static(size) | XlaDim::Bounded(size) => Ok(size),
            XlaDim::Unbounded => Err(fault!(
                Invalid,
                "dimension {axis} is unbounded, so the places of its elements are not fixed",
                [axis]
            )),
        };
        self.dims.iter().enumerate().map(extent).collect()
    }

    /// An error that points into the text, or into the printed shape if there is no text.
    pub(super) fn refuse_at(&self, kind: ParseErrorKind, span: Span) -> ParseError {
        let text = &self.source.0.text;
        if text.is_empty() {
            let printed = self.to_string();
            return ParseError::new(kind, Span::new(0, printed.len()), &printed);
        }
        ParseError::new(kind, span, text)
    }

    /// Wraps `error` in a [`ParseError`] that points at this array.
    pub fn refuse(&self, error: impl Into<LayoutError>) -> ParseError {
        self.refuse_at(ParseErrorKind::Meaning(error.into()), self.source.0.whole)
    }

    pub(in crate::text) fn to_layout(&self) -> Result<Layout, LayoutError> {
        let layout = match &self.layout {
            Some(layout) => Cow::Borrowed(layout),
            None => Cow::Owned(self.layout_or_default()),
        };
        let mut tiling = Tiling::new(&self.extents()?, &layout.minor_to_major);
        for tile in &layout.tiles {
            tiling.apply(tile)?;
        }
        let lowered = tiling.finish(layout.tail_padding.map_or(1, i64::unsigned_abs))?;
        Ok(lowered.into_simplified())
    }
}

/// A dimension while tiles are applied: its value is the sum of weight x digit.
#[derive(Clone, Debug)]
struct TiledDim {
    size: u64,
    digits: Vec<(TileDigit, u64)>,
}

/// A digit without a target yet.
#[derive(Clone, Copy, Debug)]
enum TileDigit {
    /// The whole value of a tensor axis.
    Whole(usize),
    /// A digit of a derived axis: its number, and the place of the digit in it.
    Of(usize, usize),
}

/// The dimensions, major first, and the axes made so far.
struct Tiling {
    extents: Vec<u64>,
    dims: Vec<TiledDim>,
    whole: Vec<Vec<Subaxis>>,
    derived: Vec<DerivedAxis>,
}

fn overflow() -> LayoutError {
    LayoutError::too_large(Site::Layout, "the tiled size")
}

impl Tiling {
    /// A dimension of size 0 is treated as size 1, so that tiles have something to act on.
    fn new(extents: &[u64], minor_to_major: &[i64]) -> Tiling {
        let order = minor_to_major.iter().rev().filter_map(|d| usize::try_from(*d).ok());
        let dims = order.map(|axis| {
            let size = extents[axis].max(1);
            TiledDim { size, digits: vec![(TileDigit::Whole(axis), 1)] }
        });
        let whole = vec![Vec::new(); extents.len()];
        Tiling { extents: extents.to_vec(), dims: dims.collect(), whole, derived: Vec::new() }
    }

    fn apply(&mut self, tile: &[TileDim]) -> Result<(), LayoutError> {
        let missing = tile.len().saturating_sub(self.dims.len());
        let front = std::iter::repeat_n(TiledDim { size: 1, digits: Vec::new() }, missing);
        self.dims.splice(0..0, front);
        let tiled = self.dims.split_off(self.dims.len() - tile.len());
        let (mut outer, mut inner) = (Vec::new(), Vec::new());
        let mut merged: Option<TiledDim> = None;
        for (dim, entry) in tiled.into_iter().zip(tile) {
            let dim = match merged.take() {
                Some(major) => major.merge(dim)?,
                None => dim,
            };
            match entry {
                TileDim::Combine => merged = Some(dim),
                TileDim::Size(size) => {
                    let (major, minor) = self.split(dim, size.unsigned_abs());
                    outer.push(major);
                    inner.push(minor);
                }
            }
        }
        self.dims.extend(outer.into_iter().chain(inner));
        Ok(())
    }

    /// Outer and inner part of a dimension; both come from a derived axis that it feeds.
    fn split(&mut self, dim: TiledDim, size: u64) -> (TiledDim, TiledDim) {
        if size == 1 {
            return (dim, TiledDim { size: 1, digits: Vec::new() });
        }
        let number = self.derived.len();
        let outer = dim.size.div_ceil(size);
        // The strides follow when all tiles are applied; digits of size 1 are left out.
        let sizes = [outer, size].into_iter().filter(|size| *size > 1);
        let subaxes: Vec<_> = sizes.map(|size| Subaxis::land(size, Level::ADDR, 0)).collect();
        let inner = subaxes.len() - 1;
        self.derived.push(DerivedAxis::sum(0, Axis { extent: dim.size, subaxes }));
        for (digit, weight) in &dim.digits {
            self.send(*digit, |size| Subaxis::feed(size, number, *weight));
        }
        let part = |size, at| TiledDim { size, digits: vec![(TileDigit::Of(number, at), 1)] };
        let outer =
            if inner == 0 { TiledDim { size: 1, digits: Vec::new() } } else { part(outer, 0) };
        (outer, part(size, inner))
    }

    /// Sets the target of a digit.
    fn send(&mut self, digit: TileDigit, to: impl Fn(u64) -> Subaxis) {
        match digit {
            TileDigit::Whole(axis) => {
                let subaxis = to(self.extents[axis].max(1));
                // A unit axis needs no digit to land.
                let needed = subaxis.size > 1 || subaxis.feeds().is_some();
                self.whole[axis] = needed.then_some(subaxis).into_iter().collect();
            }
            TileDigit::Of(derived, at) => {
                let subaxis = &mut self.derived[derived].axis.subaxes[at];
                *subaxis = to(subaxis.size);
            }
        }
    }

    /// Linearises the dimensions, the last fastest.
    fn finish(mut self, tail: u64) -> Result<Layout, LayoutError> {
        let mut span = 1_u64;
        for dim in std::mem::take(&mut self.dims).into_iter().rev() {
            for (digit, weight) in dim.digits {
                let stride = span.checked_mul(weight).ok_or_else(overflow)?;
                self.send(digit, |size| Subaxis::land(size, Level::ADDR, stride));
            }
            span = span.checked_mul(dim.size).ok_or_else(overflow)?;
        }
        let span = span.checked_next_multiple_of(tail.max(1)).ok_or_else(overflow)?;
        let mut builder = Layout::builder();
        for (extent, subaxes) in self.extents.into_iter().zip(self.whole) {
            builder = builder.axis(extent, subaxes);
        }
        for derived in self.derived {
            builder = builder.derived_axis(derived);
        }
        builder.span(Level::ADDR, span).build()
    }
}

impl TiledDim {
    /// Merges two dimensions into one; `self` is the major one.
    fn merge(mut self, minor: TiledDim) -> Result<TiledDim, LayoutError> {
        for (_, weight) in &mut self.digits {
            *weight = weight.checked_mul(minor.size).ok_or_else(overflow)?;
        }
        self.digits.extend(minor.digits);
        let size = self.size.checked_mul(minor.size).ok_or_else(overflow)?;
        Ok(TiledDim { size, digits: self.digits })
    }
}

impl XlaShape {
    /// Wraps `error` in a [`ParseError`] that points at this shape.
    pub fn refuse(&self, error: impl Into<LayoutError>) -> ParseError {
        match self.arrays().first() {
            Some((_, array)) => array.refuse(error),
            None => ParseError::whole(error, &self.to_string()),
        }
    }

    /// Returns the layout of a single array; see [`XlaArray::lower`].
    ///
    /// # Errors
    /// As [`XlaArray::lower`], and for a tuple, a token or opaque, which do not have a single layout.
    pub fn lower(&self) -> Result<Layout, ParseError> {
        match self {
            XlaShape::Array(array) | XlaShape::Buffer(array) => array.lower(),
            _ => {
                let text = self.to_string();
                let message =
                    "only an array shape has a layout; this shape is a tuple, a token or opaque";
                let refusal = ParseError::invalid(message, Span::new(0, text.len()), &text);
                Err(match self.arrays().is_empty() {
                    true => refusal,
                    false => refusal.with_help("ask for one of its arrays: `XlaShape::arrays`"),
                })
            }
        }
    }

    /// The sizes of all arrays in the shape, added up.
    ///
    /// # Errors
    /// As [`XlaArray::sizes`].
    pub fn sizes(&self) -> Result<XlaSizes, ParseError> {
        self.arrays().into_iter().try_fold(XlaSizes::default(), |total, (_, array)| {
            total.plus(array.sizes()?).map_err(|error| array.refuse(error))
        })
    }
}

impl NotationText for XlaShape {
    /// A text with the name of a type at its beginning, or with a letter at its beginning and a `[` further on.
    fn is_likely(text: &str) -> bool {
        if let Some(kind) = MemrefKind::of(text) {
            return kind == MemrefKind::Tiled;
        }
        // The text after `@` is the memory of a PadLayout.
        let body = text.split('@').next().unwrap_or(text);
        let first = body.find(char::is_alphanumeric).and_then(|at| body.get(at..));
        let is_shape = |first: &str| body.contains('[') || begins_with_type(first);
        let first = first.filter(|first| first.starts_with(char::is_alphabetic));
        first.is_some_and(is_shape) && !text.contains("B@[") && !is_affine_map(text)
    }

    fn read(text: &str, xla: XlaParser) -> Result<XlaShape, ParseError> {
        match MemrefKind::of(text) {
            None => xla.parse(text),
            Some(_) => xla.parse(&Memref::read(text)?.tiled()?),
        }
    }

    fn write(
        layout: &Layout,
        like: Option<&XlaShape>,
        dtype: XlaDtype,
    ) -> Result<WrittenLayout, LayoutError> {
        let source = like.and_then(|shape| shape.arrays().first().map(|(_, array)| *array));
        let array = match source.map(|source| (source, source.resized_to(layout))) {
            None => XlaArray::of(layout, dtype)?,
            Some((_, Some(array))) => array,
            Some((source, None)) => source.laid_out_as(layout)?,
        };
        let note = source.and_then(|source| lost_attributes(source, &array));
        Ok(WrittenLayout { text: array.to_string(), layout: array.to_layout()?, note })
    }

    fn xla_array(&self) -> Option<&XlaArray> {
        self.as_array()
    }

    fn beyond_the_map(&self, _: Notation) -> Vec<String> {
        self.as_array().map_or_else(Vec::new, attributes)
    }
}

/// Returns whether a text begins with the name of an XLA type.
fn begins_with_type(text: &str) -> bool {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    let name = text.get(..end).unwrap_or_default().to_ascii_lowercase();
    XlaDtype::from_name(&name).is_some() || matches!(&*name, "token" | "opaque")
}

/// The attributes of an array that are not in its map, apart from its type.
fn attributes(array: &XlaArray) -> Vec<String> {
    let is_bounded = |dim: &&XlaDim| matches!(dim, XlaDim::Bounded(_));
    let bounds = array.dims.iter().filter(is_bounded).map(ToString::to_string);
    let attributes = array.layout.iter().flat_map(|layout| {
        let split = (!layout.splits.is_empty()).then(|| "split configurations".into());
        let numbers = [("S", layout.memory_space), ("M", layout.prefix_bytes)];
        let numbers = numbers.into_iter().filter(|(_, number)| *number != 0);
        numbers.map(|(name, number)| format!("{name}({number})")).chain(split)
    });
    bounds.chain(attributes).collect()
}

/// Names the attributes that were lost because an edit of the index made them invalid.
fn lost_attributes(source: &XlaArray, edited: &XlaArray) -> Option<String> {
    let has_bounds = |array: &XlaArray| array.dims.iter().any(|d| matches!(d, XlaDim::Bounded(_)));
    let splits = |array: &XlaArray| array.layout.as_ref().is_some_and(|l| !l.splits.is_empty());
    let bounds = has_bounds(source) && !has_bounds(edited);
    match (bounds, splits(source) && !splits(edited)) {
        (false, false) => None,
        (true, false) => Some("dynamic bounds are not kept".into()),
        (false, true) => Some("split configurations are not kept".into()),
        (true, true) => Some("split configurations and dynamic bounds are not kept".into()),
    }
}
