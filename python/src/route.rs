//! Routes: the movements that bring a tensor from one memory into another.

use pyo3::prelude::*;
use tensor_layout::machine::MovementKind;
use tensor_layout::route::{Hop, Route};
use tensor_layout_show::Film;

use crate::film::PyFilm;
use crate::layout::any;
use crate::machine::machine_of;
use crate::on_arguments::{OnArguments, bits_of};
use crate::refusal::{Answer, refused};
use crate::relayout::paired;

/// The movements that bring a tensor from one memory into another.
///
/// Returned by the function `route`; `str` is the report that the command prints.
#[pyclass(name = "Route", weakref, frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyRoute(Route);

/// One movement of a route, with the resulting layout and the number of long words moved.
#[pyclass(name = "Hop", frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyHop(Hop);

/// Finds the movements from one memory to another, through the layouts of `via`, or by one named movement.
///
/// >>> from tensor_layout import route
/// >>> found = route("((64:1))@L1BM", "((1_L2B, 1_L1B, 16_MAB, 4_PE))@LM0", "mn-core-2")
/// >>> [hop.movement for hop in found.hops], found.cycles, found.at_least
/// (['l1bmd'], 1, False)
#[pyfunction]
#[pyo3(signature = (
    source: "Places | str",
    target: "Places | str",
    machine: "Machine | str | None" = None,
    *,
    via: "collections.abc.Sequence[Places | str]" = Vec::new(),
    by: "str | None" = None,
    dtype: "typing.Any" = None,
) -> "Route")]
pub(crate) fn route(
    source: &Bound<'_, PyAny>,
    target: &Bound<'_, PyAny>,
    machine: Option<&Bound<'_, PyAny>>,
    via: Vec<Bound<'_, PyAny>>,
    by: Option<String>,
    dtype: Option<&Bound<'_, PyAny>>,
) -> Answer<PyRoute> {
    let machine = machine.map(machine_of).transpose()?;
    let element_bits = dtype.map(bits_of).transpose()?;
    let arguments = OnArguments { element_bits, ..OnArguments::default() };
    let arguments = arguments.on(machine.as_ref().map(Bound::get));
    let source = any(source)?;
    let mut stops = Vec::new();
    for stop in via.iter().chain([target]) {
        let (first, stop) = paired(source.get(), any(stop)?.get(), &arguments)?;
        if stops.is_empty() {
            stops.push(first);
        }
        stops.push(stop);
    }
    let found = match (by, &stops[..]) {
        (Some(name), [source, target]) => Route::by(&name, source, target)?,
        (Some(name), _) => {
            return refused(format!(
                "`by` is one movement, `{name}`: it does not go through `via`"
            ));
        }
        (None, _) => source.py().detach(|| Route::through(&stops))?,
    };
    Ok(PyRoute(found))
}

#[pymethods]
impl PyRoute {
    /// The hops, in order; empty if the source can be used as it is.
    #[getter]
    fn hops(&self) -> Vec<PyHop> {
        self.0.hops().iter().cloned().map(PyHop).collect()
    }

    /// The sum of the minimum cycles of the hops.
    #[getter]
    fn cycles(&self) -> u64 {
        self.0.cycles().0
    }

    /// True if a hop lacks a rate, so that `cycles` is a lower bound.
    #[getter]
    fn at_least(&self) -> bool {
        !self.0.cycles().1
    }

    /// A film of the elements moving from memory to memory.
    fn film(&self) -> Answer<PyFilm> {
        Ok(PyFilm(Film::of_route(&self.0)?))
    }

    fn __str__(&self) -> String {
        tensor_layout_show::pages::route(&self.0)
    }

    fn __repr__(&self) -> String {
        format!("<Route: {}>", self.0.names().join(", "))
    }
}

#[pymethods]
impl PyHop {
    /// The name of the movement; None on a machine without movements.
    #[getter]
    fn movement(&self) -> Option<String> {
        self.0.movement.as_ref().map(|movement| movement.name.clone())
    }

    /// The kind of movement: same to all, distribute, concatenate, pick one.
    #[getter]
    fn kind(&self) -> Option<&'static str> {
        self.0.kind.map(MovementKind::as_str)
    }

    /// The memory afterwards.
    #[getter]
    fn memory(&self) -> Option<String> {
        self.0.target.memory().map(|(name, _)| name.to_owned())
    }

    /// The layout afterwards, as text.
    #[getter]
    fn layout(&self) -> String {
        Route::text(&self.0.target)
    }

    /// The number of long words that pass through the memory nearer to the root.
    #[getter]
    fn upper_words(&self) -> u64 {
        self.0.upper_words
    }

    /// The greatest number of long words that pass through any one lower memory.
    #[getter]
    fn lower_words(&self) -> u64 {
        self.0.lower_words
    }

    /// The minimum number of cycles; None without a rate.
    #[getter]
    fn cycles(&self) -> Option<u64> {
        self.0.cycles
    }

    /// True if the rates are the maker's.
    #[getter]
    fn is_from_maker(&self) -> bool {
        self.0.is_from_maker()
    }

    fn __repr__(&self) -> String {
        format!("<Hop: {}>", self.movement().unwrap_or_else(|| "no movement".into()))
    }
}
