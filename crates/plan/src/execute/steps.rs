//! The steps of an execution: one operation after the other.

use tensor_layout::LayoutError;

use super::state::{Execution, State, Tamper};
use crate::graph::{Body, Data, Operation, no_elements, uncovered};
use crate::plan::Plan;

/// Executes a plan for some inputs, which are in the order of the graph. It is meant for small machines and models: each
/// element and each iteration is a step.
///
/// # Errors
/// [`LayoutError`] for inputs of other sizes, operations without a rule, and every fault of the plan.
pub fn execute(
    plan: &Plan<'_>,
    inputs: &[Data],
    tamper: &mut dyn Tamper,
) -> Result<Execution, LayoutError> {
    let mut state = State::new(plan, inputs, tamper)?;
    let graph = plan.graph();
    for (operation, needed) in graph.operations.iter().zip(graph.needed()) {
        if needed {
            state.step(operation, tamper)?;
        }
    }
    let outputs = graph.outputs.iter().map(|output| state.output(*output));
    let outputs = outputs.collect::<Result<_, _>>()?;
    Ok(Execution { outputs, ..state.counts })
}

impl State<'_, '_> {
    fn step(&mut self, operation: &Operation, tamper: &mut dyn Tamper) -> Result<(), LayoutError> {
        let Body::Nest(nest) = &operation.body else {
            let (name, kind) = (operation.name.clone(), operation.kind.clone());
            return Err(uncovered(name, kind));
        };
        let lost = || no_elements(operation.name.clone());
        let choice = self.plan.choice(operation.result).ok_or_else(lost)?;
        let mut operands = Vec::new();
        for (number, read) in nest.reads.iter().enumerate() {
            let mut wanted = choice.operands[number].clone();
            tamper.operand(&operation.name, number, &mut wanted);
            operands.push(self.operand(operation, (number, read.value), &wanted, tamper)?);
        }
        let store = self.computed(operation, nest, choice, &operands)?;
        self.keep(operation.result, store, tamper)
    }
}
