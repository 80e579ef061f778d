//! The tilings that compilers use, and the memory that they take.

use itertools::Itertools;

use super::{TileDim, XlaArray, XlaDim, XlaDtype, XlaLayout};
use crate::error::ParseError;

/// The tilings seen in dumps, most frequent first, and those that XLA's documentation names.
///
/// Source: openxla/xla, `docs/tiled_layout.md`, "Examples of tiling formats"; public compiler
/// dumps and error reports (`tests/data/xla_shapes.txt`).
pub(crate) const TILINGS: [&[&[i64]]; 20] = [
    &[&[128]],
    &[&[8, 128], &[2, 1]],
    &[&[8, 128]],
    &[&[256]],
    &[&[2, 128]],
    &[&[1, 128]],
    &[&[8, 128], &[4, 1]],
    &[&[512]],
    &[&[4, 128]],
    &[&[1024]],
    &[&[2, 128], &[2, 1]],
    &[&[1024], &[128], &[2, 1]],
    &[&[4, 128], &[2, 1]],
    &[&[1024], &[128], &[4, 1]],
    &[&[4, 128], &[4, 1]],
    &[&[32, 128], &[4, 1]],
    &[&[8, 128], &[8, 1]],
    &[&[64, 128], &[8, 1]],
    &[&[512], &[128], &[2, 1]],
    &[&[256], &[128], &[2, 1]],
];

/// The highest rank for which other orders are tried.
const MOST_RANK: usize = 12;

pub(crate) fn tiles(tiling: &[&[i64]]) -> Vec<Vec<TileDim>> {
    tiling.iter().map(|tile| tile.iter().copied().map(TileDim::Size).collect()).collect()
}

/// The width of an element in TPU memory: 4 bits are packed, smaller ones and `pred` take a byte.
fn width(dtype: XlaDtype) -> u64 {
    if dtype.value_bits() == 4 { 4 } else { dtype.bits() }
}

/// The tiling that TPU compilers choose for a type, by the extents of the dimensions from the most
/// minor one on; none for types beyond 32 bits, which TPUs do not have.
///
/// Rank 2 and more: 8 x 128, with 1, 2 or 4 rows instead of 8 for a small second-minor dimension; below 32
/// bits, the rows that share a word are tiled again. Rank 1: the smallest of 128, 256, 512 and 1024 that
/// holds the dimension. Scalars: one tile of 128 words.
/// Source: public compiler dumps (`tests/data/tpu_shapes.txt`).
pub(crate) fn default_tiles(
    dtype: XlaDtype,
    mut minor: impl Iterator<Item = u64>,
) -> Option<Vec<Vec<TileDim>>> {
    const LANES: u64 = 128;
    let packed = 32_u64.checked_div(width(dtype)).filter(|packed| *packed > 0)?;
    let fitting = |extent: u64, most: u64| {
        extent.max(1).checked_next_power_of_two().map_or(most, |p| p.min(most))
    };
    let tiles = match (minor.next(), minor.next()) {
        (None, _) => vec![vec![LANES * packed]],
        (Some(extent), None) => {
            let whole = vec![fitting(extent, 1024).max(LANES * packed)];
            let again = (packed > 1).then(|| [vec![LANES], vec![packed, 1]]);
            std::iter::once(whole).chain(again.into_iter().flatten()).collect()
        }
        (Some(_), Some(rows)) => {
            let whole = vec![fitting(rows, 8).max(packed), LANES];
            let again = (packed > 1).then(|| vec![packed, 1]);
            std::iter::once(whole).chain(again).collect()
        }
    };
    let size = |entry: u64| i64::try_from(entry).ok().map(TileDim::Size);
    tiles.into_iter().map(|tile: Vec<u64>| tile.into_iter().map(size).collect()).collect()
}

/// `E(4)` for a type of 4 bits whose last tile packs 8 values into 32 bits, else nothing.
pub(crate) fn packed_bits(dtype: XlaDtype, tiles: &[Vec<TileDim>]) -> i64 {
    let is_packed = tiles.last().is_some_and(|tile| **tile == [TileDim::Size(8), TileDim::Size(1)]);
    if width(dtype) == 4 && is_packed { 4 } else { 0 }
}

/// Another layout for the same array, and its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XlaAdvice {
    /// The array with that layout.
    pub array: XlaArray,
    /// The size of its allocation.
    pub allocated_bytes: u64,
    /// True if TPU dumps show the tiling for this type, rank and second-minor extent.
    pub is_seen: bool,
}

