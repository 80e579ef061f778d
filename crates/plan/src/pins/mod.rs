//! Layouts that a plan has to have.
//!
//! ```text
//! pin       a layout for the results or operands of some operations, for products, or for values that are given
//! read      pins of layout_spec and gemm_layout_spec files, and of TOML
//! found     what a pin says about each operation of a graph
//! switch    operations that only bring a value into its layout, where no candidate has it
//! ```

mod found;
mod pin;
mod read;
mod switch;

pub(crate) use found::{Found, Side, in_loop_order, is_last, result_order};
pub use pin::{Pin, Pins, Place};
pub(crate) use pin::{cannot_have, contradiction};
pub use read::read_pins;
pub(crate) use switch::{SWITCH, Switches, name_of_switch};
