//! A layout for every value of a graph, with the least cycles of everything together.
//!
//! ```text
//! variables     one per operation and per given value; its choices are those of `choices`
//! costs         own price of a choice; for each operand, the price of the switch from where the value is
//! search        least sum, exact where the graph is narrow
//! routes        the movements of every switch that the plan has
//! ```

mod edges;
mod report;
mod routes;
mod text;
mod variables;

use std::collections::{HashMap, HashSet};

use tensor_layout::relayout::PartId;
use tensor_layout::{LayoutError, Machine};

use crate::choices::{Choice, Setting, SettingError};
use crate::graph::{Graph, ValueId};
use crate::search::{Limits, Problem, ProblemError};
use edges::Joint;
pub(crate) use edges::viewed;
pub use report::{PlanReport, PlannedOperand, PlannedSwitch, PlannedValue, Totals};
pub use routes::SwitchRoute;
use variables::Variable;

/// Options of a plan.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// The most choices that an operation keeps: those that are cheapest by themselves.
    pub keep: usize,
    /// The cycles that a switch costs besides if no movements make it.
    pub penalty: u64,
    /// True if movements are looked for.
    pub routes: bool,
    /// The ends of the search.
    pub limits: Limits,
}

impl Default for PlanOptions {
    fn default() -> PlanOptions {
        PlanOptions { keep: 64, penalty: 1000, routes: true, limits: Limits::default() }
    }
}

/// A graph for which there is no plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// An error of the machine.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// An error of a layout.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// An error of the search.
    #[error(transparent)]
    Search(#[from] ProblemError),
    /// An operation without a choice.
    #[error("`{name}`, a {kind} of {shape:?}, has no layout on this machine")]
    NoChoice {
        /// The operation or value.
        name: String,
        /// Its operator.
        kind: String,
        /// The extents of its loops.
        shape: Vec<u64>,
    },
}

/// A choice for every variable of a graph.
#[derive(Debug)]
pub struct Plan<'g> {
    graph: &'g Graph,
    setting: Setting,
    variables: Vec<Variable>,
    joints: Vec<Joint>,
    chosen: Vec<usize>,
    totals: Totals,
    routes: Vec<Option<SwitchRoute>>,
}

/// The most times that a plan is made again because it has switches that no movements make.
const ROUNDS: usize = 3;

/// Plans a graph on a machine.
///
/// The plan is optimal over the choices of each operation that [`PlanOptions::keep`] leaves, if its bound equals its
/// cost. Switches that two operations share are paid by each.
/// Cost: about 0.1 ms per candidate of each different operation; then the [search](crate::search).
///
/// # Errors
/// [`PlanError`]; operations without a rule are no error: they have one choice, copies on every unit.
pub fn plan<'g>(
    graph: &'g Graph,
    machine: &Machine,
    options: &PlanOptions,
) -> Result<Plan<'g>, PlanError> {
    let mut setting = Setting::new(machine, options.penalty, options.keep)?;
    let variables = variables::of(graph, &mut setting)?;
    let joints = edges::of(graph, &variables, &mut setting);
    let (chosen, routes, totals) = (Vec::new(), Vec::new(), Totals::default());
    let mut plan = Plan { graph, setting, variables, joints, chosen, totals, routes };
    let free = plan.problem(&HashSet::new(), 0)?;
    let first = free.solve(&options.limits);
    plan.totals = Totals {
        naive: free.cost(&free.naive()),
        greedy: free.cost(&free.greedy()),
        plan: first.cost,
        penalties: 0,
        bound: first.bound,
        avoiding: None,
        width: first.width,
        without_movements: 0,
    };
    plan.chosen = first.choices;
    if options.routes {
        plan.avoid_missing_movements(&free, options)?;
    }
    plan.totals.penalties = plan.joints.iter().map(|joint| plan.penalty(joint)).sum();
    if first.cost == first.bound {
        plan.totals.avoiding = Some(plan.totals.plan.saturating_sub(first.cost));
    }
    Ok(plan)
}

impl Plan<'_> {
    fn problem(&self, missing: &HashSet<Pair>, penalty: u64) -> Result<Problem, ProblemError> {
        let own = self.variables.iter().map(Variable::own).collect();
        let edge = |joint: &Joint| joint.edge(&self.variables, missing, penalty);
        Problem::new(own, self.joints.iter().map(edge).collect())
    }

    /// Looks for the movements of all switches, and plans again as long as other choices have more of them.
    fn avoid_missing_movements(
        &mut self,
        free: &Problem,
        options: &PlanOptions,
    ) -> Result<(), ProblemError> {
        let (mut missing, mut known_routes) = (HashSet::new(), HashMap::new());
        let mut best = (u64::MAX, Vec::new());
        for _ in 0..ROUNDS {
            let routes = self.routes_of(&mut known_routes);
            let without = self.without_movements(&routes);
            let penalties = u64::try_from(without.len()).unwrap_or(u64::MAX);
            let cost = free.cost(&self.chosen);
            let all = cost.saturating_add(penalties.saturating_mul(options.penalty));
            if all < best.0 {
                best = (all, self.chosen.clone());
                (self.totals.plan, self.totals.without_movements) = (cost, without.len());
                self.routes = routes;
            }
            let known = missing.len();
            missing.extend(without);
            if missing.len() == known {
                break;
            }
            self.chosen = self.problem(&missing, options.penalty)?.solve(&options.limits).choices;
        }
        self.chosen = best.1;
        Ok(())
    }

    /// The part of the price of a switch that is a penalty.
    fn penalty(&self, joint: &Joint) -> u64 {
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

    /// The parts of the switches that no movements make.
    fn without_movements(&self, routes: &[Option<SwitchRoute>]) -> Vec<Pair> {
        let is_missing =
            |route: &Option<SwitchRoute>| route.as_ref().is_some_and(|of| of.movements.is_none());
        let missing = self.joints.iter().zip(routes).filter(|(_, route)| is_missing(route));
        missing.filter_map(|(joint, _)| joint.pair(&self.variables, &self.chosen)).collect()
    }
}

/// The parts of a switch.
type Pair = (PartId, PartId);

impl<'g> Plan<'g> {
    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &'g Graph {
        self.graph
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

    /// The costs of all choices, alone and by twos, without penalties.
    ///
    /// # Errors
    /// None for a plan that was made.
    pub fn costs(&self) -> Result<Problem, ProblemError> {
        self.problem(&HashSet::new(), 0)
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
}
