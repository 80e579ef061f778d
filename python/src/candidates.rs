//! Candidates: the layouts of a shape on a machine that satisfy constraints.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use tensor_layout::LayoutError;
use tensor_layout::candidates::{Candidate, Candidates, Layouts, Orders, Side};
use tensor_layout::notation::PadLayout;
use tensor_layout::{Level, Placement};

use crate::layout::{PyLayout, make};
use crate::long::interruptible;
use crate::machine::{PyMachine, machine_of};
use crate::number;
use crate::on_arguments::{OnArguments, bits_of};
use crate::placement::PyPlacement;
use crate::places::Places;
use crate::refusal::{Answer, refused};

/// The layouts of a shape on a machine, to choose from: iterate over them, count them, or draw samples.
/// `heapq.nsmallest(5, candidates, key=price)` keeps the best.
///
/// Axes may be split over `levels` and must be split over those in `split`. `level_parts` limits the pieces
/// of a level; `sides` lists the positions that its digits may have in an axis; `time` lists the allowed
/// numbers of time slices, and `time_axes` limits the axes that they cut; `never` and `fixed` exclude or
/// set the levels of an axis; `contiguous` is the length of the runs along an axis.
///
/// >>> from tensor_layout import Candidates
/// >>> candidates = Candidates("PE=4", (4,), sides=["minor"], replicate=False)
/// >>> candidates.count()
/// 1
/// >>> [candidate.layout for candidate in candidates]
/// [Layout('((4_PE:1))')]
#[pyclass(name = "Candidates", weakref, frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyCandidates {
    candidates: Candidates,
    machine: Py<PyMachine>,
    base: u64,
}

fn levels(names: Vec<String>) -> Answer<Vec<Level>> {
    Ok(names.iter().map(|name| Level::new(name)).collect::<Result<_, _>>()?)
}

fn sides(names: &[String]) -> Answer<Vec<Side>> {
    let side = |name: &String| match name.as_str() {
        "major" => Ok(Side::Major),
        "minor" => Ok(Side::Minor),
        _ => refused(format!("`{name}` is not a side: major, minor")),
    };
    names.iter().map(side).collect()
}

fn orders(name: &str) -> Answer<Orders> {
    match name {
        "all" => Ok(Orders::All),
        "row-major" => Ok(Orders::RowMajor),
        _ => refused(format!("`{name}` is not an order: all, row-major")),
    }
}

impl PyCandidates {
    fn walk(&self, py: Python<'_>, source: CandidateSource) -> PyLayouts {
        let (machine, base) = (self.machine.clone_ref(py), self.base);
        PyLayouts { source: Mutex::new(source), machine, base }
    }
}

#[pymethods]
impl PyCandidates {
    #[new]
    #[pyo3(signature = (
        machine: "Machine | str",
        shape: "collections.abc.Sequence[int]",
        *,
        memory: "str | None" = None,
        dtype: "typing.Any" = None,
        base: "int" = 0,
        levels: "collections.abc.Sequence[str] | None" = None,
        split: "collections.abc.Sequence[str]" = Vec::new(),
        level_parts: "int" = 1,
        sides: "collections.abc.Sequence[typing.Literal['major', 'minor']] | None" = None,
        replicate = true,
        alignment: "int" = 1,
        capacity_words: "int | None" = None,
        padding_percent: "int" = 50,
        time: "collections.abc.Sequence[int]" = vec![1],
        time_axes: "int" = 1,
        orders: "typing.Literal['all', 'row-major']" = "all",
        tree_order = false,
        never: "collections.abc.Mapping[int, str] | None" = None,
        fixed: "collections.abc.Mapping[int, collections.abc.Sequence[str]] | None" = None,
        contiguous: "collections.abc.Mapping[int, int] | None" = None,
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        machine: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = number::read)] shape: Vec<u64>,
        memory: Option<&str>,
        dtype: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = number::read)] base: u64,
        levels: Option<Vec<String>>,
        split: Vec<String>,
        #[pyo3(from_py_with = number::read)] level_parts: usize,
        sides: Option<Vec<String>>,
        replicate: bool,
        #[pyo3(from_py_with = number::read)] alignment: u64,
        #[pyo3(from_py_with = number::read)] capacity_words: Option<u64>,
        #[pyo3(from_py_with = number::read)] padding_percent: u64,
        #[pyo3(from_py_with = number::read)] time: Vec<u64>,
        #[pyo3(from_py_with = number::read)] time_axes: usize,
        orders: &str,
        tree_order: bool,
        #[pyo3(from_py_with = number::read)] never: Option<HashMap<usize, String>>,
        #[pyo3(from_py_with = number::read)] fixed: Option<HashMap<usize, Vec<String>>>,
        #[pyo3(from_py_with = number::read)] contiguous: Option<HashMap<usize, u64>>,
    ) -> Answer<PyCandidates> {
        let machine = machine_of(machine)?;
        let never = never.unwrap_or_default().into_iter();
        let never = never.map(|(axis, level)| Ok((axis, Level::new(&level)?)));
        let fixed = fixed.unwrap_or_default().into_iter();
        let mut all = Candidates {
            memory: memory.map(str::to_owned),
            element_bits: dtype.map(bits_of).transpose()?,
            base,
            levels: levels.map(self::levels).transpose()?,
            without_copies_in: self::levels(split)?,
            level_parts,
            replicate,
            alignment,
            capacity_words,
            padding_percent,
            time,
            time_axes,
            orders: self::orders(orders)?,
            tree_order,
            never: never.collect::<Answer<_>>()?,
            fixed: fixed
                .map(|(axis, levels)| Ok((axis, self::levels(levels)?)))
                .collect::<Answer<_>>()?,
            contiguous: contiguous.unwrap_or_default().into_iter().collect(),
            ..Candidates::new(&machine.get().machine, &shape)
        };
        if let Some(sides) = sides {
            all.sides = self::sides(&sides)?;
        }
        all.iter()?;
        Ok(PyCandidates { candidates: all, machine: machine.unbind(), base })
    }

    /// The number of candidates, without generating them.
    fn count(&self, py: Python<'_>) -> Answer<u128> {
        let count = interruptible(py, |goes_on| self.candidates.count_while(goes_on))?;
        Ok(count?.unwrap_or_default())
    }

    /// Immediate bounds on the number of candidates; they are equal if counting all of them is quick.
    ///
    /// >>> from tensor_layout import Candidates
    /// >>> least, most = Candidates("mn-core-2", (1024, 1024), level_parts=2).count_range()
    /// >>> 2182 < least < most
    /// True
    fn count_range(&self) -> Answer<(u128, u128)> {
        Ok(self.candidates.count_range()?.into_inner())
    }

    /// An endless iterator over random candidates, reproducible from the seed.
    ///
    /// >>> from itertools import islice
    /// >>> from tensor_layout import Candidates
    /// >>> candidates = Candidates("mn-core-2", (1024, 1024), level_parts=2)
    /// >>> len(list(islice(candidates.samples(7), 10)))
    /// 10
    #[pyo3(signature = (seed: "int" = 0) -> "CandidateIterator")]
    fn samples(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = number::read)] seed: u64,
    ) -> Answer<PyLayouts> {
        Ok(self.walk(py, CandidateSource::Samples(Box::new(self.candidates.samples(seed)?))))
    }

    fn __iter__(&self, py: Python<'_>) -> Answer<PyLayouts> {
        Ok(self.walk(py, CandidateSource::All(Box::new(self.candidates.iter()?))))
    }

    fn __repr__(&self) -> String {
        format!("<Candidates on {}>", self.machine.get().machine.name())
    }
}

