//! XLA shapes and tiled layouts: text, validation, sizes, advice, bitcasts.
//!
//! ```
//! use tensor_layout::xla::XlaShape;
//! let shape: XlaShape = "bf16[3,5]{1,0:T(8,128)(2,1)}".parse()?;
//! assert_eq!(shape.as_array().map(|array| array.layout.is_some()), Some(true));
//! # Ok::<(), tensor_layout::ParseError>(())
//! ```

pub(crate) mod bitcast;
mod dtype;
mod lower;
mod order;
mod popular;
pub(crate) mod prefix;
mod quick;
mod raise;
mod read;
mod reading;
mod sizes;
mod tree;
mod validate;

pub use bitcast::{Bitcast, BitcastName, Moved, bitcast_map, check_attributes};
pub use dtype::XlaDtype;
pub use popular::XlaAdvice;
pub use read::XlaParser;
pub use sizes::XlaSizes;
pub(super) use tree::before_member;
pub use tree::{TileDim, XlaArray, XlaDim, XlaLayout, XlaShape, XlaSplit};
