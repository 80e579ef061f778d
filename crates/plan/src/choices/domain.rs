//! The choices of an operation that a plan may need.

use std::collections::HashMap;

use itertools::Itertools;
use tensor_layout::candidates::{Candidates, Orders, Side};
use tensor_layout::relayout::{PartId, PricedChoice};
use tensor_layout::{Layout, LayoutError, Level};

use super::layouts::row_major;
use super::nest::{Form, NestForm};
use super::pinned::{Allowed, rows};
use super::reads::Reads;
use super::{Choice, Own, Setting};
use crate::graph::{Graph, Nest, Read};

/// The choices of an operation.
#[derive(Clone, Debug, Default)]
pub struct Domain {
    /// The choices, cheapest first.
    pub choices: Vec<Choice>,
    /// The candidates that were looked at for it.
    pub tried: u64,
}

/// The numbers of time slices that are tried, until something has room.
const SLICES: [&[u64]; 4] = [&[1], &[2, 4], &[8, 16, 32], &[64, 128, 256]];

/// The most axes that are cut into slices together: the images and the channels of a convolution.
const TIME_AXES: usize = 2;

/// The shares of padding that are tried, in percent, until there are enough candidates.
const PADDING: [u64; 3] = [0, 25, 75];

/// With fewer candidates, more padding is tried.
const FEW: u64 = 24;

/// All that decides about the choices of a nest: not the values, and of the expression its cost alone.
fn key(graph: &Graph, nest: &Nest, (bits, uses): (u64, usize)) -> String {
    let operand = |read: &Read| {
        let value = graph.value(read.value);
        (value.shape.clone(), value.dtype.bits(), read.index.clone())
    };
    let operands = nest.reads.iter().map(operand).collect_vec();
    let cost = (nest.is_product(), nest.body.functions());
    let looked_up = (nest.rank..nest.loops.len()).filter(|number| nest.body.looks_up(*number));
    let looked_up = looked_up.collect_vec();
    let (loops, rank) = (&nest.loops, nest.rank);
    format!("{loops:?} {rank} {operands:?} {cost:?} {looked_up:?} {bits} {uses}")
}

/// The order of choices, which is the same for the same nest: own cycles, room, then the layouts as text.
fn rank(choice: &Choice) -> (u64, u64, Option<String>, String) {
    let loops = choice.loops.as_ref().map(Layout::to_string);
    (choice.own.total(), choice.words, loops, choice.result.layout.to_string())
}

/// The cheapest choice for each combination of the parts of operands and result.
type Choices = HashMap<(Vec<PartId>, PartId), Choice>;

impl Setting {
    /// The choices of a nest whose result is read by `uses` operands, with layouts that pins allow; those of an equal one
    /// are known.
    pub(crate) fn domain(
        &mut self,
        graph: &Graph,
        nest: &Nest,
        (bits, uses): (u64, usize),
        pins: &[&Allowed],
    ) -> Result<Domain, LayoutError> {
        let pinned = if pins.is_empty() { String::new() } else { format!("{pins:?}") };
        let key = (self.is_tight, key(graph, nest, (bits, uses)) + &pinned);
        if let Some(known) = self.domains.get(&key) {
            return Ok(Domain { tried: 0, ..known.clone() });
        }
        let mut domain = self.new_domain(graph, nest, bits, pins)?;
        domain.choices = self.needed(domain.choices, uses);
        self.domains.insert(key, domain.clone());
        Ok(domain)
    }

    fn new_domain(
        &mut self,
        graph: &Graph,
        nest: &Nest,
        bits: u64,
        pins: &[&Allowed],
    ) -> Result<Domain, LayoutError> {
        let Some(reads) = Reads::of(graph, nest) else { return Ok(Domain::default()) };
        let inside = [self.leaf(), Level::W];
        let is_whole = pins.iter().any(|pin| inside.iter().any(|of| pin.avoids.contains(of)));
        let form = NestForm { nest, reads, bits, fixed: Vec::new(), is_whole };
        let free = self.fitting_or_larger(&form);
        if pins.is_empty() {
            return Ok(free);
        }
        let mut all = Domain { choices: Vec::new(), tried: free.tried };
        for row in rows(pins) {
            let found = self.pinned_to(&form, &row, &free.choices)?;
            all.tried += found.tried;
            all.choices.extend(found.choices);
        }
        all.choices.retain(|choice| pins.iter().all(|pin| pin.has_levels(&choice.result.layout)));
        Ok(all)
    }

    /// The choices with room in a PE. If there are none, those whose result is no block over leaves and lanes, which need
    /// less of the operands at a time; then larger ones, about which the report says so.
    pub(super) fn fitting_or_larger(&mut self, form: &NestForm<'_>) -> Domain {
        let whole = NestForm { is_whole: true, ..form.clone() };
        for form in [form, &whole] {
            let domain = self.fitting(form, self.capacity);
            if !domain.choices.is_empty() {
                return domain;
            }
        }
        self.fitting(form, None)
    }

    /// The choices with room in a PE, one for each combination of parts.
    fn fitting(&mut self, form: &NestForm<'_>, capacity: Option<u64>) -> Domain {
        let mut best = Choices::new();
        let mut tried = 0;
        for time in SLICES.into_iter().take(if capacity.is_some() { SLICES.len() } else { 1 }) {
            for percent in PADDING {
                for unit in form.forms(self) {
                    tried += self.collect(form, unit, (time, percent), capacity, &mut best);
                }
                if !best.is_empty() && tried >= FEW {
                    break;
                }
            }
            if !best.is_empty() && !self.needs_slimmer(&best, capacity) {
                break;
            }
        }
        Domain { choices: best.into_values().collect(), tried }
    }

