//! Values with elements at computed indexes replaced.

use super::lookup::{fixed, from_start, split_last};
use crate::graph::{Dtype, Fold, Index, Read, Scalar, ValueId};
use crate::onnx::context::{Build, Loops, Node, Results, Rules};
use crate::onnx::expression::{c, x};

pub(super) const RULES: Rules =
    &[("ScatterElements", elements), ("ScatterND", many), ("Scatter", elements)];

/// The folded loops over all updates: with the operands of `hit` and the update as the last, the updates that
/// reach an element of the result.
struct Updates {
    loops: Loops,
    reads: Vec<Read>,
    hit: Scalar,
}

fn elements(build: &mut Build, node: &Node<'_>) -> Results {
    let (of, ids, updates) = (node.input(0)?, node.input(1)?, node.input(2)?);
    let at = build.axis(of, node.int_or("axis", 0))?;
    let shape = build.shape(of).to_vec();
    if build.rank(ids) != shape.len() || build.shape(ids) != build.shape(updates) {
        return None;
    }
    let mut index: Vec<Index> = (0..shape.len()).map(Index::of).collect();
    let mut loops = Loops::of(shape.clone());
    index[at] = loops.fold(build.shape(ids)[at]).index();
    // Outside of the indexes nothing is replaced: infinity is no index.
    let read = |value, outside| Read { value, index: index.clone(), outside };
    let reads = vec![read(ids, f64::INFINITY), read(updates, 0.0)];
    let hit = from_start(x(0), shape[at]).equals(Scalar::Loop(at));
    replaced(build, node, of, &Updates { loops, reads, hit })
}

fn many(build: &mut Build, node: &Node<'_>) -> Results {
    let (of, ids, updates) = (node.input(0)?, node.input(1)?, node.input(2)?);
    let shape = build.shape(of).to_vec();
    let (places, looked) = split_last(build.shape(ids))?;
    let rest = shape.get(looked..)?;
    if build.shape(updates) != [&places, rest].concat() || looked == 0 {
        return None;
    }
    let mut loops = Loops::of(shape.clone());
    let mut index: Vec<Index> = places.iter().map(|extent| loops.fold(*extent).index()).collect();
    let component = |number: usize| {
        let index = index.iter().cloned().chain([Index::fixed(fixed(number))]).collect();
        Read { value: ids, index, outside: 0.0 }
    };
    let mut reads: Vec<Read> = (0..looked).map(component).collect();
    let equal = |number: usize| from_start(x(number), shape[number]).equals(Scalar::Loop(number));
    let hit = (0..looked).map(equal).reduce(Scalar::and)?;
    index.extend((looked..shape.len()).map(Index::of));
    reads.push(Read { value: updates, index, outside: 0.0 });
    replaced(build, node, of, &Updates { loops, reads, hit })
}

/// The value with its updates; without a reduction, indexes are different, so the sum of updates is the one.
fn replaced(build: &mut Build, node: &Node<'_>, of: ValueId, updates: &Updates) -> Results {
    let dtype = build.dtype(of);
    let last = x(updates.reads.len() - 1);
    let mut fold = |part: &str, dtype: Dtype, fold: Fold, then: Scalar| {
        let body = Scalar::select(updates.hit.clone(), then, c(fold.empty()));
        let (loops, reads) = (updates.loops.clone(), updates.reads.clone());
        build.nest(part, dtype, loops, reads, (fold, body))
    };
    let (operands, body) = match node.text("reduction").unwrap_or("none") {
        "none" => {
            let sum = fold("sum", dtype, Fold::Sum, last)?;
            let is_hit = Scalar::select(updates.hit.clone(), c(1.0), c(0.0));
            let (loops, reads) = (updates.loops.clone(), updates.reads.clone());
            let hit = build.nest("hit", Dtype::Bool, loops, reads, (Fold::Max, is_hit))?;
            (vec![of, sum, hit], Scalar::select(x(2), x(1), x(0)))
        }
        "add" => (vec![of, fold("sum", dtype, Fold::Sum, last)?], x(0) + x(1)),
        "mul" => (vec![of, fold("product", dtype, Fold::Product, last)?], x(0) * x(1)),
        "max" => (vec![of, fold("max", dtype, Fold::Max, last)?], x(0).max(x(1))),
        "min" => (vec![of, fold("min", dtype, Fold::Min, last)?], x(0).min(x(1))),
        _ => return None,
    };
    Some(vec![build.pointwise("", dtype, &operands, body)?])
}
