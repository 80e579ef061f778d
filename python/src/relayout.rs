//! Relayouts: the data that must move between two layouts.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray, UInt64Array};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use tensor_layout::relayout::{
    Cost, CostModel, CostUnit, Distance, LevelTraffic, Relayout, Traffic, WriteOrder,
};
use tensor_layout::{LayoutError, Machine, Placement};

use crate::cost::PyCost;
use crate::frame;
use crate::layout::any;
use crate::location::PyLocation;
use crate::machine::{PyMachine, machine_of};
use crate::on_arguments::{OnArguments, bits_of};
use crate::places::Places;
use crate::refusal::{Answer, refused};
use crate::transfers::PyTransfers;
use crate::values::{Dict, Made, Tuple, again};

/// The data that must move between two layouts: exact counts for tensors of any size.
///
/// Returned by the function `relayout`; `str` is the report that the command prints.
#[pyclass(name = "Relayout", weakref, frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyRelayout {
    pair: Arc<Relayout>,
    traffic: Traffic,
    source: Py<Places>,
    destination: Py<Places>,
    placements: (Placement, Placement),
    /// The cost by the rates of the machine, if it has any.
    cost: Option<Cost>,
    /// The other arguments by which it was made.
    machine: Option<Py<PyMachine>>,
    memory: Option<String>,
    dtype: Option<Py<PyAny>>,
}

/// An element, the one that overwrites it, and the place.
type Lost = (Tuple<u64>, Tuple<u64>, PyLocation);

/// Pairs two layouts of a tensor: where it is, and where it is wanted.
///
/// Layouts and texts are placed on `machine`; without one there are as many units as both name. Placements
/// stay on their machine, and the other arguments must not contradict them.
///
/// >>> from tensor_layout import relayout
/// >>> move = relayout("((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))", "PE=4")
/// >>> move.sentence
/// 'elements move between PEs'
/// >>> move.by_distance
/// {'in place': 4, 'address': 20, 'PE': 72}
/// >>> move.into
/// {'PE': 72}
#[pyfunction]
#[pyo3(signature = (
    source: "Places | str",
    destination: "Places | str",
    machine: "Machine | str | None" = None,
    *,
    memory: "str | None" = None,
    dtype: "typing.Any" = None,
) -> "Relayout")]
pub(crate) fn relayout(
    source: &Bound<'_, PyAny>,
    destination: &Bound<'_, PyAny>,
    machine: Option<&Bound<'_, PyAny>>,
    memory: Option<String>,
    dtype: Option<&Bound<'_, PyAny>>,
) -> Answer<PyRelayout> {
    let (source, destination) = (any(source)?, any(destination)?);
    let machine = machine.map(machine_of).transpose()?;
    let element_bits = dtype.map(bits_of).transpose()?;
    let arguments = OnArguments { memory: memory.clone(), element_bits, ..OnArguments::default() };
    let arguments = arguments.on(machine.as_ref().map(Bound::get));
    let (from, to) = paired(source.get(), destination.get(), &arguments)?;
    let pair = Arc::new(Relayout::new(&from, &to)?);
    let traffic = source.py().detach(|| pair.traffic())?;
    let cost = cost(&from, &pair, &traffic)?;
    let (source, destination) = (source.unbind(), destination.unbind());
    let (machine, dtype) = (machine.map(Bound::unbind), dtype.map(|dtype| dtype.clone().unbind()));
    let placements = (from, to);
    Ok(PyRelayout { pair, traffic, source, destination, placements, cost, machine, memory, dtype })
}

/// Places two layouts of a tensor as requested, by default on the machine that they have in common.
pub(crate) fn paired(
    source: &Places,
    destination: &Places,
    asked: &OnArguments,
) -> Answer<(Placement, Placement)> {
    let place = |places: &Places| {
        let mut arguments = asked.clone().and(&places.arguments)?;
        if arguments.machine.is_none() {
            arguments.machine = Some(common_machine(source, destination)?);
        }
        placed(places, &arguments)
    };
    Ok((place(source)?, place(destination)?))
}

