//! A candidate layout of the loops of a nest, as a choice.
//!
//! ```text
//! vectors     every leaf computes what it has     loops ((16_MAB, 4:2), (2:1, 4_W, 4_PE))
//! matrices    a node of leaves multiplies         loops ((16_MAB, 4:16), (16:1) | (64:1))
//!             operands (.., 4_W, 4_PE) along the folded axis, the result along one of its own
//! ```

use itertools::Itertools;
use tensor_layout::algebra::Axis;
use tensor_layout::einsum::{Local, Sums, at_rest};
use tensor_layout::relayout::LevelTraffic;
use tensor_layout::{Layout, LayoutError, Level};

use super::choice::is_sliced;
use super::layouts::{Block, Ending, completed, expanded, in_lanes};
use super::reads::{OperandForm, Reads};
use super::{Choice, Held, Own, Setting};
use crate::graph::Nest;

/// A nest with its operands, ready for many candidates.
#[derive(Clone)]
pub(super) struct NestForm<'n> {
    pub(super) nest: &'n Nest,
    pub(super) reads: Reads,
    /// The width of an element of the result.
    pub(super) bits: u64,
    /// The axes of the loops that are pinned; empty where all are free.
    pub(super) fixed: Vec<Option<Axis>>,
    /// True if all leaves and lanes are to have the whole result.
    pub(super) is_whole: bool,
}

/// The unit that computes, and the axes whose innermost digits are lanes and leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Each leaf, along a loop; without one all leaves do the same.
    Vectors(Option<(usize, Block)>),
    /// The leaves of a node together: operands along the folded loop, the result along one of its own.
    Matrices {
        /// The folded loop.
        fold: (usize, Block),
        /// The loop of the result.
        result: Option<(usize, Block)>,
    },
}

impl Form {
    /// The block of a loop, and its form in the layout of the loops.
    pub(super) fn block(self, number: usize, leaf: Level) -> Option<(Block, Ending)> {
        let (all, ending) = match self {
            Form::Vectors(along) => ([along, None], Ending::Leaves(leaf)),
            Form::Matrices { fold, result } => ([Some(fold), result], Ending::Addresses),
        };
        let found = all.into_iter().flatten().find(|(of, _)| *of == number);
        found.map(|(_, block)| (block, ending))
    }
}

