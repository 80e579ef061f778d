//! Attention and its positions.

use super::join::joined;
use super::lookup::look_up;
use super::rows::softmax_over;
use crate::graph::{Binary, Dtype, Fold, Index, Read, Scalar, Unary, ValueId};
use crate::onnx::context::{Build, Loops, Node, Over, Results, Rules};
use crate::onnx::expression::{c, float, signed, x};

pub(super) const RULES: Rules = &[("Attention", attention), ("RotaryEmbedding", rotary)];

/// Heads as an axis after the batch.
fn heads(build: &mut Build, of: ValueId, count: Option<i64>) -> Option<ValueId> {
    match *build.shape(of) {
        [_, _, _, _] => Some(of),
        [batch, length, width] => {
            let count = u64::try_from(count?).ok().filter(|of| *of > 0)?;
            let seen = build.reshape(of, vec![batch, length, count, width / count])?;
            build.transpose(seen, &[0, 2, 1, 3])
        }
        _ => None,
    }
}

fn attention(build: &mut Build, node: &Node<'_>) -> Results {
    if node.input(6).is_some() || node.has_result(3) {
        return None;
    }
    let is_flat = build.rank(node.input(0)?) == 3;
    let query = heads(build, node.input(0)?, node.int("q_num_heads"))?;
    let key = heads(build, node.input(1)?, node.int("kv_num_heads"))?;
    let value = heads(build, node.input(2)?, node.int("kv_num_heads"))?;
    let before = node.input(4).map_or(0, |past| build.shape(past).get(2).copied().unwrap_or(0));
    let key = appended(build, "key", node.input(4), key)?;
    let value = appended(build, "value", node.input(5), value)?;
    let [batch, count, length, _] = *build.shape(query) else { return None };
    let scores = scores(build, query, key)?;
    let masked = masked(build, node, scores, before)?;
    let last = Over { axes: vec![build.rank(masked) - 1], keeps: true };
    let weights = softmax_over(build, "weights", masked, &last)?;
    let mixed = mixed(build, weights, value)?;
    let width = *build.shape(value).last()?;
    let mut result = build.reshape(mixed, vec![batch, count, length, width])?;
    if is_flat {
        let turned = build.transpose(result, &[0, 2, 1, 3])?;
        result = build.reshape(turned, vec![batch, length, count * width])?;
    }
    Some(vec![result, key, value])
}

/// Earlier elements and new ones.
fn appended(build: &mut Build, part: &str, past: Option<ValueId>, new: ValueId) -> Option<ValueId> {
    match past {
        Some(past) => joined(build, part, &[past, new], 2),
        None => Some(new),
    }
}

/// Products of queries and keys; queries that share a key have an axis of their own.
fn scores(build: &mut Build, query: ValueId, key: ValueId) -> Option<ValueId> {
    let [batch, count, length, width] = *build.shape(query) else { return None };
    let [_, shared, keys, same] = *build.shape(key) else { return None };
    let is_whole = shared > 0 && count % shared == 0 && width == same;
    let share = is_whole.then(|| count / shared)?;
    let mut result = vec![batch, shared, share, length];
    if share == 1 {
        result.remove(2);
    }
    let seen = build.reshape(query, [&result[..], &[width]].concat())?;
    let rank = result.len();
    let mut loops = Loops::of([&result[..], &[keys]].concat());
    let depth = loops.fold(width).index();
    let of_query = (0..rank).map(Index::of).chain([depth.clone()]).collect();
    let of_key = vec![Index::of(0), Index::of(1), Index::of(rank), depth];
    let reads = vec![super::matmul::read(seen, of_query), super::matmul::read(key, of_key)];
    let product = (Fold::Sum, Scalar::product(2));
    build.nest("scores", build.dtype(query), loops, reads, product)
}

fn mixed(build: &mut Build, weights: ValueId, value: ValueId) -> Option<ValueId> {
    let (rows, keys) = (build.shape(weights).to_vec(), build.shape(value)[2]);
    let width = *build.shape(value).last()?;
    let (depth, rows) = rows.split_last()?;
    if *depth != keys || build.shape(value).get(..2) != rows.get(..2) {
        return None;
    }
    let rank = rows.len();
    let mut loops = Loops::of([rows, &[width]].concat());
    let folded = loops.fold(keys).index();
    let of_weights = (0..rank).map(Index::of).chain([folded.clone()]).collect();
    let of_value = vec![Index::of(0), Index::of(1), folded, Index::of(rank)];
    let reads =
        vec![super::matmul::read(weights, of_weights), super::matmul::read(value, of_value)];
    build.nest("", build.dtype(value), loops, reads, (Fold::Sum, Scalar::product(2)))
}

/// The mask with an axis for queries that share a key, if scores have one.
fn mask(build: &mut Build, of: ValueId, scores: ValueId) -> Option<ValueId> {
    let mut shape = build.shape(of).to_vec();
    let [_, shared, share, _, _] = *build.shape(scores) else { return Some(of) };
    match shape.len().checked_sub(3) {
        Some(at) if shape[at] == 1 => shape.insert(at, 1),
        Some(at) => {
            shape.splice(at..=at, [shared, share]);
        }
        None => {}
    }
    build.reshape(of, shape)
}

