//! A better lower bound: costs move along edges until choices that are good for one variable are good for all.
//!
//! Passes over the variables, forward and back, in the manner of sequential tree-reweighted message passing
//! (Kolmogorov 2006). Costs never fall below zero, so the constant is a bound after every step.

use super::network::Network;
use super::problem::FORBIDDEN;

/// The share of the bound that a pass has to add, or else it is the last one.
const PROGRESS: u64 = 2000;

/// Passes over all variables until the bound hardly grows. The bound may exceed `most`, which ends them.
pub(super) fn raise(network: &mut Network, passes: usize, most: u64, on: &dyn Fn() -> bool) {
    let mut order = network.live();
    let mut idle = 0;
    for _ in 0..passes {
        let before = network.base;
        both_ways(network, &mut order);
        idle = if network.base - before <= before / PROGRESS { idle + 1 } else { 0 };
        if idle == 2 || network.base > most || !on() {
            return;
        }
    }
}

/// A pass forward and one back.
pub(super) fn both_ways(network: &mut Network, order: &mut [usize]) {
    for _ in 0..2 {
        pass(network, order);
        order.reverse();
    }
}

fn pass(network: &mut Network, order: &[usize]) {
    let mut done = vec![false; network.own.len()];
    for variable in order {
        network.collect(*variable);
        done[*variable] = true;
        share(network, *variable, &done);
    }
}

/// Shares the costs of a variable among the edges to those that come later.
fn share(network: &mut Network, variable: usize, done: &[bool]) {
    let (before, after): (Vec<usize>, Vec<usize>) =
        network.near(variable).into_iter().partition(|near| done[*near]);
    let chains = u64::try_from(before.len().max(after.len()).max(1)).unwrap_or(FORBIDDEN);
    let parts: Vec<u64> = network.own[variable].iter().map(|own| own / chains).collect();
    after.into_iter().for_each(|near| network.extend(variable, near, &parts));
}

/// Drops choices without which no solution that costs at most `most` changes. Every variable keeps one.
pub(super) fn prune(network: &mut Network, most: u64) {
    let most = most.saturating_add(network.debt);
    for variable in network.live() {
        network.collect(variable);
        if network.base > most {
            return;
        }
        let own = network.own[variable].iter().enumerate();
        let keep: Vec<usize> = own
            .filter(|(_, own)| network.base.saturating_add(**own) <= most)
            .map(|(at, _)| at)
            .collect();
        if keep.len() < network.own[variable].len() {
            network.restrict(variable, &keep);
        }
        for near in network.near(variable).into_iter().filter(|near| *near > variable) {
            network.forbid(variable, near, most);
        }
    }
}
