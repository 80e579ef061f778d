//! Windows without weights.

use super::window::{Window, extents};
use crate::graph::{Dtype, Fold, Index, Read, Scalar, ValueId};
use crate::onnx::context::{Build, Loops, Node, Results, Rules};
use crate::onnx::expression::{c, x};

pub(super) const RULES: Rules = &[("AveragePool", average), ("LpPool", norm), ("MaxPool", max)];

/// The operand, its shape and its window.
type Pool = (ValueId, Vec<u64>, Window);

fn window(build: &Build, node: &Node<'_>) -> Option<Pool> {
    let of = node.input(0)?;
    let shape = build.shape(of).to_vec();
    let kernel = node.small("kernel_shape", Vec::new())?;
    let window = Window::of(node, &extents(&shape)?, kernel)?;
    (shape.len() > 2).then_some((of, shape, window))
}

fn fold(
    build: &mut Build,
    part: &str,
    (of, shape, window): &Pool,
    outside: f64,
    what: (Fold, Scalar),
) -> Option<ValueId> {
    let mut loops = Loops::of([&shape[..2], &window.shape()?].concat());
    let (along, _) = window.indexes(&mut loops, 2);
    let index = [vec![Index::of(0), Index::of(1)], along].concat();
    let reads = vec![Read { value: *of, index, outside }];
    build.nest(part, build.dtype(*of), loops, reads, what)
}

fn max(build: &mut Build, node: &Node<'_>) -> Results {
    let pool = window(build, node)?;
    if node.has_result(1) {
        return None;
    }
    Some(vec![fold(build, "", &pool, f64::NEG_INFINITY, (Fold::Max, x(0)))?])
}

/// The number of elements that the window has along an axis at each step.
fn counts(window: &Window, at: usize, extent: u64, with_pads: bool) -> Option<Vec<u64>> {
    let extent = i64::try_from(extent).ok()?;
    let (from, to) = match with_pads {
        true => (-window.begins[at], extent + window.ends[at]),
        false => (0, extent),
    };
    if window.result[at].checked_mul(window.kernel[at])? > 1 << 24 {
        return None;
    }
    let is_in = |of: &i64| (from..to).contains(of);
    let at_step = |step: i64| {
        let first = step * window.strides[at] - window.begins[at];
        let inside = (0..window.kernel[at]).map(|of| first + of * window.dilations[at]);
        u64::try_from(inside.filter(is_in).count()).ok()
    };
    (0..window.result[at]).map(at_step).collect()
}

fn average(build: &mut Build, node: &Node<'_>) -> Results {
    let pool = window(build, node)?;
    let (_, shape, window) = &pool;
    let along = |at: usize| counts(window, at, shape[2 + at], node.flag("count_include_pad"));
    let counts = (0..window.kernel.len()).map(along).collect::<Option<Vec<_>>>()?;
    if counts.iter().all(|counts| counts.iter().all(|of| of == &counts[0])) {
        let count = counts.iter().map(|counts| counts.first()).product::<Option<u64>>()?;
        let what = (Fold::Sum, x(0) / Scalar::count(count));
        return Some(vec![fold(build, "", &pool, 0.0, what)?]);
    }
    let sum = fold(build, "sum", &pool, 0.0, (Fold::Sum, x(0)))?;
    Some(vec![divided(build, sum, &counts)?])
}

/// A sum divided by the products of the counts along its axes after the first two.
fn divided(build: &mut Build, sum: ValueId, counts: &[Vec<u64>]) -> Option<ValueId> {
    let dtype = build.dtype(sum);
    let products = counts.iter().fold(vec![1], |all: Vec<u64>, counts| {
        all.iter().flat_map(|product| counts.iter().map(move |of| product * of)).collect()
    });
    let numbers = products.into_iter().map(crate::onnx::expression::float).collect();
    let shape = build.shape(sum)[2..].to_vec();
    let count = build.constant("count", (shape, dtype), numbers);
    build.pointwise("", dtype, &[sum, count], x(0) / x(1))
}

fn norm(build: &mut Build, node: &Node<'_>) -> Results {
    let pool = window(build, node)?;
    let power = crate::graph::number(node.int_or("p", 2));
    let dtype: Dtype = build.dtype(pool.0);
    let sum = fold(build, "sum", &pool, 0.0, (Fold::Sum, x(0).abs().power(c(power))))?;
    Some(vec![build.pointwise("", dtype, &[sum], x(0).power(c(1.0 / power)))?])
}
