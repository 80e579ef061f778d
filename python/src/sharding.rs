//! Shardings: which device of a mesh holds which part of a tensor.

use std::ops::Range;

use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};
use tensor_layout::sharding::{Mesh, ShardedShape, Sharding, ShardingText};
use tensor_layout::xla::{XlaArray, XlaDim, XlaDtype};

use crate::layout::{PyLayout, any, make};
use crate::machine::machine_of;
use crate::number;
use crate::on_arguments::OnArguments;
use crate::places::Places;
use crate::python::arrays;
use crate::refusal::{Answer, Refusal, refused};

/// A sharding in any notation: HLO, Shardy, a JAX PartitionSpec, PyTorch placements.
///
/// Shardings that name mesh axes need a mesh: `mesh="x=2,y=4"`, a dict, or a mesh of JAX or PyTorch.
/// The sharding may be a JAX object: a `PartitionSpec`, or a `NamedSharding`, which has its own mesh.
///
/// >>> from tensor_layout import Sharding
/// >>> sharding = Sharding("P('x', None)", mesh="x=2,y=4")
/// >>> sharding.shard((10, 7), device=4)
/// (slice(5, 10, None), slice(0, 7, None))
/// >>> sharding.to("hlo", rank=2)
/// '{devices=[2,1,4]<=[8] last_tile_dim_replicate}'
#[pyclass(name = "Sharding", weakref, frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PySharding {
    text: ShardingText,
    mesh: Option<Mesh>,
}

/// A limit on axes, more than any tensor has.
const MOST_AXES: usize = 1 << 10;

/// The texts of a sharding and of its mesh.
type Parts = (String, Option<String>);

impl PySharding {
    /// The sharding of a tensor of this shape.
    fn of(&self, shape: &[u64]) -> Answer<Sharding> {
        let Some(dtype) = XlaDtype::from_name("f32") else { return refused("f32") };
        let dims = shape.iter().map(|extent| XlaDim::Static(*extent)).collect();
        let array = XlaArray::new(dtype, dims, None);
        let (text, mesh) = (self.text.clone(), self.mesh.clone());
        Ok(ShardedShape { array, text, mesh, per_device: false }.sharding()?)
    }

    fn parts(&self) -> Parts {
        (self.text.to_string(), self.mesh.as_ref().map(ToString::to_string))
    }
}

fn slices<'py>(py: Python<'py>, ranges: Vec<Range<u64>>) -> PyResult<Bound<'py, PyTuple>> {
    let slice = py.get_type::<PySlice>();
    let slices = ranges.into_iter().map(|range| slice.call1((range.start, range.end)));
    PyTuple::new(py, slices.collect::<PyResult<Vec<_>>>()?)
}

