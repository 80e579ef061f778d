//! Places as assembly writes them: the token of a memory, an address, and a letter per unit.
//!
//! ```text
//! $ln234n3c1b6m15p1     LM1, long word 117, group 3, L2B 1 of it, L1B 6, MAB 15, PE 1
//! $d29821n3             DRAM, long word 29821, group 3
//! ```

use itertools::Itertools;

use crate::error::{LayoutError, fault};
use crate::level::Level;
use crate::location::Location;
use crate::machine::{Machine, Memory};
use crate::words::cut;

/// A unit that a letter counts.
struct Letter {
    letter: char,
    level: Level,
    /// The coordinates that one step of the number adds, and the number of values.
    step: u64,
    size: u64,
}

impl Machine {
    /// Writes a place of a memory as assembly does; units that the place does not name are left out.
    ///
    /// Law: [`read_assembly`](Machine::read_assembly) gives it back.
    ///
    /// # Errors
    /// `Missing`, `Unknown`; `OutOfRange` for an address beyond 64 bits.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Machine;
    /// let machine = Machine::mn_core_2();
    /// let place = "L2B=7,L1B=6,MAB=15,PE=1,Addr=117".parse().unwrap();
    /// assert_eq!(machine.to_assembly("LM1", &place)?, "$ln234n3c1b6m15p1");
    /// let place = "L2B=6,Addr=29821".parse().unwrap();
    /// assert_eq!(machine.to_assembly("DRAM", &place)?, "$d29821n3");
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    pub fn to_assembly(&self, memory: &str, place: &Location) -> Result<String, LayoutError> {
        let (token, step) = self.token(memory)?;
        let at = place.get(Level::ADDR).unwrap_or(0);
        let address = at.checked_mul(step).ok_or_else(|| {
            beyond(at.to_string(), format!("the long word of {memory}"), u64::MAX / step.max(1))
        })?;
        let number = |letter: Letter| {
            let at = place.get(letter.level)? / letter.step % letter.size.max(1);
            Some(format!("{}{at}", letter.letter))
        };
        let units = self.letters_of(memory).into_iter().filter_map(number).join("");
        Ok(format!("{token}{address}{units}"))
    }

    /// Reads a place as assembly writes it: the memory and the coordinates. A letter that is left out
    /// leaves out the level.
    ///
    /// # Errors
    /// `Missing`, `Unknown`, `Invalid`, `OutOfRange`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Machine;
    /// let machine = Machine::mn_core_2();
    /// let (memory, place) = machine.read_assembly("$lm66n0c1b4m1p1")?;
    /// assert_eq!((memory, place.to_string()), ("LM0", "L2B=1,L1B=4,MAB=1,PE=1,Addr=33".into()));
    /// let slip = machine.read_assembly("$lm66n0c1b4m1p4").unwrap_err();
    /// assert_eq!(slip.to_string(), "`p4` is invalid: PE runs from 0 to 3");
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    pub fn read_assembly(&self, text: &str) -> Result<(&str, Location), LayoutError> {
        let (memory, token, step) = self.token_of(text)?;
        let rest = text.get(token.len()..).unwrap_or_default();
        let (address, rest) = number(rest);
        let what = format!("{token}{address}");
        let capacity = self.memory(memory).ok().and_then(|memory| memory.capacity);
        let last = capacity.map(|words| (words.saturating_sub(1)).saturating_mul(*step));
        let at = address
            .parse::<u64>()
            .ok()
            .filter(|at| last.is_none_or(|last| *at < last.saturating_add(*step)));
        let at = at.ok_or_else(|| {
            beyond(what.clone(), format!("the address of {memory}"), last.unwrap_or(u64::MAX))
        })?;
        if at % step.max(&1) != 0 {
            let to = last.map_or(String::new(), |last| format!(" to {last}"));
            return Err(fault!(
                Invalid,
                "`{what}` is inside a long word: {memory} counts {step} addresses for \
                 each, so it begins at a multiple of {step}, from 0{to}",
                [what, memory = memory.clone(), step = *step, to]
            ));
        }
        let mut place = self.units_in(memory, rest)?;
        place.set(Level::ADDR, at.checked_div(*step).unwrap_or(at));
        Ok((memory, place))
    }

