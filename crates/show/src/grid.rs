//! The part of a tensor that a panel shows: ranges of the last two axes at one index of the others.

use std::ops::Range;

use itertools::Itertools;

use super::cut::length;
use super::label::grouped;

/// The text of cells and ticks for what is left out.
pub(super) const LEFT_OUT: &str = "\u{2026}";

/// Rows and columns of ranges.
#[derive(Clone)]
pub(super) struct Grid {
    /// The index in the leading axes.
    pub(super) lead: Vec<u64>,
    /// The ranges of the last axes, at most two.
    pub(super) sides: Vec<Vec<Range<u64>>>,
    /// The range of each side that is left out: the middle, between its first and last parts.
    pub(super) left_out: Vec<Option<Range<u64>>>,
    /// The sides of a tile, where the cells are whole tiles.
    pub(super) tile: Option<Vec<u64>>,
    /// The extent of every axis: indexes beyond it are padding.
    pub(super) extents: Vec<u64>,
}

impl Grid {
    /// The ranges of the rows (0) or the columns (1), if there is such an axis.
    pub(super) fn side(&self, side: usize) -> Option<&[Range<u64>]> {
        let at = (side + self.sides.len()).checked_sub(2)?;
        self.sides.get(at).map(Vec::as_slice)
    }

    fn count(&self, side: usize) -> usize {
        self.side(side).map_or(1, <[_]>::len)
    }

    pub(super) fn columns(&self) -> usize {
        self.count(1)
    }

    /// The ranges of every cell, row by row.
    pub(super) fn boxes(&self) -> Vec<Vec<Range<u64>>> {
        let lead = || self.lead.iter().map(|at| *at..*at + 1);
        let at = |side, at: usize| self.side(side).and_then(|ranges| ranges.get(at)).cloned();
        let cell = |row, column| lead().chain(at(0, row)).chain(at(1, column)).collect();
        let rows = 0..self.count(0);
        rows.flat_map(|row| (0..self.columns()).map(move |column| cell(row, column))).collect()
    }

    /// The part within the slots of one layout, axis by axis: a grid of two layouts may extend beyond it.
    pub(super) fn within(&self, slots: &[u64]) -> Grid {
        let is_beyond = self.lead.iter().zip(slots).any(|(at, slots)| at >= slots);
        let ends =
            || slots.iter().skip(self.lead.len()).map(|end| if is_beyond { 0 } else { *end });
        let clipped = |range: &Range<u64>, end: u64| {
            Some(range.start..range.end.min(end)).filter(|range| !range.is_empty())
        };
        let side = |(side, end): (&Vec<Range<u64>>, u64)| {
            side.iter().filter_map(|range| clipped(range, end)).collect()
        };
        let middle = |(middle, end): (&Option<Range<u64>>, u64)| clipped(middle.as_ref()?, end);
        Grid {
            lead: self.lead.clone(),
            sides: self.sides.iter().zip(ends()).map(side).collect(),
            left_out: self.left_out.iter().zip(ends()).map(middle).collect(),
            tile: self.tile.clone(),
            extents: self.extents.clone(),
        }
    }

    /// Returns whether every cell that is not left out is one element.
    pub(super) fn is_of_elements(&self) -> bool {
        let mut all = self.sides.iter().zip(&self.left_out).flat_map(|(side, left_out)| {
            side.iter().filter(move |range| Some(*range) != left_out.as_ref())
        });
        all.all(|range| length(range) == 1)
    }

    /// Returns whether a cell is all that is left out of its row or column.
    pub(super) fn leaves_out(&self, indexes: &[Range<u64>]) -> bool {
        let sides = indexes.iter().skip(self.lead.len()).zip(&self.left_out);
        sides.into_iter().any(|(range, left_out)| Some(range) == left_out.as_ref())
    }

    /// A tick per row or column: its first index, in parentheses if all of it is padding.
    pub(super) fn ticks(&self, side: usize) -> Vec<String> {
        let extent = self.extent(side);
        let left_out = (side + self.sides.len()).checked_sub(2);
        let left_out = left_out.and_then(|at| self.left_out.get(at)?.clone());
        let tick = |range: &Range<u64>| match range {
            range if Some(range) == left_out.as_ref() => LEFT_OUT.into(),
            range if range.start < extent => range.start.to_string(),
            range => format!("({})", range.start),
        };
        self.side(side).map_or(vec![String::new()], |ranges| ranges.iter().map(tick).collect())
    }

    /// The extent of the axis of the rows (0) or the columns (1).
    fn extent(&self, side: usize) -> u64 {
        let back = 2 - side;
        self.extents.len().checked_sub(back).map_or(1, |axis| self.extents[axis])
    }

    /// `i0 = 3, 12 slots for 10 rows i1, columns i2 0 to 7, a cell is 4 x 2`
    pub(super) fn caption(&self) -> String {
        let leading = self.lead.iter().enumerate().map(|(axis, at)| format!("i{axis} = {at}"));
        let names = ["rows", "columns"].into_iter().skip(2 - self.sides.len());
        let sides = self.sides.iter().zip(names).enumerate().filter_map(|(at, (side, name))| {
            let axis = self.lead.len() + at;
            let shown = side.first()?.start..side.last()?.end;
            Some(described(&shown, self.extents[axis], &format!("{name} i{axis}")))
        });
        let mut all: Vec<String> = leading.chain(sides).collect();
        if self.sides.iter().any(Vec::is_empty) {
            all.push("no slots".into());
        }
        if all.is_empty() {
            all.push("one element".into());
        }
        if let Some(tile) = self.tile.as_ref().filter(|_| !self.is_of_elements()) {
            let shown = |side: &Vec<Range<u64>>| {
                side.first().zip(side.last()).map_or(0, |(first, last)| last.end - first.start)
            };
            let sides = self.sides.iter().zip(tile);
            let counts = sides.map(|(side, edge)| shown(side).div_ceil((*edge).max(1)));
            all.push(format!(
                "{} tiles of {}",
                counts.map(grouped).join(" x "),
                tile.iter().join(" x ")
            ));
        } else if !self.is_of_elements() {
            let longest = |side: &Vec<Range<u64>>| side.iter().map(length).max().unwrap_or(1);
            let size: Vec<String> = self.sides.iter().map(|s| longest(s).to_string()).collect();
            all.push(format!("a cell is {}", size.join(" x ")));
        }
        all.join(", ")
    }
}

/// A range of an axis in words, with its padding: `12 slots for 10 rows i0`.
fn described(shown: &Range<u64>, extent: u64, name: &str) -> String {
    let Range { start, end } = *shown;
    match () {
        () if end <= extent => format!("{name} {start} to {}", end - 1),
        () if start >= extent => format!("{name} {start} to {}, all padding", end - 1),
        () if start == 0 => format!("{} slots for {} {name}", grouped(end), grouped(extent)),
        () => {
            let slots = if end - extent == 1 { "slot" } else { "slots" };
            let padding = grouped(end - extent);
            format!("{name} {start} to {} and {padding} {slots} of padding", extent - 1)
        }
    }
}
