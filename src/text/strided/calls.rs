//! Shape and strides in calls that PyTorch's compiler writes: `assert_size_stride(buf4, (16, 64), (64, 1))`.

use super::Strided;
use crate::error::{ParseError, Span};

/// Functions with a shape and strides, and whether an offset follows them.
const CALLS: [(&str, bool); 4] = [
    ("assert_size_stride", false),
    ("empty_strided", false),
    ("reinterpret_tensor", true),
    ("as_strided", true),
];

/// The call that a text begins with: the text behind its name, and whether it has an offset.
fn call(text: &str) -> Option<(&str, bool)> {
    let (path, arguments) = text.trim().split_once('(')?;
    let name = path.rsplit(['.', ':']).next()?;
    let is_of = |known: &str| match name.strip_prefix(known) {
        // `empty_strided_cuda`, one for each kind of device.
        Some(rest) => rest.is_empty() || known == "empty_strided" && rest.starts_with('_'),
        None => false,
    };
    let (_, has_offset) = CALLS.iter().find(|(known, _)| is_of(known))?;
    Some((arguments, *has_offset))
}

/// Returns whether a text begins with one of the calls.
pub(super) fn is_call(text: &str) -> bool {
    call(text).is_some()
}

/// Reads a call; `None` for other texts.
pub(super) fn of_call(text: &str) -> Option<Result<Strided, ParseError>> {
    let (arguments, has_offset) = call(text)?;
    let refused = || {
        let whole = Span::new(0, text.len());
        let expected = "a shape and strides of numbers, such as `(2, 3), (3, 1)`";
        ParseError::expected(expected, whole, text)
    };
    Some(lists(arguments, has_offset).ok_or_else(refused))
}

/// The layout of `buf4, (16, 64), (64, 1), 0)`.
fn lists(arguments: &str, has_offset: bool) -> Option<Strided> {
    let (before, rest) = arguments.split_once('(')?;
    let (shape, rest) = rest.split_once(')')?;
    let (between, rest) = rest.split_once('(')?;
    let (strides, rest) = rest.split_once(')')?;
    // One argument may be in front, and a comma is between the two lists.
    let is_argument = before.trim().is_empty() || before.matches(',').count() == 1;
    if !is_argument || between.trim() != "," || !rest.trim_end().ends_with(')') {
        return None;
    }
    let behind = rest.trim_end().strip_suffix(')')?.trim_start_matches([',', ' ']);
    let offset = match behind.split(',').next().map(str::trim) {
        Some(offset) if has_offset && !offset.is_empty() => {
            offset.trim_start_matches("storage_offset=").parse::<u64>().ok()?
        }
        _ => 0,
    };
    let layout: Strided = format!("({shape}), ({strides})").parse().ok()?;
    Some(layout.with_offset(offset))
}
