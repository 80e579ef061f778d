//! The used levels, slots and spans of a layout that another one with the same elements lacks.

use std::collections::BTreeSet;

use crate::algebra::coordinates::PlaceSet;
use crate::algebra::layout::Layout;
use crate::error::{LayoutError, fault};
use crate::level::Level;

/// A part of a layout that a text leaves out.
#[derive(Clone, Copy)]
pub(crate) enum LeftOut {
    /// A span that differs from that of the text, which ends at `end`.
    Span { level: Level, span: u64, end: u64 },
    /// Slots of padding, and the number that the text keeps; `None` if the layout is too tangled to count them.
    Slots { slots: u64, kept: Option<u64> },
    /// A level that is marked as used, although it has only coordinate 0 and so no element shows it.
    Marked(Level),
}

impl LeftOut {
    /// The reason that a notation cannot express the layout.
    pub(crate) fn into_error(self) -> LayoutError {
        match self {
            LeftOut::Span { level, span, end } => fault!(
                Inexpressible,
                "it can express the elements, but with a span of {end} in `{level}`, not {span}",
                [end, level, span]
            ),
            LeftOut::Slots { slots, kept } => {
                let kept = kept.map_or("not all".into(), |kept| format!("only {kept}"));
                fault!(
                    Inexpressible,
                    "it can express the elements, but {kept} of the {slots} slots",
                    [kept, slots]
                )
            }
            LeftOut::Marked(level) => fault!(
                Inexpressible,
                "it can express the shape, but not that `{level}` is used",
                [level]
            ),
        }
    }
}

impl Layout {
    /// Lists the spans, slots and used levels that are lost if this layout is written as a text that means
    /// `written`, where the elements have the same places.
    ///
    /// Law: the list is empty if and only if both are the same map; sets of slots too tangled to be compared
    /// count as equal if they are equally large.
    pub(crate) fn left_out(&self, written: &Layout) -> Vec<LeftOut> {
        let slots = self.slots_left_out(written);
        // If slots are lost, so is the extent that only they reached.
        let names_span = |level: Level| slots.is_none() || self.span(level) > self.extent(level);
        let tail = |level: &Level| {
            let (level, span, end) = (*level, self.span(*level), written.span(*level));
            let differs = span != end && names_span(level);
            differs.then_some(LeftOut::Span { level, span, end })
        };
        let marked = |level: &Level| (!written.uses(*level)).then_some(LeftOut::Marked(*level));
        let spans = self.used.iter().filter_map(tail);
        spans.chain(slots).chain(self.used.iter().filter_map(marked)).collect()
    }

    fn slots_left_out(&self, written: &Layout) -> Option<LeftOut> {
        let (slots, others) = (self.slots(), written.slots());
        if self.has_slots_of(written).unwrap_or(slots == others) {
            return None;
        }
        // Elements that share a slot may have one each in the text.
        let held = || Some(slots - self.pads().ok()?);
        let kept = if others < slots { Some(others) } else { held() };
        Some(LeftOut::Slots { slots, kept })
    }

    /// Returns whether both have slots in the same places; `None` if they are too tangled to decide.
    fn has_slots_of(&self, other: &Layout) -> Option<bool> {
        let levels: BTreeSet<Level> = self.used.iter().chain(&other.used).copied().collect();
        match levels.into_iter().all(|level| self.offset(level) == other.offset(level)) {
            true => PlaceSet::of_slots(self).same(&PlaceSet::of_slots(other)),
            false => Some(false),
        }
    }

    /// Returns the layout with as few derived axes as can be found: simplified and, if no slot is lost,
    /// [`without_padding`](Layout::without_padding).
    ///
    /// Law: the same map; equal for layouts that simplify alike.
    /// Cost: as [`without_padding`](Layout::without_padding) where derived axes are left.
    pub(crate) fn plainest(&self) -> Layout {
        let simplified = self.simplified();
        if simplified.derived.is_empty() {
            return simplified;
        }
        match simplified.without_padding() {
            Ok(plain) if plain.has_slots_of(&simplified) == Some(true) => {
                Layout { used: simplified.used, spans: simplified.spans, ..plain }
            }
            _ => simplified,
        }
    }

    /// Drops the spans, so that every level ends with its last slot.
    pub(crate) fn without_spans(mut self) -> Layout {
        self.spans.clear();
        self
    }
}
