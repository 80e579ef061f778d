//! One line of the dump that the emulator of MN-Core 2 writes.
//!
//! ```text
//! DEBUG-LM0(n0c0b0m0p1,2):(2, 6) (0x40000000, 0x40c00000) #d getf $lm0n0c0b0m0 2
//!       memory, units, address; values; the same as digits; the command that reads it
//! ```
//!
//! The long word is read from the digits. The values and the command repeat it, so a line that was
//! changed by hand, or has an unknown form, is rejected.
//!
//! Source: the tutorial of the public emulator package of MN-Core 2, "d set/get".

use super::error::{invalid, refuse_from};
use super::line::{VectorVerb, hexadecimal, read_places};
use super::place::{MEMORIES, VectorPlace, read_address, read_units};
use super::value;
use tensor_layout::error::{ParseError, ParseErrorKind};
use tensor_layout::notation::{Dtype, MemoryText};
use tensor_layout_words::Cursor;

/// A long word that the emulator printed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Dumped {
    pub(super) place: VectorPlace,
    pub(super) word: u64,
    /// The error of a line whose values are not those of its digits.
    pub(super) doubt: Option<ParseError>,
    /// The command, if the line names it.
    pub(super) command: Option<DumpCommand>,
}

/// A command that reads long words, as the lines of its answer repeat it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DumpCommand {
    verb: VectorVerb,
    pub(super) place: VectorPlace,
    pub(super) count: u64,
    /// The command as written.
    pub(super) text: String,
}

/// The command after `#` in a line of a dump.
enum DumpSource {
    /// A command that reads LM0, LM1 or DRAM.
    Command(DumpCommand),
    /// A command that reads something else: the letters after `$`.
    Elsewhere(String),
}

impl DumpCommand {
    /// The number of lines the emulator prints for it.
    pub(super) fn lines(&self) -> u64 {
        self.place.unit_count() * self.count
    }

    /// Returns the index, from 0, of the line that prints a long word, in the order of the emulator: all
    /// long words of a PE, then those of the next PE.
    pub(super) fn line_of(&self, place: &VectorPlace) -> Option<u64> {
        let unit = self.place.unit_number(place)?;
        let word = place.address.checked_sub(self.place.address)?;
        let is_read = place.memory == self.place.memory && word < self.count;
        is_read.then_some(unit * self.count + word)
    }

    /// Returns the long word that a line prints, by the index of the line.
    pub(super) fn place_of(&self, line: u64) -> Option<VectorPlace> {
        let unit = self.place.each_unit().nth(usize::try_from(line / self.count).ok()?)?;
        Some(unit.after(line % self.count))
    }
}

/// Reads a line that begins with `DEBUG-`; `None` if it prints another memory, or single words.
pub(super) fn read(text: &str) -> Result<Option<Dumped>, ParseError> {
    let mut cursor = Cursor::new(text);
    cursor.takes_all("DEBUG-");
    let name = cursor.take(|c| c.is_ascii_alphanumeric());
    let memory = MEMORIES.into_iter().find(|memory| memory.name() == name);
    let source = read_source(text);
    let command = match (memory, source) {
        (None, Ok(Some(DumpSource::Command(command)))) => {
            let why = format!("the line is of {name}, but `{}` is not", command.text);
            return Err(invalid(text, why));
        }
        // A kernel may print registers, and halves of a long word.
        (None, _) => return Ok(None),
        (Some(memory), Ok(Some(DumpSource::Elsewhere(letters)))) => {
            let words = [(MemoryText::LM0, "m"), (MemoryText::LM1, "n")];
            return match words.contains(&(memory, letters.as_str())) {
                true => Ok(None),
                false => {
                    Err(invalid(text, format!("the line is of {name}, but reads `${letters}`")))
                }
            };
        }
        (Some(_), Ok(Some(DumpSource::Command(command)))) => Some(command),
        (Some(_), Ok(None)) => None,
        (Some(_), Err(error)) => return Err(error),
    };
    let Some(memory) = memory else { return Ok(None) };
    read_long_word(&mut cursor, memory, command).map(Some)
}

