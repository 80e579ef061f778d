//! A candidate layout of the loops of a nest, as a choice.

use itertools::Itertools;
use tensor_layout::einsum::{EinsumError, Local, Sums, at_rest};
use tensor_layout::relayout::LevelTraffic;
use tensor_layout::{Layout, LayoutError, Level};

use super::layouts::without_lanes;
use super::reads::{OperandForm, Reads};
use super::{Choice, Held, Own, Setting};
use crate::graph::Nest;

/// A nest with its operands, ready for many candidates.
pub(super) struct NestForm<'n> {
    pub(super) nest: &'n Nest,
    pub(super) reads: Reads,
    /// The width of an element of the result.
    pub(super) bits: u64,
}

impl NestForm<'_> {
    /// The choice of a candidate; `None` if a PE has no room for it.
    pub(super) fn choice(
        &self,
        loops: &Layout,
        setting: &mut Setting,
        capacity: Option<u64>,
    ) -> Result<Option<Choice>, EinsumError> {
        let local = self.reads.einsum.local_in(loops)?;
        let (mut own, mut words) = (Own::default(), local.result().extent(Level::ADDR));
        let mut operands: Vec<Held> = Vec::new();
        for (number, form) in self.reads.operands.iter().enumerate() {
            let read = self.operand(&local, number, form, setting)?;
            own.halos = own.halos.saturating_add(read.halo);
            words = words.saturating_add(read.words);
            let layout = at_rest(&read.layout)?;
            if capacity.is_some_and(|most| words.max(layout.extent(Level::ADDR)) > most) {
                return Ok(None);
            }
            operands.push(setting.held(layout, form.bits)?);
        }
        let result = at_rest(&local.summed(Sums::Scattered)?)?;
        if capacity.is_some_and(|most| words.max(result.extent(Level::ADDR)) > most) {
            return Ok(None);
        }
        let result = setting.held(result, self.bits)?;
        own.compute = self.compute(&local, setting);
        own.sums = self.sums(&local, setting)?;
        Ok(Some(Choice { loops: Some(loops.clone()), operands, result, own, words }))
    }

    fn operand(
        &self,
        local: &Local,
        number: usize,
        form: &OperandForm,
        setting: &Setting,
    ) -> Result<Operand, EinsumError> {
        let layout = &local.operands()[number];
        if form.is_plain() {
            let layout = self.in_width(layout, form.bits)?;
            let words = layout.extent(Level::ADDR);
            return Ok(Operand { layout, words, halo: 0 });
        }
        let halo = form.with_axes(|axes| local.halo(&setting.machine, number, axes))?;
        let levels = halo.traffic.into_iter().map_into().collect_vec();
        let layout = self.in_width(&halo.layout, form.bits)?;
        let words = halo.footprint.max(layout.extent(Level::ADDR));
        Ok(Operand { layout, words, halo: at_least(setting, form.bits, &levels)? })
    }

    fn in_width(&self, layout: &Layout, bits: u64) -> Result<Layout, EinsumError> {
        if bits == self.bits { Ok(layout.clone()) } else { without_lanes(layout) }
    }

    /// Iterations of a lane, and lanes.
    fn compute(&self, local: &Local, setting: &Setting) -> u64 {
        let digits = || local.loops().flat_map(|axis| &axis.subaxes);
        let sizes = |level: fn(Level) -> bool| {
            let of = digits().filter(|digit| digit.lands().is_some_and(level));
            of.map(|digit| digit.size).fold(1, u64::saturating_mul)
        };
        let iterations = sizes(|level| matches!(level, Level::ADDR | Level::TIME));
        setting.rates.cycles(self.nest, self.bits, iterations, sizes(|level| level == Level::W))
    }

    fn sums(&self, local: &Local, setting: &Setting) -> Result<u64, EinsumError> {
        if self.nest.loops.len() == self.nest.rank {
            return Ok(0);
        }
        let levels = local.traffic(&setting.machine, Sums::Scattered)?.into_iter().map_into();
        Ok(at_least(setting, self.bits, &levels.collect_vec())?)
    }
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
