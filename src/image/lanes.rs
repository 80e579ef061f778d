//! Long words: lanes side by side in a `u64`, lane 0 most significant.
//!
//! ```text
//! lanes of 16 bits    a b c d    long word  0xaaaa_bbbb_cccc_dddd
//! ```

use crate::error::LayoutError;
use crate::program::check_length;

/// A number that fills a lane of a 64-bit long word.
pub trait Lane: Copy {
    /// The width of a lane.
    const BITS: u32;
    /// The bits, in the low end.
    fn to_bits(self) -> u64;
    /// The value in the low bits of `bits`.
    fn from_bits(bits: u64) -> Self;
    /// Writes all bytes of the value, least significant first.
    fn write_le(self, bytes: &mut [u8]);
    /// Reads the value from its bytes, least significant first.
    fn read_le(bytes: &[u8]) -> Self;
}

macro_rules! lane {
    ($($number:ty, $bits:ty);*) => {$(
        impl Lane for $number {
            const BITS: u32 = <$bits>::BITS;

            #[inline]
            fn to_bits(self) -> u64 {
                <$bits>::from_ne_bytes(self.to_ne_bytes()).into()
            }

            #[inline]
            #[allow(clippy::as_conversions, reason = "the low bits are meant")]
            fn from_bits(bits: u64) -> $number {
                <$number>::from_ne_bytes((bits as $bits).to_ne_bytes())
            }

            #[inline]
            fn write_le(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn read_le(bytes: &[u8]) -> $number {
                let bytes = bytes.first_chunk().copied().unwrap_or_default();
                <$number>::from_le_bytes(bytes)
            }
        }
    )*};
}

lane!(u8, u8; i8, u8; u16, u16; i16, u16; u32, u32; i32, u32; f32, u32; u64, u64; i64, u64; f64, u64);

/// The number of lanes of this type a long word has.
const fn lanes<T: Lane>() -> usize {
    // 1, 2, 4 or 8.
    match T::BITS {
        8 => 8,
        16 => 4,
        32 => 2,
        _ => 1,
    }
}

/// Joins lanes, such as the cells of a packed image whose last column is `W`, into long words.
///
/// Law: [`split_lanes`] gives the cells back.
///
/// # Errors
/// `Shape` unless there are 64 / width cells per long word.
///
/// # Example
/// ```
/// let mut words = [0];
/// tensor_layout::image::join_lanes(&[0x1111_u16, 0x2222, 0x3333, 0x4444], &mut words)?;
/// assert_eq!(words, [0x1111_2222_3333_4444]);
/// # Ok::<(), tensor_layout::LayoutError>(())
/// ```
pub fn join_lanes<T: Lane>(cells: &[T], words: &mut [u64]) -> Result<(), LayoutError> {
    check_cells::<T>(cells.len(), words.len())?;
    for (word, cells) in words.iter_mut().zip(cells.chunks_exact(lanes::<T>())) {
        let bits = cells.iter().map(|cell| cell.to_bits());
        *word = bits.reduce(|word, bits| (word << T::BITS) | bits).unwrap_or(0);
    }
    Ok(())
}

/// Splits long words into lanes.
///
/// # Errors
/// As [`join_lanes`].
pub fn split_lanes<T: Lane>(words: &[u64], cells: &mut [T]) -> Result<(), LayoutError> {
    check_cells::<T>(cells.len(), words.len())?;
    for (word, cells) in words.iter().zip(cells.chunks_exact_mut(lanes::<T>())) {
        let mut word = *word;
        for cell in cells.iter_mut().rev() {
            *cell = T::from_bits(word);
            word = word.checked_shr(T::BITS).unwrap_or(0);
        }
    }
    Ok(())
}

fn check_cells<T: Lane>(cells: usize, words: usize) -> Result<(), LayoutError> {
    let wanted = words.checked_mul(lanes::<T>()).and_then(|cells| u64::try_from(cells).ok());
    check_length(cells, wanted.unwrap_or(u64::MAX))
}

/// The numbers, little-endian.
pub(super) fn to_bytes<T: Lane>(cells: &[T]) -> Vec<u8> {
    let mut bytes = vec![0; size_of_val(cells)];
    let chunks = bytes.chunks_exact_mut(size_of::<T>());
    chunks.zip(cells).for_each(|(bytes, cell)| cell.write_le(bytes));
    bytes
}

/// The numbers, from little-endian bytes.
pub(super) fn from_bytes<T: Lane>(bytes: &[u8], cells: &mut [T]) {
    let chunks = bytes.chunks_exact(size_of::<T>());
    cells.iter_mut().zip(chunks).for_each(|(cell, bytes)| *cell = T::read_le(bytes));
}
