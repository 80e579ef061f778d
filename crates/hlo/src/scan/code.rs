//! Layouts in source code, of CuTe: `tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_128,_64>{})`.
//!
//! ```text
//! using Atom = GMMA::Layout_K_SW128_Atom<half_t>;                    a layout
//! auto a = make_layout(make_shape(_128{}, _64{}), LayoutRight{});    a layout
//! auto b = make_layout(make_shape(M, K), make_stride(K, 1));         passed over: `M` is a name of the program
//! ```
//!
//! So are the calls of PyTorch's compiler that have a shape and strides: `assert_size_stride(buf4, (16, 64), (64, 1))`.
//!
//! A call is a layout as a whole or not at all: a tile is not the layout that is made of it.

use memchr::memmem;
use tensor_layout::ParseError;
use tensor_layout::error::ParseErrorKind;
use tensor_layout::notation::{CuteLayout, Notation, Strided, TritonLayout};

use crate::escapes::SOFT_BREAK;
use crate::scan::bracket::{MOST_LINES, Stretch};

/// The functions that make layouts.
const CALLS: [&str; 5] =
    ["make_layout", "tile_to_shape", "tile_to_mma_shape", "make_composed_layout", "composition"];

/// The functions with a shape and strides that PyTorch's compiler calls.
const STRIDED: [&str; 3] = ["assert_size_stride", "reinterpret_tensor", "as_strided"];

/// The types of layouts, and of what has one.
const TYPES: [&str; 3] = ["Layout", "ComposedLayout", "Tensor"];

/// The layout of a vector in registers of a TPU, in modules of Mosaic.
const VPAD: &[u8] = b"#tpu.vpad";

/// A part of any layout in code; other programs have a type `Layout` and a function `composition`, too.
const PARTS: [&str; 5] = ["Layout", "Shape", "tuple<", "make_", "Swizzle"];

/// The longest layout in code, in bytes.
const LONGEST: usize = 1 << 12;

/// A part of source code that is a layout, or that is meant as one.
pub(super) enum InCode {
    Layout(Stretch),
    /// One that is meant as such, and the reason it is not read.
    Refused(Stretch, String),
    /// One of names that the text alone does not explain.
    PassedOver(Stretch),
}

/// The layout in code whose bracket, of a call or of a C++ type, is at `open`.
pub(super) fn in_code(bytes: &[u8], open: usize) -> Option<InCode> {
    let before = bytes.get(..open)?;
    if !ends_like_head(before) {
        return None;
    }
    if before.ends_with(VPAD) {
        let text = bytes.get(open..)?;
        let close = memmem::find(text.get(..LONGEST).unwrap_or(text), b"\">")? + 2;
        let (start, end) = (before.len() - VPAD.len(), open + close);
        let found = Stretch { start, end, notation: Notation::Triton, is_certain: true };
        let text = std::str::from_utf8(bytes.get(start..end)?).ok()?;
        let why = text.parse::<TritonLayout>().err()?.kind().to_string();
        return Some(InCode::Refused(found, why));
    }
    let start = before.len() - before.iter().rev().take_while(is_of_name).count();
    let name = std::str::from_utf8(before.get(start..)?).ok()?.rsplit(':').next()?;
    let is_call = bytes.get(open) == Some(&b'(');
    if !is_head(name, is_call) {
        return None;
    }
    // `cute.make_layout` in Python.
    let start = start - if before.get(..start)?.ends_with(b"cute.") { 5 } else { 0 };
    let end = code_end(bytes, open)?;
    let notation = if is_strided(name) { Notation::Strided } else { Notation::Cute };
    let found = Stretch { start, end, notation, is_certain: true };
    let text = std::str::from_utf8(bytes.get(start..end)?).ok()?.replace('\u{b}', " ");
    if name == "Tensor" {
        let is_swizzled = text.contains("swizzle_ptr") && text.contains("Layout<");
        let why = "the pointer of this tensor is swizzled, which its layout does not show";
        return is_swizzled.then(|| InCode::Refused(found, why.into()));
    }
    let read = match notation {
        Notation::Strided => text.parse::<Strided>().map(drop),
        _ => text.parse::<CuteLayout>().map(drop),
    };
    match read {
        Ok(()) => Some(InCode::Layout(found)),
        Err(error) if !is_of_names(&error, &text) => {
            Some(InCode::Refused(found, error.kind().to_string()))
        }
        Err(_) => {
            let inside = text.get(open - start..)?;
            let is_meant = !matches!(name, "Layout" | "ComposedLayout" | "composition")
                || PARTS.iter().any(|part| inside.contains(part));
            is_meant.then_some(InCode::PassedOver(found))
        }
    }
}

