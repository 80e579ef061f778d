//! The nested modes of CuTe layouts, which layouts themselves do not have.

use tensor_layout::notation::{CuteLayout, CuteMode, Notation};
use tensor_layout::{LayoutError, LayoutText};

/// The modes of a CuTe layout as it was written.
pub(super) fn modes(syntax: &LayoutText) -> Option<Vec<CuteMode>> {
    match syntax {
        LayoutText::Cute(layout) => Some(layout.axes().to_vec()),
        _ => None,
    }
}

/// A CuTe layout with its leaves in the tuples of these modes; other texts as they are.
pub(super) fn nested(
    written: Result<(String, Option<String>), LayoutError>,
    to: Notation,
    modes: Option<&[CuteMode]>,
) -> Result<(String, Option<String>), LayoutError> {
    let (text, lost) = written?;
    let flat = text.parse::<CuteLayout>().ok().filter(|_| to == Notation::Cute);
    let nested = flat.zip(modes).map(|(flat, modes)| flat.nested_as(modes).to_string());
    Ok((nested.unwrap_or(text), lost))
}
