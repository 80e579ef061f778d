//! The course of planning: variables, costs, the search, and the movements of switches.

use std::collections::{HashMap, HashSet};
use tensor_layout::LayoutError;

use tensor_layout::Machine;

use super::edges::{self, Joint, Pair};
use super::report::{SwitchRoute, Totals};
use super::solved::Plan;
use super::variables::{self, Variable};
use crate::choices::Setting;
use crate::graph::Graph;
use crate::search::{Limits, Problem};

/// Options of a plan.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// The most choices that an operation keeps: those that are cheapest by themselves.
    pub keep: usize,
    /// The cycles that a switch costs besides if lanes change, or if no movements were found for it.
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

/// The most times that a plan is made again because it has switches that no movements make.
const ROUNDS: usize = 3;

/// Plans a graph on a machine.
///
/// If the search is exact, no plan over the choices that [`PlanOptions::keep`] leaves costs less, but for what avoids
/// switches without movements ([`Totals::avoiding`]). Switches that two operations share are paid by each.
/// Cost: tens of microseconds per candidate of each different operation; then the [search](crate::search), and up to
/// 512 trials per switch for its movements.
///
/// # Errors
/// `Missing` for a machine whose moves have no prices, with the fact `prices`; `Unsupported` for an operation without a
/// layout on this machine; as the layouts. Operations without a rule are no error: they have one choice, copies on every unit.
pub fn plan<'g>(
    graph: &'g Graph,
    machine: &Machine,
    options: &PlanOptions,
) -> Result<Plan<'g>, LayoutError> {
    let setting = Setting::new(machine, options.penalty, options.keep);
    let mut setting = setting.map_err(|error| error.with("prices", machine.name().to_owned()))?;
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
    /// The costs of all choices, alone and by twos, with the penalties for changes of lanes.
    ///
    /// # Errors
    /// None for a plan that was made.
    pub fn costs(&self) -> Result<Problem, LayoutError> {
        self.problem(&HashSet::new(), 0)
    }

    fn problem(&self, missing: &HashSet<Pair>, penalty: u64) -> Result<Problem, LayoutError> {
        let own = self.variables.iter().map(Variable::own).collect();
        let edge = |joint: &Joint| joint.edge(&self.variables, missing, penalty);
        Problem::new(own, self.joints.iter().map(edge).collect())
    }

    /// Looks for the movements of all switches, and plans again as long as other choices have more of them.
    fn avoid_missing_movements(
        &mut self,
        free: &Problem,
        options: &PlanOptions,
    ) -> Result<(), LayoutError> {
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

    /// The parts of the switches that no movements make.
    fn without_movements(&self, routes: &[Option<SwitchRoute>]) -> Vec<Pair> {
        let is_missing =
            |route: &Option<SwitchRoute>| route.as_ref().is_some_and(|of| of.movements.is_none());
        let missing = self.joints.iter().zip(routes).filter(|(_, route)| is_missing(route));
        missing.filter_map(|(joint, _)| joint.pair(&self.variables, &self.chosen)).collect()
    }
}
