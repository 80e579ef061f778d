//! A few rows or columns, the cells of which are interleaved on one side: groups of one cell for each
//! lane there, whole lanes on the other side.
//!
//! ```text
//! groups   a0 b0 c0 a1 b1 c1 ..      lanes   a0 a1 ..   b0 b1 ..   c0 c1 ..
//! ```
//!
//! Used for counts of lanes that fill no vectors.

#[cfg(feature = "simd")]
use multiversion::multiversion;

use super::block::{LARGE, is_few};
use super::run::TileCells;
use crate::algebra::strided::{StridedDigit, StridedDigits};
use crate::number::to_index;

/// The side on which the cells of a tile are interleaved.
#[derive(Clone, Copy)]
pub(super) enum Interleaved {
    /// The lanes are rows.
    Source,
    /// The lanes are columns.
    Target,
}

impl Interleaved {
    /// `None` for a tile that is moved in blocks.
    pub(super) fn of(
        rows: TileCells<'_>,
        columns: TileCells<'_>,
        bytes: usize,
    ) -> Option<Interleaved> {
        let (height, width) = (rows.away.len(), columns.away.len());
        let are_apart = || rows.away.is_sorted_by(|row, next| row + width <= *next);
        if is_few(height, bytes) && columns.step == Some(height) && are_apart() {
            Some(Interleaved::Source)
        } else if is_few(width, bytes) && rows.step == Some(width) {
            Some(Interleaved::Target)
        } else {
            None
        }
    }

    /// The tiles that follow each other on the side where they are contiguous, and the other digits, which come in the
    /// order of the target.
    pub(super) fn split(self, digits: &[StridedDigit]) -> (StridedDigit, StridedDigits) {
        let mut digits: StridedDigits = digits.into();
        if matches!(self, Interleaved::Source) {
            digits.sort_by_key(|digit| digit.weight);
        }
        let tiles = if digits.is_empty() { StridedDigit::ONE } else { digits.remove(0) };
        (tiles, digits)
    }

    /// Moves the cells of all tiles; `tiles` has their number and their distance on either side.
    pub(super) fn transfer<T: Copy>(
        self,
        source: &[T],
        target: &mut [T],
        tiles: StridedDigit,
        (rows, columns): (TileCells<'_>, TileCells<'_>),
    ) {
        if const { size_of::<T>() > LARGE } {
            // No lanes of these are interleaved: nothing is compiled for them.
            return;
        }
        let (rows, columns) = (rows.away, columns.away);
        match self {
            Interleaved::Source => lanes::<T, true>(source, target, tiles, (rows, columns.len())),
            Interleaved::Target => lanes::<T, false>(source, target, tiles, (columns, rows.len())),
        }
    }
}

/// Splits groups into lanes of the given length, or joins lanes into groups.
///
/// This is a separate function so that the compiler knows that the sides do not overlap.
#[inline(never)]
fn lanes<T: Copy, const APART: bool>(
    source: &[T],
    target: &mut [T],
    tiles: StridedDigit,
    of: (&[usize], usize),
) {
    if const { size_of::<T>() == 2 } {
        lanes_of_two_bytes::<T, APART>(source, target, tiles, of);
    } else {
        lanes_of_any::<T, APART>(source, target, tiles, of);
    }
}

/// For AVX2 the compiler moves three lanes in vectors, apart a fifth faster; other cells gain nothing.
#[cfg_attr(feature = "simd", multiversion(targets("x86_64+avx2")))]
fn lanes_of_two_bytes<T: Copy, const APART: bool>(
    source: &[T],
    target: &mut [T],
    tiles: StridedDigit,
    of: (&[usize], usize),
) {
    lanes_of_any::<T, APART>(source, target, tiles, of);
}

#[inline(always)]
fn lanes_of_any<T: Copy, const APART: bool>(
    source: &[T],
    target: &mut [T],
    tiles: StridedDigit,
    (lanes, length): (&[usize], usize),
) {
    #[cfg(feature = "simd")]
    if const { size_of::<T>() == 1 }
        && bytes::lanes::<T, APART>(source, target, tiles, (lanes, length))
    {
        return;
    }
    let [count, from, to] = [tiles.size, tiles.weight, tiles.stride].map(to_index);
    // Many or long lanes are faster one by one, except for cells of 4 bytes.
    let most = if length <= 16 || size_of::<T>() == 4 { 4 } else { 3 };
    // Each has a name: the compiler does not vectorize an array of slices.
    macro_rules! by_name {
        ($($lanes:literal: $($lane:ident $at:literal)*;)*) => {
            match *lanes {
                $([$($lane),*] => for tile in 0..count {
                    let (source, target) = (&source[tile * from..], &mut target[tile * to..]);
                    if !APART {
                        $(let $lane = &source[$lane..][..length];)*
                        let groups = &mut target.as_chunks_mut::<$lanes>().0[..length];
                        for at in 0..length {
                            groups[at] = [$($lane[at]),*];
                        }
                        continue;
                    }
                    let groups = &source.as_chunks::<$lanes>().0[..length];
                    let lanes = target.get_disjoint_mut([$($lane..$lane + length),*]);
                    let Ok([$($lane),*]) = lanes else { return };
                    if $lanes <= most {
                        for at in 0..length {
                            $($lane[at] = groups[at][$at];)*
                        }
                    } else {
                        $($lane.iter_mut().zip(groups).for_each(|(cell, group)| *cell = group[$at]);)*
                    }
                },)*
                _ => {}
            }
        };
    }
    by_name! {
        2: a 0 b 1;
        3: a 0 b 1 c 2;
        4: a 0 b 1 c 2 d 3;
        5: a 0 b 1 c 2 d 3 e 4;
        6: a 0 b 1 c 2 d 3 e 4 f 5;
        7: a 0 b 1 c 2 d 3 e 4 f 5 g 6;
        8: a 0 b 1 c 2 d 3 e 4 f 5 g 6 h 7;
    }
}

