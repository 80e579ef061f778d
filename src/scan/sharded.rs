//! The sharding that belongs to a shape: directly behind it, or on its instruction.

use memchr::{memchr2, memmem};

use crate::notation::{Walk, XlaShape};
use crate::scan::window::SOFT_BREAK;
use crate::sharding::HloSharding;

const MARK: &[u8] = b", sharding=";

/// The part of a line from `at` on.
fn rest_of_line(bytes: &[u8], at: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    let end = memchr2(b'\n', SOFT_BREAK, rest).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

/// The sharding at the head of a text, and the mesh that follows it.
fn sharding(text: &[u8]) -> Option<&str> {
    let open = text.iter().position(|byte| matches!(byte, b'{' | b'(' | b'['))?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    if !text.get(..open)?.iter().all(is_name) {
        return None;
    }
    let close = Walk::from(open + 1).next(text, None)? + 1;
    let mesh = text.get(close..)?;
    let mesh_length = match mesh.starts_with(b", mesh=") {
        false => 0,
        true => {
            let values = mesh.get(7..)?.iter();
            let is_mesh = |byte: &&u8| is_name(byte) || matches!(byte, b'=' | b',');
            7 + values.take_while(is_mesh).count()
        }
    };
    let text = std::str::from_utf8(text.get(..close + mesh_length)?).ok()?;
    Some(text.trim_end_matches(','))
}

/// The sharding of the shape that ends at `end`: written behind it, or, if the shape is the result
/// of an instruction, as its attribute.
pub(super) fn of_shape(bytes: &[u8], end: usize, is_result: bool) -> Option<&str> {
    let line = rest_of_line(bytes, end);
    let at = match line.strip_prefix(MARK) {
        Some(behind) => return sharding(behind),
        None if is_result => memmem::find(line, MARK)?,
        None => return None,
    };
    sharding(line.get(at + MARK.len()..)?)
}

/// The sharded arrays of a result that is a tuple: `(f32[2], s32[3]) opcode(..), sharding={{..},{..}}`.
pub(super) fn of_tuple(bytes: &[u8], open: usize) -> Option<(Vec<String>, usize)> {
    let line = rest_of_line(bytes, open);
    let at = memmem::find(line, b", sharding={{")?;
    let text = std::str::from_utf8(line).ok()?;
    let sharding: HloSharding = sharding(line.get(at + MARK.len()..)?)?.parse().ok()?;
    let (shape, length) = XlaShape::parse_prefix(text).ok()?;
    let HloSharding::Tuple(shardings) = sharding else { return None };
    let arrays = shape.arrays();
    let texts =
        arrays.iter().zip(&shardings).map(|((_, array), s)| format!("{array}, sharding={s}"));
    (arrays.len() == shardings.len()).then(|| (texts.collect(), open + length))
}
