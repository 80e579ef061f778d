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

use super::error::refuse_from;
use super::place::{VectorPlace, check_unit, read_dram_address};
use super::value;
use tensor_layout::error::{ParseError, ParseErrorKind};
use tensor_layout::notation::{Dtype, MemoryText};
use tensor_layout_words::{Cursor, counted, to_index};

/// The number of long words a line may set or read in all units: those of LM0 of all PEs.
const MOST_WORDS: u64 = 1 << 23;

/// The command of a line: it sets long words before a run, or reads them after it.
///
/// The commands that read differ in the output of the emulator: `getd` prints a long word as one number,
/// `getf` as two, `geth` as four, and `get` in all these forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant is its own name")]
pub enum VectorVerb {
    Set,
    Get,
    GetD,
    GetF,
    GetH,
}

impl VectorVerb {
    const ALL: [VectorVerb; 5] =
        [VectorVerb::Set, VectorVerb::Get, VectorVerb::GetD, VectorVerb::GetF, VectorVerb::GetH];

    /// The word after `d`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            VectorVerb::Set => "set",
            VectorVerb::Get => "get",
            VectorVerb::GetD => "getd",
            VectorVerb::GetF => "getf",
            VectorVerb::GetH => "geth",
        }
    }

    /// Returns whether the command reads long words.
    #[must_use]
    pub const fn reads(self) -> bool {
        !matches!(self, VectorVerb::Set)
    }

    /// Reads the word after `d`.
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<VectorVerb, ParseError> {
        let (start, before) = (cursor.at(), cursor.clone());
        let word = cursor.take(|c| c.is_ascii_alphabetic());
        let verb = VectorVerb::ALL.into_iter().find(|verb| verb.name() == word);
        verb.ok_or_else(|| match word {
            "" => before.expected("`set`, `get`, `getd`, `getf` or `geth`"),
            _ => {
                let why =
                    format!("`{}` is not a known command", tensor_layout_words::cut(word, 40));
                let refused = refuse_from(cursor, start, ParseErrorKind::Invalid(why));
                refused.with_help("`set`, `get`, `getd`, `getf` or `geth`")
            }
        })
    }
}

/// A line that sets long words before a run, or reads them after it.
///
/// Law: `parse(print(line)) == line`.
///
/// ```
/// use tensor_layout_vectors::{VectorLine, VectorVerb};
/// let text = "d set $lm2p1 1 3F800000C0000000 # values=[1.0, -2.0] / Float @[2],[3]";
/// let line: VectorLine = text.parse()?;
/// assert_eq!((line.verb, line.place.address, line.place.units[4]), (VectorVerb::Set, 1, Some(1)));
/// assert_eq!(line.payload, [0x3f80_0000_c000_0000]);
/// assert_eq!(line.comment.as_ref().unwrap().values, [0x3f80_0000, 0xc000_0000]);
/// assert_eq!(line.to_string(), text);
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct VectorLine {
    /// The command.
    pub verb: VectorVerb,
    /// The place of the first long word, in all units of the line.
    pub place: VectorPlace,
    /// The number of long words, in each of the units.
    pub count: u64,
    /// The long words, lane 0 most significant; empty on most lines that read.
    pub payload: Vec<u64>,
    /// The comment, if it lists the elements of the long words.
    pub comment: Option<VectorComment>,
}

/// The comment of a line: the elements of its long words, in the order of their lanes.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorComment {
    /// The type of the elements.
    pub dtype: Dtype,
    /// Their values, as the bits of an element.
    pub values: Vec<u64>,
    /// Their indexes in the tensor.
    pub indexes: Vec<Vec<u64>>,
    /// The absolute tolerance: the greatest difference that counts as equal.
    pub atol: Option<f64>,
    /// The tolerance relative to the expected value; the larger of the two applies.
    pub rtol: Option<f64>,
}

impl FromStr for VectorLine {
    type Err = ParseError;

