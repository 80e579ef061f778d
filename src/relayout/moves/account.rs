//! The moves of a relayout, digit by digit.

use std::fmt;

use itertools::Itertools;

use crate::algebra::{Layout, Replica};
use crate::error::LayoutError;
use crate::level::Level;
use crate::relayout::count::refine::{Common, refine};
use crate::relayout::count::traffic::Traffic;
use crate::relayout::pair::{Distance, Relayout, Role};

/// A common digit of both layouts, and where it lands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Move {
    /// The axis; several where they are fused.
    pub axes: Vec<usize>,
    /// The step of the digit in the index of the axis.
    pub place: u64,
    /// The number of values the digit has.
    pub size: u64,
    /// Level and stride in the source; `None` where source and destination split the values
    /// differently and thus have no common digit.
    pub from: Option<(Level, u64)>,
    /// Level and stride in the destination.
    pub to: Option<(Level, u64)>,
}

impl Move {
    /// Returns whether the digit lands in the same level with the same stride.
    #[must_use]
    pub fn stays(&self) -> bool {
        self.from.is_some() && self.from == self.to
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes = self.axes.iter().join(", ");
        let noun = if self.axes.len() == 1 { "axis" } else { "axes" };
        write!(f, "{noun} {axes}, {} at {}: ", self.size, self.place)?;
        match (self.from, self.to) {
            (Some(from), Some(to)) if from == to => write!(f, "{} stays", landing(from)),
            (Some(from), Some(to)) => write!(f, "{} -> {}", landing(from), landing(to)),
            _ => f.write_str("split differently"),
        }
    }
}

fn landing((level, stride): (Level, u64)) -> String {
    if stride == 1 { level.to_string() } else { format!("{level} x {stride}") }
}

/// Copies that one or both sides have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MovedCopies {
    /// The level in which they differ, their number and stride.
    pub copies: Replica,
    /// True if the source has them.
    pub in_source: bool,
    /// True if the destination has them; if the source has not, they are new.
    pub in_destination: bool,
}

impl fmt::Display for MovedCopies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Replica { size, level, stride } = self.copies;
        let what = match (self.in_source, self.in_destination) {
            (false, _) => "new",
            (true, false) => "dropped",
            (true, true) => "kept",
        };
        write!(f, "{size} copies over {}: {what}", landing((level, stride)))
    }
}

/// The common digits of a relayout with their landings, and its copies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Account {
    /// The common digits of every axis, major to minor.
    pub moves: Vec<Move>,
    /// Copies: those of the source, then new ones.
    pub copies: Vec<MovedCopies>,
}

impl Relayout {
    /// Lists where each common digit lands on both sides, and the copies that are kept, dropped or new.
    ///
    /// Cost: O(subaxes squared).
    ///
    /// # Errors
    /// `NotDecided` where the period after which digits line up exceeds the budget.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Machine, Placement};
    /// use tensor_layout::relayout::Relayout;
    /// let machine: Machine = "PE=4".parse()?;
    /// let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build();
    /// let relayout = Relayout::new(&on("((4_PE, 3:8), (8:1))")?, &on("((12:8), (8:1))")?)?;
    /// let account = relayout.account()?;
    /// assert_eq!(account.moves[0].to_string(), "axis 0, 4 at 3: PE -> Addr x 24");
    /// assert_eq!(account.moves[1].to_string(), "axis 0, 3 at 1: Addr x 8 stays");
    /// assert_eq!(account.copies[0].to_string(), "4 copies over PE: new");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn account(&self) -> Result<Account, LayoutError> {
        let groups = match self.elements() {
            0 => Vec::new(),
            _ => refine(&self.source, &self.target, 0)?,
        };
        let digits = groups.into_iter().flat_map(|digits| digits.into_iter().rev());
        let moves = digits.map(|digit| self.moved(digit)).collect();
        Ok(Account { moves, copies: self.moved_copies() })
    }

    fn moved_copies(&self) -> Vec<MovedCopies> {
        let has = |layout: &Layout, replica: &Replica| layout.replicas().contains(replica);
        let all = self.source.replicas().iter().chain(self.target.replicas()).unique();
        let all = all.filter(|replica| replica.size > 1);
        let moved = |replica: &Replica| {
            let (level, stride) = self.in_units((replica.level, replica.stride));
            let [in_source, in_destination] =
                [&self.source, &self.target].map(|side| has(side, replica));
            let copies = Replica { level, stride, ..*replica };
            MovedCopies { copies, in_source, in_destination }
        };
        all.map(moved).collect()
    }

    fn moved(&self, common: Common) -> Move {
        let Common { axes, place, size, digits } = common;
        let digits = digits.unwrap_or_default();
        let is_one = digits.iter().all(|digit| digit.is_whole(size));
        let [from, to] = [Role::Source, Role::Target].map(|side| {
            let digit = digits.iter().find(|digit| is_one && digit.stride.0 == side)?;
            Some(self.in_units((digit.stride.1, digit.stride.2)))
        });
        Move { axes: axes.into_vec(), place, size, from, to }
    }

    /// Describes the kind of move in a sentence.
    #[must_use]
    pub fn sentence(&self, traffic: &Traffic) -> String {
        let words = |level: Level| self.paths.words(level);
        match &self.paths.memories {
            None => traffic.sentence_in(self.levels(), words),
            Some((from, to)) => {
                let border = match (traffic.farthest(), leaf(self.levels(), words)) {
                    (Distance::Level(level), _) => border(self.levels(), level, words),
                    (_, Some(leaf)) => format!("inside each {leaf} only"),
                    (_, None) => return format!("elements move from {from} to {to}"),
                };
                format!("elements move from {from} to {to}, {border}")
            }
        }
    }
}

impl Traffic {
    /// Describes the kind of move on a path of `levels` in a sentence.
    #[must_use]
    pub fn sentence(&self, levels: &[Level]) -> String {
        self.sentence_in(levels, |level| level.to_string())
    }

    fn sentence_in(&self, levels: &[Level], words: impl Fn(Level) -> String + Copy) -> String {
        match self.farthest() {
            Distance::InPlace if leaf(levels, words).is_none() => {
                "nothing moves: a plain copy of the memory".into()
            }
            Distance::InPlace => "nothing moves: a plain copy of every unit's memory".into(),
            Distance::Address | Distance::Memory => match leaf(levels, words) {
                Some(leaf) => format!("elements move inside each {leaf} only"),
                None => "only addresses change".into(),
            },
            Distance::Level(level) => format!("elements move {}", border(levels, level, words)),
        }
    }
}

/// The innermost units; `None` where there is a single unit, which no level counts.
fn leaf(levels: &[Level], words: impl Fn(Level) -> String) -> Option<String> {
    levels.iter().rfind(|level| **level != Level::TIME).map(|level| words(*level))
}

/// `between PEs`, or `inside each MAB only`: nothing crosses a border above.
fn border(levels: &[Level], crossed: Level, words: impl Fn(Level) -> String) -> String {
    if crossed == Level::TIME {
        return "between time slices".into();
    }
    let at = levels.iter().position(|level| *level == crossed);
    let above = at.and_then(|at| at.checked_sub(1)).map(|at| levels[at]);
    match above.filter(|above| *above != Level::TIME) {
        Some(above) => format!("inside each {} only", words(above)),
        None => {
            let unit = words(crossed);
            // `group of 2 L2Bs` has its plural inside.
            match unit.strip_prefix("group") {
                Some(rest) => format!("between groups{rest}"),
                None => format!("between {unit}s"),
            }
        }
    }
}
