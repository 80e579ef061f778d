//! Plans of whole models: a layout for every value, and an execution that checks the plan.

use std::collections::HashMap;
use std::fs::File;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use tensor_layout::{LayoutError, Machine};
use tensor_layout_plan::execute::{AsPlanned, Execution, execute};
use tensor_layout_plan::graph::{Data, Graph, Value};
use tensor_layout_plan::mesh::{Backend, Mesh, MeshOptions, plan_mesh};
use tensor_layout_plan::onnx::{ReadOptions, read_file, read_model};
use tensor_layout_plan::pins::{Pins, read_pins};
use tensor_layout_plan::plan::{PlanOptions, plan as planned};
use tensor_layout_plan::program::Program;
use tensor_layout_plan::search::Limits;
use tensor_layout_plan::stablehlo::read_stablehlo;

use crate::long::{Ahead, check_signals};
use crate::machine::machine_of;
use crate::number;
use crate::python::arrays;
use crate::refusal::{Answer, Refusal, of_file, refused};

/// Plans a layout for every value of a model, with the least cycles of everything together.
///
/// The model is an ONNX file, its bytes, or an object that has them: an `onnx.ModelProto`, or what `torch.onnx.export`
/// returns.
///
/// The dictionary has the keys of the command `plan --json`: `totals`, the cycles of the plan and of others; `values`,
/// each with its layout, its own cycles and the switches of its operands; `uncovered`, the operators that no rule
/// covers. `dims` has the numbers of symbolic extents.
///
/// `pins` are layouts that the plan has to have: files as `plan --pins` reads them, or their entries as dictionaries with the
/// same keys, a name and a list of layouts for example.
///
/// `keep` is the most choices that an operation keeps, `sram_budget` the percentage of a PE's memory that values may
/// take. `routes` looks for the movements of every switch; one without
/// movements costs `penalty` more. The same arguments give the same plan, unless `seconds` ends its search: reading the
/// model and the first solution come before. An interrupt returns at once, while a thread ends what it began.
#[pyfunction]
#[pyo3(signature = (
    model: "str | os.PathLike[str] | bytes | typing.Any",
    machine: "Machine | str | None" = None,
    *,
    dims: "dict[str, int] | None" = None,
    pins: "typing.Any" = None,
    keep: "int" = 64,
    penalty: "int" = 1000,
    sram_budget: "int" = 100,
    routes: "bool" = true,
    seed: "int" = 0,
    seconds: "float | None" = None,
) -> "dict[str, typing.Any]")]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn plan<'py>(
    py: Python<'py>,
    model: &Bound<'py, PyAny>,
    machine: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = number::read)] dims: Option<HashMap<String, u64>>,
    pins: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = number::read)] keep: usize,
    #[pyo3(from_py_with = number::read)] penalty: u64,
    #[pyo3(from_py_with = number::read)] sram_budget: u64,
    routes: bool,
    #[pyo3(from_py_with = number::read)] seed: u64,
    seconds: Option<f64>,
) -> Answer<Bound<'py, PyAny>> {
    let until = seconds.map(end_after).transpose()?.flatten();
    let machine = machine.map(machine_of).transpose()?;
    let machine = machine.map_or_else(Machine::mn_core_2, |machine| machine.get().machine.clone());
    let limits = Limits { seed, until, ..Limits::default() };
    let options = options((keep, penalty, sram_budget), routes, pinned(pins)?, limits)?;
    let model = Model::of(model, dims, false)?;
    let text = awaited(py, move || {
        let graph = model.read()?;
        let plan = planned(&graph, &machine, &options).map_err(|error| error.to_string())?;
        serde_json::to_string(&plan.report()).map_err(|error| error.to_string())
    })?;
    Ok(py.import("json")?.call_method1("loads", (text,))?)
}

