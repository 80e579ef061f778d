//! `tensor-layout` for C and C++17: opaque handles, the caller's buffers, errors as values.
//!
//! [`docs/cpp.md`](https://github.com/tensor-layout/tensor-layout) is the page for users. Each file has one handle or
//! two; `diplomat` makes the functions of C from the methods, and `tests/headers.rs` makes the headers from the files.
//!
//! A method converts its arguments and calls the library: nothing is computed here. What a method cannot answer is a
//! [`tl0_Error`](error::ffi::tl0_Error). Shared references are shared among threads; only what has `&mut self` is for
//! one thread at a time.

#![forbid(unsafe_code)]
#![allow(non_camel_case_types, reason = "names of C have the prefix of the symbols")]
#![allow(clippy::needless_lifetimes, reason = "diplomat reads the lifetimes that are written")]
#![allow(clippy::should_implement_trait, reason = "`clone` and `next` are the names in C++")]

pub mod candidates;
pub mod cost;
pub mod error;
pub mod layout;
pub mod level;
pub mod machine;
pub mod placement;
pub mod pricer;
pub mod route;
pub mod table;
pub mod traffic;
mod words;
