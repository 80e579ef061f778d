//! The reasons for the layout of one value: what others would cost, here and at its neighbours.

use std::fmt;

use itertools::Itertools;
use serde::Serialize;

use super::solved::Plan;
use super::variables::Role;
use crate::search::{FORBIDDEN, Limits};

/// The most alternatives that are looked at.
const SHOWN: usize = 5;

/// The layout of a value with the next best ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The value.
    pub value: String,
    /// Its node; `None` for a value that is given.
    pub node: Option<String>,
    /// The cost of the plan.
    pub plan: u64,
    /// The choice of the plan.
    pub chosen: Alternative,
    /// The other choices, by ascending cost while all neighbours stay.
    pub others: Vec<Alternative>,
}

/// A choice for a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Alternative {
    /// The layout of the result.
    pub layout: String,
    /// The cycles of the operation without switches.
    pub own: u64,
    /// The switches from its operands and to its readers, while they stay as they are.
    pub switches: Vec<NeighbourSwitch>,
    /// The cost of the plan while all others stay; `None` where a switch is impossible or memory does not suffice.
    pub others_stay: Option<u64>,
    /// The least cost that was found for the plan if the others follow.
    pub others_follow: Option<u64>,
    /// The neighbour whose switch grows most, compared with the choice of the plan.
    pub decides: Option<String>,
}

/// The switch between a value and a neighbour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NeighbourSwitch {
    /// The operand or reader.
    pub neighbour: String,
    /// Its cycles, with the penalty for a change of lanes; `None` where there is no such switch.
    pub cycles: Option<u64>,
}

impl Plan<'_> {
    /// The reasons for the layout of a value, by its name or that of its node; `None` for an unknown one.
    ///
    /// The least costs are those of the search, whose seed and ends are the ones of the plan.
    /// Cost: a search for each alternative.
    #[must_use]
    pub fn explain(&self, name: &str) -> Option<Explanation> {
        let at = self.variable(name)?;
        let problem = self.costs().ok()?;
        let price = |choice: usize| {
            let mut chosen = self.chosen.clone();
            chosen[at] = choice;
            problem.cost(&chosen)
        };
        let choices = &self.variables[at].domain.choices;
        let ranked = (0..choices.len()).sorted_by_key(|choice| (price(*choice), *choice));
        let own = &choices[self.chosen[at]].result;
        let others = ranked.filter(|choice| !choices[*choice].result.is_at(own));
        let others = others.unique_by(|choice| &choices[*choice].result.layout).take(SHOWN);
        let follow = |choice: usize| {
            let mut problem = problem.clone();
            let own = problem.own[at].iter_mut().enumerate();
            own.filter(|(of, _)| *of != choice).for_each(|(_, cost)| *cost = FORBIDDEN);
            let limits = Limits { until: None, ..self.options.limits.clone() };
            problem.solve(&limits).cost
        };
        let chosen =
            self.alternative(at, self.chosen[at], (price(self.chosen[at]), self.totals.plan));
        let others = others.map(|choice| {
            let stay = price(choice);
            let mut other = self.alternative(at, choice, (stay, follow(choice).min(stay)));
            other.decides = chosen.most_against(&other);
            other
        });
        let others = others.collect();
        let value = self.graph.value(self.variables[at].value).name.clone();
        let node = self.variables[at].operation().map(|of| self.graph.operations[of].name.clone());
        Some(Explanation { value, node, plan: self.totals.plan, chosen, others })
    }

    /// The variable of a value or a node.
    fn variable(&self, name: &str) -> Option<usize> {
        let is_value = |at: &usize| {
            let of = &self.variables[*at];
            of.role != Role::Kept && self.graph.value(of.value).name == name
        };
        let is_node = |at: &usize| {
            let operation = self.variables[*at].operation();
            operation.is_some_and(|of| self.graph.operations[of].name == name)
        };
        let all = 0..self.variables.len();
        all.clone().find(is_value).or_else(|| all.clone().find(is_node))
    }

    fn alternative(&self, at: usize, choice: usize, (stay, follow): (u64, u64)) -> Alternative {
        let of = &self.variables[at].domain.choices[choice];
        let mut chosen = self.chosen.clone();
        chosen[at] = choice;
        let allowed = |cost: u64| (cost < FORBIDDEN).then_some(cost);
        let joints = self.joints.iter().filter(|joint| joint.from == at || joint.to == at);
        let switches = joints.map(|joint| NeighbourSwitch {
            neighbour: self.neighbour(if joint.from == at { joint.to } else { joint.from }, at),
            cycles: allowed(joint.cost(&self.variables, &chosen)),
        });
        Alternative {
            layout: self.text(&of.result),
            own: of.own.total(),
            switches: switches.collect(),
            others_stay: allowed(stay),
            others_follow: allowed(follow),
            decides: None,
        }
    }

    /// The name of a neighbour: the operand, or the node that reads.
    fn neighbour(&self, other: usize, at: usize) -> String {
        let of = &self.variables[other];
        let value = &self.graph.value(of.value).name;
        match of.operation() {
            _ if other < at => format!("from {value}"),
            Some(operation) => format!("to {}", self.graph.operations[operation].name),
            None => "to the layout of all readers".into(),
        }
    }
}

impl Alternative {
    /// The neighbour whose switch costs most more for another choice.
    fn most_against(&self, other: &Alternative) -> Option<String> {
        let cycles = |switch: &NeighbourSwitch| switch.cycles.unwrap_or(FORBIDDEN);
        let pairs = self.switches.iter().zip(&other.switches);
        let more = pairs.map(|(own, other)| (cycles(other).saturating_sub(cycles(own)), other));
        let most = more.max_by_key(|(more, _)| *more).filter(|(more, _)| *more > 0);
        most.map(|(_, switch)| switch.neighbour.clone())
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explanation { value, node, plan, chosen, others } = self;
        let node = node.as_ref().filter(|node| *node != value);
        let node = node.map(|node| format!("   node {node}")).unwrap_or_default();
        writeln!(f, "{value}{node}, in a plan of {plan} cycles")?;
        writeln!(f, "  chosen   {}", chosen.layout)?;
        chosen.write(f)?;
        if others.is_empty() {
            writeln!(f, "\nno other layout was among its choices")?;
        }
        for other in others {
            writeln!(f, "\n  instead  {}", other.layout)?;
            other.write(f)?;
            let more = |cost: Option<u64>| match cost {
                Some(cost) if cost >= *plan => format!("{} more", cost - plan),
                Some(cost) => format!("{} less", plan - cost),
                None => "impossible".into(),
            };
            let (stay, follow) = (more(other.others_stay), more(other.others_follow));
            write!(f, "           if all others stay {stay}, if they follow {follow}")?;
            let decides = other.decides.as_ref().map(|of| format!("; dearest: {of}"));
            writeln!(f, "{}", decides.unwrap_or_default())?;
        }
        Ok(())
    }
}

impl Alternative {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {:>9}  by itself", self.own)?;
        for NeighbourSwitch { neighbour, cycles } in &self.switches {
            let cycles = cycles.map_or_else(|| "none".into(), |cycles| cycles.to_string());
            writeln!(f, "  {cycles:>9}  {neighbour}")?;
        }
        Ok(())
    }
}
