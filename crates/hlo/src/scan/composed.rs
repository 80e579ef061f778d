//! CuTe layouts that are a part of more: of a composition such as `S<3,4,3> o 0 o (8,64):(64,1)`, or of the type of a
//! tensor whose pointer is swizzled.

use memchr::memmem;
use tensor_layout::notation::{CuteLayout, Notation};

use crate::escapes::SOFT_BREAK;
use crate::scan::bracket::{Stretch, behind_blanks, is_blank, stretch};

/// The distance, in bytes, within which the beginning of a composition is sought.
const NEAR: usize = 1 << 10;

/// The distance, in bytes, up to the next layout of a composition.
const NEXT: usize = 64;

/// The beginnings of compositions and tensors.
const HEADS: [&[u8]; 10] = [
    b"S<",
    b"Sw<",
    b"SW_",
    b"Swizzle",
    b"cute::",
    b"ArithTuple",
    b"tensor<",
    b"raw_ptr(",
    b"ptr<",
    b"ptr[",
];

const MEMREF: &[u8] = b"!cute.memref<";

/// Extends a CuTe layout to all that it is a part of, which begins behind `from`: it is a layout only as a whole. A part
/// that does not change its places, as a pointer without a swizzle, is left out.
pub(super) fn composed(bytes: &[u8], from: usize, found: Stretch) -> Stretch {
    if found.notation != Notation::Cute {
        return found;
    }
    let from = from.max(found.start.saturating_sub(NEAR)).min(found.start);
    let inner = Stretch { end: behind_composed(bytes, found.end), ..found };
    let inner = Stretch { is_certain: found.is_certain || inner.end > found.end, ..inner };
    let inner = behind_o(bytes, from, inner);
    in_memref(bytes, from, inner)
}

/// Returns the end of the composition that a layout begins: of `o 0 o (8,64):(64,1)` after it.
fn behind_composed(bytes: &[u8], end: usize) -> usize {
    let o = behind_blanks(bytes, end);
    let is_o = o > end && bytes.get(o) == Some(&b'o');
    if !is_o || !bytes.get(o + 1).is_some_and(|byte| is_blank(*byte)) {
        return end;
    }
    let rest = bytes.get(o..).unwrap_or_default();
    let rest = rest.get(..NEXT).unwrap_or(rest);
    let next = rest.iter().position(|byte| *byte == b'(').and_then(|open| stretch(bytes, o + open));
    match next.filter(|next| next.notation == Notation::Cute) {
        Some(next) => behind_composed(bytes, next.end),
        None => o + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
    }
}

/// Extends a layout after ` o ` by what is before that, and by the brackets around it.
fn behind_o(bytes: &[u8], from: usize, found: Stretch) -> Stretch {
    let before = |end: usize| trimmed(bytes.get(from..end).unwrap_or_default());
    let mut end = found.end;
    let mut head = before(found.start);
    let close = behind_blanks(bytes, end);
    if let Some(outer) = head.strip_suffix(b"(")
        && bytes.get(close) == Some(&b')')
        && is_after_o(trimmed(outer))
    {
        (head, end) = (trimmed(outer), close + 1);
    }
    if !is_after_o(head) {
        return found;
    }
    let heads = || (0..head.len()).filter(|at| is_head(head, *at));
    let whole = |at: usize| {
        let is_type = head.get(at..).is_some_and(|text| text.starts_with(b"tensor<"));
        let close = behind_blanks(bytes, end);
        let end = if is_type && bytes.get(close) == Some(&b'>') { close + 1 } else { end };
        Stretch { start: from + at, end, is_certain: true, ..found }
    };
    let read = heads().find_map(|at| Some((at, parsed(bytes, whole(at))?)));
    match read {
        Some((_, layout)) if layout.outer.is_none() => found,
        Some((at, _)) => whole(at),
        None => {
            let line = head.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            whole(heads().next_back().unwrap_or(line))
        }
    }
}

/// Extends the layout of `!cute.memref<.., "layout">` to the whole type.
fn in_memref(bytes: &[u8], from: usize, found: Stretch) -> Stretch {
    let before = trimmed(bytes.get(from..found.start).unwrap_or_default());
    let quote = behind_blanks(bytes, found.end);
    let close = behind_blanks(bytes, quote + 1);
    let Some(head) = before.strip_suffix(b"\"") else { return found };
    let Some(start) = memmem::rfind(head, MEMREF) else { return found };
    if head.get(start..).is_some_and(|head| head.contains(&b'"')) || bytes.get(quote) != Some(&b'"')
    {
        return found;
    }
    let end = if bytes.get(close) == Some(&b'>') { close + 1 } else { close };
    let whole = Stretch { start: from + start, end, is_certain: true, ..found };
    let alone = parsed(bytes, found);
    // Without a swizzle of addresses, the type adds nothing to its layout.
    if parsed(bytes, whole).is_some_and(|layout| Some(layout) == alone) { found } else { whole }
}

/// The longest type, in bytes.
pub(super) const LONGEST_TYPE: usize = 1 << 14;

/// The end of a type that opens at `open`; `None` where it does not close on its line.
pub(super) fn type_end(bytes: &[u8], open: usize) -> Option<usize> {
    let (mut depth, mut before) = (0_usize, 0);
    for (byte, end) in bytes.get(open..)?.iter().zip(open + 1..).take(LONGEST_TYPE) {
        match *byte {
            b'<' => depth += 1,
            b'>' if before != b'-' => depth -= 1,
            b'\n' | SOFT_BREAK | b'"' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(end);
        }
        before = *byte;
    }
    None
}

fn parsed(bytes: &[u8], of: Stretch) -> Option<CuteLayout> {
    std::str::from_utf8(bytes.get(of.start..of.end)?).ok()?.replace('\u{b}', " ").parse().ok()
}

fn trimmed(text: &[u8]) -> &[u8] {
    let blanks = text.iter().rev().take_while(|byte| is_blank(**byte)).count();
    text.get(..text.len() - blanks).unwrap_or_default()
}

/// Returns whether a text ends with ` o`.
fn is_after_o(text: &[u8]) -> bool {
    let before = text.strip_suffix(b"o").and_then(<[u8]>::last);
    before.is_some_and(|byte| is_blank(*byte) || matches!(byte, b')' | b'>'))
}

/// Returns whether a composition or a tensor may begin at a position.
fn is_head(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| text.get(at)).copied().unwrap_or(b' ');
    let is_word = before.is_ascii_alphanumeric() || before == b'_';
    let pointer = [&b"gmem_"[..], b"smem_", b"rmem_"];
    let rest = text.get(at..).unwrap_or_default();
    let rest = pointer.iter().find_map(|memory| rest.strip_prefix(*memory)).unwrap_or(rest);
    !is_word && HEADS.iter().any(|head| rest.starts_with(head))
}
