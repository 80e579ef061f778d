//! The values of a module that share a buffer: those of loops, branches and calls, and updates in place.

use crate::memory::body::{CallSite, Callee, ComputationGraph, Kind};
use crate::memory::graph::Graph;
use crate::memory::interface::Interface;
use crate::memory::schedule::Schedule;

/// The numbers of the arrays of the computations that run, and the sets of arrays that share a buffer.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers {
    /// By run of a computation, the number of the first array of every instruction.
    first: Vec<Vec<usize>>,
    /// Another array of the same buffer; itself for the array that represents the buffer.
    parent: Vec<usize>,
    /// Set if an instruction writes the array, and clear if it only names one that is there already.
    is_value: Vec<bool>,
}

/// Arrays of an instruction: the number of the first, and their count.
type Arrays = (usize, usize);

/// The number of a run, and the computation that runs.
type Run<'g> = (usize, &'g ComputationGraph);

impl Buffers {
    pub(super) fn of(graph: &Graph, schedule: &Schedule, interface: &Interface) -> Buffers {
        let mut buffers =
            Buffers { first: vec![Vec::new(); schedule.count()], ..Buffers::default() };
        for (run, of) in schedule.runs() {
            if let Some(body) = graph.body(of.computation) {
                buffers.number(graph, run, body);
            }
        }
        for (run, of) in schedule.runs() {
            if let Some(body) = graph.body(of.computation) {
                buffers.join_own(graph, run, body);
                buffers.join_called(graph, schedule, run, body);
            }
        }
        buffers.join_donated(graph, schedule, interface);
        buffers.flatten();
        buffers
    }

    /// Numbers the arrays of a run.
    fn number(&mut self, graph: &Graph, run: usize, body: &ComputationGraph) {
        let mut first = Vec::with_capacity(body.len() + 1);
        for node in 0..body.len() {
            first.push(self.parent.len());
            let count = graph.shapes.get(body.shape(node)).map_or(0, |shape| shape.leaves().len());
            self.parent.extend(self.parent.len()..self.parent.len() + count);
        }
        first.push(self.parent.len());
        if let Some(of) = self.first.get_mut(run) {
            *of = first;
        }
        self.is_value.resize(self.parent.len(), true);
    }

    /// Returns the arrays of an instruction.
    pub(super) fn arrays(&self, run: usize, node: usize) -> Arrays {
        let first = self.first.get(run);
        let at = |node: usize| first.and_then(|first| first.get(node)).copied().unwrap_or(0);
        (at(node), at(node + 1).saturating_sub(at(node)))
    }

    /// Leads every array straight to the one that represents its buffer, whose number is the lowest: long chains of joined
    /// arrays would be followed again and again.
    pub(super) fn flatten(&mut self) {
        for array in 0..self.parent.len() {
            self.parent[array] = self.parent[self.parent[array]];
        }
    }

    /// Returns the number of the array that represents the buffer of an array.
    pub(super) fn buffer(&self, array: usize) -> usize {
        let mut at = array;
        while let Some(parent) = self.parent.get(at).copied().filter(|parent| *parent != at) {
            at = parent;
        }
        at
    }

    /// The number of arrays of all runs.
    pub(super) fn len(&self) -> usize {
        self.parent.len()
    }

    pub(super) fn is_value(&self, array: usize) -> bool {
        self.is_value.get(array).copied().unwrap_or(false)
    }

    /// Makes two arrays share a buffer; halves the paths to their representatives on the way.
    pub(super) fn join(&mut self, a: usize, b: usize) {
        let [a, b] = [a, b].map(|array| self.shortened(array));
        let (low, high) = (a.min(b), a.max(b));
        if let Some(parent) = self.parent.get_mut(high) {
            *parent = low;
        }
    }

    fn shortened(&mut self, array: usize) -> usize {
        let mut at = array;
        while let Some(parent) = self.parent.get(at).copied().filter(|parent| *parent != at) {
            let above = self.parent.get(parent).copied().unwrap_or(parent);
            if let Some(link) = self.parent.get_mut(at) {
                *link = above;
            }
            at = above;
        }
        at
    }

