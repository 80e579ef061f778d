//! The times at which the instructions of a scheduled module run: in text order, callees first.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::memory::body::{Callee, ComputationGraph};
use crate::memory::graph::Graph;
use crate::roles::Calls;
use tensor_layout::LayoutError;
use tensor_layout::error::fault;

/// The greatest number of instructions and arrays in the runs of computations that ran before: calls that nest
/// can double it again and again.
const MOST_REPEATED: usize = 1 << 22;

/// The order in which the instructions of a module run, in the thread of its entry.
///
/// A computation runs once for every instruction that calls it, as if each called a copy of its own, which XLA
/// makes before it assigns buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Schedule {
    /// By time: the run and the instruction.
    order: Vec<(usize, usize)>,
    /// The runs of computations, in the order in which they begin: that of the entry first.
    runs: Vec<ComputationRun>,
    /// The runs that an instruction begins: by its own run, its number, and the place among its call sites.
    begun: FxHashMap<(usize, usize, usize), usize>,
    repeated: usize,
}

/// The first and the last time of a run of a computation, and the times of its instructions.
#[derive(Clone, Debug)]
pub(super) struct ComputationRun {
    pub(super) computation: u32,
    pub(super) start: usize,
    pub(super) end: usize,
    times: Vec<usize>,
}

/// A computation that is being numbered.
struct OpenComputation<'g> {
    run: usize,
    number: u32,
    body: &'g ComputationGraph,
    node: usize,
    site: usize,
}

/// The computations that have run, and those among them that have not ended.
#[derive(Default)]
struct Entered {
    all: FxHashSet<u32>,
    open: FxHashSet<u32>,
}

impl Schedule {
    /// The run of the entry.
    pub(super) const ENTRY: usize = 0;

    /// Numbers the instructions from the entry on; a computation that calls itself, which XLA rejects, does not
    /// run again.
    pub(super) fn of(graph: &Graph, calls: &Calls, entry: u32) -> Result<Schedule, LayoutError> {
        let (mut schedule, mut entered) = (Schedule::default(), Entered::default());
        let mut stack = vec![schedule.enter(graph, calls, entry, &mut entered)?];
        while let Some(frame) = stack.last_mut() {
            if frame.node >= frame.body.len() {
                schedule.leave(frame.run);
                entered.open.remove(&frame.number);
                stack.pop();
                continue;
            }
            let sites = frame.body.sites(frame.node);
            let site = sites.get(frame.site).filter(|site| site.callee != Callee::Inside);
            let Some(site) = site else {
                schedule.run(frame.run, frame.node);
                (frame.node, frame.site) = (frame.node + 1, 0);
                continue;
            };
            let place = (frame.run, frame.node, frame.site);
            frame.site += 1;
            let callee = calls.number(&site.name);
            if let Some(callee) = callee.filter(|callee| !entered.open.contains(callee)) {
                let begun = schedule.enter(graph, calls, callee, &mut entered)?;
                schedule.begun.insert(place, begun.run);
                stack.push(begun);
            }
        }
        Ok(schedule)
    }

    fn enter<'g>(
        &mut self,
        graph: &'g Graph,
        calls: &Calls,
        number: u32,
        entered: &mut Entered,
    ) -> Result<OpenComputation<'g>, LayoutError> {
        let name = || calls.name(number).to_owned();
        let body = graph.body(number).ok_or_else(|| {
            fault!(
                Unsupported,
                "computation `{name}` is called by a fusion and by another instruction: \
                 its values are in memory in one case and not in the other",
                [name = name()]
            )
        })?;
        if !entered.all.insert(number) {
            self.repeated = self.repeated.saturating_add(graph.extent(body));
            if self.repeated > MOST_REPEATED {
                return Err(fault!(
                    Limit,
                    "computation `{name}` is called so often that its runs have more than \
                     {most} instructions and arrays: the peak is not computed",
                    [name = name(), most = MOST_REPEATED]
                ));
            }
        }
        entered.open.insert(number);
        let (run, start) = (self.runs.len(), self.order.len());
        let times = Vec::with_capacity(body.len());
        self.runs.push(ComputationRun { computation: number, start, end: start, times });
        Ok(OpenComputation { run, number, body, node: 0, site: 0 })
    }

    fn run(&mut self, run: usize, node: usize) {
        if let Some(of) = self.runs.get_mut(run) {
            of.times.push(self.order.len());
        }
        self.order.push((run, node));
    }

    fn leave(&mut self, run: usize) {
        if let Some(of) = self.runs.get_mut(run) {
            of.end = self.order.len().saturating_sub(1).max(of.start);
        }
    }

    /// The number of instructions run.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// The run and the instruction at a time.
    pub(super) fn at(&self, time: usize) -> Option<(usize, usize)> {
        self.order.get(time).copied()
    }

    /// The computation that runs in a run.
    pub(super) fn computation(&self, run: usize) -> Option<u32> {
        self.runs.get(run).map(|of| of.computation)
    }

    /// The runs with their numbers, in the order of their computations in the text.
    pub(super) fn runs(&self) -> Vec<(usize, &ComputationRun)> {
        let mut all: Vec<_> = self.runs.iter().enumerate().collect();
        all.sort_by_key(|(_, of)| of.computation);
        all
    }

    /// The number of runs.
    pub(super) fn count(&self) -> usize {
        self.runs.len()
    }

    /// The run that an instruction begins at one of its call sites; `None` if it begins none.
    pub(super) fn begun(&self, run: usize, node: usize, site: usize) -> Option<usize> {
        self.begun.get(&(run, node, site)).copied()
    }

    /// The time at which the operands of an instruction become parameters at one of its call sites.
    pub(super) fn start(&self, run: usize, node: usize, site: usize) -> Option<usize> {
        self.runs.get(self.begun(run, node, site)?).map(|of| of.start)
    }
}

impl ComputationRun {
    pub(super) fn time(&self, node: usize) -> usize {
        self.times.get(node).copied().unwrap_or(self.start)
    }
}
