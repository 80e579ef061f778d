//! What computations are to their module: where it begins, bodies of loops, insides of fusions.

use std::collections::HashMap;

use crate::hlo::{HloComputation, HloInstruction};

/// What a computation is to its module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum HloRole {
    /// The module begins here.
    Entry,
    /// The body or condition of a loop, a branch, or a function that is called: its values are in
    /// memory, as those of the entry are.
    Called,
    /// No instruction of the module calls it.
    Uncalled,
    /// The inside of a fusion: its values are not in memory, save parameters and result, which are
    /// those of the fusion.
    Fused,
    /// Applied to elements, as the sum of a `reduce` is.
    Applied,
}

impl HloRole {
    /// Whether the values of its instructions are in memory.
    #[must_use]
    pub fn is_in_memory(self) -> bool {
        matches!(self, HloRole::Entry | HloRole::Called | HloRole::Uncalled)
    }

    /// The role in a word: `entry`, `called`, `uncalled`, `fused`, `applied`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            HloRole::Entry => "entry",
            HloRole::Called => "called",
            HloRole::Uncalled => "uncalled",
            HloRole::Fused => "fused",
            HloRole::Applied => "applied",
        }
    }
}

/// The calls of a module.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    numbers: HashMap<String, usize>,
    entries: Vec<bool>,
    /// Who calls whom, and as what.
    calls: Vec<(usize, HloRole, String)>,
}

impl Calls {
    /// Adds a computation and notes whom it calls.
    pub(super) fn add(&mut self, computation: HloComputation<'_>) {
        let caller = self.entries.len();
        for instruction in computation.instructions() {
            let (role, keys) = callees(instruction);
            let texts = keys.iter().filter_map(|key| instruction.attribute(key));
            for name in texts.flat_map(|text| text.trim_matches(['{', '}']).split(',')) {
                self.calls.push((caller, role, name.trim().trim_start_matches('%').to_owned()));
            }
        }
        self.numbers.insert(computation.name().to_owned(), caller);
        self.entries.push(computation.is_entry());
    }

    /// The role of every computation, in the order in which they were added.
    ///
    /// What a fusion calls is inside of it; a computation that is also called elsewhere is in memory.
    pub(super) fn roles(&self) -> Vec<HloRole> {
        // Callees are written before their callers, so that one round from the end settles all.
        const MOST_ROUNDS: usize = 64;
        let mut callers: Vec<Vec<(usize, HloRole)>> = vec![Vec::new(); self.entries.len()];
        for (caller, role, callee) in &self.calls {
            let callee = self.numbers.get(callee).and_then(|number| callers.get_mut(*number));
            callee.into_iter().for_each(|callers| callers.push((*caller, *role)));
        }
        let mut roles = vec![HloRole::Uncalled; self.entries.len()];
        for _ in 0..MOST_ROUNDS {
            let before = roles.clone();
            for (number, callers) in callers.iter().enumerate().rev() {
                let by = |(caller, role): &(usize, HloRole)| match roles[*caller] {
                    inside @ (HloRole::Fused | HloRole::Applied) => inside,
                    _ => *role,
                };
                let called = callers.iter().map(by).min();
                let role = if self.entries[number] { Some(HloRole::Entry) } else { called };
                roles[number] = role.unwrap_or(HloRole::Uncalled);
            }
            if roles == before {
                break;
            }
        }
        roles
    }
}

/// As what an instruction calls, and the attributes that name its callees.
fn callees(instruction: HloInstruction<'_>) -> (HloRole, &'static [&'static str]) {
    match instruction.opcode() {
        "fusion" => (HloRole::Fused, &["calls"]),
        "while" => (HloRole::Called, &["body", "condition"]),
        "call" => (HloRole::Called, &["to_apply"]),
        "conditional" => {
            (HloRole::Called, &["branch_computations", "true_computation", "false_computation"])
        }
        "custom-call" => (HloRole::Called, &["called_computations"]),
        "async-start" | "async-update" | "async-done" => (HloRole::Called, &["calls"]),
        "select-and-scatter" => (HloRole::Applied, &["select", "scatter"]),
        "reduce" | "reduce-window" | "map" | "sort" | "scatter" | "all-reduce"
        | "all-reduce-start" | "reduce-scatter" => (HloRole::Applied, &["to_apply"]),
        _ => (HloRole::Called, &[]),
    }
}
