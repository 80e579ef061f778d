//! The different sizes of an XLA array.

use super::{TileDim, XlaArray, XlaLayout};
use crate::algebra::product;
use crate::error::{LayoutError, ParseError, Site};
use crate::level::Level;

/// The size of an XLA array in bytes, by four definitions.
///
/// ```
/// use tensor_layout::xla::XlaShape;
/// let shape: XlaShape = "bf16[3,5]{1,0:T(3,128)(2,1)}".parse()?;
/// let (_, array) = shape.arrays()[0];
/// let sizes = array.sizes()?;
/// assert_eq!((sizes.unpadded_bytes, sizes.allocated_bytes), (30, 768));
/// assert_eq!((sizes.span_bytes, sizes.data_bytes), (1024, 522));
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
///
/// Source: openxla/xla, `shape_util.cc`: ByteSizeOfElements, ArraySize, ArrayDataSize.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct XlaSizes {
    /// The elements alone, in the width of their type or of a narrower `E`, as XLA's logs count them.
    pub unpadded_bytes: u64,
    /// The allocation: dimensions rounded up to the first tile, then to `L` (XLA's ArraySize).
    /// Later tiles add nothing; without a tile, neither do `L` and `SC`. Where the first tile
    /// combines dimensions, for which XLA answers 0, the combined dimension is rounded up.
    pub allocated_bytes: u64,
    /// The span of the index map, padding of every tile and `L` included.
    pub span_bytes: u64,
    /// The bytes up to the last element by the first tile alone, which is ignored for rank 1 (XLA's
    /// ArrayDataSize, as it is).
    pub data_bytes: u64,
}

impl XlaArray {
    /// The most tiles that [`tiles`](XlaArray::tiles) lists and that pictures draw borders for.
    pub const MOST_TILES: usize = 16;

    /// The number of elements that each tile takes in memory, including padding by later tiles, and its
    /// entries as written, outermost first; tiles without a size are left out. If there are more than
    /// [`MOST_TILES`](XlaArray::MOST_TILES) tiles, only the outer ones.
    ///
    /// ```
    /// use tensor_layout::xla::XlaShape;
    /// let tiles = |text: &str| text.parse::<XlaShape>().unwrap().arrays()[0].1.tiles();
    /// assert_eq!(tiles("bf16[4,8]{1,0:T(2,4)(2,1)}"), [(8, "2 x 4".into()), (2, "2 x 1".into())]);
    /// // Three rows are padded to two pairs.
    /// assert_eq!(tiles("bf16[6,16]{1,0:T(3,8)(2,1)}")[0], (32, "3 x 8".into()));
    /// ```
    #[must_use]
    pub fn tiles(&self) -> Vec<(u64, String)> {
        let tiles = self.layout.as_ref().map_or(&[][..], |layout| &layout.tiles);
        // Each looks at all tiles within it.
        let outer = tiles.iter().enumerate().take(XlaArray::MOST_TILES);
        let named = outer.filter_map(|(at, tile)| {
            let name: Vec<String> = tile.iter().map(ToString::to_string).collect();
            let size = slots_of_tile(tile, &tiles[at + 1..]).filter(|size| *size > 0)?;
            Some((size, name.join(" x ")))
        });
        named.collect()
    }
}

/// The number of elements a tile takes, tiled again by others: its last dimensions become the number of
/// inner tiles, and the dimensions of the inner tile come after them.
fn slots_of_tile(tile: &[TileDim], inner: &[Vec<TileDim>]) -> Option<u64> {
    let mut dims = entries(tile);
    for tile in inner.iter().map(|tile| entries(tile)) {
        while dims.len() < tile.len() {
            dims.insert(0, 1);
        }
        let first = dims.len() - tile.len();
        for (dim, size) in dims[first..].iter_mut().zip(&tile) {
            *dim = dim.div_ceil((*size).max(1));
        }
        dims.extend(tile);
    }
    product(dims)
}

