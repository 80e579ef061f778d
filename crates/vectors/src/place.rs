//! The place that a line of a test vector sets or reads: a memory, units, and a long word.
//!
//! ```text
//! $lm4n0c1p3    LM0, long word 2, group 0, L2B 1 of it, PE 3, every L1B and MAB
//! $d10n2        DRAM, long word 10, group 2
//! ```

use std::fmt;
use std::ops::Range;

use super::error::refuse_from;
use tensor_layout::Level;
use tensor_layout::error::{ParseError, ParseErrorKind};
use tensor_layout::notation::MemoryText;
use tensor_layout_words::{Cursor, to_index};

use super::words::{BLOCK, WordBlock};

/// The letters of units, from the root down, each with the number of units and their name.
pub(super) const LETTERS: [(char, u64, &str); 5] = [
    ('n', 4, "groups"),
    ('c', 2, "L2Bs of a group"),
    ('b', 8, "L1Bs of an L2B"),
    ('m', 16, "MABs of an L1B"),
    ('p', 4, "PEs of a MAB"),
];

/// The number of L2Bs that share the DRAM of a group.
pub(super) const GROUP: u64 = 2;

/// The spelling of a memory in lines, and its size.
struct Facts {
    /// Its token.
    token: &'static str,
    /// The number of letters its units have.
    letters: usize,
    /// The difference between the addresses of neighbouring long words, as lines write them.
    step: u64,
    long_words: u64,
}

const fn facts(memory: MemoryText) -> Facts {
    match memory {
        MemoryText::LM0 => Facts { token: "$lm", letters: 5, step: 2, long_words: 2048 },
        MemoryText::LM1 => Facts { token: "$ln", letters: 5, step: 2, long_words: 2048 },
        _ => Facts { token: "$d", letters: 1, step: 1, long_words: 1 << 29 },
    }
}

/// The memories that lines name.
pub(super) const MEMORIES: [MemoryText; 3] = [MemoryText::LM0, MemoryText::LM1, MemoryText::DRAM];

/// A place that a line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VectorPlace {
    /// The memory.
    pub memory: MemoryText,
    /// Group, L2B within the group, L1B, MAB, PE; `None` for a letter that is left out, which means
    /// all units. DRAM only has a group.
    pub units: [Option<u64>; 5],
    /// The address, in long words.
    pub address: u64,
}

impl VectorPlace {
    /// Reads `$lm0n0c0p1`, `$ln..` or `$d1n0`.
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<VectorPlace, ParseError> {
        let named = MEMORIES.into_iter().find(|memory| cursor.takes_all(facts(*memory).token));
        let Some(memory) = named else { return Err(cursor.expected("`$lm`, `$ln` or `$d`")) };
        let address = read_address(cursor, memory)?;
        let units = read_units(cursor, memory)?;
        Ok(VectorPlace { memory, units, address })
    }

    /// The coordinate in a level of the tree; `None` where the letters leave it open.
    #[must_use]
    pub fn unit(&self, level: Level) -> Option<u64> {
        let [n, c, b, m, p] = self.units;
        match level {
            Level::L2B if self.memory == MemoryText::DRAM => Some(GROUP * n?),
            Level::L2B => match (n, c) {
                (None, None) => None,
                _ => Some(GROUP * n.unwrap_or(0) + c.unwrap_or(0)),
            },
            Level::L1B => b,
            Level::MAB => m,
            Level::PE => p,
            _ => None,
        }
    }

    /// The units that a letter names: one, or all where it is left out.
    fn range(&self, letter: usize) -> Range<u64> {
        let all = if letter < facts(self.memory).letters { LETTERS[letter].1 } else { 1 };
        self.units[letter].map_or(0..all, |at| at..at + 1)
    }

    fn ranges(&self) -> [Range<u64>; 5] {
        [0, 1, 2, 3, 4].map(|letter| self.range(letter))
    }

    /// The number of units the place names.
    pub(super) fn unit_count(&self) -> u64 {
        self.ranges().iter().map(|range| range.end - range.start).product()
    }

