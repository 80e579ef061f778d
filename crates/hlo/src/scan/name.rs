//! The name of a layout in its text: an instruction, a key, or the word before it.

/// The longest name that is kept, in characters.
const LONGEST: usize = 60;

/// Returns the name of the layout that follows `before`, the line up to it.
///
/// The instruction of `%name = ..`; else the key before a colon or an equals sign, also of the
/// list that the layout is in; else the last word.
pub(super) fn name(before: &str) -> Option<String> {
    let found = instruction(before).or_else(|| key(before)).or_else(|| list_key(before));
    let found = found.or_else(|| last_word(before))?;
    Some(tensor_layout_words::cut(found, LONGEST))
}

/// The key of a line that opens a list or a block: `"layouts": [`, `weight: |`.
pub(super) fn heading(line: &str) -> Option<String> {
    let key = key(line.trim_end().trim_end_matches(['|', '>', '-', '+']))?;
    Some(tensor_layout_words::cut(key, LONGEST))
}

fn instruction(before: &str) -> Option<&str> {
    let (head, _) = before.split_once(" = ")?;
    let name = head.trim().trim_start_matches("ROOT ").trim_start_matches('%');
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '$' | '%');
    (!name.is_empty() && name.chars().all(is_word)).then_some(name)
}

/// The key directly before the value, after quotes and brackets that the value opens.
fn key(before: &str) -> Option<&str> {
    let value = before.trim_end_matches(|c: char| c.is_whitespace() || "\"'`([{".contains(c));
    let key = value.strip_suffix([':', '='])?.trim_end();
    match key.strip_suffix(['"', '\'']) {
        Some(quoted) => quoted.rsplit(['"', '\'']).next(),
        None => last_word(key),
    }
}

/// The last `"key":` before, for members of a list that are not the first.
fn list_key(before: &str) -> Option<&str> {
    let (head, _) = before.rsplit_once("\":")?;
    head.rsplit('"').next()
}

/// Returns the last word, without the bracket of a call around it.
fn last_word(text: &str) -> Option<&str> {
    let word = text.trim_end_matches(|c: char| c.is_whitespace() || "\"'`,:=".contains(c));
    let word = word.rsplit(|c: char| c.is_whitespace() || "\"'`,;{".contains(c)).next()?;
    let (opened, closed) = (word.matches('(').count(), word.matches(')').count());
    let word = if opened > closed { word.rsplit('(').next()? } else { word };
    let is_name = word.starts_with(|c: char| c.is_alphabetic() || matches!(c, '$' | '%' | '_'));
    is_name.then_some(word.trim_start_matches('%')).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{heading, name};

    #[test]
    fn a_name_is_an_instruction_a_key_or_the_word_before() {
        for (before, expected) in [
            ("  ROOT %fusion.3 = (f32[2], ", Some("fusion.3")),
            ("a.1 = ", Some("a.1")),
            ("# == In(0): ", Some("In(0)")),
            ("# $lm[0:16], ", Some("$lm[0:16]")),
            ("{\"weight of a\": \"", Some("weight of a")),
            ("{\"w\": [\"((4:1))\", \"", Some("w")),
            ("  - layout: '", Some("layout")),
            ("f(layout=", Some("layout")),
            ("input layout ", Some("layout")),
            ("x == y = ", Some("y")),
            ("- ", None),
            ("12: ", None),
            ("", None),
        ] {
            assert_eq!(name(before).as_deref(), expected, "{before}");
        }
        assert_eq!(heading("  \"layouts\": [").as_deref(), Some("layouts"));
        assert_eq!(heading("weight: |").as_deref(), Some("weight"));
        assert_eq!(heading("weight: 3"), None);
    }
}
