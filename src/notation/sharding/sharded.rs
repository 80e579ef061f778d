//! The parts of a sharded shape: a shape, its sharding, perhaps a mesh.

use crate::notation::walk::{Walk, behind_angled};

/// A part of a text, and the byte at which it begins.
type TextPart<'a> = (usize, &'a str);

/// The shape and the sharding in a text, and the mesh if one follows.
pub(crate) fn sharded_parts(
    text: &str,
) -> Option<(TextPart<'_>, TextPart<'_>, Option<TextPart<'_>>)> {
    if !text.contains("sharding=") {
        return None;
    }
    let head = text.find(['[', '(']).unwrap_or(text.len());
    let start = text.get(..head)?.rfind(" = ").map_or(0, |at| at + " = ".len());
    let shape_start = start + (text.get(start..)?.len() - text.get(start..)?.trim_start().len());
    let bytes = text.as_bytes();
    let ends = [b' ', b','].map(|stop| Walk::from(shape_start).next(bytes, Some(stop)));
    let shape_end = ends.into_iter().flatten().min()?;
    let shape = text.get(shape_start..shape_end)?;
    let mut walk = Walk::from(shape_end);
    let mut comma = if bytes.get(shape_end) == Some(&b',') { Some(shape_end) } else { None };
    loop {
        let at = match comma.take() {
            Some(at) => at,
            None => walk.next(bytes, Some(b','))?,
        };
        let rest = text.get(at + 1..)?;
        let blanks = rest.len() - rest.trim_start().len();
        if let Some(sharding) = rest.trim_start().strip_prefix("sharding=") {
            let from = at + 1 + blanks + "sharding=".len();
            let (sharding, behind) = sharding
                .split_at_checked(behind_sharding(sharding.as_bytes()).unwrap_or(sharding.len()))?;
            let mesh = behind.trim_start_matches([',', ' ']).strip_prefix("mesh=");
            let mesh = mesh.map(|mesh| (text.len() - mesh.len(), mesh));
            return Some(((shape_start, shape), (from, sharding), mesh));
        }
    }
}

/// The byte at which the text behind a sharding, from `from` on, ceases to be attributes of an instruction:
/// `, key=value`, and none of them another sharding.
pub(crate) fn end_of_attributes(text: &str, from: usize) -> Option<usize> {
    let is_key = |key: &str| {
        let is_word =
            key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
        is_word && !key.is_empty() && key != "sharding"
    };
    let mut at = from;
    loop {
        let rest = text.get(at..)?.trim_start();
        let start = text.len() - rest.len();
        if rest.is_empty() {
            return None;
        }
        let key = rest.strip_prefix(',').and_then(|pair| pair.trim_start().split_once('='));
        if !key.is_some_and(|(key, _)| is_key(key)) {
            return Some(start);
        }
        at = Walk::from(start + 1).next(text.as_bytes(), Some(b','))?;
    }
}

/// The byte behind a sharding: after its brackets and the name in front of them; behind dimensions alone, `[{"x"}]`, also
/// after `, replicated={..}` and the like. `None` if its brackets do not close.
pub fn behind_sharding(text: &[u8]) -> Option<usize> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_#.".contains(byte);
    let closed = |open: usize| Some(Walk::from(open + 1).next(text, None)? + 1);
    let open = text.iter().position(|byte| !is_name(byte))?;
    match text.get(open)? {
        b'<' => behind_angled(text),
        b'{' | b'(' => closed(open),
        b'[' => {
            let mut end = closed(open)?;
            while let Some(axes) = axes_of_mesh(text, end) {
                end = closed(axes)?;
            }
            Some(end)
        }
        _ => None,
    }
}

/// The bracket of `, replicated={..}`, `, unreduced={..}` or `, manual={..}` at `from`.
fn axes_of_mesh(text: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..)?.trim_ascii_start().strip_prefix(b",")?.trim_ascii_start();
    let words = [&b"replicated="[..], b"unreduced=", b"manual="];
    let axes = words.into_iter().find_map(|word| rest.strip_prefix(word))?;
    // A reduction may be named in front of the axes.
    let name = axes.iter().take_while(|byte| byte.is_ascii_lowercase() || **byte == b' ').count();
    (axes.get(name) == Some(&b'{')).then(|| text.len() - axes.len() + name)
}
