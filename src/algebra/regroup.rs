//! Composition where digits divide: the digits of the layout are regrouped, without derived axes.
//!
//! ```text
//! ((16_L2B, 8_L1B, 8:8))    1024 values, read as 256 x 4    ((16_L2B, 8_L1B, 2:32), (4:8))
//! ```
//!
//! Most compositions and reshapes in planners are of this kind. The general method takes ten times as many
//! instructions.

use std::ops::Range;

use smallvec::SmallVec;

use crate::algebra::builder::LayoutBuilder;
use crate::algebra::layout::{Axis, Layout, Subaxis, Target};
use crate::algebra::radix::IndexOrder;
use crate::algebra::simplify::quotient;
use crate::algebra::strided::NodeDigit;

/// A digit of a map, as a digit of the axis that it reads; true if it is the only one of its axis in the map.
type ReadDigit = (NodeDigit<()>, bool);

impl Layout {
    /// Composes with a map whose digits cover every axis exactly once, whole or evenly cut; `None` for any
    /// other map. `order` is given if the map gives the linear index.
    ///
    /// Law: the general method, which simplifies derived axes, produces the same layout.
    pub(super) fn regrouped(&self, map: &Layout, order: Option<IndexOrder>) -> Option<Layout> {
        let is_plain = |layout: &Layout| layout.derived.is_empty() && layout.elements() > 0;
        if !is_plain(self) || !is_plain(map) || !map.offsets.is_empty() {
            return None;
        }
        let joined;
        let read = match order {
            None => &self.axes[..],
            Some(order) => {
                joined = [self.joined(order)?];
                &joined
            }
        };
        let parts = parts(map, order.is_some())?;
        if !are_used_once(read, &parts) {
            return None;
        }
        let mut parts = parts.iter();
        let mut axis = |axis: &Axis| {
            let mut subaxes = Vec::with_capacity(axis.subaxes.len() + 1);
            for part in parts.by_ref().take(axis.subaxes.len()) {
                read[part.0.node].take(part, &mut subaxes)?;
            }
            Some(Axis { extent: axis.extent, subaxes })
        };
        let axes = map.axes.iter().map(&mut axis).collect::<Option<_>>()?;
        Some(self.with_plain_axes(axes))
    }

    /// Reshapes if the digits of every run of axes divide, else returns `None`; `runs` pairs axes of `self`
    /// with the axes of `shape` that have as many elements.
    ///
    /// Law: composing with the index map of the reshape produces the same layout.
    pub(super) fn regrouped_to(
        &self,
        shape: &[u64],
        runs: impl Iterator<Item = (Range<usize>, Range<usize>)>,
    ) -> Option<Layout> {
        if !self.derived.is_empty() || self.elements() == 0 {
            return None;
        }
        let mut axes = Vec::with_capacity(shape.len());
        for (from, to) in runs {
            match (&self.axes[from], &shape[to]) {
                ([axis], [_]) => axes.push(axis.clone()),
                ([], new) => axes.extend(new.iter().map(|_| Axis::unpadded(Vec::new()))),
                (old, new) => regroup(old, new, &mut axes)?,
            }
        }
        Some(self.with_plain_axes(axes))
    }

    /// Replaces the axes by others with digits of `self`, which need no new checks.
    pub(super) fn with_plain_axes(&self, axes: Vec<Axis>) -> Layout {
        let LayoutBuilder { derived, replicas, offsets, used, spans, .. } = self.without_axes();
        Layout { axes, derived, replicas, offsets, used, spans }
    }

    /// Joins all axes into one, whose value is the linear index; `None` if one of several axes is padded.
    pub(super) fn joined(&self, order: IndexOrder) -> Option<Axis> {
        let axes = || order.slowest_first(self.rank()).into_iter().map(|axis| &self.axes[axis]);
        let joins = self.rank() == 1 || axes().all(|axis| axis.extent == axis.slots());
        let subaxes = || axes().flat_map(|axis| &axis.subaxes).copied().collect();
        joins.then(|| Axis { extent: self.elements(), subaxes: subaxes() })
    }
}

/// Returns the digit that each digit of a map reads; `None` if one has stride 0 or feeds a derived axis.
fn parts(map: &Layout, linear: bool) -> Option<Vec<ReadDigit>> {
    let mut parts = Vec::with_capacity(2 * map.rank());
    for axis in &map.axes {
        for digit in &axis.subaxes {
            let Target::Land { level, stride: place @ 1.. } = digit.target else { return None };
            let read = if linear { 0 } else { level.axis_number()? };
            let digit = NodeDigit::of_value(read, place, digit.size);
            parts.push((digit, axis.subaxes.len() == 1));
        }
    }
    Some(parts)
}

/// Returns whether the digit is a whole axis, which then keeps its padding and its digits of size 1.
fn is_whole(&(NodeDigit { digit, .. }, alone): &ReadDigit, axis: &Axis) -> bool {
    alone && digit.weight == 1 && digit.size == axis.extent
}

/// Returns whether the parts cover every axis exactly once.
fn are_used_once(axes: &[Axis], parts: &[ReadDigit]) -> bool {
    let mut sorted: SmallVec<[ReadDigit; 8]> = parts.into();
    sorted.sort_unstable_by_key(|(part, _)| (part.node, part.digit.weight));
    let mut left = &sorted[..];
    axes.iter().enumerate().all(|(number, axis)| {
        let own = left.iter().take_while(|(part, _)| part.node == number).count();
        let (own, others) = left.split_at(own);
        left = others;
        axis.is_used_once(own)
    })
}

