//! The roles of computations in their module: entries, bodies of loops, insides of fusions.

use std::cmp::Reverse;

use crate::callees;
use crate::heads::contradicts_module;
use crate::names::Names;
use crate::{HloComputation, HloInstruction, HloModule};
use tensor_layout::LayoutError;

/// The role of a computation in its module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum HloRole {
    /// The module begins here.
    Entry,
    /// The body or condition of a loop, a branch, or a called function: its values are in memory, like those
    /// of the entry.
    Called,
    /// No instruction of the module calls it.
    Uncalled,
    /// No instruction calls it, but the text is cut off, and its name is one that the insides of fusions, reductions
    /// and loops have: the caller would come after the cut, so its values are not known to be in memory.
    CutOff,
    /// The inside of a fusion: its values are not in memory, except its parameters and result, which belong
    /// to the fusion.
    Fused,
    /// Applied to elements, like the sum of a `reduce`.
    Applied,
}

impl HloRole {
    /// All roles.
    pub const ALL: &[HloRole] = &[
        HloRole::Entry,
        HloRole::Called,
        HloRole::Uncalled,
        HloRole::CutOff,
        HloRole::Fused,
        HloRole::Applied,
    ];

    /// Returns whether the values of its instructions are in memory.
    #[must_use]
    pub fn is_in_memory(self) -> bool {
        matches!(self, HloRole::Entry | HloRole::Called | HloRole::Uncalled)
    }

    /// The role in a word: `entry`, `called`, `uncalled`, `cut-off`, `fused`, `applied`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            HloRole::Entry => "entry",
            HloRole::Called => "called",
            HloRole::Uncalled => "uncalled",
            HloRole::CutOff => "cut-off",
            HloRole::Fused => "fused",
            HloRole::Applied => "applied",
        }
    }
}

/// The note for a computation that is called both from a fusion and elsewhere.
pub(super) const NOT_LISTED: &str = "a fusion and another instruction both call this \
    computation; not all of its instructions are listed";

/// A module with its computations and their calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    pub(super) module: HloModule,
    names: Names,
    computations: Vec<Computation>,
    calls: Vec<Call>,
    /// The calls of computations that had not been read yet; in dumps of XLA, callees are before callers.
    ahead: Vec<(Call, Box<str>)>,
    /// The number of instructions that call something.
    sites: u32,
    /// Set if an instruction is missing.
    has_gaps: bool,
    /// The first role, in the order of all, of a callee that is not in the text; known once [`roles`](Calls::roles) was called.
    lacking: Option<HloRole>,
}

/// The facts about a computation that are known before all of its callers are.
#[derive(Clone, Copy, Debug)]
struct Computation {
    line: u64,
    is_entry: bool,
    may_be_entry: bool,
    is_fused: bool,
    is_loose: bool,
    is_cut: bool,
    /// Set if an array has no layout, or the name is one of a computation that is called.
    is_inner: bool,
}

/// A call: callee and caller, the role that it gives the callee, and how often it runs it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) callee: u32,
    pub(super) caller: u32,
    role: HloRole,
    /// The number of the calling instruction.
    pub(super) site: u32,
    pub(super) times: CallTimes,
}

/// The number of times an instruction runs its callee, each time that it runs itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallTimes {
    Once,
    /// One of the branches of a conditional.
    Branch,
    /// The body of a loop, with its number of rounds where that is known.
    Loop(Option<u64>),
    /// The condition of a loop, which runs once more than the body.
    Condition(Option<u64>),
}

impl CallTimes {
    fn of(instruction: HloInstruction<'_>, key: &str) -> CallTimes {
        match (instruction.opcode(), key) {
            ("while", "body") => CallTimes::Loop(instruction.trip_count()),
            ("while", _) => CallTimes::Condition(instruction.trip_count()),
            ("conditional", _) => CallTimes::Branch,
            // An opcode that is not known may run its callee any number of times, as a scan does.
            (opcode, _) if role(opcode).is_none() => CallTimes::Loop(None),
            _ => CallTimes::Once,
        }
    }
}

impl Calls {
    /// Without calls, with the memory for those of the next module.
    pub(super) fn cleared(self) -> Calls {
        let Calls { names, mut computations, mut calls, .. } = self;
        computations.clear();
        calls.clear();
        Calls { names: names.cleared(), computations, calls, ..Calls::default() }
    }

