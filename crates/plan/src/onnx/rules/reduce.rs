//! Reductions of axes.

use crate::graph::{Dtype, Fold, Index, Read, Scalar, Unary, ValueId};
use crate::onnx::context::{Build, Loops, Node, Over, Results, Rules, axes};
use crate::onnx::expression::{c, float, x};

pub(super) const RULES: Rules = &[
    ("ArgMax", arg),
    ("ArgMin", arg),
    ("CumSum", cumulative),
    ("GlobalAveragePool", global),
    ("GlobalLpPool", global_norm),
    ("GlobalMaxPool", global),
    ("Hardmax", hardmax),
    ("ReduceL1", reduce),
    ("ReduceL2", reduce),
    ("ReduceLogSum", reduce),
    ("ReduceLogSumExp", reduce),
    ("ReduceMax", reduce),
    ("ReduceMean", reduce),
    ("ReduceMin", reduce),
    ("ReduceProd", reduce),
    ("ReduceSum", reduce),
    ("ReduceSumSquare", reduce),
];

fn reduce(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let rank = build.rank(of);
    let given = build.integers_of(node, 1, "axes")?.unwrap_or_default();
    if given.is_empty() && node.flag("noop_with_empty_axes") {
        return Some(vec![elementwise(build, node, of)?]);
    }
    let all = if given.is_empty() { (0..rank).collect() } else { axes(&given, rank)? };
    let over = Over { axes: all, keeps: node.int_or("keepdims", 1) != 0 };
    Some(vec![reduction(build, node.kind, of, &over)?])
}

/// A reduction of no axes: only its function of each element is left.
fn elementwise(build: &mut Build, node: &Node<'_>, of: ValueId) -> Option<ValueId> {
    let body = match node.kind {
        "ReduceL1" | "ReduceL2" => x(0).abs(),
        "ReduceLogSum" => x(0).ln(),
        "ReduceSumSquare" => x(0).square(),
        _ => return Some(of),
    };
    build.pointwise("", build.dtype(of), &[of], body)
}

fn reduction(build: &mut Build, kind: &str, of: ValueId, over: &Over) -> Option<ValueId> {
    let dtype = build.dtype(of);
    let mut one = |part: &str, fold, body| build.reduce(part, dtype, over, &[of], (fold, body));
    match kind {
        "ReduceL1" => one("", Fold::Sum, x(0).abs()),
        "ReduceMax" => one("", Fold::Max, x(0)),
        "ReduceMin" => one("", Fold::Min, x(0)),
        "ReduceProd" => one("", Fold::Product, x(0)),
        "ReduceSum" => one("", Fold::Sum, x(0)),
        "ReduceSumSquare" => one("", Fold::Sum, x(0).square()),
        "ReduceMean" => mean(build, "", of, over, dtype),
        "ReduceL2" => {
            let sum = one("sum", Fold::Sum, x(0).square())?;
            build.pointwise("", dtype, &[sum], x(0).sqrt())
        }
        "ReduceLogSum" => {
            let sum = one("sum", Fold::Sum, x(0))?;
            build.pointwise("", dtype, &[sum], x(0).ln())
        }
        "ReduceLogSumExp" => log_sum_exp(build, of, over),
        _ => None,
    }
}

fn log_sum_exp(build: &mut Build, of: ValueId, over: &Over) -> Option<ValueId> {
    let dtype = build.dtype(of);
    let kept = Over { keeps: true, ..over.clone() };
    let max = build.reduce("max", dtype, &kept, &[of], (Fold::Max, x(0)))?;
    let body = (x(0) - x(1)).exp();
    let sum = build.reduce("sum", dtype, over, &[of, max], (Fold::Sum, body))?;
    let max = build.reshape(max, build.shape(sum).to_vec())?;
    build.pointwise("", dtype, &[max, sum], x(0) + x(1).ln())
}

/// The number of elements that a reduction combines.
pub(super) fn count(build: &Build, of: ValueId, over: &Over) -> f64 {
    float(over.axes.iter().map(|axis| build.shape(of)[*axis]).product())
}

/// The mean; that of integers is divided after the sum, which stays whole.
pub(super) fn mean(
    build: &mut Build,
    part: &str,
    of: ValueId,
    over: &Over,
    dtype: Dtype,
) -> Option<ValueId> {
    let count = count(build, of, over);
    if dtype.is_float() {
        return build.reduce(part, dtype, over, &[of], (Fold::Sum, x(0) / c(count)));
    }
    let sum = build.reduce("sum", dtype, over, &[of], (Fold::Sum, x(0)))?;
    build.pointwise(part, dtype, &[sum], (x(0) / c(count)).apply(Unary::Trunc))
}