    /// The place in each of its units, in the order of the emulator: PEs first, groups last.
    pub(super) fn each_unit(&self) -> impl Iterator<Item = VectorPlace> + use<> {
        let (place, ranges) = (*self, self.ranges());
        let letters = facts(place.memory).letters;
        (0..self.unit_count()).map(move |mut number| {
            let mut units = [None; 5];
            for (unit, range) in units[..letters].iter_mut().zip(&ranges[..letters]).rev() {
                let length = (range.end - range.start).max(1);
                *unit = Some(range.start + number % length);
                number /= length;
            }
            VectorPlace { units, ..place }
        })
    }

    /// The position of one of its units in that order; `None` for any other.
    pub(super) fn unit_number(&self, unit: &VectorPlace) -> Option<u64> {
        let at = unit.ranges().map(|range| range.start);
        self.ranges().iter().zip(at).try_fold(0, |number, (range, at)| {
            let within = range.contains(&at).then(|| at - range.start)?;
            Some(number * (range.end - range.start) + within)
        })
    }

    /// Returns the place `words` long words further on.
    pub(super) fn after(&self, words: u64) -> VectorPlace {
        VectorPlace { address: self.address + words, ..*self }
    }

    /// Returns the long words at the place in all its units, as numbers: those of one address share a block.
    pub(super) fn bits(&self) -> WordBlock {
        let [n, c, b, m, p] = self.ranges();
        if self.memory == MemoryText::DRAM {
            let first = self.address * LETTERS[0].1;
            let bits = n.fold(0, |bits: u64, group| bits | 1_u64 << ((first + group) % 64));
            return WordBlock {
                block: first / BLOCK,
                words: vec![(to_index(first % BLOCK / 64), bits)],
            };
        }
        let pes = p.fold(0, |bits: u64, pe| bits | 1_u64 << pe);
        let mabs = m.fold(0, |bits: u64, mab| bits | pes << (mab * 4));
        let l2bs = n.flat_map(|group| c.clone().map(move |l2b| group * GROUP + l2b));
        let l1bs = l2bs.flat_map(|l2b| b.clone().map(move |l1b| to_index(l2b * 8 + l1b)));
        WordBlock { block: self.address, words: l1bs.map(|l1b| (l1b, mabs)).collect() }
    }

    /// Returns whether the memory has `words` long words from this address on.
    pub(super) fn has(&self, words: u64) -> bool {
        words <= facts(self.memory).long_words.saturating_sub(self.address)
    }

    /// `long words of LM0 have the even addresses 0 to 4094`
    pub(super) fn addresses(memory: MemoryText) -> String {
        let Facts { step, long_words, .. } = facts(memory);
        let even = if step == 2 { "even " } else { "" };
        let last = (long_words - 1) * step;
        format!("long words of {} have the {even}addresses 0 to {last}", memory.name())
    }
}

/// An address as lines write it, in long words.
pub(super) fn read_address(cursor: &mut Cursor<'_>, memory: MemoryText) -> Result<u64, ParseError> {
    let start = cursor.at();
    let written = cursor.expect_number("an address")?;
    in_memory(memory, written).map_err(|why| {
        let kind = ParseErrorKind::Invalid(why);
        refuse_from(cursor, start, kind).with_help(VectorPlace::addresses(memory))
    })
}

/// Returns the long word of an address as lines write it, or the reason that there is none.
fn in_memory(memory: MemoryText, written: u64) -> Result<u64, String> {
    let Facts { step, long_words, .. } = facts(memory);
    match (written / step, written % step) {
        (address, _) if address >= long_words => {
            Err(format!("the address {written} is beyond the end of {}", memory.name()))
        }
        (address, 0) => Ok(address),
        _ => Err(format!("the address {written} is odd, so it is not that of a long word")),
    }
}

