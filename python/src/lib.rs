//! The Python package of tensor-layout: its classes, over the crate.
//!
//! A class per file, thin: it reads Python's arguments, asks the library, and hands out NumPy's
//! arrays or plain values. Everything that depends on the rules of NumPy or another library is in
//! `tensor_layout/*.py`; neither side contains any algebra.

#![forbid(unsafe_code)]

mod access;
mod bulk;
mod candidates;
#[cfg(feature = "command")]
mod command;
mod cost;
mod draw;
mod edit;
mod einsum;
#[cfg(feature = "command")]
mod explore;
mod film;
mod frame;
mod hlo;
mod html;
mod layout;
mod location;
mod long;
mod machine;
mod memory;
mod modes;
mod number;
mod on_arguments;
mod pack;
mod parts;
mod picture;
mod placement;
mod places;
mod plan;
mod pricer;
mod python;
mod records;
mod refusal;
mod relayout;
mod report;
mod route;
mod same;
mod sharding;
mod spec;
mod table;
mod transfers;
mod values;
mod xla;

/// The classes of the package; import `tensor_layout` instead.
#[pyo3::pymodule]
mod _native {
    /// The version of the package.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name that Python has for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use super::access::{PyAccess, PyAccessRequest, PyChangedAccess, access_of};
    #[pymodule_export]
    use super::candidates::{PyCandidate, PyCandidates, PyLayouts};
    #[cfg(feature = "command")]
    #[pymodule_export]
    use super::command::command;
    #[pymodule_export]
    use super::cost::PyCost;
    #[pymodule_export]
    use super::einsum::{PyLocal, einsum};
    #[pymodule_export]
    use super::film::PyFilm;
    #[pymodule_export]
    use super::hlo::read_hlo;
    #[pymodule_export]
    use super::layout::PyLayout;
    #[pymodule_export]
    use super::location::PyLocation;
    #[pymodule_export]
    use super::machine::{PyMachine, PyMemory};
    #[pymodule_export]
    use super::picture::PyPicture;
    #[pymodule_export]
    use super::placement::PyPlacement;
    #[pymodule_export]
    use super::places::Places;
    #[pymodule_export]
    use super::plan::{execute_plan, plan, shard};
    #[pymodule_export]
    use super::pricer::{PyPart, PyPricer};
    #[pymodule_export]
    use super::records::{PyRecord, PyRecords};
    #[pymodule_export]
    use super::relayout::{PyRelayout, relayout};
    #[pymodule_export]
    use super::report::PyReport;
    #[pymodule_export]
    use super::route::{PyHop, PyRoute, route};
    #[pymodule_export]
    use super::same::PySame;
    #[pymodule_export]
    use super::sharding::PySharding;
    #[pymodule_export]
    use super::spec::check_spec;
    #[pymodule_export]
    use super::table::PyTable;
    #[pymodule_export]
    use super::transfers::{PyTransfer, PyTransfers};
    #[pymodule_export]
    use super::xla::{PyAdvice, PySizes, PyXlaShape};
}
