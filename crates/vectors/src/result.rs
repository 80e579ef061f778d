//! The output of a simulator, in one of three forms:
//!
//! ```text
//! DEBUG-LM1(n0c0b0m0p0,2):(1.5) (0x3ff8000000000000) #d getd $ln2n0c0b0m0p0 1
//! d getd $ln2n0c0b0m0p0 1 3FF8000000000000
//! 3FF8000000000000
//! ```

use std::collections::HashMap;
use std::io::{BufRead, Read};

use super::dump::{self, DumpCommand, Dumped};
use super::error::{VectorError, invalid};
use super::line::{VectorLine, hexadecimal};
use super::place::VectorPlace;
use tensor_layout::error::ParseError;
use tensor_layout_words::{counted, cut, to_index, to_u64};

/// The longest line, in bytes: no simulator prints a longer one.
const LONGEST: u64 = 1 << 16;

/// The long words that were read, by their places or in the order of the lines that read them.
#[derive(Debug)]
pub(super) enum Results {
    Placed(PlacedWords),
    Listed(Vec<u64>),
}

/// Long words by their places, each of which names one unit.
#[derive(Debug, Default)]
pub(super) struct PlacedWords {
    words: HashMap<VectorPlace, u64>,
    /// The places whose line has values that are not those of its digits: its number, and the error.
    doubts: HashMap<VectorPlace, (u64, ParseError)>,
    commands: HashMap<String, CommandAnswer>,
}

/// The lines that repeat a command.
#[derive(Debug)]
struct CommandAnswer {
    command: DumpCommand,
    /// The indexes of the lines of the command that are in the result, from 0.
    lines: Vec<u64>,
    /// The number of the last one in the result.
    last: u64,
}

/// A line of a result.
enum ResultEntry {
    Dumped(Dumped),
    Placed(VectorLine),
    Listed(u64),
    /// A line without a long word of a memory that vectors read.
    Other,
}

impl Results {
    /// Reads a whole result. Of several long words of a place the last counts: the lines of a test vector
    /// come after the output of the kernel itself.
    ///
    /// # Errors
    /// [`Read`](VectorError::Read), [`Result`](VectorError::Result).
    pub(super) fn read(mut input: impl BufRead) -> Result<Results, VectorError> {
        let (mut placed, mut listed) = (PlacedWords::default(), Vec::new());
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
                return Err(refused(invalid(&cut(&text, 200), why)));
            }
            match entry(text.trim()).map_err(refused)? {
                ResultEntry::Dumped(dumped) => placed.take_dumped(line, dumped),
                ResultEntry::Placed(set) => placed.take_line(&set),
                ResultEntry::Listed(word) => listed.push(word),
                ResultEntry::Other => {}
            }
            if !placed.words.is_empty() && !listed.is_empty() {
                let why = "some lines name a place, and others do not";
                return Err(refused(invalid(text.trim(), why)));
            }
        }
        placed.check_whole()?;
        let is_list = placed.words.is_empty();
        Ok(if is_list { Results::Listed(listed) } else { Results::Placed(placed) })
    }

    /// Returns the long word of a place, which is number `at`, from 0, in the order of the lines.
    pub(super) fn word(&self, place: &VectorPlace, at: u64) -> Option<u64> {
        match self {
            Results::Placed(placed) => placed.words.get(place).copied(),
            Results::Listed(words) => words.get(to_index(at)).copied(),
        }
    }

    /// Returns an error if the line of a long word contradicts itself.
    pub(super) fn check(&self, place: &VectorPlace) -> Result<(), VectorError> {
        match self {
            Results::Placed(placed) => refused(placed.doubts.get(place).cloned()),
            Results::Listed(_) => Ok(()),
        }
    }

    pub(super) fn check_length(&self, wanted: u64) -> Result<(), VectorError> {
        match self {
            Results::Listed(words) if to_u64(words.len()) != wanted => {
                Err(VectorError::ResultLength { found: words.len(), wanted: to_index(wanted) })
            }
            _ => Ok(()),
        }
    }
}

