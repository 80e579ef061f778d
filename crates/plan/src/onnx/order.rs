//! Nodes after those whose results they read.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use tensor_layout::LayoutError;
use tensor_layout::error::fault;

use super::messages::{GraphMessage, NodeMessage};

/// The names that a node reads: its inputs, and what its subgraphs take from outside.
pub(super) fn needs(node: &NodeMessage) -> Vec<&str> {
    let mut names: Vec<&str> = node.inputs.iter().map(String::as_str).collect();
    names.retain(|name| !name.is_empty());
    names.extend(captures(node));
    names
}

/// The names that the subgraphs of a node take from outside.
pub(super) fn captures(node: &NodeMessage) -> Vec<&str> {
    let graphs = node.attributes.iter().flat_map(|of| of.graph.iter().chain(&of.graphs));
    graphs.flat_map(free).collect()
}

fn free(graph: &GraphMessage) -> Vec<&str> {
    let outputs = graph.outputs.iter().map(|of| of.name.as_str());
    let needed = graph.nodes.iter().flat_map(needs).chain(outputs);
    let own: Vec<&str> = (graph.inputs.iter().map(|of| of.name.as_str()))
        .chain(graph.initializers.iter().map(|of| of.name.as_str()))
        .chain(graph.nodes.iter().flat_map(|node| node.outputs.iter().map(String::as_str)))
        .collect();
    needed.filter(|name| !own.contains(name)).collect()
}

/// The name of a node: its own, or that of its first result.
pub(super) fn name(node: &NodeMessage) -> &str {
    match node.name.is_empty() {
        true => node.outputs.iter().find(|name| !name.is_empty()).map_or(&node.kind, |name| name),
        false => &node.name,
    }
}

/// The numbers of nodes, each after those that it needs, and otherwise in the order of the file.
///
/// # Errors
/// `Invalid` for a cycle, and for two values of one name.
pub(super) fn order(nodes: &[NodeMessage]) -> Result<Vec<usize>, LayoutError> {
    let makers = makers(nodes)?;
    let from = |node: &NodeMessage| -> Vec<usize> {
        needs(node).into_iter().filter_map(|name| makers.get(name).copied()).collect()
    };
    let before: Vec<Vec<usize>> = nodes.iter().map(from).collect();
    let order = sorted(&before);
    match (0..nodes.len()).find(|node| order.len() < nodes.len() && !order.contains(node)) {
        Some(left) => Err(fault!(
            Invalid,
            "node `{node}` needs its own result: remove the cycle",
            [node = name(&nodes[on_cycle(left, &before, &order)]).to_owned()]
        )),
        None => Ok(order),
    }
}

fn makers(nodes: &[NodeMessage]) -> Result<HashMap<&str, usize>, LayoutError> {
    let mut makers = HashMap::new();
    for (number, node) in nodes.iter().enumerate() {
        for output in node.outputs.iter().filter(|name| !name.is_empty()) {
            if makers.insert(output.as_str(), number).is_some() {
                return Err(twice(output));
            }
        }
    }
    Ok(makers)
}

fn sorted(before: &[Vec<usize>]) -> Vec<usize> {
    let mut after = vec![Vec::new(); before.len()];
    for (node, needs) in before.iter().enumerate() {
        needs.iter().for_each(|of| after[*of].push(node));
    }
    let mut missing: Vec<usize> = before.iter().map(Vec::len).collect();
    let mut ready: BinaryHeap<_> =
        (0..before.len()).filter(|of| missing[*of] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(before.len());
    while let Some(Reverse(node)) = ready.pop() {
        order.push(node);
        for next in &after[node] {
            missing[*next] -= 1;
            if missing[*next] == 0 {
                ready.push(Reverse(*next));
            }
        }
    }
    order
}

/// A node that needs itself, before a node that was not sorted.
fn on_cycle(left: usize, before: &[Vec<usize>], order: &[usize]) -> usize {
    let mut seen = vec![false; before.len()];
    let mut at = left;
    while !seen[at] {
        seen[at] = true;
        at = before[at].iter().copied().find(|of| !order.contains(of)).unwrap_or(at);
    }
    at
}

pub(super) fn twice(name: &str) -> LayoutError {
    let name = name.to_owned();
    fault!(Invalid, "two values have the name `{name}`: rename one of them", [name])
}