/// Plans a model on a small machine and executes the plan: every unit computes from its own memory alone.
///
/// `inputs` are arrays or lists in the order of the model, each in the shape of its input or flat. The dictionary has the
/// `outputs` as NumPy arrays, and the numbers of elements that were `transferred`, `fetched` as halos and `added` as
/// partial sums, and of `iterations`. An element that is not where the plan says is an error, as is an integer that its
/// type or a double does not hold; an index outside an axis looks up 0. The other arguments are those of `plan`, with which
/// the plan is the one that `plan(model, machine, routes=False)` reports.
/// Cost: each element and each iteration is a step.
#[pyfunction]
#[pyo3(signature = (
    model: "str | os.PathLike[str] | bytes | typing.Any",
    inputs: "collections.abc.Sequence[numpy.typing.ArrayLike]",
    machine: "Machine | str",
    *,
    dims: "dict[str, int] | None" = None,
    pins: "typing.Any" = None,
    keep: "int" = 64,
    penalty: "int" = 1000,
    sram_budget: "int" = 100,
    seed: "int" = 0,
) -> "dict[str, typing.Any]")]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn execute_plan<'py>(
    py: Python<'py>,
    model: &Bound<'py, PyAny>,
    inputs: Vec<Bound<'py, PyAny>>,
    machine: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = number::read)] dims: Option<HashMap<String, u64>>,
    pins: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = number::read)] keep: usize,
    #[pyo3(from_py_with = number::read)] penalty: u64,
    #[pyo3(from_py_with = number::read)] sram_budget: u64,
    #[pyo3(from_py_with = number::read)] seed: u64,
) -> Answer<Bound<'py, PyDict>> {
    let machine = machine_of(machine)?.get().machine.clone();
    let options = options(
        (keep, penalty, sram_budget),
        false,
        pinned(pins)?,
        Limits { seed, ..Limits::default() },
    )?;
    let model = Model::of(model, dims, true)?;
    let inputs = inputs.iter().map(Given::of).collect::<Answer<Vec<_>>>()?;
    let (execution, values) = awaited(py, move || {
        let graph = model.read()?;
        let plan = planned(&graph, &machine, &options).map_err(|error| error.to_string())?;
        let (expected, given) = (graph.inputs.len(), inputs.len());
        if expected != given {
            return Err(format!("the model has {expected} inputs, {given} were given"));
        }
        let values = graph.inputs.iter().map(|id| graph.value(*id));
        let inputs = inputs.iter().zip(values).map(|(input, value)| input.data(value));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let execution = execute(&plan, &inputs, &mut AsPlanned);
        let execution = execution.map_err(|error| error.to_string())?;
        let values = graph.outputs.iter().map(|id| graph.value(*id).clone());
        Ok((execution, values.collect::<Vec<_>>()))
    })?;
    let Execution { outputs, transferred, fetched, added, iterations } = execution;
    let outputs = outputs.iter().zip(&values).map(|(data, value)| array(py, data, value));
    let answer = PyDict::new(py);
    answer.set_item("outputs", PyList::new(py, outputs.collect::<PyResult<Vec<_>>>()?)?)?;
    answer.set_item("transferred", transferred)?;
    answer.set_item("fetched", fetched)?;
    answer.set_item("added", added)?;
    answer.set_item("iterations", iterations)?;
    Ok(answer)
}