impl PlacedWords {
    fn take_dumped(&mut self, line: u64, dumped: Dumped) {
        let Dumped { place, word, doubt, command } = dumped;
        self.words.insert(place, word);
        match doubt {
            Some(error) => drop(self.doubts.insert(place, (line, error))),
            None => drop(self.doubts.remove(&place)),
        }
        let Some(command) = command else { return };
        let which = command.line_of(&place).unwrap_or(0);
        let new = || CommandAnswer { command: command.clone(), lines: Vec::new(), last: line };
        let answer = self.commands.entry(command.text.clone()).or_insert_with(new);
        answer.lines.push(which);
        answer.last = line;
    }

    fn take_line(&mut self, line: &VectorLine) {
        for unit in line.place.each_unit() {
            for (at, word) in (0..).zip(&line.payload) {
                self.words.insert(unit.after(at), *word);
                self.doubts.remove(&unit.after(at));
            }
        }
    }

    /// Returns an error if an answer lacks lines of its command, or has some more often than others.
    fn check_whole(&mut self) -> Result<(), VectorError> {
        let parts =
            self.commands.values_mut().filter_map(|answer| Some((answer.last, answer.part()?)));
        refused(parts.min_by_key(|(line, _)| *line))
    }
}

impl CommandAnswer {
    /// Returns an error for the first line that is missing in the answer.
    fn part(&mut self) -> Option<ParseError> {
        let wanted = self.command.lines();
        self.lines.sort_unstable();
        let times = to_u64(self.lines.len()).div_ceil(wanted);
        let whole = (0..wanted).flat_map(|line| (0..times).map(move |_| line));
        let found = self.lines.iter().copied().map(Some).chain(std::iter::repeat(None));
        let (missing, _) = whole.zip(found).find(|(line, found)| *found != Some(*line))?;
        let place = self.command.place_of(missing)?;
        let why = format!(
            "`{}` prints {}, but that of `{place}` is missing",
            self.command.text,
            counted(wanted, "long word"),
        );
        Some(invalid(&self.command.text, why))
    }
}

fn refused(fault: Option<(u64, ParseError)>) -> Result<(), VectorError> {
    fault.map_or(Ok(()), |(line, error)| Err(VectorError::Result { line, error }))
}