/// `#d getf $lm0n0c0b0m0 2`
fn read_source(text: &str) -> Result<Option<DumpSource>, ParseError> {
    let mut cursor = Cursor::new(text);
    cursor.take(|c| c != '#');
    if !cursor.takes_all("#") {
        return Ok(None);
    }
    cursor.blanks();
    let start = cursor.at();
    cursor.expect("d", "the command, such as `d getd $lm0n0c0b0m0p0 1`")?;
    cursor.blanks();
    let (at, verb) = (cursor.at(), VectorVerb::read(&mut cursor)?);
    if !verb.reads() {
        let why = "this command reads nothing".to_owned();
        return Err(refuse_from(&cursor, at, ParseErrorKind::Invalid(why)));
    }
    cursor.blanks();
    let mut letters = cursor.clone();
    let letters = match letters.takes_all("$") {
        true => letters.take(|c| c.is_ascii_alphabetic()),
        false => return Err(cursor.expected("a place such as `$lm0n0c0b0m0p0`")),
    };
    if !["lm", "ln", "d"].contains(&letters) {
        return Ok(Some(DumpSource::Elsewhere(letters.into())));
    }
    let (place, count) = read_places(&mut cursor)?;
    let written = text.get(start..cursor.at()).unwrap_or_default().to_owned();
    cursor.blanks();
    if !cursor.rest().starts_with('#') {
        cursor.expect_end()?;
    }
    Ok(Some(DumpSource::Command(DumpCommand { verb, place, count, text: written })))
}

/// `(n0c0b0m0p1,2):(2, 6) (0x40000000, 0x40c00000)`
fn read_long_word(
    cursor: &mut Cursor<'_>,
    memory: MemoryText,
    command: Option<DumpCommand>,
) -> Result<Dumped, ParseError> {
    let start = cursor.at();
    cursor.expect("(", "`(`")?;
    let units = read_units(cursor, memory)?;
    cursor.expect(",", "`,`")?;
    let place = VectorPlace { memory, units, address: read_address(cursor, memory)? };
    cursor.expect(")", "`)`")?;
    let refused =
        |cursor: &Cursor<'_>, why: String| refuse_from(cursor, start, ParseErrorKind::Invalid(why));
    if place.unit_count() != 1 {
        return Err(refused(cursor, "a line of a dump names one unit, with all letters".into()));
    }
    if let Some(command) = command.as_ref().filter(|command| command.line_of(&place).is_none()) {
        return Err(refused(cursor, format!("`{}` does not read `{place}`", command.text)));
    }
    cursor.expect(":", "`:`")?;
    let start = cursor.at();
    let (word, doubt) = match command.as_ref().map(|command| command.verb) {
        Some(VectorVerb::Get) => read_all_ways(cursor)?,
        verb => read_one_way(cursor, verb)?,
    };
    let doubt = doubt.map(|why| refuse_from(cursor, start, ParseErrorKind::Invalid(why)));
    cursor.blanks();
    if !cursor.rest().starts_with('#') {
        cursor.expect_end()?;
    }
    Ok(Dumped { place, word, doubt, command })
}

