//! Answers of the library as pages of text, as the command and Python print them, and as pages for browsers.

mod access;
mod bitcast;
#[cfg(feature = "hlo")]
pub mod hlo;
mod in_place;
#[cfg(feature = "plan")]
mod plan;
mod relayout;
mod route;

pub use access::{access, changes};
pub use bitcast::bitcast;
pub use in_place::in_place;
#[cfg(feature = "plan")]
pub use plan::plan;
pub use relayout::{counts, relayout, transfer, unit};
pub use route::{memory, route, routes};

/// The style of pages for browsers.
#[cfg(any(feature = "hlo", feature = "plan"))]
const STYLE: &str = include_str!("page.css");
