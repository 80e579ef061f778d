//! The variables of a plan: values that are given or computed, with their choices, and the layouts that their readers share.

use itertools::Itertools;
use tensor_layout::LayoutError;
use tensor_layout::error::fault;

use super::kept;
use crate::choices::{Choice, Domain, Setting};
use crate::graph::{Body, Graph, Operation, Origin, ValueId};

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
    graph: &Graph,
    setting: &mut Setting,
    spills: bool,
) -> Result<Vec<Variable>, LayoutError> {
    let needed = graph.needed();
    let operations = graph.operations.iter().zip(needed).enumerate();
    let operations = operations.filter(|(_, (_, needed))| *needed).collect_vec();
    let read = operations.iter().flat_map(|(_, (operation, _))| operation.reads());
    let uses = read.map(|id| graph.root(id).0).counts();
    let mut variables: Vec<Variable> = Vec::new();
    for (at, (operation, _)) in operations {
        for id in operation.reads() {
            let (root, _) = graph.root(id);
            if variables.iter().all(|variable| variable.value != root) {
                variables.push(Variable {
                    value: root,
                    role: Role::Given,
                    domain: given(graph, root, setting)?,
                });
            }
        }
        let uses = uses.get(&operation.result).copied().unwrap_or(0);
        let domain = computed(graph, operation, uses, setting)?;
        let role = Role::Computed(at);
        variables.push(Variable { value: operation.result, role, domain });
    }
    kept::inserted(graph, variables, setting, spills)
}

fn given(graph: &Graph, id: ValueId, setting: &mut Setting) -> Result<Domain, LayoutError> {
    let value = graph.value(id);
    let is_constant = matches!(value.origin, Origin::Constant(_));
    setting.given(&value.shape, value.dtype.bits(), is_constant)
}

fn computed(
    graph: &Graph,
    operation: &Operation,
    uses: usize,
    setting: &mut Setting,
) -> Result<Domain, LayoutError> {
    let value = graph.value(operation.result);
    let bits = value.dtype.bits();
    let nest = match &operation.body {
        Body::Opaque(reads) => {
            let operands = reads.iter().map(|id| graph.value(*id));
            let operands = operands.map(|value| (&value.shape[..], value.dtype.bits()));
            return setting.everywhere(&operands.collect_vec(), (&value.shape, bits));
        }
        Body::Nest(nest) => nest,
    };
    let domain = setting.domain(graph, nest, bits, uses);
    match domain.choices.is_empty() {
        false => Ok(domain),
        true => {
            let (name, kind) = (operation.name.clone(), operation.kind.clone());
            Err(fault!(
                Unsupported,
                "`{name}`, a {kind} of {shape:?}, has no layout on this machine",
                [name, kind, shape = nest.loops.clone()]
            ))
        }
    }
}