    /// Joins as many arrays as both have; with `names`, the second instruction only names the first array.
    fn join_all(&mut self, from: Arrays, to: Arrays, names: bool) {
        for at in 0..from.1.min(to.1) {
            self.join(from.0 + at, to.0 + at);
        }
        if names {
            let range = to.0..to.0 + to.1;
            self.is_value.get_mut(range).unwrap_or_default().fill(false);
        }
    }

    /// Joins the arrays of instructions with those of operands that they name, or whose place they take.
    fn join_own(&mut self, graph: &Graph, run: usize, body: &ComputationGraph) {
        for node in 0..body.len() {
            let to = self.arrays(run, node);
            let fused = match body.kind(node) {
                Kind::Fusion(_) => graph.fused_links(body, node),
                _ => &[],
            };
            for link in body.links(node).chain(fused) {
                let Some(operand) = body.operand(node, link.operand) else { continue };
                let from = self.arrays(run, operand);
                let part = |(first, all): Arrays, at: usize| {
                    (first + at, link.count.min(all.saturating_sub(at)))
                };
                self.join_all(part(from, link.from), part(to, link.to), !link.is_written);
            }
        }
    }

    /// Joins the operands of calls with parameters of the callees, and the roots with results of the calls.
    fn join_called(
        &mut self,
        graph: &Graph,
        schedule: &Schedule,
        run: usize,
        body: &ComputationGraph,
    ) {
        for sites in body.sites.chunk_by(|a, b| a.node == b.node) {
            for (at, site) in sites.iter().enumerate() {
                let callee = schedule.begun(run, site.node, at);
                let inside = callee.and_then(|callee| graph.body(schedule.computation(callee)?));
                if let Some((callee, inside)) = callee.zip(inside) {
                    self.join_given((run, body), site, (callee, inside));
                    self.join_result(graph, (run, body), site, (callee, inside));
                }
            }
        }
    }

    /// Joins the operands of a call with the parameters of the callee.
    fn join_given(&mut self, (run, body): Run<'_>, site: &CallSite, (callee, inside): Run<'_>) {
        let numbered = inside.numbered();
        for (at, operand) in body.operands(site.node) {
            let given = match site.callee {
                Callee::Inside => None,
                Callee::Condition | Callee::Body | Callee::Whole | Callee::Started => Some(at),
                Callee::Branch(branch) => (at == branch + 1).then_some(0),
            };
            let Some(given) = given else { continue };
            if let Some(parameter) = numbered.get(&given) {
                let (from, to) = (self.arrays(run, operand), self.arrays(callee, *parameter));
                self.join_all(from, to, true);
            }
        }
    }

    /// Joins the root of the callee with the result of a call.
    fn join_result(
        &mut self,
        graph: &Graph,
        (run, body): Run<'_>,
        site: &CallSite,
        (callee, inside): Run<'_>,
    ) {
        let root = self.arrays(callee, inside.root);
        let result = self.arrays(run, site.node);
        match site.callee {
            Callee::Condition | Callee::Inside => {}
            Callee::Body => {
                let parameter = inside.parameters().next();
                let parameter = parameter.map(|(_, node)| self.arrays(callee, node));
                self.join_all(root, parameter.unwrap_or_default(), true);
                self.join_all(root, result, true);
            }
            Callee::Whole | Callee::Branch(_) => self.join_all(root, result, true),
            Callee::Started => {
                let shape = graph.shapes.get(body.shape(site.node));
                let range = shape.and_then(|shape| shape.member(1)).unwrap_or_default();
                self.join_all(root, (result.0 + range.start, range.len()), true);
            }
        }
    }

    /// Joins results of the program with the parameters that are donated to them.
    fn join_donated(&mut self, graph: &Graph, schedule: &Schedule, interface: &Interface) {
        let entry = schedule.computation(Schedule::ENTRY);
        let Some(body) = entry.and_then(|entry| graph.body(entry)) else { return };
        let parameters = body.numbered();
        for alias in &interface.aliases {
            let Some(&parameter) = parameters.get(&alias.input) else { continue };
            let below = |node: usize, path: &[usize]| {
                let range = graph.shapes.get(body.shape(node))?.below(path)?;
                Some((self.arrays(Schedule::ENTRY, node).0 + range.start, range.len()))
            };
            let pair = below(parameter, &alias.path).zip(below(body.root, &alias.output));
            if let Some((from, to)) = pair {
                self.join_all(from, to, false);
            }
        }
    }
}
