//! Copies by name: the source `:S` and the destination `:D`, as a matrix.
//!
//! ```text
//! SM75_U32x4_LDSM_N                     8 columns of halves, the matrices one below the other
//! SM100_TMEM_LOAD_16dp256b2x            rows of tensor memory, columns of 32 bits
//! SM50_Shuffle_U32_2x2Trans_XOR1        two registers of 32 bits for each of 32 lanes
//! UniversalCopy<uint128_t>              one thread, bytes
//! ```

use itertools::Itertools;

use super::families::{OfFamily, read};
use super::printed::Printed;
use super::tree::Operand;
use crate::error::ParseError;
use crate::text::cute::bits_of_type;

/// Parts of the names of copies.
const COPIES: [&str; 14] = [
    "LDSM",
    "STSM",
    "MOVM",
    "ldmatrix",
    "stmatrix",
    "movmatrix",
    "TMEM_LOAD",
    "TMEM_STORE",
    "tcgen05.ld",
    "tcgen05.st",
    "Shuffle",
    "Copy",
    "CP_ASYNC",
    "TMA_",
];

/// Returns whether a name is that of a copy, which has a source and a destination.
pub(super) fn is_copy(name: &str) -> bool {
    COPIES.iter().any(|copy| name.contains(copy))
}

/// A side of a copy; `None` for a name that is no copy or not known.
pub(super) fn copy(of: &Printed, operand: Operand) -> Option<Result<OfFamily, ParseError>> {
    let name = &*of.name;
    matrix_copy(name, operand)
        .or_else(|| tensor_memory(name, operand))
        .or_else(|| shuffle(name, operand))
        .or_else(|| by_thread(of, operand))
        .or_else(|| refused(name).map(|why| Ok(OfFamily::Refused(why.into()))))
}

/// The reason that a copy has no layout here.
fn refused(name: &str) -> Option<&'static str> {
    let is = |part: &str| name.contains(part);
    if is("TMA_") || is("BULK_COPY") {
        return Some(
            "one thread copies a box of the tensor, so no thread has elements of its own; its \
             layout in shared memory is such as `GMMA::Layout_K_SW128_Atom<half_t>`",
        );
    }
    if is("MOVM") || is("movmatrix") {
        return Some(
            "it transposes 8 x 8 halves in registers, which CUTLASS describes as a copy that moves \
             nothing; `SM75_U16x2_LDSM_T:D` has the halves as they are after it",
        );
    }
    if is("TMEM_") || is("tcgen05") {
        return Some(
            "of the copies of tensor memory, the layouts of 32dp32b, 16dp64b, 16dp128b and 16dp256b are \
             known, without `_16b`: `SM100_TMEM_LOAD_16dp256b2x`",
        );
    }
    if is("LDSM") || is("STSM") || is("matrix") {
        return Some(
            "of the copies of matrices, only the layouts of those of 8 x 8 halves are known: \
             `SM75_U32x4_LDSM_N`",
        );
    }
    (is("AutoVectorizing") || is("DefaultCopy")).then_some(
        "its width follows from the two tensors that are copied; name the copy that is chosen, such \
         as `UniversalCopy<uint128_t>`",
    )
}

/// Copies of 8 x 8 halves between shared memory and registers, each matrix below the one before: `SM75_U32x4_LDSM_N`,
/// `ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16`. A lane addresses a row of 16 bytes.
///
/// Source: NVIDIA, PTX ISA, ldmatrix and stmatrix.
fn matrix_copy(name: &str, operand: Operand) -> Option<Result<OfFamily, ParseError>> {
    let (count, is_load, is_transposed) = copied(name)?;
    let registers = match is_transposed {
        false => format!("(({count}:2, 8_LANE:4), (4_LANE:1, 2:1))"),
        true => format!("(({count}:2, 4_LANE:1, 2:1), (8_LANE:4))"),
    };
    let rows = 8 * count;
    Some(match (operand, is_load) {
        (Operand::S, true) | (Operand::D, false) => read(&format!("(({rows}_LANE:1), (8:1))")),
        (Operand::D, true) | (Operand::S, false) => read(&registers),
        _ => return None,
    })
}

/// The number of matrices of a copy, whether it is a load, and whether it transposes.
fn copied(name: &str) -> Option<(u64, bool, bool)> {
    if let Some(rest) = name.strip_prefix("SM75_").or_else(|| name.strip_prefix("SM90_")) {
        let (count, kind) = rest.split_once('_')?;
        let (is_load, is_transposed) = match (kind, name.starts_with("SM75_")) {
            ("LDSM_N", true) => (true, false),
            ("LDSM_T", true) => (true, true),
            ("STSM_N", false) => (false, false),
            ("STSM_T", false) => (false, true),
            _ => return None,
        };
        let count = match (count, is_transposed) {
            ("U32x1", false) | ("U16x2", true) => 1,
            ("U32x2", false) | ("U16x4", true) => 2,
            ("U32x4", false) | ("U16x8", true) => 4,
            _ => return None,
        };
        return Some((count, is_load, is_transposed));
    }
    let parts = name.split('.').collect_vec();
    let (first, rest) = parts.split_first()?;
    let is_load = match *first {
        "ldmatrix" => true,
        "stmatrix" => false,
        _ => return None,
    };
    let count = ["x1", "x2", "x4"].iter().position(|count| rest.contains(count))?;
    let is_word = |part: &str| {
        ["sync", "aligned", "m8n8", "x1", "x2", "x4", "trans", "shared", "b16"].contains(&part)
    };
    rest.iter().all(|part| is_word(part)).then_some((1 << count, is_load, rest.contains(&"trans")))
}

