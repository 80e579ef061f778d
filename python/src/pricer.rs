//! Prices of relayouts: a machine with its rates, and a cache of computed traffic.

use std::collections::HashMap;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tensor_layout::relayout::{CostModel, LevelTraffic, PartId, Pricer, Rate};
use tensor_layout::{LayoutError, Level, Machine};

use crate::cost::PyCost;
use crate::layout::any;
use crate::machine::{PyMachine, machine_of};
use crate::number;
use crate::on_arguments::{OnArguments, bits_of};
use crate::refusal::{Answer, refused};
use crate::relayout::placed;
use crate::values::{Dict, Made, again};

/// Prices relayouts in cycles of a machine's movements or in steps at given rates, and caches the prices.
///
/// `rates` are the long words per step that enter or leave a unit of a level: a number for both directions
/// or a pair `(into, out_of)`. Without rates, on a machine that has movements, such as `mn-core-2`, a cost is a
/// lower bound of the cycles of every route. `latency` is the extra steps of each word. Levels without a rate cost nothing.
/// Layouts that differ only inside units have the same price, unless a change of lanes, which no movement makes, or of
/// addresses alone has a price. Threads may share a pricer.
///
/// >>> from fractions import Fraction
/// >>> from tensor_layout import Pricer
/// >>> pricer = Pricer("L2B=2,PE=4", "f64", rates={"L2B": 8, "PE": (1, Fraction(1, 2))})
/// >>> pricer.cost("((2_L2B, 4_PE, 64:1))", "((64:8, 4_PE:1, 2_L2B:1))")
/// Cost(steps=112, level='PE')
/// >>> pricer.statistics()
/// {'parts': 2, 'kept': 1, 'counted': 1}
#[pyclass(name = "Pricer", weakref, frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyPricer {
    pricer: Pricer,
    machine: Py<PyMachine>,
    element_bits: u64,
    /// The arguments by which it was made.
    dtype: Py<PyAny>,
    options: Py<PyDict>,
}

/// The units that hold each element of a layout. A pricer prices pairs of parts.
#[pyclass(name = "UnitPart", frozen, eq, hash, module = "tensor_layout")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PyPart(PartId);

#[pymethods]
impl PyPart {
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (memo: "object") -> "UnitPart")]
    fn __deepcopy__(slf: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
        let _ = memo;
        slf
    }

    #[pyo3(signature = () -> "typing.NoReturn")]
    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a UnitPart is a number in its Pricer: pickle the layout, and ask the other pricer for its part",
        ))
    }

    fn __repr__(&self) -> String {
        format!("<UnitPart {}>", self.0.number())
    }
}

/// An integer or a `Fraction` of long words per step.
fn rate(value: &Bound<'_, PyAny>) -> Answer<Rate> {
    number::refuse_bool(value)?;
    let part = |name: &str| match value.getattr(name) {
        Ok(part) => number::read::<u64>(&part).ok(),
        Err(_) => None,
    };
    let rate = part("numerator").zip(part("denominator"));
    match rate.and_then(|(words, steps)| Rate::new(words, steps)) {
        Some(rate) => Ok(rate),
        None => refused(format!(
            "{} is not a rate: it is a positive integer or a Fraction of long words per step",
            value.repr()?
        )),
    }
}

/// The rates into and out of a unit.
fn rates(value: &Bound<'_, PyAny>) -> Answer<(Rate, Rate)> {
    match value.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() {
        Ok((into, out_of)) => Ok((rate(&into)?, rate(&out_of)?)),
        Err(_) => rate(value).map(|rate| (rate, rate)),
    }
}

type Rates<'py> = HashMap<String, Bound<'py, PyAny>>;

/// The rates of a machine, overridden by those given for levels.
fn model(machine: &Machine, element_bits: u64, given: &Rates<'_>) -> Answer<CostModel> {
    let levels = given.iter().map(|(level, value)| Ok((Level::of_node(level)?, rates(value)?)));
    let levels = levels.collect::<Answer<Vec<(Level, (Rate, Rate))>>>()?;
    // A model needs at least one rate: from the machine, or from the given ones.
    let rated = machine.clone().with_bandwidth(levels.iter().map(|(level, _)| (*level, 1)))?;
    let model = CostModel::new(&rated, element_bits)?;
    let set = |model: CostModel, (level, (into, out_of))| model.with_rates(level, into, out_of);
    Ok(levels.into_iter().try_fold(model, set)?)
}

impl PyPricer {
    /// The part for an argument: a part that this pricer returned, or a layout on its machine.
    fn part_of(&self, value: &Bound<'_, PyAny>) -> Answer<PartId> {
        if let Ok(part) = value.cast::<PyPart>() {
            return Ok(part.get().0);
        }
        let places = any(value)?;
        let asked = OnArguments { element_bits: Some(self.element_bits), ..OnArguments::default() };
        let asked = asked.on(Some(self.machine.get())).and(&places.get().arguments)?;
        Ok(self.pricer.part(&placed(places.get(), &asked)?)?)
    }

    fn priced<T: Send>(
        &self,
        (source, destination): (&Bound<'_, PyAny>, &Bound<'_, PyAny>),
        price: impl Fn(&Pricer, PartId, PartId) -> Result<T, LayoutError> + Sync,
    ) -> Answer<T> {
        let (from, to) = (self.part_of(source)?, self.part_of(destination)?);
        let pricer = &self.pricer;
        Ok(source.py().detach(|| price(pricer, from, to))?)
    }
}

