//! A layout as a PadLayout.

use itertools::Itertools;

use super::{AxisText, PadLayout, ReplicaText, SubaxisText};
use crate::algebra::left_out::LeftOut;
use crate::algebra::{Collision, DerivedAxis, Layout, Subaxis, Target};
use crate::error::{ErrorKind, LayoutError, fault};
use crate::level::Level;
use crate::text::cute::starts_from;
use crate::text::kind::Notation;
use crate::words::counted;

impl PadLayout {
    /// Writes a layout as a PadLayout: the canonical text, with every stride.
    ///
    /// The shape is written if an axis is padded. Used levels that no subaxis names are written
    /// as subaxes of size 1 of the last axis, or as one copy where there are no axes.
    /// Law: lowering the result gives the same layout.
    ///
    /// # Errors
    /// `Inexpressible` for constant offsets, spans beyond the slots, derived axes that no plain subaxes
    /// replace, and elements that share places, which no text may have; where only padding or a span prevents
    /// it, the reason says so. As [`Layout::collision`].
    ///
    /// # Example
    /// ```
    /// use tensor_layout::notation::PadLayout;
    /// use tensor_layout::xla::XlaShape;
    /// let raised = |text: &str| PadLayout::of(&text.parse::<XlaShape>().unwrap().lower().unwrap());
    /// assert_eq!(raised("f32[3,5]{1,0:T(2,2)}")?.to_string(), "(3,5)/((2:12, 2:2), (3:4, 2:1))");
    /// let error = raised("bf16[6,5]{1,0:T(3,128)(2,1)}").unwrap_err();
    /// assert_eq!(error.to_string(), "a PadLayout cannot express this layout: \
    ///     axis 0 is padded inside a tile: a digit of size 3 is split into 2 x 2");
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    pub fn of(layout: &Layout) -> Result<PadLayout, LayoutError> {
        let MapText { text, said } = layout.closest_pad_layout()?;
        // Elements that share places are checked first: in such a layout padding would be the wrong reason.
        said.check_readable()?;
        let lost = layout.left_out(&said).into_iter().next();
        lost.map_or(Ok(text), |lost| Err(inexpressible(lost.into_error())))
    }

    /// Writes the map as a PadLayout, and a note on what it cannot express, if anything: padding, a span, or
    /// elements that share places; in the last case the text shows the digits, but cannot be lowered.
    ///
    /// Law: without a note, lowering the text gives the same layout; otherwise every element of the text has
    /// the places that it has in the layout.
    ///
    /// # Errors
    /// `Inexpressible` where the map itself cannot be expressed.
    pub fn map_of(layout: &Layout) -> Result<(PadLayout, Option<String>), LayoutError> {
        let MapText { text, said } = layout.closest_pad_layout()?;
        let lost = left_out_note(&layout.left_out(&said), Notation::PadLayout.in_messages());
        let note = lost.into_iter().chain(said.unread_note()).join("; ");
        Ok((text, (!note.is_empty()).then_some(note)))
    }
}

impl Layout {
    /// Returns an error if elements share places, since lowering rejects any text of such a layout.
    pub(super) fn check_readable(&self) -> Result<(), LayoutError> {
        let Some(collision) = self.collision()? else { return Ok(()) };
        let elements = Collision { by_replica: false, ..collision }.into_error();
        Err(inexpressible(elements.into_reason_of(ErrorKind::Inexpressible)))
    }

    /// The note for a text that cannot be read back; `None` if it can.
    pub(super) fn unread_note(&self) -> Option<String> {
        let why = self.check_readable().err()?.reason();
        Some(format!("this text cannot be read back as a layout: {why}"))
    }

    /// The text that keeps the most of this map: everything except the spans, or else only the elements.
    pub(super) fn closest_pad_layout(&self) -> Result<MapText, LayoutError> {
        let plain = self.plainest().without_spans();
        match plain.write_pad_layout() {
            Ok(text) => Ok(MapText { text, said: plain }),
            Err(_) => {
                let said = self.without_padding()?;
                Ok(MapText { text: said.write_pad_layout()?, said })
            }
        }
    }

    pub(super) fn write_pad_layout(&self) -> Result<PadLayout, LayoutError> {
        self.check_plain_axes().map_err(inexpressible)?;
        if let Some((level, offset)) = self.offsets().first() {
            let (level, offset) = (*level, *offset);
            return Err(inexpressible(starts_from(level, offset)));
        }
        let axes = self
            .axes()
            .iter()
            .map(|axis| AxisText::new(axis.subaxes.iter().filter_map(subaxis_text).collect()));
        let padded = self.axes().iter().any(|axis| axis.extent != axis.slots());
        let replicas = self.replicas().iter().map(|r| ReplicaText::Sized {
            size: r.size,
            level: r.level,
            stride: Some(r.stride),
        });
        let shape = padded.then(|| self.shape());
        let mut text = PadLayout::new(shape, axes.collect(), replicas.collect());
        self.name_unnamed(&mut text);
        Ok(text)
    }