    /// The number of addresses that assembly counts per long word of a memory, where known.
    ///
    /// ```
    /// let machine = tensor_layout::Machine::mn_core_2();
    /// assert_eq!((machine.assembly_step("LM0"), machine.assembly_step("PDM")), (Some(2), Some(1)));
    /// ```
    #[must_use]
    pub fn assembly_step(&self, memory: &str) -> Option<u64> {
        self.token(memory).ok().map(|(_, step)| step)
    }

    fn units_in(&self, memory: &str, text: &str) -> Result<Location, LayoutError> {
        let mut place = Location::default();
        let mut rest = text;
        let mut left_out: Option<Letter> = None;
        for unit in self.letters_of(memory) {
            let Some(behind) = rest.strip_prefix(unit.letter) else {
                left_out = Some(unit);
                continue;
            };
            let (digits, behind) = number(behind);
            if digits.is_empty() {
                break;
            }
            let last = unit.size.saturating_sub(1);
            let at = digits.parse::<u64>().ok().filter(|at| *at <= last);
            let at = at.ok_or_else(|| {
                beyond(format!("{}{digits}", unit.letter), self.words_for(&unit), last)
            })?;
            let above = place.get(unit.level);
            if let Some(missing) = left_out.filter(|of| of.level == unit.level && above.is_none()) {
                let (given, missing) = (unit.letter, missing.letter);
                return Err(fault!(
                    Missing,
                    "`{given}` counts within `{missing}`, which is left out",
                    [given, missing]
                ));
            }
            place.set(unit.level, above.unwrap_or(0) + at * unit.step);
            (rest, left_out) = (behind, None);
        }
        if rest.is_empty() {
            return Ok(place);
        }
        let known = self.letters_of(memory).iter().map(|unit| unit.letter).join(", ");
        let rest = cut(rest, 40);
        Err(fault!(
            Invalid,
            "`{rest}` is not the number of a unit of {memory}; its letters are \
             {known}, each at most once, in this order and followed by a number",
            [rest, memory = memory.to_owned(), known]
        ))
    }

    /// `PE`, or `the group of 2 L2Bs`.
    fn words_for(&self, unit: &Letter) -> String {
        match unit.step {
            1 if unit.size == self.size(unit.level).unwrap_or(unit.size) => unit.level.to_string(),
            1 => format!("{} of a group", unit.level),
            units => format!("group of {units} {}s", unit.level),
        }
    }

    fn token(&self, memory: &str) -> Result<(&str, u64), LayoutError> {
        let found = self.parts.assembly.memories.iter().find(|(name, ..)| name == memory);
        match found {
            Some((_, token, step)) => Ok((token, *step)),
            None => Err(self.no_token(memory)),
        }
    }

    fn no_token(&self, memory: &str) -> LayoutError {
        if self.parts.assembly.memories.is_empty() {
            return fault!(
                Missing,
                "{machine} has no assembly: its memories have no tokens",
                [machine = self.described()]
            );
        }
        let known = self.parts.assembly.memories.iter().map(|(name, ..)| name).join(", ");
        let memory = match memory {
            "" => "a layout without a memory".into(),
            name => cut(name, 40),
        };
        fault!(
            Unknown,
            "{memory} is not written in assembly; its memories are {known}",
            [memory, known]
        )
    }

    /// The longest token that the text begins with: `$lm` is tried before `$l`.
    fn token_of(&self, text: &str) -> Result<&(String, String, u64), LayoutError> {
        let tokens = &self.parts.assembly.memories;
        if tokens.is_empty() {
            return Err(self.no_token(""));
        }
        let begins = tokens.iter().filter(|(_, token, _)| text.starts_with(token.as_str()));
        begins.max_by_key(|(_, token, _)| token.len()).ok_or_else(|| {
            fault!(
                Unknown,
                "`{text}` does not begin with a memory; expected {known}",
                [text = cut(text, 40), known = tokens.iter().map(|(_, token, _)| token).join(", ")]
            )
        })
    }

