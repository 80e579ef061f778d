//! Calls of functions of the model, replaced by their nodes.

use std::collections::HashMap;

use super::messages::{Attribute, Function, GraphMessage, NodeMessage};

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
        let is_called = |of: &&Function| {
            (&of.domain, &of.name, &of.overload) == (&node.domain, &node.kind, &node.overload)
        };
        match functions.iter().find(is_called).filter(|_| depth > 0 && *number < CALLS) {
            None => all.push(node),
            Some(function) => {
                *number += 1;
                let call = Call::new(&node, function, *number);
                let inside = function.nodes.iter().map(|of| call.node(of)).collect();
                all.extend(expanded(inside, functions, depth - 1, number));
            }
        }
    }
    all
}

/// One call of a function: its values have the names of the call, or new ones, also in the branches and bodies of its nodes.
struct Call<'c> {
    node: &'c NodeMessage,
    function: &'c Function,
    names: HashMap<&'c str, &'c str>,
    prefix: String,
}

impl<'c> Call<'c> {
    fn new(node: &'c NodeMessage, function: &'c Function, number: usize) -> Call<'c> {
        // What the call leaves out has no name.
        let given = node.inputs.iter().map(String::as_str).chain(std::iter::repeat(""));
        let inputs = function.inputs.iter().map(String::as_str).zip(given);
        let results = node.outputs.iter().map(String::as_str);
        let outputs = function.outputs.iter().map(String::as_str).zip(results);
        let prefix = format!("{}#{number}", super::order::name(node));
        Call { node, function, names: inputs.chain(outputs).collect(), prefix }
    }

    fn name(&self, name: &String) -> String {
        match self.names.get(name.as_str()) {
            _ if name.is_empty() => String::new(),
            Some(actual) => (*actual).to_owned(),
            None => format!("{}/{name}", self.prefix),
        }
    }

    fn node(&self, of: &NodeMessage) -> NodeMessage {
        NodeMessage {
            inputs: of.inputs.iter().map(|name| self.name(name)).collect(),
            outputs: of.outputs.iter().map(|name| self.name(name)).collect(),
            name: format!("{}/{}", self.prefix, super::order::name(of)),
            attributes: of.attributes.iter().filter_map(|of| self.attribute(of)).collect(),
            ..of.clone()
        }
    }

    /// An attribute with its value in the call; none where the call leaves it out.
    fn attribute(&self, of: &Attribute) -> Option<Attribute> {
        if of.of_function.is_empty() {
            let graph = of.graph.as_ref().map(|graph| self.graph(graph));
            let graphs = of.graphs.iter().map(|graph| self.graph(graph)).collect();
            return Some(Attribute { graph, graphs, ..of.clone() });
        }
        let mut known = self.node.attributes.iter().chain(&self.function.defaults);
        let found = known.find(|known| known.name == of.of_function)?;
        Some(Attribute { name: of.name.clone(), ..found.clone() })
    }

    fn graph(&self, of: &GraphMessage) -> GraphMessage {
        let mut graph = of.clone();
        graph.nodes = of.nodes.iter().map(|of| self.node(of)).collect();
        let infos = graph.inputs.iter_mut().chain(&mut graph.outputs).chain(&mut graph.values);
        let infos = infos.map(|info| &mut info.name);
        let sparse = graph.sparse.iter_mut().filter_map(|of| of.values.as_mut());
        let tensors = graph.initializers.iter_mut().chain(sparse).map(|tensor| &mut tensor.name);
        infos.chain(tensors).for_each(|name| *name = self.name(name));
        graph
    }
}
