//! Layouts as code: affine maps, isl relations, functions of C, Rust and Python.
//!
//! ```text
//! ((4_PE, 3:8), (8:1))       PE   = i0 / 3
//!                            Addr = i0 % 3 * 8 + i1
//! ```
//!
//! A [`Function`] holds the expressions, one per output; each language has a file that prints them.

mod affine_map;
mod c;
mod expression;
mod function;
mod isl;
mod names;
mod python;
mod rust;

use expression::{Expression, Style};
use function::Function;
