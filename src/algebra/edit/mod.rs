//! Edits of the axes. An edit of the index is a composition with an index map, so it works for every layout;
//! only edits that move elements change where digits land.

pub(super) mod axes;
mod expand;
mod pad;
mod reshape;
mod window;

pub use window::Window;
