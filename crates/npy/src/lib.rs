//! NumPy's files: headers, tables of a program, and images as a file per unit.
//!
//! Source: NumPy, "A simple file format for NumPy arrays", `numpy.lib.format`.

#![forbid(unsafe_code)]
// `println!` and `eprintln!` panic where the output is closed or the disk is full.
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod header;
mod table;
mod units;

pub use header::NpyHeader;
pub use table::NpyTable;
pub use units::{UnitReader, UnitWriter};
