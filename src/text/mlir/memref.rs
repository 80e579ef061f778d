//! The type of a memref: `memref<12x8xf32, strided<[8, 1], offset: 3>, 1>`.

use itertools::Itertools;

use super::affine::{AffineReader, MAX_DEPTH};
use super::sum::{Sum, to_layout};
use crate::algebra::Layout;
use crate::error::{ParseError, Span};
use crate::level::Level;
use crate::text::Strided;
use crate::text::refusal::check_depth;
use crate::text::strided::contiguous;
use crate::text::xla::XlaDtype;

/// The notation that says what a memref is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::text) enum MemrefKind {
    /// Strides, or row-major order.
    Strided,
    /// Tiles of TPUs: an XLA shape.
    Tiled,
    /// An affine map.
    Mapped,
}

/// A memref, read as far as all kinds have in common.
pub(in crate::text) struct Memref<'t> {
    text: &'t str,
    shape: Vec<u64>,
    element: &'t str,
    /// After the shape and its comma; `None` where the type ends there.
    reader: Option<AffineReader<'t>>,
}

impl MemrefKind {
    /// The kind of a text; `None` if it is no memref.
    pub(in crate::text) fn of(text: &str) -> Option<MemrefKind> {
        let text = text.trim_start();
        match text.starts_with("memref<") || text.starts_with("strided<") {
            false => None,
            true if text.contains("#tpu.tiled") => Some(MemrefKind::Tiled),
            true if text.contains("affine_map<") => Some(MemrefKind::Mapped),
            true => Some(MemrefKind::Strided),
        }
    }
}

impl<'t> Memref<'t> {
    /// Reads the shape and the element.
    pub(in crate::text) fn read(text: &'t str) -> Result<Memref<'t>, ParseError> {
        check_depth(text, MAX_DEPTH, [b"(", b")"])?;
        let mut reader = AffineReader::new(text);
        if !reader.takes("memref<") {
            let message = "strides alone have no extents";
            let refusal = ParseError::invalid(message, Span::new(0, text.len()), text);
            return Err(refusal.with_help("write the type, as `memref<12x8xf32, strided<[8, 1]>>`"));
        }
        let mut shape = Vec::new();
        loop {
            let start = reader.at.at();
            match reader.at.peek() {
                Some(b'?' | b'*') => {
                    let message = "an extent is only known at run time";
                    return Err(ParseError::invalid(message, Span::new(start, start + 1), text));
                }
                Some(byte) if byte.is_ascii_digit() => shape.push(reader.number()?),
                _ => break,
            }
            reader.expect("x", "`x`")?;
        }
        let element = reader.element();
        if element.is_empty() {
            return Err(reader.expected("an element type"));
        }
        if reader.takes(">") {
            reader.expect_end()?;
            return Ok(Memref { text, shape, element, reader: None });
        }
        reader.expect(",", "`,` or `>`")?;
        reader.at.blanks();
        Ok(Memref { text, shape, element, reader: Some(reader) })
    }

    /// Shape and strides.
    pub(in crate::text) fn strided(mut self) -> Result<Strided, ParseError> {
        let given = self.reader.as_mut().filter(|reader| reader.at.rest().starts_with("strided<"));
        let (strides, offset) = match given {
            Some(reader) => reader.strides()?,
            None => (contiguous(&self.shape).ok_or_else(|| self.too_large())?, 0),
        };
        if strides.len() != self.shape.len() {
            let message = format!("{} extents, but {} strides", self.shape.len(), strides.len());
            return Err(self.invalid(message));
        }
        self.finish()?;
        let itemsize = element_bytes(self.element);
        let in_bytes = |number: u64| number.checked_mul(itemsize.unwrap_or(1));
        let strides = strides.into_iter().map(in_bytes).collect::<Option<Vec<u64>>>();
        let mut layout = Strided::new(self.shape.clone(), strides.ok_or_else(|| self.too_large())?);
        layout = layout.with_offset(in_bytes(offset).ok_or_else(|| self.too_large())?);
        layout.itemsize = itemsize;
        Ok(layout)
    }

    /// The XLA shape of a memref in tiles, whose tiles have to be row-major: `#tpu.tiled<(8,128)(2,1),[2,1]>`.
    ///
    /// Source: jax-ml/jax, `jaxlib/mosaic/dialect/tpu/tpu_dialect.cc`, `TiledLayoutAttr`.
    pub(in crate::text) fn tiled(mut self) -> Result<String, ParseError> {
        let dtype = XlaDtype::of_mlir(self.element);
        let dtype =
            dtype.ok_or_else(|| self.invalid(format!("`{}` is no type of XLA", self.element)))?;
        let Some(reader) = &mut self.reader else {
            return Err(self.invalid("`#tpu.tiled` is missing".into()));
        };
        reader.expect("#tpu.tiled<", "`#tpu.tiled<`")?;
        let mut tiles: Vec<Vec<u64>> = Vec::new();
        while reader.takes("(") {
            tiles.push(reader.list(")")?);
        }
        reader.expect(",", "`,` and the strides of tiles")?;
        reader.expect("[", "`[`")?;
        let strides = reader.list("]")?;
        reader.expect(">", "`>`")?;
        self.finish()?;
        if contiguous(&self.tile_counts(&tiles)?) != Some(strides) {
            let message = "the strides of tiles are not those of row-major order, which XLA has";
            return Err(self.invalid(message.into()));
        }
        let order = (0..self.shape.len()).rev().join(",");
        let tiles = tiles.iter().map(|tile| format!("({})", tile.iter().join(","))).join("");
        let tiles = if tiles.is_empty() { tiles } else { format!(":T{tiles}") };
        Ok(format!("{dtype}[{}]{{{order}{tiles}}}", self.shape.iter().join(",")))
    }

    /// The number of tiles along each dimension.
    fn tile_counts(&self, tiles: &[Vec<u64>]) -> Result<Vec<u64>, ParseError> {
        let Some(tile) = tiles.first() else { return Ok(self.shape.clone()) };
        let Some(whole) = self.shape.len().checked_sub(tile.len()) else {
            return Err(self.invalid("the tile has more dimensions than the shape".into()));
        };
        if tile.contains(&0) {
            return Err(self.invalid("a tile is empty".into()));
        }
        let sizes = std::iter::repeat_n(&1, whole).chain(tile);
        Ok(self.shape.iter().zip(sizes).map(|(extent, size)| extent.div_ceil(*size)).collect())
    }

    /// The layout of a memref with an affine map: its results are row-major.
    pub(in crate::text) fn mapped(mut self) -> Result<Layout, ParseError> {
        let Some(reader) = &mut self.reader else {
            return Err(self.invalid("the map is missing".into()));
        };
        let sums = reader.map(&self.shape)?;
        self.finish()?;
        let extents = sums.iter().map(|sum| sum.greatest()?.checked_add(1));
        let extents: Option<Vec<u64>> = extents.collect();
        let strides = extents.and_then(|extents| contiguous(&extents));
        let strides = strides.ok_or_else(|| self.too_large())?;
        let mut address = Sum::constant(0);
        for (sum, stride) in sums.into_iter().zip(strides) {
            address = sum
                .times(stride)
                .and_then(|sum| address.plus(sum))
                .ok_or_else(|| self.too_large())?;
        }
        let layout = to_layout(&self.shape, &[(Level::ADDR, address)]);
        layout.map_err(|error| ParseError::whole(error, self.text))
    }

    /// Reads the memory space, if there is one, and the end.
    fn finish(&mut self) -> Result<(), ParseError> {
        let Some(reader) = &mut self.reader else { return Ok(()) };
        let is_space = |c: char| c.is_ascii_alphanumeric() || "#._".contains(c);
        reader.takes(",");
        reader.at.blanks();
        if !reader.at.take(is_space).is_empty() && reader.takes("<") {
            reader.at.take(is_space);
            reader.expect(">", "`>`")?;
        }
        reader.expect(">", "`>`")?;
        reader.expect_end()
    }

    fn invalid(&self, message: String) -> ParseError {
        ParseError::invalid(message, Span::new(0, self.text.len()), self.text)
    }

    fn too_large(&self) -> ParseError {
        self.invalid("the memref does not fit in 64 bits".into())
    }
}

impl<'t> AffineReader<'t> {
    /// `f32`, `!tt.ptr<f16>`, `vector<4xf32>`.
    fn element(&mut self) -> &'t str {
        let (rest, mut depth) = (self.at.rest(), 0_usize);
        let end = rest.find(|c: char| {
            let ends = depth == 0 && matches!(c, ',' | '>' | ' ');
            depth = match c {
                '<' => depth + 1,
                '>' => depth.saturating_sub(1),
                _ => depth,
            };
            ends
        });
        let element = &rest[..end.unwrap_or(rest.len())];
        self.at.takes_all(element);
        element
    }

