//! The computations of a module that may be in memory.

use rustc_hash::FxHashMap;
use tensor_layout::xla::XlaArray;

use crate::memory::body::{CallSite, Callee, ComputationGraph, Instruction, Kind, MISSING};
use crate::memory::elementwise::{Shareable, is_elementwise};
use crate::memory::leaves::{LeafShape, LeafShapes};
use crate::memory::links::{Link, Shaped};
use crate::roles::{Calls, HloRole, called, index};
use crate::unread::HloReading;
use crate::{HloComputation, HloInstruction};

/// The computations of a module.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    /// By computation; `None` for one inside a fusion, or applied to elements.
    bodies: Vec<Option<ComputationGraph>>,
    /// By the names of computations that fusions may call, from results to the operands whose place they take.
    in_place: FxHashMap<Box<str>, Vec<Link>>,
    /// By the same names, the parameters whose buffers results may take.
    shareable: FxHashMap<Box<str>, Shareable>,
    pub(super) shapes: LeafShapes,
    /// Set if an operand is a member of a tuple that has no instruction of its own.
    pub(super) has_members: bool,
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
        body.held.reserve(of.len());
        for instruction in of.instructions() {
            let shape = self.shapes.number(instruction.shape_text()).unwrap_or_else(|why| {
                self.unsized_count += 1;
                unread.push(instruction.line(), instruction.shape_text().as_bytes(), why);
                MISSING
            });
            for operand in instruction.operands() {
                // A member of a tuple without an instruction of its own: its life is not known here.
                self.has_members |= operand.element().is_some();
                let of = operand.instruction().filter(|_| operand.element().is_none());
                body.operands.push(of.map_or(MISSING, |of| of.index()));
            }
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
        body.count_uses();
        let shareable = Shareable::of(&body);
        if !shareable.is_empty() {
            self.shareable.insert(of.name().into(), shareable);
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
        if role == HloRole::Called && callee != Callee::Inside
            || matches!(body.kind(node), Kind::Fusion(_))
        {
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
            if instruction.operands().any(|operand| operand.element().is_some()) {
                continue;
            }
            let count = instruction.operands().len();
            let operand = |at: usize| shape(body.operand(node, at)?);
            match (Shaped { own, count, operand }).links(instruction) {
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

    /// Returns the operands whose buffers a result of the same shape and layout may take, each with its place: arrays of which
    /// the instruction reads each element before it writes the same one.
    pub(super) fn takeable<'g>(
        &'g self,
        body: &'g ComputationGraph,
        node: usize,
    ) -> impl Iterator<Item = (usize, &'g XlaArray, usize)> {
        let opcode = body.opcode(node);
        let inside = body.sites(node).first().and_then(|site| self.shareable.get(&site.name));
        let may = move |at: usize, operand: usize| match (body.kind(node), opcode) {
            (Kind::Fusion(kind), _) => inside.is_some_and(|inside| inside.has(at, kind)),
            (_, "copy") => false,
            (_, "sort") => body.use_count(operand) == 1,
            (_, "triangular-solve") => at == 1,
            _ => is_elementwise(opcode, at),
        };
        body.operands(node).filter_map(move |(at, operand)| {
            let array = self.shapes.get(body.shape(operand)).and_then(LeafShape::as_array)?;
            (may(at, operand) && body.opcode(operand) != "constant").then_some((at, array, operand))
        })
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
