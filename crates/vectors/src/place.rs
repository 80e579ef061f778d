//! Where a line of a test vector writes or reads: a memory, units, and a long word.
//!
//! ```text
//! $lm4n0c1p3    LM0, long word 2, group 0, L2B 1 of it, PE 3, every L1B and MAB
//! $d10n2        DRAM, long word 10, group 2
//! ```

use std::fmt;

use tensor_layout::Level;
use tensor_layout::error::{ParseError, ParseErrorKind};
use tensor_layout::internals::Cursor;
use tensor_layout::notation::MemoryText;

/// The letters of units with how many units each counts, from the root down: group, L2B within it,
/// L1B, MAB, PE.
pub(super) const LETTERS: [(char, u64); 5] = [('n', 4), ('c', 2), ('b', 8), ('m', 16), ('p', 4)];

/// How many L2Bs share the DRAM of a group.
pub(super) const GROUP: u64 = 2;

/// A place that a line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VectorPlace {
    /// The memory.
    pub memory: MemoryText,
    /// Group, L2B within the group, L1B, MAB, PE; `None` for a letter that is left out. DRAM has a
    /// group only.
    pub units: [Option<u64>; 5],
    /// The address, in long words.
    pub address: u64,
}

impl VectorPlace {
    /// Reads `$lm0n0c0p1`, `$ln..` or `$d1n0`.
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<VectorPlace, ParseError> {
        let memory = match () {
            () if cursor.takes_all("$lm") => MemoryText::LM0,
            () if cursor.takes_all("$ln") => MemoryText::LM1,
            () if cursor.takes_all("$d") => MemoryText::DRAM,
            () => return Err(cursor.expected("`$lm`, `$ln` or `$d`")),
        };
        let address = read_address(cursor, memory)?;
        let units = read_units(cursor)?;
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
}

/// Addresses are below this: they have nine hexadecimal digits.
const BEYOND: u64 = 1 << 36;

/// An address as lines write it, in long words.
pub(super) fn read_address(cursor: &mut Cursor<'_>, memory: MemoryText) -> Result<u64, ParseError> {
    let start = cursor.at();
    let address = cursor.expect_number("an address")?;
    if address >= BEYOND {
        let why = format!("the address {address} is beyond every memory of MN-Core 2");
        return Err(cursor.refuse_from(start, ParseErrorKind::Invalid(why)));
    }
    match memory {
        MemoryText::DRAM => Ok(address),
        _ if address % 2 == 0 => Ok(address / 2),
        _ => {
            let why = format!("the address {address} is not that of a long word");
            let odd = cursor.refuse_from(start, ParseErrorKind::Invalid(why));
            Err(odd.with_help("addresses in LM0 and LM1 count 32-bit words, two to a long word"))
        }
    }
}

/// `n0c0b0m0p0`, any of them.
pub(super) fn read_units(cursor: &mut Cursor<'_>) -> Result<[Option<u64>; 5], ParseError> {
    let mut units = [None; 5];
    for (unit, (letter, count)) in units.iter_mut().zip(LETTERS) {
        let start = cursor.at();
        if cursor.takes_all(letter.encode_utf8(&mut [0])) {
            let at = cursor.expect_number("a unit")?;
            if at >= count {
                let why = format!("MN-Core 2 has {count} units `{letter}`, so {at} is not one");
                return Err(cursor.refuse_from(start, ParseErrorKind::Invalid(why)));
            }
            *unit = Some(at);
        }
    }
    Ok(units)
}

impl fmt::Display for VectorPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, words) = match self.memory {
            MemoryText::LM0 => ("lm", 2),
            MemoryText::LM1 => ("ln", 2),
            MemoryText::DRAM => ("d", 1),
        };
        write!(f, "${name}{}", u128::from(self.address) * words)?;
        for (unit, (letter, _)) in self.units.iter().zip(LETTERS) {
            if let Some(unit) = unit {
                write!(f, "{letter}{unit}")?;
            }
        }
        Ok(())
    }
}
