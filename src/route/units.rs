//! The units of a machine as digits: the coordinate of a level, cut where groups of its units have a memory.
//!
//! ```text
//! mn-core-2     L2B = 2 x group + unit     digits (L2B, step 2, 4 of them), (L2B, step 1, 2 of them)
//!               DRAM and PDM hang at the first, L2BM at the second
//! ```

use std::cmp::Reverse;

use itertools::Itertools;

use crate::level::Level;
use crate::machine::{Machine, Memory};

/// A digit of the coordinate in a level of units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnitDigit {
    pub(super) level: Level,
    /// The number that one step adds to the coordinate.
    pub(super) step: u64,
    /// The number of values it has.
    pub(super) size: u64,
}

/// The digits of all levels, from the root down; `cuts` are further steps to cut at.
pub(super) fn unit_digits(machine: &Machine, cuts: &[(Level, u64)]) -> Vec<UnitDigit> {
    let digits = |(level, size): (Level, u64)| {
        let groups = machine.memories().filter(|(_, memory)| memory.owner == level);
        let groups = groups.map(|(_, memory)| memory.group);
        let cuts = cuts.iter().filter(|(of, _)| *of == level).map(|(_, step)| *step);
        let steps = groups.chain(cuts).chain([1]).filter(|step| *step > 0);
        let steps = steps.unique().sorted_unstable_by_key(|step| Reverse(*step)).collect_vec();
        let above = |at: usize| at.checked_sub(1).map(|above| steps[above]);
        let digit = |(at, step): (usize, &u64)| {
            let size = above(at).map_or(size.div_ceil(*step), |above| above / step);
            UnitDigit { level, step: *step, size }
        };
        steps.iter().enumerate().map(digit).collect_vec()
    };
    machine.levels().flat_map(digits).collect()
}

impl UnitDigit {
    /// Returns whether units that differ in this digit have memories of their own.
    pub(super) fn is_above(&self, memory: &Memory, machine: &Machine) -> bool {
        let (own, node) = (machine.depth(self.level), machine.depth(memory.owner));
        own < node || (own == node && self.step >= memory.group)
    }

    /// Returns whether a step in a level is within this digit.
    pub(super) fn covers(&self, (level, step): (Level, u64)) -> bool {
        level == self.level
            && step >= self.step
            && step / self.step < self.size.max(2)
            && step.is_multiple_of(self.step)
    }
}

/// A digit with its level and step before a movement, and those after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) size: u64,
    pub(super) from: (Level, u64),
    pub(super) to: (Level, u64),
}

impl Piece {
    /// A digit that stays.
    pub(super) fn unmoved(size: u64, place: (Level, u64)) -> Piece {
        Piece { size, from: place, to: place }
    }

    /// The digit cut where either coordinate has a step of `at` in `level`; whole if it does not align.
    fn cut(self, (level, at): (Level, u64)) -> Vec<Piece> {
        let parts = |(of, step): (Level, u64)| {
            let minor = at.checked_div(step).filter(|_| of == level && at % step == 0)?;
            (minor > 1 && minor < self.size && self.size.is_multiple_of(minor)).then_some(minor)
        };
        let Some(minor) = parts(self.from).or_else(|| parts(self.to)) else { return vec![self] };
        let up = |(of, step): (Level, u64)| (of, step.saturating_mul(minor));
        let (from, to) = (up(self.from), up(self.to));
        vec![Piece { size: self.size / minor, from, to }, Piece { size: minor, ..self }]
    }

    /// The digit cut at each of these steps.
    pub(super) fn cut_at(self, cuts: &[UnitDigit]) -> Vec<Piece> {
        cuts.iter().fold(vec![self], |pieces, digit| {
            pieces.into_iter().flat_map(|piece| piece.cut((digit.level, digit.step))).collect()
        })
    }
}
