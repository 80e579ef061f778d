//! Layouts as code: expressions for compilers to translate, and texts of affine maps, isl relations, and functions of C, Rust
//! and Python.
//!
//! ```text
//! ((4_PE, 3:8), (8:1))       PE   = i0 / 3
//!                            Addr = i0 % 3 * 8 + i1
//! ```
//!
//! A [`Function`] has the expressions, one per output: [`Function::place_of`] from an index to its place, [`Function::index_of`]
//! back. [`Language::write`] prints them. [`affine_index_map`] writes the map of a bitcast.
//!
//! ```
//! use tensor_layout_code::{Expression, ExpressionNode, Function, Operation};
//! use tensor_layout::{Layout, Level};
//!
//! /// Counts the divisions, as a compiler would emit them.
//! fn divisions(expression: &Expression) -> usize {
//!     match expression.node() {
//!         ExpressionNode::Number(_) | ExpressionNode::Variable(_) => 0,
//!         ExpressionNode::Joined(_, terms) => terms.iter().map(divisions).sum(),
//!         ExpressionNode::Applied(of, Operation::Quotient | Operation::Remainder, _) => 1 + divisions(of),
//!         ExpressionNode::Applied(of, ..) => divisions(of),
//!     }
//! }
//!
//! let layout: Layout = "((4_PE, 3:8), (8:1))".parse()?;
//! let function = Function::place_of(&layout)?;
//! let [(_, pe), (_, address)] = &function.outputs[..] else { panic!("two levels") };
//! assert_eq!((pe.to_string(), address.to_string()), ("i0 / 3".into(), "(i0 % 3) * 8 + i1".into()));
//! assert_eq!((divisions(pe), function.range(address)), (1, 0..=23));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]
// `println!` and `eprintln!` panic where the output is closed or the disk is full.
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod affine_map;
mod expression;
mod function;
mod isl;
mod language;
mod variable;

pub use affine_map::affine_index_map;
pub use expression::{Expression, ExpressionNode, Operation};
pub use function::Function;
pub use language::Language;
pub use variable::Variable;

use expression::Style;