    /// Adds a computation with its calls; returns its number.
    ///
    /// # Errors
    /// `TooLarge` from 2^32 computations of a module on.
    pub(super) fn add(&mut self, computation: HloComputation<'_>) -> Result<u32, LayoutError> {
        if self.is_empty() {
            self.module = computation.module().clone();
        }
        let caller = u32::try_from(self.names.len()).ok().ok_or_else(too_large)?;
        for instruction in computation.instructions() {
            let mut calls = called(instruction).peekable();
            let is_site = calls.peek().is_some();
            for (role, key, name) in calls {
                let times = CallTimes::of(instruction, key);
                let call = Call { callee: 0, caller, role, site: self.sites, times };
                match self.names.number(name) {
                    Some(callee) => self.call(Call { callee, ..call }),
                    None => self.ahead.push((call, name.into())),
                }
            }
            self.sites = self.sites.saturating_add(u32::from(is_site));
        }
        self.has_gaps |= computation.has_gaps();
        let (line, is_entry) = (computation.line(), computation.is_entry());
        let lacks_layout =
            |text: &str| !text.contains('{') && !text.starts_with('(') && !text.contains("[]");
        let mut shapes = computation.instructions().map(|of| of.shape_text());
        let is_inner = is_inner(computation.name()) || shapes.any(lacks_layout);
        let (is_loose, is_cut) = (computation.is_loose(), computation.is_cut());
        self.computations.push(Computation {
            line,
            is_entry,
            may_be_entry: computation.may_be_entry(),
            is_fused: false,
            is_loose,
            is_cut,
            is_inner,
        });
        self.names.push(computation.name()).ok_or_else(too_large)
    }

    fn call(&mut self, call: Call) {
        if let (HloRole::Fused, Some(callee)) =
            (call.role, self.computations.get_mut(index(call.callee)))
        {
            callee.is_fused = true;
        }
        self.calls.push(call);
    }

    /// Returns whether these are calls of a module, and some are known already.
    pub(super) fn is_of(&self, module: &HloModule) -> bool {
        !self.is_empty() && self.module.line() == module.line()
    }

    /// The number of computations.
    pub(super) fn len(&self) -> usize {
        self.computations.len()
    }

    /// The calls, the last callee first; complete once [`roles`](Calls::roles) was called.
    pub(super) fn all(&self) -> &[Call] {
        &self.calls
    }

    /// Returns whether sums over instructions in memory are lower bounds, because an instruction is missing or calls a
    /// computation that is not in the text; known once [`roles`](Calls::roles) was called.
    pub(super) fn lacks_memory(&self) -> bool {
        self.has_gaps || self.lacking.is_some_and(HloRole::is_in_memory)
    }

    /// Returns whether sums over instructions, those inside fusions included, are lower bounds. A computation that is
    /// applied to elements adds nothing.
    pub(super) fn lacks_part(&self) -> bool {
        self.lacks_memory() || self.lacking == Some(HloRole::Fused)
    }

    /// Returns whether there are no computations.
    pub(super) fn is_empty(&self) -> bool {
        self.computations.is_empty()
    }

    /// Returns whether a fusion is known by now to call a computation; in dumps of XLA nothing else does.
    pub(super) fn is_fused(&self, number: u32) -> bool {
        self.computations.get(index(number)).is_some_and(|of| of.is_fused)
    }

