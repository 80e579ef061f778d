//! The ways to carry out an operation, with their prices.

use std::rc::Rc;

use itertools::Itertools;
use tensor_layout::algebra::Axis;
use tensor_layout::candidates::{Candidates, Orders, Side};
use tensor_layout::einsum::{Einsum, Local, Sums, broadcast, reduce};
use tensor_layout::{Layout, Level};

use crate::Answer;
use crate::block::{Step, is_in_dram};
use crate::layouts::{at_rest, in_unit, scatter, without_copies};
use crate::prices::{ELEMENT_BITS, Planner};

/// Multiplications of a lane in a step, made up as well.
const PRODUCTS_PER_STEP: u64 = 4;
/// Choices of an operation that are tried on each of them, the cheapest ones.
const CHOICES: usize = 128;

/// One way to carry out an operation.
pub(crate) struct Choice {
    pub(crate) result: Layout,
    /// The result where it rests afterwards, with all of its slices.
    pub(crate) rest: Layout,
    /// What each operand must be: slice by slice, and at rest.
    pub(crate) operands: Vec<(Layout, Layout)>,
    pub(crate) sliced_sums: u64,
    /// Steps of the operation alone.
    pub(crate) own: u64,
    /// Of these, loading from DRAM.
    pub(crate) loads: u64,
    /// Long words of a PE: operands and result, one slice of each.
    pub(crate) words: u64,
}

/// Where every contracted letter runs.
type Runs = Vec<(char, Axis)>;

impl Planner {
    /// The cheapest choices of an operation that fit, its result made in so many slices.
    pub(crate) fn choices(&mut self, step: &Step, slices: u64) -> Answer<Vec<Rc<Choice>>> {
        let sum = Einsum::parse(step.sum)?;
        let shape: Vec<u64> = sum.result().iter().map(|label| self.extent(*label)).collect();
        let results = self
            .plain(&shape)
            .element_bits(ELEMENT_BITS)
            .split(&[Level::W])
            .time(&[slices])
            .capacity_words(self.capacity);
        // Only rows are streamed: softmax wants all of `t`.
        let other = sum.result().iter().enumerate().filter(|(_, label)| **label != 's');
        let results = other.fold(results, |results, (axis, _)| results.never(axis, Level::TIME));
        let mut choices = Vec::new();
        for result in results.iter()? {
            let result = result?.layout;
            for (runs, sliced_sums) in self.runs(&sum, &result)? {
                let local = sum.local(&result, &runs)?;
                choices.extend(self.choice(step, &local, &result, &runs, sliced_sums)?);
            }
        }
        choices.sort_by_key(|choice| (choice.own, choice.words));
        choices.truncate(CHOICES);
        Ok(choices.into_iter().map(Rc::new).collect())
    }

    pub(crate) fn plain(&self, shape: &[u64]) -> Candidates {
        Candidates::new(&self.machine, shape)
            .sides(&[Side::Major])
            .tree_order(true)
            .orders(Orders::RowMajor)
            .padding_percent(0)
    }

    /// Where the summed axes may run: over levels that the result leaves, and in 1, 4, 16 or 64 slices.
    pub(crate) fn runs(&self, sum: &Einsum, result: &Layout) -> Answer<Vec<(Runs, u64)>> {
        let labels = sum.contracted();
        if labels.is_empty() {
            return Ok(vec![(Vec::new(), 1)]);
        }
        let shape: Vec<u64> = labels.iter().map(|label| self.extent(*label)).collect();
        let used = |level: &Level| result.used_levels().contains(level);
        let free = self.machine.levels().map(|(level, _)| level).filter(|l| !used(l)).collect_vec();
        let mut all = Vec::new();
        for slices in if used(&Level::TIME) { &[1][..] } else { &[1, 4, 16, 64] } {
            let runs = self.plain(&shape).time(&[*slices]);
            let runs = match &free[..] {
                [] => (0..shape.len()).fold(runs, |runs, axis| runs.fixed(axis, &[])),
                free => runs.levels(free),
            };
            for run in runs.iter()? {
                let axes = run?.layout.axes().to_vec();
                all.push((labels.iter().copied().zip(axes).collect(), *slices));
            }
        }
        Ok(all)
    }

    /// A choice with its price, if it fits; where sums lie in parts, everywhere or scattered,
    /// whichever is cheaper.
    pub(crate) fn choice(
        &mut self,
        step: &Step,
        local: &Local,
        result: &Layout,
        runs: &[(char, Axis)],
        sliced_sums: u64,
    ) -> Answer<Option<Choice>> {
        let dense = |layout: &Layout| layout.extent(Level::ADDR);
        let words = local.operands().iter().map(dense).sum::<u64>() + dense(result);
        if words > self.capacity {
            return Ok(None);
        }
        let axes = result.axes().iter().chain(runs.iter().map(|(_, axis)| axis));
        let products: u64 = axes.map(in_unit).product();
        let mut own = products.div_ceil(PRODUCTS_PER_STEP);
        let mut loads = 0;
        for (tensor, operand) in step.operands.iter().zip(local.operands()) {
            loads += if is_in_dram(tensor) { self.load(&at_rest(operand)?)? } else { 0 };
        }
        own += loads;
        let sums = |local: &Local, sums| -> Answer<u64> {
            let levels = local.traffic(&self.machine, sums)?;
            self.steps(levels.iter().map(|level| (level.level, level.into)))
        };
        let mut rest = at_rest(result)?;
        if !local.partial_levels().is_empty() {
            let scattered = scatter(&rest, &local.partial_levels(), &self.machine)?;
            let kind = if scattered.is_some() { Sums::Scattered } else { Sums::Replicated };
            // Sums of slices are added up in place before they move.
            own += sums(local, kind)?;
            rest = scattered.unwrap_or(rest);
        }
        if let Some(axis) = step.rows {
            // Greatest and sum, or mean and variance: two numbers of every row, wanted everywhere.
            let row = broadcast(result, &[axis])?;
            let row = without_copies(&row)?;
            own += 2 * sums(&reduce(&row, axis, result.axes()[axis].clone())?, Sums::Replicated)?;
        }
        let operands = local.operands().iter().map(|o| Ok((o.clone(), at_rest(o)?)));
        let operands = operands.collect::<Answer<_>>()?;
        let (result, rest) = match step.streamed {
            true => (result.clone(), result.clone()),
            false => (result.clone(), rest),
        };
        Ok(Some(Choice { result, rest, operands, sliced_sums, own, loads, words }))
    }
}
