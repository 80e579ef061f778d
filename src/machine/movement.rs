//! Movements: the instructions that move long words from one memory of a machine to another.
//!
//! ```text
//! l1bmm   L1BM -> LM0     ((4_PE:1); B@[16_MAB:1])
//!
//! long word of L1BM      0     1     2     3     4     5  ..
//! goes to                PE 0  PE 1  PE 2  PE 3  PE 0  PE 1    of every MAB
//! at address             0     0     0     0     1     1
//! ```
//!
//! The map describes one *beat*, the fewest long words that the movement can place; it repeats beat after
//! beat, at any multiple of its length on either side.

use std::fmt;

use crate::algebra::Layout;
use crate::level::Level;

/// The direction of a movement in the tree of memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Direction {
    /// From the upper memory to the lower one.
    Down,
    /// From the lower memory to the upper one.
    Up,
    /// Both ways, by the same map.
    Both,
}

impl Direction {
    /// Returns whether movements of both directions go down, or both up.
    pub(crate) fn shares(self, other: Direction) -> bool {
        self == other || [self, other].contains(&Direction::Both)
    }
}

/// The effect of a movement on the units below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MovementKind {
    /// Every unit gets the same long words.
    SameToAll,
    /// Every unit gets its own part.
    Distribute,
    /// The parts of all units are joined.
    Concatenate,
    /// One unit is named, and the others take no part.
    PickOne,
    /// The values of all units are combined: the result is another tensor, so no route uses it.
    Reduce,
}

impl MovementKind {
    const ALL: [MovementKind; 5] = [
        MovementKind::SameToAll,
        MovementKind::Distribute,
        MovementKind::Concatenate,
        MovementKind::PickOne,
        MovementKind::Reduce,
    ];

    /// The kind in words, as in TOML: `same to all`, `distribute`, `concatenate`, `pick one`, `reduce`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            MovementKind::SameToAll => "same to all",
            MovementKind::Distribute => "distribute",
            MovementKind::Concatenate => "concatenate",
            MovementKind::PickOne => "pick one",
            MovementKind::Reduce => "reduce",
        }
    }

    /// The kind that these words name.
    #[must_use]
    pub fn named(words: &str) -> Option<MovementKind> {
        MovementKind::ALL.into_iter().find(|kind| kind.as_str() == words)
    }

    /// Returns the kind of this movement in one of its directions, up or down.
    pub(crate) fn going(self, up: bool) -> MovementKind {
        match self {
            MovementKind::Distribute if up => MovementKind::Concatenate,
            MovementKind::Concatenate if !up => MovementKind::Distribute,
            kind => kind,
        }
    }
}

impl fmt::Display for MovementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One movement of a machine, between two of its memories.
///
/// The map is the text of a layout. Its last axis counts the long words of one beat of the upper memory;
/// an axis before it counts the upper memories, where several take part in one beat. It lands in the units
/// below and in the address of the lower memory; copies (`B@[..]`) are units that get the same words, and a
/// level that the map does not use has one unit named.
///
/// # Example
/// ```
/// use tensor_layout::Machine;
/// let machine = Machine::mn_core_2();
/// let l2bmd = machine.movements().iter().find(|movement| movement.name == "l2bmd").unwrap();
/// assert_eq!((l2bmd.upper.as_str(), l2bmd.lower.as_str()), ("L2BM", "L1BM"));
/// assert_eq!(l2bmd.map.as_deref(), Some("((8_L1B:1, 8:1))"));
/// assert_eq!(l2bmd.rates, (Some(64), Some(8)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Movement {
    /// The maker's name for it.
    pub name: String,
    /// The memory nearer to the root.
    pub upper: String,
    /// The other memory.
    pub lower: String,
    /// The direction.
    pub direction: Direction,
    /// The effect on the units below, for the way down if it works both ways.
    pub kind: MovementKind,
    /// The map of one beat; `None` if it is not public, in which case no route uses the movement.
    pub map: Option<String>,
    /// True if a movement to all units also works for a single named unit.
    pub names_one: bool,
    /// True if it works between any two nodes, and not only inside the node of the upper memory.
    pub across: bool,
    /// Long words per cycle at the upper memory and at each lower one, where known.
    pub rates: (Option<u64>, Option<u64>),
    /// Long words per cycle between different nodes, where that is not the rate at the upper memory.
    #[cfg_attr(feature = "serde", serde(default))]
    pub across_rate: Option<u64>,
    /// The granularity of an issue: every issue moves a multiple of this number of long words.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub issue: u64,
    /// True if the rates are the maker's; others are printed as `second-hand`.
    pub from_maker: bool,
}

