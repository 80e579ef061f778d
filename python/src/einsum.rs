//! Einstein sums: layouts of operands that make an operation local, and what its sums cost.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tensor_layout::Layout;
use tensor_layout::algebra::Axis;
use tensor_layout::einsum::{Einsum, Local, Sums};

use crate::layout::{PyLayout, any, make};
use crate::machine::machine_of;
use crate::on_arguments::OnArguments;
use crate::places::Places;
use crate::refusal::{Answer, refused};

/// The operand layouts with which every product finds its operands in the unit that computes it.
///
/// `result` is the layout of the result; each contracted axis gets a layout of one axis, as a keyword named
/// by its label. Alternatively, `loops` is the layout of all axes: those of the result, then the contracted
/// ones, in order of appearance. Every candidate of the loop shape is a way to run the operation.
///
/// >>> from tensor_layout import einsum
/// >>> local = einsum("bsk,kn->bsn", "((4_L2B:1), (16:1), (8_MAB:1))", k="((4_PE:1, 32:1))")
/// >>> print(*local.operands, sep="\n")
/// ((4_L2B:1), (16:32), (4_PE:1, 32:1); B@[8_MAB:1])
/// ((4_PE:1, 32:1), (8_MAB:1); B@[4_L2B:1])
/// >>> local.partial_levels
/// ['PE']
/// >>> einsum("bsk,kn->bsn", loops="((4_L2B:1), (16:32), (8_MAB:1), (4_PE:1, 32:1))").operands == local.operands
/// True
#[pyfunction]
#[pyo3(signature = (
    text: "str",
    result: "Places | str | None" = None,
    *,
    loops: "Places | str | None" = None,
    **runs: "Layout | str",
) -> "Local")]
pub(crate) fn einsum(
    text: &str,
    result: Option<&Bound<'_, PyAny>>,
    loops: Option<&Bound<'_, PyAny>>,
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
    let einsum: Einsum = text.parse()?;
    match (result, loops) {
        (Some(result), None) => Ok(PyLocal(einsum.local(&any(result)?.get().layout, &runs)?)),
        (None, Some(loops)) if runs.is_empty() => {
            Ok(PyLocal(einsum.local_in(&any(loops)?.get().layout)?))
        }
        _ => refused(
            "an einsum takes either `result` with a layout per axis that is summed over, or `loops`",
        ),
    }
}

fn axis(label: &str, layout: &Bound<'_, PyAny>) -> Answer<Axis> {
    let layout = any(layout)?;
    match layout.get().layout.axes() {
        [axis] => Ok(axis.clone()),
        axes => refused(format!("`{label}` runs over one axis, but its layout has {}", axes.len())),
    }
}

fn sums(scattered: bool) -> Sums {
    if scattered { Sums::Scattered } else { Sums::Replicated }
}

fn plain(py: Python<'_>, layout: &Layout) -> PyResult<Py<PyLayout>> {
    make(py, Places::new(layout.clone(), None, OnArguments::default()))
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
        self.0.operands().iter().map(|layout| plain(py, layout)).collect()
    }

    /// The layout of the result before its partial sums are added up.
    #[getter]
    fn result(&self, py: Python<'_>) -> PyResult<Py<PyLayout>> {
        plain(py, self.0.result())
    }

    /// The layout of the result after its partial sums are added up: in every unit that had a part, or
    /// with `scattered`, each sum in one of those units.
    #[pyo3(signature = (*, scattered = false))]
    fn summed(&self, py: Python<'_>, scattered: bool) -> Answer<Py<PyLayout>> {
        Ok(plain(py, &self.0.summed(sums(scattered))?)?)
    }

    /// True if, with these operand layouts, every product finds its operands in its own unit.
    #[pyo3(signature = (operands: "collections.abc.Sequence[Places | str]", machine: "Machine | str"))]
    fn is_served_by(
        &self,
        operands: Vec<Bound<'_, PyAny>>,
        machine: &Bound<'_, PyAny>,
    ) -> Answer<bool> {
        let layout = |of: &Bound<'_, PyAny>| Ok(any(of)?.get().layout.clone());
        let operands = operands.iter().map(layout).collect::<Answer<Vec<_>>>()?;
        Ok(self.0.accepts(&operands, &machine_of(machine)?.get().machine)?)
    }

    /// The levels over which the partial sums of an element are spread.
    #[getter]
    fn partial_levels(&self) -> Vec<String> {
        self.0.partial_levels().iter().map(ToString::to_string).collect()
    }

    /// The least traffic of adding up the partial sums, level by level: the number of parts of an
    /// element, and the numbers that must enter and leave units. With `scattered` every sum is wanted
    /// in one unit, otherwise in every unit that has it in `summed`.
    #[pyo3(signature = (machine: "Machine | str", *, scattered = false) -> "dict[str, dict[str, int]]")]
    fn traffic<'py>(
        &self,
        py: Python<'py>,
        machine: &Bound<'py, PyAny>,
        scattered: bool,
    ) -> Answer<Bound<'py, PyDict>> {
        let machine = machine_of(machine)?;
        let levels = PyDict::new(py);
        for level in self.0.traffic(&machine.get().machine, sums(scattered))? {
            let counts = PyDict::new(py);
            counts.set_item("partial", level.source_copies)?;
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