/// The axes after the first two.
pub(super) fn spatial(build: &Build, of: ValueId) -> Option<Over> {
    let rank = build.rank(of);
    (rank > 2).then(|| Over { axes: (2..rank).collect(), keeps: true })
}

fn global(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let over = spatial(build, of)?;
    let kind = if node.kind == "GlobalMaxPool" { "ReduceMax" } else { "ReduceMean" };
    Some(vec![reduction(build, kind, of, &over)?])
}

fn global_norm(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let over = spatial(build, of)?;
    let power = crate::graph::number(node.int_or("p", 2));
    let dtype = build.dtype(of);
    let body = x(0).abs().power(c(power));
    let sum = build.reduce("sum", dtype, &over, &[of], (Fold::Sum, body))?;
    Some(vec![build.pointwise("", dtype, &[sum], x(0).power(c(1.0 / power)))?])
}

/// The index of the greatest: the first of those that equal the maximum.
fn arg(build: &mut Build, node: &Node<'_>) -> Results {
    let keeps = node.int_or("keepdims", 1) != 0;
    let index = best(build, node, node.int_or("axis", 0), keeps, "")?;
    Some(vec![index])
}

fn best(build: &mut Build, node: &Node<'_>, at: i64, keeps: bool, part: &str) -> Option<ValueId> {
    let of = node.input(0)?;
    let at = build.axis(of, at)?;
    let fold = if node.kind == "ArgMin" { Fold::Min } else { Fold::Max };
    let over = Over { axes: vec![at], keeps: true };
    let best = build.reduce("best", build.dtype(of), &over, &[of], (fold, x(0)))?;
    let mut shape = build.shape(of).to_vec();
    let mut loops = Loops::of(build.shape(best).to_vec());
    let place = loops.fold(shape[at]);
    let mut index: Vec<Index> = (0..shape.len()).map(Index::of).collect();
    index[at] = place.index();
    let reads = vec![Read { value: of, index, outside: 0.0 }, Read::of(best, 0..shape.len())];
    let is_last = node.flag("select_last_index");
    let (fold, other) = match is_last {
        true => (Fold::Max, c(-1.0)),
        false => (Fold::Min, Scalar::count(shape[at])),
    };
    // NaN is the greatest and the least, as in NumPy, although it equals nothing.
    let is_number = x(0).equals(x(0));
    let is_best = match build.dtype(of).is_float() {
        true => Scalar::select(is_number, x(0).equals(x(1)), c(1.0)),
        false => x(0).equals(x(1)),
    };
    let body = Scalar::select(is_best, place.scalar(), other);
    let index = build.nest(part, Dtype::Int(64), loops, reads, (fold, body))?;
    shape.remove(at);
    if keeps { Some(index) } else { build.reshape(index, shape) }
}

fn hardmax(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    if node.opset < 13 {
        return None;
    }
    let at = node.int_or("axis", -1);
    let index = best(build, node, at, true, "index")?;
    let (shape, dtype) = (build.shape(of).to_vec(), build.dtype(of));
    let reads = vec![build.repeated(index, &shape)];
    let body = x(0).equals(Scalar::Loop(build.axis(of, at)?));
    Some(vec![build.copy("", (shape, dtype), reads, body)?])
}

fn cumulative(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let at = *build.integers(node.input(1)?)?.first()?;
    let at = build.axis(of, at)?;
    let (shape, dtype) = (build.shape(of).to_vec(), build.dtype(of));
    let mut loops = Loops::of(shape.clone());
    let place = loops.fold(shape[at]);
    let mut index: Vec<Index> = (0..shape.len()).map(Index::of).collect();
    index[at] = place.index();
    let (place, to) = (place.scalar(), Scalar::Loop(at));
    let (first, last) = if node.flag("reverse") { (to, place) } else { (place, to) };
    let is_part = if node.flag("exclusive") { first.less(last) } else { first.up_to(last) };
    let body = Scalar::select(is_part, x(0), c(0.0));
    let reads = vec![Read { value: of, index, outside: 0.0 }];
    Some(vec![build.nest("", dtype, loops, reads, (Fold::Sum, body))?])
}
