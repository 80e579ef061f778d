//! XLA's warning about a tensor that it could not reshard: the two layouts in it.

use tensor_layout::xla::XlaShape;
use tensor_layout_words::{counted, to_u64};

use super::failure::{Failure, note};

/// The tensor as it is, and as it was to be, by a warning such as `[spmd] Involuntary full rematerialization. .. from
/// sharding {..} to {..} .. for HLO operation: %a = f32[8,4]{1,0} add(..)`.
pub(super) fn layouts_of(text: &str) -> Result<[String; 2], Failure> {
    let missing = |what: &str| {
        Failure::Advised(
            format!("the second layout is missing, and {what}"),
            "give two layouts, or XLA's warning about an involuntary full rematerialization".into(),
        )
    };
    let (_, warning) = text
        .split_once(WARNING)
        .ok_or_else(|| missing("the text is no warning of XLA that has both"))?;
    let others = warning.matches(WARNING).count();
    if others > 0 {
        note(&format!(
            "only the first warning is read, and {} not",
            counted(to_u64(others), "other")
        ));
    }
    let from =
        braced(warning, "from sharding ").ok_or_else(|| missing("the warning is cut off"))?;
    let (_, rest) = warning.split_once(from).unwrap_or_default();
    let to = braced(rest, " to ").ok_or_else(|| missing("the warning is cut off"))?;
    let shape =
        shape(rest).ok_or_else(|| missing("the warning does not name the shape of the tensor"))?;
    Ok([from, to].map(|sharding| format!("{shape}, sharding={sharding}")))
}

const WARNING: &str = "Involuntary full rematerialization";

/// The braces after a word.
fn braced<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(word).filter(|(_, rest)| rest.starts_with('{'))?;
    let mut depth = 0_usize;
    let (close, _) = rest.char_indices().find(|(_, letter)| {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    rest.get(..=close)
}

/// The shape of the result of the operation.
fn shape(text: &str) -> Option<&str> {
    let (_, operation) = text.split_once("HLO operation: ")?;
    let (_, shape) = operation.split_once(" = ")?;
    let (_, length) = XlaShape::parse_prefix(shape).ok()?;
    shape.get(..length)
}
