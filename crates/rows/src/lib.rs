//! Address tables in files: CSV, JSON lines, Arrow, Parquet.
//!
//! ```
//! use tensor_layout::Placement;
//! use tensor_layout_rows::{Format, write};
//!
//! let placement = Placement::of("((4_PE, 3:8), (2:1))".parse()?).build()?;
//! let mut file = Vec::new();
//! write(&placement.table().at(&"PE=2".parse()?)?, Format::Csv, &mut file, &mut |_| {})?;
//! assert!(String::from_utf8(file)?.starts_with("PE,Addr,i0,i1\n2,0,6,0\n2,1,6,1\n2,8,7,0\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | feature | what it adds |
//! |---|---|
//! | `arrow` | `schema`, `record_batches` and `write_arrow` |
//! | `parquet` | `write_parquet` |

#![forbid(unsafe_code)]
// `println!` and `eprintln!` panic where the output is closed or the disk is full.
#![warn(clippy::print_stderr, clippy::print_stdout)]

#[cfg(feature = "arrow")]
mod arrow;
mod names;
mod text;

#[cfg(feature = "parquet")]
pub use arrow::write_parquet;
#[cfg(feature = "arrow")]
pub use arrow::{ColumnWidth, record_batches, schema, write_arrow};
pub use names::check_names;
pub use text::{Format, write, write_devices};
