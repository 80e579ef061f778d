//! The layouts in which values wait for their readers.
//!
//! ```text
//! x  --once-->  kept as L  ----> matmul q         one switch, and its cycles once
//!                          ----> matmul k
//! y  --once-->  in DRAM    ----> add              room for others until then
//! z, slice by slice  -->  kept as a whole, in DRAM or LM
//! ```

use std::collections::HashMap;

use itertools::Itertools;
use tensor_layout::einsum::at_rest;
use tensor_layout::{LayoutError, Level};

use super::variables::{Role, Variable};
use crate::choices::{Choice, Domain, Held, Own, Setting, unviewed};
use crate::graph::{Graph, ValueId, View};

/// An operand that reads a value.
struct Reader<'g> {
    variable: usize,
    operand: usize,
    views: Vec<&'g View>,
}

/// The variables with those of kept layouts after their values; if `spills`, also for values that wait for their readers,
/// which may do so in the memory of inputs.
pub(super) fn inserted(
    graph: &Graph,
    variables: Vec<Variable>,
    setting: &mut Setting,
    spills: bool,
) -> Result<Vec<Variable>, LayoutError> {
    let mut readers: HashMap<ValueId, Vec<Reader<'_>>> = HashMap::new();
    for (variable, of) in variables.iter().enumerate() {
        let Some(operation) = of.operation() else { continue };
        for (operand, id) in graph.operations[operation].reads().into_iter().enumerate() {
            let (root, views) = graph.root(id);
            readers.entry(root).or_default().push(Reader { variable, operand, views });
        }
    }
    let outputs = graph.outputs.iter().map(|id| graph.root(*id).0).collect_vec();
    let mut kept = Vec::new();
    for (at, of) in variables.iter().enumerate() {
        let readers = readers.get(&of.value).map_or(&[][..], |readers| readers);
        let next = (at + 1..variables.len()).find(|next| variables[*next].operation().is_some());
        let waits = outputs.contains(&of.value)
            || readers.iter().any(|reader| Some(reader.variable) != next);
        let outside = of.operation().is_some() && ((spills && waits) || of.is_sliced());
        let shared = shared(graph, of, readers, &variables, setting);
        let domain =
            (outside || !shared.is_empty()).then(|| domain(graph, of, shared, outside, setting));
        kept.push(domain.transpose()?);
    }
    let kept = kept.into_iter().zip(&variables).map(|(domain, of)| {
        domain.map(|domain| Variable { value: of.value, role: Role::Kept, domain })
    });
    let kept = kept.collect_vec();
    Ok(variables.into_iter().zip(kept).flat_map(|(of, kept)| [Some(of), kept]).flatten().collect())
}

/// The layouts that readers of a value want, if there are several, in its own axes.
fn shared(
    graph: &Graph,
    of: &Variable,
    readers: &[Reader<'_>],
    variables: &[Variable],
    setting: &mut Setting,
) -> Vec<Held> {
    let shape = &graph.value(of.value).shape;
    let wanted = readers.iter().filter(|_| readers.len() > 1).flat_map(|reader| {
        let choices = &variables[reader.variable].domain.choices;
        let operands = choices.iter().map(move |choice| (reader, &choice.operands[reader.operand]));
        operands.filter(|(_, held)| !held.is_sliced()).unique_by(|(_, held)| held.part)
    });
    let in_own_axes = wanted.filter_map(|(reader, held)| {
        let layout = unviewed(&held.layout, shape, &reader.views).ok()?;
        let memory = held.memory.clone();
        let part = setting.part(&layout, memory.as_deref(), held.bits).ok()?;
        Some(Held { layout, memory, bits: held.bits, part })
    });
    let is_own = |held: &Held| of.domain.choices.iter().any(|own| own.result.part == held.part);
    let shared = in_own_axes.unique_by(|held| held.part).filter(|held| !is_own(held));
    shared.sorted_by_key(|held| held.part).collect()
}

/// The layouts that a value has as a whole, those that readers share, and those outside if it may be there.
fn domain(
    graph: &Graph,
    of: &Variable,
    shared: Vec<Held>,
    outside: bool,
    setting: &mut Setting,
) -> Result<Domain, LayoutError> {
    let mut all = Vec::new();
    for choice in &of.domain.choices {
        let result = &choice.result;
        match result.is_sliced() {
            // A layout that is not plain has no form with all slices in memory.
            true => all.extend(
                at_rest(&result.layout)
                    .ok()
                    .map(|layout| setting.held(layout, result.bits))
                    .transpose()?,
            ),
            false => all.push(result.clone()),
        }
    }
    all.extend(shared);
    let value = graph.value(of.value);
    if outside && setting.has_outer_memory() {
        let there = setting.given(&value.shape, value.dtype.bits(), false)?.choices;
        all.extend(there.into_iter().map(|choice| choice.result));
    }
    // No tensor is in two memories of a PE.
    let fits = |held: &Held| {
        let largest = setting.largest_memory().filter(|_| setting.is_local(held));
        largest.is_none_or(|most| held.layout.extent(Level::ADDR) <= most)
    };
    if all.iter().any(fits) {
        all.retain(fits);
    }
    let choices = all.into_iter().unique_by(|held| held.part).map(|result| Choice {
        loops: None,
        operands: Vec::new(),
        taken: Vec::new(),
        words: result.layout.extent(Level::ADDR),
        own: Own::default(),
        result,
    });
    Ok(Domain { choices: choices.collect(), tried: 0 })
}
