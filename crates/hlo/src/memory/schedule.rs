//! The times at which the instructions of a scheduled module run: in text order, callees first.

use rustc_hash::FxHashMap;

use crate::memory::error::HloMemoryError;
use crate::memory::graph::{Callee, ComputationGraph, Graph};
use crate::roles::{Calls, index};

/// The order in which the instructions of a module run, in the thread of its entry.
#[derive(Clone, Debug, Default)]
pub(super) struct Schedule {
    /// By time: the computation and the instruction.
    order: Vec<(u32, usize)>,
    /// The time span of every computation that runs.
    spans: FxHashMap<u32, ComputationSpan>,
}

/// The first and the last time of a computation, the times of its instructions, and its caller.
#[derive(Clone, Debug)]
pub(super) struct ComputationSpan {
    pub(super) start: usize,
    pub(super) end: usize,
    times: Vec<usize>,
    caller: Option<(u32, usize)>,
}

/// A computation that is being numbered.
struct OpenComputation<'g> {
    number: u32,
    body: &'g ComputationGraph,
    node: usize,
    site: usize,
}

impl Schedule {
    /// Numbers the instructions from the entry on; a computation that is called twice runs once, for
    /// the first caller.
    pub(super) fn of(graph: &Graph, calls: &Calls, entry: u32) -> Result<Schedule, HloMemoryError> {
        let mut schedule = Schedule::default();
        let mut stack = vec![schedule.enter(graph, calls, entry, None)?];
        while let Some(frame) = stack.last_mut() {
            let number = frame.number;
            if frame.node >= frame.body.len() {
                schedule.leave(number);
                stack.pop();
                continue;
            }
            let sites = frame.body.sites(frame.node);
            let site = sites.get(frame.site).filter(|site| site.callee != Callee::Inside);
            let Some(site) = site else {
                schedule.run(number, frame.node);
                (frame.node, frame.site) = (frame.node + 1, 0);
                continue;
            };
            frame.site += 1;
            let caller = (number, frame.node);
            let callee = calls.number(&site.name);
            if let Some(callee) = callee.filter(|callee| !schedule.spans.contains_key(callee)) {
                stack.push(schedule.enter(graph, calls, callee, Some(caller))?);
            }
        }
        Ok(schedule)
    }

    fn enter<'g>(
        &mut self,
        graph: &'g Graph,
        calls: &Calls,
        number: u32,
        caller: Option<(u32, usize)>,
    ) -> Result<OpenComputation<'g>, HloMemoryError> {
        let twice = || HloMemoryError::CalledTwice { name: calls.name(number).to_owned() };
        let body = graph.body(number).ok_or_else(twice)?;
        let start = self.order.len();
        let times = Vec::with_capacity(body.len());
        self.spans.insert(number, ComputationSpan { start, end: start, times, caller });
        Ok(OpenComputation { number, body, node: 0, site: 0 })
    }

    fn run(&mut self, number: u32, node: usize) {
        if let Some(span) = self.spans.get_mut(&number) {
            span.times.push(self.order.len());
        }
        self.order.push((number, node));
    }

    fn leave(&mut self, number: u32) {
        if let Some(span) = self.spans.get_mut(&number) {
            span.end = self.order.len().saturating_sub(1).max(span.start);
        }
    }

    /// The number of instructions run.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// The instruction that runs at a time.
    pub(super) fn at(&self, time: usize) -> Option<(u32, usize)> {
        self.order.get(time).copied()
    }

    /// The computations that run, in the order of the text.
    pub(super) fn computations(&self) -> Vec<(u32, &ComputationSpan)> {
        let mut all: Vec<_> = self.spans.iter().map(|(number, span)| (*number, span)).collect();
        all.sort_unstable_by_key(|(number, _)| index(*number));
        all
    }

    /// Returns the time at which the operands of `caller` become parameters of `callee`, its start; `None`
    /// if it runs for another caller.
    pub(super) fn start_for(&self, callee: u32, caller: (u32, usize)) -> Option<usize> {
        let span = self.spans.get(&callee)?;
        (span.caller == Some(caller)).then_some(span.start)
    }

    pub(super) fn runs(&self, number: u32) -> bool {
        self.spans.contains_key(&number)
    }
}

impl ComputationSpan {
    pub(super) fn time(&self, node: usize) -> usize {
        self.times.get(node).copied().unwrap_or(self.start)
    }
}
