//! The parts of a sharded shape: a shape, its sharding, perhaps a mesh.

use crate::notation::Walk;

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
            let (sharding, behind) = sharding.split_at_checked(sharding_end(sharding))?;
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

/// The byte behind a sharding: after its brackets, and whatever is in front of them; behind dimensions alone, `[{"x"}]`,
/// also after `, replicated={..}` and the like.
fn sharding_end(text: &str) -> usize {
    let Some(open) = text.find(['{', '(', '[', '<']) else { return text.len() };
    if text.as_bytes().get(open) == Some(&b'<') {
        let last = text.find(", mesh=").unwrap_or(text.len());
        return text.get(..last).unwrap_or(text).trim_end().len();
    }
    let closed = |open: usize| {
        let close = Walk::from(open + 1).next(text.as_bytes(), None);
        close.map_or(text.len(), |close| close + 1)
    };
    let mut end = closed(open);
    while text.starts_with('[')
        && let Some(axes) = axes_of_mesh(text, end)
    {
        end = closed(axes);
    }
    end
}

/// The bracket of `, replicated={..}`, `, unreduced={..}` or `, manual={..}` at `from`.
fn axes_of_mesh(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?.trim_start().strip_prefix(',')?.trim_start();
    let (word, axes) = rest.split_once('=')?;
    let is_word = matches!(word, "replicated" | "unreduced" | "manual");
    Some(text.len() - axes.len() + axes.find('{').filter(|_| is_word)?)
}
