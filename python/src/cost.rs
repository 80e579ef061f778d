//! The costs of relayouts.

use pyo3::prelude::*;
use tensor_layout::relayout::Cost;

/// A number of steps or cycles, and the level that takes most of them.
#[pyclass(name = "Cost", frozen, eq, ord, hash, get_all, module = "tensor_layout")]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PyCost {
    /// The number.
    steps: u64,
    /// The level that takes the most; None if nothing moves.
    level: Option<String>,
    /// `"step"`, or `"cycle"` where the rates are those of movements.
    unit: &'static str,
}

impl From<Cost> for PyCost {
    fn from(cost: Cost) -> PyCost {
        let level = cost.level.map(|level| level.to_string());
        PyCost { steps: cost.steps, level, unit: cost.unit.as_str() }
    }
}

#[pymethods]
impl PyCost {
    fn __repr__(&self) -> String {
        let level = self.level.as_ref().map_or("None".into(), |level| format!("'{level}'"));
        format!("Cost({}s={}, level={level})", self.unit, self.steps)
    }
}