impl XlaArray {
    /// This layout, and the orders of the dimensions with the tilings that are popular for the type: first
    /// those that TPU dumps show, then the others, each group with the smallest allocation first. Other
    /// untiled layouts are left out.
    ///
    /// Dumps show 8 rows of 128, fewer rows if the second-minor dimension is smaller, and at rank 1 the
    /// tiling that [`with_dtype`](XlaArray::with_dtype) chooses. Tiles have at most two entries here, so only
    /// the two most minor dimensions count: every ordered pair of them is listed once, the other dimensions
    /// in descending order; above rank 12 only the order that was written. Packed tilings (`(2,1)`, `(4,1)`,
    /// `(8,1)`) are for types of 16, 8 and 4 bits. The memory space is kept; other attributes are not.
    ///
    /// # Errors
    /// As [`sizes`](XlaArray::sizes).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::xla::XlaShape;
    /// let shape: XlaShape = "f32[129,1024]{0,1:T(8,128)}".parse()?;
    /// let (_, array) = shape.arrays()[0];
    /// assert_eq!(array.sizes()?.allocated_bytes, 1_048_576);
    /// let advice = array.advice()?;
    /// assert_eq!(advice[0].array.to_string(), "f32[129,1024]{1,0:T(8,128)}");
    /// assert_eq!((advice[0].allocated_bytes, advice[0].is_seen), (557_056, true));
    /// // One row of 128 is smaller; no compiler chooses it for 129 rows.
    /// let unseen = advice.iter().find(|advice| !advice.is_seen).unwrap();
    /// assert_eq!(unseen.array.to_string(), "f32[129,1024]{1,0:T(1,128)}");
    /// assert_eq!(unseen.allocated_bytes, 528_384);
    /// # Ok::<(), tensor_layout::ParseError>(())
    /// ```
    pub fn advice(&self) -> Result<Vec<XlaAdvice>, ParseError> {
        self.validate()?;
        self.extents().map_err(|error| self.refuse(error))?;
        let bits = match self.layout.as_ref().map_or(0, |layout| layout.element_bits) {
            0 => width(self.dtype),
            bits => bits.unsigned_abs(),
        };
        let fits = |tiling: &&&[&[i64]]| is_for(tiling, bits, self.dims.len());
        let mut advice = Vec::new();
        for tiling in TILINGS.iter().filter(fits) {
            for order in self.minor_pairs() {
                let array = self.with_tiles(&order, tiling, bits);
                // A candidate that does not fit in 64 bits is not listed.
                if let Ok(allocated_bytes) = array.allocated_bytes() {
                    let is_seen = array.has_seen_tiles();
                    advice.push(XlaAdvice { array, allocated_bytes, is_seen });
                }
            }
        }
        let array = XlaArray::new(self.dtype, self.dims.clone(), Some(self.layout_or_default()));
        if !advice.iter().any(|advice| advice.array == array) {
            let allocated_bytes = self.allocated_bytes().map_err(|error| self.refuse(error))?;
            let is_seen = array.has_seen_tiles();
            advice.push(XlaAdvice { array, allocated_bytes, is_seen });
        }
        advice.sort_by_key(|advice| (!advice.is_seen, advice.allocated_bytes));
        Ok(advice)
    }

    /// The array with the tiles that TPU compilers choose for its type and dimensions, in the same order; `None` for an
    /// array that has tiles, and for types beyond 32 bits.
    ///
    /// ```
    /// use tensor_layout::xla::XlaShape;
    /// let shape: XlaShape = "bf16[16,256]{1,0}".parse()?;
    /// let tiled = shape.as_array().and_then(|array| array.tiled_for_tpu()).unwrap();
    /// assert_eq!(tiled.to_string(), "bf16[16,256]{1,0:T(8,128)(2,1)}");
    /// assert_eq!(tiled.tiled_for_tpu(), None);
    /// # Ok::<(), tensor_layout::ParseError>(())
    /// ```
    #[must_use]
    pub fn tiled_for_tpu(&self) -> Option<XlaArray> {
        let mut layout = self.layout_or_default();
        if !layout.tiles.is_empty() {
            return None;
        }
        let minor = self.minor_extents(&layout);
        layout.tiles = default_tiles(self.dtype, minor.into_iter())?;
        layout.element_bits = packed_bits(self.dtype, &layout.tiles);
        Some(XlaArray::new(self.dtype, self.dims.clone(), Some(layout)))
    }

