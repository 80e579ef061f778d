//! The values that derived axes are fed: the greatest value of every axis, and invariant 3; sums and combinations of
//! digits over the values of an axis.

use smallvec::{SmallVec, smallvec};

use crate::algebra::layout::{Axis, Combine, Layout, Subaxis, Target};
use crate::algebra::radix::{Indexes, product};
use crate::error::{LayoutError, fault};

/// The greatest number of indexes that are enumerated where the bound does not decide.
const MOST_INDEXES: u64 = 1 << 20;

impl Layout {
    /// Returns the greatest value of every axis, in the order of [`nodes`](Layout::nodes), over all indexes; for an axis
    /// that derived ones feed, a bound below its extent. Without elements, the values are at the origin.
    ///
    /// Law: no index gives an axis a greater value.
    ///
    /// ```
    /// use tensor_layout::Layout;
    /// let tiled: Layout = tensor_layout::LayoutText::parse("f32[10]{0:T(4)}")?.lower()?;
    /// assert_eq!(tiled.greatest_values(), [9]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn greatest_values(&self) -> Vec<u64> {
        let mut greatest = self.first_bounds();
        for (node, axis) in self.nodes().enumerate() {
            greatest[node] = greatest[node].min(axis.extent.saturating_sub(1));
            self.feed_bounds(node, axis, &mut greatest);
        }
        greatest
    }

    /// Returns the greatest values before anything is fed.
    fn first_bounds(&self) -> Vec<u64> {
        let axes = self.axes.iter().map(|axis| axis.extent.saturating_sub(1));
        axes.chain(self.derived.iter().map(|derived| derived.start)).collect()
    }

    fn feed_bounds(&self, node: usize, axis: &Axis, greatest: &mut [u64]) {
        let greatest_value = greatest[node];
        for (derived, most) in axis.greatest_feeds(greatest_value) {
            let fed = &mut greatest[self.rank() + derived];
            match self.derived[derived].combine {
                Combine::Sum => *fed = fed.saturating_add(most),
                Combine::Xor => *fed |= axis.flips(greatest_value, derived),
            }
        }
    }

    /// Checks invariant 3: by the bound, which is exact where only tensor axes feed; otherwise by
    /// enumerating the indexes of the axes that matter.
    pub(crate) fn check_fed(&self) -> Result<(), LayoutError> {
        // Without elements no index is real, so that nothing is fed.
        if self.derived.is_empty() || self.axes.iter().any(|axis| axis.extent == 0) {
            return Ok(());
        }
        let mut greatest = self.first_bounds();
        for (node, axis) in self.nodes().enumerate() {
            let fed = node.checked_sub(self.rank()).filter(|_| greatest[node] >= axis.extent);
            if let Some(derived) = fed {
                self.check_each(derived, greatest[node])?;
                greatest[node] = axis.extent - 1;
            }
            self.feed_bounds(node, axis, &mut greatest);
        }
        Ok(())
    }

    /// Checks a derived axis whose `bound` is not below its extent, by enumeration if derived axes feed it.
    fn check_each(&self, derived: usize, bound: u64) -> Result<(), LayoutError> {
        let extent = self.derived[derived].axis.extent;
        let direct = self
            .derived
            .iter()
            .all(|other| other.axis.subaxes.iter().all(|subaxis| subaxis.feeds() != Some(derived)));
        let reach = if direct { bound } else { self.greatest_fed(derived)? };
        if reach < extent {
            return Ok(());
        }
        Err(fault!(
            OutsideDomain,
            "derived axis {derived} has extent {extent}, but is fed values up to {reach}",
            [derived, extent, reach]
        ))
    }

    /// Returns the greatest value of a derived axis over all indexes, by enumeration.
    fn greatest_fed(&self, derived: usize) -> Result<u64, LayoutError> {
        let sources = &self.axes_per_derived()[derived];
        let matters = |axis: usize| sources.contains(&axis);
        let extent = |(at, axis): (usize, &Axis)| if matters(at) { axis.extent } else { 1 };
        let extents: Vec<u64> = self.axes.iter().enumerate().map(extent).collect();
        let question = "checking that the value of a derived axis stays below its extent";
        let not_decided = || LayoutError::not_decided(question, MOST_INDEXES);
        product(extents.iter().copied()).filter(|n| *n <= MOST_INDEXES).ok_or_else(not_decided)?;
        let fed = Indexes::new(extents).map(|index| self.fed(&index, |_, _| {})[derived]);
        Ok(fed.max().unwrap_or(0))
    }
}