/// Scores with their scale, and minus infinity at what is not seen.
fn masked(build: &mut Build, node: &Node<'_>, scores: ValueId, before: u64) -> Option<ValueId> {
    let (dtype, rank) = (build.dtype(scores), build.rank(scores));
    let width = *build.shape(node.input(0)?).last()?;
    let count =
        node.int("q_num_heads").filter(|_| build.rank(node.inputs[0].unwrap_or(scores)) == 3);
    let width = float(width) / count.map_or(1.0, crate::graph::number);
    let mut body = x(0) * c(node.float_or("scale", 1.0 / width.sqrt()));
    let mut operands = vec![scores];
    if let Some(cap) = node.float("softcap").filter(|cap| *cap > 0.0) {
        body = (body / c(cap)).apply(Unary::Tanh) * c(cap);
    }
    if let Some(given) = node.input(3) {
        let given = mask(build, given, scores)?;
        let is_truth = build.dtype(given) == Dtype::Bool;
        operands.push(given);
        let hidden = || c(f64::NEG_INFINITY);
        body = if is_truth { Scalar::select(x(1), body, hidden()) } else { body + x(1) };
    }
    if node.flag("is_causal") {
        let seen = Scalar::Loop(rank - 1).up_to(Scalar::Loop(rank - 2) + Scalar::count(before));
        body = Scalar::select(seen, body, c(f64::NEG_INFINITY));
    }
    let shape = build.shape(scores).to_vec();
    let result = build.pointwise("scale", dtype, &operands, body)?;
    (build.shape(result) == shape).then_some(result)
}

/// The sines or cosines of the positions of a value: `[batch, length, angle]`.
fn angles(build: &mut Build, node: &Node<'_>, input: usize, part: &str) -> Option<ValueId> {
    let of = node.input(input)?;
    let angles = match node.input(3) {
        Some(positions) => look_up(build, part, of, positions, 0)?,
        None => of,
    };
    (build.rank(angles) == 3).then_some(angles)
}

/// The value with its heads as an axis, and the axis of positions.
fn with_heads(build: &mut Build, node: &Node<'_>) -> Option<(ValueId, usize)> {
    let of = node.input(0)?;
    match *build.shape(of) {
        [_, _, _, _] => Some((of, 2)),
        [batch, length, width] => {
            let count = u64::try_from(node.int("num_heads")?).ok().filter(|of| *of > 0)?;
            Some((build.reshape(of, vec![batch, length, count, width / count])?, 1))
        }
        _ => None,
    }
}

/// Pairs of elements turned by angles: `x cos - y sin` and `y cos + x sin`.
fn rotary(build: &mut Build, node: &Node<'_>) -> Results {
    let whole = build.shape(node.input(0)?).to_vec();
    let (of, position) = with_heads(build, node)?;
    let (cos, sin) = (angles(build, node, 1, "cos")?, angles(build, node, 2, "sin")?);
    let shape = build.shape(of).to_vec();
    let turned = u64::try_from(node.int_or("rotary_embedding_dim", 0)).ok()?;
    let turned = if turned == 0 { shape[3] } else { turned };
    if build.shape(cos)[2] * 2 != turned || turned > shape[3] {
        return None;
    }
    let pairs = Pairs { of, shape: &shape, position, half: turned / 2 };
    let reads = if node.flag("interleaved") {
        pairs.neighbors(build, cos, sin)
    } else {
        pairs.halves(build, cos, sin)
    };
    let (is_first, reads) = reads;
    let other = |of: usize, angle: usize| x(of) * x(angle);
    let turn = Scalar::select(is_first, x(0) * x(3) - other(1, 5), x(0) * x(4) + other(2, 6));
    let body = Scalar::select(Scalar::Loop(3).less(Scalar::count(turned)), turn, x(0));
    let result = build.copy("", (shape.clone(), build.dtype(of)), reads, body)?;
    Some(vec![build.reshape(result, whole)?])
}

struct Pairs<'a> {
    of: ValueId,
    shape: &'a [u64],
    position: usize,
    half: u64,
}

impl Pairs<'_> {
    fn element(&self, distance: i64) -> Read {
        let mut read = Read::of(self.of, 0..self.shape.len());
        read.index[3] = Index::sum([(3, 1)], distance);
        read
    }

    fn angle(&self, build: &Build, of: ValueId, along: Index) -> Read {
        let axis = |axis: usize, number: usize| match build.shape(of)[axis] {
            1 => Index::fixed(0),
            _ => Index::of(number),
        };
        let index = vec![axis(0, 0), axis(1, self.position), along];
        Read { value: of, index, outside: 0.0 }
    }

    /// Operands of pairs in the first and the second half: the element, the one after it, the one before it, the
    /// cosines of both and the sines of both.
    fn halves(&self, build: &Build, cos: ValueId, sin: ValueId) -> (Scalar, Vec<Read>) {
        let half = signed(self.half);
        let (first, second) = (Index::of(3), Index::sum([(3, 1)], -half));
        let reads = vec![
            self.element(0),
            self.element(half),
            self.element(-half),
            self.angle(build, cos, first.clone()),
            self.angle(build, cos, second.clone()),
            self.angle(build, sin, first),
            self.angle(build, sin, second),
        ];
        (Scalar::Loop(3).less(Scalar::count(self.half)), reads)
    }

    fn neighbors(&self, build: &Build, cos: ValueId, sin: ValueId) -> (Scalar, Vec<Read>) {
        let along = Index { divisor: 2, ..Index::of(3) };
        let mut reads = vec![self.element(0), self.element(1), self.element(-1)];
        for angle in [cos, cos, sin, sin] {
            reads.push(self.angle(build, angle, along.clone()));
        }
        (Scalar::Loop(3).with(Binary::Mod, c(2.0)).equals(c(0.0)), reads)
    }
}