impl Movement {
    /// A movement between two memories, with neither map nor rates.
    #[must_use]
    pub fn new(
        name: &str,
        (upper, lower): (&str, &str),
        direction: Direction,
        kind: MovementKind,
    ) -> Movement {
        Movement {
            name: name.into(),
            upper: upper.into(),
            lower: lower.into(),
            direction,
            kind,
            map: None,
            names_one: false,
            across: false,
            rates: (None, None),
            across_rate: None,
            issue: 1,
            from_maker: true,
        }
    }

    /// The movement with the map of one beat.
    #[must_use]
    pub fn with_map(mut self, map: &str) -> Movement {
        self.map = Some(map.into());
        self
    }

    /// The movement with long words per cycle at the upper memory and at each lower one.
    #[must_use]
    pub fn with_rates(mut self, upper: u64, lower: u64) -> Movement {
        self.rates = (Some(upper), Some(lower));
        self
    }

    /// The long words that one issue brings to a lower memory, or takes from it, at least: the beats of an issue follow each
    /// other.
    pub(crate) fn issue_at_lower(&self, map: &Layout) -> u64 {
        let Some((beat, sources)) = map.axes().split_last() else { return 0 };
        let (mut left, mut words) = (self.issue, 1_u64);
        for digit in beat.subaxes.iter().rev() {
            if digit.landed().is_some_and(|(level, _)| level == Level::ADDR) {
                words = words.saturating_mul(digit.size.min(left));
            }
            left = left.div_ceil(digit.size.max(1));
        }
        // Several upper memories, whose words follow each other in a lower one, take part at the same time.
        let sources = sources.iter().flat_map(|axis| &axis.subaxes);
        let sources = sources.filter_map(|digit| Some((digit.landed()?.0, digit.size)));
        let together = sources.filter(|(level, _)| *level == Level::ADDR);
        together.fold(words.saturating_mul(left), |words, (_, size)| words.saturating_mul(size))
    }

    /// The movement between any two nodes, with the long words per cycle between different ones if they differ
    /// from those within one.
    fn across(mut self, rate: Option<u64>) -> Movement {
        (self.across, self.across_rate) = (true, rate);
        self
    }

    /// The movement that moves multiples of some long words.
    fn in_issues_of(mut self, words: u64) -> Movement {
        self.issue = words;
        self
    }

    /// As [`with_rates`](Movement::with_rates), from a source other than the maker.
    fn said_to_pass(self, upper: u64, lower: u64) -> Movement {
        Movement { from_maker: false, ..self.with_rates(upper, lower) }
    }
}

#[cfg(feature = "serde")]
fn one() -> u64 {
    1
}

/// The movements of MN-Core 2.
pub(super) fn mn_core_2() -> Vec<Movement> {
    let (l2, l1) = (between_l2bm_and_l1bm(), ["LM0", "LM1"].map(between_l1bm_and));
    host_side().into_iter().chain(l2).chain(l1.into_iter().flatten()).collect()
}

