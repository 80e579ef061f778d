//! A digit that moves to another place of its axis.

use tensor_layout::algebra::{Axis, LayoutBuilder};
use tensor_layout::{Layout, LayoutText};

use crate::edit::rewritten;
use crate::failure::Failure;

/// The text of a layout after a digit has moved to the place of another one of its axis: it keeps its level and
/// its stride, and what it counts changes. Digits are numbered as in [`digits_json`](super::digits::digits_json).
pub(super) fn moved(syntax: &LayoutText, from: usize, to: usize) -> Result<String, Failure> {
    let layout = syntax.lower()?;
    let mut axes = layout.axes().to_vec();
    let mut first = 0;
    for axis in &mut axes {
        let digits = first..first + axis.subaxes.len();
        if digits.contains(&from) && digits.contains(&to) {
            let digit = axis.subaxes.remove(from - first);
            axis.subaxes.insert(to - first, digit);
            let layout = with_axes(&layout, axes)?;
            return rewritten(syntax, &layout);
        }
        first = digits.end;
    }
    Err(Failure::Advised(
        "a digit moves within its axis".into(),
        "to move it to another axis, edit the text".into(),
    ))
}

fn with_axes(layout: &Layout, axes: Vec<Axis>) -> Result<Layout, Failure> {
    let axes = axes.into_iter().fold(Layout::builder(), LayoutBuilder::with_axis);
    let derived = layout.derived_axes().iter().cloned();
    let nodes = derived.fold(axes, LayoutBuilder::derived_axis);
    let replicas = layout.replicas().iter().cloned();
    let copies = replicas.fold(nodes, LayoutBuilder::with_replica);
    let levels = layout.used_levels().iter().copied();
    let used = levels
        .fold(copies, |builder, level| builder.used(level).offset(level, layout.offset(level)));
    Ok(used.build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digit_that_has_moved_keeps_its_stride() {
        let moved = |text: &str, from, to| {
            let text = LayoutText::parse(text).unwrap();
            moved(&text, from, to).map_err(|failure| failure.to_string())
        };
        let text = moved("(10,7)/((3:7, 4_PE), (7:1))", 1, 0).unwrap();
        assert_eq!(text, "(10,7)/((4_PE:1, 3:7), (7:1))");
        let text = moved("((2:5, 3_PE:2, 2:1))", 0, 2).unwrap();
        assert_eq!(text, "((3_PE:2, 2:1, 2:5))");
        assert!(moved("((2:5), (3:1))", 0, 1).is_err());
    }
}
