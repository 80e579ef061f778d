//! Accesses of GPU threads to memory: bank conflicts, sectors, and what avoids the conflicts.

use std::slice;

use pyo3::prelude::*;
use tensor_layout::LayoutError;
use tensor_layout::{Layout, Location};
use tensor_layout_access::{self as access, Access, ChangedAccess, Gpu, Instruction, Request};

use crate::layout::{PyLayout, any, make};
use crate::location::PyLocation;
use crate::on_arguments::bits_of;
use crate::places::Places;
use crate::refusal::{Answer, refused};

/// The cost of a memory access by the threads of a GPU.
///
/// Returned by the function `access`; `str` is the report that the command prints.
#[pyclass(name = "Access", weakref, frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyAccess {
    cost: Access,
    memory: Py<Places>,
    holders: Py<Places>,
    element_bits: u64,
}

/// Counts the bank conflicts and sectors of a memory access by the threads of a GPU, each element once.
///
/// `memory` is the layout of the tensor in shared or global memory. `holders` maps each element to the
/// lane of a warp (`LANE`) and the register (`Addr`) that hold it; any other level is a warp. `dtype` is the
/// element type, unless one of the texts names it. `gpu` is `nvidia`, `gfx942`, `gfx950`, `gfx1100` or `gfx1201`; AMD
/// serves stores (`store=True`) differently from loads.
///
/// >>> from tensor_layout import access
/// >>> cost = access("(8,32):(64,1)", "((8_LANE:1), (4_LANE:8, 8:1))", dtype="f16")
/// >>> cost.wavefronts, cost.ideal_wavefronts, cost.conflicts
/// (32, 4, 28)
/// >>> cost.sectors, cost.lines, cost.efficiency
/// (16, 8, 1.0)
/// >>> best, = cost.swizzles()
/// >>> best.change, best.access.conflicts, best.memory.to("cute")
/// ('S<3,3,3>', 0, 'S<3,3,3> o 0 o (8,32):(64,1)')
#[pyfunction(name = "access")]
#[pyo3(signature = (
    memory: "Places | str",
    holders: "Places | str",
    *,
    dtype: "typing.Any" = None,
    gpu: "str" = "nvidia",
    store: "bool" = false,
) -> "Access")]
pub(crate) fn access_of(
    memory: &Bound<'_, PyAny>,
    holders: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    gpu: &str,
    store: bool,
) -> Answer<PyAccess> {
    let gpu: Gpu = gpu.parse()?;
    let instruction = if store { Instruction::store(gpu) } else { Instruction::load(gpu) };
    let (memory, holders) = (any(memory)?, any(holders)?);
    let element_bits = element_bits(memory.get(), holders.get(), dtype)?;
    let layouts = (&memory.get().layout, &holders.get().layout);
    let count = || access::access(layouts.0, layouts.1, element_bits, instruction);
    let cost = memory.py().detach(count)?;
    let (memory, holders) = (memory.unbind(), holders.unbind());
    Ok(PyAccess { cost, memory, holders, element_bits })
}

/// The width of the elements, on which all places that name it agree.
fn element_bits(
    memory: &Places,
    holders: &Places,
    dtype: Option<&Bound<'_, PyAny>>,
) -> Answer<u64> {
    let asked = dtype.map(bits_of).transpose()?;
    let texts = [memory.element_bits(), holders.element_bits()];
    let mut widths = asked.into_iter().chain(texts.into_iter().flatten());
    let Some(bits) = widths.next() else {
        return refused(
            "the width of the elements is not known; name their type, as in dtype=\"f16\"",
        );
    };
    match widths.find(|other| *other != bits) {
        None => Ok(bits),
        Some(other) => {
            refused(format!("elements of {bits} bits contradict the {other} bits of a layout"))
        }
    }
}

type Search =
    fn(&Layout, &[(&Layout, Instruction)], u64) -> Result<Vec<ChangedAccess>, LayoutError>;

impl PyAccess {
    fn search(
        &self,
        py: Python<'_>,
        changes: Search,
        stored_by: Option<&Layout>,
    ) -> Answer<Vec<ChangedAccess>> {
        let (memory, holders) = (&self.memory.get().layout, &self.holders.get().layout);
        let Instruction { gpu, .. } = self.cost.instruction;
        let stores = stored_by.map(|holders| (holders, Instruction::store(gpu)));
        let accesses: Vec<(&Layout, Instruction)> =
            [(holders, self.cost.instruction)].into_iter().chain(stores).collect();
        Ok(py.detach(|| changes(memory, &accesses, self.element_bits))?)
    }

