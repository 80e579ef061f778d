//! One line of a test vector: text to values and back.
//!
//! ```text
//! d set $lm0n0c0p0 1 3DCCCCCD3FC00000 # values=[0.10000000149011612, 1.5] / Float @[0,0],[0,1]
//! r 0 000000000 001 3FC000003DCCCCCD # values=[1.5, 0.10000000149011612] / Float @[0],[1]
//! d getd $ln0n0c0b0m0p0 1 # expect=[0.10000000149011612, 1.5] / Float @[0,0],[0,1] atol=0.0001
//! ```

use std::fmt;
use std::str::FromStr;

use itertools::Itertools;

use super::place::VectorPlace;
use super::value;
use tensor_layout::error::{ParseError, ParseErrorKind};
use tensor_layout::internals::Cursor;
use tensor_layout::notation::{Dtype, MemoryText};

/// A line that sets a long word before a run, or reads one after it.
///
/// Law: `parse(print(line)) == line`.
///
/// ```
/// use tensor_layout_vectors::VectorLine;
/// let text = "d set $lm2p1 1 3F800000C0000000 # values=[1.0, -2.0] / Float @[2],[3]";
/// let line: VectorLine = text.parse()?;
/// assert_eq!((line.place.address, line.place.units[4]), (1, Some(1)));
/// assert_eq!(line.payload, Some(0x3f80_0000_c000_0000));
/// assert_eq!(line.comment.as_ref().unwrap().values, [0x3f80_0000, 0xc000_0000]);
/// assert_eq!(line.to_string(), text);
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct VectorLine {
    /// Whether the line reads (`getd`) or sets.
    pub reads: bool,
    /// Where.
    pub place: VectorPlace,
    /// The long word, lane 0 most significant.
    pub payload: Option<u64>,
    /// What the comment says, if there is one.
    pub comment: Option<VectorComment>,
}

/// The comment of a line: the elements of the long word, in the order of its lanes.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorComment {
    /// The type of the elements.
    pub dtype: Dtype,
    /// Their values, as the bits of an element.
    pub values: Vec<u64>,
    /// Their indexes in the tensor.
    pub indexes: Vec<Vec<u64>>,
    /// The greatest difference that counts as equal.
    pub atol: Option<f64>,
    /// The same as a part of the expected value; the larger of both counts.
    pub rtol: Option<f64>,
}

impl FromStr for VectorLine {
    type Err = ParseError;

    /// Reads a line; blanks may vary between its parts.
    fn from_str(text: &str) -> Result<VectorLine, ParseError> {
        let mut cursor = Cursor::new(text);
        cursor.blanks();
        let (reads, place) = match cursor.take(|c| c.is_ascii_alphabetic()) {
            "r" => (false, read_dram(&mut cursor)?),
            "d" => read_debug(&mut cursor)?,
            _ => return Err(Cursor::new(text).expected("`d set`, `d getd` or `r`")),
        };
        cursor.blanks();
        let has_payload = cursor.rest().starts_with(|c: char| c.is_ascii_alphanumeric());
        let payload = match has_payload || !reads {
            true => Some(cursor.expect_hex(16, "16 hexadecimal digits")?),
            false => None,
        };
        cursor.blanks();
        let comment = match cursor.takes_all("#") {
            true => Some(read_comment(&mut cursor)?),
            false => None,
        };
        cursor.expect_end()?;
        Ok(VectorLine { reads, place, payload, comment })
    }
}

/// `r GROUP ADDRESS 001`
fn read_dram(cursor: &mut Cursor<'_>) -> Result<VectorPlace, ParseError> {
    cursor.blanks();
    let start = cursor.at();
    let group = cursor.expect_number("a group")?;
    if group >= 4 {
        let why = format!("MN-Core 2 has 4 groups, so {group} is not one");
        return Err(cursor.refuse_from(start, ParseErrorKind::Invalid(why)));
    }
    cursor.blanks();
    let address = cursor.expect_hex(9, "an address of nine hexadecimal digits")?;
    cursor.blanks();
    cursor.expect("001", "`001`: one long word")?;
    let units = [Some(group), None, None, None, None];
    Ok(VectorPlace { memory: MemoryText::DRAM, units, address })
}

/// `d set PLACE 1` or `d getd PLACE 1`, and whether it reads.
fn read_debug(cursor: &mut Cursor<'_>) -> Result<(bool, VectorPlace), ParseError> {
    cursor.blanks();
    let reads = cursor.takes_all("getd");
    if !reads {
        cursor.expect("set", "`set` or `getd`")?;
    }
    cursor.blanks();
    let place = VectorPlace::read(cursor)?;
    if !cursor.rest().starts_with(char::is_whitespace) {
        return Err(cursor.expected("letters of units in the order `ncbmp`, or a blank"));
    }
    cursor.blanks();
    let start = cursor.at();
    match cursor.expect_number("`1`: one long word")? {
        1 => Ok((reads, place)),
        _ => Err(cursor.refuse_from(start, ParseErrorKind::Expected(vec!["`1`: one long word"]))),
    }
}

