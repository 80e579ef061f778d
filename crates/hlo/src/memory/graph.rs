//! The instructions of a module that may be in memory, with their operands, links and calls.

use rustc_hash::FxHashMap;

use crate::held::Held;
use crate::memory::leaves::LeafShapes;
use crate::memory::links::{Link, Shaped};
use crate::roles::{Calls, HloRole, called, index};
use crate::unread::HloReading;
use crate::{HloComputation, HloInstruction};

/// The kind of an instruction, as far as it matters for calls and for uses of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Parameter(usize),
    /// A `get-tuple-element`, which uses one member of a tuple and no other.
    Element,
    Fusion,
    While,
    Call,
    Conditional,
    /// The start of a computation.
    Async,
    Other,
}

impl Kind {
    fn of(of: HloInstruction<'_>) -> Kind {
        match of.opcode() {
            "parameter" => of.parameter().map_or(Kind::Other, Kind::Parameter),
            "get-tuple-element" => Kind::Element,
            "fusion" => Kind::Fusion,
            "while" => Kind::While,
            "call" => Kind::Call,
            "conditional" => Kind::Conditional,
            "async-start" | "call-start" => Kind::Async,
            _ => Kind::Other,
        }
    }
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction {
    pub(super) kind: Kind,
    /// The end of its operands among those of its computation; they begin at the end of the one before it.
    operands_end: usize,
}

/// The part that a computation plays for an instruction that calls it in its own thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Callee {
    Condition,
    Body,
    Whole,
    Branch(usize),
    Started,
    /// The inside of a fusion.
    Inside,
}

#[derive(Clone, Debug)]
pub(super) struct CallSite {
    pub(super) node: usize,
    pub(super) callee: Callee,
    pub(super) name: Box<str>,
}

/// A computation.
#[derive(Clone, Debug, Default)]
pub(super) struct ComputationGraph {
    pub(super) held: Held<Instruction>,
    operands: Vec<usize>,
    /// By instruction, in order.
    pub(super) links: Vec<(usize, Link)>,
    pub(super) sites: Vec<CallSite>,
    pub(super) root: usize,
}

/// An operand that is not an instruction of the computation.
const MISSING: usize = usize::MAX;

impl ComputationGraph {
    pub(super) fn len(&self) -> usize {
        self.held.rows().len()
    }

    pub(super) fn kind(&self, node: usize) -> Kind {
        self.held.rows().get(node).map_or(Kind::Other, |row| row.key.kind)
    }

    /// The number of the shape of an instruction.
    pub(super) fn shape(&self, node: usize) -> usize {
        self.held.rows().get(node).map_or(MISSING, |row| row.number)
    }

    /// The operands of an instruction, those that are missing included.
    fn places(&self, node: usize) -> &[usize] {
        let end = |node: usize| self.held.rows().get(node).map(|row| row.key.operands_end);
        let start = node.checked_sub(1).and_then(end).unwrap_or(0);
        self.operands.get(start..end(node).unwrap_or(start)).unwrap_or_default()
    }

    /// The operands of an instruction, each with its place among them.
    pub(super) fn operands(&self, node: usize) -> impl Iterator<Item = (usize, usize)> {
        let all = self.places(node).iter().copied().enumerate();
        all.filter(|(_, operand)| *operand != MISSING)
    }

    pub(super) fn operand(&self, node: usize, at: usize) -> Option<usize> {
        self.places(node).get(at).copied().filter(|operand| *operand != MISSING)
    }

    /// The links of an instruction.
    pub(super) fn links(&self, node: usize) -> impl Iterator<Item = &Link> {
        let start = self.links.partition_point(|(of, _)| *of < node);
        self.links.iter().skip(start).take_while(move |(of, _)| *of == node).map(|(_, link)| link)
    }

    pub(super) fn parameters(&self) -> impl Iterator<Item = (usize, usize)> {
        self.held.rows().iter().enumerate().filter_map(|(node, row)| match row.key.kind {
            Kind::Parameter(number) => Some((number, node)),
            _ => None,
        })
    }

    pub(super) fn parameter(&self, number: usize) -> Option<usize> {
        self.parameters().find(|(of, _)| *of == number).map(|(_, node)| node)
    }

    /// Returns the calls of an instruction, in the order in which they run.
    pub(super) fn sites(&self, node: usize) -> &[CallSite] {
        let start = self.sites.partition_point(|site| site.node < node);
        let end = self.sites.partition_point(|site| site.node <= node);
        self.sites.get(start..end).unwrap_or_default()
    }
}

/// The computations of a module.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    /// By computation; `None` for one inside a fusion, or applied to elements.
    bodies: Vec<Option<ComputationGraph>>,
    /// By the names of computations that fusions may call, from results to the operands whose place they take.
    in_place: FxHashMap<Box<str>, Vec<Link>>,
    pub(super) shapes: LeafShapes,
    /// The number of instructions that have a shape without a size.
    pub(super) unsized_count: u64,
}

impl Graph {
    /// Starts a module.
    pub(super) fn clear(&mut self) {
        let mut shapes = std::mem::take(&mut self.shapes);
        shapes.next_module();
        *self = Graph { shapes, ..Graph::default() };
    }

    pub(super) fn body(&self, number: u32) -> Option<&ComputationGraph> {
        self.bodies.get(index(number))?.as_ref()
    }

    /// The number of instructions of a computation and of their arrays.
    pub(super) fn extent(&self, body: &ComputationGraph) -> usize {
        let arrays = |node| self.shapes.get(body.shape(node)).map_or(0, |of| of.leaves().len());
        (0..body.len()).map(|node| 1 + arrays(node)).sum()
    }

