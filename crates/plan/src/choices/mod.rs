//! The choices of a plan: ways to carry out an operation, and places for what is given.
//!
//! ```text
//! loops of a product [s, f | d]      ((16_MAB, 4:64), (8_L1B, 8:8), (4_PE, 16:1))      a candidate layout
//!   operand x [s, d]                 what each product reads where it is computed
//!   operand w [d, f]                 the same
//!   result y [s, f]                  after the sums over 4 PEs
//!   own price                        products of a PE, sums, halos
//! ```
//!
//! `reads` turns index maps into axes of an `einsum`, `nest` makes a choice of a candidate, `domain` keeps the choices
//! that a plan may need, `pinned` those that pins allow, and `given` places inputs and constants in DRAM. `views` are values
//! under another shape.

mod choice;
mod domain;
mod given;
mod layouts;
mod nest;
mod pinned;
mod rates;
mod reads;
mod setting;
mod views;

pub use choice::{Choice, Held, Own};
pub use domain::Domain;
pub(crate) use pinned::{Allowed, Pinned, Row, rows};
pub use rates::Rates;
pub use setting::Setting;
pub(crate) use views::unviewed;
