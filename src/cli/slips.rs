//! Remedies for what people paste, and for what shells do to it.

use std::path::Path;

use tensor_layout::notation::Notation;
use tensor_layout::xla::{XlaDtype, XlaParser, XlaShape};
use tensor_layout::{LayoutText, ParseError};

use super::failure::Failure;

/// The refusal of a text where a layout is wanted, with the remedy if the slip is a known one.
pub(super) fn refused(error: ParseError, text: &str, lenient: bool) -> Failure {
    let advice = from_ascii(text)
        .or_else(|| from_shell(text))
        .or_else(|| from_file(text))
        .or_else(|| from_order(text))
        .or_else(|| from_brackets(text))
        .or_else(|| from_lenient(text, lenient))
        .or_else(|| from_dtype(text));
    Failure::Text(error, advice)
}

/// Whether the text, mended, is a layout.
fn reads(text: &str) -> bool {
    LayoutText::parse(text).is_ok()
}

/// Full-width brackets and digits, typographic quotes: what text processors write.
fn from_ascii(text: &str) -> Option<String> {
    let mended: String = text.chars().filter_map(ascii).collect();
    let mended = mended.trim();
    (mended != text.trim()).then(|| match reads(mended) {
        true => format!("some characters only look like ASCII; did you mean '{mended}'?"),
        false => "some characters only look like ASCII; write brackets, digits and quotes in \
                  ASCII"
            .into(),
    })
}

/// The character that was meant; quotes belong to no layout.
fn ascii(c: char) -> Option<char> {
    const FULL_WIDTH: u32 = 0xFEE0;
    match c {
        '“' | '”' | '‘' | '’' | '「' | '」' | '"' | '\'' | '`' | '\u{feff}' => None,
        '！'..='～' => char::from_u32(u32::from(c) - FULL_WIDTH),
        '、' => Some(','),
        '×' | '∗' => Some('*'),
        '\u{a0}' | '\u{3000}' => Some(' '),
        c => Some(c),
    }
}

/// `f32[2,3]1` is what a shell leaves of an unquoted `f32[2,3]{1,0}`.
pub(super) fn from_shell(text: &str) -> Option<String> {
    let (head, tail) = text.rsplit_once(']')?;
    let digits = !tail.is_empty() && tail.bytes().all(|b| b.is_ascii_digit());
    let shape = format!("{head}]");
    let is_array = digits && matches!(shape.parse(), Ok(XlaShape::Array(_)));
    is_array.then(|| {
        format!("the shell expanded the braces; put the shape in quotes, as in '{shape}{{1,0}}'")
    })
}

/// Outer brackets or commas that are missing.
fn from_brackets(text: &str) -> Option<String> {
    let commas = text.replace(") (", "), (").replace(")(", "), (");
    let blanks = text.split_whitespace().collect::<Vec<_>>().join(", ").replace(",,", ",");
    let mended = [commas.clone(), format!("({text})"), format!("({commas})"), blanks];
    let reads = |mended: &&String| **mended != text && reads(mended);
    mended.iter().find(reads).map(|mended| format!("did you mean '{mended}'?"))
}

fn from_file(text: &str) -> Option<String> {
    let is_file = text.len() < 4096 && Path::new(text).is_file();
    is_file.then(|| format!("`{text}` is a file; to read a layout from it, write - < {text}"))
}

/// An index or a place where the layout should stand.
fn from_order(text: &str) -> Option<String> {
    let numbers = text.split(',').all(|item| item.trim().parse::<u64>().is_ok());
    let places = text.contains('=') && text.parse::<tensor_layout::Location>().is_ok();
    (numbers || places).then(|| format!("the layout comes first, then `{text}`"))
}

fn from_lenient(text: &str, lenient: bool) -> Option<String> {
    let xla = Notation::of(text) == Notation::Xla;
    let would = xla && !lenient && XlaParser::lenient().parse(text).is_ok();
    would.then(|| "--lenient accepts this text: it reads XLA shapes as people write them".into())
}

/// `float32[3]`: the type as NumPy or PyTorch call it.
fn from_dtype(text: &str) -> Option<String> {
    let (name, _) = text.trim_start().split_once('[')?;
    let unknown =
        XlaDtype::from_name(name).is_none() && name.bytes().all(|b| b.is_ascii_alphanumeric());
    let meant = if unknown { XlaDtype::meant_by(name)? } else { return None };
    Some(format!("`{name}` is not an XLA type; did you mean `{meant}`?"))
}
