//! An order in which variables can be eliminated with small tables.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::network::Network;

/// An order of some variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// The variables to eliminate, in order.
    pub(super) variables: Vec<usize>,
    /// Variables that have to keep their choice, or else a table would be too large.
    pub(super) fixed: Vec<usize>,
    /// The most neighbours of a variable when it is eliminated.
    pub(super) width: usize,
}

/// The neighbours that each variable has left, by the sizes of the tables that would join them.
struct Graph<'a> {
    network: &'a Network,
    near: BTreeMap<usize, BTreeSet<usize>>,
    heap: BinaryHeap<Reverse<(usize, usize)>>,
}

impl<'a> Graph<'a> {
    fn new(network: &'a Network, region: &[usize]) -> Graph<'a> {
        let inside: BTreeSet<usize> = region.iter().copied().collect();
        let near = |variable: &usize| {
            let near = network.around[*variable].keys();
            (*variable, near.copied().filter(|near| inside.contains(near)).collect())
        };
        let near = region.iter().map(near).collect();
        let mut graph = Graph { network, near, heap: BinaryHeap::new() };
        region.iter().for_each(|variable| graph.push(*variable));
        graph
    }

    fn size(&self, variable: usize) -> usize {
        let sizes = self.near[&variable].iter().map(|near| self.network.own[*near].len());
        sizes.fold(1, usize::saturating_mul)
    }

    fn push(&mut self, variable: usize) {
        self.heap.push(Reverse((self.size(variable), variable)));
    }

    /// The variable with the smallest table.
    fn pop(&mut self) -> Option<(usize, usize)> {
        loop {
            let Reverse((size, variable)) = self.heap.pop()?;
            if self.near.contains_key(&variable) && self.size(variable) == size {
                return Some((size, variable));
            }
        }
    }

    fn take(&mut self, variable: usize) -> BTreeSet<usize> {
        let near = self.near.remove(&variable).unwrap_or_default();
        for of in &near {
            self.near.entry(*of).and_modify(|of| _ = of.remove(&variable));
        }
        near
    }

    /// Takes a variable away; its neighbours become neighbours of each other.
    fn eliminate(&mut self, variable: usize) -> usize {
        let near = self.take(variable);
        for of in &near {
            let others = near.iter().filter(|other| *other != of);
            self.near.entry(*of).and_modify(|of| of.extend(others));
        }
        near.iter().for_each(|of| self.push(*of));
        near.len()
    }

    /// Takes away the variable that has the most neighbours, of a variable and those next to it.
    fn fix(&mut self, variable: usize) -> usize {
        let near = self.near[&variable].iter().copied().chain([variable]);
        let most = near.max_by_key(|of| (self.near[of].len(), Reverse(*of))).unwrap_or(variable);
        self.take(most).into_iter().for_each(|of| self.push(of));
        if most != variable {
            self.push(variable);
        }
        most
    }
}

/// An order whose tables have at most `cells` costs in all; it ends at the first variable that is fixed if there may be
/// none.
pub(super) fn order(network: &Network, region: &[usize], cells: usize, may_fix: bool) -> Order {
    let mut graph = Graph::new(network, region);
    let (mut order, mut total) = (Order::default(), 0_usize);
    while let Some((size, variable)) = graph.pop() {
        if total.saturating_add(size) > cells.max(1) && size > 1 {
            order.width = order.width.max(graph.near[&variable].len());
            order.fixed.push(graph.fix(variable));
            if !may_fix {
                break;
            }
            continue;
        }
        total += size;
        order.width = order.width.max(graph.eliminate(variable));
        order.variables.push(variable);
    }
    order
}