/// Plans a sharding for every tensor of a StableHLO program or an ONNX model on a mesh: the report as JSON and as a page, and the
/// program with the shardings in it. `names` are those of the arguments. `plan` has the same for what `jax.jit(f).lower(..)`
/// returns, and for models.
#[pyfunction]
#[pyo3(signature = (
    model: "typing.Any",
    mesh: "collections.abc.Sequence[tuple[str, int]]",
    *,
    is_text: "bool",
    names: "collections.abc.Sequence[str]" = vec![],
    dims: "dict[str, int] | None" = None,
    backend: "str" = "tpu",
    rates: "str | None" = None,
    device_memory: "int | None" = None,
    keep_shardings: "bool" = false,
    against_shardings: "bool" = false,
    seed: "int" = 0,
    seconds: "float | None" = None,
) -> "tuple[str, str, str | None]")]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn shard(
    py: Python<'_>,
    model: &Bound<'_, PyAny>,
    mesh: Vec<(String, u64)>,
    is_text: bool,
    names: Vec<String>,
    #[pyo3(from_py_with = number::read)] dims: Option<HashMap<String, u64>>,
    backend: &str,
    rates: Option<&str>,
    #[pyo3(from_py_with = number::read)] device_memory: Option<u64>,
    keep_shardings: bool,
    against_shardings: bool,
    #[pyo3(from_py_with = number::read)] seed: u64,
    seconds: Option<f64>,
) -> Answer<(String, String, Option<String>)> {
    let until = seconds.map(end_after).transpose()?.flatten();
    let mesh = mesh_of(mesh, backend, rates)?;
    let limits = Limits { seed, until, ..Limits::default() };
    let options = MeshOptions { device_memory, keep_shardings, limits };
    let text: Option<String> = is_text.then(|| model.extract()).transpose()?;
    let model = (!is_text).then(|| Model::of(model, dims, false)).transpose()?;
    awaited(py, move || {
        let mut program = match (&text, &model) {
            (_, Some(model)) => Program::of_graph(&model.read()?),
            (text, _) => read_stablehlo(text.as_deref().unwrap_or_default())
                .map_err(|error| error.to_string())?,
        };
        if names.len() == program.arguments.len() {
            for (id, name) in program.arguments.iter().zip(names) {
                program.tensors[id.0].name = name;
            }
        }
        let planned = |options: &MeshOptions| {
            let unwatched = |_| ControlFlow::Continue(());
            plan_mesh(&program, &mesh, options, &unwatched).map_err(|error| error.to_string())
        };
        let plan = planned(&options)?;
        let mut report = plan.report();
        if against_shardings {
            let theirs =
                MeshOptions { device_memory: None, keep_shardings: true, ..options.clone() };
            report = report.beside(&planned(&theirs)?.report());
        }
        let json = serde_json::to_string(&report).map_err(|error| error.to_string())?;
        Ok((json, report.to_string(), plan.module()))
    })
}

fn mesh_of(axes: Vec<(String, u64)>, backend: &str, rates: Option<&str>) -> Answer<Mesh> {
    let argument = |error: LayoutError| Refusal::Argument(error.to_string());
    let mut mesh = Mesh::new(axes).map_err(argument)?;
    mesh.backend = match backend {
        "cpu" => Backend::Cpu,
        "gpu" | "tpu" => Backend::Accelerator,
        other => return refused(format!("`backend` is cpu, gpu or tpu, not {other}")),
    };
    match rates.map(|rates| mesh.set_rates(rates)) {
        Some(Err(error)) => Err(argument(error)),
        _ => Ok(mesh),
    }
}

fn options(
    (keep, penalty, sram_budget): (usize, u64, u64),
    routes: bool,
    pins: Pins,
    limits: Limits,
) -> Answer<PlanOptions> {
    if !(1..=100).contains(&sram_budget) {
        return refused("`sram_budget` is a percentage from 1 to 100");
    }
    match keep {
        0 => refused("`keep` is 1 or more: an operation needs a choice"),
        _ => Ok(PlanOptions { keep, penalty, sram_budget, routes, pins, limits }),
    }
}

/// Pins of files, and of dictionaries.
fn pinned(pins: Option<&Bound<'_, PyAny>>) -> Answer<Pins> {
    let Some(pins) = pins else { return Ok(Pins::new()) };
    let items: Vec<Bound<'_, PyAny>> =
        match pins.is_instance_of::<PyList>() || pins.is_instance_of::<PyTuple>() {
            true => pins.try_iter()?.collect::<PyResult<_>>()?,
            false => vec![pins.clone()],
        };
    let (entries, files): (Vec<_>, Vec<_>) =
        items.into_iter().partition(PyAnyMethods::is_instance_of::<PyDict>);
    let mut all = Pins::new();
    for file in files {
        let path: PathBuf = file.extract()?;
        let text = std::fs::read_to_string(&path).map_err(|error| of_file(&path, &error))?;
        all.extend(read(&text, &path.display().to_string())?);
    }
    if !entries.is_empty() {
        let text = pins.py().import("json")?.call_method1("dumps", (entries,))?;
        all.extend(read(&text.extract::<String>()?, "pins")?);
    }
    Ok(all)
}

