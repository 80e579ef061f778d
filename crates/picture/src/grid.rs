//! The part of a tensor that a panel shows: ranges of the last two axes at one index of the others.

use std::ops::Range;

use super::cut::length;

/// Rows and columns of ranges.
pub(super) struct Grid {
    /// The index in the leading axes.
    pub(super) lead: Vec<u64>,
    /// The ranges of the last axes, at most two.
    pub(super) sides: Vec<Vec<Range<u64>>>,
    /// True if the middle of a side is one range.
    pub(super) is_elided: bool,
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

    pub(super) fn is_of_elements(&self) -> bool {
        self.sides.iter().flatten().all(|range| length(range) == 1)
    }

    /// A tick per row or column: its first index, and of ranges in an elided side the last too.
    pub(super) fn ticks(&self, side: usize) -> Vec<String> {
        let tick = |range: &Range<u64>| match self.is_elided && length(range) > 1 {
            true => format!("{}..{}", range.start, range.end - 1),
            false => range.start.to_string(),
        };
        self.side(side).map_or(vec![String::new()], |ranges| ranges.iter().map(tick).collect())
    }

    /// `i0 = 3, rows i1 0 to 11, columns i2 0 to 7, a cell is 4 x 2`
    pub(super) fn caption(&self) -> String {
        let leading = self.lead.iter().enumerate().map(|(axis, at)| format!("i{axis} = {at}"));
        let names = ["rows", "columns"].into_iter().skip(2 - self.sides.len());
        let sides = self.sides.iter().zip(names).enumerate().filter_map(|(at, (side, name))| {
            let (first, last) = (side.first()?.start, side.last()?.end - 1);
            Some(format!("{name} i{} {first} to {last}", self.lead.len() + at))
        });
        let mut all: Vec<String> = leading.chain(sides).collect();
        if all.is_empty() {
            all.push("one element".into());
        }
        if !self.is_of_elements() && !self.is_elided {
            let longest = |side: &Vec<Range<u64>>| side.iter().map(length).max().unwrap_or(1);
            let size: Vec<String> = self.sides.iter().map(|s| longest(s).to_string()).collect();
            all.push(format!("a cell is {}", size.join(" x ")));
        }
        all.join(", ")
    }
}
