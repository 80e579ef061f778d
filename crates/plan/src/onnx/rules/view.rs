//! Other indexes for the same elements.

use crate::graph::{Dtype, ValueId};
use crate::onnx::context::{Build, Node, Results, Rules, axes, axis, broadcast};
use crate::onnx::expression::{c, x};

pub(super) const RULES: Rules = &[
    ("DepthToSpace", depth_to_space),
    ("Dropout", dropout),
    ("Expand", expand),
    ("Flatten", flatten),
    ("Identity", identity),
    ("Reshape", reshape),
    ("SpaceToDepth", space_to_depth),
    ("Squeeze", squeeze),
    ("Transpose", transpose),
    ("Unsqueeze", unsqueeze),
];

fn identity(_: &mut Build, node: &Node<'_>) -> Results {
    Some(vec![node.input(0)?])
}

/// Nothing is dropped when a model is not trained.
fn dropout(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    if node.flag("training_mode") || node.input(2).is_some_and(|id| build.number(id) != Some(0.0)) {
        return None;
    }
    let mut results = vec![of];
    if node.has_result(1) {
        let shape = build.shape(of).to_vec();
        results.push(build.copy("mask", (shape, Dtype::Bool), Vec::new(), c(1.0))?);
    }
    Some(results)
}

fn reshape(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let wanted = build.integers_of(node, 1, "shape")??;
    let own = build.shape(of);
    let shape = reshaped(own, &wanted, node.flag("allowzero"))?;
    Some(vec![build.reshape(of, shape)?])
}

/// A shape in which 0 is the extent of the value and -1 what is left.
fn reshaped(own: &[u64], wanted: &[i64], allows_zero: bool) -> Option<Vec<u64>> {
    let known = |(at, extent): (usize, &i64)| match extent {
        0 if !allows_zero => own.get(at).copied().map(Some),
        -1 => Some(None),
        _ => u64::try_from(*extent).ok().map(Some),
    };
    let extents = wanted.iter().enumerate().map(known).collect::<Option<Vec<Option<u64>>>>()?;
    let product = |all: Option<u64>, of: u64| all?.checked_mul(of);
    let all = own.iter().copied().fold(Some(1), product)?;
    let given = extents.iter().flatten().copied().fold(Some(1), product)?;
    let left = all.checked_div(given).unwrap_or(0);
    (extents.iter().filter(|of| of.is_none()).count() < 2)
        .then(|| extents.iter().map(|of| of.unwrap_or(left)).collect())
}

fn transpose(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let rank = build.rank(of);
    let order = match node.ints("perm") {
        None => (0..rank).rev().collect(),
        Some(order) => order.iter().map(|at| axis(*at, rank)).collect::<Option<Vec<_>>>()?,
    };
    Some(vec![build.transpose(of, &order)?])
}

fn flatten(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let (at, rank) = (node.int_or("axis", 1), build.rank(of));
    let at = if usize::try_from(at) == Ok(rank) { rank } else { axis(at, rank)? };
    let (before, after) = build.shape(of).split_at(at);
    let shape = vec![before.iter().product(), after.iter().product()];
    Some(vec![build.reshape(of, shape)?])
}

fn squeeze(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let shape = build.shape(of).to_vec();
    let gone = match build.integers_of(node, 1, "axes")? {
        Some(numbers) => axes(&numbers, shape.len())?,
        None => (0..shape.len()).filter(|at| shape[*at] == 1).collect(),
    };
    let left = (0..shape.len()).filter(|at| !gone.contains(at)).map(|at| shape[at]).collect();
    Some(vec![build.reshape(of, left)?])
}

fn unsqueeze(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let numbers = build.integers_of(node, 1, "axes")??;
    let new = axes(&numbers, build.rank(of) + numbers.len())?;
    let mut shape = build.shape(of).to_vec();
    new.iter().for_each(|at| shape.insert(*at, 1));
    Some(vec![build.reshape(of, shape)?])
}

/// A copy of what is repeated; a view where nothing is.
fn expand(build: &mut Build, node: &Node<'_>) -> Results {
    let (of, wanted) = (node.input(0)?, build.integers(node.input(1)?)?);
    let wanted = crate::onnx::tensor::shape(&wanted)?;
    let shape = broadcast([build.shape(of), &wanted])?;
    Some(vec![repeat(build, of, shape)?])
}

fn repeat(build: &mut Build, of: ValueId, shape: Vec<u64>) -> Option<ValueId> {
    if let Some(view) = build.reshape(of, shape.clone()) {
        return Some(view);
    }
    let read = build.repeated(of, &shape);
    build.copy("", (shape, build.dtype(of)), vec![read], x(0))
}

/// The extents of an image and the side of a block.
fn image(build: &Build, node: &Node<'_>) -> Option<([u64; 4], u64)> {
    let shape: [u64; 4] = build.shape(node.input(0)?).try_into().ok()?;
    let side = u64::try_from(node.int("blocksize")?).ok().filter(|of| (1..1 << 16).contains(of))?;
    Some((shape, side))
}

fn depth_to_space(build: &mut Build, node: &Node<'_>) -> Results {
    let ([n, depth, height, width], side) = image(build, node)?;
    let left = depth / (side * side);
    let (shape, order) = match node.text("mode").unwrap_or("DCR") {
        "CRD" => ([n, left, side, side, height, width], [0, 1, 4, 2, 5, 3]),
        _ => ([n, side, side, left, height, width], [0, 3, 4, 1, 5, 2]),
    };
    let seen = build.reshape(node.input(0)?, shape.to_vec())?;
    let turned = build.transpose(seen, &order)?;
    Some(vec![build.reshape(turned, vec![n, left, height * side, width * side])?])
}

fn space_to_depth(build: &mut Build, node: &Node<'_>) -> Results {
    let ([n, depth, height, width], side) = image(build, node)?;
    let (rows, columns) = (height / side, width / side);
    let shape = vec![n, depth, rows, side, columns, side];
    let seen = build.reshape(node.input(0)?, shape)?;
    let turned = build.transpose(seen, &[0, 3, 5, 1, 2, 4])?;
    Some(vec![build.reshape(turned, vec![n, depth * side * side, rows, columns])?])
}
