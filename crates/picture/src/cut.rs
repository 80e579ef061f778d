//! Ranges of an axis, cut where digits end.

use std::ops::Range;

use tensor_layout::Level;
use tensor_layout::algebra::{Axis, Target};

/// The largest part that a digit is cut into.
const LARGEST_PART: u64 = 16;

pub(super) fn length(range: &Range<u64>) -> u64 {
    range.end - range.start
}

/// Blocks of a range: the smallest ones that end where digits or whole parts of digits do, are at
/// least as long as `edge`, and of which there are at most `most`.
///
/// Law: the blocks follow one another and cover the range; all but the first and the last end at
/// multiples of one step.
pub(super) fn blocks(axis: &Axis, range: &Range<u64>, edge: u64, most: u64) -> Vec<Range<u64>> {
    let count = |step: u64| range.end.div_ceil(step) - range.start / step;
    let few = |step: &u64| *step >= edge && count(*step) <= most;
    // A prime number of values has no parts.
    let ragged = || length(range).div_ceil((most - 1).max(1)).next_power_of_two();
    let step = places(axis).into_iter().find(few).filter(|step| *step < length(range).max(2));
    let step =
        step.unwrap_or_else(|| if length(range) <= edge { edge } else { ragged().max(edge) });
    (range.start / step..range.end.div_ceil(step))
        .map(|at| {
            (at * step).max(range.start)..at.saturating_add(1).saturating_mul(step).min(range.end)
        })
        .collect()
}

/// The places at which digits end, and parts of long ones: a digit of 1536 values is 16 x 16 x 6.
fn places(axis: &Axis) -> Vec<u64> {
    let mut places = vec![1];
    let mut place = 1_u64;
    for subaxis in axis.subaxes.iter().rev() {
        let mut rest = subaxis.size;
        let mut parts = Vec::new();
        while let Some(part) = (2..=LARGEST_PART).rev().find(|part| rest % part == 0) {
            rest /= part;
            parts.push(part);
        }
        // The largest parts are the outer ones; a prime rest comes first.
        for part in std::iter::once(rest).chain(parts.into_iter().rev()) {
            place = place.saturating_mul(part);
            places.push(place);
        }
    }
    places
}

/// Single values at both ends of a range and one block between them; all singly if they are few.
pub(super) fn elided(range: &Range<u64>) -> Vec<Range<u64>> {
    const FIRST: u64 = 6;
    const LAST: u64 = 2;
    let singles = |range: Range<u64>| range.map(|at| at..at + 1);
    if length(range) <= FIRST + LAST + 4 {
        return singles(range.clone()).collect();
    }
    let middle = range.start + FIRST..range.end - LAST;
    let first = singles(range.start..middle.start);
    first.chain([middle.clone()]).chain(singles(middle.end..range.end)).collect()
}

/// The number of values of an axis within one tile of so many elements: those of the minor digits that
/// do not step beyond it.
pub(super) fn tile_edge(axis: &Axis, tile: u64) -> u64 {
    let mut edge = 1_u64;
    for subaxis in axis.subaxes.iter().rev() {
        let inside = match subaxis.target {
            Target::Land { level, stride } if level == Level::ADDR && stride < tile => {
                subaxis.size.min(tile.div_ceil(stride.max(1)))
            }
            Target::Land { .. } => return edge,
            // Digits that feed the axes of inner tiles stay within this one.
            Target::Feed { .. } => subaxis.size,
        };
        edge = edge.saturating_mul(inside);
        if inside < subaxis.size {
            return edge;
        }
    }
    edge
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensor_layout::algebra::Subaxis;

    fn axis(sizes: &[u64]) -> Axis {
        let subaxes = sizes.iter().map(|size| Subaxis::land(*size, Level::ADDR, 1));
        Axis { extent: sizes.iter().product(), subaxes: subaxes.collect() }
    }

    #[test]
    fn blocks_end_where_digits_or_whole_parts_of_them_do() {
        let starts = |sizes: &[u64], range, edge| -> Vec<u64> {
            blocks(&axis(sizes), &range, edge, 16).iter().map(|block| block.start).collect()
        };
        assert_eq!(starts(&[3, 4], 0..12, 1), (0..12).collect::<Vec<_>>());
        assert_eq!(starts(&[3, 40], 0..120, 1), [0, 40, 80]); // 40 is 10 x 4, and 30 blocks are too many
        assert_eq!(starts(&[2, 1000], 0..2000, 1), [0, 1000]);
        assert_eq!(starts(&[1 << 40], 0..1 << 40, 1).len(), 16);
        assert_eq!(starts(&[1_000_000_007], 0..1_000_000_007, 1).len(), 15);
        assert_eq!(starts(&[2, 8], 0..16, 8), [0, 8]);
        assert_eq!(
            starts(&[16, 8], 20..100, 1),
            (20..100).filter(|at| *at == 20 || at % 8 == 0).collect::<Vec<_>>()
        );
    }

    #[test]
    fn blocks_cover_the_range_one_after_the_other() {
        for sizes in [vec![5], vec![7, 11, 13], vec![97], vec![2, 3, 5, 7], vec![1, 1]] {
            let axis = axis(&sizes);
            for (start, edge) in [(0, 1), (axis.extent / 3, 1), (0, 10)] {
                let blocks = blocks(&axis, &(start..axis.extent), edge, 16);
                let mut at = start;
                for block in &blocks {
                    assert_eq!(block.start, at);
                    at = block.end;
                }
                assert_eq!(at, axis.extent);
                assert!(blocks.len() <= 16);
            }
        }
    }
}
