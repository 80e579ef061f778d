//! Calls of functions of the model, replaced by their nodes.

use std::collections::HashMap;

use super::messages::{Attribute, Function, NodeMessage};

/// The depth of calls in calls; deeper ones stay calls.
const DEPTH: usize = 16;

/// The number of calls that are replaced; later ones stay calls.
const CALLS: usize = 1 << 18;

/// Nodes without calls of functions.
pub(super) fn inlined(nodes: Vec<NodeMessage>, functions: &[Function]) -> Vec<NodeMessage> {
    if functions.is_empty() {
        return nodes;
    }
    let mut number = 0;
    expanded(nodes, functions, DEPTH, &mut number)
}

fn expanded(
    nodes: Vec<NodeMessage>,
    functions: &[Function],
    depth: usize,
    number: &mut usize,
) -> Vec<NodeMessage> {
    let mut all = Vec::new();
    for node in nodes {
        let is_called = |of: &&Function| (&of.domain, &of.name) == (&node.domain, &node.kind);
        match functions.iter().find(is_called).filter(|_| depth > 0 && *number < CALLS) {
            None => all.push(node),
            Some(function) => {
                *number += 1;
                let inside = called(&node, function, *number);
                all.extend(expanded(inside, functions, depth - 1, number));
            }
        }
    }
    all
}

/// The nodes of a function for one call: values have the names of the call, or new ones.
fn called(node: &NodeMessage, function: &Function, number: usize) -> Vec<NodeMessage> {
    let mut names: HashMap<&str, String> = HashMap::new();
    let inputs =
        function.inputs.iter().zip(node.inputs.iter().map(Some).chain(std::iter::repeat(None)));
    for (formal, actual) in inputs {
        names.insert(formal, actual.cloned().unwrap_or_default());
    }
    for (formal, actual) in function.outputs.iter().zip(&node.outputs) {
        names.insert(formal, actual.clone());
    }
    let prefix = format!("{}#{number}", super::order::name(node));
    let renamed = |name: &String| match names.get(name.as_str()) {
        _ if name.is_empty() => String::new(),
        Some(actual) => actual.clone(),
        None => format!("{prefix}/{name}"),
    };
    let inside = |of: &NodeMessage| NodeMessage {
        inputs: of.inputs.iter().map(renamed).collect(),
        outputs: of.outputs.iter().map(renamed).collect(),
        name: format!("{prefix}/{}", super::order::name(of)),
        attributes: of.attributes.iter().filter_map(|of| given(of, node, function)).collect(),
        ..of.clone()
    };
    function.nodes.iter().map(inside).collect()
}

/// An attribute with its value in the call; none where the call leaves it out.
fn given(of: &Attribute, node: &NodeMessage, function: &Function) -> Option<Attribute> {
    if of.of_function.is_empty() {
        return Some(of.clone());
    }
    let mut known = node.attributes.iter().chain(&function.defaults);
    let found = known.find(|known| known.name == of.of_function)?;
    Some(Attribute { name: of.name.clone(), ..found.clone() })
}
