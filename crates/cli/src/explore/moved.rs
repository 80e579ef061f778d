//! A digit that moves to another place of its axis, or takes a factor from a neighbour.

use tensor_layout::algebra::{Axis, LayoutBuilder};
use tensor_layout::{Layout, LayoutText};

use crate::edit::rewritten;
use crate::failure::Failure;

/// The greatest factor that a digit takes.
const MOST_FACTOR: u64 = 1 << 16;

/// The text of a layout after a digit has moved to the place of another one of its axis: it keeps its level and
/// its stride, and what it counts changes. Digits are numbered as in [`digits_json`](super::digits::digits_json).
pub(super) fn moved(syntax: &LayoutText, from: usize, to: usize) -> Result<String, Failure> {
    let layout = syntax.lower()?;
    let mut axes = layout.axes().to_vec();
    match (place_of(&axes, from), place_of(&axes, to)) {
        (Some((axis, from)), Some((of, to))) if axis == of => {
            let digit = axes[axis].subaxes.remove(from);
            axes[axis].subaxes.insert(to, digit);
            rewritten(syntax, &with_axes(&layout, axes)?)
        }
        _ => Err(Failure::Advised(
            "a digit moves within its axis".into(),
            "to move it to another axis, edit the text".into(),
        )),
    }
}

/// The axis of a digit, and its position there.
fn place_of(axes: &[Axis], digit: usize) -> Option<(usize, usize)> {
    let all = axes.iter().enumerate();
    let mut places =
        all.flat_map(|(at, axis)| (0..axis.subaxes.len()).map(move |digit| (at, digit)));
    places.nth(digit)
}

/// The text of a layout after a digit has taken the least factor that it can from the next digit of its axis, or has
/// given it one; the last digit uses the one before it. The number of elements does not change.
pub(super) fn resized(syntax: &LayoutText, digit: usize, larger: bool) -> Result<String, Failure> {
    let layout = syntax.lower()?;
    let mut axes = layout.axes().to_vec();
    let place = place_of(&axes, digit);
    let changed = place.and_then(|(axis, own)| {
        let digits = &mut axes[axis].subaxes;
        let (own, other) = neighbours(own, digits.len())?;
        let sizes = other_sizes([digits[own].size, digits[other].size], larger)?;
        (digits[own].size, digits[other].size) = (sizes[0], sizes[1]);
        Some(())
    });
    match changed {
        Some(()) => rewritten(syntax, &with_axes(&layout, axes)?),
        None => Err(Failure::Advised(
            format!("the digit cannot be {}", if larger { "larger" } else { "smaller" }),
            "factors come from the next digit of the axis and go there".into(),
        )),
    }
}

/// A digit and the next one, or the previous one if it is the last; `None` if it is alone.
fn neighbours(digit: usize, count: usize) -> Option<(usize, usize)> {
    let other = if digit + 1 < count { Some(digit + 1) } else { digit.checked_sub(1) };
    other.map(|other| (digit, other))
}

/// The next sizes of two digits, in the order of the first, that have the same product.
fn other_sizes([own, other]: [u64; 2], larger: bool) -> Option<[u64; 2]> {
    let product = own.checked_mul(other)?;
    // A factor of the size that shrinks is found before that size is reached.
    let least = |size: u64| (2..=size.min(MOST_FACTOR)).find(|factor| size.is_multiple_of(*factor));
    let own = match larger {
        true => own * least(other)?,
        false => own / least(own)?,
    };
    Some([own, product / own])
}

fn with_axes(layout: &Layout, axes: Vec<Axis>) -> Result<Layout, Failure> {
    let levels = Layout::builder().levels_of(layout, |_| true);
    let axes = axes.into_iter().fold(levels, LayoutBuilder::with_axis);
    let derived = layout.derived_axes().iter().cloned();
    Ok(derived.fold(axes, LayoutBuilder::derived_axis).build()?)
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

    #[test]
    fn a_digit_takes_a_factor_from_the_next_one() {
        let resized = |text: &str, at, larger| {
            let text = LayoutText::parse(text).unwrap();
            resized(&text, at, larger).map_err(|failure| failure.to_string())
        };
        let text = "(10,7)/((3:7, 4_PE), (7:1))";
        assert_eq!(resized(text, 0, true).unwrap(), "(10,7)/((6:7, 2_PE:1), (7:1))");
        assert_eq!(resized(text, 0, false).unwrap(), "(10,7)/((1:7, 12_PE:1), (7:1))");
        // The last digit takes from the one before it.
        assert_eq!(resized(text, 1, true).unwrap(), "(10,7)/((1:7, 12_PE:1), (7:1))");
        let why = resized(text, 2, true).unwrap_err();
        assert!(why.contains("cannot be larger"), "{why}");
        assert!(resized("((1:8, 8:1))", 0, false).is_err());
    }
}
