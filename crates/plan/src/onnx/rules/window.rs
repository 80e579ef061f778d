//! Convolutions.

use super::matmul::read;
use super::pointwise::add_bias;
use crate::graph::{Fold, Index, Scalar, ValueId};
use crate::onnx::context::{Build, Loops, Node, Results, Rules};
use crate::onnx::expression::signed;

pub(super) const RULES: Rules = &[("Conv", convolution), ("ConvTranspose", transposed)];

/// The steps of a window along each axis.
#[derive(Clone, Debug)]
pub(super) struct Window {
    pub(super) kernel: Vec<i64>,
    pub(super) strides: Vec<i64>,
    pub(super) dilations: Vec<i64>,
    pub(super) begins: Vec<i64>,
    pub(super) ends: Vec<i64>,
    pub(super) result: Vec<i64>,
}

impl Window {
    /// The window of a node over axes of these extents.
    pub(super) fn of(node: &Node<'_>, extents: &[i64], kernel: Vec<i64>) -> Option<Window> {
        let mut window = Window::unpadded(node, extents.len(), kernel)?;
        let auto = node.text("auto_pad").unwrap_or("NOTSET");
        for (at, extent) in extents.iter().enumerate() {
            window.pad(at, *extent, auto)?;
            let padded = extent + window.begins[at] + window.ends[at];
            let steps = window.steps(at, padded - window.span(at), node.flag("ceil_mode"))?;
            let starts_outside = steps * window.strides[at] >= extent + window.begins[at];
            let is_over = node.flag("ceil_mode") && starts_outside;
            window.result.push(if is_over { steps } else { steps + 1 });
        }
        Some(window)
    }

    fn unpadded(node: &Node<'_>, rank: usize, kernel: Vec<i64>) -> Option<Window> {
        let strides = node.small("strides", vec![1; rank])?;
        let dilations = node.small("dilations", vec![1; rank])?;
        let pads = node.small("pads", vec![0; 2 * rank])?;
        let lengths = [kernel.len(), strides.len(), dilations.len()];
        let are_positive = kernel.iter().chain(&strides).chain(&dilations).all(|of| *of > 0);
        if lengths != [rank; 3] || pads.len() != 2 * rank || !are_positive {
            return None;
        }
        let (begins, ends) = (pads[..rank].to_vec(), pads[rank..].to_vec());
        Some(Window { kernel, strides, dilations, begins, ends, result: Vec::new() })
    }

    /// The distance between the first and the last element of the window.
    pub(super) fn span(&self, at: usize) -> i64 {
        (self.kernel[at] - 1) * self.dilations[at] + 1
    }

    fn steps(&self, at: usize, room: i64, rounds_up: bool) -> Option<i64> {
        let stride = self.strides[at];
        let room = if rounds_up { room + stride - 1 } else { room };
        (room >= 0).then_some(room / stride)
    }

    fn pad(&mut self, at: usize, extent: i64, auto: &str) -> Option<()> {
        let stride = self.strides[at];
        let results = (extent + stride - 1) / stride;
        let total = ((results - 1) * stride + self.span(at) - extent).max(0);
        let (less, more) = (total / 2, total - total / 2);
        match auto {
            "NOTSET" | "" => return Some(()),
            "VALID" => (self.begins[at], self.ends[at]) = (0, 0),
            "SAME_UPPER" => (self.begins[at], self.ends[at]) = (less, more),
            "SAME_LOWER" => (self.begins[at], self.ends[at]) = (more, less),
            _ => return None,
        }
        Some(())
    }

    /// The folded loops over the window, and the index of each axis of the operand; `first` is the loop of the
    /// first axis of the result.
    pub(super) fn indexes(&self, loops: &mut Loops, first: usize) -> (Vec<Index>, Vec<Index>) {
        let each = self.kernel.iter().enumerate().map(|(at, kernel)| {
            let inside = loops.fold(kernel.unsigned_abs());
            let terms = [(first + at, self.strides[at])].into_iter();
            let terms = terms.chain(inside.term(self.dilations[at]));
            (Index::sum(terms, -self.begins[at]), inside.index())
        });
        each.unzip()
    }

