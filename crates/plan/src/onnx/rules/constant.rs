//! Values that no element of an input changes.

use crate::graph::{Dtype, Scalar, ValueId};
use crate::onnx::context::{Build, Node, Results, Rules};
use crate::onnx::expression::{c, integer, signed};
use crate::onnx::tensor::{self, Content};

pub(super) const RULES: Rules = &[
    ("Constant", constant),
    ("ConstantOfShape", filled),
    ("EyeLike", eye),
    ("Range", range),
    ("Shape", shape),
    ("Size", size),
];

fn constant(build: &mut Build, node: &Node<'_>) -> Results {
    Some(vec![match node.tensor("value") {
        Some(tensor) => {
            let content = tensor::content(tensor, build.reads_all, None).ok()?;
            build.content(node.name.clone(), content)
        }
        None => listed(build, node)?,
    }])
}

fn listed(build: &mut Build, node: &Node<'_>) -> Option<ValueId> {
    if let Some(int) = node.int("value_int") {
        return Some(build.integer_constant(Vec::new(), vec![int]));
    }
    if let Some(ints) = node.ints("value_ints") {
        let count = u64::try_from(ints.len()).ok()?;
        return Some(build.integer_constant(vec![count], ints));
    }
    let (shape, numbers) = match (node.float("value_float"), node.floats("value_floats")) {
        (Some(number), _) => (Vec::new(), vec![number]),
        (_, Some(numbers)) => (vec![u64::try_from(numbers.len()).ok()?], numbers),
        _ => return None,
    };
    Some(build.constant("", (shape, Dtype::F32), numbers))
}

/// The element and the type of an attribute with one element; without it a float 0.
fn element(node: &Node<'_>) -> Option<(f64, Dtype)> {
    let Some(tensor) = node.tensor("value") else { return Some((0.0, Dtype::F32)) };
    let Content { dtype, data, .. } = tensor::content(tensor, true, None).ok()?;
    Some((*data?.numbers().first()?, dtype))
}

fn filled(build: &mut Build, node: &Node<'_>) -> Results {
    let shape = tensor::shape(&build.integers(node.input(0)?)?)?;
    let (number, dtype) = element(node)?;
    Some(vec![build.copy("", (shape, dtype), Vec::new(), c(number))?])
}

fn eye(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let dtype = match node.int("dtype") {
        Some(code) => tensor::known(i32::try_from(code).ok()?)?,
        None => build.dtype(of),
    };
    let diagonal = c(crate::graph::number(node.int_or("k", 0)));
    let body = (Scalar::Loop(0) + diagonal).equals(Scalar::Loop(1));
    let shape = build.shape(of).to_vec();
    (shape.len() == 2).then_some(())?;
    Some(vec![build.copy("", (shape, dtype), Vec::new(), body)?])
}

fn range(build: &mut Build, node: &Node<'_>) -> Results {
    let number = |input: usize| build.number(node.input(input)?);
    let (start, limit, step) = (number(0)?, number(1)?, number(2)?);
    let count = ((limit - start) / step).ceil().max(0.0);
    let count = u64::try_from(integer(count)).ok()?;
    let dtype = build.dtype(node.input(0)?);
    let body = c(start) + Scalar::Loop(0) * c(step);
    Some(vec![build.copy("", (vec![count], dtype), Vec::new(), body)?])
}

fn shape(build: &mut Build, node: &Node<'_>) -> Results {
    let shape: Vec<i64> =
        build.shape(node.input(0)?).iter().map(|extent| signed(*extent)).collect();
    let rank = i64::try_from(shape.len()).ok()?;
    let place = |of: i64| {
        let from_start = if of < 0 { of.saturating_add(rank) } else { of };
        usize::try_from(from_start.clamp(0, rank)).ok()
    };
    let start = place(node.int_or("start", 0))?;
    let end = place(node.int_or("end", rank))?.max(start);
    let part = shape[start..end].to_vec();
    Some(vec![build.integer_constant(vec![u64::try_from(part.len()).ok()?], part)])
}

fn size(build: &mut Build, node: &Node<'_>) -> Results {
    let count: u64 = build.shape(node.input(0)?).iter().product();
    Some(vec![build.integer_constant(Vec::new(), vec![signed(count)])])
}
