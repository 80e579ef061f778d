//! Products of matrices.

use crate::graph::{Dtype, Fold, Index, Read, Scalar, ValueId};
use crate::onnx::context::{Build, Loops, Node, Results, Rules, broadcast};
use crate::onnx::expression::{c, x};

pub(super) const RULES: Rules = &[("MatMul", matmul), ("Gemm", gemm), ("Einsum", einsum)];

fn matmul(build: &mut Build, node: &Node<'_>) -> Results {
    let (a, b) = (node.input(0)?, node.input(1)?);
    Some(vec![product(build, "", a, b)?])
}

/// The product of stacks of matrices; one axis is a row on the left and a column on the right.
pub(super) fn product(build: &mut Build, part: &str, a: ValueId, b: ValueId) -> Option<ValueId> {
    let (left, right) = (build.shape(a).to_vec(), build.shape(b).to_vec());
    let ((rows, depth), (columns, same)) = (row(&left)?, column(&right)?);
    let stacks = [stack(&left), stack(&right)];
    let mut shape = broadcast(stacks)?;
    let stacked: Vec<Index> = (0..shape.len()).map(Index::of).collect();
    shape.extend(rows.iter().chain(&columns));
    if depth != same {
        return None;
    }
    let (rank, dtype) = (shape.len(), build.dtype(a));
    let mut loops = Loops::of(shape);
    let folded = loops.fold(depth).index();
    let row = rows.map(|_| Index::of(stacked.len()));
    let column = columns.map(|_| Index::of(rank - 1));
    let a_index = along(stacks[0], &stacked).chain(row).chain([folded.clone()]).collect();
    let b_index = along(stacks[1], &stacked).chain([folded]).chain(column).collect();
    let reads = vec![read(a, a_index), read(b, b_index)];
    build.nest(part, dtype, loops, reads, (Fold::Sum, Scalar::product(2)))
}

pub(super) fn read(value: ValueId, index: Vec<Index>) -> Read {
    Read { value, index, outside: 0.0 }
}

/// The rows, if there is such an axis, and the extent that is folded.
fn row(shape: &[u64]) -> Option<(Option<u64>, u64)> {
    match shape {
        [] => None,
        [depth] => Some((None, *depth)),
        [.., rows, depth] => Some((Some(*rows), *depth)),
    }
}

fn column(shape: &[u64]) -> Option<(Option<u64>, u64)> {
    match shape {
        [] => None,
        [depth] => Some((None, *depth)),
        [.., depth, columns] => Some((Some(*columns), *depth)),
    }
}

fn stack(shape: &[u64]) -> &[u64] {
    &shape[..shape.len().saturating_sub(2)]
}

fn along<'a>(stack: &'a [u64], stacked: &'a [Index]) -> impl Iterator<Item = Index> + 'a {
    let indexes = &stacked[stacked.len() - stack.len()..];
    let of = |(extent, index): (&u64, &Index)| match extent {
        1 => Index::fixed(0),
        _ => index.clone(),
    };
    stack.iter().zip(indexes).map(of)
}

fn gemm(build: &mut Build, node: &Node<'_>) -> Results {
    let (a, b) = (node.input(0)?, node.input(1)?);
    let a = turned(build, a, node.flag("transA"))?;
    let b = turned(build, b, node.flag("transB"))?;
    if build.rank(a) != 2 || build.rank(b) != 2 {
        return None;
    }
    let (alpha, beta) = (node.float_or("alpha", 1.0), node.float_or("beta", 1.0));
    let product = product(build, "", a, b)?;
    let scaled = scale(x(0), alpha);
    let dtype = build.dtype(a);
    Some(vec![match node.input(2) {
        Some(bias) => {
            let body = scaled + scale(x(1), beta);
            build.pointwise("bias", dtype, &[product, bias], body)?
        }
        None if scaled == x(0) => product,
        None => build.pointwise("scale", dtype, &[product], scaled)?,
    }])
}

fn turned(build: &mut Build, of: ValueId, is_turned: bool) -> Option<ValueId> {
    if is_turned { build.transpose(of, &[1, 0]) } else { Some(of) }
}

fn scale(of: Scalar, by: f64) -> Scalar {
    if (by - 1.0).abs() == 0.0 { of } else { of * c(by) }
}

/// A sum of products by an equation of letters, `bij,bjk->bik`.
fn einsum(build: &mut Build, node: &Node<'_>) -> Results {
    let equation: String = node.text("equation")?.split_whitespace().collect();
    let operands = node.inputs.iter().copied().collect::<Option<Vec<_>>>()?;
    let (left, right) = match equation.split_once("->") {
        Some((left, right)) => (left, Some(right)),
        None => (equation.as_str(), None),
    };
    let ranks: Vec<usize> = operands.iter().map(|id| build.rank(*id)).collect();
    let terms: Vec<&str> = left.split(',').collect();
    if terms.len() != operands.len() {
        return None;
    }
    let labels = terms
        .iter()
        .zip(&ranks)
        .map(|(term, rank)| spread(term, *rank))
        .collect::<Option<Vec<_>>>()?;
    let result = match right {
        Some(right) => named(right, &labels)?,
        None => implied(&labels),
    };
    Some(vec![contract(build, &operands, &labels, &result)?])
}

