//! The axes of operands and results that are one loop.

use super::Dims;

/// The loop of each axis; `None` for an axis that has to be whole on every device.
pub type Axes = Vec<Option<usize>>;

/// The effect of a loop on the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// The loop is an axis of the results.
    Kept,
    /// Values are added up, or combined in another way that an all-reduce knows.
    Reduced,
}

/// The loops of an operation.
///
/// Law: with the part of each loop that a device has, operands that are cut likewise give that part of the results, after a
/// sum over the devices that share a [`Reduced`](Fold::Reduced) loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rule {
    /// The extent of each loop, and whether results have it.
    pub loops: Vec<(u64, Fold)>,
    /// The loops of each operand.
    pub reads: Vec<Axes>,
    /// The loops of each result.
    pub results: Vec<Axes>,
    /// The operations on numbers in one step of all loops.
    pub work: u64,
}

impl Rule {
    /// The rule of an operation whose operands and results are whole on every device.
    pub(crate) fn whole(reads: &[&Dims], results: &[&Dims]) -> Rule {
        let axes = |of: &&Dims| vec![None; of.shape.len()];
        let all = |of: &[&Dims]| of.iter().map(axes).collect();
        Rule { reads: all(reads), results: all(results), ..Rule::default() }
    }

    /// Adds a loop.
    pub(crate) fn add(&mut self, extent: u64, fold: Fold) -> usize {
        self.loops.push((extent, fold));
        self.loops.len() - 1
    }

    /// Adds loops that results have.
    pub(crate) fn kept(&mut self, extents: &[u64]) -> Axes {
        extents.iter().map(|extent| Some(self.add(*extent, Fold::Kept))).collect()
    }
}
