//! A plan: the choices of all variables, and its switches.

use std::borrow::Cow;

use super::edges::Joint;
use super::options::PlanOptions;
use super::report::{SwitchRoute, Totals};
use super::variables::{Role, Variable};
use crate::choices::{Choice, Held, Setting};
use crate::graph::{Graph, ValueId};

/// A choice for every variable of a graph.
#[derive(Debug)]
pub struct Plan<'g> {
    pub(super) graph: Cow<'g, Graph>,
    pub(super) setting: Setting,
    pub(super) options: PlanOptions,
    pub(super) variables: Vec<Variable>,
    pub(super) joints: Vec<Joint>,
    pub(super) chosen: Vec<usize>,
    pub(super) totals: Totals,
    pub(super) routes: Vec<Option<SwitchRoute>>,
    /// The long words that values may take in a PE, where the plan without a limit takes more.
    pub(super) limit: Option<u64>,
    /// For each pin the names of the nodes and values that it is about.
    pub(super) pinned: Vec<Vec<String>>,
}

impl Plan<'_> {
    /// The graph, with the switches that pins ask for.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The machine with its prices.
    #[must_use]
    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    /// The costs.
    #[must_use]
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// The number of candidates that were looked at for this plan: those of operations that earlier plans had are known.
    #[must_use]
    pub fn candidates(&self) -> u64 {
        self.variables.iter().map(|variable| variable.domain.tried).sum()
    }

    /// The choices that the plan had for a value.
    #[must_use]
    pub fn choices(&self, value: ValueId) -> &[Choice] {
        let variable = self.variables.iter().find(|variable| variable.value == value);
        variable.map_or(&[], |variable| &variable.domain.choices)
    }

    /// The choice for a value that is given or computed; `None` for a view or a value that nothing needs.
    #[must_use]
    pub fn choice(&self, value: ValueId) -> Option<&Choice> {
        let at = self.variables.iter().position(|variable| variable.value == value)?;
        self.variables[at].domain.choices.get(self.chosen[at])
    }

    /// The layout that readers find a value in: its own, or one that they share.
    #[must_use]
    pub fn kept(&self, value: ValueId) -> Option<&Held> {
        let at = self.variables.iter().rposition(|variable| variable.value == value)?;
        self.variables[at].domain.choices.get(self.chosen[at]).map(|choice| &choice.result)
    }

    /// The choices of the layout that the readers of a value share; none where no two of them want the same.
    #[must_use]
    pub fn shared(&self, value: ValueId) -> &[Choice] {
        let shared = |of: &&Variable| of.value == value && of.role == Role::Kept;
        self.variables.iter().find(shared).map_or(&[], |variable| &variable.domain.choices)
    }

    /// The part of the price of a switch that is a penalty.
    pub(super) fn penalty(&self, joint: &Joint) -> u64 {
        let cost = joint.cost(&self.variables, &self.chosen);
        let pricer = self.setting.pricer();
        let cycles = joint.pair(&self.variables, &self.chosen).and_then(|(from, to)| {
            let bits =
                self.variables[joint.from].domain.choices[self.chosen[joint.from]].result.bits;
            let levels = pricer.traffic(from, to).ok()?;
            Some(pricer.model().for_elements_of(bits).at_least(&levels).ok()?.steps)
        });
        cycles.map_or(0, |cycles| cost.saturating_sub(cycles))
    }
}
