//! The traffic of reducing partial sums.

use super::dense::outside;
use super::local::Local;
use crate::algebra::{Axis, Layout, Subaxis};
use crate::error::{LayoutError, Site};
use crate::level::Level;
use crate::machine::Machine;
use crate::placement::check_units;
use crate::relayout::{LevelTraffic, NO_TRAFFIC, holders_at_most};

/// The units that need the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Sums {
    /// In every unit that held a part of them, and in the units that complete the box of digits where an axis
    /// that is summed over ends inside digits of several levels: a layout has copies in all of them.
    Replicated,
    /// Each in one of the units that held a part of it.
    Scattered,
}

impl Local {
    /// Counts the traffic of reducing the partial sums, per level, innermost first: a lower bound for every
    /// algorithm, including those that add parts on the way.
    ///
    /// Parts in one unit are added there first. If `p` > 1 parts of an element remain in different units of a
    /// level, then every unit that has the sum in [`summed`](Local::summed) is entered, and `p` parts leave if
    /// replicated, `p - 1` if scattered; `p` is given as `source_copies`. Copies of the result, where it is computed several times, each need
    /// their sums; their parts are the same.
    /// Law: by enumerating the parts of every element, and its places in `summed`.
    /// Cost: by the digits.
    ///
    /// # Errors
    /// As [`summed`](Local::summed); `Unknown` and `Limit` for an operand that the machine cannot hold;
    /// `TooLarge`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Layout, Level, Machine};
    /// use tensor_layout::algebra::{Axis, Subaxis};
    /// use tensor_layout::einsum::{Sums, reduce};
    /// let machine: Machine = "MAB=2,PE=4".parse()?;
    /// let result: Layout = "((2_MAB:1, 3:1))".parse()?;
    /// let over_pes = Axis { extent: 12, subaxes: vec![Subaxis::land(4, Level::PE, 1),
    ///                                                Subaxis::land(3, Level::ADDR, 1)] };
    /// let sum = reduce(&result, 1, over_pes)?;
    /// let levels = sum.traffic(&machine, Sums::Scattered)?;
    /// // 6 elements with 4 parts each: one unit takes, three give. None leaves its MAB.
    /// assert_eq!((levels[0].into, levels[0].out_of), (6, Some(18)));
    /// assert_eq!((levels[1].into, levels[1].out_of), (0, Some(0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn traffic(&self, machine: &Machine, sums: Sums) -> Result<Vec<LevelTraffic>, LayoutError> {
        for operand in self.operands() {
            check_units(operand, machine)?;
        }
        let path: Vec<Level> = machine.levels().map(|(level, _)| level).collect();
        let summed = self.summed(sums)?;
        let level = |depth: usize| self.level(machine, &path[..=depth], &summed, sums);
        (0..path.len()).rev().map(level).collect()
    }

    fn level(
        &self,
        machine: &Machine,
        path: &[Level],
        summed: &Layout,
        sums: Sums,
    ) -> Result<LevelTraffic, LayoutError> {
        let too_large = || LayoutError::too_large(Site::Layout, "the traffic");
        let counts =
            |subaxis: &Subaxis| outside(subaxis).is_some_and(|(_, of, _)| path.contains(&of));
        // A sum of nothing is one part: nothing moves.
        let parts = |axis: &Axis| axis.combinations(counts).max(1);
        let partial = self.loops.contracted.iter().map(parts).try_fold(1, u64::checked_mul);
        let partial = partial.ok_or_else(too_large)?;
        let elements = self.loops.result.elements();
        let (enter, leave) = match sums {
            _ if partial == 1 => (0, 0),
            Sums::Replicated => (1, partial),
            Sums::Scattered => (1, partial - 1),
        };
        let copies = summed.replicas().iter().filter(|copies| path.contains(&copies.level));
        let copies = copies.map(|copies| copies.size).chain(self.absent(machine, path));
        let into = [enter, elements].into_iter().chain(copies).try_fold(1, u64::checked_mul);
        let into = into.ok_or_else(too_large)?;
        let out_of = elements.checked_mul(leave).ok_or_else(too_large)?;
        let level = path.last().copied().unwrap_or(Level::ADDR);
        let used = [&self.loops.partial, summed].map(|of| holders_at_most(of, path));
        let used = used.into_iter().max().unwrap_or(0);
        let units = self.absent(machine, path).fold(used, u64::saturating_mul);
        let (out_of, receivers, senders) = (Some(out_of), units, units);
        let counts = LevelTraffic { level, into, out_of, receivers, senders, ..NO_TRAFFIC };
        Ok(LevelTraffic { copies: units, source_copies: partial, adds: true, ..counts })
    }

    /// The sizes of the levels that neither the result nor a sum uses.
    fn absent<'a>(
        &'a self,
        machine: &'a Machine,
        path: &'a [Level],
    ) -> impl Iterator<Item = u64> + 'a {
        let result = &self.loops.result;
        let runs_over = |level: &Level| {
            let digits = self.loops.contracted.iter().flat_map(|axis| &axis.subaxes);
            digits.filter_map(outside).any(|(_, of, _)| of == *level)
        };
        let absent =
            move |level: &&Level| !result.used_levels().contains(level) && !runs_over(level);
        path.iter().filter(absent).map(|level| machine.size(*level).unwrap_or(1))
    }
}
