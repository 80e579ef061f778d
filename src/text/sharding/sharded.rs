//! The parts of a sharded shape: a shape, its sharding, perhaps a mesh.

use tensor_layout_words::{Walk, behind_angled};

/// A part of a text, and the byte at which it begins.
type TextPart<'a> = (usize, &'a str);

/// The parts of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShardedParts<'a> {
    pub(crate) shape: TextPart<'a>,
    pub(crate) sharding: TextPart<'a>,
    pub(crate) mesh: Option<TextPart<'a>>,
    /// The byte at which the text stops being attributes of an instruction, `, key=value`, with one sharding
    /// and one mesh; `None` if it never does.
    pub(crate) stray: Option<usize>,
}

/// The shape and the sharding in a text, and the mesh if there is one, before or after the sharding.
pub(crate) fn sharded_parts(text: &str) -> Option<ShardedParts<'_>> {
    if !text.contains("sharding=") {
        return None;
    }
    let head = text.find(['[', '(']).unwrap_or(text.len());
    let start = text.get(..head)?.rfind(" = ").map_or(0, |at| at + " = ".len());
    let shape_start = start + (text.get(start..)?.len() - text.get(start..)?.trim_start().len());
    let bytes = text.as_bytes();
    let ends = [b' ', b','].map(|stop| Walk::from(shape_start).next(bytes, Some(stop)));
    let shape_end = ends.into_iter().flatten().min()?;
    let shape = (shape_start, text.get(shape_start..shape_end)?);
    let (mut sharding, mut mesh, mut at) = (None, None, shape_end);
    let stray = loop {
        let rest = text.get(at..)?.trim_start();
        at = text.len() - rest.len();
        let part = |from: usize, end: usize| Some((from, text.get(from..end)?));
        at = match attribute(rest) {
            _ if rest.is_empty() => break None,
            Some(("sharding", value)) if sharding.is_none() => {
                let from = at + value;
                let length = behind_sharding(bytes.get(from..)?);
                let end = length.map_or(text.len(), |length| from + length);
                sharding = part(from, end);
                end
            }
            Some(("mesh", value)) if mesh.is_none() => {
                let from = at + value;
                let end = from + mesh_end(text.get(from..)?);
                mesh = part(from, end);
                end
            }
            Some(("sharding" | "mesh", _)) => break Some(at),
            None if sharding.or(mesh).is_some() => break Some(at),
            // The opcode and its operands, up to the first attribute.
            _ => {
                let from = at + usize::from(rest.starts_with([',', ')', ']', '}']));
                Walk::from(from).next(bytes, Some(b',')).unwrap_or(text.len())
            }
        };
    };
    Some(ShardedParts { shape, sharding: sharding?, mesh, stray })
}

/// The key of the attribute `, key=value` at the start of a text, and the byte at which its value begins. A mesh may
/// follow a blank.
fn attribute(text: &str) -> Option<(&str, usize)> {
    let pair = text.strip_prefix(',').map_or(text, str::trim_start);
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let length = pair.find(|c| !is_word(c)).filter(|length| *length > 0)?;
    let (key, value) = pair.split_at_checked(length)?;
    let is_attribute = text.starts_with(',') || key == "mesh";
    let value = value.strip_prefix('=').filter(|_| is_attribute)?;
    Some((key, text.len() - value.len()))
}

/// The byte after the mesh at the start of a text. After axes without brackets, `x=2, y=4`, an attribute is
/// recognised by a value that is not a number.
fn mesh_end(text: &str) -> usize {
    let is_attribute = |comma: usize| {
        let rest = text.get(comma..).unwrap_or_default();
        let is_value = |value: usize| rest.get(value..)?.trim_start().chars().next();
        attribute(rest).is_some_and(|(key, value)| {
            matches!(key, "sharding" | "mesh")
                || is_value(value).is_some_and(|first| "{[(\"%".contains(first))
        })
    };
    behind_mesh(text.as_bytes()).unwrap_or_else(|| {
        let mut walk = Walk::from(0);
        let mut stops = std::iter::from_fn(|| walk.next(text.as_bytes(), Some(b',')));
        stops.find(|stop| is_attribute(*stop)).unwrap_or(text.len())
    })
}

/// The byte after a mesh in brackets, with or without a name, and after its devices: `mesh['x'=2], device_ids=(1,0)`,
/// `{'x': 2}`, `<["x"=2]>`. `None` for axes without brackets, or if a bracket does not close.
///
/// ```
/// use tensor_layout::sharding::behind_mesh;
/// assert_eq!(behind_mesh(b"mesh['x'=2], device_ids=(1,0), ..."), Some(29));
/// ```
#[must_use]
pub fn behind_mesh(text: &[u8]) -> Option<usize> {
    let open = text.iter().position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'))?;
    let closed = |open: usize| Some(Walk::from(open + 1).next(text, None)? + 1);
    let end = match text.get(open)? {
        b'<' => open + behind_angled(text.get(open..)?)?,
        b'[' | b'(' | b'{' => closed(open)?,
        _ => return None,
    };
    let devices = || {
        let rest = text.get(end..)?.trim_ascii_start().strip_prefix(b",")?;
        let devices = rest.trim_ascii_start().strip_prefix(b"device_ids=")?;
        Some(text.len() - devices.len()).filter(|open| text.get(*open) == Some(&b'('))
    };
    devices().map_or(Some(end), closed)
}

/// The byte after a sharding: after its brackets and the name in front of them; after dimensions alone, `[{"x"}]`, also
/// after `, replicated={..}` and the like. `None` if its brackets do not close.
///
/// ```
/// use tensor_layout::sharding::behind_sharding;
/// assert_eq!(behind_sharding(b"{devices=[2,1]<=[2]}, metadata={}"), Some(20));
/// ```
#[must_use]
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
