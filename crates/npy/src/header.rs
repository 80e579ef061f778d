//! The header of a `.npy` file: a literal of a Python dict, read as Python reads it.
//!
//! ```text
//! {'descr': '<u4', 'fortran_order': False, 'shape': (1024, 512), }
//! ```
//!
//! Law: a header that is read here has the same meaning for NumPy. Text that NumPy never writes (numbers
//! with signs or `_`, strings with escapes, lists of fields) is an error.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use itertools::Itertools;
use tensor_layout::image::ImageForm;
use tensor_layout::program::Program;
use tensor_layout::{Level, ParseError};
use tensor_layout_words::{Cursor, product, to_index};

/// The header of a `.npy` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NpyHeader {
    /// The type of the entries, such as `<u4` or `|u1`.
    pub descr: String,
    /// The extents, row-major.
    pub shape: Vec<u64>,
}

impl NpyHeader {
    /// The header of an image in a single file: the shape is that of the columns, without `W` where
    /// entries are long words.
    #[must_use]
    pub fn of_image(program: &Program, form: ImageForm, descr: &str) -> NpyHeader {
        NpyHeader::of_levels(program, form, descr, |_| true)
    }

    /// The header of the memory of one unit.
    #[must_use]
    pub fn of_unit(program: &Program, form: ImageForm, descr: &str) -> NpyHeader {
        NpyHeader::of_levels(program, form, descr, Level::is_in_unit)
    }

    fn of_levels(
        program: &Program,
        form: ImageForm,
        descr: &str,
        kept: impl Fn(Level) -> bool,
    ) -> NpyHeader {
        let is_entry = |level: Level| level != Level::W || form == ImageForm::Cells;
        let kept = program.columns().filter(|(level, _)| kept(*level) && is_entry(*level));
        let descr = if form == ImageForm::LongWords { "<u8" } else { descr };
        NpyHeader { descr: descr.into(), shape: kept.map(|(_, size)| size).collect() }
    }