    /// `strided<[8, 1], offset: 3>`.
    fn strides(&mut self) -> Result<(Vec<u64>, u64), ParseError> {
        self.expect("strided<", "`strided<`")?;
        self.expect("[", "`[`")?;
        let strides = self.list("]")?;
        let mut offset = 0;
        if self.takes(",") {
            self.expect("offset", "`offset`")?;
            self.expect(":", "`:`")?;
            offset = self.step()?;
        }
        self.expect(">", "`>`")?;
        Ok((strides, offset))
    }

    fn list(&mut self, close: &'static str) -> Result<Vec<u64>, ParseError> {
        let mut numbers = Vec::new();
        while !self.takes(close) {
            if !numbers.is_empty() {
                self.expect(",", "`,`")?;
            }
            numbers.push(self.step()?);
        }
        Ok(numbers)
    }

    /// A number that is known.
    fn step(&mut self) -> Result<u64, ParseError> {
        self.at.blanks();
        let start = self.at.at();
        let next = Span::new(start, start + 1);
        match self.at.peek() {
            Some(b'?') => {
                Err(ParseError::invalid("this is only known at run time", next, self.at.text()))
            }
            Some(b'-') => {
                let message = "a stride cannot be negative";
                Err(ParseError::invalid(message, next, self.at.text()))
            }
            _ => self.number(),
        }
    }
}

/// The whole bytes of a number type such as `f32` or `i64`.
fn element_bytes(element: &str) -> Option<u64> {
    let dtype = XlaDtype::of_mlir(element).filter(|_| element != "i1")?;
    Some(dtype.bits() / 8).filter(|bytes| *bytes > 0 && dtype.bits().is_multiple_of(8))
}