/// Reads `(2, 6) (0x40000000, 0x40c00000)`: the long word, and the reason to doubt it, if any.
fn read_one_way(
    cursor: &mut Cursor<'_>,
    verb: Option<VectorVerb>,
) -> Result<(u64, Option<String>), ParseError> {
    let values = read_list(cursor)?;
    cursor.blanks();
    let start = cursor.at();
    let digits = read_list(cursor)?;
    let form = [
        (VectorVerb::GetD, Dtype::Double, 1, "one number of 16"),
        (VectorVerb::GetF, Dtype::Float, 2, "two numbers of 8"),
        (VectorVerb::GetH, Dtype::Half, 4, "four numbers of 4"),
    ];
    let form = form.into_iter().find(|(known, _, lanes, _)| match verb {
        Some(verb) => *known == verb,
        None => *lanes == digits.len(),
    });
    let words = digits.iter().map(|digits| hexadecimal(digits.strip_prefix("0x")?.as_bytes()));
    let words = words.collect::<Option<Vec<u64>>>();
    let is_wide = |lanes: usize| {
        digits.len() == lanes && digits.iter().all(|word| word.len() == 2 + 16 / lanes)
    };
    let (Some((_, dtype, lanes, _)), Some(words)) = (form.filter(|form| is_wide(form.2)), words)
    else {
        let why = match (form, verb) {
            (Some((.., digits)), Some(verb)) => {
                format!("`{}` prints {digits} hexadecimal digits with `0x`", verb.name())
            }
            _ => "this is not how the emulator prints a long word".into(),
        };
        return Err(refuse_from(cursor, start, ParseErrorKind::Invalid(why)));
    };
    // A lone number shifts everything out, which is nothing.
    let width = u32::try_from(dtype.bits()).unwrap_or(64);
    let word = words.iter().fold(0, |word: u64, lane| word.checked_shl(width).unwrap_or(0) | lane);
    let agree = values.len() == lanes
        && values.iter().zip(&words).all(|(said, bits)| agrees(said, dtype, *bits));
    let doubt = || format!("the values ({}) are not those of the digits", values.join(", "));
    Ok((word, (!agree).then(doubt)))
}

/// `(..)`: the entries between commas.
fn read_list<'t>(cursor: &mut Cursor<'t>) -> Result<Vec<&'t str>, ParseError> {
    cursor.expect("(", "`(`")?;
    let entries = cursor.take(|c| c != ')');
    cursor.expect(")", "`)`")?;
    Ok(entries.split(',').map(str::trim).collect())
}

/// Reads `(f:2, i:{{0x4000,0x0},{0x0,0x0}}, v:0x4000000000000000)`: the long word, and a doubt, if any.
fn read_all_ways(cursor: &mut Cursor<'_>) -> Result<(u64, Option<String>), ParseError> {
    cursor.expect("(f:", "`(f:`")?;
    let number = cursor.take(|c| c != ',');
    cursor.expect(", i:{{", "`, i:{{`")?;
    let mut halves = [0; 4];
    for (half, end) in halves.iter_mut().zip([",", "},{", ",", "}}, v:"]) {
        *half = read_short(cursor, 4)?;
        cursor.expect(end, "four halves, as in `{{0x0,0x0},{0x0,0x0}}, v:0x0`")?;
    }
    let word = read_short(cursor, 16)?;
    cursor.expect(")", "`)`")?;
    let joined = halves.iter().fold(0, |word: u64, half| word << 16 | half);
    let doubt = match (joined == word, agrees(number, Dtype::Double, word)) {
        (false, _) => Some(format!("the halves `i` make {joined:016X}, but `v` is {word:016X}")),
        (true, false) => Some(format!("the number {number} is not that of {word:016X}")),
        (true, true) => None,
    };
    Ok((word, doubt))
}

/// `0x42`: digits without zeros in front.
fn read_short(cursor: &mut Cursor<'_>, most: usize) -> Result<u64, ParseError> {
    cursor.expect("0x", "`0x`")?;
    let start = cursor.at();
    let digits = cursor.take(|c| c.is_ascii_alphanumeric());
    let number = hexadecimal(digits.as_bytes()).filter(|_| digits.len() <= most);
    number.ok_or_else(|| {
        let why = format!("expected 1 to {most} hexadecimal digits");
        refuse_from(cursor, start, ParseErrorKind::Invalid(why))
    })
}

/// Returns whether a number that the emulator printed with six digits is the value of some bits; true for
/// text that is not a number.
fn agrees(said: &str, dtype: Dtype, bits: u64) -> bool {
    let (Ok(said), value) = (said.parse::<f64>(), value::float(dtype, bits)) else { return true };
    if !value.is_finite() {
        // The form in which these are printed is not public.
        return true;
    }
    let digits = |number: f64| format!("{number:.5e}");
    // Subnormal numbers are printed as 0.
    let is_flushed = value::is_subnormal(dtype, bits) && digits(said) == digits(value * 0.0);
    is_flushed || digits(said) == digits(value)
}

