//! A few rows or columns, the cells of which are interleaved on one side: groups of one cell for each
//! lane there, whole lanes on the other side.
//!
//! ```text
//! groups   a0 b0 c0 a1 b1 c1 ..      lanes   a0 a1 ..   b0 b1 ..   c0 c1 ..
//! ```
//!
//! Used for counts of lanes that fill no vectors.

use super::block::is_few;
use super::run::TileCells;
use crate::algebra::strided::StridedDigit;
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
    pub(super) fn of<T>(rows: TileCells<'_>, columns: TileCells<'_>) -> Option<Interleaved> {
        let (height, width) = (rows.away.len(), columns.away.len());
        let are_apart = || rows.away.is_sorted_by(|row, next| row + width <= *next);
        if is_few::<T>(height) && columns.step == Some(height) && are_apart() {
            Some(Interleaved::Source)
        } else if is_few::<T>(width) && rows.step == Some(width) {
            Some(Interleaved::Target)
        } else {
            None
        }
    }

    /// Moves the cells of all tiles; `tiles` has their number and their distance on either side.
    pub(super) fn transfer<T: Copy>(
        self,
        source: &[T],
        target: &mut [T],
        tiles: StridedDigit,
        (rows, columns): (TileCells<'_>, TileCells<'_>),
    ) {
        let (rows, columns) = (rows.away, columns.away);
        match self {
            Interleaved::Source => lanes::<T, true>(source, target, tiles, (rows, columns.len())),
            Interleaved::Target => lanes::<T, false>(source, target, tiles, (columns, rows.len())),
        }
    }
}

/// Takes groups apart into lanes of so many cells, or puts lanes together.
///
/// A function of its own, so that the compiler knows that the sides do not overlap.
#[inline(never)]
fn lanes<T: Copy, const APART: bool>(
    source: &[T],
    target: &mut [T],
    tiles: StridedDigit,
    (lanes, length): (&[usize], usize),
) {
    // Short loops are unrolled where the compiler knows how short; those over bytes and halves, for
    // which it then puts vectors together cell by cell, are left to it as loops.
    let is_wide = size_of::<T>() >= 4;
    macro_rules! known {
        ($($length:literal)*) => {
            match length {
                $($length if is_wide => {
                    of_length::<T, APART>(source, target, tiles, (lanes, $length));
                })*
                _ => of_length::<T, APART>(source, target, tiles, (lanes, length)),
            }
        };
    }
    known!(4 8 16);
}

#[inline(always)]
fn of_length<T: Copy, const APART: bool>(
    source: &[T],
    target: &mut [T],
    tiles: StridedDigit,
    (lanes, length): (&[usize], usize),
) {
    let [count, from, to] = [tiles.size, tiles.weight, tiles.stride].map(to_index);
    // Many or long lanes are quicker one by one, but for words.
    let most = if length <= 16 || size_of::<T>() == 4 { 4 } else { 3 };
    // Each by name: the compiler makes no vectors of an array of slices.
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
