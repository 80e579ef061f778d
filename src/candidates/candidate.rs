//! A candidate layout, and the best of many.

use std::sync::Arc;

use crate::algebra::Layout;
use crate::error::LayoutError;
use crate::machine::Machine;
use crate::placement::Placement;

/// A layout that satisfies the constraints.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Candidate {
    /// The layout, without the base.
    pub layout: Layout,
    /// Long words per unit, without the base.
    pub footprint_words: u64,
    /// Slots of one copy that hold no element.
    pub pads: u64,
    /// Slots of one copy.
    pub slots: u64,
    /// The number of units of the memory that hold a slot, copies included; without a memory, leaves.
    pub units_used: u64,
    pub(super) setting: Arc<Setting>,
}

/// The settings that the placements of all candidates share.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Setting {
    pub(super) machine: Machine,
    pub(super) memory: Option<String>,
    pub(super) element_bits: Option<u64>,
    pub(super) base: u64,
}

impl Candidate {
    /// Returns the candidate on the machine and in the memory of the search, with its element width and base.
    ///
    /// # Errors
    /// As [`PlacementBuilder::build`](crate::placement::PlacementBuilder::build).
    pub fn placement(&self) -> Result<Placement, LayoutError> {
        let Setting { machine, memory, element_bits, base } = &*self.setting;
        let placement = Placement::of(self.layout.clone()).on(machine).base(*base);
        let placement = memory.iter().fold(placement, |p, memory| p.memory(memory));
        element_bits.iter().fold(placement, |p, bits| p.element_bits(*bits)).build()
    }
}

/// Returns the candidates that no other dominates by costing at most as much in everything and less in
/// something. Of candidates with equal costs the first is kept; the result is sorted by costs.
pub fn pareto<C>(all: impl IntoIterator<Item = C>, costs: impl Fn(&C) -> Vec<u64>) -> Vec<C> {
    let mut front: Vec<(Vec<u64>, C)> = Vec::new();
    for candidate in all {
        let cost = costs(&candidate);
        let beats = |a: &[u64], b: &[u64]| a.iter().zip(b).all(|(a, b)| a <= b);
        if !front.iter().any(|(other, _)| beats(other, &cost)) {
            front.retain(|(other, _)| !beats(&cost, other));
            front.push((cost, candidate));
        }
    }
    front.sort_by(|a, b| a.0.cmp(&b.0));
    front.into_iter().map(|(_, candidate)| candidate).collect()
}
