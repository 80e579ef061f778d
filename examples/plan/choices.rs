//! The ways to carry out an operation, with their prices.

use std::collections::HashMap;
use std::rc::Rc;

use itertools::Itertools;
use tensor_layout::algebra::{Axis, LayoutBuilder, Subaxis};
use tensor_layout::candidates::{Candidates, Orders, Side};
use tensor_layout::einsum::{Einsum, Local, Sums, at_rest};
use tensor_layout::placement::PlacementBuilder;
use tensor_layout::relayout::{Cost, CostModel, PartId, Pricer};
use tensor_layout::{Layout, Level, Machine, Placement};

use crate::Answer;
use crate::block::{Step, is_in_dram};

const ELEMENT_BITS: u64 = 16;
/// Multiplications of a lane per cycle. The rate is made up: the public material does not give any.
const PRODUCTS_PER_CYCLE: u64 = 1;
/// The number of choices tried per operation, cheapest first.
const CHOICES: usize = 128;

/// The machine, the sequence length and the prices of a plan.
pub(crate) struct Planner {
    pub(crate) machine: Machine,
    /// Long words of a PE in both of its memories.
    pub(crate) capacity: u64,
    pub(crate) sequence: u64,
    pub(crate) pricer: Pricer,
    /// The unit parts of layouts and memories.
    parts: HashMap<(Layout, Option<&'static str>), PartId>,
    pub(crate) asked: u64,
}

/// One way to carry out an operation.
pub(crate) struct Choice {
    pub(crate) result: Layout,
    /// The stored result: its partial sums added up and, unless it is streamed, all of its slices.
    pub(crate) rest: Layout,
    /// The layouts that each operand must have: for one slice, and for the stored operand.
    pub(crate) operands: Vec<(Layout, Layout)>,
    /// Cycles of the operation alone.
    pub(crate) own: u64,
    /// The part of these that loads from DRAM.
    pub(crate) loads: u64,
    /// Long words of a PE: operands and result, one slice of each.
    pub(crate) words: u64,
}

impl Planner {
    pub(crate) fn new(sequence: u64) -> Answer<Planner> {
        let machine = Machine::mn_core_2();
        let capacity = |name| machine.memory(name).map(|memory| memory.capacity.unwrap_or(0));
        let capacity = capacity("LM0")? + capacity("LM1")?;
        let pricer = Pricer::new(CostModel::new(&machine, ELEMENT_BITS)?);
        Ok(Planner { machine, capacity, sequence, pricer, parts: HashMap::new(), asked: 0 })
    }

    fn extent(&self, label: char) -> u64 {
        match label {
            's' | 't' => self.sequence,
            'd' => 1024,
            'h' => 16,
            'k' => 64,
            _ => 4096,
        }
    }

    /// The cheapest choices of an operation that fit, with the result made in `slices` slices.
    pub(crate) fn choices(&mut self, step: &Step, slices: u64) -> Answer<Vec<Rc<Choice>>> {
        let sum = Einsum::parse(step.sum)?;
        let loops = self.loops(&sum, slices);
        let cheapest = loops.cheapest(CHOICES, |loops| -> Answer<_> {
            let choice = self.choice(step, &sum.local_in(&loops.layout)?)?;
            Ok(choice.map(|choice| (choice.own, choice.words)))
        })?;
        let choice = |(_, loops): (_, tensor_layout::candidates::Candidate)| {
            self.choice(step, &sum.local_in(&loops.layout)?)
        };
        cheapest.into_iter().map(choice).filter_map_ok(|choice| choice.map(Rc::new)).collect()
    }

    /// All places where an operation may be computed: lanes hold elements of the result, and either its rows
    /// are made slice by slice, or sums run in 1, 4, 16 or 64 slices.
    fn loops(&self, sum: &Einsum, slices: u64) -> Candidates {
        let labels = sum.labels();
        let shape = labels.iter().map(|label| self.extent(*label)).collect_vec();
        let mut loops = Candidates::new(&self.machine, &shape)
            .sides(&[Side::Major])
            .tree_order(true)
            .orders(Orders::RowMajor)
            .padding_percent(0)
            .element_bits(ELEMENT_BITS)
            .split(&[Level::W])
            .time(if slices > 1 { std::slice::from_ref(&slices) } else { &[1, 4, 16, 64] });
        for (axis, label) in labels.iter().enumerate() {
            let is_summed = !sum.result().contains(label);
            if is_summed {
                loops = loops.never(axis, Level::W);
            }
            // Only rows are streamed: softmax needs all of `t`.
            if if slices > 1 { *label != 's' || is_summed } else { !is_summed } {
                loops = loops.never(axis, Level::TIME);
            }
        }
        loops
    }

