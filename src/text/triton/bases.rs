//! Linear layouts of Triton: one basis vector for each hardware bit.

use std::fmt;

use itertools::Itertools;

/// A linear layout of Triton: the tensor index that each hardware bit maps to; the index of a place is the
/// XOR over its bits.
///
/// ```
/// use tensor_layout::notation::{LinearLayout, TritonLayout};
/// let text = " - lane=1 -> (0, 1)\n   lane=2 -> (1, 1)\nwhere out dims are: [dim0 (size 2), dim1 (size 2)]";
/// let layout = text.parse::<TritonLayout>()?;
/// assert_eq!(layout.to_string(), text);
/// assert_eq!(layout.lower()?.locate(&[1, 0])?.to_string(), "LANE=3,Addr=0"); // (0,1) ^ (1,1)
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LinearLayout {
    /// For each input, its name and the index that each of its bits maps to, lowest bit first.
    pub bases: Vec<(String, Vec<Vec<u64>>)>,
    /// Names and sizes of the dimensions.
    pub outs: Vec<(String, u64)>,
}

impl LinearLayout {
    /// The layout with dimensions in the order of the tensor, if they are called `dim0`, `dim1`, ..:
    /// Triton often prints the fastest one first.
    pub(super) fn sorted(mut self) -> LinearLayout {
        let number = |name: &str| name.strip_prefix("dim")?.parse::<usize>().ok();
        let order: Vec<usize> = (0..self.outs.len())
            .sorted_by_key(|at| number(&self.outs[*at].0).unwrap_or(usize::MAX))
            .collect();
        let is_tensor =
            order.iter().enumerate().all(|(axis, at)| number(&self.outs[*at].0) == Some(axis));
        if is_tensor {
            self.outs = order.iter().map(|at| self.outs[*at].clone()).collect();
            for basis in self.bases.iter_mut().flat_map(|(_, bases)| bases) {
                *basis = order.iter().map(|at| basis[*at]).collect();
            }
        }
        self
    }
}

impl fmt::Display for LinearLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, bases) in &self.bases {
            if bases.is_empty() {
                writeln!(f, " - {name} is a size 1 dimension")?;
            }
            for (bit, basis) in bases.iter().enumerate() {
                let dash = if bit == 0 { '-' } else { ' ' };
                writeln!(f, " {dash} {name}={} -> ({})", 1_u128 << bit, basis.iter().format(", "))?;
            }
        }
        let outs = self.outs.iter().map(|(name, size)| format!("{name} (size {size})"));
        write!(f, "where out dims are: [{}]", outs.format(", "))
    }
}
