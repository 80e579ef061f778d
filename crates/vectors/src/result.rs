//! What a simulator printed.
//!
//! ```text
//! DEBUG-LM1(n0c0b0m0p0,2):(1.5) (0x3FF8000000000000) #d getd $ln2n0c0b0m0p0 1
//! d getd $ln2n0c0b0m0p0 1 3FF8000000000000
//! 3FF8000000000000
//! ```

use std::collections::HashMap;
use std::io::{BufRead, Read};

use super::error::VectorError;
use super::line::VectorLine;
use super::place::{VectorPlace, read_address, read_units};
use tensor_layout::error::{ParseError, ParseErrorKind, Span};
use tensor_layout::internals::Cursor;
use tensor_layout::internals::to_u64;
use tensor_layout::notation::MemoryText;

/// No simulator prints longer lines.
const LONGEST: u64 = 1 << 16;

/// The long words that were read, by their places or in the order of the lines that read them.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Results {
    Placed(HashMap<VectorPlace, u64>),
    Listed(Vec<u64>),
}

/// What a line of a result says.
enum Entry {
    Placed(VectorPlace, u64),
    Listed(u64),
    /// Nothing of a memory.
    Other,
}

impl Results {
    /// Reads all of it. Of several long words of a place the last counts: lines of a test vector
    /// come after whatever the kernel printed itself.
    ///
    /// # Errors
    /// [`Read`](VectorError::Read), [`Result`](VectorError::Result).
    pub(super) fn read(mut input: impl BufRead) -> Result<Results, VectorError> {
        let (mut placed, mut listed) = (HashMap::new(), Vec::new());
        let mut bytes = Vec::new();
        for line in 1.. {
            bytes.clear();
            let read = input.by_ref().take(LONGEST).read_until(b'\n', &mut bytes);
            let read = to_u64(read.map_err(VectorError::Read)?);
            if read == 0 {
                break;
            }
            let text = String::from_utf8_lossy(&bytes);
            let refused = |error| VectorError::Result { line, error };
            if read == LONGEST && !text.ends_with('\n') {
                let why = format!("the line is longer than {LONGEST} bytes");
                return Err(refused(invalid(&tensor_layout::internals::cut(&text, 200), &why)));
            }
            match entry(text.trim()).map_err(refused)? {
                Entry::Placed(place, word) => drop(placed.insert(place, word)),
                Entry::Listed(word) => listed.push(word),
                Entry::Other => {}
            }
            if !placed.is_empty() && !listed.is_empty() {
                let why = "some lines name a place, and others do not";
                return Err(refused(invalid(text.trim(), why)));
            }
        }
        Ok(if placed.is_empty() { Results::Listed(listed) } else { Results::Placed(placed) })
    }
}

fn invalid(text: &str, why: &str) -> ParseError {
    ParseError::new(ParseErrorKind::Invalid(why.into()), Span::new(0, text.len()), text)
}

fn entry(text: &str) -> Result<Entry, ParseError> {
    if text.is_empty() || text.starts_with('#') {
        return Ok(Entry::Other);
    }
    if text.starts_with("DEBUG-") {
        return debug(text);
    }
    if text.starts_with("d ") || text.starts_with("r ") {
        let line: VectorLine = text.parse()?;
        let missing = || {
            invalid(
                text,
                "the line lacks its long word: it is for a simulator to read, not what one prints",
            )
        };
        return Ok(Entry::Placed(line.place, line.payload.ok_or_else(missing)?));
    }
    let digits = text.strip_prefix("0x").unwrap_or(text);
    hexadecimal(digits).map(Entry::Listed).ok_or_else(|| {
        invalid(text, "this is not what a simulator prints for `getd`").with_help(
            "a long word of up to 16 hexadecimal digits, `d getd PLACE 1 WORD`, or \
             `DEBUG-LM0(n0c0b0m0p0,0):(..) (0xWORD)`",
        )
    })
}

/// A long word of up to 16 digits.
fn hexadecimal(digits: &str) -> Option<u64> {
    let is_hex = digits.len() <= 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|_| is_hex)
}

/// `DEBUG-LM1(n0c0b0m0p0,2):(..) (0x..)`; lines of other memories are skipped.
fn debug(text: &str) -> Result<Entry, ParseError> {
    let mut cursor = Cursor::new(text);
    cursor.takes_all("DEBUG-");
    let memory = match cursor.take(|c| c.is_ascii_alphanumeric()) {
        "LM0" => MemoryText::LM0,
        "LM1" => MemoryText::LM1,
        "DRAM" => MemoryText::DRAM,
        _ => return Ok(Entry::Other),
    };
    cursor.expect("(", "`(`")?;
    let units = read_units(&mut cursor)?;
    cursor.expect(",", "`,`")?;
    // A kernel may print halves of a long word, too.
    let Ok(address) = read_address(&mut cursor, memory) else { return Ok(Entry::Other) };
    cursor.expect("):", "`):`")?;
    let said = cursor.rest().split('#').next().unwrap_or_default();
    let digits = said.rsplit_once("(0x").map_or("", |(_, digits)| digits);
    let digits = digits.trim_end().strip_suffix(')').unwrap_or_default();
    let word = hexadecimal(digits);
    let place = VectorPlace { memory, units, address };
    word.map(|word| Entry::Placed(place, word))
        .ok_or_else(|| cursor.expected("a long word `(0x..)`"))
}

#[cfg(test)]
mod tests {
    use super::Results;

    #[test]
    fn the_forms_of_a_result_say_the_same() {
        let forms = [
            "DEBUG-TREG(n0c0b0m0p0,0):(f:0, v:0x1) #d get $lt\n\
             DEBUG-LM1(n0c0b0m0p0,2):(0) (0x0000000000000007) #d getd $ln2n0c0b0m0p0 1\n\
             DEBUG-LM1(n0c0b0m0p0,2):(1.5) (0x3ff8000000000000) #d getd $ln2n0c0b0m0p0 1\n",
            "\n# result\nd getd $ln2n0c0b0m0p0 1 3FF8000000000000\n",
        ];
        let read = forms.map(|form| Results::read(form.as_bytes()).ok());
        assert!(read[0].is_some() && read[0] == read[1], "{read:?}");
        let listed = Results::read("3FF8000000000000\n0x1\n".as_bytes()).ok();
        assert_eq!(listed, Some(Results::Listed(vec![0x3ff8 << 48, 1])));
    }

    #[test]
    fn what_is_not_a_result_is_refused_at_its_line() {
        for text in [
            "1\nDEBUG-LM0(n0c0b0m0p0,0):(0) (0x0)",
            "\nhello",
            "\nd getd $lm0 1",
            "\n12345678901234567",
            "\nDEBUG-LM0(n0c0b0m0p0,0):(0) (0x12345678901234567)",
            "\nDEBUG-LM0(n0c0b0m0p0,0):(0) (0x12g4)",
            &format!("\n{}1", " ".repeat(1 << 16)),
        ] {
            let refused = Results::read(text.as_bytes()).map_err(|error| error.to_string());
            assert!(
                refused.as_ref().is_err_and(|e| e.starts_with("line 2 of the result: ")),
                "{refused:?}"
            );
        }
    }
}
