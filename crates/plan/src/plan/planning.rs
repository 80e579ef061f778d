//! The course of planning: variables, costs, the search, and the movements of switches.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use tensor_layout::error::fault;
use tensor_layout::{LayoutError, Machine};

use super::edges::{self, Joint, Pair};
use super::lifetimes;
use super::options::PlanOptions;
use super::pinned::Pinning;
use super::report::{SwitchRoute, Totals};
use super::solved::Plan;
use super::variables::{self, Variable};
use crate::choices::Setting;
use crate::graph::Graph;
use crate::pins::Pins;
use crate::search::{FORBIDDEN, Memory, Problem, Progress};

/// The most times that a plan is made again because it has switches that no movements make.
const ROUNDS: usize = 3;

/// Plans a graph on a machine.
///
/// If the search is exact, no plan over the choices that [`PlanOptions::keep`] leaves costs less, except by the cycles that avoid
/// switches without movements ([`Totals::avoiding`]). A value may be switched once for all that read it;
/// beyond that, each operation pays for its own switches.
///
/// Values fit beside each other in the memory of a PE if a plan is found in which they do. The cheapest plan of all is
/// such a plan, or another one is made with that limit.
/// Cost: tens of microseconds per candidate of each different operation; then the [search](crate::search), and up to
/// 512 trials per switch for its movements.
///
/// # Errors
/// `Missing` for a machine whose moves have no prices, with the fact `prices`; `Unsupported` for an operation without a layout on
/// this machine; `TooLarge` where all plans cost 2^52 cycles or more; the errors of layouts. Operations without a rule are not
/// an error: they have one choice, copies on every unit.
pub fn plan<'g>(
    graph: &'g Graph,
    machine: &Machine,
    options: &PlanOptions,
) -> Result<Plan<'g>, LayoutError> {
    Planner::new(machine, options)?.plan(graph)
}

/// The shares of the memories of a PE, in percent, that are tried until everything has an address.
const LIMITS: [u64; 4] = [100, 94, 88, 75];

/// A function that sees the progress of a search and may end it.
pub type Watch<'w> = dyn Fn(Progress) -> ControlFlow<()> + 'w;

/// A machine with options, and all that plans have in common: choices of operations, parts and prices.
///
/// To plan again after an edit of a graph, take the planner [back](Plan::into_planner): what did not change is known.
#[derive(Debug)]
pub struct Planner {
    setting: Setting,
    options: PlanOptions,
}

impl Planner {
    /// A planner that knows nothing yet.
    ///
    /// # Errors
    /// [`LayoutError`] for a machine whose switches have no prices, and for a penalty beyond the limit.
    pub fn new(machine: &Machine, options: &PlanOptions) -> Result<Planner, LayoutError> {
        let (penalty, most) = (options.penalty, PlanOptions::MOST_PENALTY);
        if penalty > most {
            return Err(fault!(
                Argument,
                "the penalty is {penalty} cycles: it must be at most {most}",
                [penalty, most]
            ));
        }
        let setting = Setting::new(machine, options.penalty, options.keep);
        let setting = setting.map_err(|error| error.with("prices", machine.name().to_owned()))?;
        let setting = setting.with_budget(options.sram_budget);
        Ok(Planner { setting, options: options.clone() })
    }

    /// Pins more layouts.
    pub fn pin(&mut self, pins: Pins) {
        self.options.pins.extend(pins);
    }