/// A source of candidates.
enum CandidateSource {
    All(Box<Layouts>),
    Samples(Box<dyn Iterator<Item = Found> + Send>),
}

impl CandidateSource {
    fn next_while(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Option<Option<Found>> {
        match self {
            CandidateSource::All(all) => all.next_while(goes_on),
            CandidateSource::Samples(samples) => Some(samples.next()),
        }
    }
}

type Found = Result<Candidate, LayoutError>;

/// An iterator over candidates.
#[pyclass(name = "CandidateIterator", frozen, module = "tensor_layout")]
pub(crate) struct PyLayouts {
    source: Mutex<CandidateSource>,
    machine: Py<PyMachine>,
    base: u64,
}

#[pymethods]
impl PyLayouts {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> Answer<Option<PyCandidate>> {
        let next = interruptible(py, |goes_on| {
            self.source.lock().unwrap_or_else(PoisonError::into_inner).next_while(goes_on)
        })?;
        py.check_signals()?;
        let candidate = next.flatten().transpose()?;
        let machine = || self.machine.clone_ref(py);
        Ok(candidate.map(|of| PyCandidate { of, machine: machine(), base: self.base }))
    }
}

/// A layout that satisfies the constraints.
#[pyclass(name = "Candidate", frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyCandidate {
    of: Candidate,
    machine: Py<PyMachine>,
    base: u64,
}

#[pymethods]
impl PyCandidate {
    /// The layout, without the base.
    #[getter]
    fn layout(&self, py: Python<'_>) -> PyResult<Py<PyLayout>> {
        make(py, Places::new(self.of.layout.clone(), None, OnArguments::default()))
    }

    /// The layout on its machine, in its memory.
    #[getter]
    fn placement(&self, py: Python<'_>) -> Answer<Py<PyPlacement>> {
        let placement: Placement = self.of.placement()?;
        let layout = self.layout(py)?;
        PyPlacement::wrap(layout.bind(py), placement, self.machine.clone_ref(py), self.base)
    }

    /// The number of long words per unit.
    #[getter]
    fn footprint_words(&self) -> u64 {
        self.of.footprint_words
    }

    /// The number of slots of one copy that hold no element.
    #[getter]
    fn pads(&self) -> u64 {
        self.of.pads
    }

    /// The number of slots of one copy.
    #[getter]
    fn slots(&self) -> u64 {
        self.of.slots
    }

    /// The number of units that hold a slot, copies included.
    #[getter]
    fn units_used(&self) -> u64 {
        self.of.units_used
    }

    fn __repr__(&self) -> String {
        let text = PadLayout::of(&self.of.layout).map(|text| text.to_string());
        format!("<Candidate: {}>", text.unwrap_or_else(|_| "a layout".into()))
    }
}