    /// Checks that every place has a text of its own, which can be read again.
    pub(super) fn check_assembly(&self) -> Result<(), LayoutError> {
        let mut above: Option<(usize, u64)> = None;
        for (letter, node) in &self.parts.assembly.units {
            let (level, step) = self.unit_and_group(*node);
            let is_below = |depth: usize| {
                above.is_none_or(|(above, of)| {
                    above < depth || above == depth && of > step && of.is_multiple_of(step)
                })
            };
            let depth = self.depth(level).filter(|depth| is_below(*depth));
            let Some(depth) = depth.filter(|_| letter.is_ascii_alphabetic()) else {
                return Err(fault!(
                    Invalid,
                    "invalid machine: invalid assembly letter `{letter}` for `{level}`: it \
                     must be an ASCII letter, and `{level}` a level or group of the machine \
                     below that of the letter before it",
                    [letter = *letter, level = *node]
                ));
            };
            above = Some((depth, step));
        }
        self.parts.assembly.memories.iter().try_for_each(|token| self.check_token(token))
    }

    fn check_token(&self, (name, token, step): &(String, String, u64)) -> Result<(), LayoutError> {
        let memory = || cut(name, 40);
        let Ok(Memory { owner, group, .. }) = self.memory(name) else {
            return Err(fault!(
                Invalid,
                "invalid machine: `[assembly]` has a token for `{memory}`, which is not \
                 a memory of the machine",
                [memory = memory()]
            ));
        };
        let tokens = self.parts.assembly.memories.iter();
        let is_shared = tokens.filter(|(_, other, _)| other == token).count() > 1;
        let letters = token.strip_prefix('$').unwrap_or_default();
        let is_word = letters.bytes().all(|byte| byte.is_ascii_alphabetic());
        if is_shared || letters.is_empty() || !is_word {
            return Err(fault!(
                Invalid,
                "invalid machine: the token `{token}` of `{memory}` must be `$` and \
                 letters, for this memory alone",
                [token = cut(token, 40), memory = memory()]
            ));
        }
        if *step == 0 {
            return Err(fault!(
                Invalid,
                "invalid machine: a long word of `{memory}` takes 0 addresses of \
                 assembly; leave out `step` for 1",
                [memory = memory()]
            ));
        }
        let letters = self.letters_of(name);
        let nodes = |level| if level == owner { group } else { 1 };
        let is_counted = |(level, size): &(Level, u64)| {
            let last = letters.iter().rev().find(|letter| letter.level == *level);
            *size <= nodes(*level) || last.is_some_and(|last| last.step == nodes(*level))
        };
        let mut lead = self.levels().take(self.depth(owner).map_or(0, |depth| depth + 1));
        match lead.find(|level| !is_counted(level)) {
            Some((level, _)) => Err(fault!(
                Invalid,
                "invalid machine: no letter of assembly counts `{level}`, so that places \
                 of `{memory}` would have the same text",
                [level, memory = memory()]
            )),
            None => Ok(()),
        }
    }

    /// The letters of the units that lead to a memory, from the root down.
    fn letters_of(&self, memory: &str) -> Vec<Letter> {
        let Ok(memory) = self.memory(memory) else { return Vec::new() };
        let mut letters: Vec<Letter> = Vec::new();
        for (letter, node) in &self.parts.assembly.units {
            let (level, step) = self.unit_and_group(*node);
            let is_above = self.depth(level) < self.depth(memory.owner)
                || (level == memory.owner && step >= memory.group);
            let whole = self.size(level).unwrap_or(1);
            let above = letters.iter().rev().find(|above| above.level == level);
            let size = above.map_or(whole.div_ceil(step), |above| above.step / step);
            if is_above {
                letters.push(Letter { letter: *letter, level, step, size });
            }
        }
        letters
    }
}

/// The digits that a text begins with, and the rest.
fn number(text: &str) -> (&str, &str) {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    text.split_at(end)
}

/// An address or a number beyond the last.
fn beyond(what: String, of: String, last: u64) -> LayoutError {
    fault!(OutOfRange, "`{what}` is invalid: {of} runs from 0 to {last}", [what, of, last])
}