    /// The changes that a search found.
    fn changed(
        &self,
        py: Python<'_>,
        changes: Search,
        stored_by: Option<&Bound<'_, PyAny>>,
    ) -> Answer<Vec<PyChangedAccess>> {
        let stored_by = stored_by.map(any).transpose()?;
        let layout = stored_by.as_ref().map(|stored_by| &stored_by.get().layout);
        let found = self.search(py, changes, layout)?.into_iter();
        found
            .filter_map(|found| self.changed_access(py, found, stored_by.as_ref()).transpose())
            .collect()
    }

    /// `None` for the layout as it is.
    fn changed_access(
        &self,
        py: Python<'_>,
        found: ChangedAccess,
        stored_by: Option<&Bound<'_, Places>>,
    ) -> Answer<Option<PyChangedAccess>> {
        let Some(change) = found.change else { return Ok(None) };
        let memory = make(py, self.memory.get().edited(found.memory))?;
        let own = self.holders.bind(py);
        let accesses = found.accesses.into_iter().zip([own].into_iter().chain(stored_by));
        let mut accesses = accesses.map(|(cost, holders)| {
            let memory = memory.clone_ref(py).into_bound(py).into_super().unbind();
            let (holders, element_bits) = (holders.clone().unbind(), self.element_bits);
            Py::new(py, PyAccess { cost, memory, holders, element_bits })
        });
        let (Some(access), stores) = (accesses.next().transpose()?, accesses.next().transpose()?)
        else {
            return Ok(None);
        };
        drop(accesses);
        let change = change.to_string();
        Ok(Some(PyChangedAccess { change, memory, extent: found.extent, access, stores }))
    }
}

#[pymethods]
impl PyAccess {
    /// How often the holders stand beside each other in memory, along each axis.
    #[getter]
    fn repeats(&self) -> Vec<u64> {
        self.cost.repeats.clone()
    }

    /// The number of bytes that a lane accesses per request.
    #[getter]
    fn vector_bytes(&self) -> u64 {
        self.cost.vector_bytes
    }

    /// The number of requests: vector accesses by all lanes of a warp.
    #[getter]
    fn requests(&self) -> u64 {
        self.cost.requests
    }

    /// The total number of bytes that the lanes access.
    #[getter]
    fn bytes(&self) -> u64 {
        self.cost.bytes
    }

    /// The number of passes over the banks of shared memory.
    #[getter]
    fn wavefronts(&self) -> u64 {
        self.cost.wavefronts
    }

    /// The number of wavefronts without conflicts: one for every group of lanes that takes part.
    #[getter]
    fn ideal_wavefronts(&self) -> u64 {
        self.cost.ideal_wavefronts
    }

    /// The number of wavefronts above the ideal.
    #[getter]
    fn conflicts(&self) -> u64 {
        self.cost.conflicts()
    }

