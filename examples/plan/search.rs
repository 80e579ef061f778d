//! The beam search over the operations.

use std::collections::HashMap;
use std::rc::Rc;

use indicatif::ProgressBar;
use itertools::Itertools;
use tensor_layout::{Layout, Level};

use crate::Answer;
use crate::block::{BLOCK, Step};
use crate::choices::Choice;
use crate::prices::Planner;

/// A plan up to some operation.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) cost: u64,
    /// Tensors in the memories of the PEs that are still wanted.
    pub(crate) live: Vec<(&'static str, Layout)>,
    pub(crate) done: Option<Rc<Done>>,
}

/// An operation of a plan, and those before it.
pub(crate) struct Done {
    pub(crate) choice: Rc<Choice>,
    /// Steps of each operand's relayout, with where it was.
    pub(crate) moved: Vec<(u64, Option<Layout>)>,
    pub(crate) before: Option<Rc<Done>>,
}

impl Planner {
    /// The plan with one more operation, if it fits.
    pub(crate) fn extended(
        &mut self,
        plan: &Plan,
        number: usize,
        choice: &Rc<Choice>,
    ) -> Answer<Option<Plan>> {
        let step = &BLOCK[number];
        let wanted_later =
            |name: &str| BLOCK[number + 1..].iter().any(|later| later.operands.contains(&name));
        let others = plan
            .live
            .iter()
            .filter(|(name, _)| !step.operands.contains(name) || wanted_later(name));
        let resting: u64 = others.map(|(_, layout)| layout.extent(Level::ADDR)).sum();
        if resting + choice.words > self.capacity {
            return Ok(None);
        }
        let mut cost = plan.cost + choice.own;
        let mut moved = Vec::new();
        for (tensor, (sliced, whole)) in step.operands.iter().zip(&choice.operands) {
            let source =
                plan.live.iter().find(|(name, _)| name == tensor).map(|(_, layout)| layout);
            let Some(source) = source else {
                moved.push((0, None));
                continue;
            };
            let streamed = source.used_levels().contains(&Level::TIME);
            let Some(steps) = self.relayout(source, if streamed { sliced } else { whole })? else {
                return Ok(None);
            };
            cost += steps;
            moved.push((steps, Some(source.clone())));
        }
        let mut live = plan.live.clone();
        live.retain(|(name, _)| wanted_later(name));
        live.push((step.result, choice.rest.clone()));
        let done = Done { choice: choice.clone(), moved, before: plan.done.clone() };
        Ok(Some(Plan { cost, live, done: Some(Rc::new(done)) }))
    }

    /// Plans with one more operation, the cheapest of those that leave the tensors alike.
    pub(crate) fn all_extended(
        &mut self,
        plans: &[Plan],
        number: usize,
        choices: &[Rc<Choice>],
    ) -> Answer<Vec<Plan>> {
        let mut best: HashMap<Vec<(&'static str, Layout)>, Plan> = HashMap::new();
        for plan in plans {
            for choice in choices {
                let Some(next) = self.extended(plan, number, choice)? else { continue };
                match best.get(&next.live) {
                    Some(other) if other.cost <= next.cost => {}
                    _ => drop(best.insert(next.live.clone(), next)),
                }
            }
        }
        let text = |plan: &Plan| format!("{:?}", plan.live);
        Ok(best.into_values().sorted_by_cached_key(|plan| (plan.cost, text(plan))).collect())
    }

    /// Walks the operations, keeping some plans after each; the best one and the sum of the
    /// cheapest choices.
    pub(crate) fn search(
        &mut self,
        beam: usize,
        cheapest_only: bool,
        bar: &ProgressBar,
    ) -> Answer<(Plan, u64)> {
        let mut plans = vec![Plan { cost: 0, live: Vec::new(), done: None }];
        let mut bound = 0;
        for (number, step) in BLOCK.iter().enumerate() {
            bar.set_message(format!("{} = {}", step.result, step.sum));
            let mut next = Vec::new();
            // A streamed operand is used in as many slices as it was made in.
            let made = |plan: &Plan| plan.live.iter().map(|(_, l)| l.extent(Level::TIME)).max();
            let slices = plans.iter().filter_map(made).max().unwrap_or(1);
            let tried =
                if step.streamed { vec![1, 2, 4, 8, 16, 32, 64, 128] } else { vec![slices] };
            for slices in tried {
                let mut choices = self.choices(step, slices)?;
                let least = choices.first().map_or(0, |choice| choice.own);
                if cheapest_only {
                    choices.retain(|choice| choice.own == least);
                }
                next = self.all_extended(&plans, number, &choices)?;
                if !next.is_empty() {
                    bound += least;
                    break;
                }
            }
            next.truncate(beam);
            plans = next;
            bar.inc(1);
        }
        let plan = plans.into_iter().next().ok_or("no plan fits into the memories")?;
        Ok((plan, bound))
    }
}

/// The operations of a plan with their choices, first to last.
pub(crate) fn walk(plan: &Plan) -> Vec<(&'static Step, Rc<Done>)> {
    let mut all: Vec<Rc<Done>> = Vec::new();
    let mut next = plan.done.clone();
    while let Some(done) = next {
        next = done.before.clone();
        all.push(done);
    }
    BLOCK.iter().zip(all.into_iter().rev()).collect()
}
