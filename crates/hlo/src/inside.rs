//! Fusions that only copy, or update in place, by the computation that they call.

use itertools::Itertools;
use rustc_hash::FxHashMap;

use crate::{HloComputation, HloInstruction};

/// The facts about a computation that its callers need.
#[derive(Clone, Debug, Default)]
pub(super) struct Inside {
    /// One for every leaf of the root that is a copy of a parameter.
    pub(super) copies: Vec<InsideCopy>,
    /// The shape of what it writes, where it updates parameters in place: of an array that it updates, only the update.
    pub(super) written: Option<Box<str>>,
}

/// A parameter that is only copied, transposed, reshaped or converted.
#[derive(Clone, Debug)]
pub(super) struct InsideCopy {
    pub(super) from: Box<str>,
    pub(super) to: Box<str>,
    pub(super) is_converted: bool,
}

impl Inside {
    /// Returns the facts about a computation; `None` if it neither only copies nor updates in place.
    pub(super) fn of(computation: HloComputation<'_>) -> Option<Inside> {
        let root = computation.root()?;
        let written = written(root).map(Into::into);
        let copies = if is_copy(computation) { copies(root) } else { Vec::new() };
        (written.is_some() || !copies.is_empty()).then_some(Inside { copies, written })
    }
}

/// Returns whether a computation does nothing but move its parameters.
fn is_copy(computation: HloComputation<'_>) -> bool {
    const MOST: usize = 64;
    let is_moved = |opcode: &str| is_chain(opcode) || matches!(opcode, "parameter" | "tuple");
    computation.len() <= MOST && computation.instructions().all(|of| is_moved(of.opcode()))
}

fn is_chain(opcode: &str) -> bool {
    matches!(opcode, "copy" | "transpose" | "reshape" | "bitcast" | "bitcast-convert" | "convert")
}

fn copies(root: HloInstruction<'_>) -> Vec<InsideCopy> {
    match root.opcode() {
        "tuple" => root.operands().filter_map(|leaf| chain(leaf.instruction()?)).collect(),
        _ => chain(root).into_iter().collect(),
    }
}

/// The chain that ends with a leaf, if it moves anything.
fn chain(leaf: HloInstruction<'_>) -> Option<InsideCopy> {
    let (mut at, mut moves, mut is_converted) = (leaf, false, false);
    while is_chain(at.opcode()) {
        moves |= matches!(at.opcode(), "copy" | "transpose");
        is_converted |= at.opcode() == "convert";
        let before = at.operand(0)?;
        // Operands in an order that XLA rejects must not make an endless loop.
        at = (before.index() < at.index()).then_some(before)?;
    }
    let (from, to) = (at.shape_text().into(), leaf.shape_text().into());
    (moves && at.opcode() == "parameter").then_some(InsideCopy { from, to, is_converted })
}

/// Returns the shape of what a root writes, if any of its arrays is an update in place.
fn written(root: HloInstruction<'_>) -> Option<String> {
    if root.opcode() != "tuple" {
        return updated(root).map(|update| update.shape.to_owned());
    }
    let leaves: Vec<_> = root.operands().map(|of| of.instruction()).collect::<Option<_>>()?;
    let updates: Vec<_> = leaves.iter().map(|leaf| updated(*leaf)).collect();
    let given = updates.iter().flatten().map(|update| update.parameter).counts();
    // A buffer has room for one result: where several update one parameter, all but one of them are written whole, and
    // the dump does not show which.
    let is_alone = |update: &&Update<'_>| given.get(&update.parameter) == Some(&1);
    let part = |(leaf, update): (&HloInstruction<'_>, &Option<Update<'_>>)| {
        update.as_ref().filter(is_alone).map_or(leaf.shape_text(), |update| update.shape).to_owned()
    };
    (!given.is_empty()).then(|| format!("({})", leaves.iter().zip(&updates).map(part).join(", ")))
}

/// An update in place: the number of the instruction that is the parameter, and the shape of the update.
struct Update<'t> {
    parameter: usize,
    shape: &'t str,
}

/// Returns the update if an instruction writes one into a parameter, in place; bitcasts aside.
///
/// Source: XLA updates in place only what a fusion is given, not what it makes itself.
fn updated(leaf: HloInstruction<'_>) -> Option<Update<'_>> {
    let update = behind_bitcasts(leaf).filter(|at| at.opcode() == "dynamic-update-slice")?;
    let given = behind_bitcasts(update.operand(0)?).filter(|at| at.opcode() == "parameter")?;
    let shape = update.operands().nth(1)?.shape_text()?;
    Some(Update { parameter: given.index(), shape })
}

/// Returns the instruction that a chain of bitcasts ends at; `None` for operands in an order that XLA rejects.
fn behind_bitcasts(mut at: HloInstruction<'_>) -> Option<HloInstruction<'_>> {
    while at.opcode() == "bitcast" {
        let before = at.operand(0)?;
        at = (before.index() < at.index()).then_some(before)?;
    }
    Some(at)
}

/// The facts about the computations of a module that have any, by their names.
#[derive(Clone, Debug, Default)]
pub(super) struct Insides(FxHashMap<Box<str>, Inside>);

impl Insides {
    pub(super) fn add(&mut self, computation: HloComputation<'_>) {
        if let Some(inside) = Inside::of(computation) {
            self.0.insert(computation.name().into(), inside);
        }
    }

    /// Returns the facts about the computation that a fusion calls, if it was read before the fusion.
    pub(super) fn of(&self, fusion: HloInstruction<'_>) -> Option<&Inside> {
        if self.0.is_empty() || fusion.opcode() != "fusion" {
            return None;
        }
        self.0.get(fusion.attribute("calls")?.trim_start_matches('%'))
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
