//! The sharding that belongs to a shape: directly behind it, or on its instruction.

use std::borrow::Cow;

use memchr::{memchr2, memmem};

use crate::scan::window::{LONGEST_LAYOUT, SOFT_BREAK};
use crate::shardings::sharded_arrays;
use tensor_layout::internals::{Walk, behind_angled, behind_sharding, cut};
use tensor_layout::notation::XlaShape;
use tensor_layout::sharding::HloSharding;

/// The most characters of a tuple that is not one.
const MOST_SHOWN: usize = 60;

const KEY: &[u8] = b"sharding=";

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
            let rest = near(bytes, at);
            let length = memchr2(b'\n', SOFT_BREAK, rest).unwrap_or(rest.len());
            LineAhead {
                end: at + length,
                mark: mark(bytes.get(..at + length).unwrap_or_default(), at),
            }
        })
    }

    /// The sharding of the result of an instruction, which is an attribute of it.
    pub(super) fn sharding(self, bytes: &[u8]) -> Option<Cow<'_, str>> {
        Some(sharding(bytes.get(self.mark?..self.end)?))
    }
}

/// Returns the position of the value of the attribute, outside quotes and brackets.
fn mark(line: &[u8], at: usize) -> Option<usize> {
    // Most lines have none.
    memmem::find(line.get(at..)?, KEY)?;
    let mut walk = Walk::from(at);
    std::iter::from_fn(|| walk.next(line, Some(b',')))
        .take_while(|at| line[*at] == b',')
        .find_map(|comma| value(line, comma))
}

/// Returns the position of the value in `, sharding=value` at `comma`.
fn value(bytes: &[u8], comma: usize) -> Option<usize> {
    let rest = bytes.get(comma..)?.strip_prefix(b",")?;
    let blanks = rest.iter().take_while(is_blank).count();
    Some(bytes.len() - rest.get(blanks..)?.strip_prefix(KEY)?.len())
}

/// The sharding at the start of a text, with the mesh that follows it; of text that cannot be one, the beginning.
fn sharding(text: &[u8]) -> Cow<'_, str> {
    const MOST_BROKEN: usize = 80;
    let text = match behind_sharding(text) {
        Some(end) => text.get(..behind_mesh(text, end)).unwrap_or(text),
        None if text.starts_with(b"{") => text.get(..MOST_BROKEN).unwrap_or(text),
        None => {
            let word = text.iter().take(MOST_BROKEN).position(|byte| matches!(byte, b',' | b' '));
            text.get(..word.unwrap_or(MOST_BROKEN)).unwrap_or(text)
        }
    };
    String::from_utf8_lossy(text.strip_suffix(b",").unwrap_or(text))
}

/// The next 64 KiB: no sharding is longer.
fn near(bytes: &[u8], at: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.get(..LONGEST_LAYOUT).unwrap_or(rest)
}

/// The position behind `, mesh=..` at `end`; `end` without one. A mesh is `x=2,y=4`, or a bracket with a name in front of it
/// or none: `mesh[x=2,y=4]`, `{'x': 2}`, `<["x"=2]>`.
fn behind_mesh(text: &[u8], end: usize) -> usize {
    let rest = text.get(end..).unwrap_or_default().strip_prefix(b",").unwrap_or_default();
    let Some(mesh) = rest.trim_ascii_start().strip_prefix(b"mesh=") else { return end };
    let start = text.len() - mesh.len();
    let names = mesh.iter().take_while(|byte| is_name(byte) || matches!(byte, b'=' | b','));
    let bracket = start + names.count();
    let close = match text.get(bracket) {
        Some(b'[' | b'(' | b'{') => Walk::from(bracket + 1).next(text, None).map(|close| close + 1),
        Some(b'<') => {
            behind_angled(text.get(bracket..).unwrap_or_default()).map(|end| bracket + end)
        }
        _ => None,
    };
    close.unwrap_or(bracket)
}

fn is_blank(byte: &&u8) -> bool {
    byte.is_ascii_whitespace() || **byte == SOFT_BREAK
}

fn is_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// The sharding that is written behind the shape which ends at `end`.
pub(super) fn behind(bytes: &[u8], end: usize) -> Option<Cow<'_, str>> {
    let blanks = bytes.get(end..)?.iter().take_while(is_blank).count();
    let rest = near(bytes, value(bytes, end + blanks)?);
    let length = memchr2(b'\n', SOFT_BREAK, rest).unwrap_or(rest.len());
    Some(sharding(rest.get(..length)?))
}

/// The arrays of a result that is a tuple, each with its sharding.
pub(super) struct ShardedTuple {
    /// The arrays, or the tuple and the reason its sharding is not one of its arrays.
    pub(super) arrays: Result<Vec<String>, (String, String)>,
    pub(super) end: usize,
}

/// The sharded arrays of a result that is a tuple: `(f32[2], s32[3]) opcode(..), sharding={{..},{..}}`.
pub(super) fn of_tuple(bytes: &[u8], open: usize, ahead: LineAhead) -> Option<ShardedTuple> {
    let sharding = ahead.sharding(bytes)?;
    let text = String::from_utf8_lossy(bytes.get(open..ahead.end)?);
    let (shape, length) = match XlaShape::parse_prefix(&text) {
        Ok(read) => read,
        Err(error) => {
            let why = error.kind().to_string();
            let tuple = format!("{}, sharding={sharding}", cut(&text, MOST_SHOWN));
            return Some(ShardedTuple { arrays: Err((tuple, why)), end: open + 1 });
        }
    };
    let read = sharding.parse::<HloSharding>().map_err(|error| error.kind().to_string());
    let arrays = read.and_then(|sharding| {
        let arrays = sharded_arrays(&shape, sharding)?.into_iter();
        Ok(arrays.map(|(array, sharding)| format!("{array}, sharding={sharding}")).collect())
    });
    let arrays = arrays.map_err(|why| (format!("{shape}, sharding={sharding}"), why));
    Some(ShardedTuple { arrays, end: open + length })
}
