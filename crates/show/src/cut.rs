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
    common_blocks([axis, axis], range, edge, most)
}

/// Blocks of a range in two layouts: they end where digits of both do, or else where those of the first do.
///
/// Law: that of [`blocks`].
pub(super) fn common_blocks(
    axes: [&Axis; 2],
    range: &Range<u64>,
    edge: u64,
    most: u64,
) -> Vec<Range<u64>> {
    let count = |step: u64| range.end.div_ceil(step) - range.start / step;
    let few = |step: &u64| *step >= edge && count(*step) <= most && *step < length(range).max(2);
    // A prime number of values cannot be divided into equal parts.
    let ragged = || {
        let step = length(range).div_ceil((most - 1).max(1)).next_power_of_two();
        // Two blocks at most: one would be the range again.
        if count(step) == 1 { (step / 2).max(1) } else { step }
    };
    let [first, second] = axes.map(places);
    let both = first.iter().filter(|place| second.contains(place));
    let step = both.chain(&first).copied().find(few);
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

/// A range cut into parts, of which the middle ones may be left out.
pub(super) struct Cut {
    pub(super) ranges: Vec<Range<u64>>,
    /// The range of all parts between the first and the last ones, which are left out.
    pub(super) middle: Option<Range<u64>>,
}

impl Cut {
    pub(super) fn whole(ranges: Vec<Range<u64>>) -> Cut {
        Cut { ranges, middle: None }
    }
}

/// Parts of a length at both ends of a range and one range between them; all parts if at most `few` would be left out.
///
/// Law: the ranges follow one another and cover the range.
pub(super) fn elided(range: &Range<u64>, part: u64, [first, last]: [u64; 2], few: u64) -> Cut {
    let parts = range.start / part..range.end.div_ceil(part);
    let cut = |parts: Range<u64>| {
        parts.map(|at| (at * part).max(range.start)..(at + 1).saturating_mul(part).min(range.end))
    };
    if length(&parts) <= first + last + few {
        return Cut::whole(cut(parts).collect());
    }
    let left_out = parts.start + first..parts.end - last;
    let middle = left_out.start * part..left_out.end * part;
    let ends = cut(parts.start..left_out.start).chain([middle.clone()]);
    Cut { ranges: ends.chain(cut(left_out.end..parts.end)).collect(), middle: Some(middle) }
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
    fn blocks_of_two_layouts_end_where_digits_of_both_do() {
        let starts = |a: &[u64], b: &[u64], most| -> Vec<u64> {
            let (a, b) = (axis(a), axis(b));
            common_blocks([&a, &b], &(0..96), 1, most).iter().map(|block| block.start).collect()
        };
        assert_eq!(starts(&[2, 4, 12], &[2, 48], 8), [0, 48]);
        // 16 x 6 and 8 x 12 do not have a place in common: those of the first.
        assert_eq!(starts(&[8, 12], &[16, 6], 8), [0, 12, 24, 36, 48, 60, 72, 84]);
        // No digit ends in the middle: halves, because one block would be the range again.
        assert_eq!(starts(&[96], &[96], 2), [0, 64]);
    }

    #[test]
    fn parts_at_both_ends_and_the_middle_cover_the_range() {
        for (range, part) in [(0..1280, 8), (3..1000, 7), (0..20, 3), (5..6, 4), (0..13, 1)] {
            let cut = elided(&range, part, [3, 1], 4);
            let mut at = range.start;
            for part in &cut.ranges {
                assert_eq!(part.start, at);
                at = part.end;
            }
            assert_eq!(at, range.end);
            assert!(cut.ranges.len() <= 8);
            assert!(cut.middle.is_none_or(|middle| cut.ranges[3] == middle));
        }
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
