//! The attributes after the operands of an instruction: `key=value, key=value`.

use std::borrow::Cow;

use memchr::memchr2_iter;

use crate::lexer::{Tokens, Until};

/// The attributes of an instruction or a module, as written; comments are blanks.
///
/// ```
/// use tensor_layout_hlo::HloDump;
/// let text = "HloModule m, num_partitions=8, replica_groups=mesh['a'=4], device_ids=(2,3,0,1) {'a'}\n";
/// let mut dump = HloDump::new(text.as_bytes());
/// while dump.next_computation()?.is_some() {}
/// let attributes = dump.module().attributes();
/// assert_eq!(attributes.get("num_partitions"), Some("8"));
/// assert_eq!(attributes.get("replica_groups"), Some("mesh['a'=4], device_ids=(2,3,0,1) {'a'}"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HloAttributes<'a> {
    text: &'a str,
}

impl<'a> HloAttributes<'a> {
    pub(super) fn new(text: &'a str) -> HloAttributes<'a> {
        HloAttributes { text }
    }

    /// The text of all attributes.
    #[must_use]
    pub fn as_str(self) -> &'a str {
        self.text
    }

    /// Every key with its value, in order; a bare word has an empty value.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.parts().map(|part| {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            (key, value.trim_start())
        })
    }

    /// Returns the parts between commas outside quotes and brackets, trimmed, without empty ones.
    fn parts(self) -> impl Iterator<Item = &'a str> {
        let text = self.text;
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < text.len() {
                let mut end = end_of(text, at, Until::Comma);
                // The device order of a mesh is the only value with a comma outside brackets.
                let behind = text.as_bytes().get(end + 1..).unwrap_or_default();
                let is_mesh = || text.get(at..end).is_some_and(|part| part.contains("=mesh["));
                if behind.trim_ascii_start().starts_with(b"device_ids=") && is_mesh() {
                    end = end_of(text, end + 1, Until::Comma);
                }
                let part = text.get(at..end).unwrap_or_default().trim();
                at = end + 1;
                if !part.is_empty() {
                    return Some(part);
                }
            }
            None
        })
    }

    /// Returns whether the key ends before an equals sign, a comma or the end, inside quotes and brackets, too.
    fn may_have(self, key: &str) -> bool {
        let ends = memchr2_iter(b'=', b',', self.text.as_bytes()).chain([self.text.len()]);
        let mut before = ends.map(|end| self.text.as_bytes().get(..end).unwrap_or_default());
        before.any(|before| before.trim_ascii_end().ends_with(key.as_bytes()))
    }

    /// The value of a key.
    ///
    /// Cost: linear in the text up to the value.
    #[must_use]
    pub fn get(self, key: &str) -> Option<&'a str> {
        // Most texts do not have the key at all, and many are empty.
        self.may_have(key).then_some(())?;
        self.parts().find_map(|part| match part.strip_prefix(key)? {
            "" => Some(""),
            value => value.strip_prefix('=').map(str::trim_start),
        })
    }
}

/// Returns the position, outside quotes and brackets, where a part of a text ends, or the end of the text.
fn end_of(text: &str, from: usize, until: Until) -> usize {
    let tokens = Tokens { bytes: text.as_bytes(), is_last: true };
    tokens.walk(from, until).unwrap_or(text.len())
}

/// The entries `key=value` of a braced list that is separated by blanks or commas, as `metadata` is.
pub(super) fn entries(braced: &str) -> impl Iterator<Item = (&str, &str)> {
    let inner = braced.trim().strip_prefix('{').and_then(|inner| inner.strip_suffix('}'));
    let is_gap = |c: char| c.is_ascii_whitespace() || c == ',';
    let mut rest = inner.unwrap_or_default();
    std::iter::from_fn(move || {
        let (words, value) = rest.split_once('=')?;
        // Words without a value may be before the key.
        let key = words.rsplit(is_gap).next()?;
        let value = value.trim_start();
        let (value, after) = value.split_at_checked(end_of(value, 0, Until::Gap))?;
        rest = after;
        Some((key, value))
    })
}

/// The entry of a key.
pub(super) fn entry<'a>(braced: &'a str, key: &str) -> Option<&'a str> {
    entries(braced).find(|(of, _)| *of == key).map(|(_, value)| value)
}

/// The text between quotes, its escapes undone.
pub(super) fn unquoted(value: &str) -> Option<Cow<'_, str>> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    let mut plain = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (c, false) => plain.push(c),
            (_, true) => match chars.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some('r') => plain.push('\r'),
                Some(other) => plain.push(other),
                None => {}
            },
        }
    }
    Some(Cow::Owned(plain))
}