    /// Plans a graph, as [`plan`] does.
    ///
    /// # Errors
    /// As [`plan`].
    pub fn plan(self, graph: &Graph) -> Result<Plan<'_>, LayoutError> {
        self.plan_watched(graph, &|_| ControlFlow::Continue(()))
    }

    /// Plans a graph, as [`plan`] does, with a function that each search calls after each step and that may end it:
    /// the best choices so far are the plan.
    ///
    /// # Errors
    /// As [`plan`].
    pub fn plan_watched<'g>(
        self,
        graph: &'g Graph,
        watch: &Watch<'_>,
    ) -> Result<Plan<'g>, LayoutError> {
        let routes = self.options.routes;
        let (planner, without_pins) = self.without_pins(graph, watch)?;
        let mut plan = planner.fitting(graph, watch)?;
        plan.totals.without_pins = without_pins;
        if plan.totals.plan >= FORBIDDEN {
            return Err(fault!(
                TooLarge,
                "no plan costs less than 2^52 cycles: the tensors are too large"
            ));
        }
        if routes {
            plan.avoid_missing_movements(watch)?;
        }
        let penalties = plan.joints.iter().map(|joint| plan.penalty(joint));
        plan.totals.penalties = penalties.fold(0, u64::saturating_add);
        Ok(plan)
    }

    /// The cost of the plan without pins, if there are any.
    fn without_pins(
        mut self,
        graph: &Graph,
        watch: &Watch<'_>,
    ) -> Result<(Planner, Option<u64>), LayoutError> {
        if self.options.pins.is_empty() {
            return Ok((self, None));
        }
        let pins = std::mem::take(&mut self.options.pins);
        let free = self.fitting(graph, watch)?;
        let cost = free.totals.plan;
        let mut planner = free.into_planner();
        planner.options.pins = pins;
        Ok((planner, Some(cost)))
    }

    /// A plan, whatever movements there are, that fits into the memories of PEs if one does.
    fn fitting<'g>(self, graph: &'g Graph, watch: &Watch<'_>) -> Result<Plan<'g>, LayoutError> {
        let mut plan = self.open(graph, false)?;
        plan.solve(watch)?;
        let Some(most) = plan.setting.local_capacity().filter(|_| plan.places().is_none()) else {
            return Ok(plan);
        };
        let first = (plan.chosen.clone(), plan.totals.clone());
        plan = plan.into_planner().open(graph, true)?;
        let mut fits = None;
        for percent in LIMITS {
            plan.limit = Some(most / 100 * percent + most % 100 * percent / 100);
            plan.solve(watch)?;
            if plan.totals.plan >= FORBIDDEN {
                break;
            }
            if plan.places().is_some() {
                return Ok(plan);
            }
            fits.get_or_insert((plan.chosen.clone(), plan.totals.clone()));
        }
        if let Some((chosen, totals)) = fits {
            (plan.chosen, plan.totals, plan.limit) = (chosen, totals, Some(most));
            return Ok(plan);
        }
        // Nothing fits, or the search was ended: the first plan, and the report says what it lacks.
        plan = plan.into_planner().open(graph, false)?;
        (plan.chosen, plan.totals) = first;
        Ok(plan)
    }

    /// A plan without choices; if room is scarce, values may wait for their readers outside of the memories of PEs.
    fn open(self, graph: &Graph, is_tight: bool) -> Result<Plan<'_>, LayoutError> {
        let Planner { mut setting, options } = self;
        setting.set_tight(is_tight);
        let pins = Pinning::of(graph, &options.pins, &mut setting)?;
        let variables = variables::of(&pins, &mut setting, is_tight)?;
        let joints = edges::of(&pins.graph, &variables, &mut setting);
        Ok(Plan {
            graph: pins.graph,
            setting,
            options,
            variables,
            joints,
            chosen: Vec::new(),
            totals: Totals::default(),
            routes: Vec::new(),
            limit: None,
            pinned: pins.names,
        })
    }
}

impl Plan<'_> {
    /// The planner that made it, for the next graph.
    #[must_use]
    pub fn into_planner(self) -> Planner {
        Planner { setting: self.setting, options: self.options }
    }

    /// Chooses, whatever movements there are.
    fn solve(&mut self, watch: &Watch<'_>) -> Result<(), LayoutError> {
        let problem = self.costs()?;
        let found = problem.solve_watched(&self.options.limits, watch);
        self.totals = Totals {
            naive: problem.cost(&problem.naive()),
            greedy: problem.cost(&problem.greedy()),
            plan: found.cost,
            penalties: 0,
            bound: found.bound,
            avoiding: (found.cost == found.bound).then_some(0),
            width: found.width,
            without_movements: 0,
            without_pins: None,
        };
        self.chosen = found.choices;
        Ok(())
    }

    /// The most long words that are taken in a PE while each operation runs.
    pub(super) fn curve(&self) -> Vec<u64> {
        let operations = self.variables.iter().filter_map(Variable::operation).count();
        lifetimes::curve(&self.usage(0), &self.chosen, operations)
    }

    /// The long words that all choices take in the memories of a PE.
    pub(super) fn usage(&self, limit: u64) -> Memory {
        lifetimes::usage(&self.graph, &self.variables, &self.setting, limit)
    }

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
        let problem = Problem::new(own, self.joints.iter().map(edge).collect())?;
        problem.with_memories(self.limit.map(|limit| self.usage(limit)).into_iter().collect())
    }

    /// Looks for the movements of all switches, and plans again as long as other choices have more of them.
    fn avoid_missing_movements(&mut self, watch: &Watch<'_>) -> Result<(), LayoutError> {
        let options = self.options.clone();
        let (free, first) = (self.costs()?, self.totals.plan);
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
            self.chosen = self
                .problem(&missing, options.penalty)?
                .solve_watched(&options.limits, watch)
                .choices;
        }
        self.chosen = best.1;
        self.totals.avoiding = self.totals.avoiding.map(|_| self.totals.plan.saturating_sub(first));
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
