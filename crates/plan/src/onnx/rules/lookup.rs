//! Elements at indexes that are computed.

use crate::graph::{Fold, Index, Read, Scalar, ValueId};
use crate::onnx::context::{Build, Folded, Loops, Node, Results, Rules, axis};
use crate::onnx::expression::{c, signed, x};

pub(super) const RULES: Rules = &[
    ("Gather", gather),
    ("GatherElements", gather_elements),
    ("GatherND", gather_many),
    ("OneHot", one_hot),
];

/// An index that may count from the end.
pub(super) fn from_start(index: Scalar, extent: u64) -> Scalar {
    Scalar::select(index.clone().less(c(0.0)), index.clone() + Scalar::count(extent), index)
}

/// True if an operand that is an index equals a folded loop.
fn hits(operand: usize, extent: u64, at: Folded) -> Scalar {
    from_start(x(operand), extent).equals(at.scalar())
}

fn gather(build: &mut Build, node: &Node<'_>) -> Results {
    let (of, ids) = (node.input(0)?, node.input(1)?);
    let at = build.axis(of, node.int_or("axis", 0))?;
    Some(vec![look_up(build, "", of, ids, at)?])
}

/// The elements of an axis at some indexes, whose axes replace it.
pub(super) fn look_up(
    build: &mut Build,
    part: &str,
    of: ValueId,
    ids: ValueId,
    at: usize,
) -> Option<ValueId> {
    let (shape, places) = (build.shape(of).to_vec(), build.shape(ids).to_vec());
    let result = [&shape[..at], &places[..], &shape[at + 1..]].concat();
    let mut index: Vec<Index> = (0..at).map(Index::of).collect();
    let after = (at + places.len()..result.len()).map(Index::of);
    let dtype = build.dtype(of);
    let known = build.integers(ids).and_then(|known| affine(&known, &places, at, shape[at]));
    if let Some(known) = known {
        index.push(known);
        index.extend(after);
        let reads = vec![Read { value: of, index, outside: 0.0 }];
        return build.copy(part, (result, dtype), reads, x(0));
    }
    let mut loops = Loops::of(result);
    let folded = loops.fold(shape[at]);
    index.push(folded.index());
    index.extend(after);
    let place = Read::of(ids, at..at + places.len());
    let reads = vec![place, Read { value: of, index, outside: 0.0 }];
    let body = Scalar::select(hits(0, shape[at], folded), x(1), c(0.0));
    build.nest(part, dtype, loops, reads, (Fold::Sum, body))
}

/// Constant indexes as a sum of loops, if they are one: a single index, or a range.
fn affine(ids: &[i64], shape: &[u64], first: usize, extent: u64) -> Option<Index> {
    let extent = signed(extent);
    let ids = ids.iter().map(|id| if *id < 0 { id + extent } else { *id }).collect::<Vec<_>>();
    let offset = *ids.first()?;
    if !ids.iter().all(|id| (0..extent).contains(id)) {
        return None;
    }
    let mut terms = Vec::new();
    let mut stride = 1;
    for (number, extent) in shape.iter().enumerate().rev() {
        if *extent > 1 {
            terms.push((first + number, ids.get(stride)? - offset));
        }
        stride *= usize::try_from(*extent).ok()?;
    }
    let index = Index::sum(terms.into_iter().filter(|(_, by)| *by != 0).rev(), offset);
    is_at(&index, &ids, shape, first).then_some(index)
}

fn is_at(index: &Index, ids: &[i64], shape: &[u64], first: usize) -> bool {
    let place = |number: usize, at: usize| -> i64 {
        let after: u64 = shape[number + 1 - first..].iter().product();
        let at = u64::try_from(at).unwrap_or_default();
        signed(at / after % shape[number - first])
    };
    let found = |at: usize| index.at(|number| place(number, at), u64::MAX);
    ids.iter().enumerate().all(|(at, id)| found(at) == u64::try_from(*id).ok())
}

