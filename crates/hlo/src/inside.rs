//! What a fusion does, by the computation that it calls: copies alone, or an update in place.

use std::collections::HashMap;

use crate::{HloComputation, HloInstruction};

/// What the callers of a computation must know of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Inside {
    /// Of every leaf of the root that is a copy of a parameter.
    pub(super) copies: Vec<InsideCopy>,
    /// The shape of the update, where the root is a `dynamic-update-slice` of a parameter.
    pub(super) update: Option<Box<str>>,
}

/// A parameter that is only copied, transposed, reshaped or converted.
#[derive(Clone, Debug)]
pub(super) struct InsideCopy {
    pub(super) from: Box<str>,
    pub(super) to: Box<str>,
    pub(super) is_converted: bool,
}

impl Inside {
    /// Of a computation; `None` where there is nothing to know.
    pub(super) fn of(computation: HloComputation<'_>) -> Option<Inside> {
        let root = computation.root()?;
        let update = updated(root).map(Into::into);
        let copies = if is_copy(computation) { copies(root) } else { Vec::new() };
        (update.is_some() || !copies.is_empty()).then_some(Inside { copies, update })
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
        // Operands of an order that XLA refuses must not lead round in a circle.
        at = (before.index() < at.index()).then_some(before)?;
    }
    let (from, to) = (at.shape_text().into(), leaf.shape_text().into());
    (moves && at.opcode() == "parameter").then_some(InsideCopy { from, to, is_converted })
}

/// The shape of what an instruction, or one before it that it only renames, writes into a parameter.
fn updated(root: HloInstruction<'_>) -> Option<&str> {
    let mut at = root;
    while at.opcode() == "bitcast" {
        let before = at.operand(0)?;
        at = (before.index() < at.index()).then_some(before)?;
    }
    (at.opcode() == "dynamic-update-slice").then(|| at.operands().nth(1)?.shape_text())?
}

/// The computations of a module of which something must be known, by their names.
#[derive(Clone, Debug, Default)]
pub(super) struct Insides(HashMap<Box<str>, Inside>);

impl Insides {
    pub(super) fn add(&mut self, computation: HloComputation<'_>) {
        if let Some(inside) = Inside::of(computation) {
            self.0.insert(computation.name().into(), inside);
        }
    }

    /// Of what a fusion calls, if that was read before it.
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
