//! A plan, executed: every leaf has a memory of its own and computes from that memory alone.
//!
//! ```text
//! store      the elements of a value in the memories of units, each with the number of the element that it is
//! switches   values brought into the layouts that operands want, by the transfers of a relayout
//! compute    iterations where the loops say; halos fetched; partial sums added where the result is wanted
//! ```
//!
//! Numbers that a unit lacks, or has in another place, are errors. Transfers and sums that the plan has no price for are
//! errors too. So equal results prove the layouts of a plan, and its switches, sums and halos.

mod compute;
mod error;
mod store;
mod switches;

use std::collections::HashMap;

use tensor_layout::relayout::Transfer;

use crate::choices::Held;
use crate::graph::{Body, Data, Graph, Origin, ValueId};
use crate::plan::{Plan, viewed};
pub use error::ExecuteError;
use store::{Store, Units};

/// Changes to a plan while it is executed: tests show by them that faults are found.
pub trait Tamper {
    /// Changes the layout of an operand, by the name of its operation and its number.
    fn operand(&mut self, operation: &str, number: usize, held: &mut Held) {
        let _ = (operation, number, held);
    }

    /// Changes the transfers that bring an operand into its layout.
    fn transfers(&mut self, operation: &str, number: usize, transfers: &mut Vec<Transfer>) {
        let _ = (operation, number, transfers);
    }
}

/// No changes.
#[derive(Clone, Copy, Debug)]
pub struct AsPlanned;

impl Tamper for AsPlanned {}

/// The results of an execution.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    /// The outputs, in the order of the graph.
    pub outputs: Vec<Data>,
    /// The elements that transfers brought to other units or addresses.
    pub transferred: u64,
    /// The elements of halos that units fetched.
    pub fetched: u64,
    /// The partial results that went to another unit.
    pub added: u64,
    /// The iterations of all units.
    pub iterations: u64,
}

/// Executes a plan for some inputs, which are in the order of the graph. It is meant for small machines and models: each
/// element and each iteration is a step.
///
/// # Errors
/// [`ExecuteError`] for inputs of other sizes, operations without a rule, and every fault of the plan.
pub fn execute(
    plan: &Plan<'_>,
    inputs: &[Data],
    tamper: &mut dyn Tamper,
) -> Result<Execution, ExecuteError> {
    let mut state = State::new(plan, inputs)?;
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

/// The memories while a plan is executed.
struct State<'p, 'g> {
    plan: &'p Plan<'g>,
    graph: &'g Graph,
    units: Units,
    stores: HashMap<ValueId, Store>,
    counts: Execution,
}

impl<'p, 'g> State<'p, 'g> {
    fn new(plan: &'p Plan<'g>, inputs: &[Data]) -> Result<State<'p, 'g>, ExecuteError> {
        let graph = plan.graph();
        let units = Units::new(plan.setting().machine());
        let mut state =
            State { plan, graph, units, stores: HashMap::new(), counts: Execution::default() };
        let expected = graph.inputs.len();
        if inputs.len() != expected {
            return Err(ExecuteError::Inputs { expected, given: inputs.len() });
        }
        for (id, data) in graph.inputs.iter().zip(inputs) {
            crate::graph::check(graph.value(*id), data)?;
            state.place(*id, data)?;
        }
        for (number, value) in graph.values.iter().enumerate() {
            if let Origin::Constant(data) = &value.origin
                && plan.choice(ValueId(number)).is_some()
            {
                let none = || ExecuteError::NoElements(value.name.clone());
                state.place(ValueId(number), data.as_ref().ok_or_else(none)?)?;
            }
        }
        Ok(state)
    }

    /// Puts a value that is given into its memory.
    fn place(&mut self, id: ValueId, data: &Data) -> Result<(), ExecuteError> {
        // An input that nothing reads has no place.
        let Some(choice) = self.plan.choice(id) else { return Ok(()) };
        let mut store = Store::new(&self.units, self.plan.setting(), &choice.result)?;
        store.fill(data.numbers());
        self.stores.insert(id, store);
        Ok(())
    }

    fn step(
        &mut self,
        operation: &crate::graph::Operation,
        tamper: &mut dyn Tamper,
    ) -> Result<(), ExecuteError> {
        let Body::Nest(nest) = &operation.body else {
            let (name, kind) = (operation.name.clone(), operation.kind.clone());
            return Err(ExecuteError::Uncovered(name, kind));
        };
        let lost = || ExecuteError::NoElements(operation.name.clone());
        let choice = self.plan.choice(operation.result).ok_or_else(lost)?;
        let mut operands = Vec::new();
        for (number, read) in nest.reads.iter().enumerate() {
            let mut wanted = choice.operands[number].clone();
            tamper.operand(&operation.name, number, &mut wanted);
            operands.push(self.switched(operation, (number, read.value), &wanted, tamper)?);
        }
        let store = self.computed(operation, nest, choice, &operands)?;
        self.stores.insert(operation.result, store);
        Ok(())
    }

    /// The elements of an output: all of its copies agree.
    fn output(&self, id: ValueId) -> Result<Data, ExecuteError> {
        let (root, views) = self.graph.root(id);
        let lost = || ExecuteError::NoElements(self.graph.value(id).name.clone());
        let (store, choice) =
            self.stores.get(&root).zip(self.plan.choice(root)).ok_or_else(lost)?;
        let layout = viewed(&choice.result.layout, &views)?;
        let seen = Held { layout, ..choice.result.clone() };
        let name = &self.graph.value(id).name;
        store.seen(&self.units, self.plan.setting(), &seen)?.numbers(name).map(Data::new)
    }
}
