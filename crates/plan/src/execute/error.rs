//! Faults of a plan that its execution finds.

use tensor_layout::LayoutError;
use tensor_layout::einsum::EinsumError;

use crate::graph::RunError;

/// A plan that cannot be executed, or a fault of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecuteError {
    /// Another number of inputs.
    #[error("the model has {expected} inputs, {given} were given")]
    Inputs {
        /// The inputs of the model.
        expected: usize,
        /// Those that were given.
        given: usize,
    },
    /// Inputs of other sizes.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A value whose elements are not known.
    #[error("`{0}` has no elements: give it as an input, or the file with its data")]
    NoElements(String),
    /// An operation that no rule covers.
    #[error("`{0}` is a {1}, which no rule covers")]
    Uncovered(String, String),
    /// An error of a layout.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// An error of an operation between layouts.
    #[error(transparent)]
    Einsum(#[from] EinsumError),
    /// A unit that lacks an element where it should be.
    #[error("`{operation}`: unit {unit} lacks element {element} of operand {operand}")]
    Lacks {
        /// The operation.
        operation: String,
        /// The operand.
        operand: usize,
        /// The number of the unit.
        unit: u64,
        /// The row-major number of the element.
        element: u64,
    },
    /// A place that holds another element or nothing.
    #[error("`{value}`: the place of element {element} in unit {unit} holds {held}")]
    Holds {
        /// The value.
        value: String,
        /// The row-major number of the element.
        element: u64,
        /// The number of the unit.
        unit: u64,
        /// The element that is there, or nothing.
        held: String,
    },
    /// Partial results that do not make the whole.
    #[error("`{operation}`: element {element} has {found} of {expected} iterations")]
    Partial {
        /// The operation.
        operation: String,
        /// The row-major number of the element of the result.
        element: u64,
        /// The iterations that were found.
        found: u64,
        /// All iterations.
        expected: u64,
    },
    /// Traffic that the plan has no price for.
    #[error("`{operation}`: {count} {what} cross units, and the plan has no price for them")]
    Unpriced {
        /// The operation.
        operation: String,
        /// The kind of the traffic.
        what: &'static str,
        /// The number of elements.
        count: u64,
    },
    /// Traffic of another size than the price.
    #[error(
        "`{operation}`: {found} elements of `{value}` enter units of {level}, the price is for {priced}"
    )]
    Traffic {
        /// The operation.
        operation: String,
        /// The value.
        value: String,
        /// The level.
        level: String,
        /// The elements that entered.
        found: u64,
        /// Those that the plan has priced.
        priced: u64,
    },
}
