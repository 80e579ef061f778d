//! The sharding that belongs to a shape: directly after it, or on its instruction.

use std::borrow::Cow;

use memchr::{memchr2, memmem};

use crate::escapes::SOFT_BREAK;
use crate::scan::window::LONGEST_LAYOUT;
use crate::shardings::sharded_arrays;
use tensor_layout::sharding::HloSharding;
use tensor_layout::sharding::{behind_mesh, behind_sharding};
use tensor_layout::xla::XlaShape;
use tensor_layout_words::{Walk, cut};

/// The most characters that are shown of an invalid tuple.
const MOST_SHOWN: usize = 60;

const KEY: &[u8] = b"sharding=";

/// The rest of a line, searched once for shardings; otherwise a very long line would be searched again for
/// every shape. Its positions are those of one window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LineAhead {
    /// The end of the line.
    end: usize,
    /// The next `sharding=`, in quotes or not; the end of the line without one.
    key: usize,
    /// The end of the attributes of the last instruction: a result before it is in brackets or quotes of that one.
    seen: usize,
}

impl LineAhead {
    /// Forgets what may have changed with the window, whose first `gone` bytes are gone.
    pub(super) fn move_on(&mut self, gone: usize) {
        *self = LineAhead { seen: self.seen.saturating_sub(gone), ..LineAhead::default() };
    }

    /// The `sharding` attribute of the instruction with the shape that ends at `at`; asked for once.
    pub(super) fn attribute(&mut self, bytes: &[u8], at: usize) -> Option<Attribute> {
        if at < self.seen {
            return None;
        }
        if at >= self.end {
            self.end = line_end(bytes, at);
            self.key = at;
        }
        let line = bytes.get(..self.end)?;
        if self.key <= at {
            let key = memmem::find(line.get(at..)?, KEY);
            self.key = key.map_or(self.end, |key| at + key);
        }
        // Most lines have none.
        let found = if self.key < self.end { attribute(line, at) } else { Err(self.end) };
        self.seen = found.map_or_else(|stop| stop, |found| found.value);
        found.ok().filter(|found| found.value <= at.saturating_add(LONGEST_LAYOUT))
    }
}

/// The attribute `, sharding=value`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute {
    comma: usize,
    value: usize,
}

impl Attribute {
    /// The sharding; `at` is the end of the shape.
    pub(super) fn sharding(self, bytes: &[u8], at: usize) -> Cow<'_, str> {
        let end = bytes.len().min(at.saturating_add(LONGEST_LAYOUT));
        sharding(bytes.get(self.value..end).unwrap_or_default())
    }
}

/// The attribute outside quotes and brackets of an instruction, or the position at which the instruction ends.
fn attribute(line: &[u8], at: usize) -> Result<Attribute, usize> {
    let mut walk = Walk::from(at);
    loop {
        let stop = walk.next(line, Some(b'=')).ok_or(line.len())?;
        let (before, behind) = line.split_at_checked(stop + 1).ok_or(stop)?;
        if let Some(key) = before.strip_suffix(KEY)
            && let Some(comma) = key.trim_ascii_end().strip_suffix(b",")
        {
            return Ok(Attribute { comma: comma.len(), value: stop + 1 });
        }
        let is_result = before.ends_with(b" =") && begins_with_shape(behind);
        if is_result || !before.ends_with(b"=") {
            return Err(stop);
        }
    }
}

/// Returns whether the text after ` =` is the shape of another instruction.
fn begins_with_shape(behind: &[u8]) -> bool {
    let Some(shape) = behind.strip_prefix(b" ") else { return false };
    let word = shape.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    matches!(shape.get(word), Some(b'[')) || shape.starts_with(b"(")
}

/// Returns the position of the value in `, sharding=value` at `comma`.
fn value(bytes: &[u8], comma: usize) -> Option<usize> {
    let rest = bytes.get(comma..)?.strip_prefix(b",")?;
    let blanks = rest.iter().take_while(is_blank).count();
    Some(bytes.len() - rest.get(blanks..)?.strip_prefix(KEY)?.len())
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + memchr2(b'\n', SOFT_BREAK, rest).unwrap_or(rest.len())
}

