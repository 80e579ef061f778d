//! Comments between the words of HLO text, which XLA reads as blanks: `calls=%fused/*inner*/`.

use std::sync::LazyLock;

use memchr::memchr3;
use memchr::memmem::Finder;

use crate::lexer::Tokens;

/// The beginnings of comments. Every instruction is searched for them, and a finder takes longer to make than to search.
static MARKS: LazyLock<[Finder<'static>; 2]> = LazyLock::new(|| ["/*", "//"].map(Finder::new));

/// Returns a text with blanks in place of its comments, so that positions and lines stay; `None` if it has none.
///
/// The `/*index=5*/` that XLA writes into long lists stay: their readers know them, and reports print lists as they are
/// written.
pub(super) fn blanked(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    if MARKS.iter().all(|mark| mark.find(bytes).is_none()) {
        return None;
    }
    let (tokens, mut blank, mut at) = (Tokens { bytes, is_last: true }, String::new(), 0);
    while let Some(found) = memchr3(b'"', b'\'', b'/', tokens.rest(at)) {
        let start = at + found;
        let comment = match bytes.get(start) {
            Some(b'/') => tokens.comment(start).ok().flatten(),
            _ => None,
        };
        at = match (comment, bytes.get(start)) {
            (Some(end), _) => end,
            (None, Some(b'/')) => start + 1,
            _ => tokens.string(start).unwrap_or(bytes.len()),
        };
        let comment = text.get(start..comment.unwrap_or(start))?;
        if !comment.is_empty() && !comment.starts_with("/*index=") {
            blank.push_str(text.get(blank.len()..start)?);
            blank.extend(comment.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        }
    }
    if blank.is_empty() {
        return None;
    }
    blank.push_str(text.get(blank.len()..)?);
    Some(blank)
}

#[cfg(test)]
mod tests {
    use super::blanked;

    #[test]
    fn comments_are_blank_outside_strings_and_nothing_moves() {
        let text = "a=\"/*x*/\", calls=%f/*\u{e9}\n*/, b={0,/*index=1*/ 1} // end\n, c='//'";
        let blank = "a=\"/*x*/\", calls=%f    \n  , b={0,/*index=1*/ 1}       \n, c='//'";
        assert_eq!(blanked(text).as_deref(), Some(blank));
        for text in ["", "a=1", "a=\"http://b\"", "{0, /*index=5*/1}", "a=\"/*", "a=1/*b"] {
            assert_eq!(blanked(text), None, "{text}");
        }
    }
}
