//! CuTe tilers: `<3:3, (2,4):(1,8)>`, a layout for each mode.

use std::fmt;
use std::str::FromStr;

use itertools::Itertools;

use crate::error::{ParseError, ParseErrorKind, Span};
use crate::notation::cute::CuteLayout;

/// A layout for each of the first modes of another layout; `8` stands for `8:1`, `_8` for a
/// static 8.
///
/// Law: `parse(print(x)) == x`.
///
/// ```
/// use tensor_layout::notation::CuteTiler;
/// let tiler: CuteTiler = "<3:3, (2,4):(1,8)>".parse()?;
/// assert_eq!(tiler.modes.len(), 2);
/// assert_eq!(tiler.to_string(), "<3:3, (2,4):(1,8)>");
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CuteTiler {
    /// A layout per mode, from the first on.
    pub modes: Vec<CuteLayout>,
}

impl FromStr for CuteTiler {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<CuteTiler, ParseError> {
        let inside = text.trim().strip_prefix('<').and_then(|text| text.strip_suffix('>'));
        let inside = inside.ok_or_else(|| {
            let kind = ParseErrorKind::Expected(vec!["`<3:1, 8:1>`"]);
            ParseError::new(kind, Span::new(0, text.len()), text)
        })?;
        let is_int = |mode: &str| {
            mode.strip_prefix('_').unwrap_or(mode).bytes().all(|byte| byte.is_ascii_digit())
        };
        let modes = split(inside).into_iter().map(|mode| match mode.trim() {
            mode if is_int(mode) => format!("{mode}:1").parse(),
            mode => mode.parse(),
        });
        Ok(CuteTiler { modes: modes.try_collect()? })
    }
}

/// The parts between commas that stand in no bracket.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
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
        write!(f, "<{}>", self.modes.iter().join(", "))
    }
}
