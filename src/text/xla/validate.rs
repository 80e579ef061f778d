//! XLA's checks, in XLA's words, and checks that XLA lacks.

use itertools::Itertools;

use super::{TileDim, XlaArray, XlaDim, XlaLayout, XlaShape, XlaSplit};
use crate::error::{ParseError, ParseErrorKind, Span};

impl XlaShape {
    /// Checks the numbers of every array in the shape.
    ///
    /// # Errors
    /// A [`ParseError`] of kind [`Invalid`](ParseErrorKind::Invalid), in XLA's words where XLA has a message.
    /// XLA does not check a `*` in the last place of a tile (nothing to combine with), and crashes
    /// on `L(0)` and `T(-1)`; here they are errors.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::xla::XlaShape;
    /// let shape: XlaShape = "f32[2,2]{0,0}".parse()?;
    /// let error = shape.validate().unwrap_err();
    /// assert_eq!(
    ///     error.kind().to_string(),
    ///     "layout minor_to_major field has duplicate values: {0, 0}; shape: f32[2,2]",
    /// );
    /// # Ok::<(), tensor_layout::ParseError>(())
    /// ```
    ///
    /// Source: openxla/xla, `layout_util.cc` ValidateLayoutForShape, `shape_util.cc`.
    pub fn validate(&self) -> Result<(), ParseError> {
        self.arrays().into_iter().try_for_each(|(_, array)| array.validate())
    }
}

impl XlaArray {
    /// Checks the numbers of the array.
    pub(crate) fn validate(&self) -> Result<(), ParseError> {
        self.check_size()?;
        let Some(layout) = &self.layout else { return Ok(()) };
        self.check_order(layout)?;
        self.check_tiles(layout)?;
        self.check_numbers(layout)?;
        layout.splits.iter().enumerate().try_for_each(|(at, split)| {
            self.check_split(layout, at, split).map_err(|what| {
                let message = format!("split config {what}; shape: {}", self.without_layout());
                self.invalid(message, self.source.0.splits.get(at).copied())
            })
        })
    }

    fn invalid(&self, message: String, span: Option<Span>) -> ParseError {
        let whole = self.source.0.whole;
        self.refuse_at(ParseErrorKind::Invalid(message), span.unwrap_or(whole))
    }

    fn check_size(&self) -> Result<(), ParseError> {
        let shape = || self.without_layout();
        let dims = Some(self.source.0.dims);
        let sizes = self.dims.iter().filter_map(|dim| match dim {
            XlaDim::Static(size) | XlaDim::Bounded(size) => Some(*size),
            XlaDim::Unbounded => None,
        });
        let sizes: Vec<u64> = sizes.collect();
        let elements = crate::algebra::product(sizes).filter(|n| i64::try_from(*n).is_ok());
        let Some(elements) = elements else {
            let (dtype, shape) = (self.dtype, shape());
            let message = format!("Shape Error: Dimensions overflow. Shape({dtype}): {shape}");
            return Err(self.invalid(message, dims));
        };
        let bytes = elements.checked_mul(self.dtype.bits() / 8);
        match bytes.filter(|bytes| i64::try_from(*bytes).is_ok()) {
            Some(_) => Ok(()),
            None => {
                Err(self.invalid(format!("Shape {} size may overflow int64_t.", shape()), dims))
            }
        }
    }

    fn check_order(&self, layout: &XlaLayout) -> Result<(), ParseError> {
        let order = &layout.minor_to_major;
        let rank = self.dims.len();
        let refuse = |what: &str| {
            let (written, shape) = (order.iter().join(", "), self.without_layout());
            let message =
                format!("layout minor_to_major field {what}: {{{written}}}; shape: {shape}");
            Err(self.invalid(message, Some(self.source.0.minor_to_major)))
        };
        if order.len() != rank {
            let entries = order.len();
            return refuse(&format!(
                "contains {entries} elements, but shape has {rank} dimensions"
            ));
        }
        if order.iter().any(|d| usize::try_from(*d).ok().is_none_or(|d| d >= rank)) {
            return refuse("has out-of-bounds value");
        }
        if order.iter().sorted_unstable().tuple_windows().any(|(a, b)| a == b) {
            return refuse("has duplicate values");
        }
        Ok(())
    }

    fn check_tiles(&self, layout: &XlaLayout) -> Result<(), ParseError> {
        for (at, tile) in layout.tiles.iter().enumerate() {
            let refuse = |what: &str| {
                let message = format!("layout has invalid tiles: {what}{}", self.without_layout());
                Err(self.invalid(message, self.source.0.tiles.get(at).copied()))
            };
            if tile.is_empty() {
                return refuse("");
            }
            let bad = tile.iter().find_map(|entry| match entry {
                TileDim::Size(size) if *size < 1 => Some(*size),
                _ => None,
            });
            if let Some(size) = bad {
                return refuse(&format!(
                    "tile dimension {size} must be positive or kCombineDimension: "
                ));
            }
            if tile.last() == Some(&TileDim::Combine) {
                return refuse("the last `*` has no more minor dimension to combine with: ");
            }
        }
        Ok(())
    }

    fn check_numbers(&self, layout: &XlaLayout) -> Result<(), ParseError> {
        let source = &self.source.0;
        if let Some(tail) = layout.tail_padding.filter(|tail| *tail < 1) {
            let message =
                format!("layout tail_padding_alignment_in_elements field is not positive: {tail}");
            return Err(self.invalid(message, Some(source.tail)));
        }
        if layout.element_bits < 0 {
            let bits = layout.element_bits;
            let message = format!("layout element_size_in_bits field is negative: {bits}");
            return Err(self.invalid(message, Some(source.bits)));
        }
        for (name, dtype, span) in [
            ("index", layout.index_type, source.index_type),
            ("pointer", layout.pointer_type, source.pointer_type),
        ] {
            if dtype.is_some() {
                let message = format!(
                    "layout has a {name}_primitive_type, but is not a sparse array: {self}"
                );
                return Err(self.invalid(message, Some(span)));
            }
        }
        Ok(())
    }

    fn check_split(&self, layout: &XlaLayout, at: usize, split: &XlaSplit) -> Result<(), String> {
        let XlaSplit { dimension, indices } = split;
        let physical = usize::try_from(*dimension).ok().filter(|d| *d < self.dims.len());
        let Some(physical) = physical else {
            return Err(format!("has out-of-bounds physical dimension: {dimension}"));
        };
        if layout.splits.iter().take(at).any(|before| before.dimension == *dimension) {
            return Err(format!("has duplicate physical dimension: {dimension}"));
        }
        let ascending = indices.iter().tuple_windows().all(|(a, b)| a < b);
        if !ascending || indices.iter().any(|index| *index < 1) {
            let indices = indices.iter().join(", ");
            return Err(format!(
                "split indices must be strictly increasing and positive: {{{indices}}}"
            ));
        }
        let logical = layout.minor_to_major.iter().rev().nth(physical);
        let logical = logical.and_then(|dim| usize::try_from(*dim).ok());
        let size = match logical.and_then(|dim| self.dims.get(dim)) {
            Some(XlaDim::Static(size) | XlaDim::Bounded(size)) => *size,
            _ => return Ok(()),
        };
        let beyond = indices.iter().find(|index| index.unsigned_abs() >= size);
        beyond.map_or(Ok(()), |index| {
            Err(format!("split index is out of bounds: {index} (dim size {size})"))
        })
    }
}
