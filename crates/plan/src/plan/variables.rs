//! The variables of a plan: values that are given or computed, with their choices, and the layouts that their readers share.

use std::collections::HashMap;

use itertools::Itertools;
use tensor_layout::LayoutError;
use tensor_layout::error::fault;

use super::kept;
use super::pinned::Pinning;
use crate::choices::{Allowed, Choice, Domain, Setting};
use crate::graph::{Body, Graph, Operation, Origin, ValueId};
use crate::pins::cannot_have;

/// A value with its choices.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) value: ValueId,
    pub(super) role: Role,
    pub(super) domain: Domain,
}

/// What a variable chooses for its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The place of an input or a constant.
    Given,
    /// The computation, by the number of its operation.
    Computed(usize),
    /// The layout that all readers share: the value is switched to it once.
    Kept,
}

impl Variable {
    /// The number of the operation that computes the value.
    pub(super) fn operation(&self) -> Option<usize> {
        match self.role {
            Role::Computed(at) => Some(at),
            Role::Given | Role::Kept => None,
        }
    }

    /// Returns whether some choices have the value slice by slice.
    pub(super) fn is_sliced(&self) -> bool {
        self.domain.choices.iter().any(|choice| choice.result.is_sliced())
    }

    pub(super) fn own(&self) -> Vec<u64> {
        self.domain.choices.iter().map(|choice: &Choice| choice.own.total()).collect()
    }
}

/// The variables of a graph: each operation after the given values that it is the first to read, and the layout that the
/// readers of a value share after the value.
///
/// If `spills`, values may wait for their readers in the memory of inputs.
pub(super) fn of(
    pins: &Pinning<'_>,
    setting: &mut Setting,
    spills: bool,
) -> Result<Vec<Variable>, LayoutError> {
    let graph = &*pins.graph;
    let uses = uses(graph);
    let mut variables: Vec<Variable> = Vec::new();
    for (at, operation) in needed(graph) {
        for id in operation.reads() {
            let (root, _) = graph.root(id);
            if variables.iter().all(|variable| variable.value != root) {
                variables.push(Variable {
                    value: root,
                    role: Role::Given,
                    domain: given(pins, root, setting)?,
                });
            }
        }
        let uses = uses.get(&operation.result).copied().unwrap_or(0);
        let domain = match pins.switches.get(&at) {
            Some(layouts) => {
                setting.switched(layouts, graph.value(operation.result).dtype.bits())?
            }
            None => {
                let allowed = pins.allowed.get(&at).map_or(&[][..], |allowed| allowed);
                computed(graph, operation, uses, &allowed.iter().collect_vec(), setting)?
            }
        };
        if domain.choices.is_empty() {
            let (name, kind) = (operation.name.clone(), operation.kind.clone());
            let shape = graph.value(operation.result).shape.clone();
            return Err(fault!(
                Unsupported,
                "`{name}`, a {kind} of {shape:?}, has no layout on this machine",
                [name, kind, shape]
            ));
        }
        let role = Role::Computed(at);
        variables.push(Variable { value: operation.result, role, domain });
    }
    kept::inserted(graph, variables, setting, spills)
}

/// The operations that an output depends on, with their numbers.
fn needed(graph: &Graph) -> impl Iterator<Item = (usize, &Operation)> {
    let all = graph.operations.iter().zip(graph.needed()).enumerate();
    all.filter_map(|(at, (operation, needed))| needed.then_some((at, operation)))
}

/// The number of operands that read each value.
pub(super) fn uses(graph: &Graph) -> HashMap<ValueId, usize> {
    let read = needed(graph).flat_map(|(_, operation)| operation.reads());
    read.map(|id| graph.root(id).0).counts()
}

fn given(pins: &Pinning<'_>, id: ValueId, setting: &mut Setting) -> Result<Domain, LayoutError> {
    let value = pins.graph.value(id);
    if let Some((pin, layouts)) = pins.given.get(&id) {
        let domain = setting.given_in(layouts, value.dtype.bits());
        return domain.map_err(|error| cannot_have(pin, &value.name, error.to_string()));
    }
    let is_constant = matches!(value.origin, Origin::Constant(_));
    setting.given(&value.shape, value.dtype.bits(), is_constant)
}

/// The choices of an operation that pins allow.
pub(super) fn computed(
    graph: &Graph,
    operation: &Operation,
    uses: usize,
    pins: &[&Allowed],
    setting: &mut Setting,
) -> Result<Domain, LayoutError> {
    let value = graph.value(operation.result);
    let bits = value.dtype.bits();
    match &operation.body {
        Body::Nest(nest) => setting.domain(graph, nest, (bits, uses), pins),
        // Its operands and its result are where they have to be.
        Body::Opaque(_) if !pins.is_empty() => Ok(Domain::default()),
        Body::Opaque(reads) => {
            let operands = reads.iter().map(|id| graph.value(*id));
            let operands = operands.map(|value| (&value.shape[..], value.dtype.bits()));
            setting.everywhere(&operands.collect_vec(), (&value.shape, bits))
        }
    }
}
