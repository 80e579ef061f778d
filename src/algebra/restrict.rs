//! The part of a layout in one unit, and the coordinates of one level.

use std::ops::ControlFlow;

use crate::algebra::digits::{Destination, Digit, Digits};
use crate::algebra::edit::axes::index_map;
use crate::algebra::layout::{Axis, Layout, Subaxis};
use crate::algebra::solve::Budget;
use crate::error::{LayoutError, fault};
use crate::level::Level;
use crate::location::Location;

/// The part of a layout in one unit, time slice or subtree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restricted {
    /// The layout of the part: one axis for each axis of the whole, indexed from 0, in the levels that are
    /// not fixed.
    pub layout: Layout,
    /// The map from the index in the part to that in the whole, in the levels `i0`, `i1`, ..
    pub indexes: Layout,
}

impl Layout {
    /// Keeps the elements with the given coordinates, for example those of one unit, one time slice or a
    /// subtree.
    ///
    /// Law: `whole.locate(indexes(j))` has the given coordinates, and `layout.locate(j)` the
    /// others, for every index j of the part; no other element is there.
    /// Cost: O(subaxes) where strides nest.
    ///
    /// # Errors
    /// `CannotRestrict` where the elements there do not form a box of digits: several combinations of digits
    /// make up the coordinate, or a digit belongs to a derived axis; `NotDecided` past the budget.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let layout: Layout = "(10,7)/((3:7, 4_PE), (7:1))".parse()?;
    /// let third = layout.restrict(&"PE=3".parse()?)?;
    /// assert_eq!(third.layout, "(2,7)/((3:7), (7:1))".parse()?); // rows 3 and 7
    /// assert_eq!(third.indexes.locate(&[1, 5])?.to_string(), "i0=7,i1=5,Addr=0");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn restrict(&self, at: &Location) -> Result<Restricted, LayoutError> {
        let whole = self.simplified();
        let fixed = whole.fixed_digits(at)?;
        let stays = |level: Level| at.get(level).is_none();
        let mut layout = whole.only(stays).to_builder();
        layout.axes.clear();
        // The part ends where the whole does.
        for level in whole.used.iter().copied().filter(|level| stays(*level)) {
            layout = layout.span(level, whole.span(level));
        }
        let mut indexes = index_map(whole.rank());
        for (number, (axis, fixed)) in whole.axes.iter().zip(fixed).enumerate() {
            let extent = axis.count_with(fixed.iter().copied());
            let (kept, counted, offset) = without_fixed(axis, &fixed, number);
            layout = layout.axis(extent, kept);
            indexes = indexes.axis(extent, counted).offset(Level::axis(number), offset);
        }
        Ok(Restricted { layout: layout.build()?, indexes: indexes.build()? })
    }

    /// Keeps the coordinates in one level; all other digits get stride 0.
    ///
    /// Law: `project(level).locate(i)` has the coordinate of `locate(i)` in `level`, and `Addr`.
    #[must_use]
    pub fn project(&self, level: Level) -> Layout {
        let mut projected = self.only(|of| of == level);
        projected.use_level(level);
        projected
    }

    /// Gives stride 0 to everything that lands in other levels, and drops their copies, offsets and spans.
    pub(crate) fn only(&self, keep: impl Fn(Level) -> bool) -> Layout {
        let mut only = self.clone();
        for subaxis in only.subaxes_mut() {
            if subaxis.lands().is_some_and(|level| !keep(level)) {
                *subaxis = Subaxis::land(subaxis.size, Level::ADDR, 0);
            }
        }
        only.replicas.retain(|replica| keep(replica.level));
        only.offsets.retain(|(of, _)| keep(*of));
        only.spans.retain(|(of, _)| keep(*of));
        only.used.retain(|of| keep(*of) || *of == Level::ADDR);
        only
    }

    /// Returns, per axis and subaxis, the digit that the coordinates require; `None` where it is free.
    fn fixed_digits(&self, at: &Location) -> Result<Vec<Vec<Option<u64>>>, LayoutError> {
        let mut fixed: Vec<Vec<Option<u64>>> =
            self.axes.iter().map(|axis| vec![None; axis.subaxes.len()]).collect();
        let digits = self.digits();
        for (level, coordinate) in at.iter().filter(|(level, _)| self.used.contains(level)) {
            let derived =
                |(_, digit): (usize, &Digit)| digit.axis.is_some_and(|a| a >= self.rank());
            if digits.in_level(level).any(derived) {
                return Err(fault!(
                    CannotRestrict,
                    "cannot restrict the layout: a digit of `{level}` belongs to a derived axis",
                    [level]
                ));
            }
            let values = self.solved(level, coordinate, &digits)?;
            for (number, digit) in digits.in_level(level) {
                if let Some(axis) = digit.axis {
                    fixed[axis][number - digits.numbers_of(axis).start] = Some(values[number]);
                }
            }
        }
        Ok(fixed)
    }

    /// Returns the only digits that give a coordinate, by their numbers.
    fn solved(&self, level: Level, coordinate: u64, all: &Digits) -> Result<Vec<u64>, LayoutError> {
        let unreached = || {
            Err(fault!(
                OutOfRange,
                "cannot restrict the layout: no element has `{level}` = {coordinate}",
                [level, coordinate]
            ))
        };
        let mut digits = vec![0; all.len()];
        let Some(target) = coordinate.checked_sub(self.offset(level)) else { return unreached() };
        let sum = all.sum(Destination::Level(level));
        let mut budget = Budget::new("finding the digits that give a coordinate");
        let mut solutions: Vec<Vec<u64>> = Vec::new();
        let _ = sum.solve(target, &mut digits, &mut budget, &mut |digits, _| {
            solutions.push(digits.to_vec());
            let enough = solutions.len() > 1;
            Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        match (solutions.pop(), solutions.is_empty()) {
            (Some(solution), true) => Ok(solution),
            (None, _) => unreached(),
            _ => Err(fault!(
                CannotRestrict,
                "cannot restrict the layout: `{level}` = {coordinate} is reached in more \
                 than one way",
                [level, coordinate]
            )),
        }
    }
}

/// The digits of an axis that are not fixed, the digits that count its values by them, and the value of the fixed
/// ones. The others count the values in order, so that the real ones come first.
fn without_fixed(
    axis: &Axis,
    fixed: &[Option<u64>],
    number: usize,
) -> (Vec<Subaxis>, Vec<Subaxis>, u64) {
    let (mut kept, mut counted, mut offset, mut weight) = (Vec::new(), Vec::new(), 0, 1);
    for (subaxis, fixed) in axis.subaxes.iter().zip(fixed).rev() {
        match fixed {
            Some(digit) => offset += digit * weight,
            None => {
                kept.push(*subaxis);
                counted.push(Subaxis::land(subaxis.size, Level::axis(number), weight));
            }
        }
        weight *= subaxis.size;
    }
    kept.reverse();
    counted.reverse();
    (kept, counted, offset)
}
