//! The prices between the choices of two variables.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use itertools::Itertools;
use tensor_layout::relayout::PartId;

use super::variables::{Role, Variable};
use crate::choices::{Choice, Held, Setting};
use crate::graph::{Graph, ValueId, View};
use crate::search::Edge;

/// The parts of a switch.
pub(super) type Pair = (PartId, PartId);

/// A switch: the variables of a value and of the operation that reads it, or of the layout that all of them share.
#[derive(Debug)]
pub(super) struct Joint {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The number of the operand; `None` for a shared layout.
    pub(super) operand: Option<usize>,
    /// The value as the operand sees it, for each choice; `None` where it cannot be seen so.
    seen: Vec<Option<PartId>>,
    /// The prices, in the form of [`Edge::costs`].
    costs: Arc<[u64]>,
}

/// The switches of all operands, and those to shared layouts.
pub(super) fn of(graph: &Graph, variables: &[Variable], setting: &mut Setting) -> Vec<Joint> {
    let mut at: HashMap<ValueId, usize> = HashMap::new();
    let mut joints = Vec::new();
    let mut known: HashMap<(usize, Vec<&View>), Vec<Option<PartId>>> = HashMap::new();
    for (to, variable) in variables.iter().enumerate() {
        for (operand, id) in reads(graph, variable) {
            let (root, views) = graph.root(id);
            let Some(from) = at.get(&root).copied() else { continue };
            let key = (from, views.clone());
            let seen = known.entry(key).or_insert_with(|| {
                let all = variables[from].domain.choices.iter();
                all.map(|choice| part(&choice.result, &views, setting)).collect()
            });
            let wanted = variable.domain.choices.iter().map(|choice| taken(choice, operand).part);
            let costs = setting.prices(seen, &wanted.collect_vec());
            joints.push(Joint { from, to, operand, seen: seen.clone(), costs });
        }
        // A shared layout comes after its value, and all operands behind it read that.
        at.insert(variable.value, to);
    }
    joints
}

/// The values that a variable reads, with the numbers of operands.
fn reads(graph: &Graph, variable: &Variable) -> Vec<(Option<usize>, ValueId)> {
    match variable.role {
        Role::Given => Vec::new(),
        Role::Kept => vec![(None, variable.value)],
        Role::Computed(at) => {
            let reads = graph.operations[at].reads().into_iter().enumerate();
            reads.map(|(operand, id)| (Some(operand), id)).collect()
        }
    }
}

/// The operand of a choice, or the shared layout.
fn taken(choice: &Choice, operand: Option<usize>) -> &Held {
    operand.map_or(&choice.result, |operand| &choice.operands[operand])
}

fn part(held: &Held, views: &[&View], setting: &mut Setting) -> Option<PartId> {
    let seen = held.viewed(views).ok()?;
    setting.part(&seen.layout, seen.memory.as_deref(), seen.bits).ok()
}

impl Joint {
    /// The costs, with the penalty for pairs of parts that no movements join.
    pub(super) fn edge(
        &self,
        variables: &[Variable],
        missing: &HashSet<Pair>,
        penalty: u64,
    ) -> Edge {
        let mut costs = self.costs.to_vec();
        if !missing.is_empty() {
            let wanted = variables[self.to].domain.choices.iter();
            let wanted = wanted.map(|choice| taken(choice, self.operand).part);
            let pairs = self.seen.iter().cartesian_product(wanted);
            for (cost, (from, to)) in costs.iter_mut().zip(pairs) {
                if from.is_some_and(|from| missing.contains(&(from, to))) {
                    *cost = cost.saturating_add(penalty);
                }
            }
        }
        Edge { from: self.from, to: self.to, costs }
    }

    /// The parts of the switch of some choices.
    pub(super) fn pair(&self, variables: &[Variable], chosen: &[usize]) -> Option<Pair> {
        Some((self.seen[chosen[self.from]]?, self.wanted(variables, chosen).part))
    }

    /// The layout that is wanted.
    pub(super) fn wanted<'v>(&self, variables: &'v [Variable], chosen: &[usize]) -> &'v Held {
        taken(&variables[self.to].domain.choices[chosen[self.to]], self.operand)
    }

    /// The price of the switch of some choices.
    pub(super) fn cost(&self, variables: &[Variable], chosen: &[usize]) -> u64 {
        self.costs[chosen[self.from] * variables[self.to].domain.choices.len() + chosen[self.to]]
    }
}
