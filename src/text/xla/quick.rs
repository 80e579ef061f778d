//! Arrays with an order, tiles, `L`, `E` and `S`, and tuples of them, read without the grammar.
//!
//! The grammar defines the notation and reports its errors; it takes a few microseconds. Dumps have many shapes,
//! nearly all of them plain, so this reader tries those first: it either reads a text exactly as the
//! grammar would, including spans, or leaves it to the grammar. It never reports an error.
//! Law: the grammar returns the same result where this reader does not give up.

use std::sync::Arc;

use tensor_layout_words::Cursor;

use super::dtype::XlaDtype;
use super::tree::{ArraySource, TileDim, XlaArray, XlaDim, XlaLayout, XlaShape};
use crate::error::Span;
use crate::text::written::NotCompared;

/// The shape of a plain text; `None` leaves it to the grammar.
///
/// The caller has bounded the depth of brackets.
pub(super) fn read(text: &str) -> Option<XlaShape> {
    let mut reader = QuickReader { at: Cursor::new(text), shared: text.into() };
    reader.skip();
    let shape = reader.shape()?;
    reader.skip();
    reader.at.is_at_end().then_some(shape)
}

struct QuickReader<'t> {
    at: Cursor<'t>,
    shared: Arc<str>,
}

impl QuickReader<'_> {
    /// Skips blanks, and the comments with which XLA numbers the members of tuples.
    fn skip(&mut self) {
        self.at.blanks();
        while self.at.peek() == Some(b'/') {
            let mut behind = self.at.clone();
            if !behind.takes_all("/*index=") || behind.number().is_none() || !behind.takes_all("*/")
            {
                return;
            }
            self.at = behind;
            self.at.blanks();
        }
    }

    fn shape(&mut self) -> Option<XlaShape> {
        if !self.at.takes(b'(') {
            return self.array().map(XlaShape::Array);
        }
        let mut members = Vec::new();
        self.skip();
        if self.at.takes(b')') {
            return Some(XlaShape::Tuple(members));
        }
        loop {
            members.push(self.shape()?);
            self.skip();
            if self.at.takes(b')') {
                return Some(XlaShape::Tuple(members));
            }
            self.at.token(b',')?;
            self.skip();
        }
    }

    fn array(&mut self) -> Option<XlaArray> {
        let start = self.at.at();
        let dtype = XlaDtype::from_name(self.at.word()?)?;
        let open = self.at.at();
        self.at.token(b'[')?;
        let dims = self.at.list(b']', |at| {
            let bounded = at.takes_all("<=");
            let size = int(at)?.unsigned_abs();
            Some(if bounded { XlaDim::Bounded(size) } else { XlaDim::Static(size) })
        })?;
        let mut source = ArraySource {
            text: self.shared.clone(),
            dims: self.at.since(open),
            ..ArraySource::default()
        };
        let layout = match self.at.peek() {
            Some(b'{') => Some(self.layout(&mut source)?),
            // Blanks or a comment may be in front of a layout.
            Some(b',' | b')') | None => None,
            Some(_) => return None,
        };
        if layout.as_ref().is_some_and(|layout| layout.minor_to_major.len() != dims.len()) {
            return None;
        }
        source.whole = self.at.since(start);
        let layout = layout.and_then(XlaLayout::into_printed);
        Some(XlaArray { dtype, dims, layout, source: NotCompared(Arc::new(source)) })
    }

    fn layout(&mut self, source: &mut ArraySource) -> Option<XlaLayout> {
        let at = &mut self.at;
        at.token(b'{')?;
        let mut layout = XlaLayout::default();
        let start = at.at();
        while at.peek()?.is_ascii_digit() {
            layout.minor_to_major.push(int(at)?);
            source.minor_to_major = at.since(start);
            if !at.takes(b',') {
                break;
            }
            at.peek().filter(u8::is_ascii_digit)?;
        }
        if layout.minor_to_major.is_empty() {
            source.minor_to_major = Span::new(start, start);
        }
        if at.takes(b':') {
            attributes(at, &mut layout, source)?;
        } else if layout.minor_to_major.is_empty() {
            return None;
        }
        at.token(b'}')?;
        Some(layout)
    }
}

/// Reads attributes in XLA's order. It stops at `SC` and other rare ones; the caller then finds no `}` and
/// gives up.
fn attributes(at: &mut Cursor<'_>, layout: &mut XlaLayout, source: &mut ArraySource) -> Option<()> {
    if at.takes(b'T') {
        tiles(at, layout, source)?;
    }
    let start = at.at();
    if at.takes(b'L') {
        layout.set_tail_padding(in_brackets(at)?);
        source.tail = at.since(start);
    }
    let start = at.at();
    if at.takes(b'E') {
        layout.element_bits = in_brackets(at)?;
        source.bits = at.since(start);
    }
    if at.takes(b'S') {
        layout.memory_space = in_brackets(at)?;
    }
    Some(())
}

fn tiles(at: &mut Cursor<'_>, layout: &mut XlaLayout, source: &mut ArraySource) -> Option<()> {
    while at.peek() == Some(b'(') {
        let start = at.at();
        at.token(b'(')?;
        let tile = at.list(b')', |at| {
            Some(if at.takes(b'*') { TileDim::Combine } else { TileDim::Size(int(at)?) })
        })?;
        source.tiles.push(at.since(start));
        layout.tiles.push(tile);
    }
    (!layout.tiles.is_empty()).then_some(())
}

fn in_brackets(at: &mut Cursor<'_>) -> Option<i64> {
    at.token(b'(')?;
    let number = int(at)?;
    at.token(b')')?;
    Some(number)
}

/// An integer without a sign.
fn int(at: &mut Cursor<'_>) -> Option<i64> {
    i64::try_from(at.number()?).ok()
}