/// An address of `r`, in long words.
pub(super) fn read_dram_address(cursor: &mut Cursor<'_>) -> Result<u64, ParseError> {
    let start = cursor.at();
    let written = cursor.expect_hex(9, "an address of nine hexadecimal digits")?;
    in_memory(MemoryText::DRAM, written).map_err(|_| {
        let why = format!("the address {written:09X} is beyond the end of DRAM");
        let last = facts(MemoryText::DRAM).long_words - 1;
        refuse_from(cursor, start, ParseErrorKind::Invalid(why))
            .with_help(format!("addresses of `r` go from 000000000 to {last:09X}"))
    })
}

/// Reads `n0c0b0m0p0`, from which letters may be left out.
pub(super) fn read_units(
    cursor: &mut Cursor<'_>,
    memory: MemoryText,
) -> Result<[Option<u64>; 5], ParseError> {
    let mut units = [None; 5];
    let letters = facts(memory).letters;
    for (unit, (letter, ..)) in units[..letters].iter_mut().zip(LETTERS) {
        let start = cursor.at();
        if cursor.takes_all(letter.encode_utf8(&mut [0])) {
            let at = cursor.expect_number("a unit")?;
            *unit = Some(check_unit(cursor, start, letter, at)?);
        }
    }
    if letters == 1 && cursor.rest().starts_with(['c', 'b', 'm', 'p']) {
        let start = cursor.at();
        cursor.take(|c| c.is_ascii_alphanumeric());
        let why = format!("units of {} have the letter `n` only", memory.name());
        return Err(refuse_from(cursor, start, ParseErrorKind::Invalid(why)));
    }
    Ok(units)
}

/// The unit, if the machine has it.
pub(super) fn check_unit(
    cursor: &Cursor<'_>,
    start: usize,
    letter: char,
    at: u64,
) -> Result<u64, ParseError> {
    let known = LETTERS.into_iter().find(|(known, ..)| *known == letter);
    let (_, count, what) = known.unwrap_or(LETTERS[0]);
    if at < count {
        return Ok(at);
    }
    let why = format!("`{letter}` numbers the {what} from 0 to {}, so {at} is not one", count - 1);
    Err(refuse_from(cursor, start, ParseErrorKind::Invalid(why)))
}

impl fmt::Display for VectorPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Facts { token, step, .. } = facts(self.memory);
        write!(f, "{token}{}", u128::from(self.address) * u128::from(step))?;
        for (unit, (letter, ..)) in self.units.iter().zip(LETTERS) {
            if let Some(unit) = unit {
                write!(f, "{letter}{unit}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{LETTERS, MEMORIES, VectorPlace, facts};
    use tensor_layout::{Level, Machine, Placement};

    #[test]
    fn memories_are_as_large_as_those_of_the_machine() {
        for memory in MEMORIES {
            let fits = |words: u64| {
                let layout = format!("(({words}:1))").parse().ok()?;
                let machine = Machine::mn_core_2();
                let placement = Placement::of(layout).on(&machine).memory(memory.name());
                placement.element_bits(64).build().ok()
            };
            let words = facts(memory).long_words;
            assert!(fits(words).is_some() && fits(words + 1).is_none(), "{memory:?}");
        }
        let sizes = [Level::L2B, Level::L1B, Level::MAB, Level::PE];
        let sizes = sizes.map(|level| Machine::mn_core_2().size(level).unwrap_or(0));
        let [n, c, b, m, p] = LETTERS.map(|(_, count, _)| count);
        assert_eq!(sizes, [n * c, b, m, p]);
    }

    #[test]
    fn units_are_numbered_as_they_are_listed() {
        for memory in MEMORIES {
            let units = [None, Some(1), None, Some(3), None];
            let units = if facts(memory).letters == 1 { [None; 5] } else { units };
            let place = VectorPlace { memory, units, address: 7 };
            for (number, unit) in (0..).zip(place.each_unit()) {
                assert_eq!(place.unit_number(&unit), Some(number));
                assert_eq!(unit.bits().count(), 1);
            }
            assert_eq!(place.bits().count(), place.unit_count());
        }
    }
}