/// A label of an axis: a letter, or the place from the end among the axes of an ellipsis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    Ellipsis(std::cmp::Reverse<usize>),
    Letter(char),
}

fn letters(term: &str) -> Option<Vec<Label>> {
    let letter = |of: char| of.is_ascii_alphabetic().then_some(Label::Letter(of));
    term.chars().map(letter).collect()
}

fn ellipsis(count: usize) -> impl Iterator<Item = Label> {
    (0..count).rev().map(|place| Label::Ellipsis(std::cmp::Reverse(place)))
}

/// The labels of all axes of an operand.
fn spread(term: &str, rank: usize) -> Option<Vec<Label>> {
    let labels = match term.split_once("...") {
        None => letters(term)?,
        Some((before, after)) => {
            let (before, after) = (letters(before)?, letters(after)?);
            let count = rank.checked_sub(before.len() + after.len())?;
            before.into_iter().chain(ellipsis(count)).chain(after).collect()
        }
    };
    (labels.len() == rank).then_some(labels)
}

fn named(right: &str, labels: &[Vec<Label>]) -> Option<Vec<Label>> {
    let Some((before, after)) = right.split_once("...") else { return letters(right) };
    let count =
        |labels: &Vec<Label>| labels.iter().filter(|of| matches!(of, Label::Ellipsis(_))).count();
    let all = ellipsis(labels.iter().map(count).max().unwrap_or(0));
    Some(letters(before)?.into_iter().chain(all).chain(letters(after)?).collect())
}

/// The result of an equation without an arrow: the axes of ellipses, then the letters that occur once.
fn implied(labels: &[Vec<Label>]) -> Vec<Label> {
    let mut all: Vec<Label> = labels.concat();
    let once = |of: &Label| labels.concat().iter().filter(|other| *other == of).count() == 1;
    all.retain(|of| matches!(of, Label::Ellipsis(_)) || once(of));
    all.sort_unstable();
    all.dedup();
    all
}

fn contract(
    build: &mut Build,
    operands: &[ValueId],
    labels: &[Vec<Label>],
    result: &[Label],
) -> Option<ValueId> {
    let mut extents: Vec<(Label, u64)> = Vec::new();
    for (id, labels) in operands.iter().zip(labels) {
        for (label, extent) in labels.iter().zip(build.shape(*id)) {
            widen(&mut extents, *label, *extent)?;
        }
    }
    let extent = |label: &Label| extents.iter().find(|(of, _)| of == label).map(|(_, of)| *of);
    let mut loops = Loops::of(result.iter().map(extent).collect::<Option<_>>()?);
    let mut indexes: Vec<(Label, Index)> =
        result.iter().enumerate().map(|(number, label)| (*label, Index::of(number))).collect();
    for (label, extent) in extents.iter().filter(|(label, _)| !result.contains(label)) {
        indexes.push((*label, loops.fold(*extent).index()));
    }
    let reads = operands.iter().zip(labels);
    let reads = reads.map(|(id, labels)| labelled(*id, build.shape(*id), labels, &indexes));
    let reads = reads.collect::<Vec<_>>();
    let (dtype, body) = (build.dtype(*operands.first()?), Scalar::product(reads.len()));
    build.nest("", dtype, loops, reads, (Fold::Sum, body))
}

fn widen(extents: &mut Vec<(Label, u64)>, label: Label, extent: u64) -> Option<()> {
    match extents.iter_mut().find(|(of, _)| *of == label) {
        None => extents.push((label, extent)),
        Some((_, known)) if *known == extent || extent == 1 => {}
        Some((_, known @ 1)) => *known = extent,
        Some(_) => return None,
    }
    Some(())
}

fn labelled(id: ValueId, shape: &[u64], labels: &[Label], indexes: &[(Label, Index)]) -> Read {
    let of = |(label, extent): (&Label, &u64)| match extent {
        1 => Index::fixed(0),
        _ => indexes
            .iter()
            .find(|(of, _)| of == label)
            .map_or(Index::fixed(0), |(_, index)| index.clone()),
    };
    read(id, labels.iter().zip(shape).map(of).collect())
}

/// The types whose products are summed in a wider type.
pub(super) fn wide(dtype: Dtype) -> Dtype {
    match dtype {
        Dtype::F16 | Dtype::Bf16 => Dtype::F32,
        other => other,
    }
}