/// Splits the digits of `old` into axes of the extents `new`; `None` if digits do not divide, or `old`
/// has padding or digits of size 1.
fn regroup(old: &[Axis], new: &[u64], axes: &mut Vec<Axis>) -> Option<()> {
    if !old.iter().all(Axis::is_exact) {
        return None;
    }
    let digits: SmallVec<[Subaxis; 8]> = old.iter().flat_map(|a| &a.subaxes).copied().collect();
    let mut place = new.iter().product::<u64>();
    for extent in new {
        place /= extent;
        let mut subaxes = Vec::with_capacity(digits.len());
        take(&digits, place, *extent, &mut subaxes)?;
        axes.push(Axis { extent: *extent, subaxes });
    }
    Some(())
}

impl Axis {
    /// Returns whether the axis has neither padding nor digits of size 1.
    fn is_exact(&self) -> bool {
        self.slots() == self.extent && self.subaxes.iter().all(|digit| digit.size > 1)
    }

    /// Returns whether `parts`, minor to major, cover the value exactly once: one part that is all of it, or
    /// parts that each begin where the one before ends.
    fn is_used_once(&self, parts: &[ReadDigit]) -> bool {
        if let [part] = parts
            && is_whole(part, self)
        {
            return true;
        }
        let end =
            |at: u64, (part, _): &ReadDigit| match part.digit.weight == at && part.digit.size > 1 {
                true => at.checked_mul(part.digit.size),
                false => None,
            };
        self.is_exact() && parts.iter().try_fold(1, end) == Some(self.extent)
    }

    fn take(&self, part: &ReadDigit, taken: &mut Vec<Subaxis>) -> Option<()> {
        if is_whole(part, self) {
            taken.extend_from_slice(&self.subaxes);
            return Some(());
        }
        take(&self.subaxes, part.0.digit.weight, part.0.digit.size, taken)
    }
}

/// Takes the digits that write `value / place % size`, in pieces where they have more values; `None`
/// where they do not divide.
fn take(digits: &[Subaxis], place: u64, size: u64, taken: &mut Vec<Subaxis>) -> Option<()> {
    let (from, mut skip, mut left) = (taken.len(), place, size);
    for digit in digits.iter().rev() {
        if left == 1 {
            break;
        } else if skip.is_multiple_of(digit.size) {
            skip /= digit.size;
            continue;
        } else if !digit.size.is_multiple_of(skip) {
            return None;
        }
        let rest = quotient(*digit, skip);
        let size = rest.size.min(left);
        if !rest.size.is_multiple_of(size) || !left.is_multiple_of(size) {
            return None;
        }
        taken.push(Subaxis { size, ..rest });
        (skip, left) = (1, left / size);
    }
    taken[from..].reverse();
    (left == 1).then_some(())
}

#[cfg(test)]
mod tests {
    use itertools::Itertools;

    use super::*;
    use crate::level::Level;

    /// Maps that cut both axes of a shape in two and put the four digits in every order.
    fn maps([a, b]: [u64; 2], (s, t): (u64, u64), linear: bool) -> impl Iterator<Item = Layout> {
        let digit = |size, axis, place| match linear {
            true => Subaxis::land(size, Level::ADDR, if axis == 0 { place * b } else { place }),
            false => Subaxis::land(size, Level::axis(axis), place),
        };
        let digits = [digit(a / s, 0, s), digit(s, 0, 1), digit(b / t, 1, t), digit(t, 1, 1)];
        digits.into_iter().permutations(4).cartesian_product(1..=4).map(|(digits, first)| {
            let groups = [&digits[..first], &digits[first..]];
            let slots = |digits: &[Subaxis]| digits.iter().map(|digit| digit.size).product();
            let axis = |map: crate::algebra::LayoutBuilder, digits: &[Subaxis]| {
                map.axis(slots(digits), digits.to_vec())
            };
            groups.into_iter().fold(Layout::builder(), axis).build().unwrap()
        })
    }

    #[test]
    fn digits_that_divide_are_regrouped_as_the_general_way_writes_them() {
        let mut regrouped = 0;
        for (text, shape) in [
            ("((4_PE, 6:1), (3_MAB, 2:6))", [24, 6]),
            ("((2_PE, 12:1), (6:12, 2_MAB))", [24, 12]),
            ("((3_PE:4, 2_PE:2, 4:1, 2_PE:1), (12:4))", [48, 12]),
            ("((24:1), (1_PE, 6:24))", [24, 6]),
            ("(20,6)/((4_PE, 6:1), (6:24))", [20, 6]),
            ("((4_PE, 2:1), (4:2); B@[3_MAB:1])", [8, 4]),
        ] {
            let layout: Layout = text.parse().unwrap();
            let divisors = |n: u64| (1..=n).filter(move |s| n.is_multiple_of(*s));
            let cuts = divisors(shape[0]).cartesian_product(divisors(shape[1]));
            for ((cuts, linear), order) in cuts
                .cartesian_product([false, true])
                .cartesian_product([IndexOrder::RowMajor, IndexOrder::Colexicographic])
            {
                for map in maps(shape, cuts, linear) {
                    let general = layout.compose_derived(order, &map, linear);
                    let Some(fast) = layout.regrouped(&map, linear.then_some(order)) else {
                        continue;
                    };
                    assert_eq!(fast, general.unwrap(), "{text} after {map:?}");
                    regrouped += 1;
                }
            }
        }
        assert!(regrouped > 5000, "{regrouped}");
    }
}
