//! The variables of a plan: values that are given or computed, with their choices.

use std::collections::HashMap;
use tensor_layout::LayoutError;
use tensor_layout::error::fault;

use itertools::Itertools;

use crate::choices::{Choice, Domain, Setting};
use crate::graph::{Body, Graph, Nest, Operation, Origin, ValueId};

/// A value with its choices.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) value: ValueId,
    /// The operation that computes it.
    pub(super) operation: Option<usize>,
    pub(super) domain: Domain,
}

impl Variable {
    pub(super) fn own(&self) -> Vec<u64> {
        self.domain.choices.iter().map(|choice: &Choice| choice.own.total()).collect()
    }
}

/// The variables of a graph: each operation after the given values that it is the first to read.
pub(super) fn of(graph: &Graph, setting: &mut Setting) -> Result<Vec<Variable>, LayoutError> {
    let needed = graph.needed();
    let operations = graph.operations.iter().zip(needed).enumerate();
    let operations = operations.filter(|(_, (_, needed))| *needed).collect_vec();
    let read = operations.iter().flat_map(|(_, (operation, _))| operation.reads());
    let uses = read.map(|id| graph.root(id).0).counts();
    let mut known = Known { domains: HashMap::new(), uses };
    let mut variables: Vec<Variable> = Vec::new();
    for (at, (operation, _)) in operations {
        for id in operation.reads() {
            let (root, _) = graph.root(id);
            if variables.iter().all(|variable| variable.value != root) {
                variables.push(Variable {
                    value: root,
                    operation: None,
                    domain: given(graph, root, setting)?,
                });
            }
        }
        let domain = known.domain(graph, operation, setting)?;
        variables.push(Variable { value: operation.result, operation: Some(at), domain });
    }
    Ok(variables)
}

fn given(graph: &Graph, id: ValueId, setting: &mut Setting) -> Result<Domain, LayoutError> {
    let value = graph.value(id);
    let is_constant = matches!(value.origin, Origin::Constant(_));
    Ok(setting.given(&value.shape, value.dtype.bits(), is_constant)?)
}

/// The choices of operations that were seen, by all that decides about them.
struct Known {
    domains: HashMap<String, Domain>,
    uses: HashMap<ValueId, usize>,
}

impl Known {
    fn domain(
        &mut self,
        graph: &Graph,
        operation: &Operation,
        setting: &mut Setting,
    ) -> Result<Domain, LayoutError> {
        let value = graph.value(operation.result);
        let bits = value.dtype.bits();
        let shape_and_bits = |id: &ValueId| {
            let value = graph.value(*id);
            (value.shape.clone(), value.dtype.bits())
        };
        let uses = self.uses.get(&operation.result).copied().unwrap_or(0);
        match &operation.body {
            Body::Opaque(reads) => {
                let operands = reads.iter().map(shape_and_bits).collect_vec();
                let operands = operands.iter().map(|(shape, bits)| (&shape[..], *bits));
                Ok(setting.everywhere(&operands.collect_vec(), (&value.shape, bits))?)
            }
            Body::Nest(nest) => {
                let operands = nest.reads.iter().map(|read| shape_and_bits(&read.value));
                let key = key(nest, &operands.collect_vec(), (bits, uses));
                if let Some(domain) = self.domains.get(&key) {
                    return Ok(domain.clone());
                }
                let domain = setting.domain(graph, nest, bits, uses);
                if domain.choices.is_empty() {
                    let (name, kind) = (operation.name.clone(), operation.kind.clone());
                    return Err(fault!(
                        Unsupported,
                        "`{name}`, a {kind} of {shape:?}, has no layout on this machine",
                        [name, kind, shape = nest.loops.clone()]
                    ));
                }
                self.domains.insert(key, domain.clone());
                Ok(domain)
            }
        }
    }
}

/// All that decides about the choices of a nest: not the values, and of the expression its cost alone.
fn key(nest: &Nest, operands: &[(Vec<u64>, u64)], (bits, uses): (u64, usize)) -> String {
    let maps = nest.reads.iter().map(|read| &read.index).collect_vec();
    let cost = (nest.is_product(), nest.body.functions());
    format!("{:?} {} {maps:?} {operands:?} {cost:?} {bits} {uses}", nest.loops, nest.rank)
}
