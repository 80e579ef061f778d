//! The memories while a plan is executed.

use std::collections::HashMap;

use tensor_layout::LayoutError;
use tensor_layout::error::fault;
use tensor_layout::relayout::Transfer;

use super::store::{Store, Units};
use crate::choices::Held;
use crate::graph::{Data, Graph, Origin, ValueId, no_elements};
use crate::plan::Plan;

/// Changes to a plan while it is executed, with which tests show that faults are found.
pub trait Tamper {
    /// Changes the layout of an operand, by the name of its operation and its number.
    fn operand(&mut self, operation: &str, number: usize, held: &mut Held) {
        let _ = (operation, number, held);
    }

    /// Changes the transfers that bring an operand into its layout, by the name of its operation and its number; or
    /// a value into the layout that its readers share, by the name of the value without a number.
    fn transfers(&mut self, operation: &str, number: Option<usize>, transfers: &mut Vec<Transfer>) {
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

/// The memories while a plan is executed.
pub(super) struct State<'p, 'g> {
    pub(super) plan: &'p Plan<'g>,
    pub(super) graph: &'p Graph,
    pub(super) units: Units,
    pub(super) stores: HashMap<ValueId, Store>,
    pub(super) counts: Execution,
}

impl<'p, 'g> State<'p, 'g> {
    pub(super) fn new(
        plan: &'p Plan<'g>,
        inputs: &[Data],
        tamper: &mut dyn Tamper,
    ) -> Result<State<'p, 'g>, LayoutError> {
        let graph = plan.graph();
        let units = Units::new(plan.setting().machine());
        let mut state =
            State { plan, graph, units, stores: HashMap::new(), counts: Execution::default() };
        let expected = graph.inputs.len();
        if inputs.len() != expected {
            return Err(fault!(
                Shape,
                "the model has {expected} inputs, {given} were given",
                [expected, given = inputs.len()]
            ));
        }
        for (id, data) in graph.inputs.iter().zip(inputs) {
            crate::graph::check(graph.value(*id), data)?;
            state.place(*id, data, tamper)?;
        }
        for (number, value) in graph.values.iter().enumerate() {
            if let Origin::Constant(data) = &value.origin
                && plan.choice(ValueId(number)).is_some()
            {
                let none = || no_elements(value.name.clone());
                state.place(ValueId(number), data.as_ref().ok_or_else(none)?, tamper)?;
            }
        }
        Ok(state)
    }

    /// Puts a value that is given into its memory.
    fn place(
        &mut self,
        id: ValueId,
        data: &Data,
        tamper: &mut dyn Tamper,
    ) -> Result<(), LayoutError> {
        // An input that nothing reads has no place.
        let Some(choice) = self.plan.choice(id) else { return Ok(()) };
        let mut store = Store::new(&self.units, self.plan.setting(), &choice.result)?;
        store.fill(data.numbers());
        self.keep(id, store, tamper)
    }

    /// The elements of an output: all of its copies agree.
    pub(super) fn output(&self, id: ValueId) -> Result<Data, LayoutError> {
        let (root, views) = self.graph.root(id);
        let lost = || no_elements(self.graph.value(id).name.clone());
        let (store, kept) = self.stores.get(&root).zip(self.plan.kept(root)).ok_or_else(lost)?;
        let seen = kept.viewed(&views)?;
        let name = &self.graph.value(id).name;
        store.seen(&self.units, self.plan.setting(), &seen)?.numbers(name).map(Data::new)
    }
}