    /// Writes the header, padded so that the data begins at a multiple of 64 bytes.
    ///
    /// # Errors
    /// `InvalidInput` if the data would be longer than a file can be; the errors of `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let longest = u64::MAX >> 1;
        if self.entry_bytes().is_some() && self.data_bytes().is_none_or(|bytes| bytes > longest) {
            let why = format!("an array of shape {:?} is larger than any file can be", self.shape);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
        let comma = if self.shape.len() == 1 { "," } else { "" };
        let (descr, shape) = (&self.descr, self.shape.iter().join(", "));
        let mut text =
            format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}{comma}), }}");
        let unpadded = MAGIC.len() + 2 + text.len() + 1;
        text.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(64) - unpadded));
        text.push('\n');
        let length = u16::try_from(text.len()).map_err(io::Error::other)?;
        out.write_all(MAGIC)?;
        out.write_all(&length.to_le_bytes())?;
        out.write_all(text.as_bytes())
    }

    /// Reads a header, up to the data.
    ///
    /// # Errors
    /// `InvalidData` for a file that is not `.npy` of version 1.0, 2.0 or 3.0, for a header that is
    /// not a dict of `descr`, `fortran_order` and `shape`, and for arrays in Fortran order or with
    /// fields.
    pub fn read(input: &mut dyn Read) -> io::Result<NpyHeader> {
        let [0x93, b'N', b'U', b'M', b'P', b'Y', major, minor] = exactly(input, "not a .npy file")?
        else {
            return Err(invalid("not a .npy file"));
        };
        const CUT: &str = "the .npy header is cut off";
        let length = match (major, minor) {
            (1, 0) => u16::from_le_bytes(exactly(input, CUT)?).into(),
            (2 | 3, 0) => u32::from_le_bytes(exactly(input, CUT)?),
            _ => {
                let known = "1.0, 2.0 or 3.0";
                return Err(invalid(&format!(
                    "version {major}.{minor} of .npy is not known; expected {known}"
                )));
            }
        };
        // NumPy itself does not read longer headers.
        if length > 10_000 {
            return Err(invalid("a .npy header of more than 10 000 bytes"));
        }
        let mut text = vec![0; to_index(length.into())];
        input.read_exact(&mut text).map_err(|error| cut_off(error, CUT))?;
        let text =
            String::from_utf8(text).map_err(|_| invalid("a .npy header that is not text"))?;
        parse(&text).map_err(|error| invalid(&format!("invalid .npy header: {error}")))
    }

    /// Checks that the data after the header has the length that the header states.
    ///
    /// # Errors
    /// [`InvalidData`](io::ErrorKind::InvalidData) with both lengths, or the errors of the file system.
    pub fn check_length(&self, mut file: &File) -> io::Result<()> {
        let data = file.stream_position()?;
        let found = file.metadata()?.len().saturating_sub(data);
        if self.data_bytes() == Some(found) {
            return Ok(());
        }
        let shape = &self.shape;
        let why = format!("the header gives the shape {shape:?}, but {found} bytes of data follow");
        Err(invalid(&why))
    }

    /// The number of entries; `None` if it does not fit.
    #[must_use]
    pub fn entries(&self) -> Option<u64> {
        product(self.shape.iter().copied())
    }

    /// The bytes of an entry of a plain little-endian type; `None` for another type.
    #[must_use]
    pub fn entry_bytes(&self) -> Option<u64> {
        match &*self.descr {
            "|u1" | "|i1" | "|b1" => Some(1),
            "<u2" | "<i2" | "<f2" => Some(2),
            "<u4" | "<i4" | "<f4" => Some(4),
            "<u8" | "<i8" | "<f8" => Some(8),
            _ => None,
        }
    }

    /// The number of bytes after the header; `None` for another type, or if the number does not fit.
    #[must_use]
    pub fn data_bytes(&self) -> Option<u64> {
        self.entries()?.checked_mul(self.entry_bytes()?)
    }
}

/// Reads `N` bytes; `cut` is the message if there are fewer.
fn exactly<const N: usize>(input: &mut dyn Read, cut: &str) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes).map_err(|error| cut_off(error, cut))?;
    Ok(bytes)
}

fn cut_off(error: io::Error, cut: &str) -> io::Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => invalid(cut),
        _ => error,
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// The values of the keys; for a repeated key the last one, as in Python.
#[derive(Default)]
struct Entries {
    descr: Option<String>,
    is_fortran: Option<bool>,
    shape: Option<Vec<u64>>,
}

/// Reads the text of a header.
fn parse(text: &str) -> Result<NpyHeader, ParseError> {
    let mut cursor = Cursor::new(text);
    cursor.take(|c| matches!(c, ' ' | '\t'));
    cursor.expect("{", "`{`")?;
    let mut entries = Entries::default();
    items(&mut cursor, "}", "`,` or `}`", |cursor| entries.read(cursor))?;
    cursor.take(|c| matches!(c, ' ' | '\t'));
    // After a line break, Python takes blanks for an indented line, unless another line break follows.
    if !cursor.rest().trim_matches([' ', '\t', '\n']).is_empty()
        || cursor.rest().ends_with([' ', '\t'])
    {
        return Err(cursor.expected("the end of the header"));
    }
    let whole = |why: String| ParseError::invalid(why, cursor.since(0), text);
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
                return Err(ParseError::invalid(why, end.since(start), end.text()));
            }
        }
        Ok(())
    }
}

/// Reads items up to a bracket, separated by commas, with an optional trailing comma; returns their number
/// and whether there was a trailing comma.
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
                Err(ParseError::invalid(why, cursor.since(start), cursor.text()))
            }
            false => Ok(()),
        }
    })?;
    if count == 1 && !comma { Err(before.expected(NAME)) } else { Ok(extents) }
}
