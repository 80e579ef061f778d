//! A plan as data: the form of its JSON.

use itertools::Itertools;
use serde::Serialize;
use tensor_layout::route::Route;

use super::edges::Joint;
use super::{Plan, SwitchRoute};
use crate::choices::{Choice, Held, Own};
use crate::graph::{Origin, ValueId};

/// A plan.
#[derive(Clone, Debug, Serialize)]
pub struct PlanReport {
    /// The name of the graph.
    pub model: String,
    /// The machine.
    pub machine: String,
    /// The costs.
    pub totals: Totals,
    /// The values that are given or computed, in the order of the computation.
    pub values: Vec<PlannedValue>,
    /// The operators that no rule covers, with their nodes.
    pub uncovered: Vec<(String, String)>,
}

/// The costs of a plan and of others, in cycles at least.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Each value at its own cheapest choice.
    pub naive: u64,
    /// Each value at its cheapest choice after those before it.
    pub greedy: u64,
    /// The plan.
    pub plan: u64,
    /// The part of it that is no time: penalties for changes of lanes.
    pub penalties: u64,
    /// No plan over these choices costs less.
    pub bound: u64,
    /// The cycles more that avoid switches without movements, where the search without them was exact.
    pub avoiding: Option<u64>,
    /// The most neighbours of a variable when it was eliminated.
    pub width: usize,
    /// The number of switches that no movements make.
    pub without_movements: usize,
}

/// A value with its layout.
#[derive(Clone, Debug, Serialize)]
pub struct PlannedValue {
    /// Its name.
    pub name: String,
    /// `Input`, `Constant`, or the operator that computes it.
    pub operator: String,
    /// Its node, with the part of it.
    pub node: Option<String>,
    /// Its extents.
    pub shape: Vec<u64>,
    /// The type of its elements.
    pub dtype: String,
    /// Its layout.
    pub layout: String,
    /// The memory.
    pub memory: Option<String>,
    /// The number of the part that decides about prices.
    pub part: u32,
    /// The layout of the loops: the axes of the value, then those that are folded.
    pub loops: Option<String>,
    /// The cycles without switches.
    pub own: Own,
    /// The long words of a PE for one time slice: operands and result.
    pub words: u64,
    /// True if they exceed the memory of a PE.
    pub is_oversized: bool,
    /// The number of choices.
    pub choices: usize,
    /// The operands.
    pub operands: Vec<PlannedOperand>,
}

/// An operand with the layout that the operation wants.
#[derive(Clone, Debug, Serialize)]
pub struct PlannedOperand {
    /// The name of the value.
    pub value: String,
    /// Its layout in the local memory.
    pub layout: String,
    /// The switch from the layout of the value, if it has another one.
    pub switch: Option<PlannedSwitch>,
}

/// A switch from one layout to another.
#[derive(Clone, Debug, Serialize)]
pub struct PlannedSwitch {
    /// The layout of the value, seen with the axes of the operand.
    pub from: String,
    /// Its cycles at least.
    pub cycles: u64,
    /// The penalty for a change of lanes.
    pub penalty: u64,
    /// Its movements.
    pub route: Option<SwitchRoute>,
}

impl Plan<'_> {
    /// The plan as data.
    #[must_use]
    pub fn report(&self) -> PlanReport {
        let uncovered = self.graph.uncovered().into_iter();
        let uncovered = uncovered.map(|(kind, name)| (kind.to_owned(), name.to_owned()));
        PlanReport {
            model: self.graph.name.clone(),
            machine: self.setting.machine().name().to_owned(),
            totals: self.totals.clone(),
            values: (0..self.variables.len()).map(|at| self.planned(at)).collect(),
            uncovered: uncovered.collect(),
        }
    }

    fn planned(&self, at: usize) -> PlannedValue {
        let variable = &self.variables[at];
        let choice = &variable.domain.choices[self.chosen[at]];
        let value = self.graph.value(variable.value);
        let operation = variable.operation.map(|at| &self.graph.operations[at]);
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
            memory: choice.result.memory.clone(),
            part: choice.result.part.number(),
            loops: choice.loops.as_ref().map(ToString::to_string),
            own: choice.own,
            words: choice.words,
            is_oversized: operation.is_some() && memory.is_some_and(|most| choice.words > most),
            choices: variable.domain.choices.len(),
            operands: self.operands(at, choice),
        }
    }

    fn operands(&self, at: usize, choice: &Choice) -> Vec<PlannedOperand> {
        let Some(operation) = self.variables[at].operation else { return Vec::new() };
        let operation = &self.graph.operations[operation];
        let operand = |(number, id): (usize, ValueId)| {
            let joint = |joint: &&Joint| joint.to == at && joint.operand == number;
            let found = self.joints.iter().find_position(joint);
            PlannedOperand {
                value: self.graph.value(id).name.clone(),
                layout: self.text(&choice.operands[number]),
                switch: found.and_then(|(place, joint)| self.switch(place, joint)),
            }
        };
        operation.reads().into_iter().enumerate().map(operand).collect()
    }

    fn switch(&self, place: usize, joint: &Joint) -> Option<PlannedSwitch> {
        let (from, to) = self.ends(joint)?;
        if from.layout == to.layout && from.memory == to.memory {
            return None;
        }
        let penalty = self.penalty(joint);
        let cycles = joint.cost(&self.variables, &self.chosen).saturating_sub(penalty);
        let route = self.routes.get(place).cloned().flatten();
        Some(PlannedSwitch { from: self.text(&from), cycles, penalty, route })
    }

    fn text(&self, held: &Held) -> String {
        let placed = self.setting.placement(&held.layout, held.memory.as_deref(), held.bits);
        placed.map_or_else(|_| held.layout.to_string(), |placed| Route::text(&placed))
    }
}
