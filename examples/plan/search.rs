//! The beam search over the operations.

use std::collections::HashMap;
use std::rc::Rc;

use itertools::Itertools;
use tensor_layout::{Layout, Level};

use crate::Answer;
use crate::block::{BLOCK, Step};
use crate::choices::{Choice, Planner};

/// Tensors in the memories of the PEs that are still needed.
type Live = Vec<(&'static str, Layout)>;

/// A plan up to some operation.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) cost: u64,
    live: Live,
    pub(crate) done: Vec<Rc<Done>>,
}

/// An operation of a plan.
pub(crate) struct Done {
    pub(crate) choice: Rc<Choice>,
    /// Steps of each operand's relayout, with its previous layout.
    pub(crate) moved: Vec<(u64, Option<Layout>)>,
}

impl Planner {
    /// The plan with one more operation, if it fits.
    fn extended(
        &mut self,
        plan: &Plan,
        number: usize,
        choice: &Rc<Choice>,
    ) -> Answer<Option<Plan>> {
        let step = &BLOCK[number];
        let later = |name: &str| BLOCK[number + 1..].iter().any(|of| of.operands.contains(&name));
        let stays = |(name, _): &&(&str, _)| !step.operands.contains(name) || later(name);
        let resting = plan.live.iter().filter(stays).map(|(_, layout)| layout.extent(Level::ADDR));
        if resting.sum::<u64>() + choice.words > self.capacity {
            return Ok(None);
        }
        let (mut cost, mut moved) = (plan.cost + choice.own, Vec::new());
        for (tensor, (sliced, whole)) in step.operands.iter().zip(&choice.operands) {
            let source = plan.live.iter().find(|(name, _)| name == tensor).map(|(_, from)| from);
            let steps = match source {
                None => 0,
                Some(from) => {
                    let to = if from.uses(Level::TIME) { sliced } else { whole };
                    let Some(taken) = self.relayout(from, to)? else { return Ok(None) };
                    taken.steps
                }
            };
            cost += steps;
            moved.push((steps, source.cloned()));
        }
        let mut live = plan.live.clone();
        live.retain(|(name, _)| later(name));
        live.push((step.result, choice.rest.clone()));
        let done = Rc::new(Done { choice: choice.clone(), moved });
        Ok(Some(Plan { cost, live, done: [&plan.done[..], &[done]].concat() }))
    }

    /// Plans with one more operation; of those with the same tensor layouts, only the cheapest is kept.
    fn all_extended(
        &mut self,
        plans: &[Plan],
        number: usize,
        choices: &[Rc<Choice>],
    ) -> Answer<Vec<Plan>> {
        let mut best: HashMap<Live, Plan> = HashMap::new();
        for (plan, choice) in plans.iter().cartesian_product(choices) {
            let Some(next) = self.extended(plan, number, choice)? else { continue };
            match best.get(&next.live) {
                Some(other) if other.cost <= next.cost => {}
                _ => drop(best.insert(next.live.clone(), next)),
            }
        }
        let order = |plan: &Plan| (plan.cost, plan.live.clone());
        Ok(best.into_values().sorted_by_cached_key(order).collect())
    }

    /// Runs over the operations, keeping some plans after each; returns the best plan and the sum of the
    /// cheapest choices.
    pub(crate) fn search(&mut self, beam: usize, cheapest_only: bool) -> Answer<(Plan, u64)> {
        let mut plans = vec![Plan { cost: 0, live: Vec::new(), done: Vec::new() }];
        let mut bound = 0;
        for (number, step) in BLOCK.iter().enumerate() {
            let mut next = Vec::new();
            // A streamed operand is used in the same number of slices as it was made in.
            let made = |plan: &Plan| plan.live.iter().map(|(_, l)| l.extent(Level::TIME)).max();
            let slices = plans.iter().filter_map(made).max().unwrap_or(1);
            let tried =
                if step.is_streamed { vec![1, 2, 4, 8, 16, 32, 64, 128] } else { vec![slices] };
            for slices in tried {
                let mut choices = self.choices(step, slices)?;
                let least = choices.first().map_or(0, |choice| choice.own);
                choices.retain(|choice| !cheapest_only || choice.own == least);
                next = self.all_extended(&plans, number, &choices)?;
                if !next.is_empty() {
                    bound += least;
                    break;
                }
            }
            next.truncate(beam);
            plans = next;
        }
        Ok((plans.into_iter().next().ok_or("no plan fits into the memories")?, bound))
    }
}

/// The operations of a plan with their choices, first to last.
pub(crate) fn walk(plan: &Plan) -> impl Iterator<Item = (&'static Step, &Done)> {
    BLOCK.iter().zip(plan.done.iter().map(Rc::as_ref))
}