    /// The reason plain subaxes cannot express the layout, if there is one.
    ///
    /// It is about the first derived axis: its feeders or its split.
    pub(crate) fn check_plain_axes(&self) -> Result<(), LayoutError> {
        let Some(derived) = self.derived_axes().first() else { return Ok(()) };
        if let Some(xor) = self.derived_axes().iter().position(DerivedAxis::is_xor) {
            return Err(xored(&self.axes_per_derived().swap_remove(xor)));
        }
        let mut feeders = Vec::new();
        for (number, axis) in self.axes().iter().enumerate() {
            let fed = axis.subaxes.iter().filter(|s| s.feeds() == Some(0));
            feeders.extend(fed.map(|subaxis| (number, *subaxis)));
        }
        let into = derived.axis.subaxes.iter().map(|s| s.size).collect_vec();
        let start = derived.start;
        Err(match feeders[..] {
            [(axis, Subaxis { size, target: Target::Feed { weight: 1, .. } })] if start == 0 => {
                inner_padding(axis, size, &into)
            }
            [(axis, Subaxis { target: Target::Feed { weight: step, .. }, .. })] if start == 0 => {
                fault!(
                    Inexpressible,
                    "axis {axis} steps by {step} through {value}",
                    [axis, step, value = value(&into)]
                )
            }
            [] => fault!(
                Inexpressible,
                "a constant offset of {value} inside a tile cannot be expressed",
                [value = start]
            ),
            [(axis, _)] => fault!(
                Inexpressible,
                "axis {axis} starts at {start} of {value}",
                [axis, start, value = value(&into)]
            ),
            _ => {
                let mut axes = feeders.iter().map(|(axis, _)| *axis).dedup();
                fault!(
                    Inexpressible,
                    "axes {axes} are fused into one value of extent {extent}, {digits}",
                    [
                        axes = axes.join(" and "),
                        extent = derived.axis.extent,
                        digits = straddling(&into)
                    ]
                )
            }
        })
    }

    /// Adds `1_Level:1` for used levels that no subaxis names; without axes, as one copy.
    pub(super) fn name_unnamed(&self, text: &mut PadLayout) {
        let is_named = |level: &Level| self.landings().any(|landing| landing.level == *level);
        let unnamed =
            self.used_levels().iter().filter(|level| **level != Level::ADDR && !is_named(level));
        for level in unnamed.copied() {
            match text.axes.last_mut() {
                Some(axis) => axis.subaxes.push(SubaxisText::new(1, Some(level), Some(1))),
                None => text.broadcast.push(ReplicaText::Sized { size: 1, level, stride: Some(1) }),
            }
        }
    }
}

/// The digits of a value; one of extent 1 has none.
fn value(into: &[u64]) -> String {
    match into {
        [] => "a value without digits".into(),
        _ => format!("a value that is split into {}", into.iter().join(" x ")),
    }
}

/// The refusal of a swizzle, which XORs bits of some axes.
fn xored(axes: &[usize]) -> LayoutError {
    let noun = if axes.len() == 1 { "axis" } else { "axes" };
    let axes = format!("{noun} {}", axes.iter().join(" and "));
    fault!(
        Inexpressible,
        "it has no XOR, but this layout is a swizzle: bits of {axes} are XORed",
        [axes]
    )
}

fn inner_padding(axis: usize, size: u64, into: &[u64]) -> LayoutError {
    match into {
        [] => fault!(
            Inexpressible,
            "a digit of axis {axis}, of size {size}, is cut to one value",
            [axis, size]
        ),
        [one] if *one == size => {
            fault!(
                Inexpressible,
                "axis {axis} is padded inside a tile, in a digit of size {size}",
                [axis, size]
            )
        }
        _ => fault!(
            Inexpressible,
            "axis {axis} is padded inside a tile: a digit of size {size} is split \
             into {sizes}",
            [axis, size, sizes = into.iter().join(" x ")]
        ),
    }
}

fn straddling(into: &[u64]) -> String {
    match into {
        [] => "which has no digits".into(),
        _ => format!("whose digits {} straddle them", into.iter().join(" x ")),
    }
}

/// A text, and the layout that it describes.
pub(super) struct MapText {
    pub(super) text: PadLayout,
    pub(super) said: Layout,
}

fn inexpressible(reason: LayoutError) -> LayoutError {
    Notation::PadLayout.cannot_express(reason)
}

/// The note for a text that omits something; `None` if `left_out` is empty.
pub(in crate::text) fn left_out_note(left_out: &[LeftOut], notation: &str) -> Option<String> {
    let note = |lost: &LeftOut| match lost {
        LeftOut::Span { level, span, end } => format!(
            "the span of `{level}` is {span}, which {notation} cannot express: it ends at {end}"
        ),
        LeftOut::Slots { slots, kept } => {
            let slots = counted(*slots, "slot");
            match kept {
                Some(1) => format!("padding is omitted (1 of {slots} is kept)"),
                Some(kept) => format!("padding is omitted ({kept} of {slots} are kept)"),
                None => format!("padding is omitted (not all of {slots} are kept)"),
            }
        }
        LeftOut::Marked(level) => format!("{notation} cannot express that `{level}` is used"),
    };
    (!left_out.is_empty()).then(|| left_out.iter().map(note).join("; "))
}

fn subaxis_text(subaxis: &Subaxis) -> Option<SubaxisText> {
    let Target::Land { level, stride } = subaxis.target else { return None };
    let level = (level != Level::ADDR).then_some(level);
    Some(SubaxisText::new(subaxis.size, level, Some(stride)))
}

#[cfg(test)]
mod tests {
    use super::inner_padding;

    #[test]
    fn a_digit_that_is_padded_inside_names_only_sizes_that_it_is_split_into() {
        let message = |into: &[u64]| inner_padding(1, 3, into).to_string();
        assert_eq!(message(&[]), "a digit of axis 1, of size 3, is cut to one value");
        assert_eq!(message(&[3]), "axis 1 is padded inside a tile, in a digit of size 3");
        let split = "axis 1 is padded inside a tile: a digit of size 3 is split into ";
        assert_eq!(message(&[4]), format!("{split}4"));
        assert_eq!(message(&[2, 2]), format!("{split}2 x 2"));
    }
}