fn gather_elements(build: &mut Build, node: &Node<'_>) -> Results {
    let (of, ids) = (node.input(0)?, node.input(1)?);
    let at = build.axis(of, node.int_or("axis", 0))?;
    let (shape, result) = (build.shape(of).to_vec(), build.shape(ids).to_vec());
    if shape.len() != result.len() {
        return None;
    }
    let mut index: Vec<Index> = (0..shape.len()).map(Index::of).collect();
    let mut loops = Loops::of(result);
    let folded = loops.fold(shape[at]);
    index[at] = folded.index();
    let reads = vec![Read::of(ids, 0..shape.len()), Read { value: of, index, outside: 0.0 }];
    let body = Scalar::select(hits(0, shape[at], folded), x(1), c(0.0));
    Some(vec![build.nest("", build.dtype(of), loops, reads, (Fold::Sum, body))?])
}

/// Indexes along the last axis for several axes of the value.
fn gather_many(build: &mut Build, node: &Node<'_>) -> Results {
    let (of, ids) = (node.input(0)?, node.input(1)?);
    let shape = build.shape(of).to_vec();
    let shared = usize::try_from(node.int_or("batch_dims", 0)).ok()?;
    let (places, looked) = split_last(build.shape(ids))?;
    let rest = shape.get(shared.checked_add(looked)?..)?;
    if shared > places.len() || looked == 0 {
        return None;
    }
    let mut loops = Loops::of([&places, rest].concat());
    let extents = &shape[shared..shared + looked];
    let folded: Vec<Folded> = extents.iter().map(|extent| loops.fold(*extent)).collect();
    let mut index: Vec<Index> = (0..shared).map(Index::of).collect();
    index.extend(folded.iter().map(|folded| folded.index()));
    index.extend((places.len()..places.len() + rest.len()).map(Index::of));
    let mut reads: Vec<Read> =
        (0..looked).map(|number| component(ids, places.len(), number)).collect();
    let each = folded.iter().zip(extents).enumerate();
    let hit = each.map(|(at, (folded, extent))| hits(at, *extent, *folded)).reduce(Scalar::and)?;
    reads.push(Read { value: of, index, outside: 0.0 });
    let body = Scalar::select(hit, x(looked), c(0.0));
    Some(vec![build.nest("", build.dtype(of), loops, reads, (Fold::Sum, body))?])
}

/// The axes before the last, and the extent of the last.
pub(super) fn split_last(shape: &[u64]) -> Option<(Vec<u64>, usize)> {
    let (last, before) = shape.split_last()?;
    Some((before.to_vec(), usize::try_from(*last).ok().filter(|of| *of <= 64)?))
}

fn component(ids: ValueId, loops: usize, number: usize) -> Read {
    let index = (0..loops).map(Index::of).chain([Index::fixed(fixed(number))]).collect();
    Read { value: ids, index, outside: 0.0 }
}

pub(super) fn fixed(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn one_hot(build: &mut Build, node: &Node<'_>) -> Results {
    let (ids, values) = (node.input(0)?, node.input(2)?);
    let depth = crate::onnx::expression::integer(build.number(node.input(1)?)?);
    let depth = u64::try_from(depth).ok()?;
    let mut shape = build.shape(ids).to_vec();
    let at = axis(node.int_or("axis", -1), shape.len() + 1)?;
    shape.insert(at, depth);
    let is_at = from_start(x(0), depth).equals(Scalar::Loop(at));
    let value = |number| Read { value: values, index: vec![Index::fixed(number)], outside: 0.0 };
    let places = (0..shape.len()).filter(|number| *number != at);
    let reads = vec![Read::of(ids, places), value(0), value(1)];
    let body = Scalar::select(is_at, x(2), x(1));
    Some(vec![build.copy("", (shape, build.dtype(values)), reads, body)?])
}