/// Copies between tensor memory and the registers of a warp: `SM100_TMEM_LOAD_16dp256b2x`, `tcgen05.ld.sync.aligned.16x256b.x2.b32`.
///
/// Source: NVIDIA/cutlass, `include/cute/atom/copy_traits_sm100.hpp`.
fn tensor_memory(name: &str, operand: Operand) -> Option<Result<OfFamily, ParseError>> {
    let (is_load, shape, count) = in_cute(name).or_else(|| in_ptx(name))?;
    let repeats = count.parse::<u64>().ok().filter(|n| n.is_power_of_two())?;
    let [rows, columns, most, registers] = match shape {
        "32x32b" => ["32", "1", "128", "((32_LANE:1), (#:1))"],
        "16x64b" => ["16", "2", "128", "((2_LANE:1, 8_LANE:4), (#:1, 2_LANE:2))"],
        "16x128b" => ["16", "4", "64", "((2:1, 8_LANE:4), (#:2, 4_LANE:1))"],
        "16x256b" => ["16", "8", "32", "((2:2, 8_LANE:4), (#:4, 4_LANE:1, 2:1))"],
        _ => return None,
    };
    let number = |text: &str| text.parse::<u64>().ok();
    let columns =
        number(columns)?.checked_mul(repeats).filter(|_| Some(repeats) <= number(most))?;
    Some(match (operand, is_load) {
        (Operand::S, true) | (Operand::D, false) => {
            read(&format!("(({rows}_ROW:1), ({columns}:1))"))
        }
        (Operand::D, true) | (Operand::S, false) => read(&registers.replace('#', count)),
        _ => return None,
    })
}

/// Reads `SM100_TMEM_LOAD_16dp256b2x`: true for a load, the shape as PTX writes it, and the number of repeats.
fn in_cute(name: &str) -> Option<(bool, &'static str, &str)> {
    let rest = name.strip_prefix("SM100_TMEM_")?;
    let (kind, rest) = rest.split_once('_')?;
    let is_load = ["STORE", "LOAD"].iter().position(|known| *known == kind)? == 1;
    let shapes = [
        ("32dp32b", "32x32b"),
        ("16dp64b", "16x64b"),
        ("16dp128b", "16x128b"),
        ("16dp256b", "16x256b"),
    ];
    let (shape, count) =
        shapes.iter().find_map(|(cute, ptx)| Some((*ptx, rest.strip_prefix(*cute)?)))?;
    Some((is_load, shape, count.strip_suffix('x')?))
}

/// Reads `tcgen05.ld.sync.aligned.16x256b.x2.b32`, with the answer of [`in_cute`].
fn in_ptx(name: &str) -> Option<(bool, &str, &str)> {
    let parts = name.strip_prefix("tcgen05.")?.split('.').collect_vec();
    let [kind @ ("ld" | "st"), "sync", "aligned", shape, count, "b32"] = parts[..] else {
        return None;
    };
    Some((kind == "ld", shape, count.strip_prefix('x')?))
}

/// Two registers of each of two lanes change places across the diagonal.
///
/// Source: NVIDIA/cutlass, `include/cute/atom/copy_traits_sm50.hpp`.
fn shuffle(name: &str, operand: Operand) -> Option<Result<OfFamily, ParseError>> {
    let destination = match name.strip_prefix("SM50_Shuffle_U32_2x2Trans_")? {
        "XOR1" => "((16_LANE:2, 2:1), (2_LANE:1))",
        "XOR4" => "((4_LANE:8, 2:1, 4_LANE:1), (2_LANE:4))",
        _ => return None,
    };
    Some(match operand {
        Operand::S => read("((32_LANE:1), (2:1))"),
        Operand::D => read(destination),
        _ => return None,
    })
}

/// Copies of a single thread, whose bytes have the same order on both sides: `UniversalCopy<uint128_t>`.
///
/// Source: NVIDIA/cutlass, `include/cute/atom/copy_traits.hpp`, `copy_traits_sm80.hpp`.
fn by_thread(of: &Printed, operand: Operand) -> Option<Result<OfFamily, ParseError>> {
    let name = of.name.strip_suffix("_ZFILL").unwrap_or(&of.name);
    let is_known =
        ["UniversalCopy", "SM80_CP_ASYNC_CACHEALWAYS", "SM80_CP_ASYNC_CACHEGLOBAL"].contains(&name);
    if !is_known || !matches!(operand, Operand::S | Operand::D) {
        return None;
    }
    let bytes =
        of.arguments.first().and_then(|argument| bits_of_type(argument)).map(|bits| bits / 8);
    let bytes = bytes.filter(|bytes| *bytes > 0);
    let why = || {
        let type_ = of.arguments.first().map_or("which is missing", |argument| &**argument);
        format!("the bytes of its type are not known, {type_}; write one such as `uint128_t`")
    };
    let layout = |bytes: u64| read(&format!("((1_LANE), ({bytes}:1))"));
    Some(bytes.map_or_else(|| Ok(OfFamily::Refused(why())), layout))
}
