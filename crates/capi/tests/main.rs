//! The interface as C and C++ see it.

mod answers;
mod headers;
mod pages;
mod programs;
