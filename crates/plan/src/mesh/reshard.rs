//! From one spec to another: steps that a partitioner makes one collective of each.

use itertools::Itertools;

use super::grid::Mesh;
use super::spec::Spec;
use crate::program::Dims;

/// The axes of each dimension, the outermost first.
type Orders = Vec<Vec<usize>>;

/// The way from one spec to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reshard {
    /// The steps.
    pub steps: Vec<ReshardStep>,
}

/// A step of a reshard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReshardStep {
    /// What devices do.
    pub kind: StepKind,
    /// The axes along which they send.
    pub along: u8,
    /// The bytes that each device sends.
    pub sent: u64,
    /// The axes of each dimension after it, the outermost first.
    pub orders: Vec<Vec<usize>>,
}

/// What devices do in a step of a reshard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Each device keeps a part of what it has.
    Slice,
    /// Axes cut a dimension in another order: a collective-permute.
    Permute,
    /// An axis cuts another dimension: an all-to-all.
    AllToAll,
    /// Axes cut nothing any more: an all-gather.
    AllGather,
}

impl StepKind {
    /// The collective; `None` for a slice.
    #[must_use]
    pub fn collective(self) -> Option<&'static str> {
        match self {
            StepKind::Slice => None,
            StepKind::Permute => Some("collective-permute"),
            StepKind::AllToAll => Some("all-to-all"),
            StepKind::AllGather => Some("all-gather"),
        }
    }
}

impl Reshard {
    /// The way from one spec of a tensor to another: slices first, gathers last; `None` for specs of other ranks.
    ///
    /// # Example
    /// ```
    /// use tensor_layout_plan::mesh::{Mesh, Reshard, Spec, StepKind};
    /// use tensor_layout_plan::program::Dims;
    /// let mesh: Mesh = "x=4,y=2".parse()?;
    /// let dims = Dims { shape: vec![16, 16], dtype: "f32".into() };
    /// let way = Reshard::between(&Spec(vec![0b01, 0]), &Spec(vec![0, 0b01]), &dims, &mesh).unwrap();
    /// assert_eq!((way.steps[0].kind, way.sent()), (StepKind::AllToAll, 256 * 3 / 4));
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn between(from: &Spec, to: &Spec, dims: &Dims, mesh: &Mesh) -> Option<Reshard> {
        let ranks = [from.0.len(), to.0.len()];
        (ranks == [dims.shape.len(); 2]).then(|| Reshard::of(from, to, dims, mesh))
    }

    /// The way between specs of the rank of the tensor.
    pub(super) fn of(from: &Spec, to: &Spec, dims: &Dims, mesh: &Mesh) -> Reshard {
        let mut way = Way { orders: orders(from), steps: Vec::new(), dims, mesh };
        way.slice(&orders(to));
        while way.leave(to) {}
        way.order(&orders(to));
        Reshard { steps: way.steps }
    }

    /// The bytes that each device sends.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.steps.iter().map(|step| step.sent).fold(0, u64::saturating_add)
    }

    /// The picoseconds.
    #[must_use]
    pub fn time(&self, mesh: &Mesh) -> u64 {
        let sending = self.steps.iter().filter(|step| step.kind != StepKind::Slice);
        sending.map(|step| mesh.sending(step.along, step.sent)).fold(0, u64::saturating_add)
    }
}

/// The axes of each dimension in the order of the mesh.
fn orders(spec: &Spec) -> Orders {
    let axes = |cut: &u8| (0..8).filter(|axis| cut >> axis & 1 == 1).collect();
    spec.0.iter().map(axes).collect()
}

/// Axes that stay in each dimension, then those that cut nothing any more, then those that cut another one.
fn leaving_last(orders: &Orders, to: &Spec) -> Orders {
    let rank =
        |dim: usize, axis: &usize| target(*axis, to).map_or(1, |of| if of == dim { 0 } else { 2 });
    let sorted = |(dim, axes): (usize, &Vec<usize>)| {
        axes.iter().copied().sorted_by_key(|axis| rank(dim, axis)).collect()
    };
    orders.iter().enumerate().map(sorted).collect()
}

/// The dimension that an axis cuts.
fn target(axis: usize, to: &Spec) -> Option<usize> {
    to.0.iter().position(|cut| cut >> axis & 1 == 1)
}