    /// The GPU: `nvidia`, or a target of AMD.
    #[getter]
    fn gpu(&self) -> &'static str {
        self.cost.instruction.gpu.name()
    }

    /// Whether the lanes store.
    #[getter]
    fn store(&self) -> bool {
        self.cost.instruction.is_store
    }

    /// The number of 32-byte sectors that global memory moves, counted per request.
    #[getter]
    fn sectors(&self) -> u64 {
        self.cost.sectors
    }

    /// The number of 128-byte lines touched, counted per request.
    #[getter]
    fn lines(&self) -> u64 {
        self.cost.lines
    }

    /// The number of distinct bytes used, counted per request.
    #[getter]
    fn distinct_bytes(&self) -> u64 {
        self.cost.distinct_bytes
    }

    /// The fraction of the bytes moved from global memory that is used, from 0 to 1: sectors on NVIDIA, lines on AMD.
    #[getter]
    fn efficiency(&self) -> f64 {
        self.cost.efficiency()
    }

    /// The first request with the most wavefronts; None if nothing is accessed.
    #[getter]
    fn worst(&self) -> Option<PyAccessRequest> {
        self.cost.worst.clone().map(PyAccessRequest)
    }

    /// The swizzles of the memory that need the fewest wavefronts, best first; empty if none improves it.
    ///
    /// With `stored_by`, the holders that store what these load: those that are best for both.
    ///
    /// >>> from tensor_layout import access
    /// >>> loads = access("(64,64):(64,1)", "SM75_U32x4_LDSM_N:S", dtype="f16")
    /// >>> best = loads.swizzles(stored_by="((4:16, 4_WARP:4, 4_LANE:8), (8_LANE:1, 8:1))")[0]
    /// >>> best.change, best.access.conflicts, best.stores.conflicts
    /// ('S<3,3,3>', 0, 0)
    #[pyo3(signature = (*, stored_by: "Places | str | None" = None) -> "list[ChangedAccess]")]
    fn swizzles(
        &self,
        py: Python<'_>,
        stored_by: Option<&Bound<'_, PyAny>>,
    ) -> Answer<Vec<PyChangedAccess>> {
        self.changed(py, access::swizzles, stored_by)
    }

    /// The paddings of the memory that need the fewest wavefronts, smallest memory first; empty if none
    /// improves it.
    ///
    /// >>> from tensor_layout import access
    /// >>> best = access("32:32", "((32_LANE))", dtype="f32").paddings()[0]
    /// >>> best.change, best.memory.to("cute"), best.access.wavefronts
    /// ('[32:+1]', '32:33', 1)
    #[pyo3(signature = (*, stored_by: "Places | str | None" = None) -> "list[ChangedAccess]")]
    fn paddings(
        &self,
        py: Python<'_>,
        stored_by: Option<&Bound<'_, PyAny>>,
    ) -> Answer<Vec<PyChangedAccess>> {
        self.changed(py, access::paddings, stored_by)
    }

    fn __str__(&self, py: Python<'_>) -> Answer<String> {
        let better = match self.cost.conflicts() {
            0 => [Vec::new(), Vec::new()],
            _ => {
                [self.search(py, access::swizzles, None)?, self.search(py, access::paddings, None)?]
            }
        };
        Ok(tensor_layout_show::pages::access(slice::from_ref(&self.cost), &better))
    }

    fn __repr__(&self) -> String {
        let Access { wavefronts, ideal_wavefronts, sectors, .. } = self.cost;
        format!("<Access: {wavefronts} wavefronts, {ideal_wavefronts} ideal, {sectors} sectors>")
    }

    fn _repr_html_(&self, py: Python<'_>) -> Answer<String> {
        Ok(crate::html::page(&self.__str__(py)?))
    }
}

/// A vector access by all lanes of a warp.
#[pyclass(name = "AccessRequest", frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyAccessRequest(Request);

#[pymethods]
impl PyAccessRequest {
    /// The warp: its coordinates in the levels of the holders other than `LANE` and `Addr`.
    #[getter]
    fn warp(&self) -> PyLocation {
        PyLocation(self.0.warp.clone())
    }

    /// The position of the vector among the registers.
    #[getter]
    fn vector(&self) -> u64 {
        self.0.vector
    }

    /// The byte address of each lane that takes part.
    #[getter]
    fn addresses(&self) -> Vec<u64> {
        self.0.addresses.clone()
    }

    /// The number of wavefronts that the request needs.
    #[getter]
    fn wavefronts(&self) -> u64 {
        self.0.wavefronts
    }

    fn __repr__(&self) -> String {
        let Request { warp, vector, wavefronts, .. } = &self.0;
        let warp = if *warp == Location::default() { String::new() } else { format!("{warp}, ") };
        format!("<AccessRequest: {warp}vector {vector}, {wavefronts} wavefronts>")
    }
}

/// A swizzled or padded memory, and the cost of accessing it.
#[pyclass(name = "ChangedAccess", frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyChangedAccess {
    change: String,
    memory: Py<PyLayout>,
    extent: u64,
    access: Py<PyAccess>,
    stores: Option<Py<PyAccess>>,
}

#[pymethods]
impl PyChangedAccess {
    /// The change, in elements: `S<3,3,3>` in CuTe's notation, or `[64:+8]` in Triton's.
    #[getter]
    fn change(&self) -> &str {
        &self.change
    }

    /// The layout of the memory after the change.
    #[getter]
    fn memory(&self, py: Python<'_>) -> Py<PyLayout> {
        self.memory.clone_ref(py)
    }

    /// The number of elements of memory from address 0 to the last element.
    #[getter]
    fn extent(&self) -> u64 {
        self.extent
    }

    /// The cost of accessing that memory.
    #[getter]
    fn access(&self, py: Python<'_>) -> Py<PyAccess> {
        self.access.clone_ref(py)
    }

    /// The cost of the stores to that memory, where the search was given `stored_by`.
    #[getter]
    fn stores(&self, py: Python<'_>) -> Option<Py<PyAccess>> {
        self.stores.as_ref().map(|stores| stores.clone_ref(py))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let cost = &self.access.bind(py).get().cost;
        format!("<ChangedAccess: {}, {} wavefronts>", self.change, cost.wavefronts)
    }
}
