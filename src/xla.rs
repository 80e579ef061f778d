//! XLA shapes and tiled layouts: text, validation, sizes, advice, bitcasts.
//!
//! ```
//! use tensor_layout::xla::XlaShape;
//! let shape: XlaShape = "bf16[3,5]{1,0:T(8,128)(2,1)}".parse()?;
//! assert_eq!(shape.as_array().map(|array| array.layout.is_some()), Some(true));
//! # Ok::<(), tensor_layout::ParseError>(())
//! ```

pub use crate::lower::{Bitcast, BitcastName, Moved, XlaAdvice, XlaSizes, bitcast_map};
pub use crate::notation::{
    TileDim, XlaArray, XlaDim, XlaDtype, XlaLayout, XlaParser, XlaShape, XlaSplit,
};