#[pymethods]
impl PyPricer {
    #[new]
    #[pyo3(signature = (
        machine: "Machine | str",
        dtype: "typing.Any",
        *,
        rates: "collections.abc.Mapping[str, int | fractions.Fraction | tuple[int | fractions.Fraction, int | fractions.Fraction]] | None" = None,
        latency: "collections.abc.Mapping[str, int] | None" = None,
        in_sequence = false,
        most_answers: "int | None" = None,
        price_of_lanes: "int | None" = None,
        price_of_addresses: "int | None" = None,
    ))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        machine: &Bound<'_, PyAny>,
        dtype: &Bound<'_, PyAny>,
        rates: Option<Rates<'_>>,
        #[pyo3(from_py_with = number::read)] latency: Option<HashMap<String, u64>>,
        in_sequence: bool,
        #[pyo3(from_py_with = number::read)] most_answers: Option<u64>,
        #[pyo3(from_py_with = number::read)] price_of_lanes: Option<u64>,
        #[pyo3(from_py_with = number::read)] price_of_addresses: Option<u64>,
    ) -> Answer<PyPricer> {
        let (machine, element_bits) = (machine_of(machine)?, bits_of(dtype)?);
        let options = PyDict::new(dtype.py());
        options.set_item("rates", &rates)?;
        options.set_item("latency", &latency)?;
        options.set_item("in_sequence", in_sequence)?;
        options.set_item("most_answers", most_answers)?;
        options.set_item("price_of_lanes", price_of_lanes)?;
        options.set_item("price_of_addresses", price_of_addresses)?;
        let mut model = model(&machine.get().machine, element_bits, &rates.unwrap_or_default())?;
        for (level, steps) in latency.unwrap_or_default() {
            model = model.with_latency(Level::of_node(&level)?, steps)?;
        }
        if in_sequence {
            model = model.in_sequence();
        }
        let pricer = Pricer::with_most_answers(model, most_answers.unwrap_or(u64::MAX));
        let pricer = price_of_lanes.into_iter().fold(pricer, Pricer::with_price_of_lanes);
        let pricer = price_of_addresses.into_iter().fold(pricer, Pricer::with_price_of_addresses);
        let (dtype, options) = (dtype.clone().unbind(), options.unbind());
        Ok(PyPricer { pricer, machine: machine.unbind(), element_bits, dtype, options })
    }

    /// The units that hold each element of a layout. Equal parts have equal prices. Passing parts
    /// instead of layouts avoids analysing the layouts again.
    #[pyo3(signature = (layout: "Places | str") -> "UnitPart")]
    fn part(&self, layout: &Bound<'_, PyAny>) -> Answer<PyPart> {
        Ok(PyPart(self.part_of(layout)?))
    }

    /// A lower bound on the steps of a relayout, as if all units had the same share of the work.
    #[pyo3(signature = (source: "Places | UnitPart | str", destination: "Places | UnitPart | str") -> "Cost")]
    fn cost(&self, source: &Bound<'_, PyAny>, destination: &Bound<'_, PyAny>) -> Answer<PyCost> {
        Ok(self.priced((source, destination), Pricer::cost)?.into())
    }

    /// A lower bound on the steps until the busiest unit has received and sent everything.
    #[pyo3(signature = (source: "Places | UnitPart | str", destination: "Places | UnitPart | str") -> "Cost")]
    fn busiest_cost(
        &self,
        source: &Bound<'_, PyAny>,
        destination: &Bound<'_, PyAny>,
    ) -> Answer<PyCost> {
        Ok(self.priced((source, destination), Pricer::busiest_cost)?.into())
    }

    /// The number of elements that must enter and leave the units of each level; None where copies
    /// leave the sender open.
    #[pyo3(signature = (source: "Places | UnitPart | str", destination: "Places | UnitPart | str") -> "dict[str, dict[str, int | None]]")]
    fn traffic(
        &self,
        source: &Bound<'_, PyAny>,
        destination: &Bound<'_, PyAny>,
    ) -> Answer<Dict<Dict<Option<u64>>>> {
        let levels = self.priced((source, destination), Pricer::traffic)?;
        let counts =
            |of: &LevelTraffic| Dict::new([("into", Some(of.into)), ("out_of", of.out_of)]);
        Ok(Dict::new(levels.iter().map(|of| (of.level, counts(of)))))
    }

    /// The numbers of distinct parts, of answers that are cached, and of answers that were computed.
    fn statistics(&self) -> Dict<u64> {
        let of = self.pricer.statistics();
        Dict::new([("parts", of.parts), ("kept", of.kept), ("counted", of.counted)])
    }

    /// A pricer with the same rates, which keeps no answers yet.
    #[pyo3(signature = () -> "tuple[object, tuple[object, ...]]")]
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Made<'py>> {
        let (py, of) = (slf.py(), slf.get());
        let arguments = (of.machine.bind(py), of.dtype.bind(py));
        again(slf.get_type().as_any(), arguments, of.options.bind(py))
    }

    fn __repr__(&self) -> String {
        format!("<Pricer on {}>", self.machine.get().machine.name())
    }
}
