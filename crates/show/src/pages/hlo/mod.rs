//! Reports of compiler dumps: pages of text, and one for browsers.

mod allocations;
mod changes;
mod collectives;
mod copies;
mod log;
mod memory;
mod mlir;
mod reading;
mod report;
mod rows;
mod scan;
mod shapes;
mod shardings;
mod summary;

pub use allocations::allocations;
pub use changes::changes;
pub use collectives::collectives;
pub use copies::copies;
pub use log::out_of_memory;
pub use memory::memory;
pub use mlir::mlir;
pub use reading::reading;
pub use report::{HloFindings, report};
pub use scan::{scan, write_scan, write_scan_csv};
pub use shapes::{shapes, write_shapes_csv};
pub use shardings::shardings;
pub use summary::summary;
