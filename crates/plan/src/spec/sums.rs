//! The result of a product before its sums are added up.
//!
//! ```text
//! k over 4_L1B:1      C ((8_L1B:1, 16:1))      each of four L1Bs keeps a quarter of the sums
//!                  from ((2_L1B:4, 64:1))      all four have a part of all of them
//! ```

use std::ops::Range;

use itertools::Itertools;
use tensor_layout::algebra::{Axis, Subaxis, Target};
use tensor_layout::{Layout, LayoutError, Level};

/// The units that the parts of a sum are in: levels, with the first and the end of the strides that a digit has there.
pub(super) struct SumRuns(Vec<(Level, Range<u64>)>);

/// The units that a digit chooses from; `None` if it has no more than one value, or is an address.
fn run(digit: &Subaxis) -> Option<(Level, Range<u64>)> {
    match digit.target {
        Target::Land { level, stride } if level.is_unit() && digit.size > 1 => {
            Some((level, stride..stride.saturating_mul(digit.size)))
        }
        _ => None,
    }
}

impl SumRuns {
    /// Of the axis that is summed over.
    pub(super) fn of(sum: &Axis) -> SumRuns {
        SumRuns(sum.subaxes.iter().filter_map(run).collect())
    }

    /// A result without the digits and copies that only adding up gave it: every unit has its part of all of these sums.
    pub(super) fn before(&self, result: &Layout) -> Result<Layout, LayoutError> {
        let mut before = Layout::builder();
        for level in result.used_levels() {
            before = before.used(*level).offset(*level, result.offset(*level));
        }
        for axis in result.axes() {
            let digits = axis.subaxes.iter().flat_map(|digit| self.cut(*digit));
            let of_part = |digit: Subaxis| match self.meets(&digit) {
                true => Subaxis::land(digit.size, Level::ADDR, 1),
                false => digit,
            };
            before = before.axis(axis.extent, digits.map(of_part));
        }
        for copies in result.replicas() {
            let digits = self.cut(Subaxis::land(copies.size, copies.level, copies.stride));
            let kept = digits.into_iter().filter(|digit| !self.meets(digit));
            before = kept
                .filter_map(|digit| Some((digit.size, run(&digit)?)))
                .fold(before, |before, (size, (level, strides))| {
                    before.replica(size, level, strides.start)
                });
        }
        before.build()
    }

    /// Returns whether a digit chooses from units that have parts of one sum.
    fn meets(&self, digit: &Subaxis) -> bool {
        let Some((level, own)) = run(digit) else { return false };
        self.0.iter().any(|(of, run)| *of == level && own.start < run.end && run.start < own.end)
    }

    /// A digit as several, major to minor, where the parts of a sum are in some of its units.
    fn cut(&self, digit: Subaxis) -> Vec<Subaxis> {
        let Some((level, own)) = run(&digit) else { return vec![digit] };
        let of_level = self.0.iter().filter(|(of, _)| *of == level);
        let inside = of_level.flat_map(|(_, run)| [run.start, run.end]);
        let inside = inside.filter(|at| own.contains(at)).chain([own.start, own.end]);
        // Major to minor, as digits are.
        let cuts = inside.sorted_unstable().rev().dedup().tuple_windows();
        let parts = cuts.map(|(major, minor)| {
            let size = major.is_multiple_of(minor).then_some(major / minor)?;
            Some(Subaxis::land(size, level, minor))
        });
        parts.collect::<Option<_>>().unwrap_or_else(|| vec![digit])
    }
}
