//! Parts of values, and values of parts.

use crate::graph::{Fold, Index, Read, Scalar, ValueId};
use crate::onnx::context::{Build, Node, Results, Rules, axis};
use crate::onnx::expression::{signed, x};
use crate::onnx::tensor::elements;

pub(super) const RULES: Rules =
    &[("Concat", concat), ("Slice", slice), ("Split", split), ("Tile", tile)];

fn concat(build: &mut Build, node: &Node<'_>) -> Results {
    let operands = node.inputs.iter().copied().collect::<Option<Vec<ValueId>>>()?;
    let at = build.axis(*operands.first()?, node.int_or("axis", 1))?;
    Some(vec![joined(build, "", &operands, at)?])
}

/// The sum of operands that are 0 outside of their part.
pub(super) fn joined(
    build: &mut Build,
    part: &str,
    operands: &[ValueId],
    at: usize,
) -> Option<ValueId> {
    let [first, others @ ..] = operands else { return None };
    if others.is_empty() {
        return Some(*first);
    }
    let mut shape = build.shape(*first).to_vec();
    let (mut offset, mut reads) = (0, Vec::new());
    for id in operands {
        let mut same = build.shape(*id).to_vec();
        let extent = *same.get(at)?;
        same[at] = shape[at];
        if same != shape {
            return None;
        }
        let mut read = Read::of(*id, 0..shape.len());
        read.index[at] = Index::sum([(at, 1)], -signed(offset));
        reads.push(read);
        offset = elements(&[offset.checked_add(extent)?])?;
    }
    shape[at] = offset;
    let body = (0..reads.len()).map(x).reduce(|a, b| a + b)?;
    build.copy(part, (shape, build.dtype(*first)), reads, body)
}

/// Every so many elements of an axis: the first, the step and the number of elements.
type Part = (i64, i64, u64);

/// The elements of all axes that parts have; all elements are the value itself.
fn part(build: &mut Build, name: &str, of: ValueId, parts: &[Part]) -> Option<ValueId> {
    let shape: Vec<u64> = parts.iter().map(|(_, _, count)| *count).collect();
    let are_all = parts.iter().all(|(first, step, _)| (*first, *step) == (0, 1));
    if are_all && shape == build.shape(of) {
        return Some(of);
    }
    let along = |(number, (first, step, _)): (usize, &Part)| Index::sum([(number, *step)], *first);
    let index = parts.iter().enumerate().map(along).collect();
    let reads = vec![Read { value: of, index, outside: 0.0 }];
    build.copy(name, (shape, build.dtype(of)), reads, x(0))
}

fn whole(build: &Build, of: ValueId) -> Vec<Part> {
    build.shape(of).iter().map(|extent| (0, 1, *extent)).collect()
}

/// Some elements of one axis.
pub(super) fn range(
    build: &mut Build,
    name: &str,
    of: ValueId,
    (at, first, count): (usize, u64, u64),
) -> Option<ValueId> {
    let mut parts = whole(build, of);
    parts[at] = (signed(first), 1, count);
    part(build, name, of, &parts)
}

fn slice(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let rank = build.rank(of);
    let starts = build.integers_of(node, 1, "starts")??;
    let ends = build.integers_of(node, 2, "ends")??;
    let axes = build.integers_of(node, 3, "axes")?;
    let axes = axes.unwrap_or((0..).take(starts.len()).collect());
    let steps = build.integers_of(node, 4, "steps")?.unwrap_or(vec![1; starts.len()]);
    if [ends.len(), axes.len(), steps.len()] != [starts.len(); 3] {
        return None;
    }
    let mut parts = whole(build, of);
    for (number, at) in axes.iter().enumerate() {
        let at = axis(*at, rank)?;
        let extent = signed(parts[at].2);
        parts[at] = steps_of(extent, (starts[number], ends[number], steps[number]))?;
    }
    Some(vec![part(build, "", of, &parts)?])
}

fn steps_of(extent: i64, (start, end, step): (i64, i64, i64)) -> Option<Part> {
    let from_end = |of: i64| if of < 0 { of.saturating_add(extent) } else { of };
    let (start, end) = (from_end(start), from_end(end));
    let (first, distance) = if step > 0 {
        let first = start.clamp(0, extent);
        (first, end.clamp(0, extent) - first)
    } else {
        let first = start.clamp(0, (extent - 1).max(0));
        (first, first - end.clamp(-1, extent - 1))
    };
    let size = i64::try_from(step.unsigned_abs()).unwrap_or(i64::MAX);
    if size == 0 {
        return None;
    }
    let distance = if extent == 0 { 0 } else { distance.max(0) };
    let count = distance / size + i64::from(distance % size > 0);
    // A step beyond the axis is never taken.
    let step = if count > 1 { step } else { 1 };
    Some((first, step, u64::try_from(count).ok()?))
}

fn split(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let at = build.axis(of, node.int_or("axis", 0))?;
    let extent = build.shape(of)[at];
    let sizes = match build.integers_of(node, 1, "split")? {
        Some(sizes) => crate::onnx::tensor::counts(&sizes)?,
        None => {
            let count = u64::try_from(node.results.len()).ok().filter(|of| *of > 0)?;
            let most = extent.div_ceil(count);
            (0..count).map(|number| most.min(extent.saturating_sub(number * most))).collect()
        }
    };
    let mut first = 0;
    let mut results = Vec::new();
    for (number, count) in sizes.iter().enumerate() {
        results.push(range(build, &number.to_string(), of, (at, first, *count))?);
        first += count;
    }
    (first == extent).then_some(results)
}

/// Repetitions are axes of their own, which a view joins with the axes that are repeated.
fn tile(build: &mut Build, node: &Node<'_>) -> Results {
    let (of, repeats) = (node.input(0)?, build.integers(node.input(1)?)?);
    let repeats = crate::onnx::tensor::counts(&repeats)?;
    let shape = build.shape(of).to_vec();
    if repeats.len() != shape.len() {
        return None;
    }
    let (mut loops, mut index) = (Vec::new(), Vec::new());
    for (extent, repeat) in shape.iter().zip(&repeats) {
        loops.extend((*repeat != 1).then_some(*repeat));
        index.push(Index::of(loops.len()));
        loops.push(*extent);
    }
    if loops == shape {
        return Some(vec![of]);
    }
    let reads = vec![Read { value: of, index, outside: 0.0 }];
    let copies = build.copy("", (loops, build.dtype(of)), reads, x(0))?;
    let product = |(extent, repeat): (&u64, &u64)| extent.checked_mul(*repeat);
    let joined = shape.iter().zip(&repeats).map(product).collect::<Option<_>>()?;
    Some(vec![build.reshape(copies, joined)?])
}

/// A sum over an axis with weights: `result[o] = sum over i of weights[o, i] * value[i]`.
pub(super) fn weighted(
    build: &mut Build,
    name: &str,
    of: ValueId,
    (at, weights): (usize, ValueId),
) -> Option<ValueId> {
    let mut shape = build.shape(of).to_vec();
    let depth = std::mem::replace(&mut shape[at], build.shape(weights)[0]);
    let mut index: Vec<Index> = (0..shape.len()).map(Index::of).collect();
    let mut loops = crate::onnx::context::Loops::of(shape);
    index[at] = loops.fold(depth).index();
    let of_weights = vec![Index::of(at), index[at].clone()];
    let reads = vec![
        Read { value: of, index, outside: 0.0 },
        Read { value: weights, index: of_weights, outside: 0.0 },
    ];
    build.nest(name, build.dtype(of), loops, reads, (Fold::Sum, Scalar::product(2)))
}