#[cfg(test)]
mod tests {
    use super::{agrees, read};
    use tensor_layout::notation::Dtype;

    #[test]
    fn every_form_gives_its_long_word() {
        for (line, word) in [
            (
                "DEBUG-LM0(n0c0b0m0p0,0):(1) (0x3ff0000000000000) #d getd $lm0n0c0b0m0p0 1",
                0x3ff0 << 48,
            ),
            (
                "DEBUG-LM1(n0c0b0m0p3,2):(7, -15.5) (0x40e00000, 0xc1780000) #d getf $ln0n0c0b0m0 2",
                0x40e0_0000_c178_0000,
            ),
            (
                "DEBUG-LM0(n3c1b7m15p0,4094):(1, -0, 0, 2.12109) (0x3e00, 0x8000, 0x003e, 0x401f) #d geth $lm4094 1",
                0x3e00_8000_003e_401f,
            ),
            (
                "DEBUG-LM0(n0c0b0m0p0,0):(f:2.00268e-307, i:{{0x42,0x42},{0x0,0x42}}, v:0x42004200000042) #d get $lm0n0c0b0m0p0 1",
                0x0042_0042_0000_0042,
            ),
            (
                "DEBUG-DRAM(n2,1000):(f:0, i:{{0x0,0x42},{0x8000,0x0}}, v:0x4280000000) #d get $d1000n2 1",
                0x42_8000_0000,
            ),
            ("DEBUG-DRAM(n2,1000):(0) (0x0000000000000007)", 7),
            ("DEBUG-LM1(n0c0b0m0p0,0):(..) (0x3FC000003DCCCCCD)", 0x3fc0_0000_3dcc_cccd),
            (
                "DEBUG-LM0(n0c0b0m0p0,0):(1, 1) (0x3f800000, 0x3f800000) #d getf $lm0n0c0b0m0p0 1 # expect=[1.0, 1.0]",
                0x3f80_0000_3f80_0000,
            ),
        ] {
            let dumped = read(line).ok().flatten();
            assert_eq!(dumped.as_ref().map(|dumped| dumped.word), Some(word), "{line}");
            assert!(dumped.is_some_and(|dumped| dumped.doubt.is_none()), "{line}");
        }
        for line in [
            "DEBUG-GREG0(n0c0b0m0p0,0):(f:0, i:{{0x0,0x0},{0x0,0x3}}, v:0x3) #d get $lr0n0c0b0m0p0 1",
            "DEBUG-TREG(n0c0b0m0p0,1):(f:0, i:{{0x0,0x0},{0x0,0x2}}, v:0x2) #d get $ltn0c0b0m0p0 4",
            "DEBUG-OMR(n0c0b0m0p0,1):Mask{15} #d get $omr1n0c0b0m0p0 1",
            "DEBUG-L1BM(n0c0b0,12):(-0.657017) (0xbfe5064a00000000) #d getd $lb12n0c0b0 1",
            "DEBUG-LM0(n0c0b0m0p0,1):(1) (0x3f800000) #d getf $m1n0c0b0m0p0 1",
        ] {
            assert_eq!(read(line).ok(), Some(None), "{line}");
        }
    }

    #[test]
    fn values_are_printed_with_six_digits() {
        for (said, bits) in [
            ("2.76562", 0x40c4),
            ("6.98492e-09", 0x07c0),
            ("-0", 0x803e),
            ("0", 0x01f0),
            ("5.42188", 0x42b6),
            ("325", 0x4e8a),
        ] {
            assert!(agrees(said, Dtype::Half, bits), "{said} {bits:04x}");
            assert!(!agrees(said, Dtype::Half, bits ^ 0x4010), "{said} {bits:04x}");
        }
        assert!(agrees("0.1", Dtype::Float, 0x3dcc_cccd));
        assert!(agrees("0.10000000149011612", Dtype::Float, 0x3dcc_cccd));
        assert!(!agrees("0.10001", Dtype::Float, 0x3dcc_cccd));
        assert!(!agrees("1", Dtype::Double, 0));
    }
}
