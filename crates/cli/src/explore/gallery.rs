//! The examples of the page, one or two for each notation.

use serde::Serialize;
use serde_json::{Value, json};

/// An example: the name of its file, its notation, what it shows, and the fields of its question.
#[derive(Serialize)]
pub(super) struct Example {
    pub(super) file: &'static str,
    notation: &'static str,
    shows: &'static str,
    pub(super) layout: &'static str,
    pub(super) after: &'static str,
    pub(super) machine: &'static str,
    pub(super) by: &'static str,
}

/// An example with a layout alone.
const ONE: Example =
    Example { file: "", notation: "", shows: "", layout: "", after: "", machine: "", by: "" };

pub(super) const EXAMPLES: [Example; 11] = [
    Example {
        file: "pad-layout",
        notation: "PadLayout",
        shows: "10 rows over four units, with padding at the end",
        layout: "(10,7)/((3:7, 4_PE), (7:1))",
        machine: "PE=4",
        ..ONE
    },
    Example {
        file: "copies",
        notation: "PadLayout",
        shows: "a copy in each of two blocks of units",
        layout: "((4_PE, 3:8), (8:1))",
        machine: "L2B=2,PE=4",
        ..ONE
    },
    Example {
        file: "relayout",
        notation: "PadLayout",
        shows: "two layouts, and what moves between them",
        layout: "((4_PE, 3:8), (8:1))",
        after: "((12:2), (4_PE, 2:1))",
        machine: "PE=4",
        ..ONE
    },
    Example {
        file: "tree",
        notation: "PadLayout",
        shows: "a large tensor in blocks",
        layout: "((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))",
        machine: "mn-core",
        ..ONE
    },
    Example {
        file: "xla",
        notation: "XLA",
        shows: "tiles of pairs of rows",
        layout: "bf16[10,130]{1,0:T(8,128)(2,1)}",
        ..ONE
    },
    Example {
        file: "cute",
        notation: "CuTe",
        shows: "shape and strides, column by column",
        layout: "(8,8):(1,8)",
        ..ONE
    },
    Example {
        file: "threads",
        notation: "PadLayout",
        shows: "threads and their values",
        layout: "((2_T:4, 2_V:2), (4_T:1, 2_V:1))",
        ..ONE
    },
    Example {
        file: "swizzle",
        notation: "CuTe",
        shows: "a swizzle: the row flips bits of the column",
        layout: "Swizzle<2,0,3> o (8,8):(8,1)",
        ..ONE
    },
    Example {
        file: "banks",
        notation: "CuTe",
        shows: "a tile of floats by bank, without and with a swizzle",
        layout: "(8,32):(32,1)",
        after: "S<3,2,3> o 0 o (8,32):(32,1)",
        by: "bank",
        ..ONE
    },
    Example {
        file: "fragment",
        notation: "Instruction",
        shows: "the threads of a matrix instruction",
        layout: "SM80_16x8x16_F32F16F16F32_TN",
        ..ONE
    },
    Example {
        file: "sharding",
        notation: "Sharding",
        shows: "a tensor over eight devices",
        layout: "f32[10,7], sharding={devices=[4,2]<=[8]}",
        ..ONE
    },
];

/// The examples as the page lists them.
pub(super) fn examples_json() -> Value {
    json!(EXAMPLES)
}
