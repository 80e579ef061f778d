//! Values with margins.

use crate::graph::{Index, Read, Scalar, ValueId};
use crate::onnx::context::{Build, Node, Results, Rules, axis};
use crate::onnx::expression::{c, signed, x};

pub(super) const RULES: Rules = &[("Pad", pad)];

/// The margins before and after each axis; negative ones are cut off.
type Margins = Vec<(i64, i64)>;

fn margins(build: &Build, node: &Node<'_>, rank: usize) -> Option<Margins> {
    let name = if node.opset < 2 { "paddings" } else { "pads" };
    let pads = build.integers_of(node, 1, name)??;
    let axes = match node.input(3) {
        Some(id) => build.integers(id)?,
        None => (0..).take(rank).collect(),
    };
    if pads.len() != 2 * axes.len() || pads.iter().any(|of| of.unsigned_abs() >= 1 << 32) {
        return None;
    }
    let mut margins = vec![(0, 0); rank];
    for (number, at) in axes.iter().enumerate() {
        margins[axis(*at, rank)?] = (pads[number], pads[axes.len() + number]);
    }
    Some(margins)
}

fn pad(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let margins = margins(build, node, build.rank(of))?;
    let mode = node.text("mode").unwrap_or("constant");
    if margins.iter().all(|of| *of == (0, 0)) {
        return Some(vec![of]);
    }
    if mode == "constant" {
        let value = match node.input(2) {
            Some(id) => build.number(id)?,
            None => node.float_or("value", 0.0),
        };
        return Some(vec![constant(build, of, &margins, value)?]);
    }
    let mut result = of;
    for (at, margin) in margins.iter().enumerate().filter(|(_, of)| **of != (0, 0)) {
        result = mirrored(build, mode, result, (at, *margin))?;
    }
    Some(vec![result])
}

fn widened(extent: u64, (before, after): (i64, i64)) -> Option<u64> {
    u64::try_from(signed(extent).checked_add(before)?.checked_add(after)?).ok()
}

fn constant(build: &mut Build, of: ValueId, margins: &Margins, outside: f64) -> Option<ValueId> {
    let each = build.shape(of).iter().zip(margins);
    let shape = each.map(|(extent, of)| widened(*extent, *of)).collect::<Option<Vec<_>>>()?;
    let along = |(number, (before, _)): (usize, &(i64, i64))| Index::sum([(number, 1)], -before);
    let index = margins.iter().enumerate().map(along).collect();
    let reads = vec![Read { value: of, index, outside }];
    build.copy("", (shape, build.dtype(of)), reads, x(0))
}

/// The index before, inside of and after an axis.
fn sides(mode: &str, at: usize, before: i64, extent: i64) -> Option<[Index; 3]> {
    let step = |by: i64, offset: i64| Index::sum([(at, by)], offset);
    let inside = step(1, -before);
    Some(match mode {
        "edge" => [Index::fixed(0), inside, Index::fixed(extent - 1)],
        "reflect" => [step(-1, before), inside, step(-1, 2 * (extent - 1) + before)],
        "wrap" => [step(1, extent - before), inside, step(1, -before - extent)],
        _ => return None,
    })
}

/// One axis with margins that have elements of the value.
fn mirrored(
    build: &mut Build,
    mode: &str,
    of: ValueId,
    (at, margin): (usize, (i64, i64)),
) -> Option<ValueId> {
    let mut shape = build.shape(of).to_vec();
    let extent = shape[at];
    let most = signed(extent) - i64::from(mode == "reflect");
    if extent == 0 || mode != "edge" && margin.0.max(margin.1) > most {
        return None;
    }
    shape[at] = widened(extent, margin)?;
    let read = |along: Index| {
        let mut read = Read::of(of, 0..shape.len());
        read.index[at] = along;
        read
    };
    let reads = sides(mode, at, margin.0, signed(extent))?.map(read).to_vec();
    let number = |of: i64| c(crate::graph::number(of));
    let place = || Scalar::Loop(at);
    let end = number(margin.0 + signed(extent));
    let inside_or_after = Scalar::select(place().less(end), x(1), x(2));
    let body = Scalar::select(place().less(number(margin.0)), x(0), inside_or_after);
    build.copy(&format!("axis{at}"), (shape, build.dtype(of)), reads, body)
}