    pub(super) fn shape(&self) -> Option<Vec<u64>> {
        self.result.iter().map(|of| u64::try_from(*of).ok()).collect()
    }
}

/// The extents of the axes after the first two, far from overflow.
pub(super) fn extents(shape: &[u64]) -> Option<Vec<i64>> {
    let rest: Vec<i64> = shape.get(2..)?.iter().map(|extent| signed(*extent)).collect();
    rest.iter().all(|extent| *extent < 1 << 32).then_some(rest)
}

/// The operands of a convolution, with channels seen as groups where that is needed.
struct Grouped {
    /// The number of groups, and the channels of a group of the operand and the result.
    groups: u64,
    depth: u64,
    width: u64,
}

impl Grouped {
    fn of(node: &Node<'_>, channels: u64, width: u64) -> Option<Grouped> {
        let groups = u64::try_from(node.int_or("group", 1)).ok().filter(|of| *of > 0)?;
        let is_whole = channels.is_multiple_of(groups) && width.is_multiple_of(groups);
        let (depth, width) = (channels / groups, width / groups);
        is_whole.then_some(Grouped { groups, depth, width })
    }

    /// Returns whether the result has an axis for the groups.
    fn is_split(&self) -> bool {
        self.groups > 1 && self.width > 1
    }

    /// The axes of the channels of the result.
    fn axes(&self) -> Vec<u64> {
        match self.is_split() {
            true => vec![self.groups, self.width],
            false => vec![self.groups * self.width],
        }
    }

    /// The operand, with an axis for the groups if it has channels inside of them.
    fn operand(&self, build: &mut Build, of: ValueId) -> Option<ValueId> {
        if self.groups == 1 || self.depth == 1 {
            return Some(of);
        }
        let shape = build.shape(of);
        let seen = [&shape[..1], &[self.groups, self.depth], &shape[2..]].concat();
        build.reshape(of, seen)
    }

    /// The index of the channels of the operand; `channel` is the index inside of a group.
    fn channels(&self, channel: Index) -> Vec<Index> {
        match (self.groups, self.depth) {
            (1, _) => vec![channel],
            (_, 1) => vec![Index::of(1)],
            _ => vec![Index::of(1), channel],
        }
    }
}

fn convolution(build: &mut Build, node: &Node<'_>) -> Results {
    let (of, weight) = (node.input(0)?, node.input(1)?);
    let (shape, kernel) = (build.shape(of).to_vec(), build.shape(weight).to_vec());
    let window = Window::of(node, &extents(&shape)?, extents(&kernel)?)?;
    let grouped = Grouped::of(node, shape[1], kernel[0])?;
    if kernel[1] != grouped.depth || shape.len() < 3 {
        return None;
    }
    let of = grouped.operand(build, of)?;
    let mut filters = weight;
    if grouped.is_split() {
        let seen = [&[grouped.groups, grouped.width], &kernel[1..]].concat();
        filters = build.reshape(weight, seen)?;
    }
    let channels = grouped.axes();
    let first = 1 + channels.len();
    let mut loops = Loops::of([&shape[..1], &channels, &window.shape()?].concat());
    let depth = loops.fold(grouped.depth).index();
    let (along, inside) = window.indexes(&mut loops, first);
    let of_value = [vec![Index::of(0)], grouped.channels(depth.clone()), along].concat();
    let of_weight = [(1..first).map(Index::of).collect(), vec![depth], inside].concat();
    let reads = vec![read(of, of_value), read(filters, of_weight)];
    let body = (Fold::Sum, Scalar::product(2));
    let result = build.nest("", build.dtype(of), loops, reads, body)?;
    finish(build, node, result, (shape[0], kernel[0], &window))
}

