//! The text of a `.npy` header: a literal of a Python dict, read as Python reads it.
//!
//! ```text
//! {'descr': '<u4', 'fortran_order': False, 'shape': (1024, 512), }
//! ```
//!
//! Law: what is read here, NumPy reads as the same; what NumPy never writes (numbers with signs or
//! `_`, strings with escapes, lists of fields) is refused.

use super::npy::NpyHeader;
use crate::error::{ParseError, ParseErrorKind};
use crate::notation::Cursor;

/// The values of the keys; of a key that comes again, the last, as in Python.
#[derive(Default)]
struct Entries {
    descr: Option<String>,
    is_fortran: Option<bool>,
    shape: Option<Vec<u64>>,
}

/// Reads the text of a header.
pub(super) fn parse(text: &str) -> Result<NpyHeader, ParseError> {
    let mut cursor = Cursor::new(text);
    cursor.take(|c| matches!(c, ' ' | '\t'));
    cursor.expect("{", "`{`")?;
    let mut entries = Entries::default();
    items(&mut cursor, "}", "`,` or `}`", |cursor| entries.read(cursor))?;
    cursor.take(|c| matches!(c, ' ' | '\t'));
    // Behind a line break Python takes blanks for an indented line, unless another follows.
    if !cursor.rest().trim_matches([' ', '\t', '\n']).is_empty()
        || cursor.rest().ends_with([' ', '\t'])
    {
        return Err(cursor.expected("the end of the header"));
    }
    let whole = |why: String| cursor.refuse_from(0, ParseErrorKind::Invalid(why));
    let missing = |key: &str| whole(format!("the key `{key}` is missing"));
    let descr = entries.descr.ok_or_else(|| missing("descr"))?;
    let shape = entries.shape.ok_or_else(|| missing("shape"))?;
    match entries.is_fortran.ok_or_else(|| missing("fortran_order"))? {
        false => Ok(NpyHeader { descr, shape }),
        true => {
            let refusal = whole("the array is in Fortran order; only C order is read".into());
            Err(refusal.with_help("save it with numpy.save(file, numpy.ascontiguousarray(array))"))
        }
    }
}

impl Entries {
    /// `'key': value`
    fn read(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
        let start = cursor.at();
        let key = string(cursor, "a key such as `'shape'`")?;
        let end = cursor.clone();
        cursor.blanks();
        cursor.expect(":", "`:`")?;
        cursor.blanks();
        match key {
            "descr" => {
                self.descr = Some(string(cursor, "a plain type such as `'<f4'`")?.to_owned());
            }
            "fortran_order" => self.is_fortran = Some(boolean(cursor)?),
            "shape" => self.shape = Some(extents(cursor)?),
            _ => {
                let why = "the keys are `descr`, `fortran_order` and `shape`";
                return Err(end.refuse_from(start, ParseErrorKind::Invalid(why.into())));
            }
        }
        Ok(())
    }
}

/// Items up to a bracket, a comma between them and perhaps one behind the last; how many there are,
/// and whether a comma ends them.
fn items(
    cursor: &mut Cursor<'_>,
    close: &str,
    name: &'static str,
    mut item: impl FnMut(&mut Cursor<'_>) -> Result<(), ParseError>,
) -> Result<(usize, bool), ParseError> {
    let (mut count, mut comma) = (0, true);
    loop {
        cursor.blanks();
        if cursor.takes_all(close) {
            return Ok((count, count > 0 && comma));
        }
        if !comma {
            return Err(cursor.expected(name));
        }
        item(cursor)?;
        count += 1;
        cursor.blanks();
        comma = cursor.takes_all(",");
    }
}

/// A string in either kind of quotes, of printable ASCII characters without escapes.
fn string<'t>(cursor: &mut Cursor<'t>, name: &'static str) -> Result<&'t str, ParseError> {
    let quotes = ["'", "\""];
    let Some(quote) = quotes.into_iter().find(|quote| cursor.takes_all(quote)) else {
        return Err(cursor.expected(name));
    };
    let plain = |c: char| (' '..='~').contains(&c) && c != '\\' && !quote.contains(c);
    let text = cursor.take(plain);
    cursor.expect(quote, "the closing quote")?;
    Ok(text)
}

fn boolean(cursor: &mut Cursor<'_>) -> Result<bool, ParseError> {
    let before = cursor.clone();
    match cursor.take(|c| c.is_ascii_alphanumeric() || c == '_') {
        "True" => Ok(true),
        "False" => Ok(false),
        _ => Err(before.expected("`True` or `False`")),
    }
}

/// `()`, `(3,)`, `(2, 3)`: `(3)` is a number.
fn extents(cursor: &mut Cursor<'_>) -> Result<Vec<u64>, ParseError> {
    const NAME: &str = "a tuple of extents such as `(2, 3)` or `(3,)`";
    let before = cursor.clone();
    cursor.expect("(", NAME)?;
    let mut extents = Vec::new();
    let (count, comma) = items(cursor, ")", "`,` or `)`", |cursor| {
        let leading_zero = cursor.rest().starts_with('0');
        let start = cursor.at();
        extents.push(cursor.expect_number("an extent")?);
        match leading_zero && cursor.at() - start > 1 {
            true => {
                let why = "a number does not begin with 0 in Python";
                Err(cursor.refuse_from(start, ParseErrorKind::Invalid(why.into())))
            }
            false => Ok(()),
        }
    })?;
    if count == 1 && !comma { Err(before.expected(NAME)) } else { Ok(extents) }
}
