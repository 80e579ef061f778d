//! Pinned layouts: the entries of `layout_spec` and `gemm_layout_spec` files, checked.

use pyo3::prelude::*;
use tensor_layout::Machine;
use tensor_layout_plan::{check_spec as check, read_spec};

use crate::machine::machine_of;
use crate::on_arguments::bits_of;
use crate::refusal::{Answer, refused};

/// Checks the entries of a `layout_spec` or `gemm_layout_spec` file, given as its text, on a machine.
///
/// The dictionary has the keys of the command `check --json`: `entries`, each with the `findings` of its tensors and
/// of its product, and `switches` between layouts of one tensor.
///
/// >>> from tensor_layout import check_spec
/// >>> entry = '[{"key": "q", "A": "((8:1), (4_W))", "BT": "((8_MAB), (4_W))", "C": "((8:1), (8_MAB))"}]'
/// >>> check_spec(entry)["entries"][0]["product"]["is_local"]
/// True
#[pyfunction]
#[pyo3(signature = (
    spec: "str",
    machine: "Machine | str | None" = None,
    *,
    dtype: "typing.Any" = None,
) -> "dict[str, typing.Any]")]
pub(crate) fn check_spec<'py>(
    py: Python<'py>,
    spec: &str,
    machine: Option<&Bound<'py, PyAny>>,
    dtype: Option<&Bound<'py, PyAny>>,
) -> Answer<Bound<'py, PyAny>> {
    let machine = machine.map(machine_of).transpose()?;
    let machine = machine.map_or_else(Machine::mn_core_2, |machine| machine.get().machine.clone());
    let bits = dtype.map(bits_of).transpose()?;
    let entries = match read_spec(spec) {
        Ok(entries) => entries,
        Err(error) => return refused(error.to_string()),
    };
    let report = py.detach(|| check(&entries, bits, &machine));
    let text = serde_json::to_string(&report)
        .map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))?;
    Ok(py.import("json")?.call_method1("loads", (text,))?)
}