    /// Returns whether TPU compilers choose the tiling for the type and these dimensions, or for greater
    /// ones.
    fn has_seen_tiles(&self) -> bool {
        let Some(layout) = &self.layout else { return false };
        let minor = self.minor_extents(layout);
        let greater = minor.iter().map(|_| u64::MAX).collect_vec();
        let mut defaults =
            [minor, greater].into_iter().map(|dims| default_tiles(self.dtype, dims.into_iter()));
        defaults.any(|tiles| tiles.as_ref() == Some(&layout.tiles))
    }

    /// The extents from the most minor one on; an unknown one counts as large.
    fn minor_extents(&self, layout: &XlaLayout) -> Vec<u64> {
        let order = layout.minor_to_major.iter().filter_map(|axis| usize::try_from(*axis).ok());
        let extent = |dim: &XlaDim| match *dim {
            XlaDim::Static(extent) | XlaDim::Bounded(extent) => extent,
            XlaDim::Unbounded => u64::MAX,
        };
        order.filter_map(|axis| self.dims.get(axis).map(extent)).collect()
    }

    /// The array with another element type. A tiling that TPU compilers use for the old type and
    /// not for the new one becomes the one that they choose for the new type; `E` is dropped.
    ///
    /// ```
    /// use tensor_layout::xla::{XlaDtype, XlaShape};
    /// let shape: XlaShape = "bf16[16,256]{1,0:T(8,128)(2,1)S(1)}".parse()?;
    /// let array = shape.as_array().unwrap().with_dtype(XlaDtype::from_name("f32").unwrap());
    /// assert_eq!(array.to_string(), "f32[16,256]{1,0:T(8,128)S(1)}");
    /// # Ok::<(), tensor_layout::ParseError>(())
    /// ```
    #[must_use]
    pub fn with_dtype(&self, dtype: XlaDtype) -> XlaArray {
        let mut array = XlaArray::new(dtype, self.dims.clone(), self.layout.clone());
        let Some(layout) = array.layout.as_mut().filter(|_| dtype != self.dtype) else {
            return array;
        };
        layout.element_bits = 0;
        let minor = self.minor_extents(layout);
        let default = |dtype| default_tiles(dtype, minor.iter().copied());
        if default(self.dtype).is_some_and(|tiles| tiles == layout.tiles) {
            layout.tiles = default(dtype).unwrap_or_default();
        }
        layout.element_bits = packed_bits(dtype, &layout.tiles);
        array
    }

    /// Minor-to-major orders that differ in the two most minor dimensions.
    fn minor_pairs(&self) -> Vec<Vec<i64>> {
        let descending = XlaArray::new(self.dtype, self.dims.clone(), None);
        let descending = descending.layout_or_default().minor_to_major;
        let order = |minor: Vec<i64>| {
            let rest = descending.iter().copied().filter(|d| !minor.contains(d)).collect_vec();
            minor.into_iter().chain(rest).collect_vec()
        };
        if self.dims.len() > MOST_RANK {
            return vec![self.layout_or_default().minor_to_major];
        }
        let pairs = descending.iter().copied().permutations(self.dims.len().min(2));
        pairs.map(order).collect()
    }

    fn with_tiles(&self, order: &[i64], tiling: &[&[i64]], bits: u64) -> XlaArray {
        let packed = if bits == self.dtype.bits() { 0 } else { i64::try_from(bits).unwrap_or(0) };
        let layout = XlaLayout {
            minor_to_major: order.to_vec(),
            tiles: tiles(tiling),
            element_bits: packed,
            memory_space: self.layout.as_ref().map_or(0, |layout| layout.memory_space),
            ..XlaLayout::default()
        };
        XlaArray::new(self.dtype, self.dims.clone(), Some(layout))
    }
}

/// Returns whether a tiling is used for this width and rank: rank 0 and 1 have tiles of one entry, and
/// packing fills 32 bits.
fn is_for(tiling: &[&[i64]], bits: u64, rank: usize) -> bool {
    let first = tiling.first().map_or(0, |tile| tile.len());
    let last = tiling.last().copied().unwrap_or_default();
    let packed = match (tiling.len(), last) {
        (2 | 3, [packed, 1]) => u64::try_from(*packed).unwrap_or(1),
        _ => 1,
    };
    let wanted = if bits < 32 { 32_u64.checked_div(bits).unwrap_or(1) } else { 1 };
    let scalar = rank == 0 && tiling.len() == 1;
    first == rank.clamp(1, 2) && (packed == wanted || scalar)
}