impl NestForm<'_> {
    /// The forms that the nest can have on a machine.
    pub(super) fn forms(&self, setting: &Setting) -> Vec<Form> {
        let all = self.split_forms(setting);
        let whole = |form: &Form| match *form {
            Form::Vectors(_) => Form::Vectors(None),
            Form::Matrices { fold, .. } => Form::Matrices { fold, result: None },
        };
        if self.is_whole { all.iter().map(whole).dedup().collect() } else { all }
    }

    fn split_forms(&self, setting: &Setting) -> Vec<Form> {
        let (lanes, leaves) = (setting.lanes(self.bits), setting.leaves());
        let along = |number: usize| {
            let block = Block::of(self.nest.loops[number], lanes, leaves);
            block.filter(|_| self.reads.inside[number]).map(|block| (number, block))
        };
        if let Some((one, other)) = self.factors() {
            let folds = (self.nest.rank..self.nest.loops.len()).filter(|number| {
                one.has_loop(*number) && other.has_loop(*number) && self.reads.inside[*number]
            });
            let fold = folds.max_by_key(|number| self.nest.loops[*number]);
            let lanes = setting.lanes(one.bits.max(other.bits));
            let fold = fold.and_then(|number| {
                Some((number, Block::of(self.nest.loops[number], lanes, leaves)?))
            });
            if let Some(fold) = fold {
                let of_one = |number: &usize| one.has_loop(*number) != other.has_loop(*number);
                let results = (0..self.nest.rank).filter(of_one).filter_map(along).collect_vec();
                let each = results.into_iter().map(Some).pad_using(1, |_| None);
                return each.map(|result| Form::Matrices { fold, result }).collect();
            }
        }
        let each = (0..self.nest.loops.len()).filter_map(along).map(Some);
        each.pad_using(1, |_| None).map(Form::Vectors).collect()
    }

    /// Both operands of a product.
    fn factors(&self) -> Option<(&OperandForm, &OperandForm)> {
        match &self.reads.operands[..] {
            [one, other] if self.nest.is_product() => Some((one, other)),
            _ => None,
        }
    }

    /// The choices of a candidate, a layout of blocks: none if a leaf has no room for it.
    pub(super) fn choices(
        &self,
        form: Form,
        blocks: &Layout,
        setting: &mut Setting,
        capacity: Option<u64>,
    ) -> Result<Vec<Choice>, LayoutError> {
        let is_full = |words: u64| capacity.is_some_and(|most| words > most);
        // No tensor is in two memories.
        let largest = capacity.and(setting.largest_memory());
        let is_large = |words: u64| largest.is_some_and(|most| words > most);
        let least = self.least_words(form, blocks, setting);
        if least.iter().any(|words| is_large(*words))
            || is_full(least.iter().copied().fold(0, u64::saturating_add))
        {
            return Ok(Vec::new());
        }
        let Some(loops) = self.loops(form, blocks, setting)? else { return Ok(Vec::new()) };
        let local = self.reads.einsum.local_in(&loops)?;
        let mut taken = Vec::new();
        let (mut own, mut words) = (Own::default(), 0_u64);
        let mut operands: Vec<Held> = Vec::new();
        for (number, of) in self.reads.operands.iter().enumerate() {
            let read = self.operand(form, &local, (number, of), setting)?;
            debug_assert!(least.get(number).is_none_or(|least| read.words >= *least));
            own.halos = own.halos.saturating_add(read.halo);
            words = words.saturating_add(read.words);
            taken.push(read.words);
            if is_full(words) || is_large(read.words.max(read.layout.extent(Level::ADDR))) {
                return Ok(Vec::new());
            }
            operands.push(setting.held(read.layout, of.bits)?);
        }
        own.compute = self.compute(form, &local, setting);
        let mut choices = Vec::new();
        for sums in self.sums(form, &local) {
            let result = self.completed(form, &in_memory(local.summed(sums)?)?, setting)?;
            let slice = self.completed(form, local.result(), setting)?.extent(Level::ADDR);
            let all = slice.max(result.extent(Level::ADDR));
            if is_full(words.saturating_add(slice)) || is_large(all) {
                continue;
            }
            own.sums = self.cycles_of_sums(form, &local, sums, setting)?;
            let result = setting.held(result, self.bits)?;
            let (loops, operands) = (Some(loops.clone()), operands.clone());
            let (taken, words) = (taken.clone(), words + slice);
            choices.push(Choice { loops, operands, result, own, taken, words });
        }
        Ok(choices)
    }

    /// Words that the operands take at least, by the blocks alone: most candidates for large tensors end here. None where
    /// loops are pinned, or an operand is read through a window.
    fn least_words(&self, form: Form, blocks: &Layout, setting: &Setting) -> Vec<u64> {
        if !self.fixed.is_empty() || !self.reads.operands.iter().all(OperandForm::is_plain) {
            return Vec::new();
        }
        let product = |sizes: &mut dyn Iterator<Item = u64>| sizes.fold(1, u64::saturating_mul);
        let in_memory = |axis: &Axis| {
            let digits = axis.subaxes.iter().filter(|digit| digit.lands() == Some(Level::ADDR));
            product(&mut digits.map(|digit| digit.size))
        };
        let words = blocks.axes().iter().map(in_memory).collect_vec();
        let least = |of: &OperandForm| {
            let own = words.iter().enumerate().filter(|(number, _)| of.has_loop(*number));
            // Narrower elements than those of the result have more lanes.
            let wider = match form {
                Form::Vectors(Some((_, block))) if block.lanes > 1 => {
                    setting.lanes(of.bits) / block.lanes
                }
                _ => 1,
            };
            product(&mut own.map(|(_, words)| *words)) / wider.max(1)
        };
        self.reads.operands.iter().map(least).collect()
    }

    /// The layout of the loops for a layout of their blocks.
    fn loops(
        &self,
        form: Form,
        blocks: &Layout,
        setting: &Setting,
    ) -> Result<Option<Layout>, LayoutError> {
        if !self.fixed.is_empty() {
            return self.merged(form, blocks, setting);
        }
        let leaf = setting.leaf();
        expanded(blocks, &self.nest.loops, |number| form.block(number, leaf)).map(Some)
    }

    /// The places where sums of different units may go.
    fn sums(&self, form: Form, local: &Local) -> Vec<Sums> {
        let partial = local.partial_levels();
        match form {
            // Scattered over lanes, the result would have them where no movement brings them back.
            Form::Vectors(_) if partial.contains(&Level::W) => vec![Sums::Replicated],
            Form::Vectors(_) if !partial.is_empty() => vec![Sums::Scattered, Sums::Replicated],
            _ => vec![Sums::Scattered],
        }
    }

    /// The result with its lanes and leaves.
    fn completed(
        &self,
        form: Form,
        layout: &Layout,
        setting: &Setting,
    ) -> Result<Layout, LayoutError> {
        match form {
            Form::Matrices { result: Some((axis, block)), .. } => {
                completed(layout, axis, (block.lanes, block.leaves), setting.leaf())
            }
            Form::Vectors(_) | Form::Matrices { .. } => Ok(layout.clone()),
        }
    }

    fn operand(
        &self,
        form: Form,
        local: &Local,
        (number, of): (usize, &OperandForm),
        setting: &Setting,
    ) -> Result<Operand, LayoutError> {
        let (layout, halo, footprint) = if of.is_plain() {
            let layout = local.operands()[number].clone();
            let footprint = layout.extent(Level::ADDR);
            (layout, 0, footprint)
        } else {
            let machine = self.machine(form, setting);
            let halo = of.with_axes(|axes| local.halo(machine, number, axes))?;
            let footprint = halo.footprint.max(halo.layout.extent(Level::ADDR));
            (halo.layout, at_least(setting, of.bits, &halo.traffic)?, footprint)
        };
        let lanes = setting.lanes(of.bits);
        let rest = |layout: &Layout| match form {
            Form::Matrices { fold: (fold, block), .. } => {
                let axis = of.axis_of(fold);
                let (own, leaves) = (lanes.min(block.lanes.max(1)), block.leaves);
                axis.map_or(Ok(layout.clone()), |axis| {
                    completed(layout, axis, (own, leaves), setting.leaf())
                })
            }
            Form::Vectors(_) => in_lanes(layout, lanes),
        };
        // The halo is spread over lanes and leaves like the rest.
        let (own, whole) = (rest(&layout)?.extent(Level::ADDR), layout.extent(Level::ADDR).max(1));
        let words = u128::from(footprint) * u128::from(own);
        let words = u64::try_from(words.div_ceil(u128::from(whole))).unwrap_or(u64::MAX);
        Ok(Operand { layout: rest(&in_memory(layout)?)?, words, halo })
    }

    /// The machine whose units compute.
    fn machine<'s>(&self, form: Form, setting: &'s Setting) -> &'s tensor_layout::Machine {
        match form {
            Form::Vectors(_) => &setting.machine,
            Form::Matrices { .. } => &setting.nodes,
        }
    }

    /// The cycles of computing, by the iterations of a unit.
    fn compute(&self, form: Form, local: &Local, setting: &Setting) -> u64 {
        // A looked-up element is read at its address: its axis takes no time.
        let looked_up = |number: usize| number >= self.nest.rank && self.nest.body.looks_up(number);
        let loops = || local.loops().enumerate().filter(|(number, _)| !looked_up(*number));
        let digits = || loops().flat_map(|(_, axis)| &axis.subaxes);
        let sizes = |level: fn(Level) -> bool| {
            let of = digits().filter(|digit| digit.lands().is_some_and(level));
            of.map(|digit| digit.size).fold(1, u64::saturating_mul)
        };
        let iterations = sizes(|level| matches!(level, Level::ADDR | Level::TIME));
        match form {
            Form::Vectors(_) => {
                let lanes = sizes(|level| level == Level::W);
                setting.rates.cycles(self.nest, self.bits, iterations, lanes)
            }
            Form::Matrices { .. } => {
                let each = iterations.div_ceil(setting.leaves());
                setting.rates.cycles(self.nest, self.bits, each, 1)
            }
        }
    }

    fn cycles_of_sums(
        &self,
        form: Form,
        local: &Local,
        sums: Sums,
        setting: &Setting,
    ) -> Result<u64, LayoutError> {
        if self.nest.loops.len() == self.nest.rank {
            return Ok(0);
        }
        let levels = local.traffic(self.machine(form, setting), sums)?.into_iter().map_into();
        at_least(setting, self.bits, &levels.collect_vec())
    }
}

/// A tensor as memory has it while an operation computes: slice by slice, or without digits of time as a whole.
fn in_memory(layout: Layout) -> Result<Layout, LayoutError> {
    if is_sliced(&layout) { Ok(layout) } else { at_rest(&layout) }
}

/// An operand with the cycles for its halo.
struct Operand {
    layout: Layout,
    words: u64,
    halo: u64,
}

fn at_least(setting: &Setting, bits: u64, levels: &[LevelTraffic]) -> Result<u64, LayoutError> {
    Ok(setting.pricer.model().for_elements_of(bits).at_least(levels)?.steps)
}
