//! The rates at which a PE computes.

use tensor_layout::Machine;

use crate::graph::Nest;

/// Multiply-adds of a PE per cycle by the width of the elements, and long words per cycle for everything else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rates {
    /// Multiply-adds per cycle for elements of at most this many bits, narrow ones first.
    pub multiply_adds: Vec<(u64, u64)>,
    /// Long words per cycle and function.
    pub words: u64,
}

impl Rates {
    /// The rates of a machine.
    ///
    /// Those of MN-Core 2 follow from its published peak (393, 49 and 12 teraflops for half, single and double
    /// precision on 4096 PEs at 750 MHz): 64, 8 and 2 multiply-adds per cycle. Other machines compute one long word per
    /// cycle.
    #[must_use]
    pub fn of(machine: &Machine) -> Rates {
        let multiply_adds = match machine.name() {
            "mn-core-2" => vec![(16, 64), (32, 8), (64, 2)],
            _ => Vec::new(),
        };
        Rates { multiply_adds, words: 1 }
    }

    /// The least cycles of a nest in a PE with some iterations in each of its lanes.
    #[must_use]
    pub fn cycles(&self, nest: &Nest, bits: u64, iterations: u64, lanes: u64) -> u64 {
        let rate = self.multiply_adds.iter().find(|(most, _)| bits <= *most);
        if let Some((_, rate)) = rate.filter(|_| nest.is_product()) {
            return iterations.saturating_mul(lanes).div_ceil(*rate);
        }
        let folds = u64::from(nest.loops.len() > nest.rank);
        let functions = nest.body.functions().saturating_add(folds).max(1);
        iterations.saturating_mul(functions).div_ceil(self.words.max(1))
    }
}
