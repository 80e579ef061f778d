//! Sharded tensors whose device numbers are not sums of digits: their tables, comparison and traffic, device by device.
//!
//! A layout answers these questions through `rows`, `algebra` and `relayout`; where devices are listed one by one,
//! the parts that both sides hold without a change of devices are answered by those, and added up here.

mod same;
mod table;
mod traffic;

pub use table::DeviceTable;
