//! The sharding that belongs to a shape: directly behind it, or on its instruction.

use std::borrow::Cow;

use memchr::{memchr2, memmem};

use crate::mlir::behind_angled;
use crate::scan::window::{LONGEST_LAYOUT, SOFT_BREAK};
use crate::shardings::sharded_arrays;
use tensor_layout::internals::{Walk, cut};
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
    let is_blank = |byte: &&u8| byte.is_ascii_whitespace() || **byte == SOFT_BREAK;
    let blanks = rest.iter().take_while(is_blank).count();
    Some(bytes.len() - rest.get(blanks..)?.strip_prefix(KEY)?.len())
}

/// The sharding at the start of a text, with the mesh that follows it; a word, or a part of the text, where it is none.
fn sharding(text: &[u8]) -> Cow<'_, str> {
    const MOST_BROKEN: usize = 80;
    let is_shardy = text.starts_with(b"#sdy.sharding<") || text.starts_with(b"<");
    let close = if is_shardy { behind_angled(text) } else { bracketed(text) };
    let Some(close) = close else {
        let word = text.iter().take(MOST_BROKEN).take_while(|byte| !matches!(byte, b',' | b' '));
        let word = if text.starts_with(b"{") { text.len().min(MOST_BROKEN) } else { word.count() };
        return String::from_utf8_lossy(text.get(..word).unwrap_or_default());
    };
    let behind = text.get(close..).unwrap_or_default();
    let blanks = behind.iter().skip(1).take_while(|byte| **byte == b' ').count();
    let mesh = behind.strip_prefix(b",").and_then(|rest| rest.get(blanks..));
    let mesh = mesh.and_then(|rest| rest.strip_prefix(b"mesh="));
    let mesh_length = mesh.map_or(0, |mesh| 1 + blanks + b"mesh=".len() + mesh_length(mesh));
    let text = text.get(..close + mesh_length).unwrap_or(text);
    String::from_utf8_lossy(text.strip_suffix(b",").unwrap_or(text))
}

/// The next 64 KiB: no sharding is longer.
fn near(bytes: &[u8], at: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.get(..LONGEST_LAYOUT).unwrap_or(rest)
}

/// The position behind the first bracket, with a name in front of it or none.
fn bracketed(text: &[u8]) -> Option<usize> {
    let open = text.iter().position(|byte| matches!(byte, b'{' | b'(' | b'['))?;
    let is_named = text.get(..open)?.iter().all(is_name);
    Some(Walk::from(open + 1).next(text, None).filter(|_| is_named)? + 1)
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
pub(super) fn behind(bytes: &[u8], end: usize) -> Option<Cow<'_, str>> {
    let blanks = bytes.get(end..)?.iter().take_while(|byte| **byte == b' ').count();
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