/// A placement as it is, if nothing else is requested; its layout already includes the base.
pub(crate) fn placed(places: &Places, arguments: &OnArguments) -> Answer<Placement> {
    let has = &places.arguments;
    if (&has.machine, &has.memory, has.element_bits)
        == (&arguments.machine, &arguments.memory, arguments.element_bits)
    {
        return Ok(places.placement()?.clone());
    }
    let layout = places.on(arguments.machine.as_ref())?;
    arguments.place(layout, places.is_function()).map_err(|error| places.refuse(error))
}

/// The machine of a side that is placed, else the units that both layouts name, or a single unit.
fn common_machine(source: &Places, destination: &Places) -> Answer<Machine> {
    let placed = [source, destination].into_iter().find_map(|side| side.arguments.machine.clone());
    if let Some(machine) = placed {
        return Ok(machine);
    }
    Ok(Machine::for_pair(&source.layout, &destination.layout)?)
}

fn cost(
    placement: &Placement,
    pair: &Relayout,
    traffic: &Traffic,
) -> Result<Option<Cost>, LayoutError> {
    let model = match (placement.machine(), pair.element_bits()) {
        (Some(machine), Some(bits)) => CostModel::new(machine, bits).ok(),
        _ => None,
    };
    model.map(|model| model.of_pair(pair, traffic)).transpose()
}

impl PyRelayout {
    fn per_level<V>(&self, count: impl Fn(&LevelTraffic) -> V) -> Dict<V> {
        let levels = self.traffic.levels.iter();
        Dict::new(levels.map(|level| (level.level, count(level))))
    }
}

#[pymethods]
impl PyRelayout {
    /// The layout to move from.
    #[getter]
    fn source(&self, py: Python<'_>) -> Py<Places> {
        self.source.clone_ref(py)
    }

    /// The layout to move to.
    #[getter]
    fn destination(&self, py: Python<'_>) -> Py<Places> {
        self.destination.clone_ref(py)
    }

    /// The number of elements.
    #[getter]
    fn elements(&self) -> u64 {
        self.traffic.elements
    }

    /// The number of places of each element in the destination.
    #[getter]
    fn copies(&self) -> u64 {
        self.traffic.copies
    }

    /// The number of destination copies by the distance to their nearest source copy.
    #[getter]
    fn by_distance(&self) -> Dict<u64> {
        Dict::new(self.traffic.by_distance.iter().copied())
    }

    /// The least number of elements that must enter the units of each level, whatever the algorithm.
    #[getter]
    fn into(&self) -> Dict<u64> {
        self.per_level(|level| level.into)
    }

    /// The least number of elements that must leave them; None where copies leave the sender open.
    #[getter]
    fn out_of(&self) -> Dict<Option<u64>> {
        self.per_level(|level| level.out_of)
    }

    /// A lower bound on the steps, by the bandwidth of the machine; None without it or an element width.
    #[getter]
    fn steps(&self) -> Option<u64> {
        self.cost.filter(|cost| cost.unit == CostUnit::Steps).map(|cost| cost.steps)
    }

    /// A lower bound on the cycles of every route, by the movements of the machine, or on the steps, by its
    /// bandwidth; None without rates or an element width.
    #[getter]
    fn cost(&self) -> Option<PyCost> {
        self.cost.map(PyCost::from)
    }

    /// The kind of move, as a sentence.
    #[getter]
    fn sentence(&self) -> String {
        self.pair.sentence(&self.traffic)
    }

