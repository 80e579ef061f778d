//! A plan with more pins, beside the one without them.

use std::collections::HashMap;

use tensor_layout::LayoutError;

use super::planning::Watch;
use super::solved::Plan;
use super::variables::Role;
use crate::choices::{Choice, Held};
use crate::graph::Graph;
use crate::pins::Pins;
use crate::search::FORBIDDEN;

/// The layouts of a value in a plan, with those of the operands of its operation.
type Known = HashMap<(String, bool), (Held, Vec<Held>)>;

impl Plan<'_> {
    /// The plan with more pins, and its cost if all values that the pins leave alone stay as they are: `None` where
    /// some cannot. `graph` is the one that was planned.
    ///
    /// # Errors
    /// As [`plan`](super::plan).
    pub fn what_if<'g>(
        self,
        graph: &'g Graph,
        pins: Pins,
        watch: &Watch<'_>,
    ) -> Result<(Plan<'g>, Option<u64>), LayoutError> {
        let known = self.known();
        let mut planner = self.into_planner();
        planner.pin(pins);
        let plan = planner.plan_watched(graph, watch)?;
        let stays = plan.stays(&known)?;
        Ok((plan, stays))
    }

    fn known(&self) -> Known {
        let all = self.variables.iter().zip(&self.chosen).map(|(variable, choice)| {
            let Choice { result, operands, .. } = &variable.domain.choices[*choice];
            let name = self.graph.value(variable.value).name.clone();
            ((name, variable.role == Role::Kept), (result.clone(), operands.clone()))
        });
        all.collect()
    }

    /// The least cost with the layouts of another plan wherever there is a choice with them.
    fn stays(&self, known: &Known) -> Result<Option<u64>, LayoutError> {
        let mut problem = self.costs()?;
        for (own, variable) in problem.own.iter_mut().zip(&self.variables) {
            let name = self.graph.value(variable.value).name.clone();
            let Some((result, operands)) = known.get(&(name, variable.role == Role::Kept)) else {
                continue;
            };
            let stays = |choice: &Choice| {
                let pairs = choice.operands.iter().zip(operands);
                choice.result.is_at(result)
                    && pairs.into_iter().all(|(one, other)| one.is_at(other))
            };
            if variable.domain.choices.iter().any(stays) {
                let others = own.iter_mut().zip(&variable.domain.choices);
                others.filter(|(_, choice)| !stays(choice)).for_each(|(cost, _)| *cost = FORBIDDEN);
            }
        }
        let cost = problem.solve(&self.options.limits).cost;
        Ok((cost < FORBIDDEN).then_some(cost))
    }
}
