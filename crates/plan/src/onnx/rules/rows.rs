//! Normalizations: reductions, and elementwise operations with what they give.

use super::matmul::wide;
use super::reduce::{count, mean};
use crate::graph::{Fold, Index, Read, Scalar, ValueId};
use crate::onnx::context::{Build, Loops, Node, Over, Results, Rules, axes};
use crate::onnx::expression::{c, x};

pub(super) const RULES: Rules = &[
    ("GroupNormalization", group),
    ("InstanceNormalization", instance),
    ("LRN", local),
    ("LayerNormalization", layer),
    ("LogSoftmax", log_softmax),
    ("LpNormalization", norm),
    ("MeanVarianceNormalization", standard),
    ("RMSNormalization", root_mean_square),
    ("SimplifiedLayerNormalization", root_mean_square),
    ("SkipLayerNormalization", skip),
    ("SkipSimplifiedLayerNormalization", skip),
    ("Softmax", softmax),
];

/// One axis; before version 13, all axes from it to the last.
fn softmax_axes(build: &Build, node: &Node<'_>, of: ValueId) -> Option<Over> {
    let (default, is_one) = if node.opset < 13 { (1, false) } else { (-1, true) };
    let rank = build.rank(of);
    let first = build.axis(of, node.int_or("axis", default))?;
    let end = if is_one { first + 1 } else { rank };
    Some(Over { axes: (first..end).collect(), keeps: true })
}

fn softmax(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let over = softmax_axes(build, node, of)?;
    Some(vec![softmax_over(build, "", of, &over)?])
}

pub(super) fn softmax_over(
    build: &mut Build,
    part: &str,
    of: ValueId,
    over: &Over,
) -> Option<ValueId> {
    let dtype = build.dtype(of);
    let max = build.reduce("max", dtype, over, &[of], (Fold::Max, x(0)))?;
    let exp = build.pointwise("exp", dtype, &[of, max], (x(0) - x(1)).exp())?;
    let sum = build.reduce("sum", dtype, over, &[exp], (Fold::Sum, x(0)))?;
    build.pointwise(part, dtype, &[exp, sum], x(0) / x(1))
}

fn log_softmax(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let (over, dtype) = (softmax_axes(build, node, of)?, build.dtype(of));
    let max = build.reduce("max", dtype, &over, &[of], (Fold::Max, x(0)))?;
    let exp = (x(0) - x(1)).exp();
    let sum = build.reduce("sum", dtype, &over, &[of, max], (Fold::Sum, exp))?;
    Some(vec![build.pointwise("", dtype, &[of, max, sum], x(0) - x(1) - x(2).ln())?])
}

/// The mean and the mean of squares of what is left.
fn moments(build: &mut Build, of: ValueId, over: &Over) -> Option<(ValueId, ValueId)> {
    let (dtype, count) = (wide(build.dtype(of)), count(build, of, over));
    let mean = mean(build, "mean", of, over, dtype)?;
    let body = (x(0) - x(1)).square() / c(count);
    let variance = build.reduce("variance", dtype, over, &[of, mean], (Fold::Sum, body))?;
    Some((mean, variance))
}

/// The number that is added to the variance: onnxruntime's operators that add two values first have another default.
fn epsilon(node: &Node<'_>) -> Scalar {
    let usual = if node.kind.starts_with("Skip") { 1e-12 } else { 1e-5 };
    c(node.float_or("epsilon", usual))
}

/// The axes from one to the last.
fn from(build: &Build, of: ValueId, first: i64) -> Option<Over> {
    Some(Over { axes: (build.axis(of, first)?..build.rank(of)).collect(), keeps: true })
}

fn layer(build: &mut Build, node: &Node<'_>) -> Results {
    let (of, scale) = (node.input(0)?, node.input(1)?);
    let over = from(build, of, node.int_or("axis", -1))?;
    let (mean, variance) = moments(build, of, &over)?;
    let result = scaled(build, node, &[of, mean, variance, scale], node.input(2))?;
    let mut results = vec![result];
    if node.has_result(1) || node.has_result(2) {
        let body = c(1.0) / (x(0) + epsilon(node)).sqrt();
        let inverse = build.pointwise("inverse", build.dtype(mean), &[variance], body)?;
        results.extend([mean, inverse]);
    }
    Some(results)
}

/// `(value - mean) / sqrt(variance + epsilon) * scale`, and the bias if there is one.
fn scaled(
    build: &mut Build,
    node: &Node<'_>,
    operands: &[ValueId; 4],
    bias: Option<ValueId>,
) -> Option<ValueId> {
    let body = (x(0) - x(1)) / (x(2) + epsilon(node)).sqrt() * x(3);
    let body = if bias.is_some() { body + x(4) } else { body };
    let all: Vec<ValueId> = operands.iter().copied().chain(bias).collect();
    build.pointwise("", build.dtype(operands[0]), &all, body)
}

fn root_mean_square(build: &mut Build, node: &Node<'_>) -> Results {
    let (of, scale) = (node.input(0)?, node.input(1)?);
    if node.has_result(1) {
        return None;
    }
    let over = from(build, of, node.int_or("axis", -1))?;
    Some(vec![by_root(build, node, of, scale, &over)?])
}