impl Axis {
    /// Returns, for every derived axis that this one feeds, the greatest sum that it adds while its own
    /// value is at most `greatest`.
    ///
    /// The values up to `greatest` are a union of boxes: the digits of `greatest` up to some
    /// place, a smaller digit there, and anything after it.
    fn greatest_feeds(&self, greatest: u64) -> SmallVec<[(usize, u64); 4]> {
        let mut fed: SmallVec<[usize; 4]> =
            self.subaxes.iter().filter_map(Subaxis::feeds).collect();
        if fed.is_empty() {
            return SmallVec::new();
        }
        fed.sort_unstable();
        fed.dedup();
        let tops = self.digits_of(greatest);
        let weight = |s: &Subaxis, derived: usize| match s.target {
            Target::Feed { derived: to, weight } if to == derived => weight,
            _ => 0,
        };
        let most = |derived| {
            let digits = self.subaxes.iter().zip(&tops);
            greatest_sum(digits.map(|(s, top)| (s.size, *top, weight(s, derived))))
        };
        fed.into_iter().map(|derived| (derived, most(derived))).collect()
    }

    fn digits_of(&self, value: u64) -> SmallVec<[u64; 8]> {
        let mut digits = smallvec![0; self.subaxes.len()];
        self.digits(value, &mut digits);
        digits
    }

    /// The greatest sum of steps over the values below the extent.
    pub(crate) fn greatest_step(&self, step: impl Fn(&Subaxis) -> u64) -> u64 {
        let tops = self.digits_of(self.extent.saturating_sub(1));
        greatest_sum(self.subaxes.iter().zip(tops).map(|(s, top)| (s.size, top, step(s))))
    }

    /// The number of values below the extent that have the fixed digits, major to minor; `None` is any digit.
    pub(crate) fn count_with(&self, fixed: impl DoubleEndedIterator<Item = Option<u64>>) -> u64 {
        let Some(last) = self.extent.checked_sub(1) else { return 0 };
        // Minor to major, the number of choices so far: of any values, and of those up to the last value.
        let (mut free, mut bound) = (1, 1);
        let digits = self.subaxes.iter().zip(self.digits_of(last)).rev();
        for ((subaxis, top), fixed) in digits.zip(fixed.rev()) {
            (free, bound) = match fixed {
                Some(digit) if digit < top => (free, free),
                Some(digit) if digit > top => (free, 0),
                Some(_) => (free, bound),
                None => (free * subaxis.size, free * top + bound),
            };
        }
        bound
    }

    /// The number of combinations of the digits that count, over the values below the extent: each occurs with
    /// the other digits at 0. They are the first of all possible combinations.
    pub(crate) fn combinations(&self, counts: impl Fn(&Subaxis) -> bool) -> u64 {
        self.count_with(self.subaxes.iter().map(|subaxis| (!counts(subaxis)).then_some(0)))
    }

    /// Returns the bits of an XOR that this axis may flip while its value is at most `greatest`.
    fn flips(&self, greatest: u64, derived: usize) -> u64 {
        let digits = self.subaxes.iter().zip(self.reaches(greatest));
        let flips = digits.map(|(subaxis, top)| match subaxis.target {
            Target::Feed { derived: to, weight } if to == derived => {
                let bits = 0..u64::BITS - top.leading_zeros();
                bits.fold(0, |mask, bit| mask | weight << bit)
            }
            _ => 0,
        });
        flips.fold(0, |mask, flips| mask | flips)
    }
}

/// Returns the greatest sum of digit x weight over the values up to the one with the digits `tops`:
/// (size, top, weight), major to minor.
pub(super) fn greatest_sum(digits: impl DoubleEndedIterator<Item = (u64, u64, u64)>) -> u64 {
    // Minor to major, the greatest sums so far: of any values, and of those up to the tops.
    let (mut free, mut bound) = (0_u64, 0_u64);
    for (size, top, weight) in digits.rev() {
        let below = if top > 0 { free.saturating_add((top - 1).saturating_mul(weight)) } else { 0 };
        bound = bound.saturating_add(top.saturating_mul(weight)).max(below);
        free = free.saturating_add((size - 1).saturating_mul(weight));
    }
    bound
}