#[pymethods]
impl PySharding {
    #[new]
    #[pyo3(signature = (
        sharding: "typing.Any",
        *,
        mesh: "str | collections.abc.Mapping[str, int] | typing.Any | None" = None,
    ))]
    fn new(sharding: &Bound<'_, PyAny>, mesh: Option<&Bound<'_, PyAny>>) -> Answer<PySharding> {
        let read = arrays(sharding.py(), "sharding_text")?.call1((sharding, mesh))?;
        let (text, mesh): (String, Option<String>) = read.extract()?;
        let mesh = mesh.map(|mesh| mesh.parse()).transpose()?;
        let sharding = PySharding { text: text.parse()?, mesh };
        // Names that the mesh lacks are rejected here, not when a shard is requested.
        if let (Some(_), Some(rank)) = (&sharding.mesh, rank(&sharding.text)) {
            sharding.of(&vec![1 << 20; rank])?;
        }
        Ok(sharding)
    }

    /// The extents of a shard, the same for all devices.
    #[pyo3(signature = (shape: "collections.abc.Sequence[int]") -> "tuple[int, ...]")]
    fn shard_shape<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = number::read)] shape: Vec<u64>,
    ) -> Answer<Bound<'py, PyTuple>> {
        Ok(PyTuple::new(py, self.of(&shape)?.shard_extents(&shape)?)?)
    }

    /// The part of a tensor that a device holds, as slices. Parts at the end may be short or empty.
    #[pyo3(signature = (shape: "collections.abc.Sequence[int]", device: "int") -> "tuple[slice, ...]")]
    fn shard<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = number::read)] shape: Vec<u64>,
        #[pyo3(from_py_with = number::read)] device: u64,
    ) -> Answer<Bound<'py, PyTuple>> {
        let sharding = self.of(&shape)?;
        match sharding.shard(&shape, device)? {
            Some(ranges) => Ok(slices(py, ranges)?),
            None => Err(Refusal::OutOfRange(match sharding.devices() {
                Some(devices) => format!(
                    "device {device} is not one of the {devices} devices, 0 to {}",
                    devices - 1
                ),
                None => format!("device {device} does not hold a part of the tensor"),
            })),
        }
    }

    /// The number of devices for a tensor of this shape; None if the sharding does not specify it.
    #[pyo3(signature = (shape: "collections.abc.Sequence[int]") -> "int | None")]
    fn devices(&self, #[pyo3(from_py_with = number::read)] shape: Vec<u64>) -> Answer<Option<u64>> {
        Ok(self.of(&shape)?.devices())
    }

    /// The devices that hold an element, and its index in their shards.
    ///
    /// >>> from tensor_layout import Sharding
    /// >>> Sharding("{devices=[2,4]<=[8]}").locate((10, 7), (6, 3))
    /// ([5], (1, 1))
    #[pyo3(signature = (
        shape: "collections.abc.Sequence[int]", index: "collections.abc.Sequence[int]"
    ) -> "tuple[list[int], tuple[int, ...]]")]
    fn locate<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = number::read)] shape: Vec<u64>,
        #[pyo3(from_py_with = number::read)] index: Vec<u64>,
    ) -> Answer<(Vec<u64>, Bound<'py, PyTuple>)> {
        let (devices, local) = self.of(&shape)?.locate(&shape, &index)?;
        Ok((devices, PyTuple::new(py, local)?))
    }

    /// The layout that maps an index of the whole tensor to device and address. `shard` is the layout
    /// of the shards, row-major by default; `machine` numbers the devices through its tree.
    ///
    /// >>> from tensor_layout import Sharding
    /// >>> layout = Sharding("P('x', None)", mesh="x=2,y=4").layout((10, 7))
    /// >>> layout.locate(6, 3)
    /// Location(x=1, y=0, Addr=10)
    #[pyo3(signature = (
        shape: "collections.abc.Sequence[int]",
        shard: "Layout | str | None" = None,
        *,
        machine: "Machine | str | None" = None,
    ) -> "Layout")]
    fn layout(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = number::read)] shape: Vec<u64>,
        shard: Option<&Bound<'_, PyAny>>,
        machine: Option<&Bound<'_, PyAny>>,
    ) -> Answer<Py<PyLayout>> {
        let sharding = self.of(&shape)?;
        let shard = match shard {
            Some(shard) => any(shard)?.get().layout.clone(),
            None => row_major(sharding.shard_extents(&shape)?)?,
        };
        let machine = machine.map(machine_of).transpose()?;
        let machine = machine.as_ref().map(|machine| &machine.get().machine);
        let layout = sharding.layout(&shape, &shard, machine)?;
        Ok(make(py, Places::new(layout, None, OnArguments::default()))?)
    }

    /// The sharding in another notation: `hlo`, `sdy` or `jax`, of a tensor of this rank.
    #[pyo3(signature = (notation: "typing.Literal['hlo', 'sdy', 'jax']", *, rank: "int") -> "str")]
    fn to(
        &self,
        notation: &str,
        #[pyo3(from_py_with = number::read)] rank: usize,
    ) -> Answer<String> {
        if rank > MOST_AXES {
            return refused(format!("`rank` is a number of axes, at most {MOST_AXES}, not {rank}"));
        }
        // Only the number of axes counts.
        let sharding = self.of(&vec![1 << 20; rank])?;
        let mesh = || match &self.mesh {
            Some(mesh) => Ok(mesh),
            None => refused("give `mesh`: it names the axes that this notation uses"),
        };
        match notation {
            "hlo" => Ok(sharding.to_hlo().to_string()),
            "sdy" => Ok(sharding.to_sdy(mesh()?, rank)?.to_string()),
            "jax" => Ok(sharding.to_partition_spec(mesh()?, rank)?.to_string()),
            _ => refused(format!("`{notation}` is not a notation of shardings: hlo, sdy, jax")),
        }
    }

    /// The texts of the sharding and of its mesh.
    #[getter]
    fn _texts(&self) -> Parts {
        self.parts()
    }

    fn __eq__(&self, other: &PySharding) -> bool {
        self.parts() == other.parts()
    }

    fn __hash__(&self) -> u64 {
        crate::values::hash_of(&self.parts())
    }

    fn __str__(&self) -> String {
        self.text.to_string()
    }

    fn __repr__(&self) -> String {
        let text = crate::values::quoted(&self.text.to_string());
        match &self.mesh {
            Some(mesh) => {
                let mesh = crate::values::quoted(&mesh.to_string());
                format!("Sharding({text}, mesh={mesh})")
            }
            None => format!("Sharding({text})"),
        }
    }

    #[pyo3(signature = () -> "tuple[object, tuple[object, ...]]")]
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Parts)> {
        Ok((slf.py().import("tensor_layout._arrays")?.getattr("sharding")?, slf.get().parts()))
    }
}

/// The number of dimensions that a text mentions.
fn rank(text: &ShardingText) -> Option<usize> {
    match text {
        ShardingText::Jax(spec) => Some(spec.dims.dims.len()),
        ShardingText::Sdy(sharding) => Some(sharding.dims.dims.len()),
        // HLO and PyTorch shardings do not name axes.
        _ => None,
    }
}

/// Shape and strides of an array in C order.
fn row_major(extents: Vec<u64>) -> Answer<tensor_layout::Layout> {
    let mut strides = vec![1; extents.len()];
    for axis in (1..extents.len()).rev() {
        let (Some(inner), Some(extent)) = (strides.get(axis), extents.get(axis)) else { break };
        let Some(stride) = u64::checked_mul(*inner, (*extent).max(1)) else {
            return refused("the shard has more elements than 64 bits count");
        };
        if let Some(outer) = strides.get_mut(axis - 1) {
            *outer = stride;
        }
    }
    Ok(tensor_layout::notation::Strided::new(extents, strides).lower()?)
}
