//! The sharding that belongs to a shape: directly behind it, or on its instruction.

use memchr::{memchr2, memmem};

use crate::scan::window::SOFT_BREAK;
use crate::shardings::sharded_arrays;
use tensor_layout::internals::Walk;
use tensor_layout::notation::XlaShape;
use tensor_layout::sharding::HloSharding;

const MARK: &[u8] = b", sharding=";

/// The end of the line, and the position of the `sharding` attribute on the rest of it.
///
/// Looked up once per line, or else lines without an end would be searched again for every shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineAhead {
    end: usize,
    mark: Option<usize>,
}

impl LineAhead {
    /// Returns the rest of the line at `at`; `known` is the last answer in the same window.
    pub(super) fn of(bytes: &[u8], at: usize, known: Option<LineAhead>) -> LineAhead {
        let holds = |ahead: &LineAhead| at <= ahead.end && ahead.mark.is_none_or(|mark| mark >= at);
        known.filter(holds).unwrap_or_else(|| {
            let rest = bytes.get(at..).unwrap_or_default();
            let length = memchr2(b'\n', SOFT_BREAK, rest).unwrap_or(rest.len());
            LineAhead {
                end: at + length,
                mark: mark(bytes.get(..at + length).unwrap_or_default(), at),
            }
        })
    }

    /// The sharding of the result of an instruction, which is an attribute of it.
    pub(super) fn sharding(self, bytes: &[u8]) -> Option<&str> {
        sharding(bytes.get(self.mark? + MARK.len()..self.end)?)
    }
}

/// Returns the position of the attribute, outside quotes and brackets.
fn mark(line: &[u8], at: usize) -> Option<usize> {
    // Most lines have none.
    memmem::find(line.get(at..)?, MARK)?;
    let mut walk = Walk::from(at);
    std::iter::from_fn(|| walk.next(line, Some(b',')))
        .take_while(|at| line[*at] == b',')
        .find(|at| line[*at..].starts_with(MARK))
}

/// Returns the sharding at the start of a text, with the mesh that follows it.
fn sharding(text: &[u8]) -> Option<&str> {
    let open = text.iter().position(|byte| matches!(byte, b'{' | b'(' | b'['))?;
    if !text.get(..open)?.iter().all(is_name) {
        return None;
    }
    let close = Walk::from(open + 1).next(text, None)? + 1;
    let mesh = text.get(close..)?;
    let mesh_length = mesh.strip_prefix(b", mesh=").map_or(0, |mesh| 7 + mesh_length(mesh));
    let text = std::str::from_utf8(text.get(..close + mesh_length)?).ok()?;
    Some(text.trim_end_matches(','))
}

/// Returns the length of a mesh: `x=2,y=4`, or `mesh[x=2,y=4]` and others with a bracket behind their name.
fn mesh_length(text: &[u8]) -> usize {
    let length =
        text.iter().take_while(|byte| is_name(byte) || matches!(byte, b'=' | b',')).count();
    let has_bracket = matches!(text.get(length), Some(b'[' | b'('));
    let close = has_bracket.then(|| Walk::from(length + 1).next(text, None)).flatten();
    close.map_or(length, |close| close + 1)
}

fn is_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// The sharding that is written behind the shape which ends at `end`.
pub(super) fn behind(bytes: &[u8], end: usize) -> Option<&str> {
    let rest = bytes.get(end..)?.strip_prefix(MARK)?;
    let length = memchr2(b'\n', SOFT_BREAK, rest).unwrap_or(rest.len());
    sharding(rest.get(..length)?)
}

/// The sharded arrays of a result that is a tuple: `(f32[2], s32[3]) opcode(..), sharding={{..},{..}}`.
pub(super) fn of_tuple(
    bytes: &[u8],
    open: usize,
    ahead: LineAhead,
) -> Option<(Vec<String>, usize)> {
    let sharding: HloSharding = ahead.sharding(bytes)?.parse().ok()?;
    let text = std::str::from_utf8(bytes.get(open..ahead.end)?).ok()?;
    let (shape, length) = XlaShape::parse_prefix(text).ok()?;
    let arrays = sharded_arrays(&shape, sharding).ok()?.into_iter();
    let texts = arrays.map(|(array, sharding)| format!("{array}, sharding={sharding}"));
    Some((texts.collect(), open + length))
}
