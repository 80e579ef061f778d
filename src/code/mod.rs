//! Layouts as code: expressions for compilers to translate, and texts of affine maps, isl relations, and functions of C, Rust
//! and Python.
//!
//! ```text
//! ((4_PE, 3:8), (8:1))       PE   = i0 / 3
//!                            Addr = i0 % 3 * 8 + i1
//! ```
//!
//! A [`Function`] has the expressions, one per output: [`Layout::to_place_function`](crate::Layout::to_place_function) from an
//! index to its place, [`Layout::to_index_function`](crate::Layout::to_index_function) back. Each language has a file that prints them.
//!
//! ```
//! use tensor_layout::code::{Expression, ExpressionNode, Operation};
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
//! let function = layout.to_place_function()?;
//! let [(_, pe), (_, address)] = function.outputs() else { panic!("two levels") };
//! assert_eq!((pe.to_string(), address.to_string()), ("i0 / 3".into(), "(i0 % 3) * 8 + i1".into()));
//! assert_eq!((divisions(pe), function.range(address)), (1, 0..=23));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod affine_map;
mod c;
mod expression;
mod function;
mod isl;
mod python;
mod rust;
mod variable;

pub use expression::{Expression, ExpressionNode, Operation};
pub use function::Function;
pub use variable::Variable;

use expression::Style;