fn entry(text: &str) -> Result<ResultEntry, ParseError> {
    if text.is_empty() || text.starts_with('#') {
        return Ok(ResultEntry::Other);
    }
    if text.starts_with("DEBUG-") {
        return Ok(dump::read(text)?.map_or(ResultEntry::Other, ResultEntry::Dumped));
    }
    if text.starts_with("d ") || text.starts_with("r ") {
        let line: VectorLine = text.parse()?;
        let why = match (line.payload.is_empty(), line.place.unit_count()) {
            (false, 1) => return Ok(ResultEntry::Placed(line)),
            (true, _) => {
                "the line lacks its long word: it is for a simulator to read, not what one prints"
            }
            (false, _) => "the line names several units, but each has a long word of its own",
        };
        return Err(invalid(text, why));
    }
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let word = hexadecimal(digits.as_bytes()).filter(|_| digits.len() == 16);
    word.map(ResultEntry::Listed).ok_or_else(|| {
        invalid(text, "this is not what a simulator prints for a long word").with_help(
            "all 16 hexadecimal digits, `d getd PLACE 1 WORD`, or a line of the emulator such as \
             `DEBUG-LM0(n0c0b0m0p0,0):(1, 5) (0x3f800000, 0x40a00000) #d getf $lm0n0c0b0m0p0 1`",
        )
    })
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
        let read = forms.map(|form| match Results::read(form.as_bytes()) {
            Ok(Results::Placed(placed)) => Some(placed.words),
            _ => None,
        });
        assert!(read[0].is_some() && read[0] == read[1], "{read:?}");
        let listed = Results::read("3FF8000000000000\n0x0000000000000001\n".as_bytes());
        assert!(matches!(listed, Ok(Results::Listed(words)) if words == [0x3ff8 << 48, 1]));
    }

    #[test]
    fn what_is_not_a_result_is_refused_at_its_line() {
        for text in [
            "0000000000000001\nDEBUG-LM0(n0c0b0m0p0,0):(0) (0x0000000000000000)",
            "\nhello",
            "\nd getd $lm0 1",
            "\nd getd $lm0 1 0000000000000000",
            "\n12345678901234567",
            "\n0x3f800000",
            "\nDEBUG-LM0(n0c0b0m0p0,0):(0) (0x0)",
            "\nDEBUG-LM0(n0c0b0m0p0,0):(0) (0x12345678901234567)",
            "\nDEBUG-LM0(n0c0b0m0p0,0):(0) (0x000000000000012g4)",
            "\nDEBUG-LM0(n0c0b0m0p0,0):(1) (0x3f800000)",
            "\nDEBUG-LM0(n0c0b0m0p0,0):(1) (0x3f800000) #d getf $lm0n0c0b0m0p0 1",
            "\nDEBUG-LM0(n0c0b0m0,0):(0) (0x0000000000000000)",
            "\nDEBUG-LM0(n0c0b0m0p4,0):(0) (0x0000000000000000)",
            "\nDEBUG-LM0(n0c0b0m0p0,4096):(0) (0x0000000000000000)",
            "\nDEBUG-LM0(n0c0b0m0p0,0):(0) (0x0000000000000000) #d getx $lm0n0c0b0m0p0 1",
            "\nDEBUG-LM0(n0c0b0m0p0,0):(0) (0x0000000000000000) #d getd $lm0n0c0b0m0p0 0",
            "\nDEBUG-LM0(n0c0b0m0p0,0):(0) (0x0000000000000000) #d getd $lm0n0c0b0m0p0 2",
            "\nDEBUG-LM0(n0c0b0m0p0,0):(0) (0x0000000000000000) #d getd $lm0n0c0b0m0 1",
            "\nDEBUG-LM0(n0c0b0m0p0,0):(0) (0x0000000000000000) #d getd $lm0n0c0b0m0p1 1",
            "\nDEBUG-LM0(n0c0b0m0p0,0):(0) (0x0000000000000000) #d getd $ln0n0c0b0m0p0 1",
            "\nDEBUG-LM0(n0c0b0m0p0,0):(0) (0x0000000000000000) #d getd $llm0n0c0b0m0p0 1",
            "\nDEBUG-LM2(n0c0b0m0p0,0):(0) (0x0000000000000000) #d getd $lm0n0c0b0m0p0 1",
            &format!("\n{}1", " ".repeat(1 << 16)),
        ] {
            let refused = Results::read(text.as_bytes()).map_err(|error| error.to_string());
            assert!(
                refused.as_ref().is_err_and(|e| e.starts_with("line 2 of the result: ")),
                "{text}: {refused:?}"
            );
        }
    }

    #[test]
    fn an_answer_has_all_lines_of_its_command() {
        let line = |pe: u64, address: u64| {
            format!(
                "DEBUG-LM0(n0c0b0m0p{pe},{address}):(0) (0x0000000000000000) #d getd $lm0n0c0b0m0 2\n"
            )
        };
        let whole: Vec<String> =
            (0..4).flat_map(|pe| [0, 2].map(|address| line(pe, address))).collect();
        let read = |lines: &[String]| Results::read(lines.concat().as_bytes());
        assert!(read(&whole).is_ok());
        assert!(read(&[&whole[..], &whole[..]].concat()).is_ok());
        for at in 0..whole.len() {
            let missing = [&whole[..at], &whole[at + 1..]].concat();
            let refused = read(&missing).map_err(|error| error.to_string());
            assert!(refused.as_ref().is_err_and(|e| e.contains("is missing")), "{refused:?}");
            let twice = [&whole[..at], &whole[at..=at], &whole[at..]].concat();
            assert!(read(&twice).is_err());
            assert!(read(&[&missing[..], &missing[..]].concat()).is_err());
        }
    }
}
