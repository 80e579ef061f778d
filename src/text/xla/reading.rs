//! Tiles read off the digits of a layout.
//!
//! ```text
//! bf16[16,1024]{1,0:T(8,128)(2,1)}
//!
//! digits by stride     0: 2 x 8192 | 1: 8 x 1024 || 0: 4 x 256 | 1: 128 x 2 || 0: 2 x 1
//! groups               the grid                   first tile                second tile
//! what is left of 0    8                          2                          1
//! what is left of 1    128                        1                          1
//! ```
//!
//! Sorted by stride, the digits of the grid come first, then those of each tile; a new group begins where an
//! axis occurs again. An entry of a tile is the part of the axis that the groups before it leave. The answer
//! is only a proposal: the caller lowers it and compares.

use std::cmp::Reverse;

use super::TileDim;
use crate::algebra::{Axis, Layout, StepsEvenly, Subaxis, Target, goes_on};

/// A digit in the order of its stride.
#[derive(Clone, Copy, Debug)]
struct GridDigit {
    axis: usize,
    size: u64,
    stride: u64,
    /// The number of values of the axis that are below one step of the digit.
    rest: u64,
    /// True if the digit is the first of a derived axis that pads it.
    padded: bool,
}

/// The order, minor to major, and the tiles, if every axis is a chain of digits.
pub(super) fn tiling(layout: &Layout) -> Option<(Vec<usize>, Vec<Vec<TileDim>>)> {
    let mut pieces = Vec::new();
    for (number, axis) in layout.axes().iter().enumerate() {
        let mut of_axis = Vec::new();
        collect(layout, number, axis, 1, &mut of_axis)?;
        of_axis.dedup_by(|minor, major| major.takes_minor(minor));
        if let Some(first) = of_axis.first_mut() {
            first.padded = first.size != axis.extent.max(1).div_ceil(first.rest);
        }
        pieces.extend(of_axis);
    }
    pieces.sort_by_key(|piece| Reverse(piece.stride));
    let rank = layout.rank();
    let (groups, after) = groups(rank, &pieces);
    let order = order(rank, &after, groups.get(1..).unwrap_or_default());
    let mut left: Vec<u64> = layout.axes().iter().map(Axis::slots).collect();
    let mut tiles = Vec::new();
    for group in &groups {
        for piece in group {
            left[piece.axis] = piece.rest;
        }
        tiles.push(entries(&order, &left)?);
    }
    // Below the last group nothing is left.
    tiles.pop();
    Some((order, tiles))
}

/// The entries of a tile, major to minor, from the first axis of which more than 1 is left.
fn entries(order: &[usize], left: &[u64]) -> Option<Vec<TileDim>> {
    let entries = order.iter().rev().map(|axis| left[*axis]).skip_while(|left| *left == 1);
    entries.map(|entry| i64::try_from(entry).ok().map(TileDim::Size)).collect()
}

/// The digits of an axis that move, major to minor, through the derived axes that it alone feeds.
fn collect(
    layout: &Layout,
    number: usize,
    axis: &Axis,
    below: u64,
    pieces: &mut Vec<GridDigit>,
) -> Option<()> {
    let mut rest = axis.slots().checked_mul(below)?;
    for subaxis in &axis.subaxes {
        rest /= subaxis.size;
        match subaxis.target {
            _ if subaxis.size == 1 => {}
            Target::Land { stride, .. } => {
                let Subaxis { size, .. } = *subaxis;
                pieces.push(GridDigit { axis: number, size, stride, rest, padded: false });
            }
            Target::Feed { derived, weight: 1 } => {
                let first = pieces.len();
                let axis = alone(layout, derived, subaxis.size)?;
                collect(layout, number, axis, rest, pieces)?;
                if let Some(piece) = pieces.get_mut(first) {
                    piece.padded = axis.slots() != subaxis.size;
                }
            }
            Target::Feed { .. } => return None,
        }
    }
    Some(())
}

/// The derived axis, if a single digit feeds it and has as many values as the axis.
fn alone(layout: &Layout, derived: usize, size: u64) -> Option<&Axis> {
    let axis = layout.derived_axes().get(derived)?;
    let fed = layout.nodes().flat_map(|axis| &axis.subaxes);
    let feeders = fed.filter(|subaxis| subaxis.feeds() == Some(derived)).count();
    (axis.start == 0 && axis.axis.extent == size && feeders == 1).then_some(&axis.axis)
}

impl StepsEvenly for GridDigit {
    /// Unless one of them is padded.
    fn with_minor(&self, minor: &GridDigit) -> Option<GridDigit> {
        let even = goes_on(minor.size, minor.stride, self.stride) && !self.padded && !minor.padded;
        even.then(|| GridDigit { size: self.size.saturating_mul(minor.size), ..*minor })
    }
}

/// The grid and the tiles, and for each pair of axes whether the second must be minor to the first.
///
/// The first digit of an axis is one of the grid only if it is as long as the extent needs: a
/// longer one was padded by a tile that the axis fits into.
fn groups(rank: usize, pieces: &[GridDigit]) -> (Vec<Vec<GridDigit>>, Vec<Vec<bool>>) {
    let mut groups: Vec<Vec<GridDigit>> = vec![Vec::new()];
    let mut after = vec![vec![false; rank]; rank];
    for piece in pieces {
        let is_grid = groups.len() == 1;
        let group = groups.last().map(Vec::as_slice).unwrap_or_default();
        let last = group.last().map(|last| last.axis);
        let again = group.iter().any(|other| other.axis == piece.axis);
        let turned = last.is_some_and(|last| after[piece.axis][last]);
        if again || turned || (is_grid && piece.padded) {
            groups.push(vec![*piece]);
            continue;
        }
        if let Some(last) = last {
            put_behind(&mut after, last, piece.axis);
        }
        if let Some(group) = groups.last_mut() {
            group.push(*piece);
        }
    }
    (groups, after)
}

/// Notes that `minor`, and every axis minor to it, is minor to `major` and to every axis major to that.
fn put_behind(after: &mut [Vec<bool>], major: usize, minor: usize) {
    let behind: Vec<usize> =
        (0..after.len()).filter(|at| *at == minor || after[minor][*at]).collect();
    let before: Vec<usize> =
        (0..after.len()).filter(|at| *at == major || after[*at][major]).collect();
    for from in before {
        for to in &behind {
            after[from][*to] = true;
        }
    }
}

/// Returns the axes minor to major: axes that tiles cut as early as possible, then those with greater
/// numbers.
fn order(rank: usize, after: &[Vec<bool>], tiles: &[Vec<GridDigit>]) -> Vec<usize> {
    let is_cut = |axis: usize| tiles.iter().flatten().any(|piece| piece.axis == axis);
    let mut order: Vec<usize> = Vec::new();
    for _ in 0..rank {
        let free = (0..rank).filter(|axis| {
            let placed = |other: &usize| order.contains(other);
            !placed(axis) && (0..rank).filter(|other| after[*axis][*other]).all(|o| placed(&o))
        });
        order.extend(free.max_by_key(|axis| (is_cut(*axis), *axis)));
    }
    order
}
