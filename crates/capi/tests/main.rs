//! The interface as C and C++ see it.

mod headers;
mod programs;
