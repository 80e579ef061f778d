//! The instructions of a computation that may be in memory, with their operands, links and calls.

use rustc_hash::FxHashMap;

use crate::HloInstruction;
use crate::held::Held;
use crate::memory::links::Link;

/// The kind of an instruction, as far as it matters for calls and for uses of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Parameter(usize),
    /// A `get-tuple-element`, which uses one member of a tuple and no other.
    Element,
    Fusion(FusionKind),
    While,
    Call,
    Conditional,
    /// The start of a computation.
    Async,
    Other,
}

/// The kind of a fusion, as far as it matters for the buffers that its results may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FusionKind {
    /// `kLoop` or `kInput`.
    Loop,
    Output,
    Other,
}

impl FusionKind {
    fn of(of: HloInstruction<'_>) -> FusionKind {
        match of.attribute("kind") {
            Some("kLoop" | "kInput") => FusionKind::Loop,
            Some("kOutput") => FusionKind::Output,
            _ => FusionKind::Other,
        }
    }
}

impl Kind {
    pub(super) fn of(of: HloInstruction<'_>) -> Kind {
        match of.opcode() {
            "parameter" => of.parameter().map_or(Kind::Other, Kind::Parameter),
            "get-tuple-element" => Kind::Element,
            "fusion" => Kind::Fusion(FusionKind::of(of)),
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
    pub(super) operands_end: usize,
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
    pub(super) operands: Vec<usize>,
    /// By instruction, the number of operands that are it.
    pub(super) uses: Vec<usize>,
    /// By instruction, in order.
    pub(super) links: Vec<(usize, Link)>,
    pub(super) sites: Vec<CallSite>,
    pub(super) root: usize,
}

/// An operand that is not an instruction of the computation.
pub(super) const MISSING: usize = usize::MAX;

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

    /// The parameters by their numbers; of a number that is written twice, the first.
    pub(super) fn numbered(&self) -> FxHashMap<usize, usize> {
        let mut numbered = FxHashMap::default();
        self.parameters().for_each(|(number, node)| {
            numbered.entry(number).or_insert(node);
        });
        numbered
    }

    pub(super) fn opcode(&self, node: usize) -> &str {
        self.held.rows().get(node).map_or("", |row| self.held.text(row).opcode)
    }

    /// The number of operands that are an instruction.
    pub(super) fn use_count(&self, node: usize) -> usize {
        self.uses.get(node).copied().unwrap_or(0)
    }

    pub(super) fn count_uses(&mut self) {
        self.uses = vec![0; self.len()];
        for operand in &self.operands {
            self.uses.get_mut(*operand).into_iter().for_each(|count| *count += 1);
        }
    }

    /// Returns the calls of an instruction, in the order in which they run.
    pub(super) fn sites(&self, node: usize) -> &[CallSite] {
        let start = self.sites.partition_point(|site| site.node < node);
        let end = self.sites.partition_point(|site| site.node <= node);
        self.sites.get(start..end).unwrap_or_default()
    }
}