    /// Returns whether room is scarce and no choice takes less than a quarter of it.
    fn needs_slimmer(&self, found: &Choices, capacity: Option<u64>) -> bool {
        let least = found.values().map(|choice| choice.words).min();
        self.is_tight && least.zip(capacity).is_some_and(|(least, most)| least > most / 4)
    }

    fn collect(
        &mut self,
        form: &NestForm<'_>,
        unit: Form,
        (time, percent): (&[u64], u64),
        capacity: Option<u64>,
        best: &mut Choices,
    ) -> u64 {
        let mut tried = 0;
        let Ok(found) = self.candidates(form, unit, time, percent).iter() else { return 0 };
        for candidate in found.map_while(Result::ok) {
            tried += 1;
            // A candidate without a layout for an operand, or with one that nothing leads to, is no choice.
            let choices = form.choices(unit, &candidate.layout, self, capacity);
            for choice in choices.into_iter().flatten() {
                if !choice.operands.iter().chain([&choice.result]).all(|held| self.is_reached(held))
                {
                    continue;
                }
                let parts = choice.operands.iter().map(|held| held.part).collect();
                let key = (parts, choice.result.part);
                let cost = |choice: &Choice| (choice.own.total(), choice.words);
                if best.get(&key).is_none_or(|other| cost(&choice) < cost(other)) {
                    best.insert(key, choice);
                }
            }
        }
        tried
    }

    /// The layouts of the loops in blocks, over the units above the leaves.
    fn candidates(
        &self,
        form: &NestForm<'_>,
        unit: Form,
        time: &[u64],
        percent: u64,
    ) -> Candidates {
        let NestForm { nest, reads, .. } = form;
        let blocks = nest.loops.iter().enumerate().map(|(number, extent)| {
            let is_fixed = form.fixed.get(number).is_some_and(Option::is_some);
            let block = unit.block(number, self.leaf()).map_or(1, |(block, _)| block.size());
            if is_fixed { 1 } else { extent.div_ceil(block) }
        });
        let levels = self.nodes.levels().map(|(level, _)| level).collect_vec();
        let outside = levels.iter().copied().chain([Level::TIME]);
        let within = (0..nest.loops.len()).filter(|axis| !reads.over_units[*axis]);
        Candidates {
            never: within.cartesian_product(outside).collect(),
            levels: Some(levels.clone()),
            sides: vec![Side::Major],
            orders: Orders::RowMajor,
            tree_order: true,
            padding_percent: percent,
            time: time.to_vec(),
            time_axes: TIME_AXES,
            ..Candidates::new(&self.machine, &blocks.collect_vec())
        }
    }

    /// The choices that no other dominates, as many of the cheapest as are kept.
    pub(super) fn needed(&mut self, mut choices: Vec<Choice>, uses: usize) -> Vec<Choice> {
        if self.is_tight {
            return self.cheap_and_slim(choices);
        }
        choices.sort_by_cached_key(rank);
        let mut kept: Vec<Choice> = Vec::new();
        let mut rest = choices.into_iter();
        // A choice is dominated by cheaper ones alone, so that the dearer ones wait.
        let most = self.keep;
        while kept.len() < most {
            let before = kept.len();
            kept.extend(rest.by_ref().take(most));
            if kept.len() == before {
                break;
            }
            kept = self.undominated(kept, uses);
        }
        kept.truncate(most);
        kept
    }

    /// The cheapest choices and those that take the least room, half of those that are kept each.
    fn cheap_and_slim(&self, mut choices: Vec<Choice>) -> Vec<Choice> {
        let half = self.keep.div_ceil(2);
        choices.sort_by_cached_key(rank);
        let mut slim = choices.split_off(half.min(choices.len()));
        slim.sort_by_key(|choice| choice.words);
        choices.extend(slim.into_iter().take(self.keep - half));
        choices
    }

    fn undominated(&self, choices: Vec<Choice>, uses: usize) -> Vec<Choice> {
        let priced = choices.iter().map(|choice| PricedChoice {
            own: choice.own.total(),
            takes: choice.operands.iter().map(|held| held.part).collect(),
            gives: vec![choice.result.part; uses],
        });
        // Where some prices are not known, all stay.
        let Ok(kept) = self.pricer.undominated(&priced.collect_vec()) else { return choices };
        let mut choices = choices.into_iter().map(Some).collect_vec();
        kept.into_iter().filter_map(|at| choices[at].take()).collect()
    }

    /// The one choice of an operation without a rule: its operands and its result on every unit.
    pub(crate) fn everywhere(
        &mut self,
        operands: &[(&[u64], u64)],
        result: (&[u64], u64),
    ) -> Result<Domain, LayoutError> {
        let mut held = Vec::new();
        for (shape, bits) in operands.iter().copied().chain([result]) {
            held.push(self.held(row_major(shape)?, bits)?);
        }
        let words = held.iter().map(|held| held.layout.extent(Level::ADDR));
        let words = words.fold(0, u64::saturating_add);
        let Some(result) = held.pop() else { return Ok(Domain::default()) };
        let taken = held.iter().map(|held| held.layout.extent(Level::ADDR)).collect();
        let own = Own::default();
        let choice = Choice { loops: None, operands: held, result, own, taken, words };
        Ok(Domain { choices: vec![choice], tried: 1 })
    }
}
