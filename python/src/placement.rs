//! Placements: layouts on machines.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tensor_layout::LayoutText;

use crate::layout::{PyLayout, make};
use crate::machine::PyMachine;
use crate::places::Places;
use crate::refusal::Answer;
use crate::spot::Spot;
use crate::values::Tuple;

/// A layout on a machine, checked against it. `Layout.on` makes it.
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
    /// The machine that was asked for.
    machine: Option<Py<PyMachine>>,
}

impl PyPlacement {
    pub(crate) fn of(
        py: Python<'_>,
        places: &Places,
        mut spot: Spot,
        machine: Option<Py<PyMachine>>,
    ) -> Answer<Py<PyPlacement>> {
        let text = places.text();
        if let Some(text) = text {
            spot = spot.and(Spot::written(text))?;
        }
        // Devices are counted through the tree that was asked for; else the mesh is the machine.
        let layout = match (text, &spot.machine) {
            (Some(text @ LayoutText::Sharded(_)), Some(machine)) => text.lower_on(machine)?,
            _ => places.layout.clone(),
        };
        if let (Some(LayoutText::Sharded(shape)), None) = (text, &spot.machine) {
            spot.machine = shape.machine()?;
        }
        let is_function = places.like().is_some_and(LayoutText::is_function);
        let placement = spot.place(layout, is_function).map_err(|error| places.refuse(error))?;
        // The text of an edited layout may be another one than the one that it came from.
        let exact = places.text().cloned().map(|text| (text, true));
        let like = exact.or_else(|| places.like().cloned().map(|text| (text, false)));
        let source = make(py, places.edited(places.layout.clone()))?;
        let source = match text {
            Some(text) => make(py, Places::written(text.clone())?)?,
            None => source,
        };
        let placed = Places::new(placement.layout().clone(), like, spot).with(placement);
        let start = PyClassInitializer::from(placed);
        Ok(Py::new(py, start.add_subclass(PyPlacement { layout: source, machine }))?)
    }

    /// A placement that the library made.
    pub(crate) fn wrap(
        py: Python<'_>,
        placement: tensor_layout::Placement,
        machine: Py<PyMachine>,
        base: u64,
    ) -> Answer<Py<PyPlacement>> {
        let spot = Spot {
            machine: placement.machine().cloned(),
            machine_text: machine.get().text().map(str::to_owned),
            base,
            memory: placement.memory().map(|(name, _)| name.to_owned()),
            element_bits: placement.element_bits(),
            ..Spot::default()
        };
        let layout = placement.layout().clone();
        let source = make(py, Places::new(layout.clone(), None, Spot::default()))?;
        let placed = Places::new(layout, None, spot).with(placement);
        let start = PyClassInitializer::from(placed);
        let machine = Some(machine);
        Ok(Py::new(py, start.add_subclass(PyPlacement { layout: source, machine }))?)
    }
}

#[pymethods]
impl PyPlacement {
    /// The layout.
    #[getter]
    fn layout(&self, py: Python<'_>) -> Py<PyLayout> {
        self.layout.clone_ref(py)
    }

    /// The machine; that of the mesh for a sharding, or None.
    #[getter]
    fn machine(slf: &Bound<'_, Self>) -> PyResult<Option<Py<PyMachine>>> {
        if let Some(machine) = &slf.get().machine {
            return Ok(Some(machine.clone_ref(slf.py())));
        }
        let tree = slf.as_super().get().spot.machine.clone();
        tree.map(|tree| Py::new(slf.py(), PyMachine::of_levels(tree))).transpose()
    }

    /// The memory that addresses are in.
    #[getter]
    fn memory(slf: &Bound<'_, Self>) -> Option<String> {
        slf.as_super().get().spot.memory.clone()
    }

    /// The width of an element in bits, where known.
    #[getter]
    fn element_bits(slf: &Bound<'_, Self>) -> Option<u64> {
        slf.as_super().get().spot.element_bits
    }

    /// The first address.
    #[getter]
    fn base(slf: &Bound<'_, Self>) -> u64 {
        slf.as_super().get().spot.base
    }

    /// The levels that hold copies.
    #[getter]
    fn replicated(slf: &Bound<'_, Self>) -> Answer<Tuple<String>> {
        let levels = slf.as_super().get().placement()?.replicated();
        Ok(Tuple(levels.iter().map(ToString::to_string).collect()))
    }

    /// Addresses per unit, base included.
    #[getter]
    fn footprint_words(slf: &Bound<'_, Self>) -> Answer<u64> {
        Ok(slf.as_super().get().placement()?.footprint_words())
    }

    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyPlacement>) -> Answer<bool> {
        Ok(slf.as_super().get().placement()? == other.as_super().get().placement()?)
    }

    fn __hash__(slf: &Bound<'_, Self>) -> Answer<u64> {
        Ok(crate::hash_of(slf.as_super().get().placement()?))
    }

    fn __str__(slf: &Bound<'_, Self>) -> String {
        slf.as_super().get().title()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        let places = slf.as_super().get();
        let machine = places.spot.machine.as_ref().map(|machine| machine.name().to_owned());
        let memory = places.spot.memory.as_ref();
        let on = machine.map_or(String::new(), |name| format!(" on {name}"));
        let memory = memory.map_or(String::new(), |name| format!(", {name}"));
        format!("<Placement: {}{on}{memory}>", places.title())
    }

    #[pyo3(signature = () -> "tuple[object, tuple[object, ...]]")]
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Answer<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, spot) = (slf.py(), &slf.as_super().get().spot);
        let machine = slf.get().machine.as_ref().map(|machine| machine.clone_ref(py));
        let rest = (&spot.memory, spot.element_bits, spot.base, spot.oversized, spot.shared);
        let arguments = (slf.get().layout.clone_ref(py), machine, rest).into_pyobject(py)?;
        Ok((py.import("tensor_layout._arrays")?.getattr("placed")?, arguments))
    }
}