/// The text up to the end of its line, or up to the next `sharding=` outside quotes.
///
/// Otherwise, the end of an unclosed bracket would be searched for again and again. Text that is skipped as
/// quoted here is not quoted for the next `sharding=`, so all calls together look at every byte at most
/// twice.
fn own(text: &[u8]) -> &[u8] {
    let mut is_quoted = false;
    let ends = |(at, byte): (usize, &u8)| {
        is_quoted ^= *byte == b'"';
        let is_next = || text.get(at..).is_some_and(|rest| rest.starts_with(KEY));
        matches!(*byte, b'\n' | SOFT_BREAK) || (!is_quoted && is_next())
    };
    let end = text.iter().enumerate().position(ends);
    text.get(..end.unwrap_or(text.len())).unwrap_or(text)
}

/// The sharding at the start of a text, with the mesh that follows it; of text that cannot be one, the beginning.
fn sharding(text: &[u8]) -> Cow<'_, str> {
    const MOST_BROKEN: usize = 80;
    let text = own(text);
    let text = match behind_sharding(text) {
        Some(end) => text.get(..behind_axes(text, end)).unwrap_or(text),
        None if text.starts_with(b"{") => text.get(..MOST_BROKEN).unwrap_or(text),
        None => {
            let word = text.iter().take(MOST_BROKEN).position(|byte| matches!(byte, b',' | b' '));
            text.get(..word.unwrap_or(MOST_BROKEN)).unwrap_or(text)
        }
    };
    String::from_utf8_lossy(text.strip_suffix(b",").unwrap_or(text))
}

/// The position after `, mesh=..` at `end`; `end` without one. Axes without brackets, `x=2,y=4`, end at a blank.
fn behind_axes(text: &[u8], end: usize) -> usize {
    let rest = text.get(end..).unwrap_or_default().strip_prefix(b",").unwrap_or_default();
    let Some(mesh) = rest.trim_ascii_start().strip_prefix(b"mesh=") else { return end };
    let is_axes = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_=,".contains(byte);
    let axes = || mesh.iter().take_while(is_axes).count();
    text.len() - mesh.len() + behind_mesh(mesh).unwrap_or_else(axes)
}

fn is_blank(byte: &&u8) -> bool {
    byte.is_ascii_whitespace() || **byte == SOFT_BREAK
}

/// The sharding that is written after the shape which ends at `end`.
pub(super) fn behind(bytes: &[u8], end: usize) -> Option<Cow<'_, str>> {
    let blanks = bytes.get(end..)?.iter().take_while(is_blank).count();
    let value = value(bytes, end + blanks)?;
    let text = bytes.get(value..)?;
    Some(sharding(text.get(..LONGEST_LAYOUT).unwrap_or(text)))
}

/// The arrays of a result that is a tuple, each with its sharding.
pub(super) struct ShardedTuple {
    /// The arrays, or the tuple and the reason its sharding is not one of its arrays.
    pub(super) arrays: Result<Vec<String>, (String, String)>,
    pub(super) end: usize,
}

/// The sharded arrays of a result that is a tuple: `(f32[2], s32[3]) opcode(..), sharding={{..},{..}}`.
pub(super) fn of_tuple(bytes: &[u8], open: usize, attribute: Attribute) -> Option<ShardedTuple> {
    let sharding = attribute.sharding(bytes, open);
    let text = String::from_utf8_lossy(bytes.get(open..attribute.comma)?);
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

#[cfg(test)]
mod tests {
    use super::{KEY, own};

    #[test]
    fn texts_of_all_shardings_of_a_line_are_together_at_most_twice_as_long_as_the_line() {
        let units = [
            "sharding={devices=[2,1]0,1} ",
            "sharding={devices=[2,1]0,1 ",
            "sharding={\" ",
            "sharding={\"a\" ",
            "sharding=<\"<",
            "sharding={{}, {",
            "sharding=\"sharding=",
            "sharding=\"\"\"sharding=[{}], replicated={ x",
        ];
        for unit in units {
            let line = unit.repeat(1000);
            let keys = memchr::memmem::find_iter(line.as_bytes(), KEY);
            let values = keys.map(|at| &line.as_bytes()[at + KEY.len()..]);
            let looked_at: usize = values.map(|value| own(value).len()).sum();
            assert!(looked_at <= 2 * line.len(), "{unit}: {looked_at} of {}", line.len());
        }
        assert_eq!(own(b"{\"sharding=\"}, sharding={"), b"{\"sharding=\"}, ");
        assert_eq!(own(b"{a}\nb"), b"{a}");
    }
}
