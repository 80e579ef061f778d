//! Placements: layouts on machines.

use std::hash::Hash;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tensor_layout::{LayoutText, Placement};

use crate::layout::PyLayout;
use crate::machine::{PyMachine, machine_of};
use crate::number;
use crate::on_arguments::{OnArguments, bits_of};
use crate::places::Places;
use crate::refusal::Answer;
use crate::values::Tuple;

/// A layout on a machine, checked against the machine. Returned by `Layout.on`.
///
/// >>> from tensor_layout import Layout
/// >>> layout = Layout("((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))")
/// >>> placement = layout.on("mn-core")
/// >>> placement.locate(100, 37)
/// Location(L2B=1, L1B=4, MAB=1, PE=1, Addr=33)
/// >>> placement.element(placement.locate(100, 37))
/// (100, 37)
#[pyclass(name = "Placement", extends = Places, frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyPlacement {
    /// The layout that was placed.
    layout: Py<PyLayout>,
    /// The machine that was requested.
    machine: Option<Py<PyMachine>>,
}

impl PyPlacement {
    pub(crate) fn of(
        source: &Bound<'_, PyLayout>,
        arguments: OnArguments,
        machine: Option<&Bound<'_, PyMachine>>,
    ) -> Answer<Py<PyPlacement>> {
        let places = source.as_super().get();
        let mut arguments = arguments.on(machine.map(Bound::get)).and(&places.arguments)?;
        let layout = places.on(arguments.machine.as_ref())?;
        // Devices are numbered through the requested tree; without one the mesh is the machine.
        if let (Some(LayoutText::Sharded(shape)), None) =
            (places.written_text(), &arguments.machine)
        {
            arguments.machine = shape.machine()?;
        }
        let placement = arguments.place(layout, places.is_function());
        let placement = placement.map_err(|error| places.refuse(error))?;
        PyPlacement::made(
            source,
            arguments,
            placement,
            machine.map(|machine| machine.clone().unbind()),
        )
    }

    fn made(
        source: &Bound<'_, PyLayout>,
        arguments: OnArguments,
        placement: Placement,
        machine: Option<Py<PyMachine>>,
    ) -> Answer<Py<PyPlacement>> {
        let placed = source.as_super().get().placed(arguments, placement);
        let placement = PyPlacement { layout: source.clone().unbind(), machine };
        Ok(Py::new(source.py(), PyClassInitializer::from(placed).add_subclass(placement))?)
    }

    /// A placement that the library made of a layout.
    pub(crate) fn wrap(
        source: &Bound<'_, PyLayout>,
        placement: Placement,
        machine: Py<PyMachine>,
        base: u64,
    ) -> Answer<Py<PyPlacement>> {
        let arguments = OnArguments {
            machine: placement.machine().cloned(),
            machine_text: machine.get().text().map(str::to_owned),
            base,
            memory: placement.memory().map(|(name, _)| name.to_owned()),
            element_bits: placement.element_bits(),
            ..OnArguments::default()
        };
        PyPlacement::made(source, arguments, placement, Some(machine))
    }
}

#[pymethods]
impl PyLayout {
    /// Places the layout on a machine and checks it against the machine. Levels that the layout does
    /// not name hold copies.
    ///
    /// `memory` is a memory of the machine, `dtype` the element type (which determines lanes and
    /// bytes), `base` the first address. `oversized` accepts a layout that does not fit; `shared`, without
    /// a machine, a layout whose elements share places.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> placement = Layout("((12:8), (8:1))").on("PE=4", memory="LM0")
    /// >>> placement.copies, placement.levels
    /// (4, ('PE', 'Addr'))
    #[pyo3(signature = (
        machine: "Machine | str | None" = None,
        *,
        memory: "str | None" = None,
        dtype: "typing.Any" = None,
        base: "int" = 0,
        oversized = false,
        shared = false,
    ) -> "Placement")]
    fn on(
        slf: &Bound<'_, Self>,
        machine: Option<&Bound<'_, PyAny>>,
        memory: Option<String>,
        dtype: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = number::read)] base: u64,
        oversized: bool,
        shared: bool,
    ) -> Answer<Py<PyPlacement>> {
        let machine = machine.map(machine_of).transpose()?;
        let element_bits = dtype.map(bits_of).transpose()?;
        let on = (memory, element_bits, dtype.and_then(crate::on_arguments::name_of));
        let arguments = OnArguments::of(on, base, oversized, shared);
        PyPlacement::of(slf, arguments, machine.as_ref())
    }

    /// Unpickles a placement.
    #[pyo3(signature = (
        machine: "Machine | None",
        on: "tuple[str | None, int | None, str | None]",
        base: "int",
        oversized,
        shared,
    ) -> "Placement")]
    fn _placed(
        slf: &Bound<'_, Self>,
        machine: Option<&Bound<'_, PyMachine>>,
        on: (Option<String>, Option<u64>, Option<String>),
        base: u64,
        oversized: bool,
        shared: bool,
    ) -> Answer<Py<PyPlacement>> {
        let arguments = OnArguments::of(on, base, oversized, shared);
        PyPlacement::of(slf, arguments, machine)
    }
}