// The maps of `l2bmb2`, `l1bmm4` and `l1bmm4@m` are those of `l2bmr2` and `l1bmr4`, with which the manual pairs them, the
// other way.
fn between_l2bm_and_l1bm() -> Vec<Movement> {
    use {Direction::*, MovementKind::*};
    let new = |name, way, kind| Movement::new(name, ("L2BM", "L1BM"), way, kind);
    let l2bmb = new("l2bmb", Down, SameToAll).with_map("((16:1); B@[8_L1B:1])");
    vec![
        Movement { names_one: true, ..l2bmb.with_rates(16, 16) },
        new("l2bmb2", Down, Distribute)
            .with_map("((4_L1B:2, 16:1); B@[2_L1B:1])")
            .with_rates(64, 16),
        new("l2bmd", Both, Distribute).with_map("((8_L1B:1, 8:1))").with_rates(64, 8),
        new("l2bm@b", Up, PickOne).with_map("((16:1))").with_rates(16, 16),
        new("l2bmr", Up, Reduce).with_rates(16, 16),
        new("l2bmr2", Up, Reduce).with_rates(64, 16),
    ]
}

fn between_l1bm_and(local: &str) -> Vec<Movement> {
    use {Direction::*, MovementKind::*};
    let new = |name, way, kind| Movement::new(name, ("L1BM", local), way, kind);
    vec![
        new("l1bmp", Down, SameToAll).with_map("((1:1); B@[16_MAB:1,4_PE:1])").with_rates(2, 2),
        new("l1bmm", Down, Distribute).with_map("((4_PE:1); B@[16_MAB:1])").with_rates(8, 2),
        new("l1bmm@m", Up, PickOne).with_map("((4_PE:1))").with_rates(8, 2),
        new("l1bmr", Up, Reduce).with_rates(8, 2),
        new("l1bmm4", Down, Distribute)
            .with_map("((4_MAB:4, 2:1, 4_PE:1); B@[4_MAB:1])")
            .with_rates(32, 2),
        new("l1bmm4@m", Up, Concatenate).with_map("((4_MAB:4, 2:1, 4_PE:1))").with_rates(32, 2),
        new("l1bmr4", Up, Reduce).with_rates(32, 2),
        new("l1bmd", Both, Distribute).with_map("((16_MAB:1, 4_PE:1))").with_rates(64, 1),
    ]
}

/// Movements of DRAM and PDM, with second-hand rates; all of them move multiples of 64 long words.
fn host_side() -> Vec<Movement> {
    use {Direction::*, MovementKind::*};
    let mut all = Vec::new();
    for upper in ["DRAM", "PDM"] {
        let new = |name, way, kind| Movement::new(name, (upper, "L2BM"), way, kind);
        let mvp = new("mvp", Both, PickOne).with_map("((16:1))").said_to_pass(16, 16);
        all.push(if upper == "PDM" { mvp.across(Some(8)) } else { mvp });
        all.push(new("mvb2", Down, SameToAll).with_map("((16:1); B@[2_L2B:1])"));
        let mvd = new("mvd", Both, Distribute).with_map("((8_L2B:1, 16:1))");
        all.push(mvd.said_to_pass(32, 4).across(None));
    }
    let (dram, pdm) = (("DRAM", "L2BM"), ("PDM", "L2BM"));
    let mvp = Movement::new("mvp", ("DRAM", "PDM"), Both, PickOne).with_map("((16:1))");
    let mvb = Movement::new("mvb", pdm, Down, SameToAll).with_map("((8:1); B@[8_L2B:1])");
    let mvb4 = Movement::new("mvb4", dram, Down, Distribute);
    let mvb4 = mvb4.with_map("((4:16), (2_L2B:1, 16:1); B@[4_L2B:2])").said_to_pass(8, 16);
    let mvr = Movement::new("mvr", dram, Up, Reduce);
    all.extend([
        mvp.said_to_pass(8, 8).across(Some(2)),
        mvb.said_to_pass(8, 8).across(None),
        mvb4.across(None),
        mvr.said_to_pass(32, 32),
    ]);
    all.into_iter().map(|movement| movement.in_issues_of(64)).collect()
}
