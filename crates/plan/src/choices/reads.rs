//! The operands of a nest as operands of an `einsum`, with the axes that are read through index maps.

use itertools::Itertools;
use tensor_layout::einsum::{Einsum, ReadAxis};

use crate::graph::{Graph, Index, Nest};

/// The labels of loops.
const LABELS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// A nest as an `einsum` whose operands have the loops that they are read by.
#[derive(Clone, Debug)]
pub(super) struct Reads {
    pub(super) einsum: Einsum,
    pub(super) operands: Vec<OperandForm>,
    /// The loops that may be split over units and time, and those over lanes and leaves as well.
    pub(super) over_units: Vec<bool>,
    pub(super) inside: Vec<bool>,
}

/// The axes of an operand.
#[derive(Clone, Debug)]
pub(super) struct OperandForm {
    axes: Vec<AxisForm>,
    pub(super) bits: u64,
}

#[derive(Clone, Debug)]
struct AxisForm {
    extent: u64,
    /// The loops that it takes.
    loops: Vec<usize>,
    /// The map, unless the axis is its loop, or is kept whole.
    map: Option<Index>,
    is_loop: bool,
}

impl Reads {
    /// The form of a nest; `None` for more loops than there are labels.
    pub(super) fn of(graph: &Graph, nest: &Nest) -> Option<Reads> {
        let operands = nest.reads.iter().map(|read| {
            let value = graph.value(read.value);
            OperandForm::of(&read.index, &value.shape, &nest.loops, value.dtype.bits())
        });
        let operands = operands.collect_vec();
        let label = |number: &usize| LABELS.chars().nth(*number);
        let text = |loops: &mut dyn Iterator<Item = usize>| -> Option<String> {
            loops.map(|number| label(&number)).collect()
        };
        // All loops are labels, also those that no operand is read by.
        let all = text(&mut (0..nest.loops.len()))?;
        let result = text(&mut (0..nest.rank))?;
        let each = operands.iter().map(|form| text(&mut form.loops()));
        let each = each.collect::<Option<Vec<_>>>()?.into_iter().chain([all]).join(",");
        let einsum = format!("{each}->{result}").parse().ok()?;
        let (over_units, inside) = allowed(nest, &operands);
        Some(Reads { einsum, operands, over_units, inside })
    }
}

/// The loops that may be split over units and time, and those over lanes and leaves.
fn allowed(nest: &Nest, operands: &[OperandForm]) -> (Vec<bool>, Vec<bool>) {
    let taps = operands.iter().flat_map(|form| &form.axes).filter(|axis| axis.map.is_some());
    let taps = taps.map(|axis| &axis.loops).collect_vec();
    let first = |number: usize| taps.iter().all(|loops| loops.iter().skip(1).all(|l| *l != number));
    let alone = |number: usize| taps.iter().all(|loops| !loops.contains(&number));
    let loops = 0..nest.loops.len();
    (loops.clone().map(first).collect(), loops.map(alone).collect())
}

impl OperandForm {
    fn of(maps: &[Index], shape: &[u64], loops: &[u64], bits: u64) -> OperandForm {
        let mut taken: Vec<usize> = Vec::new();
        let axes = maps.iter().zip(shape).map(|(map, extent)| {
            let axis = AxisForm::of(map, *extent, loops, &taken);
            taken.extend(&axis.loops);
            axis
        });
        OperandForm { axes: axes.collect(), bits }
    }

    fn loops(&self) -> impl Iterator<Item = usize> {
        self.axes.iter().flat_map(|axis| axis.loops.iter().copied())
    }

    /// For each axis the loop that it is, if it is one.
    pub(super) fn loops_of_axes(&self) -> Vec<Option<usize>> {
        let of = |axis: &AxisForm| axis.loops.first().copied().filter(|_| axis.is_loop);
        self.axes.iter().map(of).collect()
    }

    /// Returns whether one of its axes is this loop.
    pub(super) fn has_loop(&self, number: usize) -> bool {
        self.axis_of(number).is_some()
    }

    /// The axis that is this loop.
    pub(super) fn axis_of(&self, number: usize) -> Option<usize> {
        self.axes.iter().position(|axis| axis.is_loop && axis.loops == [number])
    }

    /// Returns whether every axis is a loop.
    pub(super) fn is_plain(&self) -> bool {
        self.axes.iter().all(|axis| axis.is_loop)
    }

    /// Calls `with` with the axes as a halo has them.
    pub(super) fn with_axes<T>(&self, with: impl FnOnce(&[ReadAxis<'_>]) -> T) -> T {
        let index = self.axes.iter().map(|axis| |at: &[u64]| axis.index(at)).collect_vec();
        let axes = self.axes.iter().zip(&index).map(|(axis, index)| match axis.is_loop {
            true => ReadAxis::Loop,
            false => ReadAxis::Taps { labels: axis.loops.len(), extent: axis.extent, index },
        });
        with(&axes.collect_vec())
    }
}

impl AxisForm {
    fn of(map: &Index, extent: u64, loops: &[u64], taken: &[usize]) -> AxisForm {
        let mut own = map.terms.iter().map(|(number, _)| *number).unique().collect_vec();
        // The loop that is cut comes first: one of the result, the longest.
        own.sort_by_key(|number| std::cmp::Reverse(loops[*number]));
        let is_free = own.iter().all(|number| !taken.contains(number));
        let loop_ = map.as_loop().filter(|number| loops[*number] == extent && is_free);
        match (loop_, is_free) {
            (Some(number), _) => AxisForm { extent, loops: vec![number], map: None, is_loop: true },
            (None, true) => AxisForm { extent, loops: own, map: Some(map.clone()), is_loop: false },
            // A loop that another axis is cut by: every unit has the whole axis.
            (None, false) => AxisForm { extent, loops: Vec::new(), map: None, is_loop: false },
        }
    }

    fn index(&self, at: &[u64]) -> Option<u64> {
        let value = |number: usize| {
            let position = self.loops.iter().position(|of| *of == number);
            position.map_or(0, |position| i64::try_from(at[position]).unwrap_or(i64::MAX))
        };
        self.map.as_ref()?.at(value, self.extent)
    }
}
