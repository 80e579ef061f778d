//! A reader for valid, plain PadLayouts that does not use the grammar.

use super::tree::{AxisText, MemoryText, PadLayout, ReplicaText, SubaxisText, TreeSource};
use crate::error::Span;
use crate::level::Level;
use crate::text::cursor::Cursor;
use crate::text::written::NotCompared;

/// The tree of a plain text; `None` leaves it to the grammar.
pub(super) fn read(text: &str) -> Option<PadLayout> {
    let mut at = Cursor::new(text);
    let mut layout = PadLayout::default();
    let mut source = TreeSource { text: text.into(), ..TreeSource::default() };
    at.blanks();
    if let Some((shape, span, behind)) = shape(&at) {
        (layout.shape, source.shape, at) = (Some(shape), span, behind);
        at.blanks();
    }
    body(&mut at, &mut layout, &mut source)?;
    at.blanks();
    if at.takes(b'@') {
        suffix(&mut at, &mut layout, &mut source)?;
    }
    layout.source = NotCompared(source);
    at.is_at_end().then_some(layout)
}

/// Reads the shape in front of the axes: a list of integers followed by a slash.
fn shape<'t>(start: &Cursor<'t>) -> Option<(Vec<u64>, Span, Cursor<'t>)> {
    let mut at = start.clone();
    at.token(b'(')?;
    let shape = at.list(b')', Cursor::number)?;
    at.blanks();
    at.token(b'/')?;
    let span = at.since(start.at());
    Some((shape, span, at))
}

fn body(at: &mut Cursor<'_>, layout: &mut PadLayout, source: &mut TreeSource) -> Option<()> {
    at.token(b'(')?;
    at.blanks();
    while !at.takes(b')') {
        if at.takes(b';') {
            at.blanks();
            broadcast(at, layout, source)?;
            at.blanks();
            return at.token(b')');
        }
        if !layout.axes.is_empty() {
            at.token(b',')?;
            at.blanks();
        }
        layout.axes.push(axis(at)?);
        at.blanks();
    }
    Some(())
}

fn axis(at: &mut Cursor<'_>) -> Option<AxisText> {
    let start = at.at();
    let bare = !at.takes(b'(');
    let subaxes = if bare { vec![subaxis(at)?] } else { at.list(b')', subaxis)? };
    Some(AxisText { subaxes, bare, span: NotCompared(at.since(start)) })
}

fn subaxis(at: &mut Cursor<'_>) -> Option<SubaxisText> {
    let start = at.at();
    let size = at.number()?;
    let level = if at.takes(b'_') { Some(level(at)?) } else { None };
    let stride = if at.takes(b':') { Some(at.number()?) } else { None };
    Some(SubaxisText { size, level, stride, span: NotCompared(at.since(start)) })
}

fn level(at: &mut Cursor<'_>) -> Option<Level> {
    let name = at.word()?;
    if Level::misspelt(name).is_some() { None } else { Level::new(name).ok() }
}

fn broadcast(at: &mut Cursor<'_>, layout: &mut PadLayout, source: &mut TreeSource) -> Option<()> {
    at.takes_all("B@[").then_some(())?;
    layout.broadcast = at.list(b']', |at| {
        let start = at.at();
        let replica = replica(at)?;
        source.replicas.push(at.since(start));
        Some(replica)
    })?;
    // The grammar wants one replica at least.
    (!layout.broadcast.is_empty()).then_some(())
}

fn replica(at: &mut Cursor<'_>) -> Option<ReplicaText> {
    if at.peek()?.is_ascii_alphabetic() {
        return level(at).map(ReplicaText::Bare);
    }
    let size = at.number()?;
    at.token(b'_')?;
    let level = level(at)?;
    let stride = if at.takes(b':') { Some(at.number()?) } else { None };
    Some(ReplicaText::Sized { size, level, stride })
}

fn suffix(at: &mut Cursor<'_>, layout: &mut PadLayout, source: &mut TreeSource) -> Option<()> {
    at.blanks();
    let start = at.at();
    layout.memory = Some(MemoryText::of(at.word()?)?);
    source.memory = at.since(start);
    at.blanks();
    if at.takes(b'/') {
        at.blanks();
        layout.dtype = Some(at.word()?.parse().ok()?);
        at.blanks();
    }
    Some(())
}
