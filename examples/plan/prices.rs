//! What moving costs: loads from DRAM, relayouts, and what was priced before.

use std::collections::HashMap;

use itertools::Itertools;
use tensor_layout::relayout::{CostModel, PartId, Pricer, Relayout};
use tensor_layout::{Layout, Level, Machine, Placement};

use crate::Answer;
use crate::layouts::in_dram;

/// Long words that enter one unit of the level in a step. These rates are made up: the public
/// material has none.
const RATES: [(Level, u64); 4] =
    [(Level::L2B, 32), (Level::L1B, 16), (Level::MAB, 8), (Level::PE, 1)];
pub(crate) const ELEMENT_BITS: u64 = 16;

/// What it takes to plan on one machine at one sequence length.
pub(crate) struct Planner {
    pub(crate) machine: Machine,
    /// Long words of a PE in both of its memories.
    pub(crate) capacity: u64,
    pub(crate) sequence: u64,
    pub(crate) pricer: Pricer,
    /// The unit parts of layouts: those that differ in addresses only have one.
    parts: HashMap<Layout, PartId>,
    loads: HashMap<PartId, u64>,
    pub(crate) asked: u64,
}

impl Planner {
    pub(crate) fn new(sequence: u64) -> Answer<Planner> {
        let machine = Machine::mn_core_2().with_bandwidth(RATES)?;
        let memories = ["LM0", "LM1"].map(|name| machine.memory(name));
        let mut capacity = 0;
        for memory in memories {
            capacity += memory?.capacity.unwrap_or(0);
        }
        let pricer = Pricer::new(CostModel::new(&machine, ELEMENT_BITS)?);
        let (parts, loads) = (HashMap::new(), HashMap::new());
        Ok(Planner { machine, capacity, sequence, pricer, parts, loads, asked: 0 })
    }

    pub(crate) fn extent(&self, label: char) -> u64 {
        match label {
            's' | 't' => self.sequence,
            'd' => 1024,
            'h' => 16,
            'k' => 64,
            _ => 4096,
        }
    }

    /// Steps until so many elements have entered the units of each level, evenly.
    pub(crate) fn steps(&self, into: impl IntoIterator<Item = (Level, u64)>) -> Answer<u64> {
        Ok(self.pricer.model().of_all(into)?.steps)
    }

    fn part(&mut self, layout: &Layout) -> Answer<PartId> {
        if let Some(part) = self.parts.get(layout) {
            return Ok(*part);
        }
        let part = self.pricer.part(&Placement::of(layout.clone()).on(&self.machine).build()?)?;
        self.parts.insert(layout.clone(), part);
        Ok(part)
    }

    /// Steps that loading a tensor from DRAM takes. It rests there in four parts, one for every two
    /// L2Bs, along whichever axis is best: what is in another part has to enter the L2B, and every
    /// unit below has to be told all that it is to hold.
    pub(crate) fn load(&mut self, layout: &Layout) -> Answer<u64> {
        let part = self.part(layout)?;
        if let Some(steps) = self.loads.get(&part) {
            return Ok(*steps);
        }
        let mut crossing = Vec::new();
        for axis in 0..layout.rank() {
            let resting = in_dram(&layout.shape(), axis)?;
            let resting = Placement::of(resting).on(&self.machine).memory("DRAM").build()?;
            let wanted = Placement::of(layout.clone()).on(&self.machine).memory("LM0").oversized();
            let levels = Relayout::new(&resting, &wanted.build()?)?.traffic_down_to(Level::L2B)?;
            crossing.push(self.pricer.model().at_least(&levels)?.steps);
        }
        let below = self.machine.levels().map(|(level, _)| level).filter(|l| *l != Level::L2B);
        let told = self.steps(below.map(|level| (level, self.held(layout, level))))?;
        let steps = told.max(crossing.into_iter().min().unwrap_or(0));
        self.loads.insert(part, steps);
        Ok(steps)
    }

    /// The (element, unit) pairs of a level.
    pub(crate) fn held(&self, layout: &Layout, level: Level) -> u64 {
        let path = self.machine.levels().take_while_inclusive(|(of, _)| *of != level);
        let copies = path.map(|(level, size)| match layout.used_levels().contains(&level) {
            false => size,
            true => layout.replicas().iter().filter(|r| r.level == level).map(|r| r.size).product(),
        });
        copies.product::<u64>() * layout.elements()
    }

    /// Steps from one layout to another; `None` where elements would change their time slice.
    pub(crate) fn relayout(&mut self, from: &Layout, to: &Layout) -> Answer<Option<u64>> {
        self.asked += 1;
        let (from, to) = (self.part(from)?, self.part(to)?);
        let is_time = |level: Level| level == Level::TIME;
        let levels = self.pricer.traffic(from, to)?;
        let in_time = levels.iter().any(|level| is_time(level.level) && level.into > 0);
        Ok(if in_time { None } else { Some(self.pricer.cost(from, to)?.steps) })
    }
}