    /// Reads a line; blanks may vary between its parts.
    fn from_str(text: &str) -> Result<VectorLine, ParseError> {
        let mut cursor = Cursor::new(text);
        cursor.blanks();
        let (verb, place, count) = match cursor.take(|c| c.is_ascii_alphabetic()) {
            "r" => (VectorVerb::Set, read_dram(&mut cursor)?, 1),
            "d" => read_debug(&mut cursor)?,
            _ => return Err(Cursor::new(text).expected("`d set`, `d getd` or `r`")),
        };
        cursor.blanks();
        let has_payload = cursor.rest().starts_with(|c: char| c.is_ascii_alphanumeric());
        let payload = match has_payload || !verb.reads() {
            true => read_payload(&mut cursor, count)?,
            false => Vec::new(),
        };
        cursor.blanks();
        let comment = match cursor.takes_all("#") {
            true => read_comment(&mut cursor)?,
            false => None,
        };
        cursor.expect_end()?;
        Ok(VectorLine { verb, place, count, payload, comment })
    }
}

/// `r GROUP ADDRESS 001`
fn read_dram(cursor: &mut Cursor<'_>) -> Result<VectorPlace, ParseError> {
    cursor.blanks();
    let start = cursor.at();
    let group = cursor.expect_number("a group")?;
    let group = check_unit(cursor, start, 'n', group)?;
    cursor.blanks();
    let address = read_dram_address(cursor)?;
    cursor.blanks();
    cursor.expect("001", "`001`: one long word")?;
    let units = [Some(group), None, None, None, None];
    Ok(VectorPlace { memory: MemoryText::DRAM, units, address })
}

/// `d set PLACE 1` or `d getd PLACE 1`.
fn read_debug(cursor: &mut Cursor<'_>) -> Result<(VectorVerb, VectorPlace, u64), ParseError> {
    cursor.blanks();
    let verb = VectorVerb::read(cursor)?;
    let (place, count) = read_places(cursor)?;
    Ok((verb, place, count))
}

/// `PLACE 1`: the first long word, and how many there are.
pub(super) fn read_places(cursor: &mut Cursor<'_>) -> Result<(VectorPlace, u64), ParseError> {
    cursor.blanks();
    let place = VectorPlace::read(cursor)?;
    if !cursor.rest().starts_with(char::is_whitespace) {
        return Err(cursor.expected("letters of units in the order `ncbmp`, or a blank"));
    }
    cursor.blanks();
    let start = cursor.at();
    let count = cursor.expect_number("a number of long words")?;
    let why = match count {
        0 => "a line sets or reads 1 long word or more".to_owned(),
        _ if place.unit_count().saturating_mul(count) > MOST_WORDS => {
            format!("a line sets or reads at most {MOST_WORDS} long words in all units")
        }
        _ if place.has(count) => return Ok((place, count)),
        _ => format!(
            "{count} long words from `{place}` on lead beyond the end of {}",
            place.memory.name()
        ),
    };
    let refused = refuse_from(cursor, start, ParseErrorKind::Invalid(why));
    Err(refused.with_help(VectorPlace::addresses(place.memory)))
}

/// 16 digits for every long word; each may have an `l` in front of it.
fn read_payload(cursor: &mut Cursor<'_>, count: u64) -> Result<Vec<u64>, ParseError> {
    let start = cursor.at();
    let word = cursor.take(|c| c.is_ascii_alphanumeric());
    let digits = if word.contains('l') { word.replace('l', "") } else { word.to_owned() };
    let marks = word.match_indices('l').map(|(at, _)| at);
    let is_marked = word.len() == digits.len() || marks.eq((0..to_index(count)).map(|at| at * 17));
    let read = digits.as_bytes().chunks(16).map(hexadecimal).collect::<Option<Vec<u64>>>();
    let whole = digits.len() % 16 == 0 && is_marked;
    match read.filter(|words| whole && words.len() == to_index(count)) {
        Some(words) => Ok(words),
        None if count == 1 => {
            let expected = ParseErrorKind::Expected(vec!["16 hexadecimal digits"]);
            Err(refuse_from(cursor, start, expected))
        }
        None if !is_marked => {
            let why = "either every long word has an `l` in front, or none has".to_owned();
            Err(refuse_from(cursor, start, ParseErrorKind::Invalid(why)))
        }
        None => {
            let why = format!(
                "{} take {} hexadecimal digits, but there are {}",
                counted(count, "long word"),
                count.saturating_mul(16),
                digits.bytes().filter(u8::is_ascii_hexdigit).count()
            );
            Err(refuse_from(cursor, start, ParseErrorKind::Invalid(why)))
        }
    }
}