/// Returns whether text ends as one of the names does: most brackets of a dump follow others, and are told apart by two letters.
fn ends_like_head(before: &[u8]) -> bool {
    match before {
        [.., b'u', b't'] | [.., b'p', b'e'] | [.., b'o', b'n'] | [.., b'o', b'r'] => true,
        [.., b'd', b'e'] | [.., b'e', b'd'] | [.., b'o', b'm'] | [.., b'a', b'd'] => true,
        // `empty_strided_cuda`, `_cpu` and `_xpu`, `_mtia`, `_mps`, `_p2p`.
        [.., b'd', b'a'] | [.., b'p', b'u'] | [.., b'i', b'a'] => true,
        [.., b'p', b's'] | [.., b'2', b'p'] => true,
        _ => false,
    }
}

fn is_of_name(byte: &&u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':')
}

/// Returns whether a call or a type of this name may be a layout.
fn is_head(name: &str, is_call: bool) -> bool {
    match is_call {
        true => CALLS.contains(&name) || is_strided(name),
        false => TYPES.contains(&name) || name.starts_with("Layout_") && name.ends_with("Atom"),
    }
}

fn is_strided(name: &str) -> bool {
    STRIDED.contains(&name) || name.starts_with("empty_strided")
}

/// Returns whether a text is not read because of names: what a number is expected for, or the type of elements.
fn is_of_names(error: &ParseError, text: &str) -> bool {
    let part = text.get(error.span().start..error.span().end).unwrap_or_default();
    let is_word = part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    // `int32_t` is a type that a compiler prints for a number.
    let is_name = is_word && !part.ends_with("_t") && !matches!(part, "int" | "long" | "");
    matches!(error.kind(), ParseErrorKind::Expected(_)) || is_name && part != text
}

/// The end of what opens at `open`; `None` where it does not close within a few lines.
fn code_end(bytes: &[u8], open: usize) -> Option<usize> {
    let (own, close) = if bytes.get(open)? == &b'(' { (b'(', b')') } else { (b'<', b'>') };
    let (mut depth, mut lines) = (0_usize, 0);
    for (byte, end) in bytes.get(open..)?.iter().zip(open + 1..).take(LONGEST) {
        match *byte {
            byte if byte == own => depth += 1,
            byte if byte == close => depth -= 1,
            b'\n' | SOFT_BREAK => lines += 1,
            b'"' | b';' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(end);
        }
        if lines >= MOST_LINES {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{CALLS, STRIDED, TYPES, VPAD, ends_like_head, is_head};

    #[test]
    fn every_name_ends_as_one() {
        let kinds = ["", "_cuda", "_cpu", "_xpu", "_mtia", "_mps", "_p2p"];
        let empty = kinds.map(|kind| format!("empty_strided{kind}"));
        let calls = CALLS.iter().chain(&STRIDED).copied().chain(empty.iter().map(|name| &**name));
        let types = TYPES.iter().copied().chain(["Layout_K_SW128_Atom"]);
        let all = calls.map(|name| (name, true)).chain(types.map(|name| (name, false)));
        assert!(ends_like_head(VPAD));
        for (name, is_call) in all {
            assert!(is_head(name, is_call) && ends_like_head(name.as_bytes()), "{name}");
        }
    }
}
