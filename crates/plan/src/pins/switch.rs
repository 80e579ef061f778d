//! Operations that only bring a value into its pinned layout.

use std::collections::HashMap;

use crate::choices::Pinned;
use crate::graph::{Body, Graph, Nest, Operation, Origin, Read, Scalar, Value, ValueId};

use super::found::Side;

/// The operator of a switch that a pin asks for.
pub(crate) const SWITCH: &str = "LayoutSwitch";

/// The name of the switch before an operand of a node, or behind its result.
pub(crate) fn name_of_switch(node: &str, side: Side) -> String {
    match side {
        Side::Operand(number) => format!("{node}/operand {number}"),
        Side::Result => format!("{node}/result"),
    }
}

/// A graph with switches where its operations are pinned to layouts that none of their choices has.
#[derive(Debug)]
pub(crate) struct Switches {
    pub(crate) graph: Graph,
    /// The layouts of switches, by the numbers of their operations.
    pub(crate) layouts: HashMap<usize, Vec<Pinned>>,
    /// The numbers that the operations of the first graph have.
    pub(crate) numbers: Vec<usize>,
}

impl Switches {
    /// Puts switches before operands and behind results, by the numbers of operations.
    pub(crate) fn of(graph: &Graph, wanted: &HashMap<(usize, Side), Vec<Pinned>>) -> Switches {
        let mut all =
            Switches { graph: graph.clone(), layouts: HashMap::new(), numbers: Vec::new() };
        let operations = std::mem::take(&mut all.graph.operations);
        for (at, mut operation) in operations.into_iter().enumerate() {
            for (number, id) in operation.reads().into_iter().enumerate() {
                if let Some(layouts) = wanted.get(&(at, Side::Operand(number))) {
                    let name = name_of_switch(&operation.name, Side::Operand(number));
                    let made = all.made(name.clone(), id);
                    all.switch(name, id, made, layouts);
                    operation.read_instead(number, made);
                }
            }
            let result = operation.result;
            let layouts = wanted.get(&(at, Side::Result));
            if layouts.is_some() {
                operation.result = all.made(format!("{}/computed", operation.name), result);
            }
            let name = name_of_switch(&operation.name, Side::Result);
            let computed = operation.result;
            all.numbers.push(all.graph.operations.len());
            all.graph.append(operation);
            if let Some(layouts) = layouts {
                all.switch(name, computed, result, layouts);
            }
        }
        all
    }

    /// A value like another one, which an operation is still to make.
    fn made(&mut self, name: String, like: ValueId) -> ValueId {
        let Value { shape, dtype, .. } = self.graph.value(like).clone();
        self.graph.add(Value { name, shape, dtype, origin: Origin::Input })
    }

    fn switch(&mut self, name: String, from: ValueId, to: ValueId, layouts: &[Pinned]) {
        self.layouts.insert(self.graph.operations.len(), layouts.to_vec());
        let shape = self.graph.value(from).shape.clone();
        let reads = vec![Read::of(from, 0..shape.len())];
        let body = Body::Nest(Nest::pointwise(shape, reads, Scalar::Read(0)));
        self.graph.append(Operation { name, kind: SWITCH.into(), result: to, seen: None, body });
    }
}

impl Graph {
    /// Adds an operation that makes a value which there is.
    fn append(&mut self, operation: Operation) {
        let number = self.operations.len();
        self.values[operation.result.0].origin = Origin::Operation(number);
        self.operations.push(operation);
    }
}

impl Operation {
    fn read_instead(&mut self, number: usize, id: ValueId) {
        match &mut self.body {
            Body::Nest(nest) => nest.reads[number].value = id,
            Body::Opaque(reads) => reads[number] = id,
        }
    }
}