/// Returns the number that hexadecimal digits make; `None` for other text, or beyond 64 bits.
pub(super) fn hexadecimal(digits: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok()?;
    let are_digits = !text.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    are_digits.then(|| u64::from_str_radix(text, 16).ok())?
}

/// `values=[..] / DTYPE @[..],[..] atol=..`, or text for people.
fn read_comment(cursor: &mut Cursor<'_>) -> Result<Option<VectorComment>, ParseError> {
    let says_values = |cursor: &Cursor<'_>| {
        ["=[", "@[", "values=", "expect="].iter().any(|mark| cursor.rest().contains(mark))
    };
    let comment = says_values(cursor).then(|| read_values_of(cursor)).transpose()?;
    if comment.is_some() && says_values(cursor) {
        return Err(cursor.expected("one list of values, followed by all indexes"));
    }
    cursor.take(|_| true);
    Ok(comment)
}

/// `values=[..] / DTYPE @[..],[..] atol=..`
fn read_values_of(cursor: &mut Cursor<'_>) -> Result<VectorComment, ParseError> {
    cursor.blanks();
    if !cursor.takes_all("values=") {
        cursor.expect("expect=", "`values=` or `expect=`")?;
    }
    cursor.expect("[", "`[`")?;
    // The values can be read once the dtype is known.
    let mut list = cursor.clone();
    cursor.take(|c| c != ']');
    let end = cursor.at();
    cursor.expect("]", "`]`")?;
    cursor.blanks();
    cursor.expect("/", "`/`")?;
    cursor.blanks();
    let start = cursor.at();
    let name = cursor.take(|c| c.is_ascii_alphanumeric());
    let unknown = |error: tensor_layout::LayoutError| {
        refuse_from(cursor, start, ParseErrorKind::Meaning(error))
    };
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
            let why = format!("`{}` is not a value of {dtype}", tensor_layout_words::cut(word, 40));
            refuse_from(cursor, start, ParseErrorKind::Invalid(why))
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
    word.parse().ok().filter(|tolerance| is_tolerance(*tolerance)).ok_or_else(|| {
        let expected = ParseErrorKind::Expected(vec!["a finite tolerance of 0 or more"]);
        refuse_from(cursor, start, expected)
    })
}

/// Returns whether a tolerance is finite and not negative; within an infinite one every result is right.
pub(super) fn is_tolerance(tolerance: f64) -> bool {
    tolerance.is_finite() && tolerance >= 0.0
}

impl fmt::Display for VectorLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.verb, self.place, self.count) {
            (
                VectorVerb::Set,
                VectorPlace { memory: MemoryText::DRAM, units: [Some(group), ..], address },
                1,
            ) => write!(f, "r {group} {address:09X} 001")?,
            (verb, place, count) => write!(f, "d {} {place} {count}", verb.name())?,
        }
        if !self.payload.is_empty() {
            write!(f, " {:016X}", self.payload.iter().format(""))?;
        }
        let Some(comment) = &self.comment else { return Ok(()) };
        write!(f, " # {}={comment}", if self.verb.reads() { "expect" } else { "values" })
    }
}

impl fmt::Display for VectorComment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(40);
        for bits in &self.values {
            text.push_str(if text.is_empty() { "" } else { ", " });
            value::write(&mut text, self.dtype, *bits);
        }
        write!(f, "[{text}] / {} @{}", self.dtype, IndexList(&self.indexes))?;
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
pub(super) struct IndexList<'a>(pub(super) &'a [Vec<u64>]);

impl fmt::Display for IndexList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |index: &Vec<u64>| format!("[{}]", index.iter().join(","));
        write!(f, "{}", self.0.iter().map(one).join(","))
    }
}