fn by_root(
    build: &mut Build,
    node: &Node<'_>,
    of: ValueId,
    scale: ValueId,
    over: &Over,
) -> Option<ValueId> {
    let body = x(0).square() / c(count(build, of, over));
    let dtype = wide(build.dtype(of));
    let square = build.reduce("square", dtype, over, &[of], (Fold::Sum, body))?;
    let body = x(0) / (x(1) + epsilon(node)).sqrt() * x(2);
    build.pointwise("", build.dtype(of), &[of, square, scale], body)
}

/// A sum of two values and its normalization.
fn skip(build: &mut Build, node: &Node<'_>) -> Results {
    let has_mean = node.kind == "SkipLayerNormalization";
    let (a, b, scale) = (node.input(0)?, node.input(1)?, node.input(2)?);
    if node.has_result(1) || node.has_result(2) {
        return None;
    }
    let bias = node.input(if has_mean { 4 } else { 3 });
    let body = if bias.is_some() { x(0) + x(1) + x(2) } else { x(0) + x(1) };
    let operands: Vec<ValueId> = [a, b].into_iter().chain(bias).collect();
    let sum = build.pointwise("add", build.dtype(a), &operands, body)?;
    let over = from(build, sum, -1)?;
    let result = if has_mean {
        let (mean, variance) = moments(build, sum, &over)?;
        scaled(build, node, &[sum, mean, variance, scale], node.input(3))?
    } else {
        by_root(build, node, sum, scale, &over)?
    };
    let mut results = vec![result];
    if node.has_result(3) {
        results.extend([result, result, sum]);
    }
    Some(results)
}

/// A value per channel, seen with as many axes after it as a value has.
fn per_channel(build: &mut Build, of: ValueId, after: usize) -> Option<ValueId> {
    let mut shape = build.shape(of).to_vec();
    shape.extend(std::iter::repeat_n(1, after));
    build.reshape(of, shape)
}

fn instance(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let after = build.rank(of).checked_sub(2)?;
    let over = Over { axes: (2..after + 2).collect(), keeps: true };
    let scale = per_channel(build, node.input(1)?, after)?;
    let bias = per_channel(build, node.input(2)?, after)?;
    let (mean, variance) = moments(build, of, &over)?;
    Some(vec![scaled(build, node, &[of, mean, variance, scale], Some(bias))?])
}

/// Channels are seen as groups; before version 21, a scale is for a group.
fn group(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let shape = build.shape(of).to_vec();
    let groups = u64::try_from(node.int("num_groups")?).ok().filter(|of| *of > 0)?;
    let (channels, after) = (*shape.get(1)?, &shape[2..]);
    let inside = (channels % groups == 0).then_some(channels / groups)?;
    let seen = [&[shape[0], groups, inside], after].concat();
    let grouped = build.reshape(of, seen)?;
    let over = Over { axes: (2..after.len() + 3).collect(), keeps: true };
    let factors = if node.opset < 21 { [groups, 1] } else { [groups, inside] };
    let mut factor = |number: usize| {
        let split = build.reshape(node.input(number)?, factors.to_vec())?;
        per_channel(build, split, after.len())
    };
    let (scale, bias) = (factor(1)?, factor(2)?);
    let (mean, variance) = moments(build, grouped, &over)?;
    let result = scaled(build, node, &[grouped, mean, variance, scale], Some(bias))?;
    Some(vec![build.reshape(result, shape)?])
}

fn norm(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let over = Over { axes: vec![build.axis(of, node.int_or("axis", -1))?], keeps: true };
    let (body, root) = match node.int_or("p", 2) {
        1 => (x(0).abs(), x(1)),
        2 => (x(0).square(), x(1).sqrt()),
        _ => return None,
    };
    let dtype = build.dtype(of);
    let sum = build.reduce("sum", dtype, &over, &[of], (Fold::Sum, body))?;
    // A row of zeros stays one.
    let body = Scalar::select(root.clone().equals(c(0.0)), c(0.0), x(0) / root);
    Some(vec![build.pointwise("", dtype, &[of, sum], body)?])
}

fn standard(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let numbers = node.ints("axes").unwrap_or(vec![0, 2, 3]);
    let over = Over { axes: axes(&numbers, build.rank(of))?, keeps: true };
    let (mean, variance) = moments(build, of, &over)?;
    let body = (x(0) - x(1)) / (x(2).sqrt() + c(1e-9));
    Some(vec![build.pointwise("", build.dtype(of), &[of, mean, variance], body)?])
}

/// Division by a power of the squares of neighboring channels.
fn local(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let size = node.int("size").filter(|size| (1..1 << 20).contains(size))?;
    let (shape, dtype) = (build.shape(of).to_vec(), build.dtype(of));
    if shape.len() < 2 {
        return None;
    }
    let mut loops = Loops::of(shape.clone());
    let near = loops.fold(u64::try_from(size).ok()?);
    let mut index: Vec<Index> = (0..shape.len()).map(Index::of).collect();
    index[1] = Index::sum([(1, 1)].into_iter().chain(near.term(1)), -((size - 1) / 2));
    let reads = vec![Read { value: of, index, outside: 0.0 }];
    let sum = build.nest("sum", dtype, loops, reads, (Fold::Sum, x(0).square()))?;
    let alpha = node.float_or("alpha", 1e-4) / crate::graph::number(size);
    let root = c(node.float_or("bias", 1.0)) + x(1) * c(alpha);
    let body = x(0) / root.power(c(node.float_or("beta", 0.75)));
    Some(vec![build.pointwise("", dtype, &[of, sum], body)?])
}