#[pymethods]
impl PyPlacement {
    /// The layout.
    #[getter]
    fn layout(&self, py: Python<'_>) -> Py<PyLayout> {
        self.layout.clone_ref(py)
    }

    /// The machine, which is the mesh for a sharding, or None.
    #[getter]
    fn machine(slf: &Bound<'_, Self>) -> PyResult<Option<Py<PyMachine>>> {
        if let Some(machine) = &slf.get().machine {
            return Ok(Some(machine.clone_ref(slf.py())));
        }
        let tree = slf.as_super().get().arguments.machine.clone();
        tree.map(|tree| Py::new(slf.py(), PyMachine::of_levels(tree))).transpose()
    }

    /// The memory that the addresses refer to.
    #[getter]
    fn memory(slf: &Bound<'_, Self>) -> Option<String> {
        slf.as_super().get().arguments.memory.clone()
    }

    /// The width of an element in bits, where known.
    #[getter]
    fn element_bits(slf: &Bound<'_, Self>) -> Option<u64> {
        slf.as_super().get().arguments.element_bits
    }

    /// The first address.
    #[getter]
    fn base(slf: &Bound<'_, Self>) -> u64 {
        slf.as_super().get().arguments.base
    }

    /// The levels that hold copies.
    #[getter]
    fn replicated(slf: &Bound<'_, Self>) -> Answer<Tuple<String>> {
        let levels = slf.as_super().get().placement()?.replicated();
        Ok(Tuple(levels.iter().map(ToString::to_string).collect()))
    }

    /// The number of addresses per unit, base included.
    #[getter]
    fn footprint_words(slf: &Bound<'_, Self>) -> Answer<u64> {
        Ok(slf.as_super().get().placement()?.footprint_words())
    }

    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyPlacement>) -> Answer<bool> {
        let (ours, theirs) = (slf.as_super().get(), other.as_super().get());
        Ok(on(ours)? == on(theirs)? && ours.equals(theirs)?)
    }

    fn __hash__(slf: &Bound<'_, Self>) -> Answer<u64> {
        let places = slf.as_super().get();
        Ok(crate::values::hash_of(&(on(places)?, places.hash())))
    }

    fn __str__(slf: &Bound<'_, Self>) -> String {
        slf.as_super().get().title()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        let places = slf.as_super().get();
        let machine = places.arguments.machine.as_ref().map(|machine| machine.name().to_owned());
        let memory = places.arguments.memory.as_ref();
        let on = machine.map_or(String::new(), |name| format!(" on {name}"));
        let memory = memory.map_or(String::new(), |name| format!(", {name}"));
        format!("<Placement: {}{on}{memory}>", places.title())
    }

    #[pyo3(signature = () -> "tuple[object, tuple[object, ...]]")]
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Answer<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, arguments) = (slf.py(), &slf.as_super().get().arguments);
        let machine = slf.get().machine.as_ref().map(|machine| machine.clone_ref(py));
        let on = (&arguments.memory, arguments.element_bits, &arguments.dtype);
        let rest = (on, arguments.base, arguments.oversized, arguments.shared);
        let arguments = (slf.get().layout.clone_ref(py), machine, rest).into_pyobject(py)?;
        Ok((py.import("tensor_layout._arrays")?.getattr("placed")?, arguments))
    }
}

/// The machine, memory and width; without a machine, the last two are as requested.
fn on(places: &Places) -> Answer<impl Eq + Hash> {
    let placement = places.placement()?;
    Ok((placement.machine(), placement.memory(), placement.element_bits()))
}