struct Way<'a> {
    orders: Orders,
    steps: Vec<ReshardStep>,
    dims: &'a Dims,
    mesh: &'a Mesh,
}

impl Way<'_> {
    /// The bytes on a device.
    fn bytes(&self) -> u64 {
        let cuts = self.orders.iter().map(|axes| axes.iter().fold(0, |all, axis| all | 1 << axis));
        Spec(cuts.collect()).bytes(self.dims, self.mesh)
    }

    fn step(&mut self, kind: StepKind, along: u8, sent: u64) {
        let orders = self.orders.clone();
        match self.steps.last_mut().filter(|last| last.kind == kind && kind != StepKind::Permute) {
            // Axes that one all-gather or slice covers; two all-to-alls stay two.
            Some(last) if kind != StepKind::AllToAll => {
                last.along |= along;
                last.sent = last.sent.saturating_add(sent);
                last.orders = orders;
            }
            _ => self.steps.push(ReshardStep { kind, along, sent, orders }),
        }
    }

    /// Cuts by the axes that cut nothing so far.
    fn slice(&mut self, to: &Orders) {
        let used = self.orders.concat();
        for (dim, axis) in pairs(to).filter(|(_, axis)| !used.contains(axis)) {
            self.orders[dim].push(axis);
            self.step(StepKind::Slice, 1 << axis, 0);
        }
    }

    /// Moves one axis that leaves its dimension, or gathers it if no axis is left to move; returns false if none leaves.
    fn leave(&mut self, to: &Spec) -> bool {
        let leaving = pairs(&self.orders).filter(|(dim, axis)| target(*axis, to) != Some(*dim));
        let leaving = leaving.collect_vec();
        let is_last = |of: &&(usize, usize)| self.orders[of.0].last() == Some(&of.1);
        let moves = |of: &&(usize, usize)| target(of.1, to).is_some();
        let last = leaving.iter().filter(is_last).copied().collect_vec();
        if let Some((dim, axis)) = last.iter().find(moves) {
            let target = target(*axis, to).unwrap_or(*dim);
            self.exchange(*dim, target, *axis);
        } else if let Some((dim, axis)) =
            last.first().filter(|_| !leaving.iter().any(|of| moves(&of)))
        {
            self.gather(*dim, *axis);
        } else if !leaving.is_empty() {
            self.order(&leaving_last(&self.orders, to));
        }
        !leaving.is_empty()
    }

    fn exchange(&mut self, from: usize, to: usize, axis: usize) {
        let bytes = self.bytes();
        self.orders[from].pop();
        self.orders[to].push(axis);
        let size = self.mesh.size(1 << axis).max(1);
        self.step(StepKind::AllToAll, 1 << axis, bytes / size * (size - 1));
    }

    fn gather(&mut self, dim: usize, axis: usize) {
        let before = self.bytes();
        self.orders[dim].retain(|of| *of != axis);
        let sent = self.bytes().saturating_sub(before);
        self.step(StepKind::AllGather, 1 << axis, sent);
    }

    /// The same axes in another order.
    fn order(&mut self, to: &Orders) {
        if self.orders != *to {
            let changed = self.orders.iter().zip(to).filter(|(one, other)| one != other);
            let along = changed.flat_map(|(one, _)| one).fold(0, |all, axis| all | 1 << axis);
            let sent = self.bytes();
            self.orders.clone_from(to);
            self.step(StepKind::Permute, along, sent);
        }
    }
}

fn pairs(orders: &Orders) -> impl Iterator<Item = (usize, usize)> {
    orders.iter().enumerate().flat_map(|(dim, axes)| axes.iter().map(move |axis| (dim, *axis)))
}

impl ReshardStep {
    /// The axes of each dimension, as Shardy writes them.
    pub(super) fn written(&self, mesh: &Mesh) -> String {
        written(&self.orders, mesh)
    }
}

/// A spec as Shardy writes it: `[{"x"}, {}]`.
pub(super) fn written_spec(spec: &Spec, mesh: &Mesh) -> String {
    written(&orders(spec), mesh)
}

fn written(orders: &Orders, mesh: &Mesh) -> String {
    let name = |axis: &usize| format!("\"{}\"", mesh.axes()[*axis].0);
    let dims = orders.iter().map(|axes| format!("{{{}}}", axes.iter().map(name).join(", ")));
    format!("[{}]", { dims }.join(", "))
}