    /// Adds a computation, the last one that `calls` has.
    pub(super) fn add(&mut self, of: HloComputation<'_>, calls: &Calls, unread: &mut HloReading) {
        let root = of.root().map_or(0, |root| root.index());
        let mut body = ComputationGraph { root, ..ComputationGraph::default() };
        for instruction in of.instructions() {
            let shape = self.shapes.number(instruction.shape_text()).unwrap_or_else(|why| {
                self.unsized_count += 1;
                unread.push(instruction.line(), instruction.shape_text().as_bytes(), why);
                MISSING
            });
            body.operands.extend(
                instruction.operands().map(|of| of.instruction().map_or(MISSING, |of| of.index())),
            );
            let node =
                Instruction { kind: Kind::of(instruction), operands_end: body.operands.len() };
            body.held.push(instruction, 0, shape, node);
            for (role, key, name) in called(instruction) {
                self.call(&mut body, instruction, role, key, name, calls);
            }
        }
        self.link(&mut body, of, unread);
        body.sites.sort_by_key(|site| (site.node, site.callee));
        let in_place = self.in_place(&body);
        if !in_place.is_empty() {
            self.in_place.insert(of.name().into(), in_place);
        }
        self.bodies.push(Some(body));
    }

    /// Notes a call, or drops a callee that is not in memory.
    fn call(
        &mut self,
        body: &mut ComputationGraph,
        of: HloInstruction<'_>,
        role: HloRole,
        key: &str,
        name: &str,
        calls: &Calls,
    ) {
        let node = of.index();
        let branches = body.sites.iter().rev().take_while(|site| site.node == node).count();
        let is_other_thread = |thread: &str| thread.trim_matches('"') != "main";
        let callee = match (body.kind(node), key) {
            (Kind::While, "condition") => Callee::Condition,
            (Kind::While, _) => Callee::Body,
            (Kind::Call, _) => Callee::Whole,
            (Kind::Conditional, _) => Callee::Branch(branches),
            (Kind::Async, _)
                if of.attribute("async_execution_thread").is_some_and(is_other_thread) =>
            {
                return;
            }
            (Kind::Async, _) => Callee::Started,
            _ => Callee::Inside,
        };
        if role != HloRole::Called
            && let Some(callee) = calls.number(name).and_then(|n| self.bodies.get_mut(index(n)))
        {
            *callee = None;
        }
        if role == HloRole::Called && callee != Callee::Inside || body.kind(node) == Kind::Fusion {
            body.sites.push(CallSite { node, callee, name: name.into() });
        }
    }

    fn link(
        &mut self,
        body: &mut ComputationGraph,
        of: HloComputation<'_>,
        unread: &mut HloReading,
    ) {
        for instruction in of.instructions() {
            let node = instruction.index();
            let shape = |node: usize| self.shapes.get(body.shape(node));
            let Some(own) = shape(node) else { continue };
            let operands =
                instruction.operands().map(|of| shape(of.instruction()?.index())).collect();
            match (Shaped { own, operands }).links(instruction) {
                Ok(links) => body.links.extend(links.into_iter().map(|link| (node, link))),
                Err(why) => {
                    unread.push(instruction.line(), instruction.name().as_bytes(), why.into());
                }
            }
        }
    }

    /// Returns the leaves of the root of a computation that are written into its parameters.
    fn in_place(&self, body: &ComputationGraph) -> Vec<Link> {
        let leaves = self.shapes.get(body.shape(body.root)).map_or(0, |shape| shape.leaves().len());
        let mut links = LinksByLeaf::default();
        (0..leaves).filter_map(|leaf| in_place(body, leaf, &mut links)).collect()
    }

    /// Returns links from the results of a fusion to the operands whose place they take.
    pub(super) fn fused_links(&self, body: &ComputationGraph, node: usize) -> &[Link] {
        let inside = body.sites(node).first().and_then(|site| self.in_place.get(&site.name));
        inside.map_or(&[], Vec::as_slice)
    }
}

/// By instruction, the first link that holds each of its leaves.
#[derive(Default)]
struct LinksByLeaf(FxHashMap<usize, Vec<Option<Link>>>);

impl LinksByLeaf {
    fn get(&mut self, body: &ComputationGraph, node: usize, leaf: usize) -> Option<Link> {
        let by_leaf = self.0.entry(node).or_insert_with(|| {
            let end = body.links(node).map(|link| link.to + link.count).max();
            let mut by_leaf = vec![None; end.unwrap_or(0)];
            for link in body.links(node) {
                let held = by_leaf.get_mut(link.to..link.to + link.count);
                held.into_iter().flatten().for_each(|of| *of = of.or(Some(*link)));
            }
            by_leaf
        });
        by_leaf.get(leaf).copied().flatten()
    }
}

/// Follows a leaf of the root through other names and at least one update in place to a parameter.
fn in_place(body: &ComputationGraph, leaf: usize, links: &mut LinksByLeaf) -> Option<Link> {
    let (mut node, mut at, mut is_written) = (body.root, leaf, false);
    loop {
        if let Kind::Parameter(operand) = body.kind(node) {
            return is_written.then_some(Link {
                to: leaf,
                operand,
                from: at,
                count: 1,
                is_written,
            });
        }
        let link = links.get(body, node, at)?;
        let before = body.operand(node, link.operand)?;
        is_written |= link.is_written;
        at = link.from + (at - link.to);
        // Operands in an order that XLA rejects must not make an endless loop.
        node = (before < node).then_some(before)?;
    }
}