    /// A choice with its price, if it fits.
    fn choice(&mut self, step: &Step, local: &Local) -> Answer<Option<Choice>> {
        let result = local.result();
        let dense = |layout: &Layout| layout.extent(Level::ADDR);
        let words = local.operands().iter().map(dense).sum::<u64>() + dense(result);
        if words > self.capacity {
            return Ok(None);
        }
        let rest = |operand: &Layout| -> Answer<_> { Ok((operand.clone(), at_rest(operand)?)) };
        let operands: Vec<_> = local.operands().iter().map(rest).collect::<Answer<_>>()?;
        let mut loads = 0;
        for (tensor, (_, at_rest)) in step.operands.iter().zip(&operands) {
            loads += if is_in_dram(tensor) { self.load(at_rest)? } else { 0 };
        }
        let mut own = loads + products(local).div_ceil(PRODUCTS_PER_CYCLE);
        own += self.sums(local, Sums::Scattered)?;
        if step.is_normalised {
            // Maximum and sum, or mean and variance: two numbers per row, needed everywhere.
            let all: String = ('a'..).take(result.rank()).collect();
            let rows = Einsum::parse(&format!("{all}->{}", &all[..all.len() - 1]))?;
            own += 2 * self.sums(&rows.local_in(result)?, Sums::Replicated)?;
        }
        let summed = local.summed(Sums::Scattered)?;
        let rest = if step.is_streamed { summed } else { at_rest(&summed)? };
        Ok(Some(Choice { result: result.clone(), rest, operands, own, loads, words }))
    }

    /// Cycles for adding up partial sums; partial sums of slices are added in place before they move.
    fn sums(&self, local: &Local, sums: Sums) -> Answer<u64> {
        let levels = local.traffic(&self.machine, sums)?.into_iter().map_into().collect_vec();
        Ok(self.pricer.model().at_least(&levels)?.steps)
    }

    fn part(&mut self, layout: Layout, memory: Option<&'static str>) -> Answer<PartId> {
        if let Some(part) = self.parts.get(&(layout.clone(), memory)) {
            return Ok(*part);
        }
        let placement = Placement::of(layout.clone()).on(&self.machine).oversized();
        let placement = memory.into_iter().fold(placement, PlacementBuilder::memory);
        let part = self.pricer.part(&placement.build()?)?;
        self.parts.insert((layout, memory), part);
        Ok(part)
    }

    /// Cycles for loading a tensor from DRAM. It is stored there in four parts, one for every two L2Bs, along
    /// the axis that is best.
    fn load(&mut self, wanted: &Layout) -> Answer<u64> {
        let to = self.part(wanted.clone(), Some("LM0"))?;
        let cycles = |axis| -> Answer<_> {
            let from = self.part(in_dram(&wanted.shape(), axis)?, Some("DRAM"))?;
            Ok(self.pricer.cost(from, to)?.steps)
        };
        Ok((0..wanted.rank())
            .map(cycles)
            .collect::<Answer<Vec<_>>>()?
            .into_iter()
            .min()
            .unwrap_or(0))
    }

    /// Cycles from one layout to another; `None` if elements would change their time slice.
    pub(crate) fn relayout(&mut self, from: &Layout, to: &Layout) -> Answer<Option<Cost>> {
        self.asked += 1;
        let (from, to) = (self.part(from.clone(), None)?, self.part(to.clone(), None)?);
        let levels = self.pricer.traffic(from, to)?;
        let in_time = levels.iter().any(|level| level.level == Level::TIME && level.into > 0);
        Ok(if in_time { None } else { Some(self.pricer.cost(from, to)?) })
    }
}

/// The products of one lane of one unit, over all slices.
fn products(local: &Local) -> u64 {
    let is_inside = |digit: &&Subaxis| matches!(digit.lands(), Some(Level::ADDR | Level::TIME));
    let inside = |axis: &Axis| -> u64 {
        axis.subaxes.iter().filter(is_inside).map(|digit| digit.size).product()
    };
    local.loops().map(inside).product()
}

/// A tensor in DRAM, row-major: each of the four holds a quarter of an axis.
fn in_dram(shape: &[u64], quartered: usize) -> Answer<Layout> {
    let mut next = 1;
    let mut axis = |(axis, extent): (usize, &u64)| {
        let quarter = axis == quartered;
        let rows = if quarter { extent.div_ceil(4) } else { *extent };
        let rest = Subaxis::land(rows, Level::ADDR, next);
        next *= rows;
        // The first of the two L2Bs names the DRAM.
        let dram = quarter.then_some(Subaxis::land(4, Level::L2B, 2));
        Axis { extent: *extent, subaxes: dram.into_iter().chain([rest]).collect() }
    };
    let axes = shape.iter().enumerate().rev().map(&mut axis).collect_vec();
    Ok(axes.into_iter().rev().fold(Layout::builder(), LayoutBuilder::with_axis).build()?)
}