/// `values=[..] / DTYPE @[..],[..] atol=..`
fn read_comment(cursor: &mut Cursor<'_>) -> Result<VectorComment, ParseError> {
    cursor.blanks();
    if !cursor.takes_all("values=") {
        cursor.expect("expect=", "`values=` or `expect=`")?;
    }
    cursor.expect("[", "`[`")?;
    // Which values they are is known once the dtype is.
    let mut list = cursor.clone();
    cursor.take(|c| c != ']');
    let end = cursor.at();
    cursor.expect("]", "`]`")?;
    cursor.blanks();
    cursor.expect("/", "`/`")?;
    cursor.blanks();
    let start = cursor.at();
    let name = cursor.take(|c| c.is_ascii_alphanumeric());
    let unknown = |error| cursor.refuse_from(start, ParseErrorKind::Layout(error));
    let dtype = name.parse::<Dtype>().map_err(unknown)?;
    let values = read_values(&mut list, end, dtype)?;
    cursor.blanks();
    cursor.expect("@", "`@`")?;
    let mut indexes = vec![read_index(cursor)?];
    while cursor.takes_all(",") {
        indexes.push(read_index(cursor)?);
    }
    let (mut atol, mut rtol) = (None, None);
    loop {
        cursor.blanks();
        match () {
            () if cursor.takes_all("atol=") => atol = Some(read_tolerance(cursor)?),
            () if cursor.takes_all("rtol=") => rtol = Some(read_tolerance(cursor)?),
            () => break,
        }
    }
    Ok(VectorComment { dtype, values, indexes, atol, rtol })
}

fn read_values(cursor: &mut Cursor<'_>, end: usize, dtype: Dtype) -> Result<Vec<u64>, ParseError> {
    let mut values = Vec::with_capacity(8);
    while cursor.at() < end {
        cursor.blanks();
        let start = cursor.at();
        let word = cursor.take(|c| c != ',' && c != ']' && !c.is_whitespace());
        values.push(value::read(dtype, word).ok_or_else(|| {
            let why =
                format!("`{}` is not a value of {dtype}", tensor_layout::internals::cut(word, 40));
            cursor.refuse_from(start, ParseErrorKind::Invalid(why))
        })?);
        cursor.blanks();
        if cursor.at() < end {
            cursor.expect(",", "`,` or `]`")?;
        }
    }
    Ok(values)
}

fn read_index(cursor: &mut Cursor<'_>) -> Result<Vec<u64>, ParseError> {
    cursor.expect("[", "an index such as `[0,1]`")?;
    let mut index = Vec::with_capacity(4);
    while !cursor.takes_all("]") {
        if !index.is_empty() {
            cursor.expect(",", "`,` or `]`")?;
        }
        cursor.blanks();
        index.push(cursor.expect_number("a number")?);
        cursor.blanks();
    }
    Ok(index)
}

fn read_tolerance(cursor: &mut Cursor<'_>) -> Result<f64, ParseError> {
    let start = cursor.at();
    let word = cursor.take(|c| !c.is_whitespace());
    word.parse().ok().filter(|tolerance: &f64| *tolerance >= 0.0).ok_or_else(|| {
        cursor.refuse_from(start, ParseErrorKind::Expected(vec!["a tolerance of 0 or more"]))
    })
}

impl fmt::Display for VectorLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.reads, self.place) {
            (true, place) => write!(f, "d getd {place} 1")?,
            (_, VectorPlace { memory: MemoryText::DRAM, units: [group, ..], address }) => {
                write!(f, "r {} {address:09X} 001", group.unwrap_or(0))?;
            }
            (false, place) => write!(f, "d set {place} 1")?,
        }
        if let Some(payload) = self.payload {
            write!(f, " {payload:016X}")?;
        }
        let Some(comment) = &self.comment else { return Ok(()) };
        write!(f, " # {}={comment}", if self.reads { "expect" } else { "values" })
    }
}

impl fmt::Display for VectorComment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(40);
        for bits in &self.values {
            text.push_str(if text.is_empty() { "" } else { ", " });
            value::write(&mut text, self.dtype, *bits);
        }
        write!(f, "[{text}] / {} @{}", self.dtype, Indexes(&self.indexes))?;
        for (name, tolerance) in [("atol", self.atol), ("rtol", self.rtol)] {
            if let Some(tolerance) = tolerance {
                text.clear();
                value::write_float(&mut text, tolerance);
                write!(f, " {name}={text}")?;
            }
        }
        Ok(())
    }
}

/// `[0,0],[0,1]`
pub(super) struct Indexes<'a>(pub(super) &'a [Vec<u64>]);

impl fmt::Display for Indexes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |index: &Vec<u64>| format!("[{}]", index.iter().join(","));
        write!(f, "{}", self.0.iter().map(one).join(","))
    }
}