    /// The number of the computation that a name has by now.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        self.names.number(name)
    }

    /// The name of a computation.
    pub(super) fn name(&self, number: u32) -> &str {
        self.names.get(number)
    }

    /// The line of its head.
    pub(super) fn line(&self, number: u32) -> u64 {
        self.computations.get(index(number)).map_or(0, |of| of.line)
    }

    /// The role of every computation, in the order in which they were added.
    ///
    /// A computation that a fusion calls is inside it; one that is also called elsewhere is in memory.
    pub(super) fn roles(&mut self) -> Roles {
        // Callees are written before their callers, so that one round from the end settles all.
        const MOST_ROUNDS: usize = 64;
        for (call, callee) in std::mem::take(&mut self.ahead) {
            match self.names.number(&callee) {
                Some(callee) => self.call(Call { callee, ..call }),
                None => self.lacking = self.lacking.into_iter().chain([call.role]).min(),
            }
        }
        self.calls.sort_unstable_by_key(|call| Reverse(call.callee));
        let entry = self.entry();
        let is_cut = self.is_cut(entry);
        let own = |(number, of): (usize, &Computation)| match of {
            _ if of.is_entry || Some(number) == entry => HloRole::Entry,
            _ if is_cut && of.is_inner && !of.is_loose => HloRole::CutOff,
            _ => HloRole::Uncalled,
        };
        let mut roles = Roles(self.computations.iter().enumerate().map(own).collect());
        for _ in 0..MOST_ROUNDS {
            if !self.settle(&mut roles) {
                break;
            }
        }
        roles
    }

    /// The computation where the module begins: the last one, if none is marked, unless it has the name of
    /// one that is called, or is not the only one that nothing calls.
    fn entry(&self) -> Option<usize> {
        let marked = self.computations.iter().position(|of| of.is_entry);
        marked.or_else(|| {
            let last = self.computations.len().checked_sub(1)?;
            let mut is_called = vec![false; self.computations.len()];
            for call in &self.calls {
                is_called.get_mut(index(call.callee)).into_iter().for_each(|is| *is = true);
            }
            let all = || self.computations.iter().enumerate().zip(is_called.iter());
            let mut uncalled = all().filter(|((_, of), is_called)| !of.is_loose && !**is_called);
            let ((only, of), _) = uncalled.next()?;
            (only == last && uncalled.next().is_none() && of.may_be_entry).then_some(last)
        })
    }

    /// Returns whether callers may be missing: the text ends inside the module, or before its entry.
    fn is_cut(&self, entry: Option<usize>) -> bool {
        entry.is_none() || self.computations.iter().any(|of| of.is_cut)
    }

    /// Sets the role of every callee by those of its callers, the last callee first; returns whether
    /// one has changed.
    fn settle(&self, roles: &mut Roles) -> bool {
        let mut has_changed = false;
        for of_callee in self.calls.chunk_by(|a, b| a.callee == b.callee) {
            let by = |call: &Call| match roles.of(call.caller) {
                inside @ (HloRole::Fused | HloRole::Applied) => inside,
                _ => call.role,
            };
            let called = of_callee.iter().map(by).min();
            let callee = of_callee.first().and_then(|call| roles.0.get_mut(index(call.callee)));
            if let (Some(called), Some(role)) = (called, callee)
                && *role != HloRole::Entry
            {
                has_changed |= *role != called;
                *role = called;
            }
        }
        has_changed
    }
}

/// The roles of the computations of a module.
#[derive(Clone, Debug, Default)]
pub(super) struct Roles(Vec<HloRole>);

impl Roles {
    /// The role of a computation.
    pub(super) fn of(&self, number: u32) -> HloRole {
        self.0.get(index(number)).copied().unwrap_or(HloRole::Uncalled)
    }

    /// The computations with their roles.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, HloRole)> {
        (0..).zip(self.0.iter().copied())
    }
}

/// Returns the number of a computation as an index into a list of all.
pub(super) fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn too_large() -> LayoutError {
    crate::bytes::too_large("the number of computations")
}

/// Returns the calls of an instruction: the role of the callee, the attribute that names it, and its name.
pub(super) fn called(
    of: HloInstruction<'_>,
) -> impl Iterator<Item = (HloRole, &'static str, &str)> {
    // The update and the done of an asynchronous start only name once more what that calls.
    let is_again = || of.opcode().ends_with("-update") || of.opcode().ends_with("-done");
    let named = of.record.callees;
    let keys = callees::keys(if named == 0 || is_again() { 0 } else { named });
    keys.filter_map(move |key| Some((key, of.attribute(key)?))).flat_map(move |(key, text)| {
        let role = role(of.opcode()).unwrap_or(HloRole::Called);
        let names = text.trim_matches(['{', '}']).split(',');
        let names = names.map(|name| name.trim().trim_start_matches('%'));
        names.filter(|name| !name.is_empty()).map(move |name| (role, key, name))
    })
}

/// Returns the role of the callees of an opcode; `None` for one that is not known to have any.
fn role(opcode: &str) -> Option<HloRole> {
    match opcode.strip_suffix("-start").unwrap_or(opcode) {
        "fusion" => Some(HloRole::Fused),
        "while" | "call" | "conditional" | "custom-call" | "async" => Some(HloRole::Called),
        "reduce" | "reduce-window" | "map" | "sort" | "scatter" | "select-and-scatter"
        | "all-reduce" | "reduce-scatter" => Some(HloRole::Applied),
        _ => None,
    }
}

/// Returns whether a computation may be the entry of its module: it is marked as that, or is whole, does not have the name
/// of one that is called, and has the shapes that the module gives its entry.
pub(super) fn may_be_entry(of: HloComputation<'_>) -> bool {
    let is_other = || of.is_loose() || of.is_cut() || is_inner(of.name()) || contradicts_module(of);
    of.is_entry() || !is_other()
}

/// Returns whether a computation has the name of one that is called: inside a fusion, or of a loop.
fn is_inner(name: &str) -> bool {
    let is_wrapped = name.starts_with("wrapped_") && name.contains("_computation");
    is_wrapped || name.starts_with("fused_") || name.starts_with("region_")
}
