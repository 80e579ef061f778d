//! Einstein sums: layouts of operands that make an operation local, and what its sums cost.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tensor_layout::algebra::Axis;
use tensor_layout::einsum::{Einsum, Local, Sums};

use crate::layout::{PyLayout, any, make};
use crate::machine::machine_of;
use crate::places::Places;
use crate::refusal::{Answer, refused};
use crate::spot::Spot;

/// The layouts of the operands with which every product finds them where it is computed.
///
/// `result` is where the sums are; `runs` says for each axis that is summed over where it runs, as
/// a layout of one axis.
///
/// >>> from tensor_layout import einsum
/// >>> local = einsum("bsk,kn->bsn", "((4_L2B:1), (16:1), (8_MAB:1))", k="((4_PE:1, 32:1))")
/// >>> print(*local.operands, sep="\n")
/// ((4_L2B:1), (16:32), (4_PE:1, 32:1); B@[8_MAB:1])
/// ((4_PE:1, 32:1), (8_MAB:1); B@[4_L2B:1])
/// >>> local.partial_levels
/// ['PE']
#[pyfunction]
#[pyo3(signature = (text: "str", result: "Places | str", **runs: "Layout | str") -> "Local")]
pub(crate) fn einsum(
    text: &str,
    result: &Bound<'_, PyAny>,
    runs: Option<HashMap<String, Bound<'_, PyAny>>>,
) -> Answer<PyLocal> {
    let run = |(label, layout): (String, Bound<'_, PyAny>)| {
        let mut letters = label.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => Ok((letter, axis(&label, &layout)?)),
            _ => refused(format!("`{label}` is not a label: labels are single letters")),
        }
    };
    let runs = runs.unwrap_or_default().into_iter().map(run).collect::<Answer<Vec<_>>>()?;
    let result = any(result)?;
    Ok(PyLocal(Einsum::parse(text)?.local(&result.get().layout, &runs)?))
}

fn axis(label: &str, layout: &Bound<'_, PyAny>) -> Answer<Axis> {
    let layout = any(layout)?;
    match layout.get().layout.axes() {
        [axis] => Ok(axis.clone()),
        axes => refused(format!("`{label}` runs over one axis, but its layout has {}", axes.len())),
    }
}

/// An operation with the layouts that make it local.
#[pyclass(name = "Local", frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyLocal(Local);

#[pymethods]
impl PyLocal {
    /// The layout of each operand, in the order of the text.
    #[getter]
    fn operands(&self, py: Python<'_>) -> PyResult<Vec<Py<PyLayout>>> {
        let layout = |layout: &tensor_layout::Layout| {
            make(py, Places::new(layout.clone(), None, Spot::default()))
        };
        self.0.operands().iter().map(layout).collect()
    }

    /// The levels in which the partial sums of an element lie apart.
    #[getter]
    fn partial_levels(&self) -> Vec<String> {
        self.0.partial_levels().iter().map(ToString::to_string).collect()
    }

    /// What bringing the partial sums together takes at least, level by level: how many there are
    /// of an element, how many have to enter units and to leave them. `scattered` wants every sum
    /// in one unit, else it is wanted in all that held a part.
    #[pyo3(signature = (machine: "Machine | str", *, scattered = false) -> "dict[str, dict[str, int]]")]
    fn traffic<'py>(
        &self,
        py: Python<'py>,
        machine: &Bound<'py, PyAny>,
        scattered: bool,
    ) -> Answer<Bound<'py, PyDict>> {
        let machine = machine_of(machine)?;
        let sums = if scattered { Sums::Scattered } else { Sums::Replicated };
        let levels = PyDict::new(py);
        for level in self.0.traffic(&machine.get().machine, sums)? {
            let counts = PyDict::new(py);
            counts.set_item("partial", level.partial)?;
            counts.set_item("into", level.into)?;
            counts.set_item("out_of", level.out_of)?;
            levels.set_item(level.level.as_str(), counts)?;
        }
        Ok(levels)
    }

    fn __repr__(&self) -> String {
        let operands = self.0.operands().len();
        format!("<Local: {operands} operands, partial sums over {:?}>", self.partial_levels())
    }
}