/// The result with one axis for its channels, and the bias.
fn finish(
    build: &mut Build,
    node: &Node<'_>,
    result: ValueId,
    (batch, channels, window): (u64, u64, &Window),
) -> Results {
    let result = build.reshape(result, [&[batch, channels], &window.shape()?[..]].concat())?;
    Some(vec![match node.input(2) {
        Some(bias) => add_bias(build, result, bias)?,
        None => result,
    }])
}

/// The window of a transposed convolution: its result is what a convolution would read.
fn spread(node: &Node<'_>, extents: &[i64], kernel: Vec<i64>) -> Option<Window> {
    let rank = extents.len();
    let mut window = Window::unpadded(node, rank, kernel)?;
    let more = node.small("output_padding", vec![0; rank])?;
    let given = node.small("output_shape", Vec::new())?;
    let given = given.get(given.len().saturating_sub(rank)..)?;
    let auto = node.text("auto_pad").unwrap_or("NOTSET");
    for (at, extent) in extents.iter().enumerate() {
        let full = window.strides[at] * (extent - 1) + more.get(at)? + window.span(at);
        let wanted = match (auto, given.get(at)) {
            (_, Some(extent)) => Some(*extent),
            ("SAME_UPPER" | "SAME_LOWER", None) => Some(extent * window.strides[at]),
            _ => None,
        };
        if let Some(wanted) = wanted {
            let total = (full - wanted).max(0);
            let less = total / 2;
            window.begins[at] = if auto == "SAME_UPPER" { less } else { total - less };
            window.ends[at] = total - window.begins[at];
        }
        let result = full - window.begins[at] - window.ends[at];
        window.result.push(wanted.unwrap_or(result));
    }
    Some(window)
}

/// Each element of the result sums up the elements whose windows reach it: those at whole steps.
fn transposed(build: &mut Build, node: &Node<'_>) -> Results {
    let (of, weight) = (node.input(0)?, node.input(1)?);
    let (shape, kernel) = (build.shape(of).to_vec(), build.shape(weight).to_vec());
    let window = spread(node, &extents(&shape)?, extents(&kernel)?)?;
    let groups = u64::try_from(node.int_or("group", 1)).ok()?;
    let width = kernel[1].checked_mul(groups)?;
    let grouped = Grouped::of(node, shape[1], width)?;
    if kernel[0] != shape[1] || shape.len() < 3 {
        return None;
    }
    let of = grouped.operand(build, of)?;
    let mut filters = weight;
    if grouped.groups > 1 && grouped.depth > 1 {
        let seen = [&[grouped.groups, grouped.depth], &kernel[1..]].concat();
        filters = build.reshape(weight, seen)?;
    }
    let channels = grouped.axes();
    let first = 1 + channels.len();
    let mut loops = Loops::of([&shape[..1], &channels, &window.shape()?].concat());
    let depth = loops.fold(grouped.depth).index();
    let (along, inside) = window.backwards(&mut loops, first);
    let channel = grouped.channels(depth);
    let width = if grouped.is_split() || grouped.groups == 1 {
        Index::of(first - 1)
    } else {
        Index::fixed(0)
    };
    let of_value = [vec![Index::of(0)], channel.clone(), along].concat();
    let of_weight = [channel, vec![width], inside].concat();
    let reads = vec![read(of, of_value), read(filters, of_weight)];
    let body = (Fold::Sum, Scalar::product(2));
    let result = build.nest("", build.dtype(of), loops, reads, body)?;
    finish(build, node, result, (shape[0], grouped.groups * grouped.width, &window))
}

impl Window {
    fn backwards(&self, loops: &mut Loops, first: usize) -> (Vec<Index>, Vec<Index>) {
        let each = self.kernel.iter().enumerate().map(|(at, kernel)| {
            let inside = loops.fold(kernel.unsigned_abs());
            let terms = [(first + at, 1)].into_iter().chain(inside.term(-self.dilations[at]));
            let sum = Index::sum(terms, self.begins[at]);
            let stride = self.strides[at];
            (Index { divisor: stride, is_exact: stride > 1, ..sum }, inside.index())
        });
        each.unzip()
    }
}