    /// The traffic of each level, innermost first, for data frames: `polars.DataFrame(move)`,
    /// `pandas.DataFrame.from_arrow(move)`. The columns are `level`, `into` and `out_of`.
    #[pyo3(signature = (requested_schema: "object" = None) -> "object")]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> Answer<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let levels = &self.traffic.levels;
        let names = levels.iter().map(|of| Some(of.level.to_string()));
        let names: ArrayRef = Arc::new(names.collect::<StringArray>());
        let into: UInt64Array = levels.iter().map(|of| Some(of.into)).collect();
        let out_of: UInt64Array = levels.iter().map(|of| of.out_of).collect();
        frame::stream(
            py,
            [("level", names), ("into", Arc::new(into)), ("out_of", Arc::new(out_of))],
        )
    }

    /// The moves as text, digit by digit: `axis 0, 4 at 3: PE -> Addr x 6`.
    #[getter]
    fn moves(&self) -> Answer<Vec<String>> {
        let account = self.pair.account()?;
        let copies = account.copies.iter().map(ToString::to_string);
        Ok(account.moves.iter().map(ToString::to_string).chain(copies).collect())
    }

    /// The moves themselves, nearest first, as runs of elements from one unit to one or more units.
    ///
    /// >>> from tensor_layout import relayout
    /// >>> move, = relayout("((1_PE, 4:1))", "((4:1))", "PE=4").transfers()
    /// >>> move.length, move.source, len(move.destinations)
    /// (4, Location(PE=0), 3)
    #[pyo3(signature = () -> "collections.abc.Iterator[Transfer]")]
    fn transfers(&self) -> Answer<PyTransfers> {
        PyTransfers::of(self.pair.clone())
    }

    /// The first element that is lost if the move is done within the memory of the source, or None.
    ///
    /// All units write their addresses in this order, at the same pace. The result is the index of the lost
    /// element, the index of the element that overwrites it, and the place.
    ///
    /// >>> from tensor_layout import relayout
    /// >>> spread = relayout("((8:1))", "((8:2))", "PE=1")
    /// >>> spread.overwritten("ascending")
    /// ((2,), (1,), Location(PE=0, Addr=2))
    /// >>> spread.overwritten("descending") is None
    /// True
    #[pyo3(signature = (
        order: "typing.Literal['ascending', 'descending']",
        /,
    ) -> "tuple[tuple[int, ...], tuple[int, ...], Location] | None")]
    fn overwritten(&self, py: Python<'_>, order: &str) -> Answer<Option<Lost>> {
        let order = match order {
            "ascending" => WriteOrder::Ascending,
            "descending" => WriteOrder::Descending,
            _ => {
                return refused(format!("the order is `ascending` or `descending`, not `{order}`"));
            }
        };
        let lost = py.detach(|| self.pair.overwritten(order))?;
        Ok(lost.map(|lost| (Tuple(lost.element), Tuple(lost.by), PyLocation(lost.place))))
    }

    #[pyo3(signature = () -> "tuple[object, tuple[object, ...]]")]
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Made<'py>> {
        let keywords = PyDict::new(py);
        keywords.set_item("memory", &self.memory)?;
        keywords.set_item("dtype", &self.dtype)?;
        let arguments = (&self.source, &self.destination, &self.machine);
        let call = py.import("tensor_layout")?.getattr("relayout")?;
        again(&call, arguments, &keywords)
    }

    fn __bool__(&self) -> bool {
        self.traffic.farthest() != Distance::InPlace
    }

    fn __str__(&self) -> Answer<String> {
        Ok(tensor_layout_show::pages::relayout(&self.pair, &self.traffic, &self.pair.account()?))
    }

    fn __repr__(&self) -> String {
        format!("<Relayout: {}>", self.sentence())
    }

    fn _repr_svg_(&self) -> Option<String> {
        let (from, to) = &self.placements;
        let (source, destination) = (self.source.get(), self.destination.get());
        let left = source.drawing(from);
        let right = destination.drawing(to);
        Some(left.before_and_after(&right).ok()?.to_svg())
    }

    fn _repr_html_(&self) -> Answer<String> {
        Ok(crate::html::page(&self.__str__()?))
    }
}
