//! Machines.

use pyo3::prelude::*;
use tensor_layout::Machine;
use tensor_layout::machine::Memory;

use crate::refusal::{Answer, refused};
use crate::values::Dict;

/// A tree of levels with sizes and memories.
///
/// `Machine("mn-core")` and `Machine("mn-core-2")` are built in; any other tree is written as
/// levels from the outermost to the innermost, and `Machine.from_toml` reads full descriptions.
///
/// >>> from tensor_layout import Machine
/// >>> machine = Machine("L2B=2,PE=4")
/// >>> machine.levels
/// {'L2B': 2, 'PE': 4}
/// >>> machine.units
/// 8
/// >>> Machine("mn-core-2").memories["LM0"].capacity
/// 2048
#[pyclass(name = "Machine", weakref, frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyMachine {
    pub(crate) machine: Machine,
    /// The text that the machine was made from, which recreates it.
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    Text(String),
    Toml(String),
}

impl PyMachine {
    /// A tree that consists only of its levels, for example for a mesh.
    pub(crate) fn of_levels(machine: Machine) -> PyMachine {
        let levels = machine.levels().map(|(level, size)| format!("{level}={size}"));
        let text = levels.collect::<Vec<_>>().join(",");
        PyMachine { machine, source: Source::Text(text) }
    }

    /// The text of the machine, if the command and the page can read it.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.source {
            Source::Text(text) => Some(text),
            Source::Toml(_) => None,
        }
    }
}

/// One kind of memory of a machine.
#[pyclass(name = "Memory", frozen, get_all, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyMemory {
    /// The level whose units own memories of this kind.
    owner: String,
    /// The number of neighbouring units that share one memory of this kind.
    group: u64,
    /// The capacity in long words; None if it is not public.
    capacity: Option<u64>,
}

impl From<Memory> for PyMemory {
    fn from(memory: Memory) -> PyMemory {
        let Memory { capacity, owner, group } = memory;
        PyMemory { owner: owner.as_str().to_owned(), group, capacity }
    }
}

#[pymethods]
impl PyMemory {
    fn __repr__(&self) -> String {
        let PyMemory { owner, group, capacity } = self;
        let capacity = capacity.map_or("None".into(), |capacity| capacity.to_string());
        format!("Memory(owner='{owner}', group={group}, capacity={capacity})")
    }
}

#[pymethods]
impl PyMachine {
    #[new]
    fn new(text: &str) -> Answer<PyMachine> {
        if !text.contains('=') && Machine::preset(text).is_none() {
            let remedy = Machine::meant_by(text).map_or_else(
                || "a machine is mn-core, mn-core-2 or levels such as L2B=4,PE=4".into(),
                |name| format!("did you mean `{name}`?"),
            );
            return refused(format!("`{text}` is not a known machine: {remedy}"));
        }
        Ok(PyMachine { machine: text.parse()?, source: Source::Text(text.into()) })
    }

    /// Reads a machine from the text of a TOML file.
    ///
    /// >>> from tensor_layout import Machine
    /// >>> Machine.from_toml('name = "small"\n[levels]\nPE = 4\n').levels
    /// {'PE': 4}
    #[staticmethod]
    fn from_toml(text: &str) -> Answer<PyMachine> {
        Ok(PyMachine { machine: Machine::from_toml(text)?, source: Source::Toml(text.into()) })
    }

    /// The name.
    #[getter]
    fn name(&self) -> &str {
        self.machine.name()
    }

    /// The sizes of the levels, from the root to the leaves.
    #[getter]
    fn levels(&self) -> Dict<u64> {
        Dict::new(self.machine.levels())
    }

    /// The memories by name.
    #[getter]
    fn memories(&self) -> Dict<PyMemory> {
        Dict::new(self.machine.memories().map(|(name, memory)| (name, PyMemory::from(memory))))
    }

    /// The number of leaves of the tree.
    #[getter]
    fn units(&self) -> u64 {
        self.machine.units()
    }

    /// The width of a long word in bits.
    #[getter]
    fn word_bits(&self) -> u64 {
        self.machine.word_bits()
    }

    fn __eq__(&self, other: &PyMachine) -> bool {
        self.machine == other.machine
    }

    fn __hash__(&self) -> u64 {
        crate::values::hash_of(&self.machine)
    }

    fn __repr__(&self) -> String {
        match &self.source {
            Source::Text(text) => format!("Machine('{text}')"),
            Source::Toml(_) => format!("<Machine {}>", self.machine.name()),
        }
    }

    #[pyo3(signature = () -> "tuple[object, tuple[str]]")]
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let class = slf.get_type();
        Ok(match &slf.get().source {
            Source::Text(text) => (class.into_any(), (text.clone(),)),
            Source::Toml(text) => (class.getattr("from_toml")?, (text.clone(),)),
        })
    }
}

/// A machine, or one from its text.
pub(crate) fn machine_of<'py>(machine: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyMachine>> {
    match machine.cast::<PyMachine>() {
        Ok(machine) => Ok(machine.clone()),
        Err(_) => {
            let made = machine.py().get_type::<PyMachine>().call1((machine,))?;
            Ok(made.cast_into()?)
        }
    }
}
