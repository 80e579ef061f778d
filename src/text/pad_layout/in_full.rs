//! Any layout as text for people.

use std::fmt;

use itertools::Itertools;

use super::PadLayout;
use crate::algebra::{Axis, Combine, Layout, Subaxis, Target};
use crate::level::Level;

impl fmt::Display for Layout {
    /// Writes the text of a PadLayout or, if there is none, all parts: the axes as in a PadLayout, where
    /// `4>d0*2` is a digit of size 4 that feeds derived axis 0 with weight 2, then the derived axes, copies,
    /// offsets and spans.
    ///
    /// Law: the text of a PadLayout is read as an equal layout. Other texts are for messages; stored layouts
    /// use a separate text form, by serde.
    ///
    /// ```
    /// use tensor_layout::Layout;
    /// let layout: Layout = "((4_PE, 16:8), (8:1))".parse()?;
    /// assert_eq!(layout.to_string(), "((4_PE:1, 16:8), (8:1))");
    /// let slice = layout.slice(0, 40, 64, 1)?;
    /// assert_eq!(
    ///     slice.to_string(),
    ///     "(24,8)/((3>d0, 8:8), (8:1)); d0 = (8)/(4_PE:1, 2:64) from 5",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match PadLayout::of(self) {
            Ok(text) => text.fmt(f),
            Err(_) => self.fmt_in_full(f),
        }
    }
}

impl Layout {
    fn fmt_in_full(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes = self.axes().iter().map(digits);
        write!(f, "({})/({})", self.shape().iter().format(","), axes.format(", "))?;
        for (number, derived) in self.derived_axes().iter().enumerate() {
            let of = match derived.combine {
                Combine::Sum => "",
                Combine::Xor => "xor ",
            };
            write!(f, "; d{number} = {of}({})/{}", derived.axis.extent, digits(&derived.axis))?;
            if derived.start > 0 {
                write!(f, " from {}", derived.start)?;
            }
        }
        let copies = self.replicas().iter();
        let mut copies =
            copies.map(|copies| landing(copies.size, copies.level, copies.stride)).peekable();
        if copies.peek().is_some() {
            write!(f, "; B@[{}]", copies.format(","))?;
        }
        for (level, offset) in self.offsets() {
            write!(f, "; {level} + {offset}")?;
        }
        for (level, span) in self.spans() {
            write!(f, "; {level} of {span}")?;
        }
        Ok(())
    }
}

fn digits(axis: &Axis) -> String {
    let digit = |subaxis: &Subaxis| match subaxis.target {
        Target::Land { level, stride } => landing(subaxis.size, level, stride),
        Target::Feed { derived, weight: 1 } => format!("{}>d{derived}", subaxis.size),
        Target::Feed { derived, weight } => format!("{}>d{derived}*{weight}", subaxis.size),
    };
    format!("({})", axis.subaxes.iter().map(digit).format(", "))
}

fn landing(size: u64, level: Level, stride: u64) -> String {
    match level {
        Level::ADDR => format!("{size}:{stride}"),
        _ => format!("{size}_{level}:{stride}"),
    }
}
