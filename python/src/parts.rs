//! Layouts as plain data, for pickles of what no notation says.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tensor_layout::algebra::{self, Subaxis, Target};
use tensor_layout::{Layout, Level};

use crate::refusal::Answer;

/// Size, level (or none for a derived axis), number of the derived axis, stride or weight.
type Digit = (u64, Option<String>, usize, u64);

/// Extent and digits, major to minor.
pub(crate) type Axis = (u64, Vec<Digit>);

/// The parts of a layout.
pub(crate) fn of<'py>(py: Python<'py>, layout: &Layout) -> Answer<Bound<'py, PyTuple>> {
    let axes: Vec<Axis> = layout.axes().iter().map(axis).collect();
    let derived = layout.derived_axes().iter().map(|derived| (derived.start, axis(&derived.axis)));
    let derived: Vec<(u64, Axis)> = derived.collect();
    let replicas = layout.replicas().iter();
    let replicas = replicas.map(|of| (of.size, of.level.as_str().to_owned(), of.stride));
    let replicas: Vec<(u64, String, u64)> = replicas.collect();
    let levels = layout.used_levels().iter();
    let levels = levels.map(|of| (of.as_str().to_owned(), layout.offset(*of), layout.span(*of)));
    let levels: Vec<(String, u64, u64)> = levels.collect();
    Ok((axes, derived, replicas, levels).into_pyobject(py)?)
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
pub(crate) fn layout(
    axes: Vec<Axis>,
    derived: Vec<(u64, Axis)>,
    replicas: Vec<(u64, String, u64)>,
    levels: Vec<(String, u64, u64)>,
) -> Answer<Layout> {
    let mut builder = Layout::builder();
    for (extent, digits) in axes {
        builder = builder.axis(extent, subaxes(digits)?);
    }
    for (start, (extent, digits)) in derived {
        builder = builder.derived(start, extent, subaxes(digits)?);
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