/// Bytes in vectors: the compiler would move them one by one.
#[cfg(feature = "simd")]
mod bytes {
    use castaway::cast;
    use wide::u8x16;

    use crate::algebra::strided::StridedDigit;
    use crate::number::to_index;

    /// The cells of a vector.
    const VECTOR: usize = 16;

    /// As [`lanes`](super::lanes); `false` without a move if these are not bytes, or too few.
    #[inline(always)]
    pub(super) fn lanes<T: Copy, const APART: bool>(
        source: &[T],
        target: &mut [T],
        tiles: StridedDigit,
        (lanes, length): (&[usize], usize),
    ) -> bool {
        if length < VECTOR {
            return false;
        }
        let (Ok(source), Ok(target)) = (cast!(source, &[u8]), cast!(target, &mut [u8])) else {
            return false;
        };
        match *lanes {
            [a, b] => vectors::<2, APART>(source, target, tiles, ([a, b], length)),
            [a, b, c, d] => vectors::<4, APART>(source, target, tiles, ([a, b, c, d], length)),
            [a, b, c, d, e, f, g, h] => {
                let lanes = [a, b, c, d, e, f, g, h];
                vectors::<8, APART>(source, target, tiles, (lanes, length));
            }
            _ => return false,
        }
        true
    }

    /// A vector of every lane at a time; the last ones overlap those before.
    #[inline(always)]
    fn vectors<const LANES: usize, const APART: bool>(
        source: &[u8],
        target: &mut [u8],
        tiles: StridedDigit,
        (lanes, length): ([usize; LANES], usize),
    ) {
        let [count, from, to] = [tiles.size, tiles.weight, tiles.stride].map(to_index);
        for tile in 0..count {
            let (source, target) = (&source[tile * from..], &mut target[tile * to..]);
            for at in (0..length).step_by(VECTOR).map(|at| at.min(length - VECTOR)) {
                let of_groups = |number: usize| LANES * at + VECTOR * number;
                let of_lane = |number: usize| lanes[number] + at;
                let mut vectors: [u8x16; LANES] = std::array::from_fn(|number| {
                    let from = if APART { of_groups(number) } else { of_lane(number) };
                    u8x16::new(source[from..].as_chunks().0[0])
                });
                // Each shuffle rotates the bits of a position by one, until those of cell and lane have
                // changed places.
                let shuffles = if APART { VECTOR.ilog2() } else { LANES.ilog2() };
                for _ in 0..shuffles {
                    vectors = shuffled(vectors);
                }
                for (number, vector) in vectors.into_iter().enumerate() {
                    let to = if APART { of_lane(number) } else { of_groups(number) };
                    target[to..][..VECTOR].copy_from_slice(vector.as_array());
                }
            }
        }
    }

    /// A perfect shuffle, which merges the first half of the cells with the second.
    #[inline(always)]
    fn shuffled<const LANES: usize>(vectors: [u8x16; LANES]) -> [u8x16; LANES] {
        std::array::from_fn(|number| {
            let (first, second) = (vectors[number / 2], vectors[number / 2 + LANES / 2]);
            match number % 2 {
                0 => u8x16::unpack_low(first, second),
                _ => u8x16::unpack_high(first, second),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::to_u64;

    /// Cells of a type, in any of these lanes and back, beside a loop over every cell.
    fn check<T: Copy + PartialEq + std::fmt::Debug>(cell: fn(u8) -> T) {
        const GAP: usize = 3;
        for (count, length) in (2..=8).flat_map(|count| (1..50).map(move |length| (count, length)))
        {
            let away: Vec<usize> = (0..count).map(|lane| 1 + lane * (length + 1)).collect();
            let (groups, apart) = (count * length + GAP, (length + 1) * count + GAP);
            let tensor: Vec<T> = (0..251).cycle().take(2 * groups).map(cell).collect();
            let tiles = |weight: usize, stride: usize| {
                let [weight, stride] = [weight, stride].map(to_u64);
                StridedDigit { size: 2, weight, stride }
            };
            let mut moved = vec![cell(7); 2 * apart];
            let mut expected = moved.clone();
            lanes::<T, true>(&tensor, &mut moved, tiles(groups, apart), (&away, length));
            for tile in 0..2 {
                for (lane, at) in (0..count).flat_map(|lane| (0..length).map(move |at| (lane, at)))
                {
                    let from = tile * groups + at * count + lane;
                    expected[tile * apart + away[lane] + at] = tensor[from];
                }
            }
            assert_eq!(moved, expected, "{count} lanes of {length}");
            let mut back = vec![cell(7); 2 * groups];
            lanes::<T, false>(&moved, &mut back, tiles(apart, groups), (&away, length));
            for tile in 0..2 {
                let cells = tile * groups..tile * groups + count * length;
                assert_eq!(back[cells.clone()], tensor[cells], "{count} lanes of {length}, back");
                assert!(
                    back[tile * groups + count * length..][..GAP].iter().all(|c| *c == cell(7))
                );
            }
        }
    }

    #[test]
    fn lanes_are_taken_apart_and_put_together_cell_by_cell() {
        check::<u8>(|n| n);
        check::<i8>(u8::cast_signed);
        check::<bool>(|n| n % 3 == 0);
        check::<u16>(|n| u16::from(n) << 4);
        check::<[u8; 2]>(|n| [n, 9]);
        check::<f32>(f32::from);
        check::<[u8; 3]>(|n| [n, 255 - n, 9]);
    }
}
