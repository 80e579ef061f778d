//! Levels: the names of coordinates. `error/level.rs` checks names, because their refusal is an error.

use std::cmp::Ordering;
use std::fmt;

use crate::number::to_index;

/// The name of a coordinate: a level of the machine tree, an address, a lane or a time step.
///
/// The algebra knows levels by name only; sizes, capacities and the order of the tree belong to
/// [`Machine`](crate::Machine). A level is `Copy` and at most [`Level::MAX_LEN`] bytes long.
///
/// `Ord` is the order of columns: `Time`, `L2B`, `L1B`, `MAB`, `PE`, then `BLOCK`, `WARP` and `LANE`, any
/// other name alphabetically, then `Addr` and `W`.
///
/// ```
/// use tensor_layout::Level;
/// let core = Level::new("Core")?;
/// assert!(Level::PE < core && core < Level::ADDR);
/// # Ok::<(), tensor_layout::LayoutError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Level {
    /// The position in column order; stored because sets of levels are sorted all the time.
    column: u8,
    /// The name, padded with zeros.
    bytes: [u8; Level::MAX_LEN],
}

impl Level {
    /// The longest name, in bytes.
    pub const MAX_LEN: usize = 23;

    /// The most levels of a machine, and of a layout that is placed: questions about places ask each level about
    /// every digit.
    pub const MOST: usize = 64;

    /// The time step: the outermost coordinate, which is not hardware.
    pub const TIME: Level = Level::literal("Time");
    /// Level-2 block of MN-Core.
    pub const L2B: Level = Level::literal("L2B");
    /// Level-1 block of MN-Core.
    pub const L1B: Level = Level::literal("L1B");
    /// Matrix arithmetic block of MN-Core.
    pub const MAB: Level = Level::literal("MAB");
    /// Processing element of MN-Core.
    pub const PE: Level = Level::literal("PE");
    /// The block of threads of a GPU, where blocks form a cluster.
    pub const BLOCK: Level = Level::literal("BLOCK");
    /// The warp of a block.
    pub const WARP: Level = Level::literal("WARP");
    /// The thread of a warp.
    pub const LANE: Level = Level::literal("LANE");
    /// The address in the memory of a unit.
    pub const ADDR: Level = Level::literal("Addr");
    /// The lane inside a long word; lane 0 is the most significant.
    pub const W: Level = Level::literal("W");

    /// The unit within its group, where a coordinate is split; not a valid name, so that it cannot clash.
    pub(crate) const IN_GROUP: Level = Level::literal("unit of a group");

    /// The number of a term that is added up in place; not a valid name, so that it cannot clash.
    pub(crate) const IN_SUM: Level = Level::literal("added in place");

    /// The levels of MN-Core, and `Time`, `Addr` and `W`, in column order; the levels of a GPU (`BLOCK`,
    /// `WARP`, `LANE`) are not among them.
    pub const KNOWN: [Level; 7] =
        [Level::TIME, Level::L2B, Level::L1B, Level::MAB, Level::PE, Level::ADDR, Level::W];

    /// Returns the node whose units are groups of neighbouring units of this level: `L2B/2` for pairs of L2Bs.
    /// No level has such a name. A group of one is the unit itself.
    ///
    /// ```
    /// use tensor_layout::Level;
    /// assert_eq!(Level::L2B.in_groups_of(2).as_str(), "L2B/2");
    /// assert_eq!(Level::PE.in_groups_of(1), Level::PE);
    /// ```
    #[must_use]
    pub fn in_groups_of(self, units: u64) -> Level {
        if units == 1 {
            return self;
        }
        let number = format!("/{units}");
        // A long name is cut; a machine cannot have two nodes with the same name.
        let room = Level::MAX_LEN.saturating_sub(number.len());
        let name = self.as_str();
        Level::literal(&format!("{}{number}", name.get(..room).unwrap_or(name)))
    }

    /// Returns the level for the index along axis `axis` of another layout: `i0`, `i1`, ...
    #[must_use]
    pub fn axis(axis: usize) -> Level {
        match axis {
            0 => Level::literal("i0"),
            1 => Level::literal("i1"),
            2 => Level::literal("i2"),
            3 => Level::literal("i3"),
            _ => Level::literal(&format!("i{axis}")),
        }
    }

