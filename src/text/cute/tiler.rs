//! CuTe tilers: `<3:3, (2,4):(1,8)>`, a layout for each mode.

use std::fmt;
use std::str::FromStr;

use itertools::Itertools;

use super::tree::CuteLayout;
use crate::error::{ParseError, ParseErrorKind, Span};

/// A layout for each of the first modes of another layout.
///
/// `8` is short for `8:1`, `_8` for a static 8, and `_` leaves a mode whole. The CuTe DSL writes
/// `[3:3;(2,4):(1,8)]`, C++ `Tile<Layout<_3,_3>, ..>`.
/// Law: `parse(print(x)) == x`.
///
/// ```
/// use tensor_layout::notation::CuteTiler;
/// let tiler: CuteTiler = "<3:3, _, (2,4):(1,8)>".parse()?;
/// assert_eq!(tiler.modes.len(), 3);
/// assert_eq!(tiler, "[3:3;_;(2,4):(1,8)]".parse()?);
/// assert_eq!(tiler.to_string(), "<3:3, _, (2,4):(1,8)>");
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CuteTiler {
    /// A layout per mode, from the first on; `None` for a mode that is left whole.
    pub modes: Vec<Option<CuteLayout>>,
}

impl CuteTiler {
    /// Returns whether a text begins as a tiler does.
    #[must_use]
    pub fn is_begun_by(text: &str) -> bool {
        let text = text.trim_start();
        text.starts_with(['<', '[']) || of_type(text) != text
    }
}

impl FromStr for CuteTiler {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<CuteTiler, ParseError> {
        let written = of_type(text.trim());
        let inside = |open, close| written.strip_prefix(open)?.strip_suffix(close);
        let angles = inside('<', '>').map(|inside| (inside, ','));
        let parts = angles.or_else(|| inside('[', ']').map(|inside| (inside, ';')));
        let (inside, between) = parts.ok_or_else(|| {
            let kind = ParseErrorKind::Expected(vec!["`<3:1, 8:1>`"]);
            ParseError::new(kind, Span::new(0, text.len()), text)
        })?;
        Ok(CuteTiler { modes: split(inside, between).into_iter().map(mode).try_collect()? })
    }
}

/// `<..>` of `Tile<..>`, or of the tuple that it is short for, with `{}` or without; the text itself if it is neither.
fn of_type(text: &str) -> &str {
    let name = text.trim_start_matches("::").trim_start_matches("cute::");
    let list = name.strip_prefix("Tile").or_else(|| name.strip_prefix("tuple"));
    let list = list.filter(|list| list.starts_with('<'));
    list.map_or(text, |list| list.trim_end_matches("{}").trim_end())
}

/// The layout of a mode.
fn mode(text: &str) -> Result<Option<CuteLayout>, ParseError> {
    let text = text.trim();
    match text.trim_start_matches("::").trim_start_matches("cute::") {
        "_" | "Underscore" => Ok(None),
        // A number may be a type, `C<8>`.
        _ => {
            let typed = |error| format!("Layout<{text}>").parse().map_err(|_| error);
            text.parse().or_else(typed).map(Some)
        }
    }
}

/// The parts of `text` between separators outside of brackets.
fn split(text: &str, between: char) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '<' => depth += 1,
            ')' | '>' => depth = depth.saturating_sub(1),
            _ if letter == between && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

impl fmt::Display for CuteTiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mode = |mode: &Option<CuteLayout>| match mode {
            Some(mode) => mode.to_string(),
            None => "_".to_owned(),
        };
        write!(f, "<{}>", self.modes.iter().map(mode).join(", "))
    }
}
