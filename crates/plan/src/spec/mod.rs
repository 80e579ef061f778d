//! Layouts that people pin, checked.
//!
//! ```text
//! layout_spec         trigger, op_type, shape, layout     one tensor of an operator
//! gemm_layout_spec    key, A, BT, C                       the operands and the result of a product
//! ```
//!
//! `entry` reads the files, `tensor` compares one layout with its shape and the machine, `product` asks whether
//! A x BT -> C is local (`sums` before they are added up), and `switch` which movements lead between the layouts of one tensor. [`check_spec`] does
//! all of it.

mod check;
mod entry;
mod product;
mod sums;
mod switch;
mod tensor;

pub use check::{EntryReport, SpecReport, check_spec};
pub use entry::{LayoutEntry, ProductEntry, SpecEntry, Trigger, read_spec};
pub(crate) use entry::{in_entry, list};
pub use product::{OperandReport, ProductReport};
pub use switch::{Switch, SwitchRoute};
pub use tensor::{DramRoute, TensorReport};
pub(crate) use tensor::{lacking, read};
