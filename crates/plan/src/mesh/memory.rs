//! The memory of a device: what every tensor takes of it, and when.

use std::collections::HashMap;

use tensor_layout_words::to_u64;

use super::choices::MeshChoice;
use super::problem::{Network, Role, Variable};
use super::spec::Spec;
use crate::program::{Program, Step, TensorId};
use crate::search::{Memory, Use};

/// The times from which, and before which, tensors are needed: the numbers of operations.
type Lives = HashMap<TensorId, (u64, u64)>;

impl Network<'_> {
    /// The bytes of a device: tensors from where they are made to their last readers, arguments that are not donated to the
    /// end; and what operands take beyond their least, while their operation runs.
    pub(super) fn memory(&self, limit: u64) -> Memory {
        let (lives, end) = (lives(self.program), end(self.program));
        let variables = self.variables.iter().enumerate();
        let uses = variables.flat_map(|(number, variable)| match variable.role {
            Role::Given(id) => {
                let (from, to) = self.life_of_given(id, &lives, end);
                let amounts = self.amounts(variable, |choice| self.bytes(id, &choice.results[0]));
                vec![Use { variable: number, from, to, amounts }]
            }
            Role::Computed(at) => self.uses_of_operation(number, at, &lives),
            // It is where the tensor is, or is made for its readers, each of which counts its operands.
            Role::Kept(_) => Vec::new(),
        });
        Memory { limit, uses: uses.collect() }
    }

    fn life_of_given(&self, id: TensorId, lives: &Lives, end: u64) -> (u64, u64) {
        let (from, to) = lives.get(&id).copied().unwrap_or((0, 1));
        let is_donated = self.program.donated.iter().any(|(of, _)| *of == id);
        match (self.program.arguments.contains(&id), is_donated) {
            (false, _) => (from, to),
            (true, false) => (0, end),
            (true, true) => (0, to),
        }
    }

    fn uses_of_operation(&self, variable: usize, at: usize, lives: &Lives) -> Vec<Use> {
        let operation = &self.program.operations[at];
        let of = &self.variables[variable];
        let now = (to_u64(at), to_u64(at) + 1);
        let results = operation.results.iter().enumerate().map(|(place, id)| {
            let (from, to) = lives.get(id).copied().unwrap_or(now);
            let amounts = self.amounts(of, |choice| self.bytes(*id, &choice.results[place]));
            Use { variable, from, to, amounts }
        });
        let mut amounts = self.amounts(of, |choice| {
            let each = operation.reads.iter().zip(&choice.reads);
            each.map(|(id, spec)| self.bytes(*id, spec)).fold(0, u64::saturating_add)
        });
        let least = amounts.iter().copied().min().unwrap_or(0);
        amounts.iter_mut().for_each(|bytes| *bytes -= least);
        let operands = Use { variable, from: now.0, to: now.1, amounts };
        results.chain([operands]).collect()
    }

    fn amounts(&self, of: &Variable, bytes: impl Fn(&MeshChoice) -> u64) -> Vec<u64> {
        of.choices.iter().map(bytes).collect()
    }

    fn bytes(&self, id: TensorId, spec: &Spec) -> u64 {
        let tensor = self.program.tensor(id);
        if tensor.is_free { 0 } else { spec.bytes(&tensor.dims, self.mesh) }
    }
}

/// A time after all operations.
fn end(program: &Program) -> u64 {
    to_u64(program.operations.len()) + 1
}

fn lives(program: &Program) -> Lives {
    let mut lives = Lives::new();
    for (operation, at) in program.operations.iter().zip(0..) {
        lives.extend(operation.results.iter().map(|id| (*id, (at, at + 1))));
        for id in &operation.reads {
            let life = lives.entry(program.root(*id)).or_insert((at, at + 1));
            life.1 = life.1.max(at + 1);
        }
    }
    for id in &program.results {
        let life = lives.entry(program.root(*id)).or_insert((0, 1));
        life.1 = end(program);
    }
    for of in &program.loops {
        let Some((first, last)) = span(&of.body, program) else { continue };
        // What is there before a loop, and read in it, is there in every trip.
        for (_, to) in lives.values_mut().filter(|(from, to)| *from < first && *to > first) {
            *to = last.max(*to);
        }
        for id in &of.carried {
            let life = lives.entry(*id).or_insert((first, last));
            *life = (first, life.1.max(last));
        }
    }
    lives
}

/// The time of the first operation of a body, and the time after its last.
fn span(body: &[Step], program: &Program) -> Option<(u64, u64)> {
    let spans = body.iter().filter_map(|step| match step {
        Step::Operation(at) => Some((to_u64(*at), to_u64(*at) + 1)),
        Step::Loop(at) => span(&program.loops[*at].body, program),
    });
    spans.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
}
