//! What computations are to their module: where it begins, bodies of loops, insides of fusions.

use rustc_hash::FxHashMap;

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
    /// The inside of a fusion: its values are not in memory, except parameters and result, which are
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

/// Why instructions may be missing that are in memory after all.
pub(super) const NOT_LISTED: &str = "a fusion calls this computation, and another instruction does, \
    too; not all of its instructions are listed";

/// The calls of a module.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    numbers: FxHashMap<Box<str>, usize>,
    entries: Vec<bool>,
    /// Whether a fusion calls it.
    fused: Vec<bool>,
    /// Who calls whom, and as what.
    calls: Vec<(usize, HloRole, usize)>,
    /// The same of callees that had not been read; in dumps of XLA they stand before their callers.
    ahead: Vec<(usize, HloRole, Box<str>)>,
}

impl Calls {
    /// Adds a computation and notes whom it calls.
    pub(super) fn add(&mut self, computation: HloComputation<'_>) {
        let caller = self.entries.len();
        for instruction in computation.instructions() {
            let (role, keys) = callees(instruction);
            let texts = keys.iter().filter_map(|key| instruction.attribute(key));
            for name in texts.flat_map(|text| text.trim_matches(['{', '}']).split(',')) {
                let name = name.trim().trim_start_matches('%');
                match self.numbers.get(name) {
                    Some(callee) => self.call(caller, role, *callee),
                    None => self.ahead.push((caller, role, name.into())),
                }
            }
        }
        self.numbers.insert(computation.name().into(), caller);
        self.entries.push(computation.is_entry());
        self.fused.push(false);
    }

    fn call(&mut self, caller: usize, role: HloRole, callee: usize) {
        if let (HloRole::Fused, Some(fused)) = (role, self.fused.get_mut(callee)) {
            *fused = true;
        }
        self.calls.push((caller, role, callee));
    }

    /// How many computations there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether a fusion is known by now to call a computation; in dumps of XLA nothing else does.
    pub(super) fn is_fused(&self, number: usize) -> bool {
        self.fused.get(number).is_some_and(|fused| *fused)
    }

    /// The role of every computation, in the order in which they were added.
    ///
    /// What a fusion calls is inside it; a computation that is also called elsewhere is in memory.
    pub(super) fn roles(&mut self) -> Vec<HloRole> {
        // Callees are written before their callers, so that one round from the end settles all.
        const MOST_ROUNDS: usize = 64;
        for (caller, role, callee) in std::mem::take(&mut self.ahead) {
            if let Some(callee) = self.numbers.get(&callee) {
                self.call(caller, role, *callee);
            }
        }
        let mut callers: Vec<Vec<(usize, HloRole)>> = vec![Vec::new(); self.entries.len()];
        for (caller, role, callee) in &self.calls {
            let callee = callers.get_mut(*callee);
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