/// The sizes of a tile; an entry that is combined with the next one adds nothing.
fn entries(tile: &[TileDim]) -> Vec<u64> {
    let size = |dim: &TileDim| match dim {
        TileDim::Size(size) => u64::try_from(*size).unwrap_or(0),
        TileDim::Combine => 1,
    };
    tile.iter().map(size).collect()
}

impl XlaSizes {
    /// Adds sizes member by member.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn plus(self, other: XlaSizes) -> Result<XlaSizes, LayoutError> {
        let add = |a: u64, b: u64| a.checked_add(b).ok_or_else(too_large);
        Ok(XlaSizes {
            unpadded_bytes: add(self.unpadded_bytes, other.unpadded_bytes)?,
            allocated_bytes: add(self.allocated_bytes, other.allocated_bytes)?,
            span_bytes: add(self.span_bytes, other.span_bytes)?,
            data_bytes: add(self.data_bytes, other.data_bytes)?,
        })
    }

    /// Allocated bytes that hold no element.
    #[must_use]
    pub fn padding_bytes(&self) -> u64 {
        self.allocated_bytes.saturating_sub(self.unpadded_bytes)
    }
}

fn too_large() -> LayoutError {
    LayoutError::too_large(Site::Layout, "the size in bytes")
}

impl XlaArray {
    /// The width of an element in bits: `E`, or that of the type.
    #[must_use]
    pub fn element_bits(&self) -> u64 {
        let written = self.layout.as_ref().map_or(0, |layout| layout.element_bits.max(0));
        if written == 0 { self.dtype.bits() } else { written.unsigned_abs() }
    }

    /// The bit of the buffer at which the element with linear index `index` begins, after the metadata prefix
    /// `M(..)`; packed elements fill a byte from the lowest bit.
    #[must_use]
    pub fn bit_offset(&self, index: u64) -> u128 {
        let prefix = self.layout.as_ref().map_or(0, |layout| layout.prefix_bytes.max(0));
        u128::from(index) * u128::from(self.element_bits()) + u128::from(prefix.unsigned_abs()) * 8
    }

    /// The sizes of the array.
    ///
    /// # Errors
    /// As [`lower`](XlaArray::lower).
    pub fn sizes(&self) -> Result<XlaSizes, ParseError> {
        let span = self.lower()?.span(Level::ADDR);
        self.sizes_of_span(span).map_err(|error| self.refuse(error))
    }

    /// The size of the allocation of a valid array, which does not need the index map.
    pub(crate) fn allocated_bytes(&self) -> Result<u64, LayoutError> {
        bytes(self.allocated_elements()?, self.element_bits())
    }

    /// The number of elements of the allocation, padding included.
    fn allocated_elements(&self) -> Result<u64, LayoutError> {
        let extents = self.extents()?;
        if extents.contains(&0) {
            return Ok(0);
        }
        let layout = self.layout_or_default();
        allocated(&physical(&extents, &layout), &layout, elements(&extents)?)
    }

    fn sizes_of_span(&self, span: u64) -> Result<XlaSizes, LayoutError> {
        let extents = self.extents()?;
        if extents.contains(&0) {
            return Ok(XlaSizes::default());
        }
        let layout = self.layout_or_default();
        let physical = physical(&extents, &layout);
        let bits = self.element_bits();
        Ok(XlaSizes {
            // The bits that a wide `E` adds are padding: a log of XLA counts `pred` with `E(32)` by the byte.
            unpadded_bytes: bytes(elements(&extents)?, bits.min(self.dtype.bits()))?,
            allocated_bytes: self.allocated_bytes()?,
            span_bytes: bytes(span, bits)?,
            data_bytes: bytes(last_index(&physical, &layout)? + 1, bits)?,
        })
    }
}

fn elements(extents: &[u64]) -> Result<u64, LayoutError> {
    product(extents.iter().copied()).ok_or_else(too_large)
}