fn read(text: &str, name: &str) -> Answer<Pins> {
    read_pins(text, name).map_err(|error| Refusal::Argument(format!("{name}: {error}")))
}

/// The time after some seconds; `None` if it never comes.
fn end_after(seconds: f64) -> Answer<Option<Instant>> {
    if seconds.is_nan() || seconds < 0.0 {
        return refused(format!("`seconds` is a time from now on, not {seconds}"));
    }
    let after = Duration::try_from_secs_f64(seconds).ok();
    Ok(after.and_then(|after| Instant::now().checked_add(after)))
}

/// A model that is to be read.
struct Model {
    source: Source,
    options: ReadOptions,
}

enum Source {
    File(PathBuf),
    Bytes(Vec<u8>),
}

impl Source {
    fn of(model: &Bound<'_, PyAny>) -> Answer<Source> {
        // What the exporter of PyTorch returns has the model as an attribute.
        let model = &model.getattr_opt("model_proto")?.unwrap_or_else(|| model.clone());
        if let Some(serialize) = model.getattr_opt("SerializeToString")? {
            return Ok(Source::Bytes(serialize.call0()?.extract()?));
        }
        if model.is_instance_of::<PyBytes>() {
            return Ok(Source::Bytes(model.extract()?));
        }
        let path: PathBuf = model.extract()?;
        // The error of Python's `open`.
        drop(File::open(&path).map_err(|error| of_file(&path, &error))?);
        Ok(Source::File(path))
    }
}

impl Model {
    fn of(
        model: &Bound<'_, PyAny>,
        dims: Option<HashMap<String, u64>>,
        data: bool,
    ) -> Answer<Model> {
        let dims = dims.unwrap_or_default().into_iter().collect();
        Ok(Model { source: Source::of(model)?, options: ReadOptions { dims, data } })
    }

    fn read(&self) -> Result<Graph, String> {
        let read = match &self.source {
            Source::File(path) => read_file(path, &self.options),
            Source::Bytes(bytes) => read_model(bytes, &self.options),
        };
        let mut graph = read.map_err(|error| match (error.fact("value"), error.fact("dim")) {
            (Some(value), Some(dim)) => {
                format!("input `{value}` has an axis of extent `{dim}`: give dims={{\"{dim}\": N}}")
            }
            _ => error.to_string(),
        })?;
        graph.inline_constants();
        Ok(graph)
    }
}

/// An input as it was given.
struct Given {
    numbers: Vec<f64>,
    shape: Vec<u64>,
}

impl Given {
    fn of(input: &Bound<'_, PyAny>) -> Answer<Given> {
        let made = arrays(input.py(), "numbers")?.call1((input,))?;
        let (numbers, shape): (PyReadonlyArray1<'_, f64>, Vec<u64>) = made.extract()?;
        Ok(Given { numbers: numbers.as_array().to_vec(), shape })
    }

    /// The elements in the type of the input.
    fn data(&self, value: &Value) -> Result<Data, String> {
        let Given { numbers, shape } = self;
        if shape.len() > 1 && *shape != value.shape {
            let (name, expected) = (&value.name, &value.shape);
            return Err(format!("input `{name}` has the shape {expected:?}, not {shape:?}"));
        }
        Ok(Data::new(numbers.iter().map(|number| value.dtype.round(*number)).collect()))
    }
}

/// An output as an array.
fn array<'py>(py: Python<'py>, data: &Data, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let numbers = PyArray1::from_slice(py, data.numbers());
    let shape = PyTuple::new(py, &value.shape)?;
    arrays(py, "typed")?.call1((numbers, shape, value.dtype.to_string()))
}

/// The answer of work that has no places to stop at: it is done in a thread, for which a signal does not wait.
fn awaited<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Answer<T> {
    let answer = py.detach(|| {
        let mut ahead = Ahead::start("plan", 1, move |send| {
            let _ = send(work());
        })?;
        Ok::<_, Refusal>(ahead.next(check_signals)?)
    })?;
    match answer {
        Some(answer) => answer.map_err(Refusal::Argument),
        None => refused("a thread of the library has no answer"),
    }
}
