//! Elements that are moved together.
//!
//! ```text
//! ((16_L2B, 64:64), (64:1))  ->  ((64:64, 16_L2B), (64:1))      rows of 64, place by place
//! ((4_PE, 3:8), (8:1))       ->  ((12:2), (4_PE, 2:1))          pairs
//! ```

use num_integer::Integer;

use crate::algebra::{Destination, Indexes, Layout};
use crate::level::Level;
use crate::relayout::pair::{Distance, Relayout};

/// Consecutive elements along an axis, between the same units and evenly spaced in both memories.
///
/// Law: all elements of a stretch have the same distance as its first one, unless they
/// [`may_part`](EvenStretch::may_part).
pub(crate) struct EvenStretch {
    /// The last axis of several elements, if any.
    axis: Option<usize>,
    extent: u64,
    length: u64,
    /// The steps of both sides, by the numbers of places.
    pub(crate) steps: [i64; 2],
    /// Set when both sides have the same step in the same level.
    one_step: bool,
}

impl EvenStretch {
    /// One element.
    fn single(layout: &Layout) -> EvenStretch {
        let axis = layout.axes().iter().rposition(|axis| axis.extent > 1);
        let extent = axis.map_or(1, |axis| layout.axes()[axis].extent);
        EvenStretch { axis, extent, length: 1, steps: [1, 1], one_step: true }
    }

    /// Stretches as long as the minor digits of both sides allow.
    pub(crate) fn of(relayout: &Relayout) -> EvenStretch {
        let single = EvenStretch::single(&relayout.source);
        let side = |layout: &Layout| {
            let digits = layout.digits();
            let minor = digits.of(single.axis?).iter().rfind(|digit| digit.size > 1).copied()?;
            let Destination::Level(level) = minor.to else { return None };
            let lanes = if level == Level::ADDR { relayout.lanes() } else { 1 };
            let step = i64::try_from(minor.stride.checked_mul(lanes)?).ok()?;
            level.is_in_unit().then_some((minor.size, (level, minor.stride), step))
        };
        let Some((source, target)) = side(&relayout.source).zip(side(&relayout.target)) else {
            return single;
        };
        let length = source.0.gcd(&target.0);
        EvenStretch {
            length,
            steps: [source.2, target.2],
            one_step: source.1 == target.1,
            ..single
        }
    }

    /// Returns whether elements of a stretch may be at different distances: of those that stay in their unit,
    /// some may keep their address.
    pub(crate) fn may_part(&self, distance: Distance) -> bool {
        self.length > 1 && distance == Distance::Address && !self.one_step
    }

    /// Iterates over the stretches: over indexes in which the number of the stretch replaces the entry of its
    /// axis.
    pub(crate) fn starts(&self, mut shape: Vec<u64>) -> Indexes {
        if let Some(axis) = self.axis {
            shape[axis] = self.extent.div_ceil(self.length);
        }
        Indexes::new(shape)
    }

    /// Turns the index of a stretch into that of its first element; returns the number of its elements.
    pub(crate) fn begin_at(&self, index: &mut [u64]) -> u64 {
        let Some(axis) = self.axis else { return 1 };
        index[axis] *= self.length;
        self.length.min(self.extent - index[axis])
    }

    /// Advances the index of an element to the next element of its stretch.
    pub(crate) fn next_in(&self, index: &mut [u64]) {
        if let Some(axis) = self.axis {
            index[axis] += 1;
        }
    }
}