fn bytes(elements: u64, bits: u64) -> Result<u64, LayoutError> {
    let bits = u128::from(elements) * u128::from(bits);
    u64::try_from(bits.div_ceil(8)).map_err(|_| too_large())
}

/// The extents, major to minor in memory.
fn physical(extents: &[u64], layout: &XlaLayout) -> Vec<u64> {
    let order = layout.minor_to_major.iter().rev().filter_map(|d| usize::try_from(*d).ok());
    order.filter_map(|axis| extents.get(axis).copied()).collect()
}

/// ArraySize in elements.
fn allocated(physical: &[u64], layout: &XlaLayout, elements: u64) -> Result<u64, LayoutError> {
    let Some(tile) = layout.tiles.first() else { return Ok(elements) };
    let pieces: Vec<u64> = (0_i64..)
        .zip(physical)
        .map(|(dimension, size)| longest_piece(layout, dimension, *size))
        .collect();
    let (front, tiled) = combined(&pieces, tile)?;
    let rounded: Result<Vec<u64>, LayoutError> = tiled
        .iter()
        .map(|(size, tile)| size.checked_next_multiple_of(*tile).ok_or_else(too_large))
        .collect();
    let padded = product(front.into_iter().chain(rounded?)).ok_or_else(too_large)?;
    let tail = layout.tail_padding.map_or(1, i64::unsigned_abs).max(1);
    padded.checked_next_multiple_of(tail).ok_or_else(too_large)
}

/// The longest piece of a physical dimension between its cuts.
fn longest_piece(layout: &XlaLayout, dimension: i64, size: u64) -> u64 {
    let split = layout.splits.iter().find(|split| split.dimension == dimension);
    let cuts = split.into_iter().flat_map(|split| split.indices.iter().map(|i| i.unsigned_abs()));
    let (longest, last) =
        cuts.fold((0, 0), |(longest, last), cut| (longest.max(cut.saturating_sub(last)), cut));
    longest.max(size.saturating_sub(last))
}

/// Dimensions that a tile leaves alone, then (size, entry) of those that it covers.
type Covered = (Vec<u64>, Vec<(u64, u64)>);

/// The dimensions that a tile leaves alone, and those that it covers with its entries, `*` merged.
fn combined(dims: &[u64], tile: &[TileDim]) -> Result<Covered, LayoutError> {
    let missing = tile.len().saturating_sub(dims.len());
    let dims: Vec<u64> = std::iter::repeat_n(1, missing).chain(dims.iter().copied()).collect();
    let (front, covered) = dims.split_at(dims.len() - tile.len());
    let mut tiled = Vec::new();
    let mut merged = 1_u64;
    for (dim, entry) in covered.iter().zip(tile) {
        merged = merged.checked_mul(*dim).ok_or_else(too_large)?;
        if let TileDim::Size(size) = entry {
            tiled.push((merged, size.unsigned_abs()));
            merged = 1;
        }
    }
    Ok((front.to_vec(), tiled))
}

/// XLA's LinearIndex of the last element: the first tile only, and none for rank 0 and 1.
fn last_index(physical: &[u64], layout: &XlaLayout) -> Result<u64, LayoutError> {
    let tile = layout.tiles.first().filter(|_| physical.len() > 1);
    let (front, tiled) = match tile {
        Some(tile) => combined(physical, tile)?,
        None => (physical.to_vec(), Vec::new()),
    };
    let outer = tiled.iter().map(|(size, tile)| (size.div_ceil(*tile), (size - 1) / tile));
    let inner = tiled.iter().map(|(size, tile)| (*tile, (size - 1) % tile));
    let digits = front.iter().map(|size| (*size, size - 1)).chain(outer).chain(inner);
    let mut index = 0_u64;
    for (size, digit) in digits {
        let scaled = index.checked_mul(size).and_then(|index| index.checked_add(digit));
        index = scaled.ok_or_else(too_large)?;
    }
    Ok(index)
}
