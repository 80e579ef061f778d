//! The layouts that the readers of a value may share.
//!
//! ```text
//! x  --once-->  kept as L  ----> matmul q         one switch, and its cycles once
//!                          ----> matmul k
//! ```

use std::collections::HashMap;

use itertools::Itertools;
use tensor_layout::relayout::PartId;
use tensor_layout::{Layout, LayoutError};

use super::variables::{Role, Variable};
use crate::choices::{Choice, Domain, Held, Own, Setting};
use crate::graph::{Graph, ValueId, View};

/// An operand that reads a value.
struct Reader<'g> {
    variable: usize,
    operand: usize,
    views: Vec<&'g View>,
}

/// The variables with those of shared layouts after their values.
pub(super) fn inserted(
    graph: &Graph,
    variables: Vec<Variable>,
    setting: &mut Setting,
) -> Vec<Variable> {
    let mut readers: HashMap<ValueId, Vec<Reader<'_>>> = HashMap::new();
    for (variable, of) in variables.iter().enumerate() {
        let Some(operation) = of.operation() else { continue };
        for (operand, id) in graph.operations[operation].reads().into_iter().enumerate() {
            let (root, views) = graph.root(id);
            readers.entry(root).or_default().push(Reader { variable, operand, views });
        }
    }
    let kept = variables.iter().map(|of| {
        let readers = readers.get(&of.value).filter(|readers| readers.len() > 1)?;
        let domain = domain(graph, of, readers, &variables, setting)?;
        Some(Variable { value: of.value, role: Role::Kept, domain })
    });
    let kept = kept.collect_vec();
    variables.into_iter().zip(kept).flat_map(|(of, kept)| [Some(of), kept]).flatten().collect()
}

/// The layouts that a value has, and those that two readers want; `None` if there are none of these.
fn domain(
    graph: &Graph,
    of: &Variable,
    readers: &[Reader<'_>],
    variables: &[Variable],
    setting: &mut Setting,
) -> Option<Domain> {
    let shape = &graph.value(of.value).shape;
    let mut wanted: HashMap<PartId, (usize, Held)> = HashMap::new();
    for reader in readers {
        let choices = &variables[reader.variable].domain.choices;
        let operands = choices.iter().map(|choice| &choice.operands[reader.operand]);
        for held in operands.unique_by(|held| held.part) {
            let Ok(layout) = unviewed(&held.layout, shape, &reader.views) else { continue };
            let memory = held.memory.clone();
            let Ok(part) = setting.part(&layout, memory.as_deref(), held.bits) else { continue };
            let seen = wanted.entry(part);
            seen.or_insert((0, Held { layout, memory, bits: held.bits, part })).0 += 1;
        }
    }
    let own = of.domain.choices.iter().map(|choice| choice.result.clone());
    let own = own.unique_by(|held| held.part).collect_vec();
    let shared = wanted.into_values().filter(|(count, _)| *count > 1);
    let shared = shared.map(|(_, held)| held).sorted_by_key(|held| held.part);
    let shared = shared.filter(|held| own.iter().all(|own| own.part != held.part)).collect_vec();
    if shared.is_empty() {
        return None;
    }
    let tried = u64::try_from(shared.len()).unwrap_or(u64::MAX);
    let choices = own.into_iter().chain(shared).map(|result| Choice {
        loops: None,
        operands: Vec::new(),
        words: result.layout.extent(tensor_layout::Level::ADDR),
        own: Own::default(),
        result,
    });
    Some(Domain { choices: choices.collect(), tried })
}

/// The layout of a value that has this one under views of it.
fn unviewed(layout: &Layout, shape: &[u64], views: &[&View]) -> Result<Layout, LayoutError> {
    let shapes = views.iter().scan(shape.to_vec(), |shape, view| {
        let before = shape.clone();
        match view {
            View::Reshape(next) => shape.clone_from(next),
            View::Transpose(order) => *shape = order.iter().map(|axis| before[*axis]).collect(),
        }
        Some(before)
    });
    let steps = shapes.zip(views).collect_vec();
    steps.iter().rev().try_fold(layout.clone(), |layout, (before, view)| match view {
        View::Reshape(_) => layout.reshape(before),
        View::Transpose(order) => {
            let back = (0..order.len()).filter_map(|axis| order.iter().position(|of| *of == axis));
            layout.permute(&back.collect_vec())
        }
    })
}
