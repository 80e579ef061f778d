//! Integers with a scale.

use crate::graph::{Dtype, Index, Read, Unary, ValueId};
use crate::onnx::context::{Build, Node, Results, Rules};
use crate::onnx::expression::{c, float, x};
use crate::onnx::tensor;

pub(super) const RULES: Rules = &[("DequantizeLinear", dequantize), ("QuantizeLinear", quantize)];

/// Scales or zero points as operands of an elementwise operation: one for all elements, one for each index of an
/// axis, or one for each block of an axis.
fn factor(build: &Build, node: &Node<'_>, id: ValueId, shape: &[u64]) -> Option<Read> {
    let own = build.shape(id);
    let index = match (own.len(), node.int_or("block_size", 0)) {
        (0, _) => Vec::new(),
        (1, 0) if own[0] == 1 => vec![Index::fixed(0)],
        (rank, block) => {
            let at = build.axis(node.input(0)?, node.int_or("axis", 1))?;
            let size = block.clamp(1, 1 << 32);
            let along = Index { divisor: size, ..Index::of(at) };
            let is_whole = own
                .get(at)
                .is_some_and(|of| of.checked_mul(size.unsigned_abs()) >= Some(shape[at]));
            match (rank, block) {
                (1, 0) if own[0] == shape[at] => vec![along],
                (_, 1..) if rank == shape.len() && is_whole => (0..rank)
                    .map(|of| if of == at { along.clone() } else { Index::of(of) })
                    .collect(),
                _ => return None,
            }
        }
    };
    Some(Read { value: id, index, outside: 0.0 })
}

/// The value, its scale and its zero point, if there is one.
fn operands(build: &Build, node: &Node<'_>) -> Option<(Vec<u64>, Vec<Read>)> {
    let shape = build.shape(node.input(0)?).to_vec();
    let mut reads = vec![build.repeated(node.input(0)?, &shape)];
    for id in [Some(node.input(1)?), node.input(2)].into_iter().flatten() {
        reads.push(factor(build, node, id, &shape)?);
    }
    Some((shape, reads))
}

fn wanted(node: &Node<'_>) -> Option<Dtype> {
    let code = node.int("output_dtype").filter(|code| *code != 0)?;
    tensor::known(i32::try_from(code).ok()?)
}

fn dequantize(build: &mut Build, node: &Node<'_>) -> Results {
    let (shape, reads) = operands(build, node)?;
    let dtype = wanted(node).unwrap_or(build.dtype(reads[1].value));
    let distance = if reads.len() > 2 { x(0) - x(2) } else { x(0) };
    Some(vec![build.copy("", (shape, dtype), reads, distance * x(1))?])
}

fn quantize(build: &mut Build, node: &Node<'_>) -> Results {
    let (shape, reads) = operands(build, node)?;
    let zero = reads.get(2).map(|read| build.dtype(read.value));
    let dtype = zero.or(wanted(node)).unwrap_or(Dtype::Uint(8));
    let (least, greatest) = match dtype {
        Dtype::Int(bits @ 1..=32) => (-float(1 << (bits - 1)), float((1 << (bits - 1)) - 1)),
        Dtype::Uint(bits @ 1..=32) => (0.0, float((1 << bits) - 1)),
        _ => return None,
    };
    let rounded = (x(0) / x(1)).apply(Unary::Round);
    let shifted = if reads.len() > 2 { rounded + x(2) } else { rounded };
    let body = shifted.max(c(least)).min(c(greatest));
    Some(vec![build.copy("", (shape, dtype), reads, body)?])
}
