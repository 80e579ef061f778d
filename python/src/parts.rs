//! Layouts as plain data, for pickles of what edits made.

use tensor_layout::algebra::{self, Combine, Subaxis, Target};
use tensor_layout::{Layout, Level};

use crate::refusal::Answer;

/// Size, level (or none for a derived axis), number of the derived axis, stride or weight.
type Digit = (u64, Option<String>, usize, u64);

/// Extent and digits, major to minor.
type Axis = (u64, Vec<Digit>);

/// Axes; derived axes with whether they are XORs and what they start from; replicas; levels with their offsets and spans.
pub(crate) type Parts =
    (Vec<Axis>, Vec<(bool, u64, Axis)>, Vec<(u64, String, u64)>, Vec<(String, u64, u64)>);

/// The parts of a layout.
pub(crate) fn of(layout: &Layout) -> Parts {
    let derived = layout.derived_axes().iter();
    let derived = derived
        .map(|derived| (derived.combine == Combine::Xor, derived.start, axis(&derived.axis)));
    let replicas = layout.replicas().iter();
    let replicas = replicas.map(|of| (of.size, of.level.as_str().to_owned(), of.stride));
    let levels = layout.used_levels().iter();
    let levels = levels.map(|of| (of.as_str().to_owned(), layout.offset(*of), layout.span(*of)));
    let axes = layout.axes().iter().map(axis);
    (axes.collect(), derived.collect(), replicas.collect(), levels.collect())
}

fn axis(axis: &algebra::Axis) -> Axis {
    let digit = |subaxis: &Subaxis| match subaxis.target {
        Target::Land { level, stride } => {
            (subaxis.size, Some(level.as_str().to_owned()), 0, stride)
        }
        Target::Feed { derived, weight } => (subaxis.size, None, derived, weight),
    };
    (axis.extent, axis.subaxes.iter().map(digit).collect())
}

/// The layout that parts were taken from.
pub(crate) fn layout((axes, derived, replicas, levels): Parts) -> Answer<Layout> {
    let mut builder = Layout::builder();
    for (extent, digits) in axes {
        builder = builder.axis(extent, subaxes(digits)?);
    }
    for (is_xor, start, (extent, digits)) in derived {
        builder = match is_xor {
            true => builder.xor(start, subaxes(digits)?),
            false => builder.derived(start, extent, subaxes(digits)?),
        };
    }
    for (size, level, stride) in replicas {
        builder = builder.replica(size, Level::new(&level)?, stride);
    }
    for (level, offset, span) in levels {
        let level = Level::new(&level)?;
        builder = builder.used(level).offset(level, offset).span(level, span);
    }
    Ok(builder.build()?)
}

fn subaxes(digits: Vec<Digit>) -> Answer<Vec<Subaxis>> {
    let subaxis = |(size, level, derived, step): Digit| match level {
        Some(level) => Ok(Subaxis::land(size, Level::new(&level)?, step)),
        None => Ok(Subaxis::feed(size, derived, step)),
    };
    digits.into_iter().map(subaxis).collect()
}
