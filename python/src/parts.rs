//! Layouts as plain data, for pickling edited layouts.

use pyo3::prelude::*;
use tensor_layout::algebra::{self, Combine, Subaxis, Target};
use tensor_layout::{Layout, Level};

use crate::refusal::{Answer, refused};

/// Size; level, or number of a derived axis; stride or weight.
type Digit = (u64, To, u64);

/// The target of a digit.
#[derive(Debug, FromPyObject, IntoPyObject)]
pub(crate) enum To {
    Level(String),
    Derived(usize),
}

/// Extent and digits, major to minor.
pub(crate) type Axis = (u64, Vec<Digit>);

/// `sum` or `xor`, start value, extent and digits.
pub(crate) type Derived = (String, u64, u64, Vec<Digit>);

/// Axes, derived axes, copies; levels with their offsets and spans.
pub(crate) type Parts = (Vec<Axis>, Vec<Derived>, Vec<(u64, String, u64)>, Vec<(String, u64, u64)>);

/// The call that makes the layout, as Python writes it.
pub(crate) fn shown(py: Python<'_>, layout: &Layout, like: Option<String>) -> Answer<String> {
    let (axes, derived, copies, levels) = of(layout);
    let mut text = format!("Layout.from_parts({}", axes.into_pyobject(py)?.repr()?);
    let mut add = |name: &str, list: Bound<'_, PyAny>| -> Answer<()> {
        if !list.is_empty()? {
            text += &format!(", {name}={}", list.repr()?);
        }
        Ok(())
    };
    add("derived", derived.into_pyobject(py)?)?;
    add("copies", copies.into_pyobject(py)?)?;
    add("levels", levels.into_pyobject(py)?)?;
    text.extend(like.map(|like| format!(", like={like}")));
    Ok(text + ")")
}

/// The parts of a layout.
pub(crate) fn of(layout: &Layout) -> Parts {
    let derived = layout.derived_axes().iter();
    let derived = derived.map(|derived| {
        let combine = if derived.combine == Combine::Xor { "xor" } else { "sum" };
        let (extent, digits) = axis(&derived.axis);
        (combine.to_owned(), derived.start, extent, digits)
    });
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
            (subaxis.size, To::Level(level.as_str().to_owned()), stride)
        }
        Target::Feed { derived, weight } => (subaxis.size, To::Derived(derived), weight),
    };
    (axis.extent, axis.subaxes.iter().map(digit).collect())
}

/// The layout that parts were taken from.
pub(crate) fn layout((axes, derived, replicas, levels): Parts) -> Answer<Layout> {
    let mut builder = Layout::builder();
    for (extent, digits) in axes {
        builder = builder.axis(extent, subaxes(digits)?);
    }
    for (combine, start, extent, digits) in derived {
        builder = match combine.as_str() {
            "xor" => builder.xor(start, subaxes(digits)?),
            "sum" => builder.derived(start, extent, subaxes(digits)?),
            _ => return refused(format!("a derived axis is a 'sum' or a 'xor', not '{combine}'")),
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
    let subaxis = |(size, to, step): Digit| match to {
        To::Level(level) => Ok(Subaxis::land(size, Level::new(&level)?, step)),
        To::Derived(derived) => Ok(Subaxis::feed(size, derived, step)),
    };
    digits.into_iter().map(subaxis).collect()
}
