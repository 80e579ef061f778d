//! Shape and strides as tuples of Python's own integers, without a text on the way.

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyTuple};
use tensor_layout::LayoutText;
use tensor_layout::notation::{CuteLayout, CuteMode, Strided};

/// The nesting up to which tuples are read here.
const MOST_NESTED: usize = 32;

/// The layout of a shape and its strides; `None` for what `shape_text` reads, or explains: other numbers, and errors.
pub(crate) fn of(
    shape: &Bound<'_, PyAny>,
    strides: &Bound<'_, PyAny>,
    notation: Option<&str>,
) -> Option<LayoutText> {
    let mode = mode(shape, strides, 0)?;
    match (notation, flat(&mode)) {
        (None | Some("strided"), Some((shape, strides))) => {
            Some(LayoutText::Strided(Strided::new(shape, strides)))
        }
        (None, None) | (Some("cute"), _) => Some(LayoutText::Cute(CuteLayout::new(mode))),
        _ => None,
    }
}

/// Extents and strides of a tuple without tuples in it.
fn flat(mode: &CuteMode) -> Option<(Vec<u64>, Vec<u64>)> {
    let CuteMode::Tuple(modes) = mode else { return None };
    let leaf = |mode: &CuteMode| match mode {
        CuteMode::Leaf(extent, stride) => Some((*extent, stride.step)),
        CuteMode::Tuple(_) => None,
    };
    modes.iter().map(leaf).collect()
}

fn mode(shape: &Bound<'_, PyAny>, strides: &Bound<'_, PyAny>, depth: usize) -> Option<CuteMode> {
    if let (Some(shape), Some(strides)) = (members(shape), members(strides)) {
        let is_read = shape.len() == strides.len() && depth < MOST_NESTED && !shape.is_empty();
        let pairs = is_read.then(|| shape.iter().zip(&strides))?;
        let modes = pairs.map(|(shape, strides)| mode(shape, strides, depth + 1));
        return modes.collect::<Option<_>>().map(CuteMode::Tuple);
    }
    Some(CuteMode::Leaf(number(shape)?, number(strides)?.into()))
}

fn members<'py>(of: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    let tuple = of.cast::<PyTuple>().map(|tuple| tuple.iter().collect());
    tuple.or_else(|_| of.cast::<PyList>().map(|list| list.iter().collect())).ok()
}

fn number(of: &Bound<'_, PyAny>) -> Option<u64> {
    of.cast_exact::<PyInt>().ok()?.extract().ok()
}