    /// Returns the number of the axis that this level stands for, the inverse of [`axis`](Level::axis).
    ///
    /// ```
    /// use tensor_layout::Level;
    /// assert_eq!(Level::axis(12).axis_number(), Some(12));
    /// assert_eq!(Level::PE.axis_number(), None);
    /// ```
    #[must_use]
    pub fn axis_number(self) -> Option<usize> {
        let digits = self.as_str().strip_prefix('i')?;
        let plain = !digits.starts_with('0') || digits == "0";
        digits.parse().ok().filter(|_| plain && digits.bytes().all(|b| b.is_ascii_digit()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let name = self.bytes.split_at(self.len()).0;
        std::str::from_utf8(name).unwrap_or_default()
    }

    /// Returns whether this is a coordinate within the memory of a unit: the address or the lane.
    #[must_use]
    pub fn is_in_unit(self) -> bool {
        self == Level::ADDR || self == Level::W
    }

    /// Returns whether this is a unit of hardware: neither time, nor address, nor lane.
    #[must_use]
    pub fn is_unit(self) -> bool {
        self != Level::TIME && !self.is_in_unit()
    }

    /// Returns the known level that differs from `name` only in case.
    pub(crate) fn misspelt(name: &str) -> Option<Level> {
        Level::KNOWN
            .into_iter()
            .find(|l| l.as_str() != name && l.as_str().eq_ignore_ascii_case(name))
    }

    /// The position in column order; custom levels share one, before the address.
    pub(crate) fn column(self) -> u8 {
        self.column
    }

    /// Returns the bytes as two numbers that sort in the same order; comparing the byte arrays would call a
    /// function.
    #[inline]
    fn key(&self) -> (u64, u128) {
        // The middle byte is in both numbers, which does no harm.
        let (head, tail) = (self.bytes.first_chunk(), self.bytes.last_chunk());
        let (head, tail) =
            (head.copied().map(u64::from_be_bytes), tail.copied().map(u128::from_be_bytes));
        (head.unwrap_or_default(), tail.unwrap_or_default())
    }

    fn len(&self) -> usize {
        let (head, tail) = self.key();
        let zeros =
            if tail == 0 { 15 + head.trailing_zeros() / 8 } else { tail.trailing_zeros() / 8 };
        Level::MAX_LEN - to_index(u64::from(zeros))
    }

    /// Creates a level without a check; longer names are cut, so callers keep within `MAX_LEN`.
    pub(crate) const fn literal(name: &str) -> Level {
        let mut level = Level { column: column(name), bytes: [0; Level::MAX_LEN] };
        let mut at = 0;
        while at < name.len() && at < Level::MAX_LEN {
            level.bytes[at] = name.as_bytes()[at];
            at += 1;
        }
        level
    }
}

/// The position in column order of the level with this name.
const fn column(name: &str) -> u8 {
    match name.as_bytes() {
        b"Time" => 0,
        b"L2B" => 1,
        b"L1B" => 2,
        b"MAB" => 3,
        b"PE" => 4,
        // From the outside in, so that levels of a GPU sort as its tree.
        b"BLOCK" => 5,
        b"WARP" => 6,
        b"LANE" => 7,
        b"Addr" => 9,
        b"W" => 10,
        _ => CUSTOM,
    }
}

/// The column of every level that is not known, between the units and the address.
const CUSTOM: u8 = 8;

impl Ord for Level {
    #[inline]
    fn cmp(&self, other: &Level) -> Ordering {
        // Only custom levels share a column, so the names of other levels need no comparison.
        if self.column == CUSTOM && other.column == CUSTOM {
            return self.key().cmp(&other.key());
        }
        self.column.cmp(&other.column)
    }
}

impl PartialOrd for Level {
    #[inline]
    fn partial_cmp(&self, other: &Level) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Level;

    #[test]
    fn known_levels_stand_in_column_order() {
        let mut sorted = Level::KNOWN;
        sorted.sort();
        assert_eq!(sorted, Level::KNOWN);
        let columns = Level::KNOWN.map(Level::column);
        assert_eq!(columns, [0, 1, 2, 3, 4, 9, 10]);
        for custom in ["Times", "Addre", "L2BX", "P", "Z", "a"] {
            assert_eq!(Level::new(custom).unwrap().column(), 8);
        }
    }

    #[test]
    fn levels_of_a_gpu_stand_in_the_order_of_its_tree() {
        let levels = ["BLOCK", "WARP", "LANE", "Addr"].map(|name| Level::new(name).unwrap());
        assert!(levels.is_sorted());
        assert_eq!(levels, [Level::BLOCK, Level::WARP, Level::LANE, Level::ADDR]);
    }

    #[test]
    fn a_name_is_a_letter_then_letters_digits_and_underscores() {
        for good in ["PE", "L2B", "x", "axis_0", "Abcdefghijklmnopqrstuvw"] {
            assert_eq!(Level::new(good).unwrap().as_str(), good);
        }
        for bad in ["", "2B", "_E", "P-E", "PE_MAB", "Pé", "Abcdefghijklmnopqrstuvwx"] {
            assert!(Level::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_node_is_read_from_its_name_alone() {
        for node in [Level::PE, Level::L2B.in_groups_of(2), Level::PE.in_groups_of(u64::MAX)] {
            assert_eq!(Level::of_node(node.as_str()), Ok(node));
        }
        for bad in ["L2B/0", "L2B/1", "L2B/02", "L2B/+2", "L2B/", "/2", "L2B/2/2", "L2B/x", "2B/2"]
        {
            assert!(Level::of_node(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_known_level_in_the_wrong_case_is_recognised() {
        assert_eq!(Level::misspelt("pe"), Some(Level::PE));
        assert_eq!(Level::misspelt("PE"), None);
        assert_eq!(Level::misspelt("Core"), None);
    }
}
