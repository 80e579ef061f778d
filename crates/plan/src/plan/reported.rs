//! The report of a plan.

use itertools::Itertools;
use tensor_layout::notation::PadLayout;
use tensor_layout::relayout::LevelTraffic;
use tensor_layout::route::Route;

use super::edges::Joint;
use super::report::{
    EnteringUnits, KeptLayout, PinReport, PlanReport, PlannedOperand, PlannedSwitch, PlannedValue,
    Room, SeenLayout,
};
use super::solved::Plan;
use super::variables::{Role, Variable};
use crate::choices::{Choice, Held};
use crate::graph::{Operation, Origin, ValueId};

impl Plan<'_> {
    /// The plan as data.
    #[must_use]
    pub fn report(&self) -> PlanReport {
        let uncovered = self.graph.uncovered().into_iter();
        let uncovered = uncovered.map(|(kind, name)| (kind.to_owned(), name.to_owned()));
        let curve = self.curve();
        PlanReport {
            model: self.graph.name.clone(),
            machine: self.setting.machine().name().to_owned(),
            totals: self.totals.clone(),
            memory: self.room(&curve),
            values: self.planned_values(&curve),
            pins: self.pins().collect(),
            uncovered: uncovered.collect(),
        }
    }

    fn pins(&self) -> impl Iterator<Item = PinReport> {
        let names = self.options.pins.iter().map(|pin| pin.name.clone()).zip(&self.pinned);
        names.map(|(name, nodes)| PinReport { name, nodes: nodes.clone() })
    }

    fn planned_values(&self, curve: &[u64]) -> Vec<PlannedValue> {
        let mut alive = curve.iter().copied();
        let planned = |(at, of): (usize, &Variable)| match of.role {
            Role::Given => Some(self.planned(at, None)),
            Role::Computed(_) => Some(self.planned(at, alive.next())),
            Role::Kept => None,
        };
        self.variables.iter().enumerate().filter_map(planned).collect()
    }

    /// The memory of a PE: the peak, and the operation that has it.
    fn room(&self, curve: &[u64]) -> Option<Room> {
        let limit = self.setting.local_capacity()?;
        let peak = curve.iter().copied().max().unwrap_or(0);
        let mut operations = self.variables.iter().filter_map(Variable::operation);
        let node = operations.nth(curve.iter().position(|words| *words == peak)?)?;
        let node = self.graph.operations[node].name.clone();
        let places = self.places();
        Some(Room { limit, peak, node, is_planned: self.limit.is_some(), places })
    }

    fn planned(&self, at: usize, alive: Option<u64>) -> PlannedValue {
        let variable = &self.variables[at];
        let choice = &variable.domain.choices[self.chosen[at]];
        let value = self.graph.value(variable.value);
        let operation = variable.operation().map(|at| &self.graph.operations[at]);
        let operator = match (&value.origin, operation) {
            (_, Some(operation)) => operation.kind.clone(),
            (Origin::Constant(_), None) => "Constant".into(),
            _ => "Input".into(),
        };
        let memory = self.setting.local_capacity();
        PlannedValue {
            name: value.name.clone(),
            operator,
            node: operation.map(|operation| operation.name.clone()),
            shape: value.shape.clone(),
            dtype: value.dtype.to_string(),
            layout: self.text(&choice.result),
            seen: operation
                .filter(|of| of.seen.is_some())
                .and_then(|of| self.seen(of, &choice.result)),
            memory: choice.result.memory.clone(),
            part: choice.result.part.number(),
            loops: choice.loops.as_ref().map(ToString::to_string),
            own: choice.own,
            words: choice.words,
            alive,
            is_oversized: operation.is_some() && memory.is_some_and(|most| choice.words > most),
            choices: variable.domain.choices.len(),
            operands: self.operands(at, choice),
            kept: self.kept_layout(at),
        }
    }

    /// The result of an operation in the shape that the model has, if it has a PadLayout there.
    pub(super) fn seen(&self, of: &Operation, result: &Held) -> Option<SeenLayout> {
        let (value, views) = self.graph.seen(of);
        let seen = result.viewed(&views).ok()?;
        PadLayout::map_of(&seen.layout).ok()?;
        Some(SeenLayout { shape: value.shape.clone(), layout: self.text(&seen) })
    }

    fn operands(&self, at: usize, choice: &Choice) -> Vec<PlannedOperand> {
        let Some(operation) = self.variables[at].operation() else { return Vec::new() };
        let operation = &self.graph.operations[operation];
        let operand = |(number, id): (usize, ValueId)| {
            let joint = |joint: &&Joint| joint.to == at && joint.operand == Some(number);
            let found = self.joints.iter().find_position(joint);
            PlannedOperand {
                value: self.graph.value(id).name.clone(),
                layout: self.text(&choice.operands[number]),
                switch: found.and_then(|(place, joint)| self.switch(place, joint)),
            }
        };
        operation.reads().into_iter().enumerate().map(operand).collect()
    }

    /// The switch to the layout that all readers share.
    fn kept_layout(&self, at: usize) -> Option<KeptLayout> {
        let joint = |joint: &&Joint| joint.from == at && joint.operand.is_none();
        let (place, joint) = self.joints.iter().find_position(joint)?;
        let switch = self.switch(place, joint)?;
        let kept = joint.wanted(&self.variables, &self.chosen);
        Some(KeptLayout { layout: self.text(kept), memory: kept.memory.clone(), switch })
    }

    fn switch(&self, place: usize, joint: &Joint) -> Option<PlannedSwitch> {
        let (from, to) = self.ends(joint)?;
        if from.is_at(&to) {
            return None;
        }
        let penalty = self.penalty(joint);
        let cycles = joint.cost(&self.variables, &self.chosen).saturating_sub(penalty);
        let route = self.routes.get(place).cloned().flatten();
        let (from_memory, to_memory) = (from.memory.clone(), to.memory.clone());
        let (from, entering) = (self.text(&from), self.entering(joint));
        Some(PlannedSwitch { from, from_memory, to_memory, entering, cycles, penalty, route })
    }

    /// The elements that a switch brings into units.
    fn entering(&self, joint: &Joint) -> Vec<EnteringUnits> {
        let pair = joint.pair(&self.variables, &self.chosen);
        let traffic = pair.and_then(|(from, to)| self.setting.pricer().traffic(from, to).ok());
        let entering = |of: &LevelTraffic| EnteringUnits {
            level: of.level.to_string(),
            elements: of.into.max(of.arriving),
        };
        traffic.iter().flat_map(|levels| levels.iter()).map(entering).collect()
    }

    /// A layout as the report has it.
    pub(super) fn text(&self, held: &Held) -> String {
        let placed = self.setting.placed(held);
        placed.map_or_else(|_| held.layout.to_string(), |placed| Route::text(&placed))
    }
}
