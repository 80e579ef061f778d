//! Options of a plan.

use crate::pins::Pins;
use crate::search::Limits;

/// Options of a plan.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// The most choices that an operation keeps: those that are cheapest by themselves.
    pub keep: usize,
    /// The additional cycles that a switch costs if lanes change, or if no movements were found for it.
    pub penalty: u64,
    /// The part of the memory of a PE that values may take, in percent.
    pub sram_budget: u64,
    /// True if movements are looked for.
    pub routes: bool,
    /// Layouts that the plan has to have.
    pub pins: Pins,
    /// The ends of the search.
    pub limits: Limits,
}

impl PlanOptions {
    /// The greatest [penalty](PlanOptions::penalty): sums of prices stay far below 64 bits.
    pub const MOST_PENALTY: u64 = 1_000_000_000;
}

impl Default for PlanOptions {
    fn default() -> PlanOptions {
        PlanOptions {
            keep: 64,
            penalty: 1000,
            sram_budget: 100,
            routes: true,
            pins: Pins::new(),
            limits: Limits::default(),
        }
    }
}
